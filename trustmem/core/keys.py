"""Keys that sign: what of theirs counts (section 5)."""

from typing import NamedTuple

from trustmem.core.instants import EVER


class Key(NamedTuple):
    """A key of a source, valid from `at` until before `valid_to`; lost at an instant (EVER: it is not), or compromised,
    whenever. Instants in µs."""

    source: str
    at: int
    valid_to: int = EVER
    lost_at: int = EVER
    compromised: bool = False


def counts(key: Key, source: str, at: int, arrived: int) -> bool:
    """Whether what a key signed, and its signature holds, counts: a claim by a source, of an instant, that arrived at
    another (µs). A key signs for its source while it is valid; what comes after it was lost does not count, nor
    anything by one that is compromised. Section 5.

    >>> key = Key("ana", at=10, valid_to=20, lost_at=30)
    >>> counts(key, "ana", 10, 29), counts(key, "ana", 20, 29), counts(key, "ana", 10, 30), counts(key, "eve", 10, 10)
    (True, False, False, False)
    """
    return not key.compromised and key.source == source and key.at <= at < key.valid_to and arrived < key.lost_at


def revoked(key: Key, at: int, reason: str) -> Key:
    """A key once it is revoked at an instant (µs), as lost or as compromised: of several times it was lost the first
    counts.

    >>> revoked(revoked(Key("ana", at=0), 9, "lost"), 7, "lost").lost_at
    7
    """
    return key._replace(compromised=True) if reason == "compromised" else key._replace(lost_at=min(key.lost_at, at))
