"""Consumes as a service on the published Python SDK would, and tells what its handlers saw."""

import sys

from babelqueue import BabelQueue, EnvelopeCodec, headers_from_context
from babelqueue.sqs_transport import SqsTransport

from tasks import serve

endpoint = sys.argv[1]


def recode(task):
    """The body as the SDK writes it after reading it."""
    return EnvelopeCodec.encode(EnvelopeCodec.decode(task["body"]))


def consume(task):
    transport = SqsTransport(region="us-east-1", endpoint=endpoint, fifo=task["fifo"], wait_time=task["waitSeconds"])
    options = {} if task["strategy"] is None else {"on_unknown_urn": task["strategy"]}
    app = BabelQueue(
        transport=transport,
        queue=task["queue"],
        # its name is the transport's convention: <queue>-dlq, or <queue>-dlq.fifo
        dead_letter=task["deadLetters"] is not None,
        **options,
    )
    seen = []

    def handle(urn):
        def handler(data, meta, message):
            body = EnvelopeCodec.encode(message)
            headers = dict(headers_from_context())
            seen.append({"handler": urn, "body": body, "headers": headers})
            if len(seen) <= task["failures"]:
                raise RuntimeError("told to fail")
            if task["echo"] is not None:
                transport.publish_with_headers(task["echo"]["queue"], body, headers)

        return handler

    for urn in task["urns"]:
        app.register(urn, handle(urn))
    app.consume(max_messages=task["deliveries"], timeout=float(task["waitSeconds"]), handle_signals=False)
    return seen


serve(lambda task: recode(task) if task["op"] == "recode" else consume(task))
