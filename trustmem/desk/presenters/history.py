"""What happened to a fact, in sentences, each with what became of it."""

from collections.abc import Mapping
from typing import NamedTuple

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy

from trustmem.core.vocabulary import BY_PEOPLE
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import verdicts
from trustmem.desk.presenters.claim import Found
from trustmem.desk.presenters.links import called, linked
from trustmem.desk.presenters.texts import beginning
from trustmem.explanations.effects import UNDONE, WAITING
from trustmem.explanations.memory import Memory
from trustmem.formats import rfc3339
from trustmem.store.feedback import is_implicit

#: Of a long history a page shows so many lines until it is asked for all.
MOST_SHOWN = 25
_LONGEST_NOTE = 400

#: By kind, for edges with the direction as seen from the fact, and whether the line takes it back.
SENTENCES = {
    "fact": gettext_lazy("{by} said it for the first time"),
    "case": gettext_lazy("{case} was opened about it"),
    "event.restated": gettext_lazy("{by} said it again"),
    "event.corroborated": gettext_lazy("{by} said that it is so"),
    "event.recalled": gettext_lazy("{by} read it"),
    "event.injected": gettext_lazy("{by} put it in a prompt"),
    "event.contradicted": gettext_lazy("{by} said that it is wrong"),
    "event.accepted": gettext_lazy("{by} accepted it"),
    "event.forgotten": gettext_lazy("{by} forgot it"),
    "event.restored": gettext_lazy("{by} restored it"),
    "event.erased": gettext_lazy("{by} erased its text for good"),
    "event.dismissed": gettext_lazy("{by} dismissed this: {of}"),
    "event.upheld": gettext_lazy("{by} upheld this: {of}"),
    "event.undone": gettext_lazy("{by} undid this: {of}"),
    "event.revoked": gettext_lazy("{by} revoked the key {of}"),
    "event.lifted": gettext_lazy("{by} lifted the tombstone {of}"),
    "event.closed": gettext_lazy("{by} decided {case}: {verdict}"),
    "feedback.helpful": gettext_lazy("{by} found it helpful"),
    "feedback.helpful confirmed": gettext_lazy("{by} found it helpful, and that it is so"),
    "feedback.helpful implicit": gettext_lazy("{by} was given it and used it"),
    "feedback.unhelpful": gettext_lazy("{by} found it unhelpful"),
    "feedback.unhelpful implicit": gettext_lazy("{by} was given it and asked the same again"),
    "feedback.corrected": gettext_lazy("{by} corrected what it says"),
    "feedback.ignored": gettext_lazy("{by} was given it and did not use it"),
    "edge.updates from": gettext_lazy("{by} said that it updates {other}"),
    "edge.updates to": gettext_lazy("{by} said that {other} updates it"),
    "edge.extends from": gettext_lazy("{by} said that it adds to {other}"),
    "edge.extends to": gettext_lazy("{by} said that {other} adds to it"),
    "edge.derives from": gettext_lazy("{by} said that it was made from {other}"),
    "edge.derives to": gettext_lazy("{by} said that {other} was made from it"),
    "edge.contradicts from": gettext_lazy("{by} said that it contradicts {other}"),
    "edge.contradicts to": gettext_lazy("{by} said that {other} contradicts it"),
    "edge.updates from removed": gettext_lazy("{by} took back that it updates {other}"),
    "edge.updates to removed": gettext_lazy("{by} took back that {other} updates it"),
    "edge.extends from removed": gettext_lazy("{by} took back that it adds to {other}"),
    "edge.extends to removed": gettext_lazy("{by} took back that {other} adds to it"),
    "edge.derives from removed": gettext_lazy("{by} took back that it was made from {other}"),
    "edge.derives to removed": gettext_lazy("{by} took back that {other} was made from it"),
    "edge.contradicts from removed": gettext_lazy("{by} took back that it contradicts {other}"),
    "edge.contradicts to removed": gettext_lazy("{by} took back that {other} contradicts it"),
}
#: Of these no person can make it that they had never been.
_FINAL = ("event.erased",)


class Happening(NamedTuple):
    """A line about a fact. `act` is offered to be undone; '': it is none, or it was, or the line before has it."""

    sentence: SafeString
    effect: str | SafeString
    note: str
    run: str
    at: When
    act: str
    is_void: bool


class History(NamedTuple):
    """Lines, newest first, and the link to all of them ('': these are all)."""

    lines: list[Happening]
    show_all: str


