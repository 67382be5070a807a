"""The protocol: a task a line on stdin, an answer a line on stdout, both JSON; ends with stdin."""

import json
import sys


def serve(perform):
    """Answers every task with what `perform` returns, or with the error that it raises."""
    for line in sys.stdin:
        try:
            answer = {"ok": True, "result": perform(json.loads(line))}
        except Exception as error:  # whatever it is, the driver judges it
            answer = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        # ASCII, so that a lone surrogate survives the pipe
        print(json.dumps(answer), flush=True)
