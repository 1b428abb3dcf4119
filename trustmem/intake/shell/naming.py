"""What people mean by a name that they typed: a thing of that name, or of a name that begins so."""

import difflib
from collections.abc import Sequence

from trustmem.formats.strict_json import quoted
from trustmem.intake.shell import Refusal

_MOST_NAMED = 5


def meant(name: str, names: Sequence[str], what: str) -> str | None:
    """The one of the names of `what` that is meant; None: none is. Raises Refusal where it may be several.

    >>> meant("b", ["abc", "bcd"], "facts")
    'bcd'
    """
    begun = [name] if name in names else [each for each in names if name and each.startswith(name)]
    if len(begun) > 1:
        raise Refusal(f"{len(begun)} {what} begin with {quoted(name)}: {some(begun)}")
    return begun[0] if begun else None


def close_to(name: str, names: Sequence[str]) -> list[str]:
    """The names that may have been meant by one that none has."""
    return difflib.get_close_matches(name, names, _MOST_NAMED) or [each for each in names if name and name in each]


def some(names: Sequence[str]) -> str:
    """The first few of the names."""
    named = [quoted(each) for each in names[:_MOST_NAMED]]
    return ", ".join([*named, "..."] if len(names) > _MOST_NAMED else named)
