import type * as Core from "../../../packages/core/src/index.js";

const URN = "urn:babel:orders:created";
export const BODY =
  `{"job":"${URN}","trace_id":"t-1","data":{"order_id":9007199254740993,"price":99.90},` +
  '"meta":{"id":"m-1","queue":"orders","lang":"php","schema_version":1,"created_at":1},"attempts":0}';

/** What the page does with core. Every answer is plain data, which the page can hand to the test. */
export function programOf(core: typeof Core) {
  async function consume(
    delivery: Partial<Core.Delivery>,
    handler: Core.Handler = () => undefined,
    hooks: Core.ReportHooks = {},
  ) {
    const routes = new core.UrnRouter().on(URN, handler);
    const outcome = await core.createConsume(routes, { ...hooks, deadLetters: true })({
      body: BODY,
      headers: {},
      system: "memory",
      queue: "orders",
      message: null,
      signal: new AbortController().signal,
      ...delivery,
    });
    return {
      kind: outcome.kind,
      error: outcome.kind === "ack" ? undefined : outcome.error?.name,
      deadLetter: outcome.kind === "dead-letter" ? outcome.body : undefined,
    };
  }

  return {
    globals: () => ["window", "process", "Buffer", "require"].filter((name) => name in globalThis),

    create: () => core.createEnvelope(URN, { order_id: 1042 }),

    decode: () => core.decodeEnvelope(BODY).data,

    encode: () => core.encodeEnvelope(core.decodeEnvelope(BODY)),

    amend: () => core.amendEnvelope(BODY, { attempts: 3 }),

    async route() {
      const handled: unknown[] = [];
      const handler: Core.Handler = ({ meta, attempts }) => handled.push([meta.id, attempts]);
      const outcome = await consume({ redeliveries: 2 }, handler);
      const isLost = new core.UrnRouter().on(URN, handler).handlerFor("urn:lost") === undefined;
      return { ...outcome, handled, isLost };
    },

    async refuse() {
      const told: string[] = [];
      const onError = (error: unknown): void => {
        told.push(error instanceof core.BabelQueueError ? error.code : "none of ours");
      };
      const poison = await consume({ body: "poison" }, undefined, { onError });
      const gated = await consume({ declaredSchemaVersion: "2" }, undefined, { onError });
      return { poison, gated, told };
    },

    async withoutHooks() {
      const poison = await consume({ body: "poison" });
      const failed = await consume({}, () => {
        throw new Error("not yet");
      });
      return [poison.kind, failed.kind];
    },
  };
}
