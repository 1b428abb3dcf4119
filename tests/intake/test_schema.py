"""The schema of the door for agents: it is what it was, unless somebody says so, and true of what is answered."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.actions.world import space_of
from tests.intake.asking import schema, token_of
from tests.makers import edge, fact
from trustmem.intake import limits

ROOT = Path(__file__).parents[2]
SNAPSHOT = Path(__file__).with_name("openapi.json")
SOAK = ROOT / "tests" / "soak"


def test_the_schema_is_what_it_was():
    now = json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("RENEW"):
        SNAPSHOT.write_text(now)
    assert SNAPSHOT.read_text() == now, (
        "the schema changed, which agents rely on; if it is to, renew it: "
        "RENEW=1 .venv/bin/pytest tests/intake/test_schema.py -k is_what_it_was"
    )


def test_the_schema_is_one():
    told = schema()
    assert told["openapi"].startswith("3.1.")
    for each in told["components"]["schemas"].values():
        Draft202012Validator.check_schema(each)


@pytest.mark.django_db(transaction=True)
def test_whatever_is_asked_no_answer_is_a_failure_or_other_than_the_schema_says(live_server, monkeypatch):
    for scope in limits.LIMITS:
        monkeypatch.setitem(limits.LIMITS, scope, 1_000_000)
    token = token_of(space_of(fact("tea"), fact("motto", 1), edge("motto", "updates", "tea", 2)))
    done = subprocess.run(
        [
            sys.executable,
            str(SOAK / "schema.py"),
            live_server.url,
            "--token",
            token,
            "--examples",
            "8",
            "--seconds",
            "20",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
