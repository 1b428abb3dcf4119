"""The constants of a space, version by version."""

from django.db import models

from trustmem.store.models.fields import NameField
from trustmem.store.models.folds import Fold


class ConstantsVersion(Fold):
    """`values` are those that change, in force from `since` on. Two lines may give themselves one number.
    Rows stand in the order in which they come into force."""

    name = NameField()
    number = models.BigIntegerField()
    values = models.JSONField(default=dict)
    since = models.BigIntegerField()
    author = NameField(default="")
    reason = models.TextField(default="")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_version"),)

    def __str__(self) -> str:
        return f"version {self.number}"
