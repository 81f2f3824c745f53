"""Renders templates with the real Jinja2: one JSON object a line in, one a line out.

In:  {"template": "...", "context": {...}}
Out: {"expected": "..."} or {"error": "TypeError", "message": "..."}
"""

import json
import signal
import sys

from jinja2.sandbox import SandboxedEnvironment

environment = SandboxedEnvironment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])


def too_slow(_signal, _frame):
    raise TimeoutError("took more than 2 seconds")


def answer(line):
    case = json.loads(line)
    signal.alarm(2)
    try:
        text = environment.from_string(case["template"]).render(case["context"])
        text.encode("utf-8")
        return {"expected": text}
    except Exception as error:  # every failure is an answer
        return {"error": type(error).__name__, "message": str(error)[:300]}
    finally:
        signal.alarm(0)


signal.signal(signal.SIGALRM, too_slow)
for line in sys.stdin:
    sys.stdout.write(json.dumps(answer(line)) + "\n")
    sys.stdout.flush()
