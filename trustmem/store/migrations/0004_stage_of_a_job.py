from django.db import migrations

import trustmem.store.models.fields


class Migration(migrations.Migration):
    dependencies = [("store", "0003_full_text")]

    operations = [
        migrations.AddField(
            model_name="job",
            name="stage",
            field=trustmem.store.models.fields.NameField(default=""),
        ),
    ]
