import { describe, expect, test } from "vitest";
import { failureOf } from "../envelope/envelope.fixture.js";
import { createConsume, InvalidArgumentError, UnknownUrnStrategy, UrnRouter } from "../index.js";

describe("strategies", () => {
  test("are these four", () => {
    expect(UnknownUrnStrategy).toEqual({
      FAIL: "fail",
      DELETE: "delete",
      RELEASE: "release",
      DEAD_LETTER: "dead_letter",
    });
  });

  test.each(["FAIL", "retry", "", "toString", null, 1])("%j is refused at once", (strategy) => {
    const options = { deadLetters: false, unknownUrnStrategy: strategy as never };
    const error = failureOf(() => createConsume(new UrnRouter(), options));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument: "unknownUrnStrategy" });
    expect(error.message).toContain("fail, delete, release, dead_letter");
  });

  test("that are refused are named", () => {
    const options = { deadLetters: false, unknownUrnStrategy: "retry" as never };
    expect(() => createConsume(new UrnRouter(), options)).toThrow(/retry/);
  });
});
