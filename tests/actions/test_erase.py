"""After `erase` the text of a fact, and of all that was said about it, is nowhere (case 061); its numbers stay."""

import json
import os
import random
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from tests.actions.world import LATER, signed, taken
from tests.makers import daily, day, edge
from trustmem.actions import constants, edges, erasing, exports, facts, imports, purging, spaces, statements, undo
from trustmem.actions.consolidation import consolidate
from trustmem.actions.errors import Refusal
from trustmem.actions.folding import refold
from trustmem.actions.records import entry
from trustmem.core.instants import to_text
from trustmem.core.scores import score
from trustmem.core.vocabulary import AUTO, ERASED, SIGNED
from trustmem.formats.interchange_types import parse_record
from trustmem.formats.scores import rows
from trustmem.store import chain, full_text, mentions, queries
from trustmem.store.models import Case, Fact, Line, Reject, SavedView, Signature, Space, Statement, Text
from trustmem.store.state_hash import state_hash

SECRET = "VERMILION-88"
#: As it is, and as a file may have written it.
FORMS = [SECRET, SECRET.replace("V", "\\u0056")]
REASON = "Whoever said it asked for it."

pytestmark = pytest.mark.django_db(transaction=True)


def line(type: str, id: str, on: float = 1, **values: object) -> dict[str, object]:
    return {"type": type, "id": id, "at": to_text(day(on)), **values}


#: A fact that tells a secret, and others repeating it in all that is free to write in.
TELLING = [
    line(
        "fact",
        "code",
        text=f"The alarm code is {SECRET}.",
        subject=f"s {SECRET}",
        predicate=f"p {SECRET}",
        object=SECRET,
        entities=[f"e {SECRET}"],
        tags=[f"t {SECRET}"],
        meta={f"m {SECRET}": [SECRET]},
    ),
    line("fact", "hint", text="The alarm is by the door."),
    line("fact", "tea", text="Tea is in the cupboard."),
    line("edge", "up", **{"from": "code", "to": "hint"}, relation="updates", note=f"now {SECRET}"),
    line("edge", "down", **{"from": "tea", "to": "code"}, relation="contradicts", note=f"not {SECRET}"),
    line("edge", "by", **{"from": "tea", "to": "hint"}, relation="extends", note="unrelated"),
    line("event", "said", kind="restated", fact="code", source="ben", note=f"yes, {SECRET}"),
    line("event", "against", kind="contradicted", fact="code", source="cy", note=f"no {SECRET}"),
    line("event", "ruled", 2, kind="dismissed", of="against", note=f"it is {SECRET}"),
    line("event", "lost", 2, kind="dismissed", of="down", note=f"still {SECRET}"),
    line("feedback", "used", fact="code", outcome="helpful", note=f"opened with {SECRET}"),
    line("event", "other", kind="restated", fact="tea", source="ben", note="tea it is"),
    line("case", "c1", kind=f"which {SECRET}", facts=["tea", "code"], factors={SECRET: {"said": SECRET}}),
    line("event", "shut", 3, kind="closed", of="c1", note=f"as {SECRET}", reason=f"{SECRET}!", verdict=f"so {SECRET}"),
]
UNRELATED = {"by", "other", "hint", "tea", "diary"}


def as_lines(*records: dict[str, object]) -> list[bytes]:
    return [json.dumps(each).encode() + b"\n" for each in records]


#: Lines that are kept verbatim, since they are not understood.
AMISS = [
    b'{"type":"fact","id":"code","text":"The alarm code is VERMILION-88."\n',
    b'{"type":"fact","id":"x1","text":"The alarm code is \\u0056ERMILION-88.","at":"today"}\n',
    b'{"type":"event","id":"x2","kind":"restated","fact":"code","at":"today","note":"VERMILION-88 again"}\n',
    b'{"type":"fact","id":"x3","text":"Coffee is out.","at":"today"}\n',
]


