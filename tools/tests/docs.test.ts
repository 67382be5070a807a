import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text as readAll } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Endpoint, embedServer } from "../../examples/demo/endpoint.mjs";
import { Queues } from "../../examples/demo/queues.mjs";

/*
 * The code in the READMEs and in docs/ compiles, and it runs on an embedded SQS server. It may
 * count on this:
 *
 * - Each ```ts block is a program, an ES module; one that imports nothing continues the program
 *   before it. The programs of one page run in their order, on one server.
 * - The queues below exist, at the URLs that they would have on AWS in BASE. LOCAL is the server
 *   too. The environment has a region and credentials.
 * - `// → text` says that the program prints this line; these come in the order they are printed.
 * - A program that waits for SIGTERM gets one, as from an orchestrator, once it has printed these
 *   lines, or the first line of all where it names none.
 * - A program ends by itself and exits with 0.
 */
const QUEUES = ["orders", "orders-dlq", "invoices", "invoices-dlq", "accounts.fifo"];
const BASE = "https://sqs.eu-central-1.amazonaws.com/123456789012";
const LOCAL = "http://localhost:4566";

/** The server's URLs are below .localhost, which by RFC 6761 is this machine; not every resolver knows. */
const RESOLVE_LOCALHOST = `data:text/javascript,${encodeURIComponent(`
  import dns from "node:dns";
  const { lookup } = dns;
  dns.lookup = (name, ...rest) => lookup(name.endsWith(".localhost") ? "127.0.0.1" : name, ...rest);
`)}`;

const root = fileURLToPath(new URL("../../", import.meta.url));
/** In an example whose package has the dependencies that a user would install. */
const work = join(root, `examples/tracing/temp/pages-${process.pid}`);
/** The example that the pages run in has none. */
const ZOD = join(root, "examples/demo/node_modules/zod");

interface Program {
  /** The file name, and the name of the test. */
  readonly name: string;
  /** The text with everything else of the page blanked, so that an error names its line. */
  readonly source: string;
  readonly expected: readonly string[];
}

interface Page {
  readonly path: string;
  readonly programs: readonly Program[];
}

const pages = pagePaths().map(
  (path): Page => ({ path, programs: programsOf(path, readFileSync(join(root, path), "utf8")) }),
);

function pagePaths(): string[] {
  const folders = ["packages", "examples"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  const readmes = [".", ...folders].map((folder) => join(folder, "README.md"));
  const inDocs = readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name));
  return [...readmes.filter((path) => existsSync(join(root, path))), ...inDocs];
}

function programsOf(path: string, markdown: string): Program[] {
  const lines = markdown.split("\n");
  const programs: string[][] = [];
  let isCode = false;
  lines.forEach((line, index) => {
    if (line === "```ts") {
      isCode = true;
      const block = lines.slice(index + 1, lines.indexOf("```", index));
      const isContinued = !block.some((each) => each.startsWith("import "));
      if (!isContinued || programs.length === 0) programs.push(lines.map(() => ""));
    } else if (line === "```") {
      isCode = false;
    } else if (isCode) {
      programs.at(-1)?.splice(index, 1, line);
    }
  });
  return programs.map((program) => {
    const source = program.join("\n");
    const expected = Array.from(source.matchAll(/\/\/ → (.*)$/gm), ([, printed = ""]) => printed);
    const line = program.findIndex((each) => each !== "") + 1;
    return { name: `${path.replaceAll(/\W/g, "-")}-${line}.mts`, source, expected };
  });
}

/** Compiles all programs together, strictly, and returns what is wrong with them. */
function compile(programs: readonly Program[]): string {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(work, "node_modules"), { recursive: true });
  symlinkSync(ZOD, join(work, "node_modules/zod"));
  for (const { name, source } of programs) writeFileSync(join(work, name), source);
  const program = ts.createProgram(
    programs.map(({ name }) => join(work, name)),
    {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
      skipLibCheck: true,
    },
  );
  const { diagnostics } = program.emit();
  return ts.formatDiagnostics([...ts.getPreEmitDiagnostics(program), ...diagnostics], {
    getCurrentDirectory: () => work,
    getCanonicalFileName: (name) => name,
    getNewLine: () => "\n",
  });
}

async function run({ name, expected }: Program, server: Endpoint, queueBase: string) {
  const file = join(work, name.replace(/\.mts$/, ".mjs"));
  const text = readFileSync(file, "utf8").replaceAll(BASE, queueBase).replaceAll(LOCAL, server.url);
  writeFileSync(file, text);
  const child = spawn(process.execPath, ["--import", RESOLVE_LOCALHOST, file], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      AWS_ENDPOINT_URL_SQS: new URL(queueBase).origin,
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
    },
  });
  const exit = new Promise((resolve) => {
    child.once("close", (exitCode, signal) => resolve(signal ?? exitCode));
  });
  const errors = readAll(child.stderr);
  const missing = [...expected];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === missing[0]) missing.shift();
    if (missing.length === 0 && text.includes('"SIGTERM"')) child.kill("SIGTERM");
  }
  const code = await exit;
  return { code, missing, errors: code === 0 ? "" : await errors };
}

let problems = "not compiled yet";
beforeAll(() => {
  problems = compile(pages.flatMap(({ programs }) => programs));
}, 60_000);
afterAll(() => {
  rmSync(work, { recursive: true, force: true });
});

test("there are pages, with code", () => {
  expect(pages.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      "README.md",
      "packages/core/README.md",
      "packages/sqs/README.md",
      "docs/fifo.md",
    ]),
  );
  expect(pages.flatMap(({ programs }) => programs).length).toBeGreaterThan(8);
});

test("all code compiles", () => {
  expect(problems).toBe("");
});

describe.each(pages.filter(({ programs }) => programs.length > 0))("$path", ({ programs }) => {
  let server: Endpoint;
  let queueBase = "";
  beforeAll(async () => {
    server = await embedServer();
    const queues = new Queues(server.client, server.queuePrefix);
    for (const queue of QUEUES) queueBase = dirname(await queues.create(queue));
  });
  afterAll(() => server.close());

  test.each(programs)("$name runs", { timeout: 30_000 }, async (program) => {
    const result = await run(program, server, queueBase);
    expect(result).toEqual({ code: 0, missing: [], errors: "" });
  });
});
