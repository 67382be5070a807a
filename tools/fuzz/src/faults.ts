import {
  connectionReset,
  type FakeSqs,
  type OperationName,
  type SqsRequest,
  serviceUnavailable,
  throttled,
} from "fake-sqs";
import * as fc from "fast-check";
import { after } from "./clock.js";

/** What may go wrong with the next request of a kind. */
export type Fault =
  | { readonly kind: "refused" | "unavailable" | "lostAnswer" }
  | { readonly kind: "lateRequest" | "lateAnswer"; readonly ms: number }
  /** Of a batch, the entries whose bit is set; of a plain request, all of it. */
  | { readonly kind: "entries"; readonly bits: number; readonly senderFault: boolean };

export type RequestKind = "send" | "receive" | "delete" | "change";

export const anyFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constantFrom("refused" as const, "unavailable", "lostAnswer") }),
  fc.record({
    kind: fc.constantFrom("lateRequest" as const, "lateAnswer"),
    ms: fc.constantFrom(10, 70, 400, 3000, 7000),
  }),
  fc.record({
    kind: fc.constant("entries" as const),
    bits: fc.integer({ min: 1, max: 1023 }),
    senderFault: fc.boolean(),
  }),
);

function kindOf(operation: OperationName): RequestKind | undefined {
  if (operation.startsWith("SendMessage")) return "send";
  if (operation === "ReceiveMessage") return "receive";
  if (operation.startsWith("DeleteMessage")) return "delete";
  return operation.startsWith("ChangeMessageVisibility") ? "change" : undefined;
}

/** Faults that wait for their requests; each befalls one. */
export class Faults {
  readonly #waiting = new Map<RequestKind, Fault[]>();
  /** Faults under way, by the input of their request. */
  readonly #current = new Map<object, Fault>();

  /** @param concerns which requests are meant; default: all */
  constructor(sqs: FakeSqs, concerns: (request: SqsRequest) => boolean = () => true) {
    let entryFault: Fault | undefined;
    sqs.onRequest((request) => {
      entryFault = undefined;
      const { operation, input } = request;
      const kind = concerns(request) ? kindOf(operation) : undefined;
      const fault = kind && this.#waiting.get(kind)?.shift();
      if (fault === undefined) return undefined;
      switch (fault.kind) {
        case "refused":
          return throttled();
        case "unavailable":
          return serviceUnavailable();
        case "lostAnswer":
        case "lateAnswer":
          this.#current.set(input, fault);
          return undefined;
        case "lateRequest":
          return after(fault.ms);
        case "entries":
          if (!operation.endsWith("Batch")) return serviceUnavailable();
          entryFault = fault;
          return undefined;
      }
    });
    sqs.failEntries((_, __, index) => {
      if (entryFault?.kind !== "entries" || ((entryFault.bits >> index) & 1) === 0)
        return undefined;
      const { senderFault } = entryFault;
      return { code: senderFault ? "InvalidParameterValue" : "InternalError", senderFault };
    });
    sqs.onAnswer(({ input }) => {
      const fault = this.#current.get(input);
      this.#current.delete(input);
      if (fault?.kind === "lostAnswer") return connectionReset();
      return fault?.kind === "lateAnswer" ? after(fault.ms) : undefined;
    });
  }

  add(kind: RequestKind, fault: Fault): void {
    const waiting = this.#waiting.get(kind) ?? [];
    waiting.push(fault);
    this.#waiting.set(kind, waiting);
  }

  /** From now on nothing goes wrong. */
  clear(): void {
    this.#waiting.clear();
  }
}
