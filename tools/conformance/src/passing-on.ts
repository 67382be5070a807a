import { amendEnvelope, type DeadLetter, decodeEnvelope, encodeEnvelope } from "@babelqueue/core";

/** Passes a received body on with one attempt more, and with a `dead_letter` block if one is given. */
type PassOn = (body: string, deadLetter?: DeadLetter) => string;

const silent = { onWarning: () => undefined };

/** The two ways: its values written anew, and its text edited. */
export const ways: Readonly<Record<"encodeEnvelope" | "amendEnvelope", PassOn>> = {
  encodeEnvelope: (body, deadLetter) => {
    const envelope = decodeEnvelope(body, silent);
    return encodeEnvelope({
      ...envelope,
      attempts: envelope.attempts + 1,
      ...(deadLetter !== undefined && { dead_letter: deadLetter }),
    });
  },
  amendEnvelope: (body, deadLetter) =>
    amendEnvelope(body, { attempts: decodeEnvelope(body, silent).attempts + 1, deadLetter }),
};
