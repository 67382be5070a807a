"""Consumes as a service on the published Python SDK would, and tells what its handlers saw."""

import sys

from babelqueue import BabelQueue, EnvelopeCodec, headers_from_context
from babelqueue.redrive import redrive
from babelqueue.sqs_transport import SqsTransport

from tasks import serve

endpoint = sys.argv[1]


def transport_for(task):
    return SqsTransport(region="us-east-1", endpoint=endpoint, fifo=task["fifo"], wait_time=task["waitSeconds"])


def recode(task):
    """The body as the SDK writes it after reading it."""
    return EnvelopeCodec.encode(EnvelopeCodec.decode(task["body"]))


def redrive_all(task):
    """What the SDK's own tool for dead letters makes of those in a queue."""
    dry_run = task["dryRun"]
    done = redrive(transport_for(task), task["queue"], dry_run=dry_run, timeout=float(task["waitSeconds"]))
    return [
        {"urn": item.urn, "reason": item.reason, "to": item.to, "redriven": item.redriven}
        for item in done.items
    ]


def consume(task):
    transport = transport_for(task)
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


operations = {"consume": consume, "recode": recode, "redrive": redrive_all}
serve(lambda task: operations[task["op"]](task))
