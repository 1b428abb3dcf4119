"""Columns that must mean the same on every database."""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    _Text = models.TextField[str, str]
else:
    _Text = models.TextField


class NameField(_Text):
    """An id or a name. It compares by its bytes: SQLite does so by itself, PostgreSQL has to be told."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        collation = "C" if connection.vendor == "postgresql" else None
        return {**super().db_parameters(connection), "collation": collation}
