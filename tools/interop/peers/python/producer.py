"""Publishes as a service on the published Python SDK would."""

import json
import sys

from babelqueue import BabelQueue
from babelqueue.sqs_transport import SqsTransport

from tasks import serve

endpoint = sys.argv[1]


def perform(task):
    transport = SqsTransport(region="us-east-1", endpoint=endpoint, fifo=task["fifo"])
    app = BabelQueue(transport=transport, queue=task["queue"])
    data = json.loads(task["data"])
    if task["headers"]:
        return app.publish_with_headers(
            task["urn"], data, task["headers"], trace_id=task["traceId"]
        )
    return app.publish(task["urn"], data, trace_id=task["traceId"])


serve(perform)
