const NUMBER = /^[+-]?(?<whole>\d*)(?:\.(?<fraction>\d*))?(?:[eE][+-]?\d+)?$/;
const MAX_DIGITS = 38;
const LARGEST = 1e126;
const SMALLEST = 1e-128;

/**
 * Whether SQS takes the text as a Number attribute: positive or negative, whole or decimal, up to
 * 38 digits of precision, between 10^-128 and 10^+126 (Developer Guide, message attributes).
 */
export function isSqsNumber(text: string): boolean {
  const groups = NUMBER.exec(text)?.groups;
  if (groups === undefined) return false;
  const digits = (groups["whole"] ?? "") + (groups["fraction"] ?? "");
  if (digits === "") return false;
  if (digits.replace(/^0+/, "").replace(/0+$/, "").length > MAX_DIGITS) return false;
  const magnitude = Math.abs(Number(text));
  return /^0+$/.test(digits) || (magnitude >= SMALLEST && magnitude <= LARGEST);
}