def telling(*more: bytes, passes: bool = True, name: str = "diary") -> Space:
    last = [{"type": "pass", "at": to_text(each.at)} for each in daily(1, 9)] if passes else []
    return taken(spaces.create(name), [*as_lines(*TELLING, *last), *more])


def erase(space: Space, fact: str = "code", now: int = LATER) -> str:
    return erasing.erase(space, fact, by="ana", now=now, reason=REASON)


def found_in_files() -> list[str]:
    """The files of the database that hold the secret, but for PostgreSQL's write-ahead log."""
    if connection.vendor == "sqlite":
        database = Path(connection.settings_dict["NAME"])
        assert database.exists()
        return those_that_tell(database.parent.iterdir())
    connection.cursor().execute("CHECKPOINT")  # what is in memory only is written
    return those_that_tell(each for each in _folder().iterdir() if each.is_file())


def those_that_tell(files: Iterable[Path]) -> list[str]:
    """The names of those files that hold the secret."""
    # By another process: whoever closes a file gives back all locks that their process has on it, those of SQLite too.
    # Others would take ours for gone, with what is closed and not collected yet, and clear away the log under it.
    asked = ["grep", "--files-with-matches", "--text", "--fixed-strings", *(f"--regexp={form}" for form in FORMS)]
    grep = subprocess.run(
        [*asked, "--", *files], env=os.environ | {"LC_ALL": "C"}, capture_output=True, text=True, check=False
    )
    assert grep.returncode in (0, 1), grep.stderr
    return [Path(each).name for each in grep.stdout.splitlines()]


def found_in_rows() -> list[str]:
    """The tables that hold the secret in some column."""
    holding = []
    for model in apps.get_models():
        for row in model._default_manager.values_list(*[field.attname for field in model._meta.concrete_fields]):
            if SECRET in str(row) or FORMS[1] in str(row):
                holding.append(model.__name__)
    return sorted(set(holding))


def found_in_export(space: Space) -> bool:
    return SECRET.encode() in b"".join(exports.export(space))


def _folder() -> Path:
    """Where PostgreSQL has the tables of this database."""
    asked = "SELECT current_setting('data_directory'), oid FROM pg_database WHERE datname = current_database()"
    with connection.cursor() as cursor:
        folder, oid = cursor.execute(asked).fetchone()
    return Path(folder) / "base" / str(oid)


def readable() -> bool:
    return connection.vendor == "sqlite" or os.access(_folder(), os.R_OK | os.X_OK)


def test_the_text_is_in_no_byte_of_the_database_and_in_no_export():
    space = telling(*AMISS)
    facts.accept(space, "code", by="ana", now=LATER, reason=f"I know {SECRET}")
    edges.assert_edge(space, "tea", "extends", "code", by="ana", now=LATER, reason=f"see {SECRET}")
    statements.rule(space, "against", "upheld", by="ana", now=LATER, reason=f"wrong: {SECRET}")
    assert {"Fact", "Text"} <= set(found_in_rows())
    assert found_in_export(space)
    connection.cursor().execute("ANALYZE")  # as a server does from time to time
    assert not readable() or found_in_files()
    erase(space)
    assert found_in_rows() == []
    assert not found_in_export(space)
    assert not readable() or found_in_files() == []
    assert chain.verify(space) == []


def test_only_what_is_about_the_fact_is_emptied():
    space = telling(*AMISS)
    erase(space)
    kept = set(Text.objects.filter(space=space).exclude(body="").values_list("position", flat=True))
    names = set(Line.objects.filter(space=space, position__in=kept).values_list("name", flat=True))
    assert names >= UNRELATED
    assert not names & {record["id"] for record in TELLING} - UNRELATED
    receipts = Line.objects.filter(space=space, tag__in=("refused", "rejected")).values("position")
    bodies = Text.objects.filter(space=space, position__in=receipts).values_list("body", flat=True)
    assert len(bodies) == len(AMISS)
    assert [json.loads(body)["raw"].encode() for body in bodies if body] == [AMISS[-1]]
    assert Reject.objects.filter(space=space).exclude(reason="").count() == 1


