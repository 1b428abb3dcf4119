"""What a person forgot stays forgotten: nothing brings it back but a person's word, and who tries is told so."""

import json

import pytest
from django.db import transaction

from tests.actions.world import LATER, space_of, taken
from tests.intake.terminal import edge, event
from tests.makers import day
from tests.makers import event as said
from tests.makers import fact as born
from trustmem.actions import acts, consolidation, erasing, exports, facts, imports, spaces, statements, tombstones, undo
from trustmem.actions.errors import Refusal
from trustmem.actions.verify import verify
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.store import receipts
from trustmem.store.models import Fact, Line, Reject, Space, Text, Tombstone
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

SAID = "The café's code word is PERIWINKLE-42."
SLOT = {"subject": "Café", "predicate": "code word", "object": "Periwinkle 42"}


def fact(id, text=SAID, **more):
    return {"type": "fact", "id": id, "text": text, "at": to_text(day(1)), "source": "agent", **more}


def as_lines(*records):
    return [json.dumps(each).encode() + b"\n" for each in records]


def came(space, *records, now=LATER + 9, **options):
    return imports.import_lines(space, as_lines(*records), file="a file", by="cy", now=now, **options)


def memory(*observations, name="café"):
    """An MCP memory file."""
    return {"type": "entity", "name": name, "entityType": "place", "observations": list(observations)}


def answers(report):
    return [(answer.id, answer.status) for answer in report.answers]


FIRST = as_lines(fact("code"), fact("tea", "Tea is at five."))


@pytest.fixture
def space():
    """One in which ana forgot the code word."""
    space = taken(spaces.create("diary"), FIRST)
    facts.forget(space, "code", by="ana", now=LATER, reason="It leaked.")
    return space


def names(space):
    return set(Tombstone.objects.filter(space=space).values_list("name", flat=True))


def live(space):
    return set(Fact.objects.filter(space=space, state=LIVE).values_list("name", flat=True))


def test_the_same_file_another_one_a_pass_and_a_rebuild_bring_nothing_back_and_the_refusal_is_listed(space):
    again = imports.import_lines(space, FIRST, file="a file", by="cy", now=LATER + 1)
    assert again.balance["known"] == 2
    report = came(space, fact("new"), fact("milk", "Milk is out."))
    assert answers(report) == [("new", "refused"), ("milk", "new")]
    consolidation.consolidate(space, by="clock", now=LATER + 20)
    assert verify(space, rebuild=True) == []
    Space.objects.filter(pk=space.pk).update(folded_to=0)
    acts.begin(Space.objects.get(pk=space.pk))
    assert live(space) == {"tea", "milk"}
    assert Fact.objects.get(space=space, text=SAID).state == FORGOTTEN
    (receipt,) = Reject.objects.filter(space=space)
    assert (receipt.number, receipt.status) == (1, "refused")
    (stone,) = names(space)
    assert str(report.answers[0]) == (
        f'line 1: this was forgotten by "ana" at {to_text(LATER)}, and the tombstone "{stone}" keeps it out: '
        "lift that first"
    )
    assert receipt.reason == report.answers[0].reason
    assert "PERIWINKLE" not in receipt.reason


@pytest.mark.parametrize(
    "text",
    [
        SAID.upper(),
        "The cafe\u0301's code word is PERIWINKLE-42.",
        SAID.translate({each: each + 0xFEE0 for each in range(0x21, 0x7F)}),  # of full width
        "  the CAFÉ’s   code word — is:\nperiwinkle, 42 (!)",
        "The café's code word is PERI\u200bWINKLE-42.",
        "The\u200bcafé's\u2060code\u200dword is PERI\u00adWINKLE-42.",
        "The_café's_code_word_is_PERIWINKLE‿42",
        "The café's code word is PERIWINKLE-\u0664\u0662.",
        "The caf\u0435\u0301's c\u03bfde word is P\u0395RIWINKLE-42.",
        "The café's code word is " + "".join(each + "\u0336" for each in "PERIWINKLE") + "-42.",
    ],
)
@pytest.mark.parametrize("source", ["agent", "somebody else"])
def test_however_it_is_written_and_whoever_says_it_it_is_refused(space, text, source):
    assert answers(came(space, fact("new", text, source=source))) == [("new", "refused")]
    (mine,) = answers(came(space, memory(text), source=source))[1:]
    assert mine[1] == "refused"
    assert live(space) == {"tea"}


