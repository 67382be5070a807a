/** The URN without surrounding white space, or undefined where there is none. */
export function trimmedUrn(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const urn = value.trim();
  return urn === "" ? undefined : urn;
}
