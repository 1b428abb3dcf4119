"""What the tables have in common that can be dropped and made again from Line and Text."""

from typing import Any

from django.db import models

from trustmem.store.models.spaces import Space

#: Folds are written in bulk and made anew as a whole. What proves them is that rebuilding gives the same, so the
#: database checks no reference from fold to fold; and where a query needs an index, it begins with the space.
UNCHECKED: Any = {"on_delete": models.DO_NOTHING, "db_index": False, "db_constraint": False}


class Fold(models.Model):
    """Each row belongs to a space, and every query names it."""

    space = models.ForeignKey(Space, related_name="+", **UNCHECKED)

    class Meta:
        abstract = True
