"""Naming: which facts name an entity in their texts alone, where mentions know only what facts tell beside them.

That is looked for when it is asked, among few facts. An entity is found in a text as it is written, by itself; one of
small letters and spaces alone is a word like any other, and is not looked for.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from django.db.models import Exists, OuterRef, Q

from trustmem.core.entities import named
from trustmem.store import bulk, full_text
from trustmem.store.models import Centrality, Fact, Mention, Space

#: So much of a text is looked at.
_LONGEST = 4000
#: For each fact that is wanted so many that say the words are looked at.
_LOOKED_AT = 3
_COMMON = re.compile(r"[a-z\s]*")


def names(text: str, entity: str) -> bool:
    """Whether a text names an entity.

    >>> names("Ana moved to Porto.", "Porto"), names("Portofino", "Porto"), names("港は東京", "東京")
    (True, False, True)
    """
    if _COMMON.fullmatch(entity):
        return False
    place = text.find(entity, 0, _LONGEST)
    while place >= 0:
        end = place + len(entity)
        if not (_goes_on(text[place - 1 : place] + entity[0]) or _goes_on(entity[-1] + text[end : end + 1])):
            return True
        place = text.find(entity, place + 1, _LONGEST)
    return False


def _goes_on(letters: str) -> bool:
    """Whether two characters belong to one word, of a script that has spaces between words."""
    return len(letters) == 2 and letters.isascii() and letters.isalnum()


def entities_in(space: Space, fact: int, most: int) -> list[str]:
    """The known entities that only the text of a fact names, the most central first."""
    text = Fact.objects.filter(pk=fact).values_list("text", flat=True).first() or ""
    read, told = named(text), Mention.objects.filter(space=space, fact=fact).values_list("entity", flat=True)
    only = {*read.sure, *read.maybe}.difference(told)
    ranked = Centrality.objects.filter(space=space, entity__in=only).order_by("-rank", "entity")
    return list(ranked.values_list("entity", flat=True)[:most])


def facts_with(space: Space, entity: str, which: Q, most: int) -> list[tuple[int, int]]:
    """The facts of which only the texts name an entity, and a condition holds, with when they were born; of the newest
    that say its words."""
    if _COMMON.fullmatch(entity):
        return []
    phrase = " ".join(full_text.words(entity))
    found = full_text.search(space, f'"{phrase}" ', _LOOKED_AT * most) if phrase else []
    told, rows = Mention.objects.filter(space=space, fact=OuterRef("pk"), entity=entity), list[tuple[int, int]]()
    for chunk in bulk.chunks(found):
        facts = Fact.objects.filter(which, ~Exists(told), pk__in=chunk)
        rows += [(fact, at) for fact, at, text in facts.values_list("pk", "at", "text") if names(text, entity)]
    return sorted(rows, key=lambda row: (-row[1], -row[0]))[:most]


def between(
    space: Space, facts: Collection[int], entities: Sequence[str], told: Mapping[int, Collection[str]]
) -> Iterator[tuple[int, str]]:
    """Which of some facts name which of some entities in their texts, but for what they are `told` to mention."""
    sought = [entity for entity in entities if not _COMMON.fullmatch(entity)]
    for chunk in bulk.chunks(facts if sought else ()):
        for fact, text in Fact.objects.filter(pk__in=chunk).order_by("pk").values_list("pk", "text"):
            yield from ((fact, each) for each in sought if each not in told.get(fact, ()) and names(text, each))
