"""What a search handed out is kept for a day under its id, with what tells that the same is asked again."""

from django.db import migrations, models

from trustmem.core.instants import NEVER
from trustmem.store.models.fields import NameField


class Migration(migrations.Migration):
    dependencies = [("store", "0003_full_text")]

    operations = [
        migrations.RemoveIndex("served", "served_in_order"),
        migrations.RemoveField("served", "kind"),
        migrations.AddField("served", "search", NameField(default="")),
        migrations.AddField("served", "question", NameField(default="")),
        migrations.AddField("served", "recorded", models.BooleanField(default=False)),
        migrations.AddField("served", "reported", models.BigIntegerField(default=NEVER)),
        migrations.AddIndex(
            "served", models.Index(fields=("space", "id"), name="served_in_order", condition=models.Q(recorded=False))
        ),
        migrations.AddIndex("served", models.Index(fields=("space", "search"), name="served_by_a_search")),
        migrations.AddIndex(
            "served",
            models.Index(fields=("space", "question", "id"), name="asked_again", condition=~models.Q(question="")),
        ),
        migrations.AddIndex("served", models.Index(fields=("space", "at"), name="served_by_age")),
    ]
