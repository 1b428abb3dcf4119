"""What a database searches full texts by, which no model can say."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

# `words` come as words already, of letters and digits or beyond ASCII: this tokenizer takes them as they are.
_SQLITE = """
CREATE VIRTUAL TABLE store_words USING fts5(words, space_id UNINDEXED, fact_id UNINDEXED, tokenize = 'ascii');
"""

# As of every text, the planner keeps no sample of these.
_POSTGRESQL = """
CREATE INDEX facts_by_word ON store_words USING gin (words);

ALTER TABLE store_words ALTER COLUMN words SET STATISTICS 0;

ALTER TABLE store_mention ALTER COLUMN entity SET STATISTICS 0;
"""


def make_words_searchable(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    statements = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}[schema_editor.connection.vendor].strip().split("\n\n")
    for statement in statements:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("store", "0002_append_only")]

    operations = [migrations.RunPython(make_words_searchable)]
