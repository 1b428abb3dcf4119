"""What lists look up of the texts of facts: the entities that they mention, and their words."""

from django.db import models

from trustmem.store.models.facts import Fact
from trustmem.store.models.fields import FactKey, NameField, WordsField
from trustmem.store.models.folds import UNCHECKED, Fold


class Mention(Fold):
    """One row for each entity that a fact names: as its subject, as its object, or among its `entities`.

    `entity` is the beginning of its name, as much as an index takes; `at` is the fact's.
    """

    entity = NameField()
    at = models.BigIntegerField()
    fact = models.ForeignKey(Fact, related_name="mentions", **UNCHECKED)

    class Meta:
        indexes = (
            models.Index(fields=("space", "entity", "at", "fact"), name="facts_of_an_entity_by_age"),
            models.Index(fields=("space", "fact"), name="entities_of_a_fact"),
        )

    def __str__(self) -> str:
        return f"{self.entity} in {self.fact_id}"


class Words(Fold):
    """The words of a fact, for full text search; `store.full_text` alone writes and reads them.

    A table of PostgreSQL. On SQLite a virtual one of FTS5 goes by its name and has its columns, but finds a row by its
    rowid only, which is `fact`: so nothing cascades to it.
    """

    fact = FactKey(related_name="+", **{**UNCHECKED, "on_delete": models.DO_NOTHING})
    words = WordsField()

    class Meta:
        required_db_vendor = "postgresql"

    def __str__(self) -> str:
        return f"words of {self.fact_id}"
