"""Cells of a table (CSV) that no spreadsheet takes for something to reckon: what might be gets an apostrophe in front,
and what begins with one another, so that taking one away gives back the text."""

import re

#: What a spreadsheet takes for the beginning of a formula, be it wide, or after what it skips.
_RECKONS = re.compile(r"[\s\u00a0\u3000\ufeff]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|[\t\r\n']")


def guarded(text: str) -> str:
    """A text as a cell that is shown, and not reckoned.

    >>> guarded("=1+1"), guarded("'tis"), guarded("so it is")
    ("'=1+1", "''tis", 'so it is')
    """
    return f"'{text}" if _RECKONS.match(text) else text


def unguarded(cell: str) -> str:
    """The text that a cell was made of.

    >>> unguarded("'=1+1"), unguarded("''tis"), unguarded("so it is")
    ('=1+1', "'tis", 'so it is')
    """
    return cell.removeprefix("'")
