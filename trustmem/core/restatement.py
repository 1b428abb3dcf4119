"""Restatement: how much of what two facts say is the same, and what was exchanged (section 9.3)."""

from trustmem.core import claims


def word_set(text: str) -> frozenset[str]:
    """The set of words of a text: NFKC, casefolded. Section 9.3.

    >>> sorted(word_set("Ana lives in PORTO, in Porto!"))
    ['ana', 'in', 'lives', 'porto']
    """
    return frozenset(claims.words(text).split())


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """How many words both have, of all that one of them has; 0 for two empty sets. Section 9.3.

    >>> jaccard(word_set("Ana lives in Porto"), word_set("Ana lives in Lisbon"))
    0.6
    """
    return len(one & other) / len(one | other) if one or other else 0.0
