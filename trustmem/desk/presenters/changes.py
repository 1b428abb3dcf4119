"""The report of a pass: what it did in all, who asked for it, and every fact that it changed, before and after."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.core.exceptions import BadRequest
from django.db.models import F, QuerySet
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, pgettext_lazy

from trustmem.actions import jobs
from trustmem.core.columns import Floats
from trustmem.core.consolidation import decayed, readable
from trustmem.core.constants import Constants
from trustmem.core.instants import MICROSECONDS_PER_SECOND, NEVER, days
from trustmem.core.vocabulary import STATES
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import capped, two, whole
from trustmem.desk.presenters.links import linked
from trustmem.desk.presenters.paging import Place, page
from trustmem.desk.presenters.passes import Counted, by, counted, is_approved
from trustmem.desk.words import word
from trustmem.explanations.passes import changes
from trustmem.store import queries
from trustmem.store.models import DEEDS, Change, Fact, Job, Pass, Space
from trustmem.store.passes import COUNTS
from trustmem.store.states import STANDING

#: So many facts stand on a page.
SIZE = 50
#: What is not counted by the pass is counted so far.
_CAP = 1000
_WORDS = {
    "pruned": pgettext_lazy("deed", "pruned"),
    "revived": pgettext_lazy("deed", "came back"),
    "promoted": pgettext_lazy("deed", "promoted"),
    "re-weighed": pgettext_lazy("deed", "re-weighed"),
    "stamped": pgettext_lazy("deed", "stamped"),
}
#: What the weight of a fact comes from.
OF_WEIGHT = ("scope", "half_life", "anchor", "anchored_at")


@dataclass(frozen=True, slots=True)
class View:
    """Which changes of a pass are shown ('': all), and from which place on; all of it stands in the address."""

    did: str
    place: Place

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "View":
        """Raises BadRequest for what an address cannot mean."""
        did = asked.get("did", "")
        if did and did not in DEEDS:
            raise BadRequest(gettext("A pass does no “{name}”.").format(name=did))
        return cls(did, Place.of(asked))

    def address(self, place: str) -> str:
        """The query of the address of another page of it; '' for ''."""
        return place and f"?{urlencode({'did': self.did})}&{place}" if self.did else place and f"?{place}"


class Choice(NamedTuple):
    """A filter of changes, how many there are, and whether it is set."""

    title: str
    many: str
    address: str
    is_set: bool


class Changed(NamedTuple):
    """A fact that a pass changed: what it did to it, and its weight without the pass and after it."""

    fact: SafeString
    did: list[str]
    says: list[str]
    before: str
    after: str


class Listed(NamedTuple):
    """A page of changes, and the addresses of the pages after and before ('': there is none)."""

    choices: list[Choice]
    rows: list[Changed]
    next: str
    previous: str


def listed(space: Space, taken: Pass, view: View) -> Listed:
    """The facts that a pass changed, in the order in which it came to them."""
    found = page(_changes(space, taken, view.did), "pk", view.place, SIZE)
    return Listed(
        _choices(space, taken, view.did),
        _rows(space, taken, found.rows),
        view.address(found.next),
        view.address(found.previous),
    )


def _changes(space: Space, taken: Pass, did: str) -> QuerySet[Any]:
    all_of_it = Change.objects.filter(space=space, of_pass=taken.pk)
    if not did:
        return all_of_it
    return all_of_it.alias(bit=F("did").bitand(1 << DEEDS.index(did))).filter(bit__gt=0)


def _choices(space: Space, taken: Pass, chosen: str) -> list[Choice]:
    told = {name: whole(getattr(taken, name)) for name in DEEDS if name in COUNTS}
    uncounted = {name: _changes(space, taken, name)[: _CAP + 1].count() for name in DEEDS if name not in COUNTS}
    told |= {name: capped(min(count, _CAP), count > _CAP) for name, count in uncounted.items()}
    every = Choice(gettext("all"), whole(taken.changed), "?", not chosen)
    return [every, *(Choice(str(_WORDS[each]), told[each], f"?did={each}", chosen == each) for each in DEEDS)]


def _rows(space: Space, taken: Pass, found: list[Change]) -> list[Changed]:
    facts = {
        fact["pk"]: fact
        for fact in Fact.objects.filter(space=space, pk__in=[each.fact_id for each in found]).values(
            "pk", "name", "text", "state", *OF_WEIGHT
        )
    }
    shown = [each for each in found if each.fact_id in facts]
    constants = queries.constants(space, taken.instant)
    before, after = _weights(taken, shown, _left(space, taken, facts), constants)
    return [
        _row(space, change, facts[change.fact_id], float(was), float(now), constants)
        for change, was, now in zip(shown, before, after, strict=True)
    ]


def _left(space: Space, taken: Pass, facts: Mapping[int, Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
    """What their weights came from as the pass left them: as it is now, but for what later passes changed."""
    left = {pk: {name: fact[name] for name in OF_WEIGHT} for pk, fact in facts.items()}
    later = Change.objects.filter(space=space, fact__in=left, of_pass__instant__gt=taken.instant)
    for fact, before in later.order_by("-of_pass__instant").values_list("fact", "before"):
        left[fact] |= {name: value for name, value in before.items() if name in OF_WEIGHT}
    return left


def _weights(
    taken: Pass, shown: list[Change], left: Mapping[int, Mapping[str, Any]], constants: Constants
) -> tuple[Floats, Floats]:
    """The weight of each without the pass and after it, at its instant."""
    after = [left[each.fact_id] for each in shown]
    before = [{**values, **each.before} for each, values in zip(shown, after, strict=True)]
    return weights(taken, before, constants), weights(taken, after, constants)


def weights(taken: Pass, stored: list[Any], constants: Constants) -> Floats:
    """The weights at the instant of a pass that come from what is stored of facts, under the constants of then."""
    scope, half_life, anchor, anchored_at = (np.array([each[name] for each in stored]) for name in OF_WEIGHT)
    elapsed = np.asarray(days(np.maximum(taken.clock - anchored_at.astype(np.int64), 0)))
    return readable(decayed(anchor.astype(float), elapsed, half_life.astype(float), scope.astype(np.int8), constants))


def deeds(change: Change) -> list[str]:
    """What a pass did to a fact, in words."""
    return [str(_WORDS[each]) for place, each in enumerate(DEEDS) if change.did >> place & 1]


def _row(
    space: Space, change: Change, fact: Mapping[str, Any], before: float, after: float, constants: Constants
) -> Changed:
    text = STANDING.told(fact["text"], fact["state"])
    return Changed(
        linked(space.name, fact["name"], text, STATES[fact["state"]]),
        deeds(change),
        changes(change.before, change.after, after, constants),
        two(before),
        two(after),
    )


class State(NamedTuple):
    """How many facts were in a state before a pass, and after it ('': not counted)."""

    word: str
    before: str
    after: str


class Asked(NamedTuple):
    """The job of a pass: who asked for it ('': the schedule, for a `slot`), or approved it, and when, how long it took,
    under which version of the constants ('': the defaults), how many facts were in each state; and what it did then."""

    by: str
    is_approved: bool
    slot: str
    at: When
    took: str
    version: str
    states: list[State]
    counts: list[Counted]


def asked(space: Space, taken: Pass, now: int) -> Asked | None:
    """The job that began a pass; None where it was taken otherwise."""
    job = Job.objects.filter(space=space, kind=jobs.CONSOLIDATION, instant=taken.instant).order_by("pk").last()
    if job is None:
        return None
    result = json.loads(job.result) if job.result else {}
    return Asked(
        by(job.by),
        is_approved(job),
        job.slot,
        when(job.asked_at, now),
        _took(job.ended_at - job.started_at) if job.ended_at > NEVER else "",
        str(job.constants_version) if job.constants_version else "",
        _states(job),
        counted(result) if set(COUNTS) <= result.keys() else [],
    )


def _took(span: int) -> str:
    seconds = max(span, 0) / MICROSECONDS_PER_SECOND
    if seconds < 1:
        return gettext("less than a second")
    return ngettext("{count} second", "{count} seconds", round(seconds)).format(count=whole(round(seconds)))


def _states(job: Job) -> list[State]:
    before, after = (json.loads(each) if each else {} for each in (job.before, job.after))
    return [
        State(word(state), whole(before[state]), whole(after[state]) if after else "")
        for state in STATES
        if before and (before[state] or after.get(state))
    ]
