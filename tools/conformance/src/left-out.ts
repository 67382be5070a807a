/** Something of the shared suite that is not run here. */
export interface LeftOut {
  readonly why: string;
  /** Sections, whole unless `cases` names some. */
  readonly sections: readonly string[];
  /** Names of cases of these sections. */
  readonly cases?: readonly string[];
}

/** The version of the suite that the list below is made for: it has all that is listed. */
export const LISTED_VERSION = "1.8.0";

/** Everything that is left out; what a manifest names beyond it must have a runner. */
export const leftOut: readonly LeftOut[] = [
  {
    why: "there is no transport for Azure Service Bus",
    sections: ["asb", "version_gate_asb"],
  },
  {
    why: "there is no transport for Apache Pulsar",
    sections: ["pulsar", "pulsar_exhaustion", "version_gate_pulsar"],
  },
  {
    why: "there is no transport for Apache Kafka",
    sections: ["kafka", "backoff", "kafka_poison"],
  },
  {
    why: "there is no transport for ActiveMQ Artemis",
    sections: ["artemis", "version_gate_artemis"],
  },
  {
    why: "there is no transport for RabbitMQ",
    sections: ["rabbitmq"],
  },
  {
    why: "run in examples/redis-transport/conformance.test.ts, where there is a redis-server",
    sections: ["redis"],
  },
  {
    why: "the Redis transport is an example: lists of its own layout, without delays and deadlines",
    sections: ["redis_layout", "redis_delay"],
  },
  {
    why: "extension keys come as one object, in which no key can be repeated",
    sections: ["encode_reject"],
    cases: ["reject-repeated-key"],
  },
  {
    why: "SQS counts its 12 hours from the receive and refuses more, so what is left of them is asked for",
    sections: ["delay"],
    cases: ["release-12h"],
  },
  {
    why: "a body is text here, as in SQS: bytes that are no UTF-8 never get this far",
    sections: ["poison_dlq"],
    cases: [
      "invalid-utf8-one-byte-two-pad",
      "invalid-utf8-truncated-sequence-one-pad",
      "invalid-utf8-three-bytes-no-pad",
      "invalid-utf8-surrogate-encoded",
      "invalid-utf8-overlong",
      "invalid-utf8-above-u10ffff",
      "invalid-utf8-after-valid-text",
      "invalid-utf8-inside-object-text",
    ],
  },
];
