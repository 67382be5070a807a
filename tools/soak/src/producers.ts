import { join } from "node:path";
import { Child } from "./children.js";
import type { Job } from "./producer.js";
import type { Queues } from "./queues.js";
import type { Options } from "./soak.js";

export interface Producer {
  child: Child;
  log: string;
}

export function startProducers(
  { seed, producers, standard, fifo, groups }: Options,
  proxy: string,
  directory: string,
  queues: Queues,
): Producer[] {
  const [standardUrl = "", fifoUrl = ""] = queues.pairs.map(({ url }) => url);
  return Array.from({ length: producers }, (_, index) => {
    const client = `producer-${index}`;
    const log = join(directory, `${client}.log`);
    const endpoint = `${proxy}/${client}`;
    const job: Job = {
      index,
      producers,
      seed,
      endpoint,
      log,
      standardUrl,
      fifoUrl,
      standard,
      fifo,
      groups,
    };
    return { child: new Child("producer.mjs", JSON.stringify(job)), log };
  });
}
