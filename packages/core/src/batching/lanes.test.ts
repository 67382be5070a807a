import { expect, test } from "vitest";
import { again, batching, type Item, pass, sent, useFakeClock } from "./batcher.fixture.js";

useFakeClock();

const of = (lane: string, ...ns: readonly number[]): Item[] => ns.map((n) => ({ n, lane }));

test("a lane has one request under way; other lanes, and items of none, go on", async () => {
  const { add, requests, items } = batching({ maxItems: 2 });
  add(...of("a", 1));
  await pass(0);
  add(...of("a", 2, 3, 4), ...of("b", 10), 20);
  await pass(1000);
  expect(items()).toEqual([[1], [10, 20]]);
  await requests[0]?.answer();
  expect(items()).toEqual([[1], [10, 20], [2, 3]]);
  await pass(1000);
  expect(items()).toHaveLength(3);
});

test.each([undefined, "a"])("many items of a lane (%s) keep their order", async (lane) => {
  const numbers = Array.from({ length: 350 }, (_, n) => n);
  const { add, requests, items } = batching({ maxInFlight: 1 });
  add(...numbers.map((n) => (lane === undefined ? n : { n, lane })));
  for (let index = 0; index < 35; index += 1) {
    await pass(100);
    await requests[index]?.answer();
  }
  expect(items().flat()).toEqual(numbers);
});

test("what is to be sent again stays ahead of what came meanwhile", async () => {
  const { add, requests, items } = batching();
  add(...of("a", 1, 2), ...of("b", 10));
  await pass(0);
  await requests[0]?.answer((n) => (n < 10 ? again : sent(n)));
  add(...of("a", 3), ...of("b", 11));
  await pass(40);
  expect(items()).toEqual([[1, 2, 10], [11]]);
  await pass(1000);
  expect(items()).toEqual([[1, 2, 10], [11], [1, 2, 3]]);
});

test("an item that a later one of its lane has overtaken is not sent again", async () => {
  const { add, requests, items } = batching();
  const { results } = add(...of("a", 1, 2), ...of("b", 10), 20, 21);
  await pass(0);
  expect(items()).toEqual([[1, 2, 10, 20, 21]]);
  await requests[0]?.answer((n) => ([2, 21].includes(n) ? sent(n) : again));
  await pass(1000);
  // neither 10, which is of another lane, nor 20, which is of none, was overtaken
  expect(new Set(items()[1])).toEqual(new Set([10, 20]));
  await requests[1]?.answer();
  expect(await results).toEqual([again, sent(2), sent(10), sent(20), sent(21)]);
});

test("an item whose lane has come no further is sent again", async () => {
  const { add, requests, items } = batching();
  add(...of("a", 1, 2, 3));
  await pass(0);
  await requests[0]?.answer((n) => (n === 1 ? sent(n) : again));
  await pass(1000);
  expect(items()).toEqual([
    [1, 2, 3],
    [2, 3],
  ]);
});
