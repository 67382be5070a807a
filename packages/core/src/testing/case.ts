import type { TransportCapabilities } from "./harness.js";
import type { Stage } from "./stage.js";

/** A case as the files in `cases/` write it. */
export interface SuiteCase {
  readonly name: string;
  /** Without these it is left out. */
  readonly needs?: readonly (keyof TransportCapabilities)[];
  readonly run: (stage: Stage) => Promise<void>;
}
