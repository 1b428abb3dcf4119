"""The free content of a line, which alone can be erased."""

from django.db import models

from trustmem.store.models.spaces import Space


class Text(models.Model):
    """`body` is canonical JSON, and '' once it was erased: the one change that triggers let pass."""

    pk = models.CompositePrimaryKey("space", "position")
    space = models.ForeignKey(Space, models.PROTECT, related_name="+", db_index=False)
    position = models.BigIntegerField()
    body = models.TextField()

    def __str__(self) -> str:
        return f"text of {self.position}"
