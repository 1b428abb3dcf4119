"""Handouts: who has which case in hand, so that no two decide one; and what is put aside."""

from contextlib import suppress

from django.db import IntegrityError, transaction
from django.db.models import Q

from trustmem.actions import cases
from trustmem.actions.errors import Refusal
from trustmem.core.instants import EVER, MICROSECONDS_PER_SECOND, to_text
from trustmem.store import queue
from trustmem.store.models import Case, Handout, Queued, SetAside, Space
from trustmem.store.queue import Filter

#: How long somebody has a case in hand, in µs, after they last looked at it.
LEASE = 600 * MICROSECONDS_PER_SECOND


def hand_out(space: Space, filter: Filter, *, by: str, now: int) -> Case | None:
    """The next case of a queue, which is in nobody else's hand from now on; None: there is none.

    Whoever asks anew gives back what they had in hand.
    """
    passed_over = set[int]()
    while (following := queue.following(space, filter, by=by, now=now, passed_over=passed_over)) is not None:
        case: Case = following.case
        # Whoever was quicker has it, or has had it and is through with it.
        if take(space, case.name, by=by, now=now) and queue.waits(space, case, now):
            return case
        passed_over.add(following.pk)
    return None


def take(space: Space, case: str, *, by: str, now: int) -> bool:
    """Take a case in hand, or hold it longer, and give back any other; False where somebody else has it."""
    if not _taken(space, case, by, now):
        return False
    # By itself: of two who take what the other has had, neither is to wait for the other.
    with transaction.atomic():
        Handout.objects.filter(space=space, by=by).exclude(case=case).delete()
    return True


@transaction.atomic
def _taken(space: Space, case: str, by: str, now: int) -> bool:
    free = Handout.objects.filter(Q(until__lte=now) | Q(by=by), space=space, case=case)
    if free.update(by=by, until=now + LEASE):
        return True
    with suppress(IntegrityError), transaction.atomic():
        Handout.objects.create(space=space, case=case, by=by, until=now + LEASE)
        return True
    # Whoever was quicker may have been the same person, in another window.
    return bool(free.update(by=by, until=now + LEASE))


def in_hand(space: Space, case: str, *, by: str, now: int) -> str:
    """Who else has a case in hand; '': nobody."""
    theirs = Handout.objects.filter(space=space, case=case, until__gt=now).exclude(by=by)
    return theirs.values_list("by", flat=True).first() or ""


def skip(space: Space, case: str, *, by: str, now: int) -> None:
    """Put a case behind all others for somebody. Raises Refusal for what is unknown or closed."""
    _set_aside(space, case, by, by, now, EVER)


def snooze(space: Space, case: str, *, by: str, now: int, until: int) -> None:
    """Put a case aside for everybody until an instant. Raises Refusal for what is unknown or closed, and for times that
    have been."""
    if until <= now:
        raise Refusal(f"{to_text(until)} has been: a case is put aside until a time to come")
    _set_aside(space, case, "", by, now, until)


@transaction.atomic
def _set_aside(space: Space, case: str, whose: str, who: str, now: int, until: int) -> None:
    if not Queued.objects.filter(case=cases.found(space, case).pk).exists():
        raise Refusal(f'the case "{case}" waits for nobody any more')
    SetAside.objects.update_or_create(
        space=space, case=case, by=whose, defaults={"who": who, "at": now, "until": until}
    )
    Handout.objects.filter(space=space, case=case, by=who).delete()


def take_up(space: Space, case: str, *, by: str) -> bool:
    """Undo that a case was skipped by somebody, or snoozed; whether it was."""
    return bool(SetAside.objects.filter(space=space, case=case, by__in=("", by)).delete()[0])
