"""Imports: what came of each file, and what it held that was refused or not understood."""

from django.db import models

from trustmem.store.models.fields import NameField
from trustmem.store.models.folds import UNCHECKED, Fold


class Import(Fold):
    """`name` is the id that its lines carry, `digest` that of the file. The five answers add up to its records."""

    name = NameField()
    file = models.TextField()
    digest = models.TextField()
    at = models.BigIntegerField()
    by = NameField(default="")
    new = models.BigIntegerField(default=0)
    known = models.BigIntegerField(default=0)
    refused = models.BigIntegerField(default=0)
    waiting = models.BigIntegerField(default=0)
    rejected = models.BigIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_import"),)

    def __str__(self) -> str:
        return self.file


class Reject(Fold):
    """The receipt of a record: its number in the file, what it was answered, and why. It is kept verbatim as a line."""

    of_import = models.ForeignKey(Import, related_name="rejects", **UNCHECKED)
    number = models.BigIntegerField()
    status = models.TextField()
    field = models.TextField(default="")
    reason = models.TextField(default="")

    class Meta:
        indexes = (models.Index(fields=("space", "of_import", "number"), name="rejects_of_an_import"),)

    def __str__(self) -> str:
        return f"line {self.number}: {self.reason or self.status}"
