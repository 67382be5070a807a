import { describe, expect, test, vi } from "vitest";
import {
  failureOf,
  observe,
  SECRET,
  SECRET_NUMBER,
  shownBy,
  URN,
} from "../envelope/envelope.fixture.js";
import {
  createEnvelope,
  defineMessage,
  encodeEnvelope,
  InvalidArgumentError,
  InvalidPayloadError,
  type MessageDefinition,
  prepareEnvelope,
  UrnRouter,
} from "../index.js";
import { anything, failing, orderSchemas, schemaOf, zodOrder } from "./schemas.fixture.js";

const order = {
  order_id: 1042,
  placed_at: "2025-06-05T16:18:47.000Z",
  lines: [{ sku: "a", amount: 1 }],
};

const handler = (): void => undefined;

/** What preparing an envelope of these data comes to, at once or later. */
async function refusalOf(
  schema: MessageDefinition["schema"],
  data: object = {},
): Promise<InvalidPayloadError> {
  try {
    await prepareEnvelope(defineMessage({ urn: URN, schema }), data);
  } catch (error) {
    if (error instanceof InvalidPayloadError) return error;
    throw error;
  }
  throw new Error("Expected it to be refused");
}

describe("defineMessage", () => {
  test("makes a frozen definition of the trimmed URN and the schema itself", () => {
    const definition = defineMessage({ urn: ` ${URN}\n`, schema: zodOrder });
    expect(definition).toEqual({ urn: URN, schema: zodOrder });
    expect(Object.isFrozen(definition)).toBe(true);
    expect(definition.schema).toBe(zodOrder);
    expect(Object.keys(definition)).toEqual(["urn", "schema"]);
  });

  test.each<[string, unknown, string, string]>([
    ["a blank URN", { urn: " ", schema: anything }, "urn", "a blank string"],
    ["no URN", { schema: anything }, "urn", "missing"],
    ["a URN that is a number", { urn: 1, schema: anything }, "urn", "a number"],
    ["no schema", { urn: URN }, "schema", "missing"],
    ["null as a schema", { urn: URN, schema: null }, "schema", "null"],
    ["a schema that is a string", { urn: URN, schema: "object" }, "schema", "a string"],
    ["a schema of no Standard Schema", { urn: URN, schema: { parse: Number } }, "schema", URN],
    ["half a schema", { urn: URN, schema: { "~standard": { version: 1 } } }, "schema", URN],
    ["nothing within", { urn: URN, schema: { "~standard": null } }, "schema", URN],
  ])("refuses %s, and says so", (_, given, argument, said) => {
    const error = failureOf(() => defineMessage(given as MessageDefinition));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument });
    expect(error.message).toContain(said);
  });

  test("a definition of another copy of the package is one, and what only looks like one is not", async () => {
    vi.resetModules();
    const copy = await import("../index.js");
    const definition = copy.defineMessage({ urn: URN, schema: failing({}) });
    expect(() => createEnvelope(definition, {})).toThrow(InvalidPayloadError);
    expect(new UrnRouter().on(definition, handler).handlerFor(URN)).toBeTypeOf("function");
    const lookalike = { urn: URN, schema: anything };
    expect(() => new UrnRouter().on(lookalike, handler)).toThrow("got an object");
    expect(() => createEnvelope(lookalike, {})).toThrow("and is an object");
  });
});

describe.each(orderSchemas)("an envelope of a definition by %s", (_, schema) => {
  const definition = defineMessage({ urn: URN, schema });

  test("holds the data as they were given, and travels as such", () => {
    const envelope = createEnvelope(definition, order, { queue: "orders", traceId: "t" });
    expect(envelope).toMatchObject({ job: URN, trace_id: "t", meta: { queue: "orders" } });
    expect(envelope.data).toBe(order);
    expect(encodeEnvelope(envelope)).toContain(`"data":${JSON.stringify(order)}`);
  });

  test("is refused for data that do not fit, with the pointer of each issue and no value", async () => {
    const lines = [{ sku: "a", amount: 1 }, { sku: SECRET, amount: SECRET }, { amount: 2 }];
    const error = await refusalOf(schema, { ...order, lines, order_id: SECRET });
    expect(error.code).toBe("invalid_payload");
    expect(error.issues.map(({ pointer }) => pointer).sort()).toEqual([
      "/data/lines/1/amount",
      "/data/lines/2/sku",
      "/data/order_id",
    ]);
    expect(error.pointer).toBe(error.issues[0]?.pointer);
    for (const { pointer } of error.issues) expect(error.message).toContain(pointer);
    expect(shownBy(error)).not.toContain(SECRET);
  });

  test("is refused without data", async () => {
    expect((await refusalOf(schema, {})).issues).toHaveLength(3);
    await expect(refusalOf(schema, [] as object)).resolves.toMatchObject({ pointer: "/data" });
    await expect(refusalOf(schema, null as never)).resolves.toMatchObject({ pointer: "/data" });
  });

  test("is refused for what JSON cannot carry, before the schema is asked", async () => {
    const data = { ...order, lines: [{ sku: "a", amount: Number.NaN }] };
    await expect(refusalOf(schema, data)).resolves.toMatchObject({
      pointer: "/data/lines/0/amount",
      issues: [{ pointer: "/data/lines/0/amount" }],
    });
  });
});

