"""Renders a second of processor time with Jinja2, sandboxed: templates and context as JSON in, rates as JSON out."""

import json
import sys
import time

from jinja2.sandbox import SandboxedEnvironment

job = json.load(sys.stdin)
environment = SandboxedEnvironment()


def rate(source):
    template = environment.from_string(source)
    rounds = []
    for _ in range(12):
        calls, start = 0, time.process_time()
        while time.process_time() - start < 0.15:
            for _ in range(20):
                template.render(job["context"])
            calls += 20
        rounds.append(calls / (time.process_time() - start))
    return max(rounds)


print(json.dumps({name: rate(source) for name, source in job["templates"].items()}))
