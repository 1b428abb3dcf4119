"""Mentions: which facts name an entity. Whoever writes facts calls `fill` or `replace` in the same transaction."""

import json
from collections.abc import Collection, Iterator

from django.db.models import QuerySet

from trustmem.store import bulk
from trustmem.store.models import Entity, Fact, Mention, Space

#: An index takes no more of a name on PostgreSQL, and no name is longer; but a subject may be a whole text.
_LONGEST = 500


def known_as(entity: str) -> str:
    """The beginning of a name, as it is looked up.

    >>> len(known_as("x" * 700))
    500
    """
    return entity[:_LONGEST]


def meant(space: Space, text: str) -> str:
    """The entity that somebody means: one that facts name so, or else one that is called so."""
    if not Mention.objects.filter(space=space, entity=known_as(text)).exists():
        titled = Entity.objects.filter(space=space, title=text).order_by("pk").values_list("name", flat=True).first()
        return titled or text
    return text


def fill(space: Space) -> None:
    """Write the mentions of a space anew; within a transaction."""
    mentions = Mention.objects.filter(space=space)
    mentions._raw_delete(mentions.db)
    _write(space, Fact.objects.filter(space=space))


def replace(space: Space, facts: Collection[int]) -> None:
    """Write the mentions by these facts anew, by their keys; within a transaction."""
    for chunk in bulk.chunks(facts):
        mentions = Mention.objects.filter(space=space, fact__in=chunk)
        mentions._raw_delete(mentions.db)
        _write(space, Fact.objects.filter(pk__in=chunk))


def _write(space: Space, facts: "QuerySet[Fact]") -> None:
    for chunk in bulk.chunks(_rows(space, facts)):
        bulk.insert(Mention, ("space_id", "entity", "at", "fact_id"), chunk)


def _rows(space: Space, facts: "QuerySet[Fact]") -> Iterator[tuple[int, str, int, int]]:
    named = facts.order_by("pk").values_list("pk", "at", "subject", "object", "entities")
    for fact, at, subject, object, entities in named.iterator(10_000):
        names = {known_as(name) for name in (subject, object, *json.loads(entities)) if name}
        for name in sorted(names):
            yield space.pk, name, at, fact
