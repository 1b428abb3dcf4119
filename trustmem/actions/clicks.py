"""Clicks: the same form sent twice has one effect, and both are answered with what it was."""

from collections.abc import Callable

from django.db import transaction

from trustmem.actions import folding
from trustmem.actions.errors import Refusal
from trustmem.core.instants import span
from trustmem.store import chain
from trustmem.store.models import Click, Space, Told

#: How long a form may come again (µs).
_KEPT = span(7)


@transaction.atomic
def once(space: Space, token: str, do: Callable[[], str], *, by: str, now: int) -> str:
    """Do something that a form asks for, unless that form did it before; what it came to: an act, or a job, by its id.

    Of two that come at once the second waits for the first. What raises, such as a refusal, has not been done. Without
    a token all is done each time. Raises Refusal where it was done before, and undone since.
    """
    if not token:
        return do()
    chain.lock(space)
    known = Click.objects.filter(space=space, by=by, token=token).values_list("act", flat=True).first()
    if known is None:
        known = do()
        Click.objects.create(space=space, by=by, token=token, act=known, at=now)
    elif known in folding.void(space, space.head_position):
        raise Refusal("that was done already, and undone since: load the page anew to do it again")
    return known


def sweep(now: int) -> None:
    """Forget, in all spaces, what was sent long ago, and what came of it where nobody looked."""
    Click.objects.filter(at__lt=now - _KEPT).delete()
    Told.objects.filter(at__lt=now - _KEPT).delete()
