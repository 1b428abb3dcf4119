"""Detection: the facts of a space are compared with those before them that they may belong together with, and what that
finds for a person to decide becomes cases. It changes no fact, and counts for nothing. What it checks gets its vectors,
so that a search finds it by meaning soon after it came.

Facts are checked in the order of their keys, some at a time. They are compared while nobody waits for that; only what
was found is written under the lock of the space, with how far all is checked. So it can be cut short anywhere, and two
that do it side by side come to what one of them comes to.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Q
from numpy.typing import NDArray

from trustmem.actions import embedders, embeddings, finding, jobs, opening, queue
from trustmem.actions.errors import Refusal
from trustmem.actions.passes import Progress, nobody
from trustmem.core.contradictions import DETECTOR, NONE, RELATED, compare
from trustmem.core.instants import span
from trustmem.core.vocabulary import ERASED
from trustmem.store import blocking, bulk, chain, pairs, queries, vectors
from trustmem.store.blocks import Whole
from trustmem.store.models import OPEN, Detection, Fact, Job, JobState, Pair, Space
from trustmem.store.pairs import Born, Found

#: So many facts are compared at a time, and about so many pairs are written at once.
STEP, _PAIRS = 200, 300
#: More facts than this are checked in bulk, if they are a hundredth of what there is, too: all of it is read for that.
_MANY, _SHARE = 1000, 100
#: What failed is asked for again after so long (µs).
_AGAIN = span(1 / 24)


@transaction.atomic
def ask(space: Space, *, by: str, now: int) -> Job:
    """The job that checks what is unchecked; the one that is still to be done, if there is one. What was done before is
    of no interest any more: there is one whenever facts have come."""
    of_kind = Job.objects.filter(space=space, kind=jobs.DETECTION)
    if (open_one := of_kind.filter(state__in=OPEN).first()) is not None:
        return open_one
    of_kind.filter(state=JobState.DONE).delete()
    return jobs.ask(space, jobs.DETECTION, by=by, now=now)


@transaction.atomic
def ask_if_due(space: Space, *, by: str, now: int) -> None:
    """Ask for what is unchecked, if anything is, unless somebody works on the space: it is looked for again soon."""
    of_kind = Job.objects.filter(space=space, kind=jobs.DETECTION)
    if not pairs.unchecked(space).exists() or of_kind.filter(state__in=OPEN).exists():
        return
    if of_kind.filter(state=JobState.FAILED, ended_at__gt=now - _AGAIN).exists():
        return
    if Space.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=space.pk).first():
        ask(space, by=by, now=now)


def detect(
    space: Space,
    *,
    now: int,
    progress: Progress = nobody,
    conclude: Callable[[Mapping[str, Any]], None] = lambda result: None,
) -> dict[str, Any]:
    """Check all facts of a space that are unchecked, at `now` (µs); up to which key, and by which version of the
    detector. Another version checks all anew, and what it finds takes the place of what the one before found.

    `progress` is told how many facts are checked, of how many; `conclude` is called with the result in a transaction
    at the end.
    """
    whole = None
    done, of = (0, 0) if progress is nobody else _how_far(space)
    while (step := _next(space)).facts:
        progress(done, max(of, done))
        if whole is None and _are_many(space):
            whole = Whole(space, lambda read, done=done: progress(done, max(of, done)))  # type: ignore[misc]
        made = _made(space, step)
        for part in _parts(step, _compared(space, step.facts, whole)):
            if not _write(space, part, made, now):
                break  # somebody else was faster
            done += len(part.facts)
            bulk.give_way()
    with transaction.atomic():
        result = {"upto": pairs.checked(space).upto, "detector": pairs.by(space)}
        conclude(result)
    return result


def _how_far(space: Space) -> tuple[int, int]:
    standing = pairs.standing(space)
    return (standing.done if pairs.start(space) else 0), standing.of


def _are_many(space: Space) -> bool:
    left = pairs.unchecked(space)[: _MANY + 1].count()
    return left > _MANY and pairs.unchecked(space).count() * _SHARE > Fact.objects.filter(space=space).count()


class _Step(NamedTuple):
    """Facts that are checked, by their keys, in order: the next behind all that was checked before; and what was
    found."""

    by: str
    after: int
    facts: list[int]
    found: list[Found]


def _next(space: Space) -> _Step:
    by, after = pairs.by(space), pairs.start(space)
    return _Step(by, after, list(pairs.unchecked(space, after).order_by("pk").values_list("pk", flat=True)[:STEP]), [])


def _parts(step: _Step, found: Mapping[int, list[Found]]) -> Iterator[_Step]:
    """What is written at once: of facts of which much was found, fewer."""
    part = _Step(step.by, step.after, [], [])
    for fact in step.facts:
        if part.facts and len(part.found) + len(found[fact]) > _PAIRS:
            yield part
            part = _Step(step.by, part.facts[-1], [], [])
        part.facts.append(fact)
        part.found.extend(found[fact])
    yield part


class _Vectors(NamedTuple):
    """Vectors of facts, by their keys, and which embedder made them."""

    embedder: str
    made: Mapping[int, NDArray[np.float32]]


def _made(space: Space, step: _Step) -> _Vectors:
    """The vectors that the facts of a step lack. None without an embedder, which the job of the graph tells of; and of
    more facts than take part there, the newest alone."""
    try:
        embedder = embedders.current()
    except Refusal:
        return _Vectors("", {})
    if pairs.unchecked(space, step.facts[-1])[vectors.MOST :].exists():
        return _Vectors("", {})
    left = vectors.without(space, embedder.name, np.array(step.facts, np.int64))
    return _Vectors(embedder.name, embeddings.made(embedder, left.tolist()))


def _compared(space: Space, facts: Sequence[int], whole: Whole | None) -> dict[int, list[Found]]:
    """What is found of each of some facts and those before it."""
    near, jaccard = blocking.nearest(facts), queries.constants(space).restatement_jaccard
    if whole is not None and facts[-1] <= whole.upto:
        partners = whole.partners(facts, near)
    else:
        partners = blocking.partners(space, facts, near)
    said = pairs.said({*facts, *(other for others in partners.values() for other in others)})
    found = {fact: list[Found]() for fact in facts}
    for fact in facts:
        for other in partners.get(fact, ()) if fact in said else ():
            cosine = near.get(fact, {}).get(other)
            if other in said and (cosine is not None or blocking.may_be_alike(said[fact].said, said[other].said)):
                found[fact] += _found((fact, said[fact]), (other, said[other]), cosine, jaccard)
    return found


def _found(fact: tuple[int, Born], other: tuple[int, Born], cosine: float | None, jaccard: float) -> list[Found]:
    """What two facts are to each other, the older first: by their birth, and else by their names. Nothing, where they
    are next to nothing to each other."""
    (older, one), (newer, two) = sorted((fact, other), key=lambda each: each[1][:2])
    comparison = compare(one.said, two.said, cosine=cosine, restatement_jaccard=jaccard)
    return [] if comparison.finding in (NONE, RELATED) else [Found(older, newer, comparison, DETECTOR)]


@transaction.atomic
def _write(space: Space, step: _Step, lacking: _Vectors, now: int) -> bool:
    """Write what was found in a step, and the vectors of its facts, and open the cases that it calls for; whether
    nobody else has done that."""
    chain.lock(space)
    if (pairs.by(space), pairs.start(space)) != (step.by, step.after):  # or others ask for another overlap by now
        return False
    opening.refold(space)  # what was erased since is gone
    vectors.write(space, lacking.embedder, {pk: lacking.made[pk] for pk in step.facts if pk in lacking.made})
    _check_off(space, step.facts[-1], now)
    queue.look_again(space, _replace(space, step, now))
    opening.write(space, finding.candidates(space, {*step.facts}))
    return True


def _check_off(space: Space, upto: int, now: int) -> None:
    values = {"detector": pairs.by(space), "checked_to": upto, "at": now}
    Detection.objects.update_or_create(space=space, defaults=values)


def _replace(space: Space, step: _Step, now: int) -> set[int]:
    """Write the pairs of a step in place of those that were found before of its facts and those before them; the facts
    of all these, by their keys."""
    upto, facts = step.facts[-1], set[int]()
    before = Pair.objects.filter(space=space, older__lte=upto, newer__lte=upto)
    for end in (Q(older__gt=step.after), Q(newer__gt=step.after)):
        facts.update(*before.filter(end).values_list("older_id", "newer_id"))
        before.filter(end).delete()
    found = _still(step.found)
    Pair.objects.bulk_create(pairs.row(space, each, now) for each in found)
    return facts.union(*((each.older, each.newer) for each in found))


def _still(found: Sequence[Found]) -> list[Found]:
    """Of what was found, that of which both facts are there and say anything."""
    there = set[int]()
    for chunk in bulk.chunks({pk for each in found for pk in (each.older, each.newer)}):
        there |= {*Fact.objects.filter(pk__in=chunk).exclude(state=ERASED).values_list("pk", flat=True)}
    return [each for each in found if {each.older, each.newer} <= there]
