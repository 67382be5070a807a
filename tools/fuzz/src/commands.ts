import * as fc from "fast-check";
import { pass } from "./clock.js";
import { anyFault } from "./faults.js";
import type { World } from "./world.js";

/** What a command may know before it runs: which consumers were told to run. */
export interface Model {
  readonly running: Set<number>;
}

export type Command = fc.AsyncCommand<Model, World>;

export const CONSUMERS = 2;

/** Most of what happens, happens to the first. */
const anyConsumer = fc.constantFrom(0, 0, 0, 1);

/** A command of a name, which is what a counterexample shows. */
function command(
  name: string,
  run: (world: World, model: Model) => void | Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return {
    check,
    run: async (model, world) => {
      await run(world, model);
      // what begins at once has begun
      await pass(2);
      world.check();
    },
    toString: () => name,
  };
}

const publish = fc
  .record({
    kind: fc.constantFrom(
      ...(["good", "good", "good", "good", "good", "unknown", "poison", "gated"] as const),
    ),
    group: fc.constantFrom("a", "a", "b"),
    count: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ kind, group, count }) =>
    command(`publish(${count} ${kind} in ${group})`, async (world) => {
      for (let left = count; left > 0; left -= 1) await world.publish(kind, group);
    }),
  );

const receive = fc.oneof(
  anyConsumer.map((consumer) => command(`poll(${consumer})`, (world) => world.poll(consumer))),
  anyConsumer.map((consumer) =>
    command(
      `run(${consumer})`,
      (world, { running }) => {
        running.add(consumer);
        world.run(consumer);
      },
      ({ running }) => !running.has(consumer),
    ),
  ),
);

const stop = anyConsumer.map((consumer) =>
  command(`stop(${consumer})`, (world, { running }) => {
    running.delete(consumer);
    world.stop(consumer);
  }),
);

const end = fc
  .tuple(fc.nat(9), fc.constantFrom("succeed" as const, "succeed", "fail"))
  .map(([index, how]) => command(`${how}(${index})`, (world) => world.end(index, how)));

/** Within the settling of one message, within a visibility timeout, and beyond it. */
const lapse = fc
  .constantFrom(1, 40, 60, 200, 1100, 2600, 4900, 5100, 11_000)
  .map((ms) => command(`pass(${ms})`, () => pass(ms)));

const fault = fc
  .tuple(
    fc.constantFrom("receive" as const, "delete", "delete", "change", "change", "send"),
    anyFault,
  )
  .map(([kind, what]) =>
    command(`fault(${kind}, ${JSON.stringify(what)})`, (world) => world.faults.add(kind, what)),
  );

export const anyCommands: fc.Arbitrary<Iterable<Command>> = fc.commands<Model, World, false>(
  [publish, receive, end, end, stop, lapse, fault],
  { maxCommands: 40, size: "max" },
);