@pytest.mark.parametrize(
    "text", ["The code word is the café's PERIWINKLE-42.", "The café's code word is PERIWINKLE-43.", "The café's code."]
)
def test_what_says_something_else_comes_in(space, text):
    assert answers(came(space, fact("new", text))) == [("new", "new")]


def test_the_same_of_the_same_is_refused_in_other_words_where_it_is_said_of_what():
    space = taken(spaces.create("diary"), as_lines(fact("code", **SLOT)))
    facts.forget(space, "code", by="ana", now=LATER)
    assert len(names(space)) == 2
    slot = {"subject": "CAFE\u0301", "predicate": "Code-word", "object": "“periwinkle” 42"}
    report = came(
        space,
        fact("new", "Say periwinkle forty-two at the café.", **slot),
        fact("other", "Say tulip.", **slot | {"object": "tulip"}),
        fact("part", "Say something.", **slot | {"object": ""}),
    )
    assert answers(report) == [("new", "refused"), ("other", "new"), ("part", "new")]


def test_to_undo_the_forgetting_lets_it_in_and_to_undo_that_keeps_it_out_again(space):
    act = Line.objects.get(space=space, tag="event.forgotten").act
    back = undo.undo(space, act, by="ana", now=LATER + 1)
    assert names(space) == set()
    assert answers(came(space, fact("new"), dry_run=True)) == [("new", "new")]
    undo.undo(space, back, by="ana", now=LATER + 2)
    assert answers(came(space, fact("new"))) == [("new", "refused")]


def test_to_restore_the_fact_lets_its_claim_in_for_as_long_as_that_stands(space):
    act = facts.restore(space, "code", by="ben", now=LATER + 1)
    lines = Line.objects.filter(space=space, act=act).order_by("position")
    assert list(lines.values_list("tag", flat=True)) == ["event.restored", "event.lifted"]
    assert answers(came(space, fact("new"), dry_run=True)) == [("new", "new")]
    undo.undo(space, act, by="ben", now=LATER + 2)
    assert answers(came(space, fact("new"))) == [("new", "refused")]


def test_to_lift_it_lets_it_in_and_is_on_record_with_its_reason():
    space = taken(spaces.create("diary"), as_lines(fact("code", **SLOT)))
    facts.forget(space, "code", by="ana", now=LATER)
    first, second = sorted(names(space))
    act = tombstones.lift(space, first, by="ben", now=LATER + 1, reason="It is in use again.")
    lines = Line.objects.filter(space=space, act=act, tag="event.lifted").order_by("position")
    assert [json.loads(each.body)["of"] for each in lines] == [first, second]
    assert json.loads(Text.objects.get(space=space, position=lines[0].position).body)["note"] == "It is in use again."
    assert answers(came(space, fact("new", **SLOT))) == [("new", "new")]
    assert Fact.objects.get(space=space, name="code").state == FORGOTTEN
    with pytest.raises(Refusal, match="is lifted already"):
        tombstones.lift(space, second, by="ben", now=LATER + 20)
    undo.undo(space, act, by="ana", now=LATER + 21)
    assert answers(came(space, fact("newer"), now=LATER + 30)) == [("newer", "refused")]


def test_what_is_no_tombstone_or_counts_no_more_is_not_lifted(space):
    with pytest.raises(Refusal, match='has no tombstone "tea"'):
        tombstones.lift(space, "tea", by="ana", now=LATER + 1)
    (stone,) = names(space)
    undo.undo(space, Line.objects.get(space=space, tag="tombstone").act, by="ana", now=LATER + 2)
    with pytest.raises(Refusal, match="counts as never set"):
        tombstones.lift(space, stone, by="ana", now=LATER + 3)


def test_another_space_is_not_concerned(space):
    other = taken(spaces.create("other"), as_lines(fact("milk", "Milk is out.")))
    assert answers(came(other, fact("new"))) == [("new", "new")]