describe("what a schema is shown", () => {
  const seen: unknown[] = [];
  const definition = defineMessage({
    urn: URN,
    schema: schemaOf<object>((value) => {
      seen.push(value);
      return { value: { replaced: true } };
    }),
  });

  test("is what a consumer will parse: the form that JSON gives the data", () => {
    const data = { at: new Date(0), none: undefined, big: 2n ** 64n, small: 2n, text: "\uFFFF" };
    const envelope = createEnvelope(definition, data);
    expect(seen).toEqual([
      { at: "1970-01-01T00:00:00.000Z", big: 2n ** 64n, small: 2, text: "\uFFFF" },
    ]);
    expect(envelope.data).toBe(data);
  });
});

describe("the paths of issues", () => {
  test.each<[string, unknown, string]>([
    ["none", {}, "/data"],
    ["an empty one", { path: [] }, "/data"],
    ["names and indices", { path: ["lines", 0, "price"] }, "/data/lines/0/price"],
    ["segments", { path: [{ key: "lines" }, { key: 1 }, "sku"] }, "/data/lines/1/sku"],
    ["names to be escaped", { path: ["a/b", "c~d", ""] }, "/data/a~1b/c~0d/"],
    ["a symbol", { path: [Symbol("s")] }, "/data/Symbol(s)"],
    ["a segment that is none", { path: ["lines", null, "sku"] }, "/data/lines"],
    ["a segment whose key is an object", { path: ["lines", { key: {} }] }, "/data/lines"],
    ["no array", { path: "lines" }, "/data"],
    ["no issue at all", null, "/data"],
    ["a string as an issue", "wrong", "/data"],
  ])("%s", async (_, issue, pointer) => {
    await expect(refusalOf(failing(issue))).resolves.toMatchObject({
      pointer,
      issues: [{ pointer }],
    });
  });

  test("an empty list of issues is a failure too", async () => {
    await expect(refusalOf(failing())).resolves.toMatchObject({ issues: [{ pointer: "/data" }] });
  });

  test("the message names them, each once, and is cut when they are long", async () => {
    const issues = Array.from({ length: 9 }, (_, index) => ({ path: [index] }));
    const many = await refusalOf(failing(...issues, ...issues));
    expect(many.issues).toHaveLength(18);
    expect(many.message).toBe(
      `The value at ${issues.map(({ path: [index] }) => `/data/${index}`).join(", ")} does not fit ` +
        `the schema of ${URN}.`,
    );
    const long = await refusalOf(failing({ path: ["a"] }, { path: ["b".repeat(1000)] }));
    expect(long.message).toContain("/data/a, /data/bbb");
    expect(long.message.length).toBeLessThan(200);
  });
});

describe("a schema that fails itself", () => {
  const cause = new Error("The price list cannot be reached");

  test.each<[string, MessageDefinition["schema"]]>([
    [
      "throws",
      schemaOf(() => {
        throw cause;
      }),
    ],
    ["rejects", schemaOf(() => Promise.reject(cause))],
  ])("and %s has the publish refused, with the cause", async (_, schema) => {
    const error = await refusalOf(schema);
    expect(error).toMatchObject({ pointer: "/data", cause });
    expect(error.message).toContain(`the schema of ${URN} failed`);
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a number", Number(SECRET_NUMBER)],
    ["an object with neither value nor issues", {}],
    ["issues that are no list", { issues: SECRET }],
    ["issues that are true, beside a value", { issues: true, value: SECRET }],
  ])("and returns %s is told from one that finds issues", async (_, result) => {
    for (const schema of [schemaOf(() => result), schemaOf(() => Promise.resolve(result))]) {
      const error = await refusalOf(schema);
      expect(error.cause).toBeInstanceOf(InvalidArgumentError);
      expect(error.cause).toMatchObject({ argument: "schema" });
      expect(shownBy(error)).not.toContain(SECRET);
    }
  });
});

describe("an asynchronous schema", () => {
  const takes = defineMessage({ urn: URN, schema: schemaOf(async (value) => ({ value })) });
  const refuses = defineMessage({ urn: URN, schema: schemaOf(async () => ({ issues: [{}] })) });

  test("is awaited by prepareEnvelope, which is at once with any other", async () => {
    const data = { id: 1 };
    const pending = prepareEnvelope(takes, data);
    expect(pending).toBeInstanceOf(Promise);
    await expect(pending).resolves.toMatchObject({ job: URN, data });
    await expect(prepareEnvelope(refuses, data)).rejects.toThrow(InvalidPayloadError);
    for (const message of [URN, defineMessage({ urn: URN, schema: anything })]) {
      expect(prepareEnvelope(message, data)).toMatchObject({ job: URN, data });
    }
  });

  test("may return any thenable", async () => {
    const thenable = {
      // oxlint-disable-next-line unicorn/no-thenable
      then: (resolve: (result: object) => void) => resolve({ issues: [{ path: ["a"] }] }),
    };
    await expect(refusalOf(schemaOf(() => thenable))).resolves.toMatchObject({
      pointer: "/data/a",
    });
  });

  test.each([takes, refuses])(
    "is refused by createEnvelope, and leaves nothing behind",
    async (given) => {
      const { result, unhandled } = await observe(() => failureOf(() => createEnvelope(given, {})));
      expect(result).toMatchObject({ code: "invalid_argument", argument: "schema" });
      expect(result.message).toContain("prepareEnvelope");
      expect(unhandled).toEqual([]);
    },
  );
});
