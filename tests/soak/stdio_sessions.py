"""Sessions of MCP on stdin and stdout, with warnings, in debug, and with tables that have to be made first; every line
on stdout is a message: `.venv/bin/python tests/soak/stdio_sessions.py --count 1000`."""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.intake.sessions import LOUD, session  # (beside the path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many sessions (default: 1000)")
    parser.add_argument("--at-once", type=int, default=2, help="how many of them side by side (default: 2)")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.at_once) as pool:
        _token(Path(folder) / "home")
        ended = list(pool.map(lambda place: one(Path(folder), place), range(arguments.count)))
    bad = [line for each in ended for line in each.bad]
    print(
        f"{len(ended)} sessions, {sum(len(each.messages) for each in ended)} messages, {len(bad)} lines that are none"
    )
    assert not bad, bad[0]
    assert {each.status for each in ended} == {0}


def one(folder: Path, place: int):
    """One session: each tenth finds a home in which nothing is there yet."""
    home = folder / (f"new-{place}" if place % 10 == 9 else "home")
    environment = {**os.environ, "TRUSTMEM_HOME": str(home), "TRUSTMEM_TOKEN": _token(home)}
    return session(environment | LOUD[list(LOUD)[place % len(LOUD)]])


def _token(home: Path) -> str:
    kept = home.parent / "token"
    if home.name != "home":
        return "tm_of_elsewhere"
    if not kept.exists():
        environment = {**os.environ, "TRUSTMEM_HOME": str(home)}
        command = [sys.executable, "-m", "trustmem.cli"]
        subprocess.run([*command, "space", "create", "diary"], env=environment, check=True, capture_output=True)
        made = subprocess.run(
            [*command, "tokens", "new", "--source", "bot"], env=environment, check=True, capture_output=True, text=True
        )
        kept.write_text(made.stdout.strip())
    return kept.read_text()


if __name__ == "__main__":
    main()