def test_what_a_file_forgets_leaves_no_tombstone():
    space = space_of(born("tea"), said("forgotten", "tea", tier="human"))
    assert Fact.objects.get(space=space).state == FORGOTTEN
    assert names(space) == set()
    assert answers(came(space, fact("new", "What tea says."))) == [("new", "new")]


def test_who_says_again_what_a_space_has_touches_it_and_it_stays_forgotten():
    space = spaces.create("diary")
    first = imports.import_lines(space, as_lines(memory(SAID)), file="m", by="cy", now=LATER, source="agent")
    facts.forget(space, first.facts[0]["id"], by="ana", now=LATER + 1)
    assert came(space, memory(SAID), source="agent").balance["known"] == 2
    report = came(space, memory(SAID), source="another")
    assert [each.status for each in report.answers] == ["known", "new"]
    row = Fact.objects.get(space=space)
    assert (row.state, row.r) == (FORGOTTEN, 1)


def test_a_memory_file_under_another_name_is_refused_its_answers_add_up_and_its_entity_comes(space):
    report = came(space, memory(SAID, "Tea is at six.", SAID, name="The shop"), source="another")
    assert report.balance == {"new": 2, "known": 0, "refused": 2, "waiting": 0, "rejected": 0}
    assert report.brought == {"entity": 1, "fact": 1}


def test_what_names_what_was_refused_waits_and_counts_once_that_comes(space):
    at = to_text(day(2))
    file = [
        fact("new"),
        event("corroborated", "new", "yes", at, source="ben"),
        edge("updates", "tea", "new", "up", at),
        {"type": "event", "id": "no", "kind": "dismissed", "of": "up", "at": at},
    ]
    report = came(space, *file)
    assert report.balance == {"new": 0, "known": 0, "refused": 1, "waiting": 3, "rejected": 0}
    assert [answer.reason for answer in report.answers[1:]] == [
        '"fact" names "new", which was refused',
        '"to" names "new", which was refused',
        '"of" names "up", which waits itself',
    ]
    assert came(space, *file).balance == {"new": 0, "known": 3, "refused": 1, "waiting": 0, "rejected": 0}
    assert verify(space, rebuild=True) == []
    tombstones.lift(space, *names(space), by="ana", now=LATER + 10)
    assert came(space, *file, now=LATER + 11).balance["new"] == 1
    assert Fact.objects.get(space=space, name="new").r == 1
    assert verify(space, rebuild=True) == []


def test_an_export_makes_the_same_space_again_and_keeps_the_same_out():
    space = taken(spaces.create("diary"), [*FIRST, *as_lines(fact("twice", "Twice."), fact("slot", "A slot.", **SLOT))])
    for name, now in (("code", 1), ("twice", 2), ("slot", 3)):
        facts.forget(space, name, by="ana", now=LATER + now)
    facts.restore(space, "twice", by="ana", now=LATER + 4)
    undo.undo(space, facts.forget(space, "tea", by="ana", now=LATER + 5), by="ana", now=LATER + 6)
    came(space, fact("again", "Twice."), fact("new"))
    raw = list(exports.export(space))
    space.name = "renamed"
    space.save(update_fields=["name"])
    again = taken(spaces.create("again"), raw, now=day(500))
    assert state_hash(again) == state_hash(space)
    report = came(again, fact("newer"), fact("ok", "Twice!"), fact("tea2", "Tea is at five."), now=day(501))
    assert [status for _, status in answers(report)] == ["refused", "new", "new"]


def test_a_file_that_lifts_a_tombstone_brings_what_that_kept_out(space):
    (stone,) = names(space)
    lifted = {"type": "event", "id": "up", "kind": "lifted", "of": stone, "at": to_text(day(99)), "source": "ben"}
    assert answers(came(space, lifted, fact("new"))) == [("up", "new"), ("new", "new")]


def test_a_file_that_undoes_the_forgetting_brings_what_that_kept_out(space):
    act = Line.objects.get(space=space, tag="tombstone").act
    undone = {"type": "event", "id": "u", "kind": "undone", "of": act, "at": to_text(day(99)), "act": "U"}
    assert answers(came(space, undone, fact("new"))) == [("u", "new"), ("new", "new")]
    assert live(space) == {"code", "tea", "new"}


