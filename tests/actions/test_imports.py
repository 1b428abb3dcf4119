"""What a file becomes in the database: the same scores as its history has, the same space again from an export."""

import json

import pytest

from tests.actions.world import LATER, as_file, taken
from tests.core.test_scenarios import SCENARIOS, VECTORS, assert_scores, expected
from tests.makers import day, event, fact
from trustmem.actions import consolidation, exports, facts, folding, imports, spaces, undo
from trustmem.actions.errors import Refusal
from trustmem.actions.verify import verify
from trustmem.core import lines
from trustmem.core.scores import score
from trustmem.core.vocabulary import LIVE
from trustmem.formats import rfc3339
from trustmem.formats.scores import rows
from trustmem.store import chain, queries
from trustmem.store.models import ConstantsVersion, Fact, Import, Line, Pass, Reject, Score, Space, Text
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


def test_043_the_same_file_twenty_times_changes_nothing_and_is_on_record_each_time():
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
    report = imports.import_lines(other, list(exports.export(first)), file="an export", by="ana", now=day(401))
    refused = [answer.reason for answer in report.answers if answer.status == "refused"]
    assert refused == ['there is a space "test" already, so that this one keeps its own name and key']
    assert (other.name, Fact.objects.filter(space=other).count()) == ("other", 1)


@pytest.mark.parametrize(
    ("raw", "every"), [([b"{}\n", b"[]\n"], None), ([GOOD, GOOD.replace(b"2026", b"9999").replace(b'"f"', b'"g"')], 1)]
)
def test_a_file_that_cannot_be_taken_at_all_is_refused_and_leaves_nothing(raw, every):
    space = spaces.create("empty")
    with pytest.raises(Refusal):
        imports.import_lines(space, raw, file="a file", by="ana", now=day(400), format="interchange", every=every)
    assert Space.objects.get(pk=space.pk).head_position == 0


def test_an_import_that_was_undone_says_so_when_it_comes_again_and_how_to_bring_it_back():
    raw = as_file([fact("f")])
    space = taken(spaces.create("diary"), raw)
    imported = Import.objects.get(space=space).name.rpartition(":")[0]
    act = undo.undo(space, imported, by="ana", now=LATER)
    report = imports.import_lines(space, raw, file="a file", by="ana", now=LATER)
    assert report.undone == undo.Undone(act, "ana", LATER, "")
    undo.undo(space, act, by="ana", now=LATER)
    assert imports.import_lines(space, raw, file="a file", by="ana", now=LATER).undone is None


def test_of_several_undoings_the_one_that_stands_is_told():
    space = taken(spaces.create("diary"), as_file([fact("f")]))
    imported = Import.objects.get(space=space).name.rpartition(":")[0]
    undo.undo(space, undo.undo(space, imported, by="ana", now=LATER), by="ana", now=LATER + 1)
    act = undo.undo(space, imported, by="ben", now=LATER + 2, reason="the wrong file")
    void = folding.void(space, upto=Space.objects.get().head_position)
    assert undo.undone(space, imported, void) == undo.Undone(act, "ben", LATER + 2, "the wrong file")


def test_of_two_undoings_the_one_that_was_taken_back_is_not_told():
    space = taken(spaces.create("diary"), as_file([fact("f")]))
    imported = Import.objects.get(space=space).name.rpartition(":")[0]
    first = undo.undo(space, imported, by="ana", now=LATER)
    back = undo.undo(space, first, by="ana", now=LATER + 1)
    second = undo.undo(space, imported, by="ben", now=LATER + 2)
    for act in (back, second):
        undo.undo(space, act, by="ana", now=LATER + 3)
    void = folding.void(space, upto=Space.objects.get().head_position)
    assert undo.undone(space, imported, void).act == first


