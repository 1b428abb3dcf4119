"""Erasing: the text of a fact goes for good, and of all that was said about it; its numbers stay."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from django.db import transaction

from trustmem.actions import acts, passages, purging, tombstones
from trustmem.actions.errors import Refusal
from trustmem.actions.passages import Span
from trustmem.core.vocabulary import ERASED, RELATIONS
from trustmem.store import bulk, full_text
from trustmem.store.chain import canonical
from trustmem.store.models import Edge, Fact, Line, SavedView, Space, Text

_DERIVES = RELATIONS.index("derives")
#: So many words of the text in a row are too many for a reason.
_RUN = 5
#: So many facts are found at most that nothing leads to.
_MOST = 100


def erase(space: Space, fact: str, *, by: str, now: int, reason: str, also: Collection[str] = ()) -> str:
    """Empty every text about a fact, and `also` about others with it, which no undo brings back; and keep out what they
    claimed, by keyed digests. The id of the act.

    What it leaves and where: `purging.scrub`. The reason stays on record, so it must not repeat the text. Raises
    Refusal for what is unknown or erased already; a fact of an undone act can be erased too.
    """
    with transaction.atomic():
        act = acts.begin(space)
        names = list(dict.fromkeys([fact, *also]))
        for name in names:
            acts.found(space, name)
        erased = purging.erased(space)
        left = [name for name in names if name not in erased]
        if left:
            _ask_of_reason(space, left, reason)
            _forget_views(space, left)
            gone = [acts.event("erased", fact=name, by=by, reason=reason) for name in left]
            return acts.write(space, [*gone, *_keeping_out(space, left, by)], act=act, now=now)
    transaction.on_commit(purging.scrub)
    raise Refusal(f'the fact "{fact}" is erased already')


def _keeping_out(space: Space, names: Collection[str], by: str) -> Iterator[Mapping[str, Any]]:
    """The tombstones of facts, be they forgotten: what that set goes where it is undone, and the text does not come
    back."""
    for row in Fact.objects.filter(space=space, name__in=names).order_by("pk"):
        yield from tombstones.setting(space, row, by=by)


def _ask_of_reason(space: Space, names: Collection[str], reason: str) -> None:
    repeated = passages.repeated(reason, says(space, names), _RUN)
    if repeated or any(purging.repeats(space, name, reason) for name in names):
        raise Refusal("the reason repeats the text that it is to erase, and would stay on record")


def _forget_views(space: Space, names: Collection[str]) -> None:
    """Views that people have saved tell what they look for."""
    said = says(space, names)
    for view in SavedView.objects.filter(space=space):
        asked = [value for _, value in parse_qsl(view.query.lstrip("?"))]
        if passages.repeated(" ".join([view.title, *asked]), said):
            view.delete()


def says(space: Space, names: Iterable[str]) -> list[str]:
    """What facts say, and of what: their texts and objects, as far as these are not erased; be they undone."""
    positions = Line.objects.filter(space=space, tag="fact", name__in=list(names)).values("position")
    bodies = Text.objects.filter(space=space, position__in=positions).exclude(body="")
    told = [json.loads(body) for body in bodies.values_list("body", flat=True)]
    return [each[name] for name in ("text", "object") for each in told if each.get(name)]


class Repeating(NamedTuple):
    """A fact that may tell what another one tells, and where in its text it does; `is_derived`: it was made from it."""

    fact: Fact
    spans: list[Span]
    is_derived: bool


def repeating(space: Space, name: str) -> list[Repeating]:
    """The facts that were made from one, be it by way of others, whatever they say; and others that say the same."""
    said = says(space, [name])
    made = set(_made_from(space, name))
    found = [_repeating(row, said, is_derived=True) for row in _rows(made)]
    others = _rows({pk for pk in _saying(space, said) if pk not in made})
    found += [each for row in others if row.name != name and (each := _repeating(row, said, is_derived=False)).spans]
    return sorted(found, key=lambda each: (not each.is_derived, not each.spans, each.fact.name))


class Noted(NamedTuple):
    """Where somebody noted what a fact says, or a word of it that looks like a code: about which facts, and how often
    about none."""

    facts: list[str]
    elsewhere: int


def noted(space: Space, name: str) -> Noted:
    """Where what a fact says, or a word of it that looks like a code, stays when it is erased, since the note is about
    something else."""
    phrases = {canonical(phrase)[1:-1] for each in says(space, [name]) for phrase in _telling(each)}
    facts = Line.objects.filter(space=space, tag="fact").values("position")
    texts = Text.objects.filter(space=space).exclude(position__in=facts)
    found = {at for phrase in phrases for at in texts.filter(body__contains=phrase).values_list("position", flat=True)}
    about = list(purging.facts_of(space, found - set(purging.about(space, [name]))))
    return Noted(sorted(set().union(*about)), sum(not each for each in about))


def _telling(text: str) -> Iterator[str]:
    """All of a text, unless it is too short to tell anything, and its words that look like codes."""
    if len(text.split()) >= passages.RUN:
        yield text.strip(" .!?")
    yield from passages.codes(text)


def _repeating(row: Fact, said: list[str], *, is_derived: bool) -> Repeating:
    return Repeating(row, passages.repeated(row.text, said), is_derived)


def _made_from(space: Space, name: str) -> Iterator[int]:
    """The keys of facts to which `derives` edges lead, be they live or not."""
    seen = set(Fact.objects.filter(space=space, name=name).values_list("pk", flat=True))
    ahead = set(seen)
    edges = Edge.objects.filter(space=space, relation=_DERIVES)
    while ahead:
        newer = {
            pk for chunk in bulk.chunks(ahead) for pk in edges.filter(older__in=chunk).values_list("newer", flat=True)
        }
        ahead = newer - seen
        seen |= ahead
        yield from ahead


def _saying(space: Space, said: list[str]) -> Iterator[int]:
    """The keys of facts that say all of it, or one of its words that look like codes."""
    phrases = {*said, *(code for each in said for code in passages.codes(each))}
    for phrase in sorted(phrases):
        quoted = phrase.replace('"', " ")
        yield from full_text.search(space, f'"{quoted}"', _MOST)


def _rows(pks: Collection[int]) -> Iterator[Fact]:
    for chunk in bulk.chunks(pks):
        yield from Fact.objects.filter(pk__in=chunk).exclude(state=ERASED)
