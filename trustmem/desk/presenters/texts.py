"""Long texts of users, cut for places that show the beginning."""

from itertools import pairwise

from trustmem.explanations.text import graphemes


def beginning(text: str, most: int) -> str:
    """The text, or its first characters and a sign that there is more; cut between perceived characters.

    >>> beginning("abcdef", 4), beginning("abcd", 4)
    ('abc…', 'abcd')
    """
    if len(text) <= most:
        return text
    kept = "".join(each for each, _ in pairwise(graphemes(text[:most])))
    return kept.rstrip() + "…"