def test_an_import_that_was_cut_short_gives_the_answers_that_it_would_have_given(space, monkeypatch):
    (stone,) = names(space)
    monkeypatch.setattr(imports, "CHUNK", 1)
    digest = Line.objects.get(space=space, tag="tombstone").body
    file = [
        fact("milk", "Milk is out."),
        fact("new"),
        event("corroborated", "new", "yes", to_text(day(2))),
        # Its own tombstone, of what it has itself.
        fact("own", "Its own."),
        {"type": "tombstone", "id": "its", "digest": _digest(space, "Its own."), "at": to_text(day(3))},
        fact("later", "Its own!", at=to_text(day(4))),
    ]
    right = came(space, *file, dry_run=True).balance
    assert right == {"new": 4, "known": 0, "refused": 1, "waiting": 1, "rejected": 0}
    for _ in range(6):
        with pytest.raises(KeyboardInterrupt), monkeypatch.context() as patched:
            patched.setattr(imports, "_write", _cut_after_one(imports._write))
            came(space, *file)
        # Somebody does something in between, so that what stands of it is folded.
        facts.accept(space, "tea", by="ana", now=LATER + 20)
    report = came(space, *file)
    assert report.balance == right
    assert digest == Line.objects.get(space=space, name=stone).body
    assert Reject.objects.filter(space=space).count() == 1
    assert live(space) == {"tea", "milk", "own", "later"}
    assert verify(space, rebuild=True) == []


def _digest(space, text):
    (line,) = tombstones.setting(space, Fact(text=text), by="ana")
    return line["digest"]


def _cut_after_one(write):
    def cut(space, entries, progress, is_as_judged):
        write(space, entries[:1], progress, is_as_judged)
        raise KeyboardInterrupt

    return cut


def test_what_is_forgotten_while_a_file_is_written_is_kept_out_of_what_is_left_of_it(space, monkeypatch):
    monkeypatch.setattr(imports, "CHUNK", 1)

    def forget(done, of):
        if "tea" in live(space):
            facts.forget(Space.objects.get(pk=space.pk), "tea", by="ana", now=LATER + 5)

    first, then = fact("tea1", "Tea is at FIVE."), fact("tea2", "Tea: is at five", at=to_text(day(2)))
    report = came(space, first, then, progress=forget)
    assert answers(report) == [("tea1", "new"), ("tea2", "refused")]
    assert live(space) == {"tea1"}
    assert verify(space, rebuild=True) == []


def test_a_person_who_writes_it_anew_is_told_to_lift_it_first(space):
    with pytest.raises(Refusal, match=r'^this was forgotten by "ana" at .*: lift that first$'):
        facts.correct(space, "tea", SAID.lower(), by="ben", now=LATER + 1)
    tombstones.lift(space, *names(space), by="ben", now=LATER + 2)
    facts.correct(space, "tea", SAID.lower(), by="ben", now=LATER + 3)
    assert live(space) == {"tea", "tea-corrected"}


@pytest.mark.parametrize("text", [SAID.replace(" ", "_"), SAID.replace(" ", "\u200b"), SAID.replace("o", "\u043e")])
def test_a_person_who_writes_it_so_that_it_only_looks_alike_is_told_so_too(space, text):
    with pytest.raises(Refusal, match="lift that first"):
        facts.correct(space, "tea", text, by="ben", now=LATER + 1)


def test_a_slot_that_only_looks_alike_is_kept_out_whatever_the_text():
    space = taken(spaces.create("diary"), as_lines(fact("code", **SLOT)))
    facts.forget(space, "code", by="ana", now=LATER)
    slot = {"subject": "C\u0430fé", "predicate": "code\u200bword", "object": "periwinkle_\u0664\u0662"}
    assert answers(came(space, fact("new", "Say something.", **slot))) == [("new", "refused")]


