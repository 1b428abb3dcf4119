"""What was found to belong together: pairs of facts that say much the same, and what lies near in meaning or is
mentioned together. All of it is worked out from the texts of facts, and goes with them."""

from django.db import models

from trustmem.core.instants import NEVER
from trustmem.store.models.facts import Fact
from trustmem.store.models.fields import FactKey, NameField
from trustmem.store.models.folds import UNCHECKED, Fold, KeyedIndex


class Pair(Fold):
    """What the detector found of two facts; of those between which it found nothing there is no row. `finding` is a
    code of `core.contradictions.FINDINGS`, `rule` the one that decided, `overlap` that of their words, and `features`
    is JSON: what else the decision rests on. Which of them become cases is for the constants to say."""

    older = models.ForeignKey(Fact, related_name="pairs_with_newer", **UNCHECKED)
    newer = models.ForeignKey(Fact, related_name="pairs_with_older", **UNCHECKED)
    finding = models.SmallIntegerField()
    rule = NameField()
    overlap = models.FloatField()
    detector = NameField()
    features = models.TextField(default="{}")
    at = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "older", "newer"), name="two_facts_are_one_pair"),)
        indexes = (
            models.Index(fields=("space", "newer"), name="pairs_of_a_newer_fact"),
            KeyedIndex(fields=("space", "finding", "id"), name="pairs_by_finding"),
        )

    def __str__(self) -> str:
        return f"{self.older_id} and {self.newer_id}: {self.rule}"


class Detection(Fold):
    """How far the facts of a space are checked: all whose keys are up to `checked_to`, by a version of the detector."""

    detector = NameField()
    checked_to = models.BigIntegerField(default=0)
    at = models.BigIntegerField(default=NEVER)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space",), name="a_space_has_one_detection"),)

    def __str__(self) -> str:
        return f"{self.space_id} up to {self.checked_to}"


class Vector(Fold):
    """What a fact means, as a unit vector of float32 (little-endian), made by an embedder in one of its versions.
    `nearest` are the keys of the facts nearest to it (int64), nearest first, and `cosines` how near (float64).
    `written`: by how manieth writing of vectors in the space."""

    fact = FactKey(related_name="vector", **UNCHECKED)
    embedder = NameField()
    values = models.BinaryField()
    nearest = models.BinaryField(default=b"")
    cosines = models.BinaryField(default=b"")
    written = models.BigIntegerField(default=0)

    class Meta:
        indexes = (
            KeyedIndex(fields=("space", "embedder", "fact"), name="vectors_of_an_embedder"),
            KeyedIndex(fields=("space", "written", "fact"), name="vectors_as_written"),
        )

    def __str__(self) -> str:
        return f"vector of {self.fact_id}"


class SemanticEdge(Fold):
    """That each of two facts is among the other's nearest; its weight either way (section 9.1)."""

    older = models.ForeignKey(Fact, related_name="+", **UNCHECKED)
    newer = models.ForeignKey(Fact, related_name="+", **UNCHECKED)
    to_newer = models.FloatField()
    to_older = models.FloatField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "older", "newer"), name="a_semantic_edge_is_one"),)
        indexes = (models.Index(fields=("space", "newer"), name="semantic_edges_of_a_newer"),)

    def __str__(self) -> str:
        return f"{self.older_id} and {self.newer_id}"


class CoOccurrence(Fold):
    """That two entities, of which `one` comes first by name, are mentioned `together` in so many facts (9.2)."""

    one = NameField()
    other = NameField()
    together = models.BigIntegerField()
    npmi = models.FloatField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "one", "other"), name="two_entities_occur_once"),)
        indexes = (models.Index(fields=("space", "other"), name="co_occurrences_of_the_other"),)

    def __str__(self) -> str:
        return f"{self.one} and {self.other}"


class Centrality(Fold):
    """The importance of an entity (section 9.4), and how many facts mention it. It never enters trust."""

    entity = NameField()
    rank = models.FloatField()
    facts = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "entity"), name="an_entity_has_one_rank"),)
        indexes = (models.Index(fields=("space", "rank"), name="entities_by_rank"),)

    def __str__(self) -> str:
        return f"{self.entity}: {self.rank}"


class Place(Fold):
    """Where a fact or an entity, by its name, stands in the picture of the whole space: x and y from -1 to 1."""

    is_entity = models.BooleanField()
    name = NameField()
    x = models.FloatField()
    y = models.FloatField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "is_entity", "name"), name="a_node_has_one_place"),)

    def __str__(self) -> str:
        return f"{self.name} at {self.x}, {self.y}"
