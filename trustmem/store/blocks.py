"""Blocks: the partners of many facts at once, the same as `store.blocking` finds one by one.

All words of a space are read once and numbered, and what leads anywhere is kept with its facts. Then facts are taken in
blocks: what their leads come to is written out, added up, and cut to the best. So memory holds some bytes a word, and
what a block comes to.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trustmem.store import blocking
from trustmem.store.blocking import Near, Row
from trustmem.store.full_text import BREAK
from trustmem.store.models import Space

_Column = NDArray[Any]
#: So many facts are taken at once, and so many phrases.
_BLOCK, _PHRASES = 1000, 500_000
_NONE = -1


class _Led(NamedTuple):
    """From where (a place in a block) leads come to which facts, and what each is worth."""

    place: _Column
    other: _Column
    worth: _Column


class Whole:
    """The facts of a space as they are now, and what leads from one to another. `watch` is told how many are read."""

    def __init__(self, space: Space, watch: Callable[[int], None] = lambda read: None) -> None:
        read = _Read()
        for number, row in enumerate(blocking.rows(space), 1):
            read.add(row)
            if number % _BLOCK == 0:
                watch(number)
        self._keys = np.array(read.keys, np.int64)
        self._leads = _Leads.of(read)
        self._near = {worth: _Near.of(ids) for worth, ids in read.beginnings.items()}
        self._opening = _Near.of(read.openings)

    @property
    def upto(self) -> int:
        """The key of the last fact that is known."""
        return int(self._keys[-1]) if len(self._keys) else 0

    def partners(self, facts: Sequence[int], near: Near) -> dict[int, list[int]]:
        """With which facts each of some facts is to be compared, by their keys in order, the worthiest first; `near` is
        what lies nearest to them."""
        found = dict[int, list[int]]()
        for start in range(0, len(facts), _BLOCK):
            found |= self._of_block(np.array(facts[start : start + _BLOCK], np.int64), near)
        return found

    def _of_block(self, facts: _Column, near: Near) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {fact: [] for fact in facts.tolist()}
        rows = np.searchsorted(self._keys, facts)
        led = [self._leads.on_from(rows), self._by_meaning(facts, near)]
        led += [near.on_from(rows, worth) for worth, near in self._near.items()]
        place, other, worth = (np.concatenate(columns) for columns in zip(*led, strict=True))
        before = other < rows[place]
        places, others = _best(place[before], other[before], worth[before], len(self._keys))
        for fact, key in zip(facts[places].tolist(), self._keys[others].tolist(), strict=True):
            found[fact].append(key)
        alone = np.array([fact for fact, partners in found.items() if not partners], np.int64)
        led_by = self._opening.on_from(np.searchsorted(self._keys, alone), 1)
        places, others = _best(*led_by, len(self._keys))
        for fact, key in zip(alone[places].tolist(), self._keys[others].tolist(), strict=True):
            found[fact].append(key)
        return found

    def _by_meaning(self, facts: _Column, near: Near) -> _Led:
        places = {fact: place for place, fact in enumerate(facts.tolist())}
        told = [(place, key) for fact, place in places.items() for key in near.get(fact, ())]
        place, key = np.array(told, np.int64).reshape(-1, 2).T
        other = np.searchsorted(self._keys, key)
        is_there = np.append(self._keys, 0)[other] == key
        return _Led(place[is_there], other[is_there], np.full(is_there.sum(), blocking.MEANING))


def _best(place: _Column, other: _Column, worth: _Column, n: int) -> tuple[_Column, _Column]:
    """Of each place the facts that have the most worth in all, the newest first where that is equal."""
    led, at = np.unique(place * n + other, return_inverse=True)
    sums = np.bincount(at, worth, len(led)).astype(np.int64)
    place, other = led // n, led % n
    order = np.lexsort((-other, -sums, place))
    place, other = place[order], other[order]
    rank = np.arange(len(place)) - np.searchsorted(place, place)
    return place[rank < blocking.MOST], other[rank < blocking.MOST]


class _Read:
    """What was read of the facts: by number, their words in a row and each once, and whatever else leads on."""

    def __init__(self) -> None:
        self.keys = list[int]()
        self.words, self.uptos = list[_Column](), list[int]()
        self.once, self.entities = list[_Column](), list[_Column]()
        self.beginnings: dict[int, list[int]] = {blocking.SUBJECT: [], blocking.SLOT: []}
        self.openings = list[int]()
        self._word, self._entity, self._beginning = _numbers(), _numbers(), _numbers()

    def add(self, row: Row) -> None:
        """Keep what leads on from a fact."""
        numbers = [_NONE if word == BREAK else self._word[word] for word in row.words]
        once = dict.fromkeys(numbers)
        once.pop(_NONE, None)
        self.keys.append(row.fact)
        self.words.append(np.array(numbers, np.int32))
        self.uptos.append(row.upto)
        self.once.append(np.array([*once], np.int32))
        self.entities.append(np.array([self._entity[name] for name in row.entities], np.int32))
        self.openings.append(self._beginning[row.opening] if row.opening else _NONE)
        for worth, ids in self.beginnings.items():
            ids.append(self._beginning[row.beginnings[worth]] if worth in row.beginnings else _NONE)


def _numbers() -> dict[Any, int]:
    numbers: dict[Any, int] = defaultdict(lambda: len(numbers))
    return numbers


class _Said(NamedTuple):
    """Leads as facts say them, by number: `lead` by `fact`, each once, and whether one is led on from there."""

    lead: _Column
    fact: _Column
    is_onward: _Column


class _Leads:
    """Leads that few facts say: which facts, by lead, and which leads go on from each fact."""

    def __init__(self, said: Iterable[_Said], n: int) -> None:
        kept, leads = list[_Said](), 0
        for each in said:
            numbers, renumbered = np.unique(each.lead, return_inverse=True)
            kept.append(_Said(renumbered + leads, each.fact, each.is_onward))
            leads += len(numbers)
        lead, fact, is_onward = (np.concatenate(column) for column in zip(*kept, strict=True))
        order = np.lexsort((fact, lead))
        self._facts = fact[order].astype(np.int32)
        self._starts = np.searchsorted(lead[order], np.arange(leads + 1))
        self._worths = np.array([0, *map(blocking.worth, range(1, blocking.FEW + 1))])
        onward = order[is_onward[order]]
        onward = onward[np.argsort(fact[onward], kind="stable")]
        self._onward = lead[onward].astype(np.int32)
        self._from = np.searchsorted(fact[onward], np.arange(n + 1))

    @classmethod
    def of(cls, read: _Read) -> "_Leads":
        """All leads of what was read, but for beginnings and meaning."""
        n = len(read.keys)
        first = [np.arange(len(each)) < blocking.WORDS for each in read.once]
        every = [np.ones(len(each), bool) for each in read.entities]
        words, is_common = _few_of_single(read.once, first)
        entities, _ = _few_of_single(read.entities, every)
        return cls([words, entities, *_few_of_phrases(read, is_common)], n)

    def on_from(self, rows: _Column) -> _Led:
        """Where leads come to from some facts."""
        sizes = self._from[rows + 1] - self._from[rows]
        place, leads = np.repeat(np.arange(len(rows)), sizes), self._onward[_spans(self._from[rows], sizes)]
        sizes = self._starts[leads + 1] - self._starts[leads]
        others = self._facts[_spans(self._starts[leads], sizes)].astype(np.int64)
        return _Led(np.repeat(place, sizes), others, np.repeat(self._worths[sizes], sizes))


def _spans(starts: _Column, sizes: _Column) -> _Column:
    """So many whole numbers from each start on, one after the other.

    >>> _spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    spans: _Column = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + sizes, sizes)
    return spans