def test_a_receipt_tells_machines_what_kept_out_what_and_whom_it_came_from(space):
    (stone,) = names(space)
    before = space.head_position
    came(space, fact("new", source="crm"), edge("updates", "tea", "tea", "loop"))
    ((position, *told),) = receipts.restored(space, 0)
    assert told == [stone, "crm", "code"]
    body = Line.objects.get(space=space, position=position).body
    assert json.loads(body) == {"number": 1, "source": "crm", "tombstone": stone}
    assert [each.position for each in receipts.restored(space, before)] == [position]
    assert receipts.restored(space, position) == []
    erasing.erase(space, "code", by="ana", now=LATER + 10, reason="Asked.")
    assert receipts.restored(space, 0)[0].fact == "code"
    undo.undo(space, Line.objects.get(space=space, name="code").imported, by="ana", now=LATER + 11)
    assert receipts.restored(space, 0)[0].fact is None


def test_of_an_act_that_forgot_several_each_tombstone_belongs_to_what_claims_it():
    space = taken(spaces.create("diary"), [*FIRST, *as_lines(fact("slot", "A slot.", **SLOT))])
    both = Fact.objects.filter(space=space, name__in=["tea", "slot"])
    with transaction.atomic():
        act = acts.begin(space)
        lines = [acts.event("forgotten", fact=each.name, by="ana") for each in both]
        lines += [line for each in both for line in tombstones.setting(space, each, by="ana")]
        acts.write(space, lines, act=act, now=LATER)
    came(space, fact("tea2", "tea is at five"), fact("slot2", "Another text.", **SLOT))
    assert [each.fact for each in receipts.restored(space, 0)] == ["tea", "slot"]
    tombstones.lift(space, receipts.restored(space, 0)[1].tombstone, by="ana", now=LATER + 10)
    assert [status for _, status in answers(came(space, fact("a", "Tea is at five"), fact("b", "A slot!")))] == [
        "refused",
        "new",
    ]


def test_the_same_file_has_a_receipt_for_each_tombstone_that_kept_it_out_and_no_more(space):
    for _ in range(3):
        came(space, fact("new"))
    assert len(receipts.restored(space, 0)) == 1
    facts.restore(space, "code", by="ana", now=LATER + 10)
    facts.forget(space, "code", by="ben", now=LATER + 11)
    came(space, fact("new"), now=LATER + 12)
    assert len({each.tombstone for each in receipts.restored(space, 0)}) == 2


def test_a_tombstone_tells_nothing_of_the_text_and_erasing_the_fact_leaves_it(space):
    lines = Line.objects.filter(space=space, tag="tombstone")
    assert [sorted(json.loads(each.body)) for each in lines] == [["by", "digest"]]
    assert [each.text_digest for each in lines] == [""]
    erasing.erase(space, "code", by="ana", now=LATER + 1, reason="Asked.")
    assert answers(came(space, fact("new"))) == [("new", "refused")]


def test_a_reason_that_came_with_a_tombstone_goes_with_the_text_of_the_fact():
    stone = {"type": "tombstone", "id": "t", "digest": "0f", "act": "A", "reason": f"Not {SAID}", "at": to_text(day(2))}
    other = stone | {"id": "u", "act": "B", "reason": "Of something else."}
    forgotten = event("forgotten", "code", "f", to_text(day(2)), act="A", tier="human")
    space = taken(spaces.create("diary"), [*FIRST, *as_lines(forgotten, stone, other)])
    erasing.erase(space, "code", by="ana", now=LATER, reason="Asked.")
    texts = {
        line.name: Text.objects.get(space=space, position=line.position).body
        for line in Line.objects.filter(space=space, tag="tombstone", name__in="tu")
    }
    assert texts == {"t": "", "u": '{"reason":"Of something else."}'}


def test_a_ruling_that_forgets_keeps_it_out_and_one_that_brings_it_back_lets_it_in():
    wanted = event("forgotten", "code", "wanted", to_text(day(2)), source="agent")
    space = taken(spaces.create("diary"), as_lines(fact("code", tier="human"), wanted))
    assert live(space) == {"code"}
    statements.rule(space, "wanted", "upheld", by="ana", now=LATER)
    assert live(space) == set()
    assert answers(came(space, fact("new"))) == [("new", "refused")]
    statements.rule(space, "wanted", "dismissed", by="ana", now=LATER + 10)
    assert answers(came(space, fact("new"))) == [("new", "new")]
    assert live(space) == {"code", "new"}
