"""All that the schema of the door for agents allows is asked of a desk that runs, and what it does not: no answer may
be a failure, or other than the schema says. `.venv/bin/python tests/soak/schema.py URL --token T --seconds 3600`; the
token is one of a space made for that, with all scopes, and the desk one whose limits do not get in the way
(`LIMIT_READ` and its like, docs/running.md), or most answers are that it was asked too often."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="where the desk is, such as http://127.0.0.1:8000")
    parser.add_argument("--token", required=True, help="of an agent that may do everything")
    parser.add_argument("--seconds", type=int, default=600, help="how long (default: 600)")
    parser.add_argument("--examples", type=int, default=200, help="so many of each route at most (default: 200)")
    arguments = parser.parse_args()
    limits = ("--max-time", str(arguments.seconds), "--max-examples", str(arguments.examples))
    command = (str(Path(sys.executable).with_name("st")), "--config-file", str(HERE / "schemathesis.toml"), "run")
    asked = (f"{arguments.url}/api/v1/openapi.json", "-H", f"Authorization: Bearer {arguments.token}")
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "schema_hooks", "PYTHONPATH": str(HERE)}
    return subprocess.run([*command, *asked, *limits, "--no-color"], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
