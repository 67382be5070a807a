import type { SuiteCase } from "./case.js";
import { closingCases } from "./cases/closing.js";
import { failureCases } from "./cases/failures.js";
import { orderCases } from "./cases/order.js";
import { refusalCases } from "./cases/refusals.js";
import { roundTripCases } from "./cases/round-trip.js";
import { sendingCases } from "./cases/sending.js";
import { unknownUrnCases } from "./cases/unknown-urns.js";
import type { OpenHarness, TransportCapabilities } from "./harness.js";
import { Stage } from "./stage.js";

/** One case of the suite, for any test runner: `test(name, run)`. */
export interface TransportCase {
  readonly name: string;
  /** Opens a harness, runs the case on it and disposes it. Rejects where the case does not hold. */
  readonly run: () => Promise<void>;
}

const CASES: readonly SuiteCase[] = [
  ...roundTripCases,
  ...sendingCases,
  ...failureCases,
  ...unknownUrnCases,
  ...refusalCases,
  ...orderCases,
  ...closingCases,
];

/**
 * What every transport on core must do (docs/wire-contract.md §1, §3, §4), as named cases. It takes a harness
 * of the transport; cases that need more than its capabilities are left out.
 */
export function transportCases(
  open: OpenHarness,
  capabilities: TransportCapabilities = {},
): readonly TransportCase[] {
  return CASES.filter(({ needs = [] }) => needs.every((need) => capabilities[need] === true)).map(
    ({ name, needs = [], run }) => ({
      name,
      run: async () => {
        const harness = await open({ fifo: needs.includes("fifo") });
        const stage = new Stage(harness);
        try {
          await run(stage);
        } finally {
          await stage.stop();
          await harness.dispose();
        }
      },
    }),
  );
}
