"""What changed since an agent asked last: nothing is left out, however many lines arrived at once."""

import pytest

from tests.actions.world import LATER, space_of
from tests.intake.asking import Agent, token_of
from tests.makers import fact
from trustmem.actions import acts, facts
from trustmem.core.instants import to_text
from trustmem.intake import changes
from trustmem.store.models import Space

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


def told(space: Space, since: str, limit: int) -> tuple[list[str], str]:
    """The facts that are new from there on, page by page, and from where on to ask again."""
    names, more = list[str](), True
    while more:
        found = changes.since(space, since, limit)
        names += [name for each in found["changes"] if each["what"] == "fact" for name in each["facts"]]
        since, more = found["until"], found["more"]
    return names, since


def write(space: Space, name: str, now: int) -> None:
    acts.write(space, [{"type": "fact", "id": name, "text": f"What {name} says.", "source": "ana"}], now=now)


def test_what_was_sent_at_once_is_told_page_by_page_to_the_last(space):
    at, sent = to_text(LATER), [f"f{number:03}" for number in range(25)]
    lines = ({"type": "fact", "id": name, "text": f"What {name} says.", "at": at} for name in sent)
    Agent(token_of(space)).send(*lines)
    names, until = told(space, at, 10)
    assert sorted(names) == sent
    assert told(space, until, 10) == ([], until)


def test_what_comes_while_the_clock_is_behind_is_told_all_the_same(space):
    hour = 3_600_000_000
    write(space, "ahead", LATER + hour)
    names, until = told(space, to_text(LATER), 10)
    assert names == ["ahead"]
    write(space, "behind", LATER + 1)
    write(space, "later", LATER + 2)
    assert told(space, until, 10)[0] == ["behind", "later"]


def test_of_what_is_forgotten_nothing_is_told(space):
    write(space, "milk", LATER)
    assert told(space, to_text(0), 10)[0] == ["tea", "milk"]
    facts.forget(space, "tea", by="ana", now=LATER + 1)
    assert told(space, to_text(0), 10)[0] == ["milk"]
    assert "tea" not in str(changes.since(space, to_text(0), 10)["changes"])


@pytest.mark.parametrize(
    "since", ["yesterday", "2026-01-01T00:00:00Z/", "2026-01-01T00:00:00Z/x", f"{to_text(0)}/{'9' * 19}"]
)
def test_what_is_neither_an_instant_nor_a_place_is_refused(space, since):
    with pytest.raises(ValueError, match=r"^is "):
        changes.since(space, since, 10)
