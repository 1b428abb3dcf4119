"""What a line of the log says, in a sentence: as HTML for a page, and as plain text for a file.

Every line has one, whatever its tag (tests/desk/test_log.py).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext

from trustmem.actions.consolidation import BREAKER
from trustmem.actions.verdicts import OFFERED
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.imports import what_was_brought
from trustmem.desk.presenters.links import called, linked
from trustmem.desk.presenters.texts import beginning
from trustmem.explanations import cases
from trustmem.explanations.text import visible
from trustmem.store.cases import SAMPLE
from trustmem.store.feedback import is_implicit

#: So much of a text stands in a sentence.
_LONGEST = 80

#: By tag, and after a space what tells lines of one tag apart.
SENTENCES = {
    "space": gettext_lazy("The space began"),
    "constants": gettext_lazy("{by} put version {version} of the constants in force: {values}"),
    "constants first": gettext_lazy("The constants began as version {version}"),
    "key": gettext_lazy("The key {id} was registered for {source}"),
    "entity": gettext_lazy("The entity {id} was named {name}"),
    "fact": gettext_lazy("{by} said {fact}"),
    "link": gettext_lazy("{one} was linked with {other}: {relation}"),
    "edge.updates": gettext_lazy("{by} said that {fact} updates {other}"),
    "edge.updates removed": gettext_lazy("{by} took back that {fact} updates {other}"),
    "edge.extends": gettext_lazy("{by} said that {fact} adds to {other}"),
    "edge.extends removed": gettext_lazy("{by} took back that {fact} adds to {other}"),
    "edge.derives": gettext_lazy("{by} said that {fact} was made from {other}"),
    "edge.derives removed": gettext_lazy("{by} took back that {fact} was made from {other}"),
    "edge.contradicts": gettext_lazy("{by} said that {fact} contradicts {other}"),
    "edge.contradicts removed": gettext_lazy("{by} took back that {fact} contradicts {other}"),
    "event.restated": gettext_lazy("{by} said {fact} again"),
    "event.corroborated": gettext_lazy("{by} said that it is so: {fact}"),
    "event.recalled": gettext_lazy("{by} read {fact}"),
    "event.injected": gettext_lazy("{by} put {fact} in a prompt"),
    "event.contradicted": gettext_lazy("{by} said that it is wrong: {fact}"),
    "event.accepted": gettext_lazy("{by} accepted {fact}"),
    "event.forgotten": gettext_lazy("{by} forgot {fact}"),
    "event.restored": gettext_lazy("{by} restored {fact}"),
    "event.erased": gettext_lazy("{by} erased the text of {fact} for good"),
    "event.dismissed": gettext_lazy("{by} dismissed this: {of}"),
    "event.upheld": gettext_lazy("{by} upheld this: {of}"),
    "event.undone": gettext_lazy("{by} undid this: {of}"),
    "event.revoked": gettext_lazy("{by} revoked the key {of}: {why}"),
    "event.lifted": gettext_lazy("{by} lifted the tombstone {of}"),
    "event.closed": gettext_lazy("{by} decided {case}: {verdict}"),
    "feedback.helpful": gettext_lazy("{by} found {fact} helpful"),
    "feedback.helpful confirmed": gettext_lazy("{by} found {fact} helpful, and that it is so"),
    "feedback.helpful implicit": gettext_lazy("{by} was given {fact} and used it"),
    "feedback.unhelpful": gettext_lazy("{by} found {fact} unhelpful"),
    "feedback.unhelpful implicit": gettext_lazy("{by} was given {fact} and asked the same again"),
    "feedback.corrected": gettext_lazy("{by} corrected {fact}"),
    "feedback.ignored": gettext_lazy("{by} was given {fact} and did not use it"),
    "tombstone": gettext_lazy("{by} put up the tombstone {id}: what it stands for must not come back"),
    "case": gettext_lazy("Opened for a person to decide: {case}"),
    "pass": gettext_lazy("A pass was taken: {did}"),
    "pass asked": gettext_lazy("{by} had a pass taken: {did}"),
    "import": gettext_lazy("{by} imported {file}, which brought {brought}"),
    "refused": gettext_lazy("Record {number} of a file was refused: {reason}"),
    "rejected": gettext_lazy("Record {number} of a file was not understood: {reason}"),
}
_CASES = {
    "": gettext_lazy("a case ({kind})"),
    "one": gettext_lazy("a case ({kind}) about {one}"),
    "two": gettext_lazy("a case ({kind}) about {one} and {other}"),
    "many": gettext_lazy("a case ({kind}) about {count} facts"),
}
_WHY_REVOKED = {"lost": gettext_lazy("it was lost"), "compromised": gettext_lazy("it was compromised")}
#: Of the lines of an act, which tells best what it did.
_FIRST = (
    ("event.closed",),
    ("event.undone", "constants", "key", "event.revoked", "event.lifted"),
    ("fact",),
    ("event.erased", "event.forgotten", "event.restored"),
    ("event.dismissed",),
    ("event.accepted",),
    ("edge.updates", "edge.contradicts"),
)
#: What the desk offers.
_VERDICTS = {verdict for offered in OFFERED.values() for verdict in offered}
#: What these are about has a name and no sentence.
_BY_NAME = ("revoked", "lifted")
#: What goes with something else, and is no deed of its own.
_COMPANIONS = ("event.upheld", "tombstone")


class Fact(NamedTuple):
    """A fact by its text, with a link where it has a page; `instead` of the text stands what is ours ('': the text)."""

    id: str
    text: str
    instead: str
    has_page: bool


class Name(NamedTuple):
    """A name as it is."""

    name: str


class Words(NamedTuple):
    """Words of somebody, in quotes; None: they are erased."""

    words: str | None


class Saying(NamedTuple):
    """A sentence with places for what it names; `is_quoted` within another one."""

    says: str
    names: Mapping[str, Any]
    is_quoted: bool = False


class Linked(NamedTuple):
    """Something that leads to a page of the desk, by the name of its address and of what that is of."""

    what: Any
    page: str
    of: str


class Named(NamedTuple):
    """What the lines name that are to be told, by ids: facts, the makers of facts, cases as they were opened, who asked
    for passes and what these did, and what was said in lines, acts, imports and passes."""

    facts: Mapping[str, Fact]
    makers: Mapping[str, str]
    cases: Mapping[str, Saying]
    askers: Mapping[str, str]
    did: Mapping[str, str]
    said: Mapping[str, Saying]

    def fact(self, id: str) -> Fact | Name:
        """A fact; its id where nothing is known of it."""
        return self.facts.get(id) or Name(id)


def html(piece: Any, space: str) -> SafeString | str:
    """A sentence, or what stands in one, for a page of a space."""
    match piece:
        case Saying():
            places = {name: html(each, space) for name, each in piece.names.items()}
            told = format_html(piece.says, **places) if places else piece.says
            return format_html("“{}”", told) if piece.is_quoted else told
        case Fact(has_page=True, instead=""):
            return format_html("“{}”", linked(space, piece.id, piece.text))
        case Fact(has_page=True):
            return format_html('<a href="{}">{}</a>', reverse("fact", args=[space, piece.id]), piece.instead)
        case Fact():
            return piece.instead or format_html("“{}”", called(beginning(piece.text, _LONGEST)))
        case Name():
            return called(beginning(piece.name, _LONGEST))
        case Words(str(words)):
            return format_html("“{}”", called(beginning(words, _LONGEST)))
        case Words():
            return gettext("(erased)")
        case Linked():
            at = reverse(piece.page, args=[space, piece.of])
            return format_html('<a href="{}">{}</a>', at, html(piece.what, space))
    return str(piece)


def text(piece: Any) -> str:
    """The same as plain text."""
    match piece:
        case Saying():
            told = piece.says.format(**{name: text(each) for name, each in piece.names.items()})
            return f"“{told}”" if piece.is_quoted else told
        case Fact():
            return piece.instead or f"“{visible(beginning(piece.text, _LONGEST))}”"
        case Name():
            return visible(piece.name)
        case Words(str(words)):
            return f"“{visible(beginning(words, _LONGEST))}”"
        case Words():
            return gettext("(erased)")
        case Linked():
            return text(piece.what)
    return str(piece)


def key(line: Mapping[str, Any]) -> str:
    """Which of SENTENCES says a line."""
    if line.get("removed"):
        return f"{line['tag']} removed"
    if line.get("confirmed") and line["tag"] == "feedback.helpful":
        return f"{line['tag']} confirmed"
    if line["tag"] == "constants" and not line.get("author"):
        return "constants first"
    implicit = f"{line['tag']} implicit"
    if implicit in SENTENCES and is_implicit(line["id"], line.get("act")):
        return implicit
    return str(line["tag"])


def saying(line: Mapping[str, Any], named: Named) -> Saying:
    """What a line says; it is a record with its `tag`."""
    which = key(line)
    if line["tag"] == "pass" and maker(line, named):
        which = "pass asked"
    return Saying(str(SENTENCES[which]), _places(line, named))


def maker(line: Mapping[str, Any], named: Named) -> str:
    """Whose line it is: by default that of the source of its fact; '': nobody's."""
    if line["tag"] in ("key", "pass"):  # the source of a key is whom it is for
        return named.askers.get(line["id"], "")
    own = line.get("by") or line.get("author") or line.get("source")
    about = line.get("fact") or line.get("from") or ""
    return str(own or named.makers.get(about) or "")