def test_the_reason_stays_on_record_and_must_not_repeat_the_text():
    space = telling()
    with pytest.raises(Refusal, match=r"^the reason repeats the text that it is to erase, and would stay on record$"):
        erasing.erase(space, "code", by="ana", now=LATER, reason=f"The alarm code is {SECRET}. Away!")
    for reason in (f"Somebody had {SECRET}.", "vermilion-88 was never meant to be said"):
        with pytest.raises(Refusal, match=r"^the reason repeats the text"):
            erasing.erase(space, "code", by="ana", now=LATER, reason=reason)
    act = erase(space)
    line = Line.objects.get(space=space, act=act, tag="event.erased")
    assert json.loads(line.body) == {"fact": "code", "source": "ana", "tier": "human"}
    assert json.loads(Text.objects.get(space=space, position=line.position).body) == {"note": REASON}


def test_numbers_stay_as_they_were():
    space = telling()
    before = {row["id"]: row for row in rows(score(queries.stored(space), LATER))}
    row = Fact.objects.get(space=space, name="code")
    erase(space)
    after = {row["id"]: row for row in rows(score(queries.stored(space), LATER))}
    changed = {name for name in before["code"] if before["code"][name] != after["code"][name]}
    assert changed <= {"state", "flags", "depth", "supersession", "trust", "band"}
    erased = Fact.objects.get(space=space, name="code")
    assert (erased.state, erased.text, erased.object, erased.entities) == (ERASED, "", "", "[]")
    assert (erased.r, erased.s, erased.use_count, erased.times) == (row.r, row.s, row.use_count, row.times)


def test_others_go_with_it_in_one_act():
    space = telling()
    with pytest.raises(Refusal, match=r'^the space "diary" has no fact "coffee"$'):
        erasing.erase(space, "code", by="ana", now=LATER, reason=REASON, also=["tea", "coffee"])
    act = erasing.erase(space, "code", by="ana", now=LATER, reason=REASON, also=["tea", "code", "tea"])
    assert Line.objects.filter(space=space, act=act, tag="event.erased").count() == 2
    erased = Fact.objects.filter(space=space, state=ERASED, text="").values_list("name", flat=True)
    assert sorted(erased) == ["code", "tea"]
    erasing.erase(space, "code", by="ana", now=LATER, reason=REASON, also=["hint"])
    assert Fact.objects.get(space=space, name="hint").state == ERASED


def test_what_it_claimed_is_kept_out_by_a_keyed_digest_alone():
    space = telling()
    act = erase(space)
    told = Line.objects.filter(space=space, act=act, tag="tombstone")
    assert [set(json.loads(body)) for body in told.values_list("body", flat=True)] == [{"digest", "by"}] * 2
    again = line("fact", "code again", text=f"the alarm code is {SECRET.lower()}")
    report = imports.import_lines(space, as_lines(again), file="again", by="ana", now=LATER + 1)
    assert [answer.status for answer in report.answers] == ["refused"]
    assert found_in_rows() == []


def test_what_was_forgotten_before_is_kept_out_though_that_be_undone():
    space = telling()
    forgotten = facts.forget(space, "code", by="ana", now=LATER)
    erase(space, now=LATER + 1)
    undo.undo(space, forgotten, by="ana", now=LATER + 2)
    again = line("fact", "code again", text=f"the alarm code is {SECRET.lower()}")
    report = imports.import_lines(space, as_lines(again), file="again", by="ana", now=LATER + 3)
    assert [answer.status for answer in report.answers] == ["refused"]


