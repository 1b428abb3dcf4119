"""Folding what is concerned comes to what folding everything comes to, whatever happens and in whatever order."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.actions.world import as_file
from tests.makers import day, histories, schedules
from trustmem.actions import consolidation, folding, imports, passes, spaces
from trustmem.actions.verify import verify
from trustmem.core.lines import Line
from trustmem.store.models import Pass, Space

pytestmark = pytest.mark.django_db
in_a_database = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


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
