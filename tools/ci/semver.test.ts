import { describe, expect, test } from "vitest";
import { announcedBy, stepOf } from "./semver.mjs";

describe("the step that a change of an API report needs", () => {
  const report = "// generated\nexport class A {\n    run(): void;\n}\n";

  test.each([
    ["the same", report, "none"],
    ["only a comment", `// other\n${report}`, "none"],
    ["something more", `${report}export class B {\n}\n`, "minor"],
    ["something less", report.replace("    run(): void;\n", ""), "major"],
    ["something else", report.replace("void", "string"), "major"],
    ["nothing left", "", "major"],
  ])("%s", (_, after, step) => {
    expect(stepOf(report, after)).toBe(step);
  });
});

const changeset = (step: string): string => `---\n"@babelqueue/core": ${step}\n---\n\nmajor: no\n`;

describe("the step that changesets announce", () => {
  test.each([
    [[], "none"],
    [["patch"], "patch"],
    [["minor", "patch"], "minor"],
    [["patch", "major", "minor"], "major"],
  ])("%j", (steps, announced) => {
    expect(announcedBy(steps.map(changeset))).toBe(announced);
  });
});
