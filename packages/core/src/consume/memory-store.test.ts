import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failureOf } from "../envelope/envelope.fixture.js";
import { InvalidArgumentError, type MemoryStoreOptions, memoryStore } from "../index.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Which of the ids the store has seen. */
function seenBy(store: ReturnType<typeof memoryStore>, ids: string): string {
  return ids
    .split("")
    .filter((id) => store.seen(id) === true)
    .join("");
}

describe("memoryStore", () => {
  test("remembers, and forgets", () => {
    const store = memoryStore();
    expect(store.seen("a")).toBe(false);
    store.remember("a");
    expect(store.seen("a")).toBe(true);
    store.forget("a");
    store.forget("never seen");
    expect(store.seen("a")).toBe(false);
  });

  test.each(["__proto__", "constructor", "toString"])("knows nothing of %s by itself", (id) => {
    const store = memoryStore();
    expect(store.seen(id)).toBe(false);
    store.remember(id);
    expect(store.seen(id)).toBe(true);
  });

  test("holds no more than maxEntries: the one remembered longest ago makes room", () => {
    const store = memoryStore({ maxEntries: 3 });
    for (const id of "abcad") store.remember(id);
    expect(seenBy(store, "abcd")).toBe("acd");
    for (let more = 0; more < 10_000; more += 1) store.remember(String(more));
    expect(seenBy(store, "acd")).toBe("");
    expect([9996, 9997, 9998, 9999].map((id) => store.seen(String(id)))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  test("holds none longer than maxAgeSeconds, counted from when it was last remembered", () => {
    const store = memoryStore({ maxAgeSeconds: 60 });
    store.remember("a");
    store.remember("b");
    vi.advanceTimersByTime(59_999);
    store.remember("b");
    expect(seenBy(store, "ab")).toBe("ab");
    vi.advanceTimersByTime(1);
    expect(seenBy(store, "ab")).toBe("b");
    vi.advanceTimersByTime(60_000);
    store.remember("c");
    expect(seenBy(store, "abc")).toBe("c");
  });

  test("holds ten thousand for a day by default, and starts no timer", () => {
    const store = memoryStore();
    for (let id = 0; id <= 10_000; id += 1) store.remember(String(id));
    expect([store.seen("0"), store.seen("1"), store.seen("10000")]).toEqual([false, true, true]);
    vi.advanceTimersByTime(86_399_999);
    expect(store.seen("1")).toBe(true);
    vi.advanceTimersByTime(1);
    expect(store.seen("1")).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each<[MemoryStoreOptions, string]>([
    [{ maxEntries: 0 }, "maxEntries"],
    [{ maxEntries: 1.5 }, "maxEntries"],
    [{ maxEntries: Number.NaN }, "maxEntries"],
    [{ maxEntries: "10" as never }, "maxEntries"],
    [{ maxAgeSeconds: 0 }, "maxAgeSeconds"],
    [{ maxAgeSeconds: -1 }, "maxAgeSeconds"],
    [{ maxAgeSeconds: Number.NaN }, "maxAgeSeconds"],
  ])("refuses %o", (options, argument) => {
    const error = failureOf(() => memoryStore(options));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument });
  });

  test("takes undefined for a default, and any age", () => {
    const store = memoryStore({ maxEntries: undefined, maxAgeSeconds: Number.POSITIVE_INFINITY });
    store.remember("a");
    vi.advanceTimersByTime(1e12);
    expect(store.seen("a")).toBe(true);
  });
});
