"""The nodes and ties of a picture in words: for who points at one, and for the list that says the same."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext

from trustmem.core.vocabulary import BANDS, STATES
from trustmem.desk.components import marked, told
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters import facts
from trustmem.desk.presenters.graph import View, means, title
from trustmem.desk.presenters.graph_picture import (
    FACT,
    RING,
    Dot,
    Label,
    Line,
    Point,
    below,
    diamond,
    dots,
    lines,
    scale,
    size_of,
)
from trustmem.desk.presenters.texts import about, beginning
from trustmem.desk.words import word
from trustmem.explanations.text import shortened
from trustmem.store.graph import Named
from trustmem.store.lists import Row
from trustmem.store.states import KEPT
from trustmem.store.ties import TIES, Key, Tie

#: Columns of a label, and how much of a claim stands in the list, and amid a sentence.
_LABEL, _BEGINNING, _QUOTE = 26, 160, 80


class Shape(NamedTuple):
    """How an entity is drawn, and the ring around it; and where the label of a node stands, from its middle."""

    body: str
    ring: str
    label: Point

    @classmethod
    def of(cls, dot: Dot, size: float) -> "Shape":
        """Where there is no room for a label, it stands below, once it is shown."""
        return cls(diamond(size), diamond(size + RING), dot.label_at or below(dot.size))


class Node(NamedTuple):
    """A fact or an entity. `told` is what it says, for the list, `quote` the beginning of that for sentences, and
    `says` all there is to say of it in a line. `href` leads to the picture around it, `page` to what is known of it.
    `size` is half of it, drawn in full."""

    place: int
    is_fact: bool
    name: str
    about: str
    told: SafeString
    quote: SafeString
    says: str
    href: str
    page: str
    band: str
    band_place: int
    trust: str
    state: str
    flags: list[str]
    importance: str
    hops: int
    ties: int
    size: float
    dot: Dot
    shape: Shape
    is_centre: bool


class Drawn(NamedTuple):
    """A line of the picture, with the names of the signs at its end and in its middle ('': none)."""

    line: Line
    end: str
    middle: str


class Group(NamedTuple):
    """The ties of one name: what that means, how many, and each as a sentence."""

    name: str
    title: str
    means: str
    many: str
    sentences: list[SafeString]


class Picture(NamedTuple):
    """All that is drawn, at which share of its full size nodes are, and the ties as sentences."""

    nodes: list[Node]
    lines: list[Drawn]
    groups: list[Group]
    scale: float


class Known(NamedTuple):
    """What is known of the nodes of a picture, and of which facts it is not told what they say, with their states."""

    facts: Mapping[int, Row]
    entities: Mapping[str, Named]
    untold: Mapping[str, str]


def picture(
    view: View,
    space: str,
    places: Mapping[Key, tuple[float, float]],
    hops: Mapping[Key, int],
    found: Sequence[Tie],
    known: Known,
) -> Picture:
    """The nodes in their order, each where it stands, and all that ties them."""
    order = [node for node in places if isinstance(node, str) or node in known.facts]
    found = [tie for tie in found if tie.one in order and tie.other in order]
    teller = _Teller(view, space, known)
    labels = _labels({node: teller.title(node).strip() for node in order})
    share = scale(len(order))
    sized = {node: Label(labels[node], share * teller.size(node)) for node in order}
    drawn = dots({node: places[node] for node in order}, sized, is_centred=view.is_centred)
    degree = defaultdict[Key, int](int)
    for tie in found:
        for end in {tie.one, tie.other}:
            degree[end] += 1
    nodes = [
        teller.node(node, place, drawn[place], hops.get(node, 0), degree[node]) for place, node in enumerate(order)
    ]
    by_key = dict(zip(order, nodes, strict=True))
    signs = [Drawn(line, *_SIGNS.get(line.tie.name, ("", ""))) for line in lines(found, order, drawn)]
    return Picture(nodes, signs, _groups(found, by_key), share)


#: What stands at the end of a line, and in its middle.
_SIGNS = {
    "updates": ("updates", ""),
    "extends": ("extends", ""),
    "derives": ("derives", ""),
    "contradicts": ("", "contradicts"),
    "candidate": ("", "candidate"),
    "restatement": ("", "restatement"),
}


def _labels(titles: Mapping[Key, str]) -> dict[Key, str]:
    """What stands beside nodes: how each begins; of those that begin alike, from where they differ on."""
    labels = {node: shortened(title, _LABEL) for node, title in titles.items()}
    by_label = defaultdict[str, list[Key]](list)
    for node, label in labels.items():
        by_label[label].append(node)
    for nodes in by_label.values():
        alike = _alike([titles[node] for node in nodes])
        start = alike.rfind(" ") + 1
        for node in () if alike in (titles[node] for node in nodes) or not start else nodes:
            labels[node] = "…" + shortened(titles[node][start:], _LABEL - 1)
    return labels


def _alike(texts: Sequence[str]) -> str:
    """With what all of these begin.

    >>> _alike(["kept at 4", "kept at 5", "kept warm"])
    'kept '
    """
    first, last = min(texts), max(texts)
    differs = (place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(differs, len(first))]


class _Teller:
    """Tells nodes in words."""

    def __init__(self, view: View, space: str, known: Known) -> None:
        self.view, self.space, self.known = view, space, known

    def _text(self, row: Row) -> str | None:
        """None: it is erased, or not told to whoever looks."""
        return (KEPT.told(row.text, row.state) if row.name not in self.known.untold else None) or None

    def _state(self, row: Row) -> str:
        return self.known.untold.get(row.name, STATES[row.state])

    def title(self, node: Key) -> str:
        """What a node is called, as plain text."""
        if isinstance(node, str):
            return self.known.entities[node].title or node
        row = self.known.facts[node]
        text = self._text(row)
        return text if text is not None else f"({word(self._state(row))})"

    def size(self, node: Key) -> float:
        """Half of a node: an entity is the larger, the more central it is."""
        return size_of(self.known.entities[node].importance) if isinstance(node, str) else FACT

    def node(self, node: Key, place: int, dot: Dot, hops: int, ties: int) -> Node:
        """A node as page and picture tell it."""
        own = self._fact(node) if isinstance(node, int) else self._entity(node)
        many = ngettext("{count} tie in view", "{count} ties in view", ties).format(count=whole(ties))
        quote = shortened(self.title(node), _QUOTE)
        says = ", ".join(filter(None, (own["kind"], f"“{quote}”", *own["like"], many)))
        told_of = {name: own[name] for name in own if name not in ("kind", "like")}
        is_centre = self.view.is_centred and place == 0
        return Node(
            place=place,
            says=says,
            hops=hops,
            ties=ties,
            size=self.size(node),
            dot=dot,
            shape=Shape.of(dot, self.size(node)),
            is_centre=is_centre,
            **told_of,
        )

    def _fact(self, key: int) -> dict[str, Any]:
        row = self.known.facts[key]
        text, state = self._text(row), STATES[row.state]
        band = "" if row.band is None else BANDS[row.band]
        trust = "" if row.trust is None else two(row.trust)
        flags = facts.flags_of(row)
        return {
            "is_fact": True,
            "name": row.name,
            "about": about(row.subject, text) if text else "",
            "told": told(None if text is None else beginning(text, _BEGINNING), self._state(row)),
            "quote": told(None if text is None else beginning(text, _QUOTE), self._state(row)),
            "href": self.view.around(key, row.name),
            "page": reverse("fact", args=[self.space, row.name]),
            "band": band,
            "band_place": BANDS.index(band) + 1 if band else 0,
            "trust": trust,
            "state": state,
            "flags": flags,
            "importance": "",
            "kind": gettext("fact"),
            "like": [f"{word(band)} {trust}" if band else gettext("not scored yet"), *map(word, flags)],
        }

    def _entity(self, name: str) -> dict[str, Any]:
        known = self.known.entities[name]
        title, importance = known.title or name, _important(known)
        return {
            "is_fact": False,
            "name": name,
            "about": "",
            "told": marked(beginning(title, _BEGINNING)),
            "quote": marked(beginning(title, _QUOTE)),
            "href": self.view.around(name, name),
            "page": reverse("facts", args=[self.space]) + "?" + urlencode({"entity": name, "state": "any"}),
            "band": "",
            "band_place": 0,
            "trust": "",
            "state": "",
            "flags": [],
            "importance": importance,
            "kind": gettext("entity"),
            "like": [importance],
        }


def _important(known: Named) -> str:
    if known.importance is None or known.facts is None:
        return ""
    said = ngettext(
        "importance {share}, named by {count} fact", "importance {share}, named by {count} facts", known.facts
    )
    return said.format(share=two(known.importance), count=whole(known.facts))


_SENTENCES: dict[str, str | Promise] = {
    "updates": gettext_lazy("{one} takes the place of {other}"),
    "contradicts": gettext_lazy("{one} and {other} cannot both hold"),
    "extends": gettext_lazy("{one} adds to {other}"),
    "derives": gettext_lazy("{one} was made from {other}"),
    "candidate": gettext_lazy("{one} and {other} may contradict each other: rule {rule}, overlap {strength}"),
    "restatement": gettext_lazy("{one} and {other} say the same: overlap {strength}"),
    "mention": gettext_lazy("{one} names {other}"),
    "semantic": gettext_lazy("{one} and {other} are near in meaning: {strength} of 1"),
    "co-occurrence": gettext_lazy("{one} and {other} occur together: {strength} of 1"),
}


def _groups(found: Sequence[Tie], nodes: Mapping[Key, Node]) -> list[Group]:
    by_name = defaultdict[str, list[SafeString]](list)
    for tie in found:
        by_name[tie.name].append(_sentence(tie, nodes[tie.one], nodes[tie.other]))
    return [
        Group(name, title(name), means(name), whole(len(by_name[name])), by_name[name])
        for name in TIES
        if name in by_name
    ]


def _sentence(tie: Tie, one: Node, other: Node) -> SafeString:
    given = {
        "one": _link(one),
        "other": _link(other),
        "rule": format_html("<code>{}</code>", tie.rule),
        "strength": two(tie.strength),
    }
    said = format_html(str(_SENTENCES[tie.name]), **given)
    return said if tie.counts else format_html("{} {}", said, gettext("(it does not count as things stand)"))


def _link(node: Node) -> SafeString:
    return format_html('<a href="{}"><bdi translate="no">{}</bdi></a>', node.href, node.quote)
