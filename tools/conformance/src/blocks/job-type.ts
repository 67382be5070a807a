import { expect, test } from "vitest";
import { block } from "../block.js";
import { expectedVerdict, type UrnCase, urnVerdict } from "../urn-verdict.js";

export const jobType = block<{ readonly cases: readonly UrnCase[] }>({
  key: "job_type",
  subject: "a job that is no string is ignored with a warning",
  define: ({ cases }, folder) => {
    test.each(cases)("$name", (given) => {
      expect(urnVerdict(folder.bodyOf(given))).toEqual(expectedVerdict(given));
    });
  },
});
