"""How long the doors for agents take to say that a fact is not there: one of another space, against one of none. Of
each route and tool that names facts the medians differ by 5 ms at most, or who asks could tell what there is elsewhere:
`.venv/bin/python tests/soak/foreign_ids.py --count 500`.

The database is that of DATABASE_URL, which has to be empty, or a new file."""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import httpx

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests import ports  # (beside the path)

#: Milliseconds by which the medians differ at most (A17).
_MOST = 5.0
_FACTS = 2000
_TRUSTMEM = [sys.executable, "-m", "trustmem.cli"]
#: What is asked of a fact `{}` over HTTP: method, path and body.
ROUTES = (
    ("GET", "/facts/{}", None),
    ("DELETE", "/facts/{}", {}),
    ("POST", "/flags/{}", {}),
    ("POST", "/edges", {"from": "{}", "relation": "extends", "to": "mine"}),
    ("POST", "/edges", {"from": "mine", "relation": "extends", "to": "{}"}),
    ("POST", "/feedback", {"facts": ["mine", "{}"], "outcome": "helpful"}),
)
TOOLS = (
    ("show", {"fact": "{}"}),
    ("explain", {"fact": "{}"}),
    ("flag", {"fact": "{}"}),
    ("relate", {"newer": "{}", "relation": "extends", "older": "mine"}),
    ("relate", {"newer": "mine", "relation": "extends", "older": "{}"}),
    ("report_outcome", {"facts": ["mine", "{}"], "outcome": "helpful"}),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="so many of each, foreign and unknown (default: 500)")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="trustmem-soak-") as home, _opened(Path(home)) as asked:
        apart = {name: _apart(ask, arguments.count) for name, ask in asked.items()}
    for name, (foreign, unknown) in apart.items():
        print(f"{name:60} foreign {foreign:7.3f} ms  unknown {unknown:7.3f} ms  apart {foreign - unknown:+.3f} ms")
    return sum(abs(foreign - unknown) > _MOST for foreign, unknown in apart.values())


def _apart(ask, count: int) -> tuple[float, float]:
    """The medians (ms) of asking for what is elsewhere, and for what is nowhere: by turns, whoever is first."""
    took, dice, answers = {"f": [], "g": []}, random.Random(1), set()
    for _ in range(count):
        for kind in random.sample("fg", 2):
            name = f"{kind}{dice.randrange(_FACTS):06}"
            start = time.perf_counter()
            told = ask(name)
            took[kind].append((time.perf_counter() - start) * 1000)
            answers.add(told.replace(name, ""))
    assert len(answers) == 1, answers
    assert "there is no such fact in this space" in answers.pop()
    return median(took["f"]), median(took["g"])


@contextmanager
def _opened(home: Path) -> Iterator[dict]:
    """What can be asked at both doors, by an agent of a space beside the one in which the facts are."""
    limits = {f"LIMIT_{scope}": "10000000" for scope in ("READ", "WRITE", "FEEDBACK", "IMPORT")}
    environment = {**os.environ, "TRUSTMEM_HOME": str(home), **limits}

    def run(*command: object) -> str:
        done = subprocess.run([*_TRUSTMEM, *map(str, command)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    for space, names in (("theirs", [f"f{number:06}" for number in range(_FACTS)]), ("ours", ["mine"])):
        run("space", "create", space)
        file = home / f"{space}.jsonl"
        file.write_text("".join(map(_line, names)))
        run("import", file, "--space", space)
    shows = {"Authorization": f"Bearer {run('tokens', 'new', '--space', 'ours', '--source', 'bot')}"}
    web, mcp = ports.free(), ports.free()
    servers = [
        subprocess.Popen([*_TRUSTMEM, *command], env=environment, stdout=subprocess.DEVNULL)
        for command in (("web", "--port", str(web)), ("mcp", "--http", str(mcp)))
    ]
    try:
        with httpx.Client(headers=shows, timeout=30) as agent:
            _wait_for(agent, f"http://127.0.0.1:{web}/api/v1/health", 200)
            _wait_for(agent, f"http://127.0.0.1:{mcp}/mcp", 405)
            asked = {
                f"{method} {path} {json.dumps(body) if body else ''}": _by_route(agent, web, method, path, body)
                for method, path, body in ROUTES
            }
            yield asked | {f"{name} {json.dumps(given)}": _by_tool(agent, mcp, name, given) for name, given in TOOLS}
    finally:
        for each in servers:
            each.terminate()
            each.wait()


def _line(name: str) -> str:
    said = {"type": "fact", "id": name, "text": f"What {name} says.", "source": "ana", "at": "2026-01-01T00:00:00Z"}
    return json.dumps(said) + "\n"


def _by_route(agent: httpx.Client, port: int, method: str, path: str, body):
    def ask(name: str) -> str:
        given = None if body is None else json.loads(json.dumps(body).replace("{}", name) if body else "{}")
        answer = agent.request(method, f"http://127.0.0.1:{port}/api/v1{path.replace('{}', name)}", json=given)
        return f"{answer.status_code} {answer.text}"

    return ask


def _by_tool(agent: httpx.Client, port: int, tool: str, given):
    speaks = {"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-06-18"}

    def ask(name: str) -> str:
        called = {"name": tool, "arguments": json.loads(json.dumps(given).replace("{}", name))}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}
        answer = agent.post(f"http://127.0.0.1:{port}/mcp", json=body, headers=speaks)
        return f"{answer.status_code} {answer.text}"

    return ask


def _wait_for(agent: httpx.Client, address: str, status: int) -> None:
    for _ in range(300):
        try:
            if agent.get(address).status_code == status:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"nobody answers at {address}")


if __name__ == "__main__":
    sys.exit(main())
