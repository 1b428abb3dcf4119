"""In PostgreSQL a process that is stopped within a transaction does not keep others waiting for good."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

FIVE_MINUTES = "-c idle_in_transaction_session_timeout=5min"
CODE = "import json; from trustmem.settings import DATABASES; print(json.dumps(DATABASES['default']['OPTIONS']))"


@pytest.mark.parametrize(
    ("asked_for", "options"),
    [
        ("", {"options": FIVE_MINUTES}),
        ("?sslmode=require", {"options": FIVE_MINUTES, "sslmode": "require"}),
        ("?options=-c%20work_mem%3D8MB", {"options": "-c work_mem=8MB"}),
    ],
)
def test_its_session_ends_after_five_minutes_unless_an_address_asks_for_something_else(
    asked_for: str, options: dict[str, str]
) -> None:
    here = os.environ | {"DATABASE_URL": f"postgres://ana@localhost/diary{asked_for}"}
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, env=here, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == options
