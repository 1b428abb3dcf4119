"""What a language's words do for the detector of contradictions: which deny, count, oppose, tell of change.

The words themselves are data, in a module for each language: `lexicon_english`, `lexicon_spanish`, `lexicon_han`.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Lexicon(NamedTuple):
    """The words of one language, casefolded, by what they do.

    `code` names the language, and `marks` tell it. `stop` claim nothing by themselves; `filler` may even be added
    freely. `auxiliaries` and `verbs` end a subject, `prepositions` bind the word after them, `joins` one to another.
    `orders` are verbs that open an errand. Of `several` a thing may have more than one, and `mutual` (stems) hold both
    ways.

    `negations` deny, and so do `denying` phrases, what follows them, and `prefixes` the word that they begin;
    `forgiven` phrases hold a negation and deny nothing. `universal`, `partial` and `exclusive` say of how many
    something holds. `changes` tell of a change, `origins` of what was left by it, `done` and `due` of an
    errand.

    `labels` stand before a number that tells which; `numbers` and `months` are words for such. `same` words stand for
    another one wherever they stand, `opposites` are opposed both ways, and of one of the `groups` a thing is one only.
    """

    code: str
    marks: frozenset[str]
    stop: frozenset[str]
    filler: frozenset[str]
    auxiliaries: frozenset[str]
    verbs: frozenset[str]
    prepositions: frozenset[str]
    orders: frozenset[str]
    indefinite: frozenset[str]
    first_person: frozenset[str]
    joins: frozenset[str]
    several: frozenset[str]
    mutual: frozenset[str]
    negations: frozenset[str]
    denying: frozenset[tuple[str, ...]]
    prefixes: tuple[str, ...]
    universal: frozenset[str]
    partial: frozenset[str]
    exclusive: frozenset[str]
    changes: frozenset[tuple[str, ...]]
    origins: frozenset[str]
    forgiven: frozenset[tuple[str, ...]]
    done: frozenset[str]
    due: frozenset[tuple[str, ...]]
    labels: frozenset[str]
    numbers: Mapping[str, int]
    months: Mapping[str, int]
    same: Mapping[str, str]
    opposites: Mapping[str, frozenset[str]]
    groups: Mapping[str, str]


def words(text: str) -> frozenset[str]:
    """The words of a text that is data.

    >>> sorted(words("not never"))
    ['never', 'not']
    """
    return frozenset(text.split())


def phrases(text: str) -> frozenset[tuple[str, ...]]:
    """The phrases of a text that is data, between commas.

    >>> sorted(phrases("used to, no longer"))
    [('no', 'longer'), ('used', 'to')]
    """
    return frozenset(tuple(phrase.split()) for phrase in text.split(","))


def numbered(text: str, start: int = 0) -> dict[str, int]:
    """Words by the number they stand for, of a text that is data: all between two commas for one.

    >>> numbered("zero nil, one")
    {'zero': 0, 'nil': 0, 'one': 1}
    """
    return {word: number for number, group in enumerate(text.split(","), start) for word in group.split()}


def both_ways(text: str) -> dict[str, frozenset[str]]:
    """Words and what is opposed to each, of a text of pairs "this/that" (or "this/that/other": all opposed).

    >>> both_ways("on/off")
    {'on': frozenset({'off'}), 'off': frozenset({'on'})}
    """
    found: dict[str, set[str]] = {}
    for pair in text.split():
        sides = pair.split("/")
        for word in sides:
            found.setdefault(word, set()).update(other for other in sides if other != word)
    return {word: frozenset(others) for word, others in found.items()}


def grouped(groups: Mapping[str, str]) -> dict[str, str]:
    """Words by the name of the group that they are in.

    >>> grouped({"day": "monday tuesday"})
    {'monday': 'day', 'tuesday': 'day'}
    """
    return {word: name for name, text in groups.items() for word in text.split()}


def replaced(text: str) -> dict[str, str]:
    """Words by the one they are the same as, of a text of "that=this".

    >>> replaced("colour=color")
    {'colour': 'color'}
    """
    return dict(pair.split("=") for pair in text.split())