def test_a_view_that_somebody_saved_goes_if_it_looks_for_the_text():
    space = telling()
    for title, query in (("mine", "?text=vermilion%2D88"), (f"all {SECRET}", "?kind=cycle"), ("kept", "?text=tea")):
        SavedView.objects.create(space=space, by="ana", title=title, query=query)
    erase(space)
    assert list(SavedView.objects.values_list("title", flat=True)) == ["kept"]
    assert found_in_rows() == []


def test_what_is_unknown_or_erased_is_refused():
    space = telling()
    with pytest.raises(Refusal, match=r'^the space "diary" has no fact "coffee"$'):
        erase(space, "coffee")
    with pytest.raises(Refusal, match=r'^the space "diary" has no fact "up"$'):
        erase(space, "up")
    erase(space)
    with pytest.raises(Refusal, match=r'^the fact "code" is erased already$'):
        erase(space)


def test_a_fact_that_was_undone_or_forgotten_can_be_erased():
    space = telling(passes=False)
    facts.forget(space, "code", by="ana", now=LATER)
    brought = Line.objects.get(space=space, name="code").imported
    undo.undo(space, brought, by="ana", now=LATER + 1)
    assert not Fact.objects.filter(space=space).exists()
    erase(space, now=LATER + 2)
    assert found_in_rows() == []


def test_a_file_that_erases_a_fact_leaves_no_text_in_whatever_order_it_comes():
    erasing_line = line("event", "gone", 5, kind="erased", fact="code", note=REASON)
    for number, records in enumerate(([*TELLING, erasing_line], [erasing_line, *TELLING[::-1]])):
        space = spaces.create(f"one file {number}")
        taken(space, [*as_lines(*records), *AMISS])
        assert Fact.objects.get(space=space, name="code").state == ERASED
        assert (found_in_rows(), found_in_export(space)) == ([], False)
    for number, records in enumerate(([*TELLING, erasing_line], [erasing_line, *TELLING])):
        space = spaces.create(f"many files {number}")
        for record in records:
            taken(space, as_lines(record))
        assert Fact.objects.get(space=space, name="code").state == ERASED
        assert (found_in_rows(), found_in_export(space)) == ([], False)
    assert not readable() or found_in_files() == []


def test_what_is_said_later_about_an_erased_fact_leaves_no_text_either():
    gone = line("fact", "code", erased=True, digest="0f" * 32)
    space = taken(spaces.create("diary"), as_lines(gone, *TELLING[1:]))
    assert found_in_rows() == []
    taken(space, as_lines(line("event", "late", kind="restated", fact="code", note=f"It was {SECRET}")))
    taken(
        space,
        [*as_lines(line("entity", "door", name="The door")), b'{"type":"fact","id":"code","text":"VERMILION-88"\n'],
    )
    assert (found_in_rows(), found_in_export(space)) == ([], False)


def test_an_undone_act_holds_no_text_of_an_erased_fact():
    space = telling(passes=False)
    act = facts.accept(space, "code", by="ana", now=LATER, reason=f"I know {SECRET}")
    undo.undo(space, act, by="ana", now=LATER + 1)
    erase(space, now=LATER + 2)
    assert found_in_rows() == []


def test_no_byte_is_left_where_rows_were_moved_about():
    dice = random.Random(1)
    names = [f"{dice.getrandbits(64):x}" for _ in range(600)]
    told = [
        line("fact", name, dice.random(), text=f"{SECRET} {name} " + "x" * dice.choice([9, 90, 900, 9000]))
        if place % 3 == 0
        else line("fact", name, dice.random(), text="y" * dice.choice([9, 90, 900]))
        for place, name in enumerate(names)
    ]
    space = spaces.create("diary")
    for start in range(0, 600, 200):
        taken(space, as_lines(*told[start : start + 200]))
    facts.accept(space, names[1], by="ana", now=LATER)
    gone = [line("event", f"gone {name}", 5, kind="erased", fact=name) for name in names[::3]]
    taken(space, as_lines(*gone[:100]))
    consolidate(space, by="ana", now=LATER + 1)
    taken(space, as_lines(*gone[100:]), now=LATER + 2)
    assert found_in_rows() == []
    assert not readable() or found_in_files() == []


