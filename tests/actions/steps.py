"""The steps of a public case (tests/cases), each done by the action that does it, on a clock that they move.

What an agent posts is written as it is: nothing finds out yet what says the same, and what the opposite.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.conftest import ROOT
from trustmem.actions import acts, consolidation, facts, spaces, undo
from trustmem.core.instants import NEVER
from trustmem.formats import rfc3339
from trustmem.store import queue
from trustmem.store.models import Case, Fact, Space, Touch
from trustmem.store.state_hash import _rows

CASES = ROOT / "tests/cases"
AGENT = "agent-a"
Step = Mapping[str, Any]


def case(number: str) -> dict[str, Any]:
    (given,) = CASES.glob(f"{number}-*.case.json")
    return dict(json.loads(given.read_text("utf-8")))


def steps_of(number: str, *left_out: str) -> list[dict[str, Any]]:
    return [step for step in case(number)["steps"] if step["do"] not in left_out]


def file_of(number: str) -> Any:
    """What the file of a case says."""
    (name,) = case(number)["files"]
    text = (CASES / name).read_text("utf-8")
    return json.loads(text) if name.endswith(".json") else [json.loads(line) for line in text.splitlines()]


def as_facts(rows: Sequence[Mapping[str, Any]], text: str = "text") -> list[dict[str, Any]]:
    """Rows of a case whose own format is not read yet, as facts of an interchange file."""
    named = [{name: row[name] for name in ("id", "source", "run") if name in row} for row in rows]
    said = [{"type": "fact", "text": row[text], "at": row["created_at"]} for row in rows]
    return [one | other for one, other in zip(said, named, strict=True)]


def raw(*lines: Mapping[str, Any]) -> list[bytes]:
    return [json.dumps(line).encode() + b"\n" for line in lines]


class World:
    """A space in which steps are done; `acts` are those of people, and `hashes` what it came to at moments."""

    def __init__(self, name: str = "diary") -> None:
        self.space = spaces.create(name)
        self.now = NEVER
        self.acts: list[str] = []
        self.hashes: dict[str, Any] = {}

    def take(self, steps: Iterable[Step]) -> "World":
        for step in steps:
            getattr(self.at(step), f"_{step['do']}")(step)
        return self

    def at(self, step: Step) -> "World":
        """At the time of a step, if it says one."""
        self.now = rfc3339.parse(step["at"]) if "at" in step else self.now
        return self

    def say(self, **line: Any) -> None:
        """The agent writes a line."""
        acts.write(self.space, [line], now=self.now)

    def _post_fact(self, step: Step) -> None:
        about = {name: step[name] for name in ("text", "source", "run")}
        self.say(type="fact", id=step["alias"], **about)

    def _edge(self, step: Step) -> None:
        ends = {name: step[name] for name in ("from", "to", "run")}
        self.say(type="edge", relation=step["type"], by=AGENT, **ends)

    def _run_pass(self, step: Step) -> None:
        """Now; or just after the last one, where that was now."""
        consolidation.consolidate(self.space, by="clock", now=self.now)

    def _forget(self, step: Step) -> None:
        self.acts.append(facts.forget(self.space, step["fact"], by=step["by"], now=self.now))

    def _undo(self, step: Step) -> None:
        """What a person did last."""
        undo.undo(self.space, self.acts.pop(), by=step.get("by", "reviewer-1"), now=self.now)

    def _restart(self, step: Step) -> None:
        self.space = Space.objects.get(pk=self.space.pk)

    def _hash(self, step: Step) -> None:
        self.hashes[step["name"]] = standing(self.space)

    def case_of(self, *names: str) -> Case:
        """The open case of facts."""
        open_ones = Case.objects.filter(space=self.space, closed_at=NEVER)
        (found,) = [each for each in open_ones if sorted(each.facts) == sorted(names)]
        return found

    def fact(self, alias: str) -> Fact:
        return Fact.objects.get(space=self.space, name=alias)


def standing(space: Space) -> dict[str, Any]:
    """All that a space comes to but the passes that it went through: what its hash is of, weights, touches and the
    queue in its order."""
    facts = Fact.objects.filter(space=space).order_by("name")
    touches = Touch.objects.filter(space=space).values_list("fact__name", "source", "run", "kind", "at", "echo")
    return {
        "rows": [row for row in _rows(space) if not row.startswith('["pass"')],
        "weights": [[value for value in row.values() if isinstance(value, float)] for row in facts.values()],
        "touches": sorted(touches),
        "queue": [each.case.facts for each in queue.page(space, queue.Filter()).rows],
    }
