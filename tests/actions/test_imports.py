"""What a file becomes in the database: the same scores as its history has, the same space again from an export."""

import json

import pytest

from tests.core.test_scenarios import SCENARIOS, VECTORS, assert_scores, expected
from tests.makers import day
from trustmem.actions import exports, imports, spaces, undo
from trustmem.actions.errors import Refusal
from trustmem.core.scores import score
from trustmem.formats import rfc3339
from trustmem.formats.scores import rows
from trustmem.store import chain, queries
from trustmem.store.models import Import, Reject, Space, Text
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db


def imported(raw, **options):
    space = spaces.create("test")
    report = imports.import_lines(space, raw, file="a file", by="ana", now=day(400), **options)
    return space, report


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_has_its_scores_through_the_database(name):
    right = expected(VECTORS / "scenarios" / f"{name}.expected.json")
    raw = (VECTORS / "scenarios" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    space, report = imported(raw)
    assert report.balance["new"] == len(raw)
    assert_scores(list(rows(score(queries.stored(space), rfc3339.parse(right["now"])))), right["facts"])
    assert chain.verify(space) == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_export_makes_the_same_space_again(name):
    raw = (VECTORS / "scenarios" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    space, _ = imported(raw)
    exported = list(exports.export(space))
    before = state_hash(space)
    again = spaces.create("again")
    space.name = "renamed"
    space.save(update_fields=["name"])
    report = imports.import_lines(again, exported, file="an export", by="ana", now=day(500))
    assert report.balance["new"] == len(exported)
    assert state_hash(again) == before


GOOD = b'{"type": "fact", "id": "f", "text": "It rains.", "at": "2026-01-05T09:00:00Z"}\n'
BAD = b'{"type": "fact", "id": "g"}\n'


def test_what_is_refused_or_rejected_is_kept_verbatim_and_the_answers_add_up():
    space, report = imported([GOOD, BAD, b"\n", b"{torn\n"])
    assert report.balance == {"new": 1, "known": 0, "refused": 0, "waiting": 0, "rejected": 2}
    kept = Reject.objects.filter(space=space).order_by("number")
    assert [(each.number, each.status) for each in kept] == [(2, "rejected"), (4, "rejected")]
    texts = [
        json.loads(body)["raw"]
        for body in Text.objects.filter(space=space).values_list("body", flat=True)
        if "raw" in body
    ]
    assert texts == [BAD.decode(), "{torn\n"]


def test_the_same_file_twenty_times_changes_nothing_and_is_on_record_each_time():
    space, _ = imported([GOOD, BAD])
    before = state_hash(space)
    for _ in range(19):
        report = imports.import_lines(space, [GOOD, BAD], file="a file", by="ana", now=day(401))
        assert report.balance["new"] == 0
    assert state_hash(space) == before
    assert Import.objects.filter(space=space).count() == 20
    assert chain.verify(space) == []


def test_a_line_that_waits_takes_effect_when_what_it_names_comes_with_a_later_file():
    said = b'{"type": "event", "id": "e", "kind": "corroborated", "fact": "f", "at": "2026-01-06T09:00:00Z"}\n'
    space, report = imported([said])
    assert report.balance["waiting"] == 1
    imports.import_lines(space, [GOOD], file="later", by="ana", now=day(401))
    assert queries.stored(space).evidence.tolist() == [1]


def test_a_dry_run_writes_nothing():
    space, report = imported([GOOD, BAD], dry_run=True)
    assert report.balance["new"] == 1
    space.refresh_from_db()
    assert space.head_position == 0


def test_strict_takes_all_or_nothing():
    space = spaces.create("strict")
    with pytest.raises(Refusal, match='line 2: "at" is missing'):
        imports.import_lines(space, [GOOD, BAD], file="a file", by="ana", now=day(400), strict=True)
    assert Space.objects.get(pk=space.pk).head_position == 0


def test_an_import_that_was_undone_is_as_if_it_had_never_been():
    space, _ = imported([GOOD])
    before = state_hash(space)
    other = GOOD.replace(b'"f"', b'"other"')
    report = imports.import_lines(space, [other], file="other", by="ana", now=day(401))
    undo.undo(space, report.imported, by="ana", now=day(402))
    assert state_hash(space) == before


def test_a_file_of_another_space_is_not_taken_under_its_name_where_that_is_taken():
    first, _ = imported([GOOD])
    other = spaces.create("other")
    with pytest.raises(Refusal, match="there is one of that name already"):
        imports.import_lines(other, list(exports.export(first)), file="an export", by="ana", now=day(401))


@pytest.mark.parametrize(
    ("raw", "every"), [([b"{}\n", b"[]\n"], None), ([GOOD, GOOD.replace(b"2026", b"9999").replace(b'"f"', b'"g"')], 1)]
)
def test_a_file_that_cannot_be_taken_at_all_is_refused_and_leaves_nothing(raw, every):
    space = spaces.create("empty")
    with pytest.raises(Refusal):
        imports.import_lines(space, raw, file="a file", by="ana", now=day(400), format="interchange", every=every)
    assert Space.objects.get(pk=space.pk).head_position == 0
