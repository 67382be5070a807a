import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    fuzz: { readonly seed: number; readonly cases: number };
  }
}

/** The cases of all properties together, where the environment names no other number. */
const CASES = 2000;

/** Before the tests: the seed of the run, printed whether it ends well or not. */
export function setup(project: TestProject): void {
  const seed = whole("FUZZ_SEED", Math.floor(Math.random() * 2 ** 31));
  const cases = whole("FUZZ_RUNS", CASES);
  console.log(`fuzz: ${cases} cases, seed ${seed} (again: FUZZ_SEED=${seed} FUZZ_RUNS=${cases})`);
  project.provide("fuzz", { seed, cases });
}

function whole(name: string, fallback: number): number {
  const text = process.env[name];
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`${name} must be a whole number, and is ${text}`);
}
