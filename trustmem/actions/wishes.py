"""Wishes: an agent asks that a fact be forgotten which is not its own to forget. That is a case: a person decides, and
until then nothing about the fact changes."""

from django.db import transaction

from trustmem.actions import acts, cases, opening
from trustmem.actions.errors import Refusal
from trustmem.actions.finding import Finding
from trustmem.actions.speakers import Speaker
from trustmem.core.instants import NEVER, to_text
from trustmem.store.cases import FORGET_WISH, key
from trustmem.store.models import Case, Fact


@transaction.atomic
def ask_to_forget(speaker: Speaker, fact: Fact, *, now: int, reason: str = "") -> str:
    """Ask for a fact to be forgotten; the case by which a person decides, which may be there already. Within the act of
    whoever asks. Raises Refusal where a person has decided it: then there is nothing to ask any more."""
    space = speaker.space
    said = {"source": speaker.source} | ({"run": speaker.run} if speaker.run else {})
    said |= {"note": reason} if reason.strip() else {}
    asked = opening.opened_by(space, [Finding(FORGET_WISH, (fact.name,), (), stands=True, told=said)])
    if asked:
        acts.append(space, [each | {"at": now, "arrived": acts.stamp(space, now)} for each in asked])
    rows = Case.objects.filter(space=space, key=key(space, FORGET_WISH, [fact.name])).order_by("position")
    case = next((each for each in rows if each.closed_at == NEVER), None)
    if case is not None:
        return case.name
    closing = next(filter(None, (cases.closing(space, each) for each in reversed(rows))))
    raise Refusal(f'{closing.by or "somebody"} was asked, and decided at {to_text(closing.at)}: "{closing.verdict}"')
