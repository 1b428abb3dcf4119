"""What lists read: stored scores and their indexes, mentions of entities, and the words of texts."""

import django.db.models.deletion
import django.db.models.expressions
import django.db.models.lookups
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import trustmem.store.models.fields
import trustmem.store.models.folds

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

    operations = [
        # Nothing has been written to it so far.
        migrations.DeleteModel(name="Score"),
        migrations.CreateModel(
            name="Score",
            fields=[
                (
                    "fact",
                    trustmem.store.models.fields.FactKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="score",
                        serialize=False,
                        to="store.fact",
                    ),
                ),
                ("state", models.SmallIntegerField()),
                ("source", trustmem.store.models.fields.NameField()),
                ("trust", models.FloatField()),
                ("band", models.SmallIntegerField()),
                ("flags", models.IntegerField(default=0)),
                ("scored_at", models.BigIntegerField(default=-9223372036854775808)),
                (
                    "space",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="store.space",
                    ),
                ),
            ],
            options={
                "indexes": [
                    trustmem.store.models.folds.KeyedIndex(
                        fields=["space", "state", "trust", "fact"], name="facts_by_trust"
                    ),
                    trustmem.store.models.folds.KeyedIndex(
                        fields=["space", "source", "state", "trust", "fact"], name="facts_of_a_source_by_trust"
                    ),
                    trustmem.store.models.folds.KeyedIndex(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.expressions.CombinedExpression(
                                    models.F("flags"), "&", models.Value(1)
                                ),
                                1,
                            )
                        ),
                        fields=["space", "state", "trust", "fact"],
                        name="facts_superseded_by_trust",
                    ),
                    trustmem.store.models.folds.KeyedIndex(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.expressions.CombinedExpression(
                                    models.F("flags"), "&", models.Value(2)
                                ),
                                2,
                            )
                        ),
                        fields=["space", "state", "trust", "fact"],
                        name="facts_disputed_by_trust",
                    ),
                    trustmem.store.models.folds.KeyedIndex(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.expressions.CombinedExpression(
                                    models.F("flags"), "&", models.Value(4)
                                ),
                                4,
                            )
                        ),
                        fields=["space", "state", "trust", "fact"],
                        name="facts_challenged_by_trust",
                    ),
                    trustmem.store.models.folds.KeyedIndex(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.expressions.CombinedExpression(
                                    models.F("flags"), "&", models.Value(8)
                                ),
                                8,
                            )
                        ),
                        fields=["space", "state", "trust", "fact"],
                        name="facts_stale_by_trust",
                    ),
                    trustmem.store.models.folds.KeyedIndex(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.expressions.CombinedExpression(
                                    models.F("flags"), "&", models.Value(16)
                                ),
                                16,
                            )
                        ),
                        fields=["space", "state", "trust", "fact"],
                        name="facts_use_only_by_trust",
                    ),
                    trustmem.store.models.folds.KeyedIndex(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.expressions.CombinedExpression(
                                    models.F("flags"), "&", models.Value(32)
                                ),
                                32,
                            )
                        ),
                        fields=["space", "state", "trust", "fact"],
                        name="facts_age_unknown_by_trust",
                    ),
                    trustmem.store.models.folds.KeyedIndex(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.expressions.CombinedExpression(
                                    models.F("flags"), "&", models.Value(64)
                                ),
                                64,
                            )
                        ),
                        fields=["space", "state", "trust", "fact"],
                        name="facts_uncertain_by_trust",
                    ),
                    trustmem.store.models.folds.KeyedIndex(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                django.db.models.expressions.CombinedExpression(
                                    models.F("flags"), "&", models.Value(128)
                                ),
                                128,
                            )
                        ),
                        fields=["space", "state", "trust", "fact"],
                        name="facts_settled_by_trust",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Mention",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("entity", trustmem.store.models.fields.NameField()),
                ("at", models.BigIntegerField()),
                (
                    "fact",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mentions",
                        to="store.fact",
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="store.space",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["space", "entity", "at", "fact"], name="facts_of_an_entity_by_age"),
                    models.Index(fields=["space", "fact"], name="entities_of_a_fact"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Words",
            fields=[
                (
                    "fact",
                    trustmem.store.models.fields.FactKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="store.fact",
                    ),
                ),
                ("words", trustmem.store.models.fields.WordsField()),
                (
                    "space",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="store.space",
                    ),
                ),
            ],
            options={"required_db_vendor": "postgresql"},
        ),
        migrations.AddIndex(
            model_name="fact",
            index=trustmem.store.models.folds.KeyedIndex(fields=["space", "state", "at", "id"], name="facts_by_age"),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=trustmem.store.models.folds.KeyedIndex(
                fields=["space", "source", "state", "at", "id"], name="facts_of_a_source_by_age"
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=trustmem.store.models.folds.KeyedIndex(
                fields=["space", "state", "derived", "id"], name="facts_by_weight"
            ),
        ),
        migrations.RunPython(make_words_searchable),
    ]
