"""Which entities occur in which facts, and which together: one name for each, and no more of a fact than so many."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.checks import same_length, whole
from trustmem.core.entities import MOST, named

#: How an entity of a fact is told: by the fact itself, by the signs of a word, or it may be one.
_TOLD, _SURE, _MAYBE = range(3)
_NOBODY: Mapping[str, str] = {}


class Occurrences(NamedTuple):
    """A row an entity of a fact, each once, by facts in the order they came: which fact, and which of `names`."""

    fact: NDArray[np.int64]
    entity: NDArray[np.int64]
    names: list[str]


class Together(NamedTuple):
    """A row two entities that share a fact, one < other, in order; and how many facts they share."""

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    facts: NDArray[np.int64]


def occurrences(facts: Iterable[tuple[Sequence[str], str]], called: Mapping[str, str] = _NOBODY) -> Occurrences:
    """The entities of facts, of each the names that it tells and its text: those told first, at most MOST of each.

    What a text names under a name that some fact tells, or under what an entity is `called`, but for letter case, is
    that entity; where nothing tells it, texts mean the same by it whatever its letter case. What only begins a sentence
    is a name where it is one of these, or another text is sure of it.

    >>> found = occurrences([(["Redis"], "Ana runs it"), ([], "REDIS, said Ana")])
    >>> found.names, found.fact.tolist(), found.entity.tolist()
    (['Ana', 'Redis'], [0, 0, 1, 1], [0, 1, 0, 1])
    """
    forms = dict[str, int]()
    columns: tuple[list[int], list[int], list[int]] = [], [], []
    for number, (told, text) in enumerate(facts):
        read = named(text)
        for kind, names in ((_TOLD, told), (_SURE, read.sure), (_MAYBE, read.maybe)):
            for name in names:
                columns[0].append(number)
                columns[1].append(forms.setdefault(name, len(forms)))
                columns[2].append(kind)
    fact, form, how = (np.array(column, np.int64) for column in columns)
    by_facts, by_texts = (np.bincount(form[how == kind], minlength=len(forms)) for kind in (_TOLD, _SURE))
    meant = _meant(forms, by_facts.tolist(), by_texts.tolist(), called)
    entity = np.where(how == _TOLD, form, meant[form]) if len(form) else form
    fact, entity = fact[entity >= 0], entity[entity >= 0]
    _, first = np.unique(fact * max(len(forms), 1) + entity, return_index=True)
    fact, entity = fact[np.sort(first)], entity[np.sort(first)]
    few = np.arange(len(fact)) - np.searchsorted(fact, fact) < MOST
    return _by_name(fact[few], entity[few], list(forms))


def _meant(
    forms: dict[str, int], by_facts: Sequence[int], by_texts: Sequence[int], called: Mapping[str, str]
) -> NDArray[np.int64]:
    """Which form each form in a text stands for; -1: it is no name. What entities are called becomes a form, too."""
    best = dict[str, tuple[int, int, str]]()
    ranks = [
        (2, facts, form) if facts else (0, texts, form)
        for form, facts, texts in zip(forms, by_facts, by_texts, strict=True)
    ]
    for rank in [*(each for each in ranks if each[1]), *((1, 0, title) for title in called)]:
        key = rank[2].casefold()
        best[key] = max(best.get(key, rank), rank)
    meant = list[int]()
    for form, facts in zip(list(forms), by_facts, strict=True):
        kind, _, name = best.get(form.casefold(), (0, 0, ""))
        name = form if facts else called[name] if kind == 1 else name
        meant.append(forms.setdefault(name, len(forms)) if name else -1)
    return np.array(meant, np.int64)


def _by_name(fact: NDArray[np.int64], form: NDArray[np.int64], forms: Sequence[str]) -> Occurrences:
    used = np.unique(form).tolist()
    order = sorted(used, key=lambda code: forms[code])
    code = np.zeros(len(forms) + 1, np.int64)
    code[order] = np.arange(len(order))
    entity = code[form]
    row = np.lexsort((entity, fact))
    return Occurrences(fact[row], entity[row], [forms[each] for each in order])


def together(fact: ArrayLike, entity: ArrayLike) -> Together:
    """How many facts each two entities share; of those that share none there is no row.

    A row an entity of a fact, each once, facts in order. As many steps as the fact with most entities has, so time and
    memory grow with the pairs that there are, and never with the square of the entities.

    >>> [column.tolist() for column in together([0, 0, 0, 1, 1], [0, 1, 2, 0, 2])]
    [[0, 0, 1], [1, 2, 2], [1, 2, 1]]
    """
    where, what = whole(fact, "fact"), whole(entity, "entity", 0).astype(np.int64)
    same_length(fact=where, entity=what)
    n, found = int(what.max(initial=0)) + 1, [np.empty(0, np.int64)]
    for apart in range(1, len(where)):
        if not np.any(both := where[apart:] == where[:-apart]):
            break
        left, right = what[:-apart][both], what[apart:][both]
        found.append(np.minimum(left, right) * n + np.maximum(left, right))
    pair, facts = np.unique(np.concatenate(found), return_counts=True)
    return Together(pair // n, pair % n, facts)
