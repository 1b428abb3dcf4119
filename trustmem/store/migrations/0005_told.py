"""What the next page says on top has rows of its own: a session is written as a whole."""

from django.db import migrations, models

from trustmem.store.models.fields import NameField


class Migration(migrations.Migration):
    dependencies = [("store", "0004_searches")]

    operations = [
        migrations.CreateModel(
            "Told",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("browser", NameField()),
                ("says", models.TextField()),
                ("at", models.BigIntegerField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["browser", "id"], name="told_in_a_browser"),
                    models.Index(fields=["at"], name="told_by_age"),
                ]
            },
        ),
    ]
