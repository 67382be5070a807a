import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";
import { runnersFor } from "./block.js";
import { blocks } from "./blocks/index.js";
import { openFolder } from "./folder.js";

const own = fileURLToPath(new URL("../vectors", import.meta.url));
const others = (process.env["BABELQUEUE_CONFORMANCE"] ?? "").split(delimiter).filter(Boolean);

describe.each([own, ...others])("%s", (path) => {
  const folder = openFolder(path);
  describe.each(runnersFor(folder, blocks))("$key: $subject", ({ key, define }) => {
    define(folder.blocks[key], folder);
  });
});