def history(asked: Memory, found: Found, space: str, *, all_of_it: bool) -> History:
    """What happened to the fact of an explanation, newest first."""
    told = list(reversed(found["history"]))
    shown = told if all_of_it else told[:MOST_SHOWN]
    teller = _Teller(asked, told, space)
    acts = set[str]()
    lines = []
    for each in shown:
        act = teller.undoable(each)
        lines.append(teller.happening(each, "" if act in acts else act))
        acts.add(act)
    count = whole(len(told))
    return History(lines, "" if len(shown) == len(told) else gettext("Show all {count} lines").format(count=count))


def key(told: Found, how: str = "") -> str:
    """Which of SENTENCES says a line; of feedback, `how` it was given, where one says that."""
    parts = [told["kind"], told["direction"], told["removed"] and "removed", how]
    return " ".join(part for part in parts if part)


class _Teller:
    """Tells the lines of one history, which speak of each other."""

    def __init__(self, asked: Memory, told: list[Found], space: str) -> None:
        self.asked, self.space = asked, space
        self.by_id = {each["id"]: each for each in told}
        self.by_act = {
            each["act"]: each for each in told if each["act"]
        }  # the first line of each: told is newest first
        undone = [each for each in told if each["kind"] == "event.undone" and each["became"] != UNDONE]
        self.undone_by = {self._record(each)["of"]: each["by"] for each in undone}

    def _record(self, told: Found) -> Mapping[str, object]:
        record: Mapping[str, object] = self.asked.reading.records[told["id"]]
        return record

    def happening(self, told: Found, act: str) -> Happening:
        return Happening(
            sentence=self.sentence(told),
            effect=self._effect(told),
            note=beginning(told["note"] or "", _LONGEST_NOTE),
            run="" if told["kind"] == "case" else told["run"],
            at=when(rfc3339.parse(told["at"]), self.asked.now),
            act=act,
            is_void=told["became"] == UNDONE,
        )

    def sentence(self, told: Found, is_within: bool = False) -> SafeString:
        """A line as a sentence; within another one it names what it speaks of by its id."""
        record = self._record(told)
        of = str(record.get("of") or "")
        return format_html(
            str(SENTENCES[key(told, self._how(told))]),
            by=called(told["by"]),
            other=self._other(told),
            of=called(of) if is_within else self._of(of),
            case=self._case(told),
            verdict=verdicts.word(str(record.get("verdict") or gettext("(erased)"))),
        )

    def _how(self, told: Found) -> str:
        """How a feedback was given."""
        if told["kind"] == "feedback.helpful" and self._record(told)["confirmed"]:
            return "confirmed"
        is_told = f"{told['kind']} implicit" in SENTENCES
        return "implicit" if is_told and is_implicit(told["id"], told["act"]) else ""

    def _case(self, told: Found) -> str:
        """The case that a line opens or closes, by a link to its page unless that is undone."""
        if told["kind"] == "event.closed":
            at = reverse("case", args=[self.space, self._record(told)["of"]])
            return format_html('<a href="{}">{}</a>', at, gettext("the case about it"))
        if told["kind"] != "case" or told["became"] == UNDONE:
            return gettext("A case")
        return format_html('<a href="{}">{}</a>', reverse("case", args=[self.space, told["id"]]), gettext("A case"))

    def _of(self, name: str) -> SafeString:
        """The line that another one speaks of, by its id or that of its act."""
        told = self.by_id.get(name) or self.by_act.get(name)
        return format_html("“{}”", self.sentence(told, is_within=True)) if told else called(name)

    def _other(self, told: Found) -> SafeString | str:
        other = told["other"]
        if other is None:
            return ""
        if other["id"] not in self.asked.row:
            return called(other["id"])
        return linked(self.space, other["id"], other["text"], other["state"])

    def _effect(self, told: Found) -> str | SafeString:
        if told["became"] != UNDONE:
            return told["effect"] or ""
        by = self.undone_by.get(told["act"]) or self.undone_by.get(self.asked.imports.get(told["id"]))
        return format_html(gettext("undone by {by}"), by=called(by)) if by else told["effect"]

    def undoable(self, told: Found) -> str:
        """The act of a line, where a person made it and it can be undone; '' for others."""
        record = self._record(told)
        by_person = record.get("tier") == "human" or record.get("kind") in BY_PEOPLE
        if not by_person or told["kind"] in _FINAL or told["became"] in (UNDONE, WAITING):
            return ""
        return told["act"] or ""