def test_what_an_import_brought_and_who_told_it_stands_with_its_receipt():
    memory = [b'{"type":"entity","name":"Ana","entityType":"person","observations":["Likes tea.", ""]}\n']
    space = spaces.create("diary")
    imports.import_lines(space, memory, file="m", by="ana", now=LATER, source="the diary")
    says = json.loads(Line.objects.get(space=space, tag="import").body)
    assert (says["brought"], says["source"]) == ({"entity": 1, "fact": 1}, "the diary")


def test_how_many_lines_are_read_is_told_and_when_writing_begins():
    told = []
    raw = as_file([fact("f"), fact("g")])
    imports.import_lines(
        spaces.create("diary"),
        raw,
        file="f",
        by="ana",
        now=LATER,
        reading=lambda done, of: told.append((done, of)),
        begin=lambda: told.append("begins"),
        progress=lambda done, of: told.append("writes"),
    )
    assert told == [(0, 2), (2, 2), "begins", "writes"]


def test_a_memory_that_another_source_tells_is_an_import_of_its_own():
    memory = [b'{"type":"entity","name":"Ana","entityType":"person","observations":["Likes tea."]}\n']
    space = spaces.create("diary")
    told = [
        imports.import_lines(space, memory, file="m", by="ana", now=LATER, source=source).imported
        for source in ("a", "b", "a")
    ]
    assert told[0] == told[2] != told[1]
    undo.undo(space, told[1], by="ana", now=LATER)
    assert Fact.objects.get(space=space).r == 0
    assert Fact.objects.get(space=space).state == LIVE


@pytest.mark.parametrize("id", ["diary", "diary:constants:1"])
def test_a_line_with_an_id_that_the_space_itself_is_to_have_is_refused(id):
    space = spaces.create("diary")
    report = imports.import_lines(space, as_file([fact(id), fact("f")]), file="f", by="ana", now=LATER)
    assert [answer.reason for answer in report.answers if answer.status == "refused"] == [
        "the space itself is to have a line of this id"
    ]
    assert list(Fact.objects.values_list("name", flat=True)) == ["f"]


def test_what_the_space_says_of_itself_outlives_its_first_import():
    space = taken(spaces.create("diary"), as_file([fact("f")]))
    undo.undo(space, Import.objects.get().name.rpartition(":")[0], by="ana", now=LATER)
    assert list(ConstantsVersion.objects.values_list("number", flat=True)) == [1]


def test_a_pass_that_was_taken_between_two_chunks_is_taken_into_account(monkeypatch):
    monkeypatch.setattr(imports, "CHUNK", 1)
    space = taken(spaces.create("diary"), as_file([fact("first")]))

    def interrupting(done, of):
        if done == 1 and not Pass.objects.exists():
            consolidation.consolidate(Space.objects.get(pk=space.pk), by="ben", now=LATER + 5)

    raw = as_file([fact("f"), fact("g")])
    imports.import_lines(space, raw, file="f", by="ana", now=LATER + 9, progress=interrupting)
    assert Line.objects.get(name="g").arrived == LATER + 9
    assert verify(space, rebuild=True) == []


def test_a_line_from_times_to_come_holds_up_nothing():
    far = day(2_900_000)
    space = taken(spaces.create("diary"), as_file([fact("f"), event("restated", "f", arrived=2_900_000, source="crm")]))
    facts.accept(space, "f", by="ana", now=LATER + 1)
    assert Line.objects.get(tag="event.accepted").arrived == LATER + 1
    assert Score.objects.get().scored_at == LATER + 1
    assert consolidation.consolidate(space, by="ana", now=LATER + 2).promoted == 1
    assert Space.objects.get().arrived_to == far
    assert verify(space, rebuild=True) == []


def test_a_pass_ahead_of_now_is_refused():
    raw = as_file([fact("f")], [lines.Pass(LATER + 1)])
    report = imports.import_lines(spaces.create("diary"), raw, file="f", by="ana", now=LATER)
    assert [each.status for each in report.answers] == ["new", "refused"]
