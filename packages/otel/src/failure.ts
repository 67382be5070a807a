import { BabelQueueError } from "@babelqueue/core";
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { ATTR_ERROR_TYPE } from "./semconv.js";

/** The conventions' word for whatever has no class to name. */
const OTHER = "_OTHER";

/** The `error.type` of what was thrown: the name of its class. */
export function errorTypeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return OTHER;
  const name = thrown.name === "Error" ? thrown.constructor.name : thrown.name;
  return name === "" ? OTHER : name;
}

/** The thrown value as an Error: anything else becomes its `cause`. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error("Something that is no Error was thrown; see cause.", { cause: thrown });
}

/**
 * Marks a span as failed. Only messages of BabelQueue's own errors are shown: any other may quote a
 * payload, and where traces go, personal data should not.
 */
export function fail(span: Span, thrown: unknown): void {
  span.setAttribute(ATTR_ERROR_TYPE, errorTypeOf(thrown));
  span.setStatus(
    thrown instanceof BabelQueueError
      ? { code: SpanStatusCode.ERROR, message: thrown.message }
      : { code: SpanStatusCode.ERROR },
  );
}
