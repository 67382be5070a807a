import { expect, test } from "vitest";
import { deferred } from "../deferred.fixture.js";
import { CallOrder } from "../transport.js";

/** An order, and what was sent in it. */
function ordering(isOrdered: boolean) {
  const sent: number[] = [];
  const order = new CallOrder(isOrdered);
  const take = (value: number | Promise<number>) =>
    order.take(value, async (n) => {
      sent.push(n);
      if (n < 0) throw new Error("not sent");
      return n * 10;
    });
  return { sent, take };
}

test("what is there is sent at once, and resolves with what sending it does", async () => {
  const { sent, take } = ordering(true);
  const result = take(1);
  expect(sent).toEqual([1]);
  expect(await result).toBe(10);
});

test.each([
  [true, [1, 2, 3]],
  [false, [2, 3, 1]],
])("what has yet to be made is waited for where order counts (%s)", async (isOrdered, expected) => {
  const { sent, take } = ordering(isOrdered);
  const { promise, resolve } = deferred<number>();
  const results = [take(promise), take(2), take(Promise.resolve(3))];
  await new Promise(setImmediate);
  resolve(1);
  expect(await Promise.all(results)).toEqual([10, 20, 30]);
  expect(sent).toEqual(expected);
  void take(4);
  expect(sent.at(-1)).toBe(4);
});

test("one that cannot be sent fails alone", async () => {
  const { sent, take } = ordering(true);
  const results = await Promise.allSettled([take(Promise.resolve(-1)), take(2)]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(sent).toEqual([-1, 2]);
});
