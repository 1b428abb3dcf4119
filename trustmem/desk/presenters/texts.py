"""Long texts of users, cut for places that show the beginning."""

from itertools import pairwise

from trustmem.explanations.text import graphemes

#: More of a subject is no help.
_LONGEST_SUBJECT = 60


def about(subject: str, text: str) -> str:
    """Whom or what a claim is about, where it does not say so itself: '' where it does.

    >>> about("Anna", "Prefers email."), about("Anna", "Anna prefers email.")
    ('Anna', '')
    """
    return "" if subject.casefold() in text.casefold() else beginning(subject, _LONGEST_SUBJECT)


def beginning(text: str, most: int) -> str:
    """The text, or its first characters and a sign that there is more; cut between perceived characters.

    >>> beginning("abcdef", 4), beginning("abcd", 4)
    ('abc…', 'abcd')
    """
    if len(text) <= most:
        return text
    kept = "".join(each for each, _ in pairwise(graphemes(text[:most])))
    return kept.rstrip() + "…"
