"""What an act asks of the database: an index leads to the rows of the facts that it concerns, however large a space."""

import json
import re
from collections.abc import Callable, Iterator

import pytest
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from tests.actions.world import taken
from tests.makers import day
from tests.store.test_lists import asked, explained
from trustmem.actions import acts, agents, consolidation, facts, handouts, passes, spaces, undo, verdicts
from trustmem.actions.search import search
from trustmem.actions.speakers import Speaker
from trustmem.core.instants import NEVER, to_text
from trustmem.store import cases
from trustmem.store.models import Case, Change, Space
from trustmem.store.queue import Filter

pytestmark = pytest.mark.django_db

#: Tables that grow with a space, and are large here.
_GROW = "line|text|fact|touch|statement|edge|score|mention|words|waiting|case|casefact|closing|queued"
#: And that would, and are small here: PostgreSQL, which counts rows, walks through what is small.
_WOULD_GROW = "ruling|casegroup|setaside|tombstone"
MANY = 3000


def _growing() -> str:
    return f"{_GROW}|{_WOULD_GROW}" if connection.vendor == "sqlite" else _GROW


@pytest.fixture(scope="module")
def _large(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Space]:
    """A space of many facts, each said again, where some update others, some contradict others and wait for a person,
    and some lines wait. It is made once: what a test does to it is taken back with the test."""
    with django_db_blocker.unblock(), transaction.atomic():
        space = taken(spaces.create("diary"), list(_raw(MANY)))
        if connection.vendor == "postgresql":  # it would read a thousand edges as they lie, quicker than by an index
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE; SET LOCAL enable_seqscan = off")
        yield space
        transaction.set_rollback(True)


@pytest.fixture
def space(_large: Space, db: None) -> Space:
    return Space.objects.get(pk=_large.pk)


def _raw(many: int) -> Iterator[bytes]:
    for number in range(many):
        said = {"at": to_text(day(0)), "run": f"r{number}"}
        about = {"text": f"thing {number}", "entities": [f"thing {number}"]}
        yield _line(type="fact", id=f"f{number}", source=f"s{number % 7}", prior=0.01, **about, **said)
        yield _line(type="event", kind="restated", id=f"e{number}", fact=f"f{number}", source="someone", **said)
        yield _line(type="event", kind="restated", id=f"w{number}", fact=f"missing {number}", source="someone", **said)
        if number % 3 == 1:
            ends = {"from": f"f{number}", "to": f"f{number - 1}"}
            yield _line(type="edge", id=f"u{number}", relation="updates", at=said["at"], **ends)
        if number % 3 == 2:
            ends = {"from": f"f{number}", "to": f"f{number - 2}", "by": f"s{number % 600}"}
            yield _line(type="edge", id=f"c{number}", relation="contradicts", at=said["at"], **ends)
            yield _line(type="case", id=f"q{number}", kind="cycle", facts=[f"f{number}"], at=said["at"])
            closed = {"of": f"q{number}", "verdict": "let it stand", "source": "ana"}
            yield _line(type="event", kind="closed", id=f"k{number}", at=said["at"], **closed)


def _line(**values: object) -> bytes:
    return json.dumps(values).encode()


def _case(space: Space) -> str:
    return Case.objects.get(pk__in=cases.of_facts(space, ["f1502"]), closed_at=NEVER, stands=True).name


def _reopen(space: Space) -> None:
    verdicts.decide(space, [_case(space)], "not a contradiction", by="ana", now=day(101))
    said = {"type": "edge", "relation": "contradicts", "from": "f1500", "to": "f1502", "by": "crawler"}
    acts.write(space, [said], now=day(102))


def _hand_out(space: Space) -> None:
    for by in ("ana", "ben"):
        case = handouts.hand_out(space, Filter(), by=by, now=day(101))
    handouts.skip(space, case.name, by="ben", now=day(101))
    handouts.snooze(space, case.name, by="ben", now=day(101), until=day(102))
    handouts.hand_out(space, Filter(), by="ben", now=day(101))


def _undo(space: Space) -> str:
    act = facts.accept(space, "f1500", by="ana", now=day(101))
    return undo.undo(space, act, by="ana", now=day(102))


def _remember(space: Space) -> None:
    known = ({"type": "fact", "text": f"The quay is {number} m long.", "source": "s"} for number in range(20))
    acts.write(space, list(known), now=day(101))
    told = agents.remember(Speaker(space, "s1", "now"), {"text": "The quay is 7 m wide."}, now=day(102))
    assert told.alike


