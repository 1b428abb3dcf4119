"""Facts that say the same, as pages show them: what differs, which of them is kept, what stands in the way, and what
merging would make of the one that is kept."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.actions import duplicates as merging
from trustmem.actions import jobs
from trustmem.actions.duplicates import Group, Preview, Stand
from trustmem.core.scores import score
from trustmem.core.vocabulary import BANDS, FORGOTTEN, STATES, TIERS
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters.links import linked
from trustmem.desk.presenters.texts import Beside, about, beside
from trustmem.desk.words import word
from trustmem.explanations import duplicates as said
from trustmem.store import bulk, duplicates, pairs, queries
from trustmem.store.duplicates import Cluster, Place
from trustmem.store.models import OPEN, Fact, Job, Space
from trustmem.store.states import ALIVE, GUARDED

#: So many facts of a cluster are shown at once.
_AT_ONCE = 10
#: So many of what was merged into a fact are named on its page.
_NAMED = 20


class Member(NamedTuple):
    """A fact of a cluster; `why_not` says why it cannot be merged into another ('': it can), and `why_not_kept` why it
    cannot be kept."""

    name: str
    id: str
    about: str
    claim: Beside
    band: str
    trust: str
    tier: str
    said: str
    source: str
    born: When
    is_kept: bool
    is_merged: bool
    why_not: str
    why_not_kept: str


class Turn(NamedTuple):
    """What merging makes of the fact that is kept: a number before and after."""

    title: str
    before: str
    after: str


class Outlook(NamedTuple):
    """What merging would make of the fact that is kept: sources for and against it, and its trust with the bands."""

    turns: list[Turn]
    before: tuple[str, str]
    after: tuple[str, str]


class Shown(NamedTuple):
    """A cluster: what it is called, how it was found, how much of it is shown ('': all), and its members. `outlook` is
    None where nothing would be merged; where it cannot be worked out, `no_outlook` says so."""

    id: str
    says: str
    found: str
    part: str
    members: list[Member]
    kept: str
    outlook: Outlook | None
    no_outlook: str
    forgets: str
    value: list[str]

    @property
    def is_mergeable(self) -> bool:
        return len(self.value) > 1

    @property
    def first(self) -> list[Member]:
        """Those that are shown at once."""
        return self.members[:_AT_ONCE]

    @property
    def rest(self) -> list[Member]:
        """Those that are shown when somebody asks for them."""
        return self.members[_AT_ONCE:]

    @property
    def show_rest(self) -> str:
        """What leads to the rest."""
        count = len(self.rest)
        return ngettext("Show {count} more", "Show {count} more", count).format(count=whole(count))

    @property
    def json(self) -> str:
        """What of it would be merged, as a form has it."""
        return json.dumps(self.value)


class Chosen(NamedTuple):
    """What somebody chose of a cluster: the fact that is kept ('': the one that usually is), and those that are merged
    into it (None: all)."""

    kept: str = ""
    merged: Collection[str] | None = None


_USUAL = Chosen()


class Progress(NamedTuple):
    """How far the detector has come, and what works on it."""

    says: str
    is_through: bool
    is_open: bool
    at: When | None


def page(space: Space, asked: Mapping[str, str], now: int) -> dict[str, Any]:
    """A page of clusters."""
    after = place(asked)
    found = duplicates.page(space, after)
    return {
        "clusters": shown(space, found.clusters, now),
        "says": _says(found),
        "is_capped": found.is_capped,
        "most": whole(duplicates.MOST_PAIRS),
        "next": f"?{query(found.next)}" if found.next else "",
        "is_first": after is None,
        "query": f"?{query(after)}" if after else "",
    }


def place(asked: Mapping[str, str]) -> Place | None:
    """The place after which an address has a page begin. Raises BadRequest for what is none."""
    given = asked.get("after", "")
    if not given:
        return None
    try:
        size, trust, key = given.split("_", 2)
        found = Place(int(size), float(trust), int(key))
    except ValueError:
        raise BadRequest(gettext("This is no place in a list.")) from None
    if not (0 <= found.trust <= 1 and 0 < found.size < 10**12 and 0 < found.key < 10**18):
        raise BadRequest(gettext("This is no place in a list."))
    return found


def query(place: Place) -> str:
    """A place as an address has it."""
    return urlencode({"after": f"{place.size}_{place.trust!r}_{place.key}"})


def _says(found: duplicates.Page) -> str:
    if not found.many:
        return ""
    clusters = ngettext("{count} cluster", "{count} clusters", found.many).format(count=whole(found.many))
    says = gettext("{clusters} of {facts} facts; merged, they would be {many}.")
    return says.format(clusters=clusters, facts=whole(found.facts), many=whole(found.many))


def progress(space: Space, now: int) -> Progress:
    """How far the facts of a space are checked."""
    standing = pairs.standing(space)
    is_open = Job.objects.filter(space=space, kind=jobs.DETECTION, state__in=OPEN).exists()
    at = when(standing.at, now) if standing.detector else None
    if not standing.of:
        return Progress("", True, is_open, at)
    if not standing.detector:
        return Progress(gettext("The detector has not looked at these facts yet."), False, is_open, at)
    says = gettext("The detector, version {version}, has checked {done} of {of} facts.")
    told = says.format(version=standing.detector, done=whole(standing.done), of=whole(standing.of))
    return Progress(told, standing.is_through, is_open, at)


def shown(space: Space, clusters: Sequence[Cluster], now: int, chosen: Chosen = _USUAL) -> list[Shown]:
    """Clusters with all that is shown of their members."""
    keys = {key for cluster in clusters for key in cluster.keys}
    rows = {fact.pk: fact for chunk in bulk.chunks(keys) for fact in Fact.objects.filter(pk__in=chunk)}
    why_not = duplicates.obstacles(space, rows.values())
    told = [([rows[key] for key in cluster.keys], cluster) for cluster in clusters]
    groups = [_group(facts, why_not, chosen) for facts, _ in told]
    worth = merging.previews(space, [group for group in groups if group.others], now)
    scores = _scores(space, keys, now)
    return [
        _shown(facts, cluster, group, why_not, worth.get(group.kept), scores, now)
        for (facts, cluster), group in zip(told, groups, strict=True)
    ]


def _scores(space: Space, keys: Collection[int], now: int) -> dict[str, tuple[str, str]]:
    """Band and trust of facts as they are now, by their names."""
    found = score(queries.stored(space, keys), now)
    told = zip(found.ids, found.band.tolist(), found.trust.tolist(), strict=True)
    return {name: (BANDS[band], two(trust)) for name, band, trust in told}


def _group(facts: Sequence[Fact], why_not: Mapping[str, str], chosen: Chosen) -> Group:
    """What would be merged into what. What a newer claim updates is not kept, if anything else can be."""
    names = [fact.name for fact in facts]
    able = [fact.name for fact in facts if not fact.depth] or names
    kept = chosen.kept if chosen.kept in names else able[0]
    merged = [name for name in names if name != kept and name not in why_not]
    if chosen.merged is not None:
        merged = [name for name in merged if name in chosen.merged]
    return Group(kept, merged if kept in able else [])


def _shown(
    facts: Sequence[Fact],
    cluster: Cluster,
    group: Group,
    why_not: Mapping[str, str],
    worth: Preview | None,
    scores: Mapping[str, tuple[str, str]],
    now: int,
) -> Shown:
    size, kept = cluster.place.size, next(fact for fact in facts if fact.name == group.kept)
    claims = _claims(kept, facts)
    members = [
        Member(
            name=fact.name,
            id=f"{cluster.place.key}-{number}",
            about=about(fact.subject, fact.text),
            claim=claims[fact.name],
            band=scores[fact.name][0],
            trust=scores[fact.name][1],
            tier=word(TIERS[fact.tier]) if fact.tier else "",
            said=_said(fact.r),
            source=fact.source,
            born=when(fact.at, now),
            is_kept=fact is kept,
            is_merged=fact.name in group.others,
            why_not=said.why_not(why_not[fact.name]) if fact.name in why_not else "",
            why_not_kept=gettext("A newer claim holds in its place.") if fact.depth else "",
        )
        for number, fact in enumerate(facts)
    ]
    return Shown(
        id=f"cluster-{cluster.place.key}",
        says=ngettext("{count} fact says the same", "{count} facts say the same", size).format(count=whole(size)),
        found=gettext("found by detector {versions}").format(versions=", ".join(cluster.detectors)),
        part=_part(len(facts), size),
        members=members,
        kept=group.kept,
        outlook=_outlook(worth) if worth else None,
        no_outlook=gettext("What this comes to cannot be told in a moment: so much hangs together with these facts.")
        if group.others and not worth
        else "",
        forgets=_forgets(len(group.others)),
        value=group.names if group.others else [],
    )


def _claims(kept: Fact, facts: Sequence[Fact]) -> dict[str, Beside]:
    """What facts say, beside that which is kept; of two, either beside the other."""
    text = ALIVE.told(kept.text, kept.state)
    found = {kept.name: beside(text, None)[0]}
    for fact in facts:
        if fact is not kept:
            left, found[fact.name] = beside(text, ALIVE.told(fact.text, fact.state))
            found[kept.name] = left if len(facts) == 2 else found[kept.name]
    return found


def _part(shown: int, of: int) -> str:
    if shown >= of:
        return ""
    says = gettext("These are {shown} of {of}: the others come once it is decided about these.")
    return says.format(shown=whole(shown), of=whole(of))


def _said(r: int) -> str:
    return ngettext("{count} source besides", "{count} sources besides", r).format(count=whole(r)) if r else ""


def _forgets(count: int) -> str:
    says = ngettext("{count} fact is forgotten by that.", "{count} facts are forgotten by that.", count)
    return says.format(count=whole(count)) if count else ""


def _outlook(worth: Preview) -> Outlook:
    before, after = worth
    return Outlook(
        [
            Turn(gettext("sources for"), whole(before.r), whole(after.r)),
            Turn(gettext("sources against"), whole(before.s), whole(after.s)),
        ],
        _banded(before),
        _banded(after),
    )


def _banded(stand: Stand) -> tuple[str, str]:
    return BANDS[stand.band], two(stand.trust)


class All(NamedTuple):
    """How many clusters would be merged at once, and what that comes to."""

    many: str
    forgets: str


def all_of(clusters: Sequence[Shown]) -> All:
    """What it comes to that all of these are merged."""
    count = sum(len(cluster.value) - 1 for cluster in clusters)
    says = ngettext("{count} cluster", "{count} clusters", len(clusters)).format(count=whole(len(clusters)))
    return All(says, _forgets(count))


def merged(count: int) -> str:
    """That so many clusters are merged."""
    says = ngettext("{count} cluster is merged.", "{count} clusters are merged.", count)
    return says.format(count=whole(count))


class Merges(NamedTuple):
    """What became of a fact by merging: the link to what it was merged `into` (None: it was not), and links to what was
    merged into it; `more` of these are not named ('': none), and `case` leads to the last of what decided it."""

    into: SafeString | None
    merged: list[SafeString]
    more: str
    case: str


def of_fact(space: Space, name: str, *, sees_all: bool) -> Merges | None:
    """What a fact was merged into, while it is forgotten, and what was merged into it that still is."""
    found = duplicates.merges(space, [name])
    if not found:
        return None
    names = {each for merge in found for each in (merge.kept, *merge.merged)}
    rows = {
        each: (text, state)
        for chunk in bulk.chunks(names)
        for each, text, state in Fact.objects.filter(space=space, name__in=chunk).values_list("name", "text", "state")
    }

    def link(each: str) -> SafeString:
        text, state = rows[each]
        told = GUARDED.told(text, state, sees_all=sees_all)
        return linked(space.name, each, told, STATES[state])

    gone = {each for each, (_, state) in rows.items() if state == FORGOTTEN}
    into = [merge for merge in found if name in merge.merged and name in gone and merge.kept in rows]
    ours = [each for merge in found if merge.kept == name for each in merge.merged if each in gone]
    if not into and not ours:
        return None
    last = into[-1] if into else next(merge for merge in reversed(found) if merge.kept == name)
    more = len(ours) - _NAMED
    return Merges(
        link(into[-1].kept) if into else None,
        [link(each) for each in ours[:_NAMED]],
        ngettext("and {count} more", "and {count} more", more).format(count=whole(more)) if more > 0 else "",
        reverse("case", args=[space.name, last.case]),
    )
