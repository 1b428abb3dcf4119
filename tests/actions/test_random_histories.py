"""Twenty made-up histories in which all happens that can happen: one state hash whatever the order, the repetitions,
the parts and the database."""

import base64
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Model

from tests.conftest import ROOT
from tests.makers import day
from trustmem.actions import imports, spaces
from trustmem.actions.verify import verify
from trustmem.core.consolidation import NO_STAMP
from trustmem.core.instants import NEVER, span, to_text
from trustmem.core.vocabulary import CHANNELS, FACT_EVENTS, OF_EVENTS, OUTCOMES, PRODUCERS, RELATIONS, SCOPES, STATES
from trustmem.formats import interchange
from trustmem.formats.interchange_types import FIELDS
from trustmem.store.models import Change, ConstantsVersion, Edge, Fact, Import, Pass, Space, Statement, Tombstone, Touch
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

SEEDS = range(20)
Chance = random.Random
Given = dict[str, Any]

SOURCES = ("ana", "crm", "mail")
RUNS = ("r1", "r2", "r3")
#: What the acts of a history are called; an undo has an act of its own.
ACTS = ("A", "B", "C", "D")
CHANGES: Sequence[Given] = (
    {"session_half_life_days": 9},
    {"promote_threshold": 0.7, "promote_evidence": 1},
    {"max_pass_gap_days": 3},
    {"birth_weight": {"core": 1, "user": 0.97, "document": 0.8, "inference": 0.5, "unknown": 0.4}},
    {"global_floor": 0.1, "prune_threshold": 0.3},
    {"runs_per_source": 2, "activation_decay": 0.4},
    {"reconfirm_boost": 0.1},
)
UPDATES = {"relation": "updates", "tier": "human", "removed": False}
_KINDS = [kind for kind in FACT_EVENTS if kind not in ("forgotten", "erased")] * 3 + [
    "forgotten",
    "forgotten",
    "erased",
]


def history(seed: int) -> list[bytes]:
    """The lines of an interchange file, the same for a seed wherever it is written."""
    chance = Chance(seed)
    facts = [f"f{number}" for number in range(chance.randint(5, 14))]
    # Now and then a line names what is not there, or not a fact.
    named = facts * 4 + ["nowhere", "n0"]
    told = [_fact(chance, id) for id in facts]
    told += [_event(chance, f"e{number:02}", chance.choice(named)) for number in range(60)]
    told += [_edge(chance, f"l{number:02}", *chance.sample(named, 2)) for number in range(24)]
    told += [_edge(chance, f"d{number}", *ends) | UPDATES for number, ends in enumerate(_chain(chance, facts))]
    told += [_feedback(chance, f"b{number}", chance.choice(named)) for number in range(16)]
    statements = [each["id"] for each in told if each["type"] != "fact"]
    told += [_ruling(chance, f"r{number}", chance.choice([*statements, "nothing"])) for number in range(10)]
    told += [{"type": "constants", "id": f"c{number}", "version": number + 2} | _change(chance) for number in range(4)]
    told += _around(chance, facts)
    passes = [{"type": "pass"} | _at(day(noon + 0.125)) for noon in sorted(chance.sample(range(26), 12))]
    told += _undos(chance, [each["at"] for each in passes])
    chance.shuffle(told)
    return [json.dumps(line).encode() + b"\n" for line in told + passes]


