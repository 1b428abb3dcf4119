"""The picture of a graph: where its nodes, lines and labels stand, as numbers of an SVG."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from trustmem.explanations.text import columns_of
from trustmem.store.graph import DIRECTED
from trustmem.store.ties import Key, Tie

#: The frame, and how much of it is left free at each side for labels.
WIDTH, HEIGHT = 680, 600
_ACROSS, _DOWN = 64, 40
#: Half of a fact; an entity is as large as this at the least and at the most.
FACT, _LEAST, _MOST = 13.0, 9.0, 22.0
#: A node is drawn in full where so much room is around it (a square of that side), and no smaller than at this share.
_ROOM, _SMALLEST = 90.0, 0.55
#: How far around a node the ring is that shows where one is.
RING = 6.0
#: What a column of a label takes, what a line of it is high, and how far it keeps from what it names.
_COLUMN, _LINE, _AWAY = 6.4, 15.0, 4.0
#: How far lines between the same two nodes bend away from each other, as a share of their length.
_BEND = 0.16
#: A line ends so far before what it leads to.
_GAP = 3.0


class Point(NamedTuple):
    x: float
    y: float


class Dot(NamedTuple):
    """A node: where it stands in the frame, and within it from -1 to 1; its half size; its label ('': none), and where
    that stands from its middle (None: there is no room, and it is shown when one points at the node)."""

    at: Point
    unit: Point
    size: float
    label: str
    label_at: Point | None


class Line(NamedTuple):
    """A tie: the places of its ends among the nodes, its path, how it bends, and how wide it is."""

    tie: Tie
    one: int
    other: int
    path: str
    bend: float
    width: float


class Label(NamedTuple):
    """What is needed to place a node: what it is called, and how large it is."""

    text: str
    size: float


def size_of(importance: float | None) -> float:
    """Half of an entity: its area grows with its importance, from 0 to 1.

    >>> size_of(None), size_of(1.0)
    (9.0, 22.0)
    """
    return _LEAST + (_MOST - _LEAST) * math.sqrt(importance or 0.0)


def scale(nodes: int) -> float:
    """At which share of its full size each of so many nodes is drawn.

    >>> scale(1), scale(60), scale(300)
    (1, 0.92, 0.55)
    """
    return round(min(max(math.sqrt(WIDTH * HEIGHT / max(nodes, 1)) / _ROOM, _SMALLEST), 1), 2)


def dots(places: Mapping[Key, tuple[float, float]], labels: Mapping[Key, Label], *, is_centred: bool) -> list[Dot]:
    """The nodes in their order, in which labels have the first choice of room; that of a centre is always shown."""
    frame = {node: _in_frame(*unit) for node, unit in places.items()}
    shown = _labelled([(frame[node], *labels[node]) for node in places], is_centred)
    return [
        Dot(frame[node], Point(round(unit[0], 4), round(unit[1], 4)), labels[node].size, labels[node].text, at)
        for (node, unit), at in zip(places.items(), shown, strict=True)
    ]


def _in_frame(x: float, y: float) -> Point:
    return Point(
        round(WIDTH / 2 + x * (WIDTH / 2 - _ACROSS), 1),
        round(HEIGHT / 2 + y * (HEIGHT / 2 - _DOWN), 1),
    )


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: "_Box") -> bool:
        return (
            self.left < other.left and self.top < other.top and other.right < self.right and other.bottom < self.bottom
        )

    def meets(self, other: "_Box") -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


_IN_ALL = _Box(0, 0, WIDTH, HEIGHT)


def _labelled(nodes: Sequence[tuple[Point, str, float]], is_centred: bool) -> list[Point | None]:
    """Where each label stands, from the middle of its node: where it meets nothing else, below, above or beside it."""
    taken = [_Box(at.x - size, at.y - size, at.x + size, at.y + size) for at, _, size in nodes]
    found = list[Point | None]()
    for number, (at, text, size) in enumerate(nodes):
        width = columns_of(text) * _COLUMN
        boxes = ((away, _box(at, away, width)) for away in _ways(size, width))
        free = (each for each in boxes if _IN_ALL.holds(each[1]) and not any(map(each[1].meets, taken)))
        first = (below(size), _box(at, below(size), width)) if is_centred and number == 0 else None
        away, box = next(free, first) or (None, None)
        found.append(away)
        taken += [box] if box else []
    return found


def _box(at: Point, away: Point, width: float) -> _Box:
    x, y = at.x + away.x, at.y + away.y
    return _Box(x - width / 2, y - _LINE + 2, x + width / 2, y + 5)


def _ways(size: float, width: float) -> Iterable[Point]:
    beside = round(size + _AWAY + width / 2, 1)
    yield below(size)
    yield Point(0, round(-size - _AWAY - 2, 1))
    yield Point(beside, 4)
    yield Point(-beside, 4)


def below(size: float) -> Point:
    """Where a label stands below a node, from its middle."""
    return Point(0, round(size + _AWAY + 11, 1))


def diamond(size: float) -> str:
    """An entity of that half size.

    >>> diamond(9.0)
    'M0 -9.0L9.0 0L0 9.0L-9.0 0Z'
    """
    return f"M0 {-size:.1f}L{size:.1f} 0L0 {size:.1f}L{-size:.1f} 0Z"


def lines(found: Sequence[Tie], nodes: Collection[Key], placed: Sequence[Dot]) -> list[Line]:
    """The ties as lines; those between the same two nodes bend away from each other."""
    order = {node: place for place, node in enumerate(nodes)}
    between = defaultdict[frozenset[int], list[Tie]](list)
    for tie in found:
        between[frozenset((order[tie.one], order[tie.other]))].append(tie)
    drawn = []
    for ties in between.values():
        for number, tie in enumerate(ties):
            one, other = order[tie.one], order[tie.other]
            # The same side for both directions.
            side = 1 if one <= other else -1
            bend = round(side * _BEND * (number - (len(ties) - 1) / 2), 3)
            path = loop(placed[one]) if one == other else curve(placed[one], placed[other], bend, tie)
            drawn.append(Line(tie, one, other, path, bend, width_of(tie)))
    return drawn


def width_of(tie: Tie) -> float:
    """How wide a line is: by the strength of what is worked out, alike for what is said."""
    return round(1 + 3 * tie.strength, 1) if tie.name in ("semantic", "co-occurrence") else 0.0


def curve(one: Dot, other: Dot, bend: float, tie: Tie) -> str:
    """A line from a node to another, in two halves, so that a sign can stand in the middle."""
    start, end = one.at, other.at
    middle = Point((start.x + end.x) / 2 - bend * (end.y - start.y), (start.y + end.y) / 2 + bend * (end.x - start.x))
    first = _towards(start, middle, one.size)
    last = _towards(end, middle, other.size + (_GAP if tie.name in DIRECTED else 0))
    one_half, half = _mean(first, middle), _mean(middle, last)
    return f"M{_told(first)}Q{_told(one_half)} {_told(_mean(one_half, half))}Q{_told(half)} {_told(last)}"


def loop(dot: Dot) -> str:
    """A line from a node to itself."""
    x, y, far = dot.at.x, dot.at.y - dot.size, dot.size * 2.4
    return f"M{x - 4:.1f} {y:.1f}C{x - far:.1f} {y - far:.1f} {x + far:.1f} {y - far:.1f} {x + 4:.1f} {y:.1f}"


def _towards(start: Point, end: Point, by: float) -> Point:
    away = math.hypot(end.x - start.x, end.y - start.y)
    share = min(by / away, 0.9) if away else 0
    return Point(start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share)


def _mean(one: Point, other: Point) -> Point:
    return Point((one.x + other.x) / 2, (one.y + other.y) / 2)


def _told(point: Point) -> str:
    return f"{point.x:.1f} {point.y:.1f}"


class At(NamedTuple):
    """What of the picture is in view: its middle, from -1 to 1, and how many times larger than all of it."""

    x: float = 0.0
    y: float = 0.0
    zoom: float = 1.0

    @classmethod
    def of(cls, text: str) -> "At":
        """Raises ValueError for what is no part of a picture.

        >>> At.of("0.5,-0.25,2")
        At(x=0.5, y=-0.25, zoom=2.0)
        """
        x, y, zoom = map(float, text.split(","))
        if not (abs(x) <= _FAR and abs(y) <= _FAR and 1 / LARGEST <= zoom <= LARGEST):
            raise ValueError("this is no part of a picture")
        return cls(x, y, zoom)

    @property
    def view_box(self) -> str:
        """As the attribute of an SVG."""
        wide, high = WIDTH / self.zoom, HEIGHT / self.zoom
        middle = _in_frame(self.x, self.y)
        return f"{middle.x - wide / 2:.1f} {middle.y - high / 2:.1f} {wide:.1f} {high:.1f}"


#: So many times larger, or smaller, a picture can be made; and so far away from it one can look.
LARGEST, _FAR = 16.0, 3.0
WHOLE = At()
