import * as fc from "fast-check";
import { describe } from "vitest";
import { onFakeClock } from "./clock.js";
import { anyCommands, CONSUMERS, type Command, type Model } from "./commands.js";
import { property } from "./property.js";
import { anySetting, type Setting } from "./setting.js";
import { World } from "./world.js";

function live(setting: Setting, commands: Iterable<Command>): Promise<void> {
  return onFakeClock(async () => {
    const real = new World(setting, CONSUMERS);
    const model: Model = { running: new Set() };
    await fc.asyncModelRun(() => ({ model, real }), commands);
    await real.finish();
  });
}

describe("the consumer", () => {
  property(
    "nothing is lost, nothing settled twice, and groups keep their order: a standard queue",
    [anySetting(false), anyCommands],
    live,
  );

  property(
    "nothing is lost, nothing settled twice, and groups keep their order: a FIFO queue",
    [anySetting(true), anyCommands],
    live,
  );
});
