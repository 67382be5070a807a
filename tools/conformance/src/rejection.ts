import { InvalidArgumentError, InvalidEnvelopeError, InvalidPayloadError } from "@babelqueue/core";

/** What `run` throws, in the words of the vectors: a reason of InvalidEnvelopeError, and so on. */
export function rejectionOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidEnvelopeError) return error.reason;
    if (error instanceof InvalidPayloadError) return `invalid_payload ${error.pointer}`;
    if (error instanceof InvalidArgumentError) return `invalid_argument ${error.argument}`;
    throw error;
  }
}
