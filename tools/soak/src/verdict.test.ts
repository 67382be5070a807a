import { beforeEach, describe, expect, test } from "vitest";
import { Made } from "./evidence.fixture.js";
import { verdictOn } from "./verdict.js";

let made: Made;

beforeEach(() => {
  made = new Made();
});

function verdict(): string[] {
  return verdictOn(made.evidence).map(({ rule, id }) => `${rule} ${id}`);
}

describe("lost", () => {
  test("what was handled and deleted is all right", () => {
    made.published(made.handled("1", 0), 1, 1);

    expect(verdict()).toEqual([]);
  });

  test("what SQS took and nobody handled is lost", () => {
    const message = made.message("1");
    made.run(made.delivery(message, "a", 0), 10, false);

    expect(verdict()).toEqual(["lost 1"]);
  });

  test("what was confirmed and SQS never took is lost", () => {
    made.publications.push({ envelope: "e", group: undefined, firstCall: 1, confirmedCall: 2 });
    made.publications.push({
      envelope: "f",
      group: undefined,
      firstCall: 3,
      confirmedCall: undefined,
    });

    expect(verdict()).toEqual(["lost envelope e"]);
  });

  test("what lies in a dead-letter queue is not lost, moved or copied", () => {
    const moved = made.message("1");
    made.dead.messages.add(moved.id);
    const copied = made.message("2");
    made.dead.envelopes.add(copied.envelope ?? "");
    made.copies.set(copied.envelope ?? "", 10);
    made.settle(made.delivery(copied, "a", 0), 20);

    expect(verdict()).toEqual([]);
  });

  test("a copy that is not in the dead-letter queue is lost", () => {
    const message = made.handled("1", 0);
    made.copies.set(message.envelope ?? "", 10);

    expect(verdict()).toEqual([`lost envelope ${message.envelope}`]);
  });

  test("what was deleted before it was handled might have been lost", () => {
    const delivery = made.delivery(made.message("1"), "a", 0);
    made.settle(delivery, 5);
    made.run(delivery, 10);

    expect(verdict()).toContain("deletedUnhandled 1");
  });
});

describe("handled again", () => {
  test("after a confirmed delete of a delivery that had not lapsed", () => {
    const message = made.handled("1", 0);
    made.run(made.delivery(message, "b", 2500), 2510);

    expect(verdict()).toEqual(["handledAfterDelete 1"]);
  });

  test("after a delete that came too late is what SQS may do", () => {
    const message = made.message("1");
    const delivery = made.delivery(message, "a", 0);
    made.run(delivery, 10);
    made.settle(delivery, 2100);
    made.run(made.delivery(message, "b", 2200), 2210);

    expect(verdict()).toEqual([]);
  });

  test("after a heartbeat the delete was in time", () => {
    const message = made.message("1");
    const delivery = made.delivery(message, "a", 0);
    made.run(delivery, 10);
    made.settle(delivery, 1000, 2);
    made.settle(delivery, 2100);
    made.run(made.delivery(message, "b", 3100), 3110);

    expect(verdict()).toEqual(["handledAfterDelete 1"]);
  });

  test("after a delete that was not confirmed is what SQS may do", () => {
    const message = made.message("1");
    const delivery = made.delivery(message, "a", 0);
    made.run(delivery, 10);
    Object.assign(made.settle(delivery, 30), { at: undefined, confirmedAt: undefined });
    made.run(made.delivery(message, "b", 2010), 2020);

    expect(verdict()).toEqual([]);
  });

  test("because its consumer released what it then deleted", () => {
    const message = made.message("1");
    const delivery = made.delivery(message, "a", 0);
    made.run(delivery, 10);
    made.settle(delivery, 50, 0);
    const again = made.delivery(message, "b", 60);
    made.settle(delivery, 70);
    made.run(again, 80);

    expect(verdict()).toEqual(["handledAfterDelete 1", "releasedInHand 1"]);
  });

  test("by a consumer that had both deliveries in hand", () => {
    const message = made.message("1");
    made.run(made.delivery(message, "a", 0), 10);
    const again = made.delivery(message, "a", 2010);
    made.settle(again, 2020);
    made.run(again, 2030);

    expect(verdict()).toEqual(["handledAfterDelete 1"]);
  });

  test("by the consumer that was about to delete it, and not once it had given that up", () => {
    const message = made.message("1");
    made.run(made.delivery(message, "a", 0), 10);
    made.run(made.delivery(message, "a", 2010), 2020);

    expect(verdict()).toEqual(["handledFinished 1"]);

    made.failedDeletes.set("a 1", [1000]);

    expect(verdict()).toEqual([]);
  });

  test("the same delivery twice", () => {
    const delivery = made.delivery(made.message("1"), "a", 0);
    made.run(delivery, 10);
    made.run(delivery, 20);

    expect(verdict()).toEqual(["handledTwice 1"]);
  });

  test("a delivery that had lapsed while it waited", () => {
    const delivery = made.delivery(made.message("1"), "a", 0);
    made.run(delivery, 2500);

    expect(verdict()).toEqual(["startedLapsed 1"]);
  });

  test("a delivery that was kept by a heartbeat while it waited is all right", () => {
    const delivery = made.delivery(made.message("1"), "a", 0);
    made.settle(delivery, 1000, 2);
    made.run(delivery, 2500);

    expect(verdict()).toEqual([]);
  });

  test("SQS itself may not deliver again before the timeout", () => {
    const message = made.message("1");
    made.run(made.delivery(message, "a", 0), 10);
    made.delivery(message, "b", 1000);

    expect(verdict()).toEqual(["server 1"]);
  });
});

