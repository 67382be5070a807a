// Bodies without an envelope: which gain a block in a dead-letter queue, and which are wrapped, is the same in every SDK.

/** @type {readonly { name: string, body: string }[]} */
export const poisonBodies = [
  { name: "not JSON", body: '{nope "\\ü\t' },
  { name: "an array", body: "[1]" },
  { name: "a string", body: '"x"' },
  { name: "null", body: "null" },
  { name: "an empty object", body: "{}" },
  { name: "white space in it", body: '{ "data" : {"total":99.90} ,\n"a":"\\/ü"}' },
  { name: "white space around it", body: ' {"a":1 }\n' },
  { name: "duplicate keys", body: '{"job":"urn:x","job":"","a":1,"a":9223372036854775808}' },
  { name: "NaN", body: '{"data":NaN}' },
  { name: "trailing data", body: "{}{}" },
  { name: "a byte order mark", body: "\ufeff{}" },
  { name: "half a surrogate pair", body: '{"a":"\\ud800"}' },
  { name: "a block of its own", body: '{"dead_letter":{"reason":"mine"}}' },
  { name: "a dead_letter of null", body: '{"dead_letter":null}' },
];
