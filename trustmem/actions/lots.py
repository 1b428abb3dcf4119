"""Lots: which facts are drawn at random, and in which order people are asked about them. Who has the seed draws the
same."""

import hashlib

_BYTES, _TURNS = 6, 256.0**6


def lot(seed: str, name: str) -> bytes:
    """The lot of a fact: the lowest of a band are drawn.

    >>> lot("oak", "a").hex()[:8]
    '319e403b'
    """
    return hashlib.sha256(f"{seed} {name}".encode()).digest()


def turn(seed: str, name: str) -> float:
    """When a fact that is drawn has its turn, from 0 to 1: the greatest is first. By a lot of its own, since of a band
    with many facts only low lots are drawn, and such a band would come last.

    >>> round(turn("oak", "a"), 4)
    0.6801
    """
    return int.from_bytes(hashlib.sha256(lot(seed, name)).digest()[:_BYTES]) / _TURNS
