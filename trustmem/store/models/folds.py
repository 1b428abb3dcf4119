"""What the tables have in common that can be dropped and made again from Line and Text."""

from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement

from trustmem.store.models.spaces import Space

#: Folds are written in bulk and made anew as a whole. What proves them is that rebuilding gives the same, so the
#: database checks no reference from fold to fold; and where a query needs an index, it begins with the space.
UNCHECKED: Any = {"on_delete": models.DO_NOTHING, "db_index": False, "db_constraint": False}


class Fold(models.Model):
    """Each row belongs to a space, and every query names it."""

    space = models.ForeignKey(Space, related_name="+", **UNCHECKED)

    class Meta:
        abstract = True


class KeyedIndex(models.Index):
    """An index that ends with the key of its own table, by which equal values are told apart.

    SQLite ends each index with the rowid by itself, which that key is, and looks for it there and nowhere else.
    """

    def create_sql(
        self, model: type[models.Model], schema_editor: BaseDatabaseSchemaEditor, using: str = "", **kwargs: Any
    ) -> Statement:
        if schema_editor.connection.vendor != "sqlite":
            return super().create_sql(model, schema_editor, using, **kwargs)
        without = models.Index(fields=self.fields[:-1], name=self.name, condition=self.condition)
        return without.create_sql(model, schema_editor, using, **kwargs)