def _agents(space: Space) -> None:
    speaker = Speaker(space, "s1", "now")
    agents.relate(speaker, "f1500", "extends", "f900", now=day(101))
    agents.flag(speaker, "f1500", now=day(101))
    agents.report(speaker, ["f1500", "f900"], "helpful", now=day(101))


ACTS: dict[str, Callable[[Space], object]] = {
    "a fact is forgotten": lambda space: facts.forget(space, "f1500", by="ana", now=day(101)),
    "a fact is accepted, and that undone": _undo,
    "a fact is told": lambda space: acts.write(
        space, [{"type": "fact", "text": "one more", "source": "s", "run": "r"}], now=day(101)
    ),
    "an agent denies a fact": lambda space: acts.write(
        space, [{"type": "event", "kind": "contradicted", "fact": "f1500", "source": "s"}], now=day(101)
    ),
    "what superseded another is forgotten": lambda space: facts.forget(space, "f1501", by="ana", now=day(101)),
    "a case is decided": lambda space: verdicts.decide(
        space, [_case(space)], "keep left", by="ana", now=day(101), seen=space.head_position - 5
    ),
    "a newer claim wins": lambda space: verdicts.decide(
        space, [_case(space)], "right updates left", by="ana", now=day(101)
    ),
    "a case is opened again": _reopen,
    "cases are handed out and put aside": _hand_out,
    "a fact contradicts another": lambda space: acts.write(
        space, [{"type": "edge", "relation": "contradicts", "from": "f1500", "to": "f900"}], now=day(101)
    ),
    "an agent remembers what others speak of": _remember,
    "an agent says again what is known": lambda space: agents.remember(
        Speaker(space, "s1", "now"), {"text": "thing 1500"}, now=day(101)
    ),
    "an agent relates, flags and reports": _agents,
    "an agent searches": lambda space: search(space, "1500 or 1501", now=day(101)),
}


@pytest.mark.parametrize("what", ACTS)
def test_an_act_walks_through_no_table_that_grows(space: Space, what: str):
    assert walks(lambda: ACTS[what](space)) == []


def test_an_act_asks_as_often_in_a_large_space_as_in_a_small_one(space: Space):
    small = taken(spaces.create("small"), list(_raw(MANY // 2 + 30)))
    for what, act in ACTS.items():
        assert _count(space, act) <= _count(small, act) + 2, what


def _count(space: Space, act: Callable[[Space], object]) -> int:
    """How often it asks; nothing is left of it."""
    with transaction.atomic():
        count = len(asked(lambda: act(Space.objects.get(pk=space.pk))))
        transaction.set_rollback(True)
    return count


def test_a_turn_of_a_pass_walks_through_no_table_that_grows(space: Space, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(passes, "_READ", 20)
    walked = walks(lambda: consolidation.consolidate(space, by="ana", now=day(101)))
    # Whether there are more than a few facts is seen after a few.
    assert [sql for _, sql in walked if f"OFFSET {consolidation._FEW}" not in sql] == []
    assert Change.objects.filter(after__pruned=True).exists()


def walks(run: Callable[[], object]) -> list[tuple[str, str]]:
    """The plans of queries that read a large table whole, or all that it holds of the space."""
    queries = asked(run)
    plans = [(explained(each), each[0]) for each in queries if re.match("SELECT|DELETE", each[0])]
    plans = [(plan, sql) for plan, sql in plans if not sql.endswith(_ERASED)]
    assert plans
    return [(plan, sql) for plan, sql in plans if re.search(_WALKS[connection.vendor], plan)]


#: Those of a space that are erased, which are few.
_ERASED = '("store_fact"."space_id" = %s AND "store_fact"."state" = %s)'
_WALKS = {
    "sqlite": rf"SCAN store_({_growing()})\b(?! VIRTUAL TABLE INDEX \d+:[=M])"
    rf"|SEARCH store_({_growing()}) .*\(space_id=\?( AND state=\?)?"
    r"( AND (?!position|rowid|id|newer_id|older_id)\w+[<>]\?)*\)",
    "postgresql": rf"Seq Scan on store_({_growing()})\b"
    rf"|(?m:on store_({_growing()})\n +(Index|Recheck) Cond: \(space_id = \d+\)$)",
}
