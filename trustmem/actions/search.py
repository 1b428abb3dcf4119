"""Search: what a space knows of something, the most useful first (section 8, *Ranking*).

What says the words, and what is near in meaning, are two rankings that become one: its relevance. A claim that another
has replaced is found by its words, and what holds in its place is what one gets.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from trustmem.actions import embedders
from trustmem.actions.errors import Refusal
from trustmem.core.fusion import reciprocal_rank
from trustmem.core.instants import NEVER
from trustmem.core.reinforcement import ranking, ranking_by_freshness, suppressed
from trustmem.core.scores import Scores, score
from trustmem.core.tokens import telling
from trustmem.core.vocabulary import LIVE, RELATIONS
from trustmem.store import bulk, cases, chains, full_text, near, queries, sources
from trustmem.store.models import Case, Edge, Fact, Space

#: By what is trusted and useful, or by what is fresh.
Order = Literal["trust", "freshness"]
#: That a fact says words of the query, or lies near to it in meaning.
FoundBy = Literal["words", "meaning"]
#: So many hits of each ranking are looked at, and given back at most.
_DEEP, MOST = 200, 50
_CONTRADICTS = RELATIONS.index("contradicts")


class Hit(NamedTuple):
    """A fact that was found: `rank` orders it, `relevance` is in (0, 1], and `found_by` is how, be it a claim in whose
    place it holds. `replaces` are these claims, `superseded_by` what holds in its place, `disputes` what contradicts
    it, and `candidates` what it may be in conflict with, as an open case has it; all by name.
    `folded`: it is of a source that nobody has reviewed, beyond the share of those; `held`: why agents are not served
    it ('': they are)."""

    fact: Fact
    row: int
    rank: float
    relevance: float
    found_by: tuple[FoundBy, ...]
    replaces: tuple[str, ...]
    superseded_by: tuple[str, ...]
    disputes: tuple[str, ...]
    candidates: tuple[str, ...]
    folded: bool
    held: str


class Found(NamedTuple):
    """Hits in their order, with the scores that their `row` is one of, at `now`; and how many of what was found agents
    are not served, by why."""

    hits: list[Hit]
    scores: Scores
    held_back: Mapping[str, int]
    now: int


def search(
    space: Space,
    query: str,
    *,
    now: int,
    limit: int = 10,
    order: Order = "trust",
    history: bool = False,
    sees_all: bool = False,
    searched: Collection[int] | None = None,
) -> Found:
    """What a space knows of a query, `limit` hits at most. Writes nothing. Words that claim nothing by themselves are
    not looked for, unless there are no others.

    Agents are served what is live, weighs at least `min_weight` and is not suppressed; `sees_all`: people see the rest
    as well, and why it is held back. `history`: claims that others replaced are hits of their own, behind what holds.
    `searched` are the states of facts in which it looks (None: all): of others nothing is found, nor counted.
    """
    asked = telling(query)
    rankings: dict[FoundBy, list[int]] = {"words": full_text.best(space, asked, _DEEP), "meaning": _near(space, asked)}
    relevance, found_by = reciprocal_rank(rankings.values()), _found_by(rankings)
    if searched is not None:
        relevance = _of_states(relevance, searched)
    above = chains.heads(space, _superseded(relevance))
    below = defaultdict[int, list[int]](list)
    for start, heads in above.items():
        for head in heads:
            below[head].append(start)
            relevance[head] = max(relevance.get(head, 0.0), relevance[start])
            found_by[head] |= found_by[start]
    keys, stored = queries.keyed(space, relevance)
    scores, rows = score(stored, now), keys.tolist()
    names = dict(zip(rows, scores.ids, strict=True))
    relevant = np.array([relevance[pk] for pk in rows])
    ranks = _ranks(relevant, scores, order)
    held = _held_back(space, rows, scores, above, history)
    left_out = {row for row, pk in enumerate(rows) if pk in above and not history} if sees_all else held.keys()
    order_of = sorted(range(len(rows)), key=lambda row: (rows[row] in above, -ranks[row], rows[row]))
    kept = [row for row in order_of if row not in left_out][:limit]
    facts = Fact.objects.in_bulk([rows[row] for row in kept])
    folded = _folded(space, [facts[rows[row]] for row in kept])
    rivals = _disputes(space, [rows[row] for row in kept])
    doubts = _candidates(space, [names[rows[row]] for row in kept])
    hits = [
        Hit(
            facts[pk := rows[row]],
            row,
            float(ranks[row]),
            float(relevant[row]),
            tuple(how for how in rankings if how in found_by[pk]),
            tuple(names[each] for each in below[pk]),
            tuple(names[each] for each in above.get(pk, ())),
            tuple(rivals[pk]),
            tuple(doubts[names[pk]]),
            pk in folded,
            held.get(row, ""),
        )
        for row in kept
    ]
    hits.sort(key=lambda hit: hit.folded)  # which keeps the order among those that are, and those that are not
    return Found(hits, scores, Counter(held.values()), now)


def _of_states(relevance: dict[int, float], states: Collection[int]) -> dict[int, float]:
    among = bulk.among(np.array([*relevance], np.int64))
    kept = set(Fact.objects.filter(pk__in=among, state__in=states).values_list("pk", flat=True))
    return {pk: value for pk, value in relevance.items() if pk in kept}


def _near(space: Space, query: str) -> list[int]:
    """The facts that lie near to a query in meaning, the nearest first: by their vectors, as far as they have any. None
    without an embedder to be had, which the job that makes the vectors tells of."""
    try:
        embedder = embedders.current()
    except Refusal:
        return []
    (asked,) = embedder.embed([query])
    if not asked.any():  # it says nothing
        return []
    return [pk for pk, cosine in near.near(space, embedder, asked, _DEEP) if cosine >= embedder.unrelated]


def _found_by(rankings: Mapping[FoundBy, Iterable[int]]) -> defaultdict[int, set[FoundBy]]:
    found = defaultdict[int, set[FoundBy]](set)
    for how, pks in rankings.items():
        for pk in pks:
            found[pk].add(how)
    return found


def _superseded(pks: Collection[int]) -> list[int]:
    among = bulk.among(np.array([*pks], np.int64))
    return list(Fact.objects.filter(pk__in=among, depth__gt=0).values_list("pk", flat=True))


def _ranks(relevant: "np.ndarray", scores: Scores, order: Order) -> list[float]:
    if not len(relevant):
        return []
    if order == "freshness":
        ranks = ranking_by_freshness(relevant, scores.freshness)
    else:
        ranks = ranking(relevant, scores.trust, scores.retrieval_priority)
    found: list[float] = ranks.tolist()
    return found


def _held_back(
    space: Space,
    rows: Sequence[int],
    scores: Scores,
    above: Mapping[int, Sequence[int]],
    history: bool,
) -> dict[int, str]:
    """Which rows are held back from agents, and why: the first reason that there is."""
    constants = queries.constants(space)
    reasons = {
        "not live": scores.state != LIVE,
        "faint": scores.weight < constants.min_weight,
        "suppressed": suppressed(scores.retrieval_priority, constants),
        "superseded": np.array([not history and pk in above for pk in rows], bool),
    }
    found = dict[int, str]()
    for why, held in reasons.items():
        for row in np.flatnonzero(held).tolist():
            found.setdefault(row, why)
    return found


def _folded(space: Space, facts: Sequence[Fact]) -> set[int]:
    """Of hits in their order, those of sources that nobody has reviewed that are beyond the share of these."""
    reviewed = {name for name, _ in sources.found(space, {each.source for each in facts}).items()}
    if not reviewed and not sources.any_is_reviewed(space):
        return set()
    unreviewed = [each.pk for each in facts if each.source not in reviewed]
    return set(unreviewed[space.unreviewed_share * len(facts) // 100 :])


def _candidates(space: Space, names: Sequence[str]) -> Mapping[str, list[str]]:
    """What each of some facts may be in conflict with, by name, as long as that stands and nobody has decided it."""
    asked = {"closed_at": NEVER, "stands": True, "kind": cases.CANDIDATE, "pk__in": cases.of_facts(space, names)}
    found = defaultdict[str, list[str]](list)
    for pair in Case.objects.filter(space=space, **asked).order_by("position").values_list("facts", flat=True):
        for name in pair:
            found[name] += [other for other in pair if other != name and other not in found[name]]
    return found


def _disputes(space: Space, pks: Collection[int]) -> Mapping[int, list[str]]:
    """What contradicts each of some facts, by name."""
    found, live = defaultdict[int, list[str]](list), Edge.objects.filter(space=space, relation=_CONTRADICTS, live=True)
    for chunk in bulk.chunks(pks):
        for mine, other in (("newer", "older"), ("older", "newer")):
            rows = live.filter(**{f"{mine}__in": chunk}).order_by(f"{other}__name")
            for pk, name in rows.values_list(mine, f"{other}__name"):
                found[pk].append(name)
    return found
