"""Feedback that nobody gives fact by fact (section 8, implicit signals): what of a search an agent used and what not,
which it reports in one go; and that it asked the same again, which the desk sees by itself.

It moves what is found, and never trust: nothing of it is confirmed, and nothing of it is a correction.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain as chained
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Max, Min

from trustmem.actions import acts
from trustmem.actions.errors import Missing, Refusal, Unfit
from trustmem.actions.speakers import Speaker
from trustmem.core.columns import CODE
from trustmem.core.instants import EVER, MICROSECONDS_PER_SECOND, NEVER, span, to_text
from trustmem.core.vocabulary import AUTO, LIVE, OUTCOMES, PRUNED
from trustmem.formats.strict_json import quoted
from trustmem.store import bulk
from trustmem.store.feedback import IMPLICIT
from trustmem.store.models import Fact, Served, Space, Statement

#: So long it is known what a search handed out: what came of it may be reported, and what is asked again is noticed.
KEPT = span(1)
#: What is asked again sooner is a request that was torn, or one of several at once: nobody has read the first answer.
_TOO_SOON = 5 * MICROSECONDS_PER_SECOND
#: What is said of facts: that stays on record, and explains itself.
USED = "Found by a search, and used in the answer."
UNUSED = "Found by a search, and not used in the answer."
AGAIN = "The same was asked again in this run, and nobody had said that the first answer was of use."
_UNHELPFUL = CODE["unhelpful"]
#: Nobody has seen how right it was, nor how well it kept to rules. Left to the outcome these would be bad, and whoever
#: asks twice would by that suppress all that was found: so it is found less easily (0.375), and found.
_UNSEEN = {"prediction_accuracy": 0.5, "policy_alignment": 0.5}

#: When each outcome was reported first, by its code, of facts by name.
_Told = defaultdict[str, dict[int, int]]


@transaction.atomic
def of_answer(speaker: Speaker, search: str, used: Collection[str], *, now: int) -> str:
    """What of a search was used, all in one act, which this returns: that was put in a prompt, and helped; the rest of
    what it handed out was ignored. What is no fact that agents are told of any more is passed over.

    Raises Missing for a search of somebody else, of nobody, or of more than a day ago; Unfit for what that search did
    not hand out, and for another run than its own; Refusal where it was reported on before.
    """
    space = speaker.space
    act = acts.begin(space)
    mine = Served.objects.filter(space=space, source=speaker.source, search=search, at__gte=now - KEPT)
    served = mine.first()
    if served is None:
        raise Missing("you have made no such search within a day")
    if speaker.run not in ("", served.run):
        raise Unfit("this search was made in another run", "run")
    other = next((name for name in used if name not in served.facts), None)
    if other is not None:
        raise Unfit(f"{quoted(other)} was not handed out by this search", "used")
    if served.reported != NEVER:
        raise Refusal("what came of this search has been reported")
    there = _standing(space, served.facts)
    if not there:
        raise Refusal("there is nothing left of what this search handed out")
    mine.update(reported=now)
    who = {"source": served.source, "run": served.run}
    said = (_of_one(name, name in used) for name in served.facts if name in there)
    return acts.write(space, _lines(act, [each | who for each in chained.from_iterable(said)]), act=act, now=now)


def _of_one(name: str, is_used: bool) -> list[dict[str, Any]]:
    """What is said of one fact that was handed out."""
    if not is_used:
        return [{"type": "feedback", "outcome": "ignored", "fact": name, "note": UNUSED}]
    helped = {"type": "feedback", "outcome": "helpful", "fact": name, "note": USED}
    return [{"type": "event", "kind": "injected", "fact": name}, helped]


def of_repeats(space: Space, rows: Iterable[Served], *, now: int) -> None:
    """Of searches in the order in which they were made: where one asks what another had asked in its run, and nobody
    had reported on that, what the earlier one handed out was of no help; an act for each source.

    A fact is said to be so once in a run of a source, and never where a person accepted it or a key signed it: against
    what is vouched for an agent has to speak itself. Where the source had reported anything else of what the earlier
    one handed out, it has spoken, and nothing is said.
    """
    runs = defaultdict[tuple[str, str], list[_Repeat]](list)
    for each in _repeats(space, [row for row in rows if row.question]):
        runs[each.earlier.source, each.earlier.run].append(each)
    said = defaultdict[str, list[dict[str, Any]]](list)
    for (source, run), repeats in runs.items():
        who = {"source": source, "run": run}
        said[source] += [each | who for each in _of_no_help(space, source, run, repeats)]
    for lines in filter(None, said.values()):
        act = acts.begin(space)
        acts.write(space, _lines(act, lines), act=act, now=now)


class _Repeat(NamedTuple):
    """That what an `earlier` search had asked was asked again."""

    earlier: Served
    at: int


def _repeats(space: Space, asked: Sequence[Served]) -> Iterator[_Repeat]:
    latest = _latest_before(space, asked)
    for row in asked:
        earlier = latest.get(row.question)
        latest[row.question] = row
        if earlier is None or not _TOO_SOON < row.at - earlier.at <= KEPT:
            continue
        if earlier.reported == NEVER or earlier.reported > row.at:
            yield _Repeat(earlier, row.at)


def _latest_before(space: Space, asked: Sequence[Served]) -> dict[str, Served]:
    """By its question, the latest search before some that asks the same as one of them."""
    found = dict[str, Served]()
    for chunk in bulk.chunks({row.question for row in asked}):
        before = Served.objects.filter(space=space, question__in=chunk, pk__lt=asked[0].pk).order_by()
        latest = before.values("question").annotate(latest=Max("pk")).values_list("latest", flat=True)
        found |= {row.question: row for row in Served.objects.filter(pk__in=list(latest))}
    return found


def _of_no_help(space: Space, source: str, run: str, repeats: Sequence[_Repeat]) -> Iterator[dict[str, Any]]:
    names = {name for each in repeats for name in each.earlier.facts}
    free, told = _standing(space, names, tier=AUTO), _told(space, source, run, names)
    for earlier, at in repeats:
        if any(_has_spoken(told[name], at) for name in earlier.facts):
            continue
        for name in earlier.facts:
            if name in free and told[name].get(_UNHELPFUL, EVER) > at:
                told[name][_UNHELPFUL] = at
                said = {"type": "feedback", "outcome": "unhelpful", "fact": name, "at": to_text(at)}
                yield said | {"signals": _UNSEEN, "note": AGAIN}


def _has_spoken(told: Mapping[int, int], at: int) -> bool:
    """Whether anything but that it is of no help had been reported of a fact by then."""
    return any(kind != _UNHELPFUL and when <= at for kind, when in told.items())


def _told(space: Space, source: str, run: str, names: Collection[str]) -> _Told:
    """What a source has reported of some facts in a run."""
    found = _Told(dict)
    for chunk in bulk.chunks(names):
        said = Statement.objects.filter(space=space, source=source, run=run, fact__name__in=chunk)
        of_use = said.filter(kind__in=[CODE[each] for each in OUTCOMES]).order_by()
        for name, kind, first in of_use.values_list("fact__name", "kind").annotate(first=Min("at")):
            found[name][kind] = first
    return found


def _standing(space: Space, names: Collection[str], **more: int) -> set[str]:
    """Which of some facts agents are told of."""
    found = set[str]()
    for chunk in bulk.chunks(names):
        rows = Fact.objects.filter(space=space, name__in=chunk, state__in=(LIVE, PRUNED), **more)
        found |= set(rows.values_list("name", flat=True))
    return found


def _lines(act: str, said: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The lines of an act, feedback by ids that tell it from what is reported fact by fact."""
    ids = (acts.line_id(act, place) for place in range(1, len(said) + 1))
    return [
        {"id": id + IMPLICIT if each["type"] == "feedback" else id, **each} for id, each in zip(ids, said, strict=True)
    ]
