import { describe, expect, test } from "vitest";
import { identityOf } from "../index.js";
import { bodyText, metaText, URN } from "./envelope.fixture.js";

describe("identityOf", () => {
  test.each<[string, string, string | null]>([
    ["an envelope", bodyText(), URN],
    ["a URN alone", '{"job":"urn:x"}', "urn:x"],
    ["an alias, padded", '{"urn":"\\t urn:x "}', "urn:x"],
    ["an alias beside a job that is none", '{"job":7,"urn":"urn:x"}', "urn:x"],
    ["a job over its alias", '{"job":"urn:x","urn":"urn:y"}', "urn:x"],
    ["a no-break space", '{"job":"\u00A0"}', "\u00A0"],
    ["members that are null", '{"job":"j","trace_id":null,"data":null,"meta":null}', "j"],
    ["another schema version", bodyText({ meta: metaText({ schema_version: "2" }) }), URN],
    ["a large integer", bodyText({ attempts: "9223372036854775808" }), URN],
    ["an unknown key of any type", bodyText({ timestamp: "[]" }), URN],
    ["a dead letter", bodyText({ dead_letter: '{"reason":"failed","error":null}' }), URN],
    ["no URN", '{"job":" "}', null],
    ["a text for data", '{"job":"j","data":"x"}', null],
    ["a number for an id", '{"job":"j","meta":{"id":5}}', null],
    ["a fraction of attempts", '{"job":"j","attempts":1.5}', null],
    ["a block with a text for its time", '{"job":"j","dead_letter":{"failed_at":"x"}}', null],
    ["a block that is none", '{"job":"j","dead_letter":[]}', null],
    ["a text that is no object", '"urn:x"', null],
    ["a text that is not JSON", "urn:x", null],
    ["nothing", "", null],
  ])("of %s", (_, body, urn) => {
    expect(identityOf(body)).toBe(urn);
  });

  test("of what is no text is null", () => {
    expect(identityOf(undefined as never)).toBeNull();
  });
});
