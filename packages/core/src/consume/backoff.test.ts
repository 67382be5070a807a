import { afterEach, describe, expect, test, vi } from "vitest";
import { failureOf } from "../envelope/envelope.fixture.js";
import { exponentialBackoff, InvalidArgumentError } from "../index.js";

afterEach(() => {
  vi.restoreAllMocks();
});
const ALMOST_ONE = 1 - Number.EPSILON / 2;

describe("exponentialBackoff", () => {
  // options, attempts, the longest delay
  test.each([
    [undefined, 0, 5],
    [undefined, 1, 10],
    [undefined, 3, 40],
    [undefined, 7, 640],
    [undefined, 8, 900],
    [undefined, 5000, 900],
    [{ baseSeconds: 1 }, 4, 16],
    [{ maxSeconds: 30 }, 4, 30],
    [{ baseSeconds: 60, maxSeconds: 30 }, 0, 30],
    [{ baseSeconds: 0.5 }, 0, 0],
    [{ baseSeconds: 0.5 }, 2, 2],
    [{ maxSeconds: 7.9 }, 9, 7],
    [{ maxSeconds: 0 }, 9, 2560],
    [{ multiplier: 1 }, 9, 5],
    [{ multiplier: 3, maxSeconds: 0 }, 3, 135],
    [{ maxSeconds: 43_200 }, 5000, 43_200],
    [{ baseSeconds: 0 }, 9, 0],
    [{ baseSeconds: 0 }, 5000, 0],
  ])("%o after %d attempts: 0 to %d seconds, whole, evenly", (options, attempts, longest) => {
    const delay = exponentialBackoff(options);
    const random = vi.spyOn(Math, "random");
    const at = (value: number): number => {
      random.mockReturnValue(value);
      return delay(attempts);
    };
    expect([at(0), at(ALMOST_ONE)]).toEqual([0, longest]);
    expect(at(0.5)).toBe(Math.floor((longest + 1) / 2));
  });

  test.each([
    [{}, 2, 20],
    [{ baseSeconds: 0.5, multiplier: 3 }, 2, 4.5],
    [{ baseSeconds: 5, multiplier: 1 }, 7, 5],
    [{ maxSeconds: 30 }, 9, 30],
    [{ baseSeconds: 0, maxSeconds: 0 }, 5000, 0],
  ])("%o without jitter after %d attempts: %d seconds", (options, attempts, seconds) => {
    expect(exponentialBackoff({ ...options, jitter: "none" })(attempts)).toBe(seconds);
  });

  test.each([
    ["baseSeconds", -1],
    ["baseSeconds", NaN],
    ["maxSeconds", Infinity],
    ["maxSeconds", "9"],
    ["multiplier", 0.5],
    ["multiplier", NaN],
    ["jitter", "half"],
  ])("refuses %s of %j", (argument, seconds) => {
    const error = failureOf(() => exponentialBackoff({ [argument]: seconds }));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ code: "invalid_argument", argument });
    expect(error.message).toContain(argument === "jitter" ? 'got "half"' : `got ${seconds}`);
  });
});
