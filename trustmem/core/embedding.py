"""Embedding: texts as unit vectors, near each other where texts say much the same. It finds candidates, and decides
nothing: no embedder tells a contradiction from a paraphrase."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from trustmem.core.claims import words

#: So much of a text is looked at, since it may be a book; and so long a word may be that is remembered.
_LONGEST, _SHORT = 20_000, 32
#: Scripts that write without spaces: Han, kana, Thai, Lao, Khmer, Burmese. Each sign is a word.
_WITHOUT_SPACES = re.compile("([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff])")
_GRAMS = (3, 4)


class Embedder(Protocol):
    """What makes vectors of texts. `name` holds its version: vectors by another name are of no use beside its own.
    Texts of which the vectors have a cosine below `unrelated` have nothing to do with each other, as far as it can
    tell: that is measured, and differs from one to another."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def unrelated(self) -> float: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text, as rows; all zero for a text that says nothing. The same for a text whatever
        stands beside it."""


class Hashed:
    """The embedder that needs nothing: a hash of each feature of a text says which dimension it adds to or takes from.

    Features are words, two words in a row, and of each word (with its ends marked) runs of 3 and 4 characters, each
    counted as often as it occurs. All are whole numbers up to the last step, so each machine comes to the same bits.
    After Weinberger et al. 2009 (the hashing trick) and Bojanowski et al. 2017 (words as their runs of characters).

    >>> one, other, far = Hashed().embed(["Ana lives in Porto", "ana lives in porto!", "a release in May"])
    >>> round(float(one @ other), 6), bool(one @ far < 0.3)
    (1.0, True)
    """

    name = "hashed-1"
    dimensions = 384
    unrelated = 0.3  # of texts of different real stores, 997 pairs in 1000 lie below it (docs/graph.md)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A unit vector for each text, as rows; all zero for a text that says nothing."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        features = [_features(text) for text in texts]
        row = np.repeat(np.arange(len(texts)), [len(each) for each in features])
        hashes = np.array([feature for each in features for feature in each], np.int64)
        cell = row * self.dimensions + hashes % self.dimensions
        sums = np.bincount(cell, np.where(hashes >> 16 & 1, 1, -1), len(texts) * self.dimensions)
        sums = sums.reshape(len(texts), self.dimensions)
        length = np.sqrt(np.square(sums).sum(axis=1, keepdims=True))  # whole numbers: in any order the same
        return (sums / np.where(length > 0, length, 1)).astype(np.float32)


def _features(text: str) -> list[int]:
    """The hashes of the features of a text."""
    written = words(text[:_LONGEST]).split()
    hashes = list[int]()
    for word in written:
        hashes += _of_short_word(word) if len(word) <= _SHORT else _of_word(word)
    said = [word for each in written for word in _WITHOUT_SPACES.split(each) if word]
    hashes += [crc32(f"w {word}".encode()) for word in said]
    hashes += [crc32(f"b {one} {other}".encode()) for one, other in pairwise(said)]
    return hashes


def _of_word(word: str) -> list[int]:
    marked = f" {word} "
    return [
        crc32(f"c {marked[start : start + size]}".encode())
        for size in _GRAMS
        for start in range(len(marked) - size + 1)
    ]


@lru_cache(1 << 15)
def _of_short_word(word: str) -> tuple[int, ...]:
    return tuple(_of_word(word))
