"""Edges between facts, and what an imported graph tells of entities."""

from django.db import models

from trustmem.store.models.facts import Fact
from trustmem.store.models.fields import NameField
from trustmem.store.models.folds import UNCHECKED, Fold


class Edge(Fold):
    """However many lines assert it. `relation` is a code of RELATIONS. Of a contradiction, which has no direction,
    `newer` is the fact whose name comes first. It is `carried` while an assertion of it is in force and neither end is
    forgotten or erased, and `live` then, unless it waits for an end that is pruned."""

    newer = models.ForeignKey(Fact, related_name="edges_to_older", **UNCHECKED)
    older = models.ForeignKey(Fact, related_name="edges_to_newer", **UNCHECKED)
    relation = models.SmallIntegerField()
    carried = models.BooleanField(default=False)
    live = models.BooleanField(default=False)
    on_cycle = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "newer", "older", "relation"), name="an_edge_is_one"),)
        indexes = (models.Index(fields=("space", "older", "relation"), name="edges_onto_a_fact"),)

    def __str__(self) -> str:
        return f"{self.newer_id} to {self.older_id}"


class Entity(Fold):
    """`name` is its id, `title` what people call it."""

    name = NameField()
    title = models.TextField(default="")
    kind = models.TextField(default="")
    at = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_entity"),)

    def __str__(self) -> str:
        return self.title or self.name


class Link(Fold):
    """A relation of an imported graph: shown, never scored. Its ends are ids of entities, which may never come: what
    they are called, if the graph said so, stands in `from_name` and `to_name`."""

    name = NameField()
    from_entity = NameField()
    to_entity = NameField()
    from_name = models.TextField(default="")
    to_name = models.TextField(default="")
    relation = models.TextField()
    source = NameField(default="")
    at = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_link"),)
        indexes = (
            models.Index(fields=("space", "from_entity"), name="links_from_an_entity"),
            models.Index(fields=("space", "to_entity"), name="links_to_an_entity"),
        )

    def __str__(self) -> str:
        return f"{self.from_entity} {self.relation} {self.to_entity}"