def _places(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    """What stands in the places of a sentence."""
    return {"id": Name(line["id"])} | _by(line, named) | _OF_TYPES.get(line["type"], _nothing)(line, named)


def _by(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    by = maker(line, named)
    return {"by": gettext("The breaker") if by == BREAKER else Name(by) if by else gettext("Somebody")}


def _nothing(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    return {}


def _of_constants(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    values = ", ".join(f"{name} = {json.dumps(value)}" for name, value in line["values"].items())
    return {"version": whole(line["version"]), "values": Name(values)}


def _of_key(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    return {"source": Name(line["source"])}


def _of_entity(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    return {"name": _words(line, "name")}


def _of_fact(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    return {"fact": named.fact(line["id"])}


def _of_link(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    ends = [Name(line[f"{end}_name"] or line[end]) for end in ("from", "to")]
    return {"one": ends[0], "other": ends[1], "relation": _words(line, "relation")}


def _of_edge(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    return {"fact": named.fact(line["from"]), "other": named.fact(line["to"])}


def _of_event(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    if line["fact"]:
        fact = named.fact(line["fact"])
        if line["kind"] == "erased" and isinstance(fact, Fact):
            fact = fact._replace(instead=gettext("a fact"))
        return {"fact": fact}
    if line["kind"] == "closed":
        return {"case": named.cases.get(line["of"], Name(line["of"])), "verdict": _verdict(line)}
    why = _WHY_REVOKED.get(line["reason"] or "", "")
    of = named.said.get(line["of"]) or (Name(line["of"]) if line["kind"] in _BY_NAME else gettext("something"))
    return {"of": of, "why": str(why)}


def _verdict(line: Mapping[str, Any]) -> Words | str:
    """One of those that the desk offers, or what somebody wrote."""
    words = _words(line, "verdict")
    return cases.verdict(words.words) if words.words in _VERDICTS else words


def _of_feedback(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    return {"fact": named.fact(line["fact"])}


def _of_case(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    return {"case": named.cases[line["id"]]}


def _of_pass(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    return {"did": named.did.get(line["id"], "")}


def _of_import(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    file = Name(line["file"]) if line.get("file") else Words(None)
    return {"file": file, "brought": what_was_brought(line.get("brought", {})) or gettext("nothing new")}


def _of_receipt(line: Mapping[str, Any], named: Named) -> dict[str, Any]:
    return {"number": whole(line["number"]), "reason": _words(line, "reason")}


def _words(line: Mapping[str, Any], field: str) -> Words:
    return Words(None if line.get("erased") else line.get(field) or "")


_OF_TYPES: Mapping[str, Callable[[Mapping[str, Any], Named], dict[str, Any]]] = {
    "constants": _of_constants,
    "key": _of_key,
    "entity": _of_entity,
    "fact": _of_fact,
    "link": _of_link,
    "edge": _of_edge,
    "event": _of_event,
    "feedback": _of_feedback,
    "case": _of_case,
    "pass": _of_pass,
    "import": _of_import,
    "refused": _of_receipt,
    "rejected": _of_receipt,
}


def of_case(line: Mapping[str, Any], facts: Callable[[str], Fact | Name], *, has_page: bool) -> Saying:
    """A case by its kind, which leads to its page, and what it is about."""
    names = list(line["facts"])
    kind: Any = gettext("erased") if line.get("erased") else _kind(line["kind"])
    kind = Linked(kind, "case", line["id"]) if has_page else kind
    places: dict[str, Any] = {"kind": kind, "count": whole(len(names))}
    places |= {place: facts(name) for place, name in zip(("one", "other"), names, strict=False)}
    which = ("", "one", "two")[len(names)] if len(names) < 3 else "many"
    return Saying(str(_CASES[which]), places)


def _kind(name: str) -> Name | str:
    """A kind of case that the desk opens, or what somebody wrote in a file."""
    return cases.kind(name) if name in OFFERED else Name(name)


def of_act(lines: Sequence[Mapping[str, Any]], tags: Mapping[str, int], named: Named) -> Saying:
    """What an act did, by the first of its lines and by how many of each tag it has: what these come to together, or
    what the line says that matters most, and whether there are more that do not just go with it."""
    told = sorted(lines, key=_rank)
    main = told[0]
    if tags["event.closed"] > 1:
        places = _places(main, named) | {"count": whole(tags["event.closed"])}
        return Saying(gettext("{by} decided {count} cases alike: {verdict}"), places)
    newer = {line["from"]: line for line in told if line["tag"] == "edge.updates" and not line["removed"]}
    if main["tag"] == "fact" and (edge := newer.get(main["id"])):
        return Saying(gettext("{by} put {fact} in the place of {other}"), _places(edge, named) | _by(main, named))
    if main["tag"] == "case" and main["kind"] == SAMPLE:
        says = ngettext(
            "{by} had {count} fact drawn at random, to be asked about",
            "{by} had {count} facts drawn at random, to be asked about",
            tags["case"],
        )
        return Saying(says, {"by": _drawer(main), "count": whole(tags["case"])})
    if any(is_implicit(line["id"], line.get("act")) for line in told):
        return _of_search(tags, _by(main, named))
    more = sum(count for tag, count in tags.items() if tag not in _COMPANIONS) - (main["tag"] not in _COMPANIONS)
    return Saying(gettext("{what}, and more"), {"what": saying(main, named)}) if more else saying(main, named)


def _of_search(tags: Mapping[str, int], by: Mapping[str, Any]) -> Saying:
    """What came of a search as a whole."""
    if again := tags["feedback.unhelpful"]:
        says = ngettext(
            "{by} asked the same again: {count} fact was of no help",
            "{by} asked the same again: {count} facts were of no help",
            again,
        )
        return Saying(says, {**by, "count": whole(again)})
    used, ignored = tags["feedback.helpful"], tags["feedback.ignored"]
    says = ngettext(
        "{by} used {used} of {count} fact that a search found",
        "{by} used {used} of {count} facts that a search found",
        used + ignored,
    )
    return Saying(says, {**by, "used": whole(used), "count": whole(used + ignored)})


def _drawer(line: Mapping[str, Any]) -> Name | str:
    """Who had facts drawn, by what a case says of that."""
    match line["factors"]:
        case {"sample": {"by": str(by)}} if by:
            return Name(by)
    return gettext("Somebody")


def _rank(line: Mapping[str, Any]) -> int:
    """What matters more comes first."""
    return next((place for place, tags in enumerate(_FIRST) if line["tag"] in tags), len(_FIRST))
