"""The graph: what hangs together around a fact or an entity (its ego graph), and a sample of a whole space.

An ego graph is the centre, what is tied to it, and at depth 2 what is tied to that, nearest first: of fewer steps
before the rest, then the strongest tie of each name in turn, so that no name crowds the others out. Whatever there is,
it asks the database as often, and for no more than it shows.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from django.db import connection

from trustmem.core.layout import Places, place, spread
from trustmem.core.vocabulary import LIVE, PRUNED
from trustmem.store import naming, ties
from trustmem.store.models import Centrality, Entity, Fact, Mention, Place, Space
from trustmem.store.ties import TIES, Filter, Key, Step, Tie

#: What is left out is counted up to here; a picture has so many ties at most; and of the sample of a space so many
#: nodes are placed.
CAP, MOST_TIES, SAMPLE = 10_000, 900, 2000
#: Of facts that name an entity in their texts alone so many are counted beyond what is shown.
_AHEAD = 300
#: From a node that is no centre so many ties of each name lead on, either way.
_FEW = 8
#: How strongly ties of a name draw nodes together, at the least and at the most.
_PULL = {"candidate": (0.5, 0.8), "restatement": (0.6, 0.9), "mention": (0.4, 0.4)}
_ASSERTED, _COMPUTED = (0.9, 0.9), (0.1, 0.6)
#: These have a direction: the newer end stands to the right.
DIRECTED = frozenset(("updates", "extends", "derives"))


class Left(NamedTuple):
    """How many nodes are left out (`CAP`: or more), which come after so many others."""

    many: int
    after: int


class Graph(NamedTuple):
    """Nodes, the centre first and the nearest before the rest, with how many steps each is away; what ties them,
    unless that is `more`; and what is tied to the centre and not among them, by each tie."""

    nodes: dict[Key, int]
    ties: list[Tie]
    more: bool
    left_out: dict[str, Left]


def around(
    space: Space,
    centre: Key,
    filter: Filter,
    *,
    depth: int,
    most: int,
    skip: int = 0,
    told_by: Collection[int] | None = None,
) -> Graph:
    """What hangs together around a node, up to so many nodes; `skip`: without the nearest so many by each tie. Entities
    that no fact in one of the states `told_by` mentions are left out (None: none are)."""
    refuted = ties.refuted(space)
    first = _told(space, ties.steps(space, [centre], filter, refuted, skip + most), told_by)
    by_text = ties.by_text(space, centre, filter, skip + most + _AHEAD)
    first += by_text
    nodes, by_tie = {centre: 0}, _ranked(first)
    _take(nodes, [(rank - skip, step) for rank, step in by_tie if rank >= skip], most)
    if depth > 1:
        further = ties.steps(space, [*nodes][1:], filter, refuted, _FEW) if 1 < len(nodes) < most else []
        _take(nodes, _ranked(_told(space, further, told_by)), most)
    of = Counter(ties.count(space, centre, filter, refuted, CAP)) + Counter(step.tie for step in by_text)
    left = _left(of, by_tie, nodes, skip)
    return Graph(nodes, *_between(space, nodes, filter, refuted), left)


def _between(space: Space, nodes: Collection[Key], filter: Filter, refuted: Collection[int]) -> tuple[list[Tie], bool]:
    """What ties these nodes, as much as a picture has, and whether there is more."""
    found = ties.within(space, nodes, filter, refuted, MOST_TIES + 1)
    return found[:MOST_TIES], len(found) > MOST_TIES


def _left(
    of: Mapping[str, int], ranked: Sequence[tuple[int, Step]], nodes: Collection[Key], skip: int
) -> dict[str, Left]:
    """What there is no room for, of so many ties by each name."""
    after = {name: min(skip, count) for name, count in of.items()}
    for rank, step in ranked:
        after[step.tie] += rank >= skip and step.far in nodes
    return {
        name: Left(min(of[name], CAP) - after[name], after[name])
        for name in TIES
        if of.get(name, 0) > after.get(name, 0)
    }


def _ranked(steps: Sequence[Step]) -> list[tuple[int, Step]]:
    """Each step with its place among those of its tie from the same node, the strongest first."""
    by_tie = defaultdict[tuple[Key, str], list[Step]](list)
    for step in steps:
        by_tie[step.near, step.tie].append(step)
    ordered = (sorted(each, key=lambda step: (-step.strength, -step.age, str(step.far))) for each in by_tie.values())
    return [ranked for each in ordered for ranked in enumerate(each)]


def _take(nodes: dict[Key, int], ranked: Sequence[tuple[int, Step]], most: int) -> None:
    """Add to the nodes what these steps lead to, in turn, as far as there is room."""
    places = {node: place for place, node in enumerate(nodes)}
    for _, step in sorted(ranked, key=lambda each: (each[0], places[each[1].near], TIES.index(each[1].tie))):
        if len(nodes) < most:
            nodes.setdefault(step.far, nodes[step.near] + 1)


def _told(space: Space, steps: list[Step], told_by: Collection[int] | None) -> list[Step]:
    """Those that lead to what may be told. What a fact mentions is told where the fact is."""
    if told_by is None:
        return steps
    told = ties.told_of(space, {str(step.far) for step in steps if step.tie == "co-occurrence"}, told_by)
    return [step for step in steps if step.tie != "co-occurrence" or step.far in told]


class Named(NamedTuple):
    """An entity: what it is called and of which kind, how central it is, as a share of the most central one, and how
    many facts name it (None: it is not known)."""

    name: str
    title: str
    kind: str
    importance: float | None
    facts: int | None


def entities(space: Space, names: Collection[str]) -> dict[str, Named]:
    """What is known of some entities."""
    called = Entity.objects.filter(space=space, name__in=names).values_list("name", "title", "kind")
    titles = {name: (title, kind) for name, title, kind in called}
    ranks = Centrality.objects.filter(space=space)
    top = ranks.order_by("-rank").values_list("rank", flat=True).first()
    ranked = ranks.filter(entity__in=names).values_list("entity", "rank", "facts")
    known = {name: (rank / top if top else 0.0, facts) for name, rank, facts in ranked}
    return {name: Named(name, *titles.get(name, ("", "")), *known.get(name, (None, None))) for name in names}


def is_entity(space: Space, name: str) -> bool:
    """Whether anything tells of an entity of this name."""
    return (
        Mention.objects.filter(space=space, entity=name).exists()
        or Centrality.objects.filter(space=space, entity=name).exists()
        or Entity.objects.filter(space=space, name=name).exists()
    )


def placed(nodes: Collection[Key], found: Sequence[Tie], *, is_centred: bool) -> dict[Key, tuple[float, float]]:
    """Where nodes stand, by what ties them; the first in the middle where it `is_centred`."""
    order = {node: place for place, node in enumerate(nodes)}
    drawn = [tie for tie in found if tie.one in order and tie.other in order]
    centre = 0 if is_centred and order else None
    places = place(
        len(order),
        [order[tie.other] for tie in drawn],
        [order[tie.one] for tie in drawn],
        [_pull(tie) for tie in drawn],
        is_newer=[tie.name in DIRECTED for tie in drawn],
        centre=centre,
    )
    found_at = _by_node(order, places)
    return _apart(found_at, drawn, centre) if is_centred else found_at


def _apart(
    places: Mapping[Key, tuple[float, float]], found: Sequence[Tie], centre: int | None = None
) -> dict[Key, tuple[float, float]]:
    """The same places, with room around each."""
    order = {node: place for place, node in enumerate(places)}
    directed = [tie for tie in found if tie.name in DIRECTED]
    older, newer = [order[tie.other] for tie in directed], [order[tie.one] for tie in directed]
    x, y = ([each[axis] for each in places.values()] for axis in (0, 1))
    return _by_node(order, spread(x, y, older=older, newer=newer, centre=centre))


def _by_node(nodes: Collection[Key], places: Places) -> dict[Key, tuple[float, float]]:
    return dict(zip(nodes, zip(places.x.tolist(), places.y.tolist(), strict=True), strict=True))


def _pull(tie: Tie) -> float:
    least, most = _PULL.get(tie.name, _ASSERTED if tie.name in ties.ASSERTED else _COMPUTED)
    return least + (most - least) * min(max(tie.strength, 0.0), 1.0)


# The whole of a space.


class Overview(NamedTuple):
    """Some of the nodes of a space, the most important first, where each stands, what ties them, unless that is `more`,
    and how many were placed."""

    places: dict[Key, tuple[float, float]]
    ties: list[Tie]
    more: bool
    of: int


def overview(space: Space, filter: Filter, *, most: int, told_by: Collection[int] | None = None) -> Overview:
    """The sample of a space as it was placed last, as much of it as there is room for, with room around each node."""
    rows = list(Place.objects.filter(space=space).order_by("pk").values_list("is_entity", "name", "x", "y")[:SAMPLE])
    told = {name for is_entity, name, _, _ in rows if is_entity}
    facts = _shown(space, [name for is_entity, name, _, _ in rows if not is_entity], filter)
    if told_by is not None:
        first = [name for is_entity, name, _, _ in rows[: 2 * most] if is_entity]
        told = ties.told_of(space, told, told_by)
        told |= {name for _, name in naming.between(space, [*facts.values()][:most], first, {})}
    places = dict[Key, tuple[float, float]]()
    for is_entity, name, x, y in rows:
        node = name if is_entity and name in told else None if is_entity else facts.get(name)
        if node is not None and len(places) < most:
            places[node] = (x, y)
    found, more = _between(space, places, filter, ties.refuted(space))
    return Overview(_apart(places, found), found, more, len(rows))


def _shown(space: Space, names: Collection[str], filter: Filter) -> dict[str, int]:
    """The keys of those of some facts that a filter lets through, by name."""
    facts = Fact.objects.filter(ties.lets_through(space, filter), space=space, name__in=names)
    return dict(facts.values_list("name", "pk"))


def sample(space: Space, most: int = SAMPLE) -> list[Key]:
    """What stands for a whole space: the most central entities and the facts with most ties, in turn, at most so many.
    It reads all ties of the space."""
    ranked = Centrality.objects.filter(space=space, facts__gt=0).order_by("-rank", "entity")
    central, busy = list(ranked.values_list("entity", flat=True)[:most]), _busiest(space, most)
    in_turn = chain.from_iterable(zip_longest(central, busy))
    return [node for node in in_turn if node is not None][:most]


def _busiest(space: Space, most: int) -> list[int]:
    ends = [("store_edge", "newer_id", "AND carried"), ("store_edge", "older_id", "AND carried")]
    ends += [(table, end, "") for table in ("store_pair", "store_semanticedge") for end in ("newer_id", "older_id")]
    every = " UNION ALL ".join(
        f"SELECT {end} AS fact FROM {table} WHERE space_id = {space.pk} {which}"  # noqa: S608 (names of ours)
        for table, end, which in [*ends, ("store_mention", "fact_id", "")]
    )
    sql = f"""
        SELECT ends.fact FROM ({every}) ends JOIN store_fact f ON f.id = ends.fact AND f.state IN ({LIVE}, {PRUNED})
        GROUP BY ends.fact ORDER BY count(*) DESC, ends.fact DESC LIMIT {most}
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return [fact for (fact,) in cursor.fetchall()]


def names(space: Space, facts: Collection[int]) -> Mapping[int, str]:
    """Facts by their keys, what they are called."""
    return dict(Fact.objects.filter(space=space, pk__in=facts).values_list("pk", "name"))
