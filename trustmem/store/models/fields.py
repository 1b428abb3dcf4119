"""Columns that must mean the same on every database."""

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    _Text = models.TextField[str, str]
    _Key = models.OneToOneField[Any, Any]
else:
    _Text = models.TextField
    _Key = models.OneToOneField


class NameField(_Text):
    """An id or a name. It compares by its bytes: SQLite does so by itself, PostgreSQL has to be told."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Any:
        collation = "C" if connection.vendor == "postgresql" else None
        return {**super().db_parameters(connection), "collation": collation}


class FactKey(_Key):
    """The key of a row that stands beside a fact: the fact's own. It looks rows up by SQLite's rowid, which only a
    column of type `integer` stands for, and needs no further index there."""

    def __init__(self, to: Any = "store.Fact", on_delete: Any = models.CASCADE, **options: Any) -> None:
        super().__init__(to, on_delete, **{**options, "primary_key": True})

    def db_type(self, connection: BaseDatabaseWrapper) -> Any:
        return "integer" if connection.vendor == "sqlite" else super().db_type(connection)


class WordsField(_Text):
    """Words with their places, as PostgreSQL searches them."""

    def db_type(self, connection: BaseDatabaseWrapper) -> Any:
        return "tsvector" if connection.vendor == "postgresql" else super().db_type(connection)