describe("released in hand", () => {
  test("while its handler ran", () => {
    const delivery = made.delivery(made.message("1"), "a", 0);
    made.run(delivery, 10);
    made.settle(delivery, 15, 0);

    expect(verdict()).toEqual(["releasedInHand 1"]);
  });

  test("and started all the same", () => {
    const delivery = made.delivery(made.message("1"), "a", 0);
    made.settle(delivery, 5, 1);
    made.run(delivery, 10);

    expect(verdict()).toEqual(["releasedInHand 1"]);
  });

  test("a failed one is released, a running one is kept by a heartbeat", () => {
    const message = made.message("1");
    const delivery = made.delivery(message, "a", 0);
    made.run(delivery, 10, false);
    made.settle(delivery, 30, 0);
    const again = made.delivery(message, "a", 40);
    made.settle(again, 55, 2);
    made.run(again, 50);

    expect(verdict()).toEqual([]);
  });
});

describe("order", () => {
  test("a later message of a group waits for the earlier one", () => {
    const first = made.delivery(made.message("1", 1), "a", 0);
    const second = made.delivery(made.message("2", 2), "a", 0);
    made.run(first, 10, false);
    made.run(second, 30);
    made.run(made.delivery(first.message, "a", 2100), 2110);

    expect(verdict()).toEqual(["consumeOrder 2"]);
  });

  test("duplicates of what was handled may come late", () => {
    made.handled("1", 0, 1);
    made.handled("2", 100, 2);
    const first = made.messages.get("1");
    if (first !== undefined) Object.assign(first.settles[0] ?? {}, { confirmedAt: undefined });
    if (first !== undefined) made.run(made.delivery(first, "b", 2100), 2110);

    expect(verdict()).toEqual([]);
  });

  test("what follows a message that redrive moved was received later than it", () => {
    const first = made.message("1", 1);
    made.run(made.delivery(first, "a", 0), 10, false);
    made.dead.messages.add(first.id);
    const second = made.message("2", 2);
    made.run(made.delivery(second, "a", 100), 110);
    const third = made.message("3", 3);
    made.run(made.delivery(third, "a", 0), 120);

    expect(verdict()).toEqual(["consumeOrder 3"]);
  });

  test("what was copied may be moved too, when its delete failed", () => {
    const first = made.message("1", 1);
    made.delivery(first, "a", 0);
    made.copies.set(first.envelope ?? "", 10);
    made.dead.envelopes.add(first.envelope ?? "");
    made.dead.messages.add(first.id);
    made.run(made.delivery(made.message("2", 2), "a", 0), 20);

    expect(verdict()).toEqual([]);
  });

  test("what follows a copied message waits for the copy", () => {
    const first = made.message("1", 1);
    made.copies.set(first.envelope ?? "", 50);
    made.dead.envelopes.add(first.envelope ?? "");
    made.run(made.delivery(made.message("2", 2), "a", 0), 20);

    expect(verdict()).toEqual(["consumeOrder 2"]);
  });

  test("SQS takes the messages of a group in the order of the calls", () => {
    made.published(made.handled("1", 0, 1), 2, 2);
    made.published(made.handled("2", 100, 2), 1, 1);

    expect(verdict()).toEqual(["publishOrder 1"]);
  });

  test("a call that was made again comes later", () => {
    made.published(made.handled("1", 0, 1), 2, 2);
    made.published(made.handled("2", 100, 2), 1, 3);

    expect(verdict()).toEqual([]);
  });
});

