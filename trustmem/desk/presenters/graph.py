"""The graph page: what an address asks for, what can be chosen, and what there is no room for."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import QueryDict
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext_lazy

from trustmem.actions import jobs
from trustmem.core.vocabulary import BANDS, LIVE, PRUNED, STATES
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import capped, whole
from trustmem.desk.presenters import lab
from trustmem.desk.presenters.graph_picture import WHOLE, At
from trustmem.desk.words import word
from trustmem.store.graph import CAP, Left
from trustmem.store.models import Job, JobState, Space
from trustmem.store.ties import TIES, Filter, Key

#: How many nodes a picture has: as few as can be chosen, and as many; of the whole of a space it may have more.
SIZES, SIZES_OF_ALL = (30, 60, 100, 150), (60, 150, 300)
#: Before so many are passed over there is no page.
_FARTHEST = CAP
_GIVEN = ("fact", "entity", "ties", "bands", "states", "depth", "most", "skip", "at")
_SHOWN = (LIVE, PRUNED)


@dataclass(frozen=True, slots=True)
class View:
    """What a picture shows, all of it in its address. Of `bands` None is any, be it not scored."""

    fact: str = ""
    entity: str = ""
    ties: frozenset[str] = frozenset(TIES)
    bands: frozenset[int] | None = None
    states: frozenset[int] = frozenset(_SHOWN)
    depth: int = 1
    most: int = 60
    skip: int = 0
    at: At | None = None

    @classmethod
    def of(cls, asked: QueryDict) -> "View":
        """Raises BadRequest for what an address cannot mean."""
        unknown = [name for name in asked if name not in _GIVEN]
        if unknown:
            raise BadRequest(gettext("A graph knows nothing of “{name}”.").format(name=unknown[0]))
        try:
            return cls(**_read(asked))
        except (ValueError, KeyError):
            raise BadRequest(gettext("There is no such view of a graph.")) from None

    @property
    def is_centred(self) -> bool:
        return bool(self.fact or self.entity)

    @property
    def view_box(self) -> str:
        """What of the picture is in view, as the attribute of an SVG."""
        return (self.at or WHOLE).view_box

    def filter(self, sees: Collection[int]) -> Filter:
        """For somebody who sees facts in these states."""
        return Filter(self.ties, self.states & frozenset(sees), self.bands)

    def address(self, **changes: Any) -> str:
        """The query of the address of a view that differs from this one, but for what of it is in view."""
        given: dict[str, Any] = {
            "fact": self.fact,
            "entity": self.entity,
            "ties": [] if len(self.ties) == len(TIES) else [name for name in TIES if name in self.ties],
            "bands": [] if self.bands is None else [BANDS[code] for code in sorted(self.bands)],
            "states": [] if self.states == {*_SHOWN} else [STATES[code] for code in sorted(self.states)],
            "depth": "" if self.depth == 1 else self.depth,
            "most": "" if self.most == 60 else self.most,
            "skip": self.skip or "",
        }
        return "?" + urlencode({name: value for name, value in (given | changes).items() if value}, doseq=True)

    @property
    def is_filtered(self) -> bool:
        """Whether it leaves out ties or facts."""
        return len(self.ties) < len(TIES) or self.bands is not None or self.states != {*_SHOWN} or self.skip > 0

    @property
    def here(self) -> str:
        """The address of just this view."""
        return self.address(at=f"{self.at.x:g},{self.at.y:g},{self.at.zoom:g}" if self.at else "") or "?"

    @property
    def reset(self) -> str:
        """The address of the same centre, and of nothing else that was chosen."""
        given = {"fact": self.fact, "entity": self.entity}
        return "?" + urlencode({name: value for name, value in given.items() if value})

    @property
    def nearest(self) -> str:
        """The address of the page with which it begins."""
        return self.address(skip="")

    def around(self, node: Key, name: str) -> str:
        """The same around another node."""
        of = {"fact": name, "entity": ""} if isinstance(node, int) else {"fact": "", "entity": name}
        return self.address(**of, skip="", **({} if self.most in SIZES else {"most": ""}))


def _read(asked: QueryDict) -> dict[str, Any]:
    told = {name: str(asked.get(name, "")) for name in _GIVEN}
    given: dict[str, Any] = {name: told[name] for name in ("fact", "entity") if told[name].strip()}
    if len(given) > 1 or any("\0" in each for each in given.values()):
        raise ValueError
    ties, bands, states = ([str(each) for each in asked.getlist(name) if each] for name in ("ties", "bands", "states"))
    if ties:
        given["ties"] = frozenset(TIES[TIES.index(name)] for name in ties)
    if bands and {*bands} != {*BANDS}:
        given["bands"] = frozenset(map(BANDS.index, bands))
    if states:
        given["states"] = frozenset(map(STATES.index, states))
    sizes = SIZES if given.keys() & {"fact", "entity"} else SIZES_OF_ALL
    for name, may_be in (("depth", (1, 2)), ("most", sizes), ("skip", range(_FARTHEST + 1))):
        if told[name]:
            given[name] = may_be[may_be.index(int(told[name]))]
    if told["at"]:
        given["at"] = At.of(told["at"])
    return given


def leads_around(space: str, **centre: str) -> str:
    """The address of the picture around a `fact` or an `entity`."""
    return f"{reverse('graph', args=[space])}?{urlencode(centre)}"


# The job that works it out.


def working(space: Space, now: int) -> list[lab.Working]:
    """The job, unless it is done, or there was none."""
    return lab.working(space, now, {jobs.GRAPH: gettext("The graph is worked out")})


def last_job(space: Space, now: int) -> When | None:
    """When it was done last. None: it never was, as far as anybody knows."""
    done = Job.objects.filter(space=space, kind=jobs.GRAPH, state=JobState.DONE)
    at = done.order_by("ended_at").values_list("ended_at", flat=True).last()
    return None if at is None else when(at, now)


# What there is to choose.


class Choice(NamedTuple):
    """A box that can be ticked: its value, what that is called and means, and whether it is ticked."""

    value: str
    title: str
    means: str
    is_chosen: bool


class Choices(NamedTuple):
    """All that can be chosen: the ties, the bands, the highest first, the states that somebody may see, and how many
    nodes."""

    ties: list[Choice]
    bands: list[Choice]
    states: list[Choice]
    sizes: tuple[int, ...]


def choices(view: View, sees: Collection[int]) -> Choices:
    """What of a picture can be chosen by somebody who sees facts in these states."""
    return Choices(
        ties=[Choice(name, title(name), means(name), name in view.ties) for name in TIES],
        bands=[
            Choice(name, word(name), "", view.bands is None or BANDS.index(name) in view.bands)
            for name in reversed(BANDS)
        ],
        states=[Choice(STATES[code], word(STATES[code]), "", code in view.states) for code in sorted(sees)],
        sizes=SIZES if view.is_centred else SIZES_OF_ALL,
    )


def says_around(nodes: int, ties: int, more: bool) -> str:
    """How much there is in a picture around something."""
    return ", ".join((_nodes(nodes), _ties(ties, more)))


def says_of_all(nodes: int, of: int, facts: tuple[int, bool], ties: int, more: bool) -> str:
    """How much of a space there is in a picture."""
    said = ngettext(
        "{nodes} of {of}, {ties}, of a space of {facts} fact",
        "{nodes} of {of}, {ties}, of a space of {facts} facts",
        facts[0],
    )
    return said.format(nodes=whole(nodes), of=_nodes(of), facts=capped(*facts), ties=_ties(ties, more))


def _nodes(count: int) -> str:
    return ngettext("{count} node", "{count} nodes", count).format(count=whole(count))


def _ties(count: int, more: bool) -> str:
    """`more`: these are not all."""
    if more:
        return gettext("the strongest {count} of their ties").format(count=whole(count))
    return ngettext("{count} tie", "{count} ties", count).format(count=whole(count))


class Way(NamedTuple):
    """Something that there is no room for, and where it is."""

    says: str
    href: str


def left_out(view: View, left: Mapping[str, Left]) -> list[Way]:
    """What is tied to the centre and not shown, by each tie."""
    told = []
    for name, (count, after) in left.items():
        said = ngettext("{count} more by {tie}", "{count} more by {tie}", count)
        # By this tie alone, from its first on: or from where this picture ends, if it shows nothing else.
        skip = after if view.ties == {name} else 0
        href = view.address(ties=[name], skip=skip or "", depth="")
        told.append(Way(said.format(count=capped(count, count >= CAP), tie=title(name)), href))
    return told


def title(tie: str) -> str:
    """What ties of a name are called."""
    return str(_TITLES[tie])


def means(tie: str) -> str:
    """What a tie says, in a sentence."""
    return str(_MEANS[tie])


_TITLES: dict[str, str | Promise] = {
    "updates": pgettext_lazy("tie", "updates"),
    "contradicts": pgettext_lazy("tie", "contradicts"),
    "extends": pgettext_lazy("tie", "extends"),
    "derives": pgettext_lazy("tie", "derives"),
    "candidate": pgettext_lazy("tie", "candidate"),
    "restatement": pgettext_lazy("tie", "restatement"),
    "mention": pgettext_lazy("tie", "mention"),
    "semantic": pgettext_lazy("tie", "semantic edge"),
    "co-occurrence": pgettext_lazy("tie", "co-occurrence"),
}
_MEANS: dict[str, str | Promise] = {
    "updates": gettext_lazy("The newer claim, from which the arrow comes, takes the place of the older one."),
    "contradicts": gettext_lazy("Both cannot hold; nobody has decided yet which does."),
    "extends": gettext_lazy("The claim from which the arrow comes adds to the other."),
    "derives": gettext_lazy("The claim from which the arrow comes was made from the other."),
    "candidate": gettext_lazy("The detector found that they may contradict each other. Nobody has said so."),
    "restatement": gettext_lazy("The detector found that they say the same."),
    "mention": gettext_lazy("The fact names the entity."),
    "semantic": gettext_lazy("Each is among those nearest to the other in meaning; the wider, the nearer."),
    "co-occurrence": gettext_lazy(
        "Facts name both entities oftener than chance would have it; the wider, the more so."
    ),
}
