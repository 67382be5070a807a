import { describe, expect, test } from "vitest";
import { deferred } from "../deferred.fixture.js";
import { Batcher } from "../transport.js";
import { again, batching, failed, pass, sent, useFakeClock } from "./batcher.fixture.js";

useFakeClock();

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe("what travels together", () => {
  test("is what is added in one turn, ten items at most, and each gets its own result", async () => {
    const { requests, add, items } = batching();
    const { results } = add(...upTo(12));
    expect(items()).toEqual([]);
    await pass(0);
    expect(items()).toEqual([upTo(10), [10, 11]]);
    for (const { answer } of requests) await answer((n) => (n === 3 ? failed : sent(n)));
    expect(await results).toEqual(upTo(12).map((n) => (n === 3 ? failed : sent(n))));
    await pass(60_000);
    expect(requests).toHaveLength(2);
  });

  test("is no more than `maxItems` and `maxBytes`; an item above those goes alone", async () => {
    const sizes = [40, 40, 40, 500, 10, 10, 10, 10];
    const sizeOf = ({ n }: { n: number }) => sizes[n] ?? 0;
    const { add, items } = batching({ maxItems: 3, maxBytes: 100, sizeOf });
    add(...sizes.keys());
    await pass(0);
    expect(items()).toEqual([[0, 1], [2], [3], [4, 5, 6], [7]]);
  });

  test("is what `defer` says belongs to one turn", async () => {
    const turns: (() => void)[] = [];
    const { add, items } = batching({ defer: (run) => void turns.push(run) });
    add(0);
    await pass(0);
    add(1);
    expect([turns.length, items()]).toEqual([1, []]);
    turns[0]?.();
    expect(items()).toEqual([[0, 1]]);
  });

  test("is what is added while a request is under way, until it is answered", async () => {
    const { requests, add, items } = batching();
    add(0);
    await pass(0);
    add(1);
    await pass(10);
    add(2);
    expect(items()).toEqual([[0]]);
    await requests[0]?.answer();
    expect(items()).toEqual([[0], [1, 2]]);
  });

  test("but a request that hangs holds up the others 20 ms at most", async () => {
    const { add, items } = batching();
    add(0);
    await pass(0);
    add(1);
    await pass(19);
    expect(items()).toEqual([[0]]);
    await pass(1);
    expect(items()).toEqual([[0], [1]]);
  });

  test("one that is answered lets go what waits, also while another hangs; then they wait again", async () => {
    const { requests, add, items } = batching();
    add(0);
    await pass(0);
    add(1);
    await pass(20);
    add(2);
    await requests[1]?.answer();
    expect(items()).toEqual([[0], [1], [2]]);
    add(3);
    await pass(19);
    expect(items()).toHaveLength(3);
    await pass(1);
    expect(items()).toHaveLength(4);
  });

  test("`maxInFlight`: no more requests are under way", async () => {
    const { requests, add, items } = batching({ maxInFlight: 2, maxItems: 1 });
    add(0, 1, 2, 3);
    await pass(1000);
    expect(items()).toEqual([[0], [1]]);
    await requests[1]?.answer();
    expect(items()).toEqual([[0], [1], [2]]);
  });
});

describe("`lingerMs`", () => {
  test("the first waits so long for others", async () => {
    const { add, items } = batching({ lingerMs: 50 });
    add(0);
    await pass(30);
    add(1);
    await pass(19);
    expect(items()).toEqual([]);
    await pass(1);
    expect(items()).toEqual([[0, 1]]);
  });

  test("a full request does not wait", () => {
    const { add, items } = batching({ lingerMs: 50, maxItems: 2 });
    add(0, 1, 2);
    expect(items()).toEqual([[0, 1]]);
  });

  test("`hurry`: nothing lingers until the promise is done, then all does again", async () => {
    const { batcher, add, items } = batching({ lingerMs: 50 });
    const { promise, resolve } = deferred();
    add(0);
    batcher.hurry(promise);
    await pass(0);
    expect(items()).toEqual([[0]]);
    add(1, 2);
    await pass(0);
    expect(items()).toEqual([[0], [1, 2]]);
    resolve();
    await pass(0);
    add(3);
    await pass(49);
    expect(items()).toHaveLength(2);
    await pass(1);
    expect(items()).toHaveLength(3);
  });

  test("`hurry` twice: until both promises are done", async () => {
    const { batcher, add, items } = batching({ lingerMs: 50 });
    batcher.hurry(Promise.resolve());
    batcher.hurry(new Promise(() => undefined));
    await pass(0);
    add(0);
    await pass(0);
    expect(items()).toEqual([[0]]);
  });
});

describe("what may be sent again", () => {
  test("is, alone, after a wait that grows, and gets its result then", async () => {
    const { requests, add, items } = batching();
    const { results } = add(0, 1, 2);
    await pass(0);
    await requests[0]?.answer((n) => (n === 1 ? again : sent(n)));
    await pass(49);
    expect(items()).toHaveLength(1);
    await pass(51);
    expect(items()).toEqual([[0, 1, 2], [1]]);
    await requests[1]?.answer(() => again);
    await pass(99);
    expect(items()).toHaveLength(2);
    await pass(101);
    expect(items()).toEqual([[0, 1, 2], [1], [1]]);
    await requests[2]?.answer();
    expect(await results).toEqual([sent(0), sent(1), sent(2)]);
  });

  test("does not linger once more", async () => {
    const { requests, add } = batching({ lingerMs: 5000 });
    add(0);
    await pass(5000);
    await requests[0]?.answer(() => again);
    await pass(100);
    expect(requests).toHaveLength(2);
  });

  test("is tried three times in all", async () => {
    const { requests, add } = batching();
    const { results } = add(0);
    for (const index of [0, 1, 2]) {
      await pass(1000);
      await requests[index]?.answer(() => again);
    }
    expect(await results).toEqual([again]);
    await pass(60_000);
    expect(requests).toHaveLength(3);
  });
});

describe("a request that breaks its word", () => {
  const broken: readonly (readonly [string, () => Promise<never>, RegExp])[] = [
    ["rejects", () => Promise.reject(new Error("no wire")), /no wire/],
    [
      "throws",
      () => {
        throw new Error("no wire");
      },
      /no wire/,
    ],
    ["answers too few", () => Promise.resolve([] as never), /one result an item/],
  ];

  test.each(broken)("and %s fails its own items, and no others", async (_, breaks, message) => {
    let calls = 0;
    const batcher = new Batcher<number, string, string>({
      maxInFlight: 1,
      laneOf: () => "lane",
      request: async (items) => {
        calls += 1;
        return calls === 1 ? breaks() : items.map(() => ({ ok: true, value: "sent" }));
      },
    });
    await expect(batcher.add(1)).rejects.toThrow(message);
    await expect(batcher.add(2)).resolves.toEqual({ ok: true, value: "sent" });
  });
});

test("a hurry whose promise rejects is over then", async () => {
  const { requests, add, batcher } = batching({ lingerMs: 5000 });
  batcher.hurry(Promise.reject(new Error("stopped")));
  await pass(0);
  add(0);
  await pass(10);
  expect(requests).toHaveLength(0);
  await pass(5000);
  expect(requests).toHaveLength(1);
});
