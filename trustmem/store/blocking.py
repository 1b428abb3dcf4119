"""Blocking: with which of the facts before it a fact is compared, since nobody compares all with all.

What leads from one fact to another is called a lead, and each has a worth:

- a word that at most FEW facts of the space say, worth more the fewer say it;
- words that more say lead nowhere alone: but two of them that stand one after the other in at most FEW facts do, and
  where these are many as well, three. (Of a script without spaces each sign is a word: so these are its words.)
- an entity that at most FEW facts mention;
- to the NEAR newest facts before it about the same subject, and with the same predicate;
- what lies nearest to it in meaning, where there are vectors.

A fact from which nothing leads to any before it, since all that it says is said by many, is compared with the NEAR
newest before it whose text begins with the same OPENING words: or whoever says a thing often enough would hide it.

Of the facts with lower keys that its leads come to, a fact gets the MOST with the most worth, the newest first where
that is equal. So each two facts meet once, at the one that came later.

`partners` asks the full text index for a few facts; `store.blocks` does the same for many at once. Both come to the
same of the same space. But what many say changes as facts come: of a fact that was checked as it came, they are those
who said so then.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import log2
from typing import NamedTuple

import numpy as np

from trustmem.core.contradictions import Said
from trustmem.core.instants import EVER
from trustmem.store import bulk, full_text
from trustmem.store.full_text import BREAK
from trustmem.store.mentions import known_as
from trustmem.store.models import Fact, Mention, Space, Vector

#: What more facts than this say is common; so many partners a fact has at most; and so many are near by their subject.
FEW, MOST, NEAR = 100, 30, 20
#: What leads into the same slot, to the same subject alone, and by meaning is worth as much.
SLOT, SUBJECT, MEANING = 6000, 1000, 3000
#: So many words of a text are how it begins.
OPENING = 3
#: So many different words of a fact lead anywhere, the first of them: its texts may be books.
WORDS = 64


class Row(NamedTuple):
    """What of a fact leads to others: its words as `full_text.row` has them, how many of these lead anywhere, the
    entities that it mentions, with which words its row begins, by what that is worth, and how with its text."""

    fact: int
    words: list[str]
    upto: int
    entities: list[str]
    beginnings: dict[int, tuple[str, ...]]
    opening: tuple[str, ...]


_COLUMNS = ("pk", *full_text.TEXTS, "entities")


def rows(space: Space, facts: Collection[int] | None = None) -> Iterator[Row]:
    """What leads on from facts, by their keys (None: from all), in the order of these."""
    for chunk in [None] if facts is None else bulk.chunks(sorted(facts)):
        found = Fact.objects.filter(space=space) if chunk is None else Fact.objects.filter(pk__in=chunk)
        for pk, subject, predicate, object, text, entities in (
            found.order_by("pk").values_list(*_COLUMNS).iterator(10_000)
        ):
            words = full_text.row((subject, predicate, object, text))
            names = sorted({known_as(name) for name in (subject, object, *json.loads(entities)) if name})
            yield Row(pk, words, _upto(words), names, dict(_beginnings(words)), _opening(words))


def _upto(words: Sequence[str]) -> int:
    """How many words there are before one too many."""
    if len(words) <= WORDS:
        return len(words)
    seen = set[str]()
    for place, word in enumerate(words):
        seen.add(word)
        if len(seen) > WORDS + 1:  # the break is none
            return place
    return len(words)


def _beginnings(words: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """How a row begins, up to the break behind its first text, which is its subject, and behind the next, which is its
    predicate; by what that is worth."""
    breaks = [place for place, word in enumerate(words[: WORDS + 1]) if word == BREAK]
    for worth, end in zip((SUBJECT, SLOT), breaks[1:], strict=False):
        yield worth, tuple(words[: end + 1])


def _opening(words: Sequence[str]) -> tuple[str, ...]:
    """How a row begins, up to the first words of its text; () where that has fewer."""
    last = max((place for place, word in enumerate(words) if word == BREAK), default=0)
    return tuple(words[: last + 1 + OPENING]) if len(words) > last + OPENING else ()


def _opening_alike(space: Space, row: Row) -> list[int]:
    """The newest facts before one whose rows begin as it does, up to the first words of its text."""
    return full_text.newest_beginning(space, row.opening, row.fact, NEAR) if row.opening else []


def worth(said_by: int) -> int:
    """What a lead is worth that so many facts say. A whole number, so that sums of it are the same in any order.

    >>> worth(1), worth(50), worth(100)
    (7644, 2000, 1000)
    """
    return round(1000 * log2(2 * FEW / said_by))


Near = Mapping[int, Mapping[int, float]]


def partners(space: Space, facts: Collection[int], near: Near) -> dict[int, list[int]]:
    """With which facts each of some facts is to be compared, by their keys, the worthiest first; `near` is what lies
    nearest to them."""
    index, found = _Index(space), dict[int, list[int]]()
    for row in rows(space, facts):
        leads = index.leads(row)
        leads.update(dict.fromkeys(near.get(row.fact, ()), MEANING))
        found[row.fact] = best(leads, row.fact) or _opening_alike(space, row)
    return found


def partners_of(space: Space, said: Said) -> list[int]:
    """With which facts something that is said, and no fact yet, is to be compared, by their keys, the worthiest
    first."""
    words = full_text.row((said.subject, said.predicate, said.object, said.text))
    names = sorted({known_as(name) for name in (said.subject, said.object, *said.entities) if name})
    row = Row(EVER, words, _upto(words), names, dict(_beginnings(words)), _opening(words))
    return best(_Index(space).leads(row), EVER) or _opening_alike(space, row)


def best(leads: Mapping[int, int], fact: int) -> list[int]:
    """The worthiest of the facts that leads come to, of those before a fact."""
    before = [(-worth, -pk) for pk, worth in leads.items() if pk < fact]
    return [-pk for _, pk in sorted(before)[:MOST]]


def nearest(facts: Iterable[int]) -> dict[int, dict[int, float]]:
    """The facts that lie nearest to some facts in meaning, where that is known: by their keys, and how near."""
    found = dict[int, dict[int, float]]()
    for chunk in bulk.chunks(facts):
        for fact, *packed in Vector.objects.filter(pk__in=chunk).values_list("pk", "nearest", "cosines"):
            keys, cosines = (
                np.frombuffer(bytes(each), kind) for each, kind in zip(packed, ("<i8", "<f8"), strict=True)
            )
            found[fact] = dict(zip(keys.tolist(), cosines.tolist(), strict=True))
    return found


def may_be_alike(one: Said, other: Said) -> bool:
    """Whether two partners are worth to be compared: they are about the same, or share a quarter of the words of the
    shorter one.

    >>> may_be_alike(Said("Ana is in Porto"), Said("It rains in Porto"))
    True
    >>> may_be_alike(Said("It rains in Porto all year"), Said("Porto is what I would like to drink now"))
    False
    """
    if not {one.subject, one.object, *one.entities}.isdisjoint({other.subject, other.object, *other.entities} - {""}):
        return True
    words = [{*full_text.words(each.text)} for each in (one, other)]
    return len(words[0] & words[1]) >= min(map(len, words)) / 4


class _Index:
    """Leads by the index of full text; what is looked up for several facts is looked up once."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._said: dict[tuple[str, ...], list[int] | None] = {}
        self._mentioned: dict[str, list[int] | None] = {}

    def leads(self, row: Row) -> Counter[int]:
        found = Counter[int]()
        asked: list[tuple[str, ...]] = [(word,) for word in row.words[: row.upto] if word != BREAK]
        for size in (2, 3, 0):
            said = self._saying(dict.fromkeys(asked))
            _add(found, said.values())
            common = {each for each, by in said.items() if by is None}
            if size:
                asked = list(longer(row.words[: row.upto], common, size))
        _add(found, map(self._mentioning, row.entities))
        for worth, beginning in row.beginnings.items():
            found.update(dict.fromkeys(full_text.newest_beginning(self.space, beginning, row.fact, NEAR), worth))
        return found

    def _saying(self, phrases: Collection[tuple[str, ...]]) -> dict[tuple[str, ...], list[int] | None]:
        """The facts that say each phrase; None where these are many."""
        self._said |= full_text.saying(self.space, [each for each in phrases if each not in self._said], FEW)
        return {each: self._said[each] for each in phrases}

    def _mentioning(self, entity: str) -> list[int] | None:
        if entity not in self._mentioned:
            named = Mention.objects.filter(space=self.space, entity=entity).order_by()
            self._mentioned[entity] = _if_few(list(named.values_list("fact", flat=True)[: FEW + 1]))
        return self._mentioned[entity]


def longer(words: Sequence[str], common: Collection[tuple[str, ...]], size: int) -> Iterator[tuple[str, ...]]:
    """The phrases of so many words in which each that is shorter by one is common.

    >>> list(longer(["it", "is", "so", "it"], {("it",), ("is",)}, 2))
    [('it', 'is')]
    """
    for start in range(len(words) - size + 1):
        phrase = tuple(words[start : start + size])
        if phrase[:-1] in common and phrase[1:] in common:
            yield phrase


def _if_few(facts: list[int]) -> list[int] | None:
    return facts if len(facts) <= FEW else None


def _add(leads: Counter[int], found: Iterable[list[int] | None]) -> None:
    for facts in found:
        if facts:
            leads.update(dict.fromkeys(facts, worth(len(facts))))
