"""Sides: two facts beside each other, with all that the detector of contradictions decides by."""

from functools import cached_property, lru_cache
from typing import NamedTuple

from trustmem.core.exchange import Exchange, Gap, exchanges, gaps
from trustmem.core.reading import FIRST, INDEFINITE, UNREAD, Reading, read
from trustmem.core.restatement import jaccard, word_set

#: Whether two facts are about one thing.
SAME, PARTLY, UNKNOWN, OTHER = ("same", "partly", "unknown", "other")


class Said(NamedTuple):
    """What a fact says, for the detector. `at` is its birth (µs), None where that is not known."""

    text: str
    subject: str = ""
    predicate: str = ""
    object: str = ""
    entities: tuple[str, ...] = ()
    at: int | None = None


@lru_cache(1 << 12)
def _subject(text: str) -> frozenset[str]:
    return word_set(text)


class Sides:
    """Two facts, `left` and `right` as they are read, and what can be told of them together; each is worked out when it
    is asked for, and once."""

    def __init__(self, one: Said, other: Said, cosine: float | None = None) -> None:
        self.said = (one, other)
        self.cosine = cosine
        self.left: Reading = read(one.text)
        self.right: Reading = read(other.text)
        self.overlap = jaccard(self.left.words, self.right.words)
        self.shared = self.left.content & self.right.content

    @cached_property
    def gaps(self) -> list[Gap]:
        """Where the texts differ."""
        return gaps(self.left, self.right)

    @cached_property
    def exchanges(self) -> list[Exchange]:
        """What stands in the one where something else stands in the other."""
        return exchanges(self.left, self.right, self.gaps)

    @cached_property
    def differs_once(self) -> bool:
        """Whether all is the same but for one thing in place of another."""
        if len(self.exchanges) != 1:
            return False
        (found,) = self.exchanges
        sides = zip(self.alone, (found.left, found.right), strict=True)
        return all(alone <= {token.stem for token in side} for alone, side in sides)

    @cached_property
    def alone(self) -> tuple[frozenset[str], frozenset[str]]:
        """What only the one claims, and only the other."""
        return self.left.content - self.right.content, self.right.content - self.left.content

    @cached_property
    def contained(self) -> float:
        """How much of what the shorter one claims the longer one claims, too."""
        least = min(len(self.left.content), len(self.right.content))
        return len(self.shared) / least if least else 0.0

    @cached_property
    def beyond(self) -> tuple[int, float]:
        """How much of what both claim of their subjects is the same: so many words, and such a share of the shorter."""
        subject = self.left.subject | self.right.subject
        least = min(len(self.left.content - subject), len(self.right.content - subject))
        shared = len(self.shared - subject)
        return shared, shared / least if least else 0.0

    @cached_property
    def fields(self) -> str:
        """Whether both are about one thing by the subjects that they were given; UNKNOWN where one has none."""
        one, other = (_subject(said.subject) for said in self.said)
        if not one or not other:
            return UNKNOWN
        return SAME if one == other else OTHER

    @cached_property
    def about(self) -> str:
        """Whether both are about one thing: by the subjects that they were given, else by how their texts begin."""
        if self.fields == SAME:
            return SAME if self.begins == UNKNOWN else self.begins
        return self.begins if self.fields == UNKNOWN else OTHER

    @cached_property
    def begins(self) -> str:
        """Whether both texts begin with one thing."""
        left, right = self.left, self.right
        if INDEFINITE in (left.opens, right.opens):
            return UNKNOWN
        if left.opens == right.opens == FIRST:
            return SAME
        if UNREAD in (left.opens, right.opens):
            return PARTLY if self._begin_alike() else UNKNOWN
        if not left.subject or not right.subject:
            return UNKNOWN
        if left.subject == right.subject:
            return SAME
        return PARTLY if left.subject & right.subject else OTHER

    def _begin_alike(self) -> bool:
        """Whether the first word of substance of the one is that of the other."""
        first = [
            next((token.stem for token in reading.tokens if token.stem in reading.content), "")
            for reading in (self.left, self.right)
        ]
        return first[0] == first[1] != ""
