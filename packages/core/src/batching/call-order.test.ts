import { expect, test } from "vitest";
import { deferred } from "../deferred.fixture.js";
import { CallOrder } from "../transport.js";

/** An order, and what was sent in it. */
function ordering(isOrdered: boolean) {
  const sent: number[] = [];
  const order = new CallOrder(isOrdered);
  const send = (n: number): number => {
    sent.push(n);
    if (n < 0) throw new Error("not sent");
    return n * 10;
  };
  const take = (value: number | Promise<number>): number | Promise<number> => {
    const inTurn = order.take(value);
    return inTurn instanceof Promise ? inTurn.then(send) : send(inTurn);
  };
  return { sent, take };
}

test("what is there is sent at once", () => {
  const { sent, take } = ordering(true);
  expect(take(1)).toBe(10);
  expect(sent).toEqual([1]);
});

test.each([
  [true, [1, 2, 3]],
  [false, [2, 3, 1]],
])("what has yet to be made is waited for where order counts (%s)", async (isOrdered, expected) => {
  const { sent, take } = ordering(isOrdered);
  const { promise, resolve } = deferred<number>();
  const results = [take(promise), take(2), take(Promise.resolve(3))].map(async (one) => one);
  await new Promise(setImmediate);
  resolve(1);
  expect(await Promise.all(results)).toEqual([10, 20, 30]);
  expect(sent).toEqual(expected);
  void take(4);
  expect(sent.at(-1)).toBe(4);
});

test("nothing comes between a turn and what is done in it", async () => {
  const { sent, take } = ordering(true);
  const { promise, resolve } = deferred<number>();
  const first = take(promise);
  resolve(1);
  // as many microtasks as a turn may need, and one more call in each
  const others = [];
  for (let n = 2; n < 12; n += 1) {
    others.push(take(n));
    await Promise.resolve();
  }
  await Promise.all([first, ...others].map(async (one) => one));
  expect(sent).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test("one that cannot be sent fails alone", async () => {
  const { sent, take } = ordering(true);
  const results = await Promise.allSettled(
    [take(Promise.resolve(-1)), take(2)].map(async (one) => one),
  );
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(sent).toEqual([-1, 2]);
});