def _few_of_single(said: Sequence[_Column], is_onward: Sequence[_Column]) -> tuple[_Said, _Column]:
    """Of words or entities, that each fact names once, those that few facts name; and which are common, by number."""
    lead, fact = _joined(said, np.int32), np.repeat(np.arange(len(said), dtype=np.int32), list(map(len, said)))
    sizes = np.bincount(lead, minlength=1)
    kept = (sizes[lead] > 1) & (sizes[lead] <= blocking.FEW)
    return _Said(lead[kept].astype(np.int64), fact[kept], _joined(is_onward, np.bool_)[kept]), sizes > blocking.FEW


def _joined(columns: Sequence[_Column], kind: Any) -> _Column:
    joined: _Column = np.concatenate([np.empty(0, kind), *columns])
    return joined


def _few_of_phrases(read: _Read, is_common: _Column) -> Iterator[_Said]:
    """The phrases of two common words, and of three where two are common as well, that few facts say."""
    words, sizes = _joined(read.words, np.int32), np.array([len(each) for each in read.words], np.int64)
    fact = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    upto = np.cumsum(sizes) - sizes + np.array(read.uptos, np.int64)
    numbers = np.append(np.where(is_common, np.cumsum(is_common) - 1, _NONE), _NONE)  # the last is that of no word
    codes, many = numbers[words], int(is_common.sum())
    here = np.flatnonzero(codes >= 0)
    for size in (2, 3):
        is_followed = np.isin(here + 1, here, assume_unique=True)
        here = here[is_followed]
        codes_here = codes[here] * many + numbers[words[here + size - 1]]
        said, common = _few(codes_here, fact[here], here + size <= upto[fact[here]], len(sizes))
        yield said
        codes, here = np.full(len(words), _NONE, np.int64), here[common]
        codes[here] = codes_here[common]