def test_scrubbing_reaches_what_was_written_over_in_pages_that_were_packed_anew():
    space = telling(passes=False)
    like = Fact.objects.get(space=space, name="tea")
    values = {field.attname: getattr(like, field.attname) for field in Fact._meta.concrete_fields}
    dice = random.Random(4)
    for pk in dice.sample(range(1000, 1_000_000), 900):
        text = (f"{SECRET} {pk}" if pk % 9 == 0 else f"{pk} ") * dice.choice([1, 10, 100])
        Fact.objects.create(**values | {"id": pk, "name": f"{pk}", "text": text, "object": ""})
    Fact.objects.filter(name="code").delete()
    Case.objects.update(kind="", factors="{}", verdict="")
    Fact.objects.filter(text__startswith=SECRET).update(text="")
    full_text.fill(space)
    mentions.fill(space)
    chain.erase_texts(space, range(space.head_position + 1))
    purging.scrub()
    assert not readable() or found_in_files() == []


def test_no_dead_row_is_kept_for_an_open_transaction_of_somebody_else():
    space = telling()
    somebody = connection.copy()
    somebody.cursor().execute("BEGIN")
    somebody.cursor().execute("SELECT 1" if connection.vendor == "sqlite" else "SELECT pg_current_xact_id()")
    erase(space)
    assert not readable() or found_in_files() == []
    somebody.close()


def test_the_reason_of_an_undo_that_repeats_the_text_goes_too():
    space = telling(passes=False)
    act = facts.accept(space, "tea", by="ana", now=LATER)
    undo.undo(space, act, by="ana", now=LATER, reason=f"I only meant that The alarm code is {SECRET}.")
    erase(space)
    assert found_in_rows() == []


def test_what_was_cut_short_before_the_files_were_scrubbed_is_scrubbed_with_the_next_act(monkeypatch):
    space = telling()
    with monkeypatch.context() as patch:
        patch.setattr(purging, "scrub", lambda: None)
        erase(space)
    assert not readable() or found_in_files() != []
    facts.accept(space, "tea", by="ana", now=LATER)
    assert not readable() or found_in_files() == []


def test_where_somebody_else_reads_on_it_says_so_and_erasing_again_finishes_it(monkeypatch):
    space = telling()
    reader = connection.copy()
    reader.cursor().execute("BEGIN")
    reader.cursor().execute("SELECT body FROM store_text").fetchall()
    monkeypatch.setattr(purging, "_PATIENCE", "100ms")
    if connection.vendor == "sqlite":
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.1)
    with pytest.raises(Refusal, match=r"^what was erased still stands in the files of the database, since somebody"):
        erase(space)
    assert found_in_rows() == []
    reader.close()
    with pytest.raises(Refusal, match=r'^the fact "code" is erased already$'):
        erase(space)
    assert not readable() or found_in_files() == []
    connection.close()


def test_the_file_that_told_it_is_known_when_it_comes_again():
    space = telling(passes=False)
    erase(space)
    before = state_hash(space)
    report = imports.import_lines(space, as_lines(*TELLING), file="a file", by="ana", now=LATER + 1)
    assert report.balance == {"new": 0, "known": len(TELLING), "refused": 0, "waiting": 0, "rejected": 0}
    assert state_hash(space) == before
    assert found_in_rows() == []
    other = [{**TELLING[3], "relation": "extends"}, {**TELLING[8], "kind": "upheld"}]  # what was not erased differs
    report = imports.import_lines(space, as_lines(*other), file="a file", by="ana", now=LATER + 2)
    assert report.balance["refused"] == 2


