"""Folding what is concerned comes to what folding everything comes to, whatever happens and in whatever order."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.actions.world import as_file, space_of, taken
from tests.makers import day, edge, event, fact, histories
from trustmem.actions import consolidation, folding, imports, spaces
from trustmem.actions.verify import verify
from trustmem.core.lines import Line
from trustmem.formats import writer
from trustmem.formats.interchange_types import DEFAULTS
from trustmem.store.models import Fact, Space

pytestmark = pytest.mark.django_db
in_a_database = settings(
    max_examples=settings.default.max_examples // 3, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def _everything_is_folded_only_where_it_must(monkeypatch):
    monkeypatch.setattr(folding, "_are_many", lambda space, count: False)


def batches(lines: list[Line], data: st.DataObject) -> list[list[Line]]:
    """The lines in some order, in some batches."""
    order = data.draw(st.permutations(lines))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(order)), max_size=4)))
    return [order[start:end] for start, end in zip([0, *cuts], [*cuts, len(order)], strict=True)]


@in_a_database
@given(histories(changing_constants=False), st.data())
def test_after_every_batch_and_pass_what_is_stored_is_what_the_lines_come_to(lines, data):
    space = spaces.create(f"space {Space.objects.count()}")
    for number, batch in enumerate(batches(lines, data)):
        imports.import_lines(space, as_file(batch), file="batch", by="ana", now=day(40 + 3 * number))
        assert verify(space, rebuild=True) == []
        if data.draw(st.booleans()):
            consolidation.consolidate(space, by="ana", now=day(41 + 3 * number))
            assert verify(space, rebuild=True) == []


def test_an_edge_that_waits_for_one_end_waits_for_the_other_too_once_that_is_undone():
    space = space_of(fact("f", act="A"), edge("g", "updates", "f"))
    taken(space, as_file([event("undone", of="A", act="U")]), now=day(101))
    taken(space, as_file([fact("g")]), now=day(102))
    assert verify(space, rebuild=True) == []
    taken(space, as_file([event("undone", of="U")]), now=day(103))
    assert verify(space, rebuild=True) == []
    assert Fact.objects.get(name="f").depth == 1


def test_a_ruling_waits_on_though_what_it_names_was_there_and_could_not_be_ruled_on():
    space = space_of(fact("f"), event("upheld", of="e"))
    taken(space, as_file([event("restated", "f", id="e", act="A")]), now=day(101))
    assert verify(space, rebuild=True) == []
    taken(space, as_file([event("undone", of="A")]), now=day(102))
    assert verify(space, rebuild=True) == []


def test_what_comes_before_a_pass_of_a_file_is_late_wherever_the_pass_stands_in_it():
    lines = as_file([fact("f", prior=0.5)])
    lines += [
        writer.line(DEFAULTS["pass"] | {"type": "pass", "id": "", "at": day(at), "arrived": day(arrived)})
        for at, arrived in ((10, 30), (11, 11))
    ]
    space = taken(spaces.create("diary"), lines, now=day(10.2))
    taken(space, as_file([event("restated", "f", on=10.5, source="crm")]), now=day(10.5))
    assert verify(space, rebuild=True) == []
