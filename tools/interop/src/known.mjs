// What is known to differ and is not ours to mend: told in every run, also once it is gone.

/** @type {readonly { cell: RegExp, checks: readonly string[], why: string }[]} */
export const known = [
  {
    cell: / fauxqs$/,
    checks: ["emoji"],
    why: "the server refuses characters beyond U+FFFF in a body, which SQS takes",
  },
  {
    cell: /^python → /,
    checks: [
      "their copy here, poison: meta.schema_version 2",
      "their copy read, poison: meta.schema_version 2",
    ],
    why: "the Python SDK does not look at meta.schema_version in the body: it calls the handler and deletes",
  },
  {
    cell: /^python → /,
    checks: ["their copy here, gated: bq-schema-version 2"],
    why: "the Python SDK writes bq-schema-version of its copy anew, from the body: the copy is gated no more, and our handler gets it",
  },
  {
    cell: /^python → /,
    checks: ["their copy is written as ours: white space around it"],
    why: "the Python SDK leaves out the white space around an object that gains a block, and puts the block after that before the last brace, where ours puts it before; as parsed, both are the same",
  },
  {
    cell: / → python /,
    checks: ["our copy there, poison: meta.schema_version 2"],
    why: "the Python SDK does not look at meta.schema_version in the body: it calls the handler",
  },
  {
    cell: / → python /,
    checks: ["our copy's way back, gated: bq-schema-version 2"],
    why: "the Python SDK reads no bq-original-queue: its redrive sends what has no block to meta.queue",
  },
  {
    cell: / → python /,
    checks: ["our copy redriven, poison: not JSON, FIFO"],
    why: "the Python SDK puts back what it cannot redrive, without a deduplication id where there is no meta.id; SQS refuses that, and the letter stays hidden until its visibility timeout lapses",
  },
  {
    // moto takes it twice
    cell: / → python on (fauxqs|ElasticMQ)$/,
    checks: ["our copy redriven, unknown URN, FIFO"],
    why: "the Python SDK's redrive sends with meta.id as the deduplication id, as the first send had it; within five minutes of that SQS takes it for the same message, and the letter is lost",
  },
];