def _chain(chance: Chance, facts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each corrects the one before it; now and then the first corrects the last, and it is a cycle."""
    chain = chance.sample(facts, 3)
    yield from pairwise(reversed(chain))
    if chance.random() < 0.4:
        yield chain[0], chain[-1]


def _at(instant: int) -> Given:
    return {"at": to_text(instant)}


def _when(chance: Chance, last: float = 25) -> Given:
    """On a coarse grid, so that much is at once; what comes in late is folded by a later pass."""
    on = chance.randint(0, round(last * 4)) / 4
    late = chance.choice([0, 0, 0, 0, 2, 11])
    return _at(day(on)) | ({"arrived": to_text(day(on + late))} if late else {})


def _whose(chance: Chance, source: str = "source") -> Given:
    """What any statement may say of who made it, or leave out."""
    said = {source: chance.choice(SOURCES), "run": chance.choice(RUNS), "act": chance.choice(ACTS)}
    return {name: value for name, value in said.items() if chance.random() < 0.4} | (
        {"tier": "human"} if chance.random() < 0.4 else {}
    )


def _some(chance: Chance, share: float, **values: Any) -> Given:
    return values if chance.random() < share else {}


def _fact(chance: Chance, id: str) -> Given:
    found = {"type": "fact", "id": id} | _when(chance, last=5) | _whose(chance)
    found |= {"producer": chance.choice(PRODUCERS), "scope": chance.choice(SCOPES), "text": f"What {id} says: “naïve”."}
    found |= _some(chance, 0.1, core=True) | _some(chance, 0.2, at_known=False)
    found |= _some(chance, 0.3, prior=chance.choice([0, 0.1, 0.7, 0.9])) | _some(chance, 0.2, weight=0.8)
    found |= _some(
        chance, 0.3, subject="Ana", predicate="likes", object="tea", entities=["n0"], tags=["x"], meta={"é": 1}
    )
    totals = {name: chance.randint(0, 4) for name in ("evidence", "contradictions", "uses", "reinforcements")}
    found |= _some(chance, 0.3, baseline=totals | _some(chance, 0.5, first_seen=to_text(day(-chance.randint(0, 90)))))
    if chance.random() < 0.1:
        erased = {"erased": True, "digest": "0f" * 32}
        return {name: found[name] for name in ("type", "id", "at", "producer", "scope")} | erased
    claim, value = (base64.b64encode(chance.randbytes(length)).decode() for length in (80, 64))
    return found | _some(chance, 0.2, signature={"key": "k0", "claim": claim, "value": value})


def _event(chance: Chance, id: str, fact: str) -> Given:
    kind = chance.choice(_KINDS)
    return {"type": "event", "id": id, "kind": kind, "fact": fact} | _when(chance) | _whose(chance)


def _edge(chance: Chance, id: str, newer: str, older: str) -> Given:
    found = {"type": "edge", "id": id, "from": newer, "to": older, "relation": chance.choice(RELATIONS)}
    return (
        found | _when(chance) | _whose(chance, "by") | _some(chance, 0.2, removed=True) | _some(chance, 0.2, note="So.")
    )


def _feedback(chance: Chance, id: str, fact: str) -> Given:
    signals = {channel: chance.choice([0, 0.3, 1]) for channel in chance.sample(CHANNELS, 3)}
    found = {"type": "feedback", "id": id, "fact": fact, "outcome": chance.choice(OUTCOMES)}
    return (
        found
        | _when(chance)
        | _whose(chance)
        | _some(chance, 0.5, confirmed=True)
        | _some(chance, 0.5, signals=signals)
    )


def _ruling(chance: Chance, id: str, of: str) -> Given:
    kind = chance.choice(["upheld", "dismissed"])
    return (
        {"type": "event", "id": id, "kind": kind, "of": of}
        | _when(chance)
        | _some(chance, 0.3, act=chance.choice(ACTS))
    )


def _change(chance: Chance) -> Given:
    values = {"values": chance.choice(CHANGES), "author": "ana"}
    return values | _when(chance, last=chance.choice([2, 25])) | _some(chance, 0.3, act=chance.choice(ACTS))


def _around(chance: Chance, facts: Sequence[str]) -> list[Given]:
    """What a space holds beside facts, and how that ends."""
    public = base64.b64encode(bytes(range(32))).decode()
    found: list[Given] = [
        *({"type": "entity", "id": f"n{number}", "name": f"Name {number}"} for number in range(2)),
        {"type": "link", "id": "k", "from": "n0", "to": "n1", "relation": "knows"},
        {"type": "link", "id": "dangling", "from": "n0", "to": "n9", "relation": "knows"},
        *({"type": "key", "id": f"k{number}", "source": "ana", "public": public} for number in range(2)),
        {"type": "event", "id": "v", "kind": "revoked", "of": "k1", "reason": chance.choice(["lost", "compromised"])},
        *({"type": "tombstone", "id": f"t{number}", "digest": f"{number:064}", "by": "ana"} for number in range(3)),
        *({"type": "event", "id": f"o{number}", "kind": "lifted", "of": f"t{number // 2}"} for number in range(3)),
        {"type": "case", "id": "q", "kind": "cycle", "facts": chance.sample(facts, 2)},
        {"type": "event", "id": "x", "kind": "closed", "of": "q", "verdict": "kept"},
    ]
    if chance.random() < 0.5:
        found.append({"type": "space", "id": "somewhere", "name": "Somewhere", "digest_key": "0f" * 32})
    return [line | _when(chance) | _some(chance, 0.2, act=chance.choice(ACTS)) for line in found]


def _undos(chance: Chance, passes: Sequence[str]) -> list[Given]:
    """Of acts, of passes, of what is unknown, and of one another, rings included."""
    mine = [f"U{number}" for number in range(5)]
    found = []
    for number, act in enumerate(mine):
        of = chance.choice([*ACTS, *(each for each in mine if each != act), *chance.sample(passes, 2), "unknown"])
        found.append({"type": "event", "id": f"u{number}", "kind": "undone", "of": of, "act": act} | _when(chance))
    return found


@contextmanager
def space_of(*parts: Sequence[bytes]) -> Iterator[Space]:
    """A space into which these came one after the other; it is gone afterwards, and its name free again."""
    with transaction.atomic():
        space = spaces.create("made up")
        for number, part in enumerate(parts):
            imports.import_lines(
                space, part, file=f"part {number}", by="ana", now=day(400 + number), format="interchange"
            )
        space.refresh_from_db()
        yield space
        transaction.set_rollback(True)


def shuffled(told: Sequence[bytes], chance: Chance) -> list[list[bytes]]:
    """Every line twice, in any order, in three parts. In a space that has passes, what comes in has arrived now: so
    they come with the last part."""
    passes = [line for line in told if b'"type": "pass"' in line]
    others = [line for line in told if line not in passes] * 2
    chance.shuffle(others)
    chance.shuffle(passes)
    first, second = sorted(chance.sample(range(1, len(others)), 2))
    return [others[:first], others[first:second], others[second:] + passes * 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_order_repetition_and_split_change_no_hash(seed: int) -> None:
    told = history(seed)
    with space_of(told) as space:
        right = state_hash(space)
        assert verify(space, rebuild=True) == []
    for order in range(5):
        with space_of(*shuffled(told, Chance(order))) as space:
            assert state_hash(space) == right, order


#: What is counted of a fact, by the lines alone: whether it is contradicted is for facts that are live, too.
COUNTED = (
    *("name", "tier", "accepted", "r", "s", "evidence", "contradictions", "use_count", "depth", "challenged"),
    *("reinforcement_count", "baseline_count", "first_seen", "latest_at", "times", "uses"),
)


def counted(space: Space) -> list[list[tuple[Any, ...]]]:
    """The counts of each fact, and which edges some assertion carries."""
    facts = Fact.objects.filter(space=space).order_by("name").values_list(*COUNTED)
    plain = [tuple(bytes(each) if isinstance(each, memoryview) else each for each in row) for row in facts]
    edges = Edge.objects.filter(space=space).values_list("newer__name", "older__name", "relation", "carried")
    return [plain, sorted(edges)]


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_passes_are_taken_counts_and_edges_are_the_same(seed: int) -> None:
    told = history(seed)
    passes = [line for line in told if b'"type": "pass"' in line]
    others = [line for line in told if line not in passes]
    found = []
    for some in (passes, passes[::3], []):
        with space_of(others + some) as space:
            found.append(counted(space))
    assert found[1:] == found[:1] * 2


def test_no_pass_comes_before_one_that_was_taken() -> None:
    """Neither of a file nor of those that an import adds."""

    def part(*lines: Given) -> list[bytes]:
        return [json.dumps(line).encode() for line in lines]

    def instants() -> list[int]:
        return list(Pass.objects.filter(space=space).order_by("instant").values_list("instant", flat=True))

    fact = {"type": "fact", "text": "It rains."}
    passes = [{"type": "pass"} | _at(day(number)) for number in (2, 3, 4)]
    with space_of(part(fact | {"id": "f"} | _at(day(0)), passes[1]), part(*passes)) as space:
        answers = Import.objects.filter(space=space).order_by("pk").values_list("new", "known", "refused")
        assert list(answers) == [(2, 0, 0), (1, 1, 1)]
        assert instants() == [day(3), day(4)]
        late = part(*(fact | {"id": f"f{number}"} | _at(day(number)) for number in (1, 6)))
        imports.import_lines(space, late, file="late", by="ana", now=day(500), every=span(1))
        assert instants() == [day(3), day(4), day(5), day(6)]


ELSEWHERE = """
import sys, django
from pathlib import Path
django.setup()
from django.core.management import call_command
from tests.actions.test_random_histories import space_of
from trustmem.store.state_hash import state_hash
call_command("migrate", verbosity=0)
for file in sys.argv[1:]:
    with space_of(Path(file).read_bytes().splitlines(keepends=True)) as space:
        print(state_hash(space))
"""


def test_another_database_gives_the_same_hashes(tmp_path: Path) -> None:
    files, mine = [], []
    for seed in SEEDS:
        files.append(tmp_path / f"{seed}.jsonl")
        files[-1].write_bytes(b"".join(history(seed)))
        with space_of(history(seed)) as space:
            mine.append(state_hash(space))
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path}/elsewhere.sqlite3"}
    command = [sys.executable, "-W", "error", "-c", ELSEWHERE, *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (mine, "")
    assert len(set(mine)) == len(SEEDS)


#: What may have become of a history, and where that is seen.
BECAME: Mapping[str, tuple[type[Model], Given]] = {
    **{f"a fact that is {state}": (Fact, {"state": code}) for code, state in enumerate(STATES)},
    **{
        f"an edge that is live: {relation}": (Edge, {"relation": code, "live": True})
        for code, relation in enumerate(RELATIONS)
    },
    "a fact promoted by a pass": (Change, {"after__has_key": "scope"}),
    "a fact revived by a pass": (Pass, {"revived__gt": 0}),
    "a promotion deferred": (Pass, {"deferred__gt": 0}),
    "a pass undone": (Pass, {"void": True}),
    "a fact with a stamp": (Fact, {"stamp__gt": NO_STAMP}),
    "a chain of corrections": (Fact, {"depth__gt": 1}),
    "a challenge": (Fact, {"challenged": True}),
    "a contradiction": (Fact, {"contradicted": True}),
    "a cycle": (Edge, {"on_cycle": True}),
    "an echo": (Touch, {"echo": True}),
    "a statement upheld": (Statement, {"ruling": 1}),
    "a statement dismissed": (Statement, {"ruling": -1}),
    "a statement withdrawn": (Statement, {"withdrawn": True}),
    "a tombstone lifted": (Tombstone, {"lifted_at__gt": NEVER}),
    "constants adopted": (ConstantsVersion, {"number__gt": 1}),
}


def test_the_histories_hold_all_that_can_befall_a_space() -> None:
    """Or the tests above would show little."""
    said: set[str] = set()
    became: set[str] = set()
    for seed in SEEDS:
        told = history(seed)
        lines = [json.loads(line) for line in told]
        said |= {line[name] for line in lines for name in ("type", "kind", "relation", "outcome") if name in line}
        said |= {answer.status for answer in interchange.read(told).answers}
        acts = [line["act"] for line in lines if line.get("kind") == "undone"]
        said |= {"undo of undo" for line in lines if line.get("kind") == "undone" and line["of"] in acts}
        with space_of(told) as space:
            became |= {what for what, (model, so) in BECAME.items() if model._default_manager.filter(space=space, **so)}
    assert set(BECAME) - became == set()
    assert {
        *FIELDS,
        *FACT_EVENTS,
        *OF_EVENTS,
        *RELATIONS,
        *OUTCOMES,
        "waiting",
        "refused",
        "undo of undo",
    } - said == set()