def _few(codes: _Column, fact: _Column, is_onward: _Column, n: int) -> tuple[_Said, _Column]:
    """Of leads as they stand in facts, be it time and again, those that few facts have; and which places have others.
    Some at a time: there are as many as there are words."""
    is_common, kept = np.zeros(len(codes), bool), [_Said(*(np.empty(0, kind) for kind in (np.int64, np.int32, bool)))]
    parts = len(codes) // _PHRASES + 1
    part_of = codes % parts
    for part in range(parts):
        here = np.flatnonzero(part_of == part)
        numbers, number = np.unique(codes[here], return_inverse=True)
        pairs, pair = np.unique(number * n + fact[here], return_inverse=True)
        lead = pairs // n
        sizes = np.bincount(lead, minlength=1)
        is_common[here] = sizes[number] > blocking.FEW
        onward = np.zeros(len(pairs), bool)
        onward[pair[is_onward[here]]] = True
        few = (sizes[lead] > 1) & (sizes[lead] <= blocking.FEW)
        kept.append(_Said(numbers[lead[few]], pairs[few] % n, onward[few]))
    return _Said(*(np.concatenate(column) for column in zip(*kept, strict=True))), is_common


class _Near(NamedTuple):
    """Facts whose rows begin alike, in the order of what they begin with and of their keys; where each stands."""

    facts: _Column
    groups: _Column
    places: _Column

    @classmethod
    def of(cls, ids: Sequence[int]) -> "_Near":
        """By what each row begins with."""
        groups = np.array(ids, np.int64)
        facts = np.argsort(groups, kind="stable")
        places = np.empty_like(facts)
        places[facts] = np.arange(len(facts))
        return cls(facts, groups[facts], places)

    def on_from(self, rows: _Column, worth: int) -> _Led:
        """The nearest before some facts that begin alike."""
        places = self.places[rows]
        starts = np.maximum(np.searchsorted(self.groups, self.groups[places]), places - blocking.NEAR)
        sizes = np.where(self.groups[places] == _NONE, 0, places - starts)
        others = self.facts[_spans(starts, sizes)]
        return _Led(np.repeat(np.arange(len(rows)), sizes), others, np.full(len(others), worth))
