"""Erasing: the text of a fact goes for good, and of all that was said about it; its numbers stay."""

from django.db import transaction

from trustmem.actions import acts, purging
from trustmem.actions.errors import Refusal
from trustmem.store.models import Space


def erase(space: Space, fact: str, *, by: str, now: int, reason: str) -> str:
    """Empty every text about a fact, which no undo brings back. The id of the act.

    What it leaves and where: `purging.scrub`. The reason stays on record, so it must not repeat the text. Raises
    Refusal for what is unknown or erased already; a fact of an undone act can be erased too.
    """
    with transaction.atomic():
        act = acts.begin(space)
        acts.found(space, fact)
        if fact not in purging.erased(space):
            if purging.repeats(space, fact, reason):
                raise Refusal("the reason repeats the text that it is to erase, and would stay on record")
            return acts.write(space, [acts.event("erased", fact=fact, by=by, reason=reason)], act=act, now=now)
    transaction.on_commit(purging.scrub)
    raise Refusal(f'the fact "{fact}" is erased already')
