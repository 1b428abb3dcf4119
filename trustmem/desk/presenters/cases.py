"""A case as its page shows it: what is asked, the facts that it is about, why it is here, and what it came to."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.actions import cases
from trustmem.actions.queue import served_lately
from trustmem.core.columns import CODE
from trustmem.core.instants import NEVER
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters import candidates, evidence, outcomes, verdicts
from trustmem.desk.presenters.against import Against, against
from trustmem.desk.presenters.cards import Card, Known, Row, Shown, cards, then
from trustmem.desk.presenters.links import called, linked
from trustmem.desk.presenters.texts import beginning
from trustmem.desk.words import word
from trustmem.explanations import cases as said
from trustmem.explanations import stored
from trustmem.explanations.explanation import explanation
from trustmem.store import folds, sources
from trustmem.store.cases import (
    CANDIDATE,
    CHALLENGE,
    CONTRADICTION,
    CYCLE,
    DUPLICATE,
    ORPHAN,
    RESTORED_VALUE,
    SAMPLE,
    kind_of,
    of_facts,
)
from trustmem.store.models import Case, Fact, Space, Statement

#: Cases about more facts than two, of which so many are shown.
_OF_MANY = (CYCLE, DUPLICATE)
_MEMBERS = 20
_LONGEST_NAME = 80
#: So many other cases about a fact are named.
_OTHERS = 5


class Closed(NamedTuple):
    """Who closed a case, when, with which verdict and why, and what that came to; undoing the `act` ('': it has none)
    opens it again."""

    by: str
    at: When
    verdict: SafeString | str
    reason: str
    act: str
    came_to: list[SafeString]


def closed(space: Space, case: Case, now: int, *, sees_all: bool = False) -> Closed | None:
    """What closed a case; None: it is open."""
    closing = cases.closing(space, case)
    if closing is None:
        return None
    verdict = verdicts.word(closing.verdict) if closing.verdict else ""
    came_to = outcomes.outcome(space, case, closing, sees_all=sees_all)
    return Closed(closing.by, when(closing.at, now), verdict, closing.reason, closing.act, came_to)


def known(space: Space, case: Case, now: int) -> list[Known]:
    """The facts that a case is about and that are there, as they are now."""
    names = case.facts[: _MEMBERS if kind_of(case.key) in _OF_MANY else 2]
    there = set(Fact.objects.filter(space=space, name__in=names).values_list("name", flat=True))
    found = list[Known]()
    for name in (each for each in names if each in there):
        # What edges connect is in one memory.
        near = next((each.asked for each in found if name in each.asked.row), None)
        asked = near or stored.memory(space, name, now)
        if name in asked.row:
            found.append(Known(asked, explanation(asked, name)))
    return found


def page(space: Space, case: Case, facts: Sequence[Known], now: int, *, sees_all: bool) -> dict[str, Any]:
    """All that the page of a case shows, but for what can be done about it. `sees_all`: whether whoever looks may
    decide about facts."""
    kind, factors = kind_of(case.key), _factors(case)
    ring = _ring(space, facts) if kind == CYCLE else []
    facts = _around(facts, ring)
    shown = Shown(
        space.name,
        _served(space, facts, now),
        sources.found(space, [each.found["provenance"]["source"] for each in facts]),
        _files(space, facts),
        sees_all,
    )
    end = closed(space, case, now, sees_all=sees_all)
    is_open = end is None and case.stands
    # Whoever is asked how well trust predicts truth is not to take the answer from it.
    is_blind = is_open and kind == SAMPLE
    return {
        "name": case.name,
        "kind": said.kind(kind),
        "question": said.asks(kind),
        "opened": when(case.at, now),
        "version": str(case.constants_version),
        "cards": [
            _in_ring(card, ring, facts, space.name) for card in cards(facts, _sides(kind, factors), factors, shown)
        ],
        "is_ring": kind == CYCLE,
        "is_duplicate": kind == DUPLICATE,
        "missing": _missing(case, facts),
        "against": _against(kind, facts, space.name),
        "others": _others(space, case) if kind == CHALLENGE and len(facts) == 1 else None,
        "why": evidence.why(space, factors, now, sees_all=sees_all),
        "forgetting": evidence.forgetting(space, facts, now, sees_all=sees_all) if kind == RESTORED_VALUE else [],
        "again": evidence.again(evidence.brought_by(space, factors)) if kind == RESTORED_VALUE else "",
        "because": candidates.because(factors, facts, case.facts, sees_all=sees_all)
        if kind == CANDIDATE
        else evidence.because(kind, facts, factors, evidence.brought_by(space, factors), is_blind=is_blind),
        "detector_href": reverse("detector", args=[space.name]) if kind == CANDIDATE else "",
        "closed": end,
        "is_open": is_open,
        "is_blind": is_blind,
        "at_rest": end is None and not case.stands,
    }


def worth(case: Case) -> str:
    """What the fact of a case was worth when somebody was asked about it ('': that is told no more)."""
    kept = then(_factors(case), case.facts[0])
    if kept is None or not kept.band:
        return ""
    says = gettext("It was worth {trust}, {band}, when you were asked.")
    return says.format(trust=two(kept.trust), band=word(kept.band))


def _factors(case: Case) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(case.factors)
    return found


def _sides(kind: str, factors: Mapping[str, Any]) -> list[str]:
    if kind == DUPLICATE and "kept" in factors:
        return [gettext("kept"), gettext("merged")]
    if kind == ORPHAN:
        return [gettext("asked about"), gettext("had taken its place")]
    return [] if kind == CYCLE else [gettext("left"), gettext("right")]


class _Edge(NamedTuple):
    """That a source says that one claim takes the place of another."""

    newer: str
    older: str
    source: str


def _ring(space: Space, facts: Sequence[Known]) -> list[_Edge]:
    """What stands in force between the members of a ring, in the order in which it was said."""
    names = [each.name for each in facts]
    said = Statement.objects.filter(space=space, kind=CODE["updates"], in_force=True, withdrawn=False)
    ends = said.filter(fact__name__in=names, other__name__in=names).order_by("position")
    return [_Edge(*row) for row in ends.values_list("other__name", "fact__name", "source")]


def _around(facts: Sequence[Known], ring: Sequence[_Edge]) -> list[Known]:
    """Members of a ring in its order, from the oldest on to what takes its place, and so on."""
    ahead, found = {each.name: each for each in facts}, list[Known]()
    name = next(iter(ahead), None)
    while name is not None:
        found.append(ahead.pop(name))
        newer = (edge.newer for edge in ring if edge.older == name and edge.newer in ahead)
        name = next(newer, next(iter(ahead), None))
    return found


def _in_ring(card: Card, ring: Sequence[_Edge], facts: Sequence[Known], space: str) -> Card:
    """A member with what it takes the place of."""
    known = {each.name: each for each in facts}
    rows = [
        Row(gettext("takes the place of"), _linked(known[edge.older], space), _by(edge, known))
        for edge in ring
        if edge.newer == card.name
    ]
    return card._replace(rows=[*rows, *card.rows])


def _linked(fact: Known, space: str) -> SafeString:
    return linked(space, fact.name, fact.found["text"])


def _by(edge: _Edge, known: Mapping[str, Known]) -> list[SafeString | str]:
    """Who says so, and whether the claims are of that order by their age."""
    by = format_html(gettext("said by {source}"), source=called(beginning(edge.source, _LONGEST_NAME)))
    newer, older = (known[name].found["provenance"]["born"] for name in (edge.newer, edge.older))
    return [by] if (newer, edge.newer) > (older, edge.older) else [by, gettext("though it is the older one")]


def _served(space: Space, facts: Sequence[Known], now: int) -> dict[str, int]:
    keys = folds.keys(space, [each.name for each in facts])
    served = served_lately(space, keys.values(), now)
    return {name: served.get(pk, 0) for name, pk in keys.items()}


def _files(space: Space, facts: Sequence[Known]) -> dict[str, str]:
    return evidence.files(space, {each.found["provenance"]["imported"] for each in facts} - {None})


def _missing(case: Case, facts: Sequence[Known]) -> str:
    """What of the facts is not shown."""
    count = len(case.facts) - len(facts)
    if kind_of(case.key) in _OF_MANY and len(case.facts) > _MEMBERS:
        return ngettext("and {count} more", "and {count} more", count).format(count=whole(count))
    gone = ngettext(
        "{count} fact that it is about counts as never written.",
        "{count} facts that it is about count as never written.",
        count,
    )
    return gone.format(count=whole(count)) if count else ""


def _against(kind: str, facts: Sequence[Known], space: str) -> Against | None:
    """What speaks against a fact that stands alone. (Of a pair it is the other.)"""
    if len(facts) != 1 or kind in (CYCLE, RESTORED_VALUE):
        return None
    found = facts[0].found
    if kind == CHALLENGE:  # what sets another claim against it is a case of its own
        alone = {name: [each for each in found[name] if not each["other"]] for name in ("challenges", "contradictions")}
        found = {**found, **alone, "history": []}
    return against(facts[0].asked, found, space) or None


class Others(NamedTuple):
    """How many objections to a fact are cases of their own, and links to the first of these."""

    says: str
    links: list[SafeString]


def _others(space: Space, case: Case) -> Others | None:
    about = of_facts(space, case.facts[:1]) - {case.pk}
    cases = Case.objects.filter(pk__in=about, closed_at=NEVER, stands=True)
    kinds = {name: kind_of(key) for name, key in cases.order_by("position").values_list("name", "key")}
    found = [(name, kind) for name, kind in kinds.items() if kind in (CHALLENGE, CONTRADICTION)]
    says = ngettext(
        "{count} more objection is a case of its own:", "{count} more objections are cases of their own:", len(found)
    )
    links = [
        format_html('<a href="{}">{}</a>', reverse("case", args=[space.name, name]), said.kind(kind))
        for name, kind in found[:_OTHERS]
    ]
    return Others(says.format(count=whole(len(found))), links) if found else None
