"""Of which facts it is told what they say, by their states. Whatever shows facts names one of these, and tests look
whether that is so: `tests/desk/test_states.py`, `tests/intake/test_states.py`.

Its name and its numbers a fact keeps in every state.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from trustmem.core.vocabulary import FORGOTTEN, LIVE, PRUNED

_Read = TypeVar("_Read", bound=Callable[..., Any])


class Shown(NamedTuple):
    """The states of facts whose texts are told: to who only reads, and to who decides about facts."""

    to_readers: frozenset[int]
    to_reviewers: frozenset[int]

    def told(self, text: str | None, state: int, *, sees_all: bool = True) -> str | None:
        """What a fact says, or None where that is not told; `sees_all`: to somebody who decides about facts.

        >>> GUARDED.told("Tea is at five.", FORGOTTEN), GUARDED.told("Tea is at five.", FORGOTTEN, sees_all=False)
        ('Tea is at five.', None)
        """
        return text if state in (self.to_reviewers if sees_all else self.to_readers) else None


_STANDING = frozenset((LIVE, PRUNED))
_KEPT = _STANDING | {FORGOTTEN}

#: Where no fact says anything.
NOTHING = Shown(frozenset(), frozenset())
#: What takes part, and nothing else.
ALIVE = Shown(frozenset((LIVE,)), frozenset((LIVE,)))
#: Beside other facts: what is forgotten is told on no page but its own.
STANDING = Shown(_STANDING, _STANDING)
#: Where people decide, and see what was decided.
GUARDED = Shown(_STANDING, _KEPT)
#: What somebody looks at by itself: of what is erased there is no text.
KEPT = Shown(_KEPT, _KEPT)


def shows(shown: Shown) -> Callable[[_Read], _Read]:
    """Says of something that reads in which states facts may be told there."""

    def declare(read: _Read) -> _Read:
        read.shows = shown  # type: ignore[attr-defined]
        return read

    return declare
