"""What waits for a person or was decided by one: cases, and the tombstones of what must not come back."""

from django.db import models

from trustmem.core.instants import NEVER
from trustmem.store.models.fields import NameField
from trustmem.store.models.folds import Fold


class Case(Fold):
    """`facts` are names; `factors` and `constants_version` are what they were when it was opened."""

    name = NameField()
    kind = models.TextField(default="")  # free, as are the factors and the verdict: `erase` empties them
    facts = models.JSONField(default=list)
    at = models.BigIntegerField()
    factors = models.TextField(default="{}")  # JSON
    constants_version = models.BigIntegerField(default=1)
    closed_at = models.BigIntegerField(default=NEVER)
    verdict = models.TextField(default="")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_case"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Tombstone(Fold):
    """`digest` is keyed, of the normalised claim."""

    name = NameField()
    digest = NameField()
    by = NameField(default="")
    at = models.BigIntegerField()
    lifted_at = models.BigIntegerField(default=NEVER)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_tombstone"),)
        indexes = (models.Index(fields=("space", "digest"), name="tombstones_of_a_claim"),)

    def __str__(self) -> str:
        return self.name
