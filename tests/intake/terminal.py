"""The command as people run it: a process of its own."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.intake import warm

ROOT = Path(__file__).parents[2]
SAMPLE = str(ROOT / "trustmem/samples/assistant.jsonl")
NOW = "2026-06-01T09:00:00+02:00"
#: The sample, lived through day by day.
LIVED = (SAMPLE, "--now", NOW, "--pass-every", "1d")


def command(*arguments):
    return [sys.executable, "-m", "trustmem.cli", *map(str, arguments)]


def environment(columns):
    plain = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR")}
    return plain | {"COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"}


@cache
def trustmem(*arguments, stdin=b"", columns=80):
    """One run, not at a terminal; stdout and stderr as text. The same question is asked once."""
    return run(arguments, environment(columns), stdin)


def run(arguments, environment, stdin=b"", **more):
    """A command in a pipe, forked from what is warm where it reads nothing and nothing special is asked."""
    if stdin or more:
        asked = command(*arguments)
        done = subprocess.run(asked, input=stdin, capture_output=True, cwd=ROOT, env=environment, check=False, **more)
    else:
        done = warm.run(arguments, environment)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


def fact(id, text="It rains.", at="2026-01-05T09:00:00Z", **more):
    return {"type": "fact", "id": id, "text": text, "at": at, **more}


def event(kind, of, id, at="2026-01-06T09:00:00Z", **more):
    return {"type": "event", "id": id, "kind": kind, "fact": of, "at": at, **more}


def edge(relation, newer, older, id, at="2026-01-06T09:00:00Z", **more):
    return {"type": "edge", "id": id, "from": newer, "to": older, "relation": relation, "at": at, **more}


def write(path, *lines):
    """A file of lines; what is text already stands in it as it is."""
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path