def test_an_export_can_be_read_whatever_was_erased_and_makes_the_same_space():
    signature = {"key": "k", "claim": "VkVSTUlMSU9OLTg4", "value": "A" * 86 + "=="}  # the claim is the secret
    signed = [
        line("fact", "door", text=f"{SECRET} opens it.", signature=signature),
        line("edge", "sure", **{"from": "code", "to": "tea"}, relation="extends", note=SECRET, signature=signature),
        line("case", "c2", kind=f"about {SECRET}", facts=["code"], factors={SECRET: 1}),
        line("event", "shut2", 3, kind="closed", of="c2", verdict=f"keep {SECRET}"),
    ]
    space = telling(*as_lines(*signed))
    erase(space)
    erase(space, "door", now=LATER + 1)
    assert found_in_rows() == []
    exported, before = list(exports.export(space)), state_hash(space)
    assert b"VkVSTUlMSU9OLTg4" not in b"".join(exported)
    report = imports.import_lines(space, exported, file="an export", by="ana", now=LATER + 2)
    assert report.balance["known"] == len(exported)
    Space.objects.filter(pk=space.pk).update(name="renamed")
    again = spaces.create("again")
    report = imports.import_lines(again, exported, file="an export", by="ana", now=LATER + 3)
    assert report.balance["new"] == len(exported)
    assert state_hash(again) == before
    assert sorted(exports.export(again)) == sorted(exported)


def test_nobody_signed_what_is_erased():
    """Neither here nor in an export is anything left that could be verified."""
    space = telling(passes=False)
    signed(space, edge("tea", "updates", "code", on=3, id="sure"))
    kept = Line.objects.get(space=space, name="sure")
    assert Statement.objects.get(space=space, position=kept.position).tier == SIGNED
    erase(space)
    assert json.loads(kept.body)["signed_by"] == "key of unknown"
    assert Statement.objects.get(space=space, position=kept.position).tier == AUTO
    assert not Signature.objects.filter(space=space, position=kept.position).exists()
    assert found_in_rows() == []


def test_an_export_of_an_import_that_was_cut_short_holds_nothing_of_what_it_erases():
    space = telling(passes=False)
    more = [
        line("event", "gone", 5, kind="erased", fact="code"),
        line("event", "late", 5, kind="restated", fact="code", note=f"It was {SECRET}"),
        line("event", "still", 5, kind="restated", fact="tea", note="tea"),
    ]
    with transaction.atomic():
        chain.append(space, [entry(parse_record(each)) for each in more])
    assert found_in_rows()  # nothing was folded since
    exported = list(exports.export(space))
    assert SECRET.encode() not in b"".join(exported)
    assert b'"note":"tea"' in b"".join(exported)
    refold(space)
    assert list(exports.export(space)) == exported


def test_an_erased_fact_travels_by_its_digest_and_makes_the_same_space():
    space = telling()
    erase(space)
    consolidate(space, by="ana", now=LATER + 1)
    exported = list(exports.export(space))
    record = json.loads(next(each for each in exported if b'"id":"code"' in each))
    assert (record["erased"], record["digest"]) == (True, Line.objects.get(space=space, name="code").text_digest)
    before = state_hash(space)
    Space.objects.filter(pk=space.pk).update(name="renamed")
    again = spaces.create("again")
    imports.import_lines(again, exported, file="an export", by="ana", now=LATER + 2)
    assert state_hash(again) == before


@pytest.mark.django_db(transaction=False)
def test_within_a_transaction_the_files_are_scrubbed_when_it_is_through(django_capture_on_commit_callbacks):
    space = telling()
    with django_capture_on_commit_callbacks() as callbacks:
        erase(space)
    assert callbacks[0] == purging.scrub
    Space.objects.update(to_scrub=False)  # as it does
    with CaptureQueriesContext(connection) as asked:
        for again in callbacks[1:]:
            again()
    assert not [each for each in asked if "VACUUM" in each["sql"]]
    with django_capture_on_commit_callbacks() as callbacks:
        constants.adopt(space, {"prior_weight": 3.0}, by="ana", now=LATER, reason="")
    assert callbacks == []
