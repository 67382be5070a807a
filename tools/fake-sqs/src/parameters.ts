import { invalidValue, missingParameter } from "./errors.js";

/** The string, or `MissingParameter` where it is absent or empty. */
export function requiredString(parameter: string, value: unknown): string {
  if (value === undefined || value === null || value === "") throw missingParameter(parameter);
  if (typeof value !== "string") throw invalidValue(parameter, typeof value, "Must be a string.");
  return value;
}

/** The integer, if it is one within the bounds; `InvalidParameterValue` otherwise. */
export function integerBetween(
  parameter: string,
  value: unknown,
  minimum: number,
  maximum: number,
): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum)
    return value;
  throw invalidValue(parameter, value, `Must be between ${minimum} and ${maximum}, if provided.`);
}

/** As `integerBetween`, with a default for an absent value. */
export function optionalInteger(
  parameter: string,
  value: unknown,
  minimum: number,
  maximum: number,
  fallback: number,
): number {
  if (value === undefined || value === null) return fallback;
  return integerBetween(parameter, value, minimum, maximum);
}

/** `MessageGroupId` and `MessageDeduplicationId`: at most 128 ASCII letters, digits, punctuation. */
const FIFO_ID = /^[A-Za-z0-9!-/:-@[-`{-~]{1,128}$/;

/** The id as it is, `undefined` where absent; `InvalidParameterValue` where it breaks the rule. */
export function optionalFifoId(parameter: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && FIFO_ID.test(value)) return value;
  throw invalidValue(
    parameter,
    value,
    `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
  );
}
