import type { Outcome } from "@babelqueue/core";
import type { Settled } from "./settled.js";

/** What those behind an unfinished message of their group inherit: the same as the message itself. */
export type Inheritance =
  | { readonly kind: "release"; readonly delaySeconds: number }
  | { readonly kind: "leave" };

/** Null where the message is finished. */
export function inheritanceOf(settled: Settled): Inheritance | null {
  switch (settled.kind) {
    case "handled":
    case "dropped":
    case "deadLettered":
    case "repeated":
      return null;
    case "released":
      return { kind: "release", delaySeconds: settled.delaySeconds };
    case "left":
      return { kind: "leave" };
  }
}

/** How the handling of a message ended. */
export interface Ending {
  /** What those behind it inherit; null where all is well. */
  readonly inheritance: Inheritance | null;
  /** Resolves when the message is settled. */
  readonly settled: Promise<unknown>;
}

/**
 * The ending that an outcome comes to. One that was handled ends well before its delete is through;
 * of a dead-lettered one, only its settlement tells.
 */
export async function endingOf(outcome: Outcome, settled: Promise<Settled>): Promise<Ending> {
  switch (outcome.kind) {
    case "ack":
    case "drop":
      return { inheritance: null, settled };
    case "release":
    case "leave":
      return { inheritance: outcome, settled };
    case "dead-letter":
      return { inheritance: inheritanceOf(await settled), settled };
  }
}