describe("ends", () => {
  test("crashes, hung stops and messages that are left", () => {
    made.ended("a", "crashed");
    made.ended("b", "hung");
    made.ended("c", "killed");
    made.ended("d", "stopped");
    made.depth = 2;

    expect(verdict()).toEqual(["crashed a", "hung b", "crashed d", "left -"]);
  });

  test("a stop that keeps what was not started", () => {
    made.ended("a", "stopped", 500);
    const message = made.message("1");
    made.delivery(message, "a", 400);
    made.run(made.delivery(message, "b", 2410), 2420);

    expect(verdict()).toEqual(["keptByStop 1"]);
  });

  test("a delivery behind an earlier one of the same message, which was left, is no kept one", () => {
    made.ended("a", "stopped", 4000);
    const message = made.message("1", 1);
    made.delivery(message, "a", 400);
    const second = made.delivery(message, "a", 2450);
    made.settle(second, 3900, 2);
    made.run(made.delivery(message, "b", 6000), 6010);

    expect(verdict()).toEqual([]);
  });

  test("a follower of one that was left, and handled when it came again, is no kept one", () => {
    made.ended("a", "stopped", 4000);
    const first = made.delivery(made.message("1", 1), "a", 400);
    const second = made.delivery(made.message("2", 2), "a", 400);
    made.settle(second, 2300, 2);
    const again = made.delivery(first.message, "a", 2450);
    made.run(again, 2460);
    made.settle(again, 2470);
    made.settle(second, 3900, 2);
    made.run(made.delivery(second.message, "b", 6000), 6010);

    expect(verdict()).toEqual([]);
  });

  test("a stop that keeps a follower, unless the one before it was left", () => {
    made.ended("a", "stopped", 500);
    const first = made.delivery(made.message("1", 1), "a", 400);
    const second = made.delivery(made.message("2", 2), "a", 400);
    made.run(first, 410);
    made.settle(first, 430);
    made.run(made.delivery(second.message, "b", 2410), 2420);

    expect(verdict()).toEqual(["keptByStop 2"]);

    Object.assign(made.runs.get("1")?.[0] ?? {}, { isSuccess: false });
    first.message.settles.length = 0;
    made.run(made.delivery(first.message, "b", 2401), 2405);

    expect(verdict()).toEqual([]);
  });

  test("a stop that forgets to delete what was handled", () => {
    made.ended("a", "stopped", 500);
    const message = made.message("1");
    made.run(made.delivery(message, "a", 400), 410);

    expect(verdict()).toEqual(["unflushed 1"]);
  });

  test("a stop that released the one and tried to delete the other", () => {
    made.ended("a", "stopped", 500);
    const released = made.delivery(made.message("1"), "a", 400);
    made.settle(released, 450, 0);
    made.run(made.delivery(released.message, "b", 460), 470);
    const handled = made.delivery(made.message("2"), "a", 400);
    made.run(handled, 410);
    Object.assign(made.settle(handled, 450), { at: undefined, confirmedAt: undefined });

    expect(verdict()).toEqual([]);
  });
});
