"""The database itself refuses every change of a line, and of a text every one but that which empties it.

There is no way back: it would end in dropping a history.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

_NO_UPDATE = "a line cannot be changed"
_NO_DELETE = "a line and its text cannot be deleted"
_ONLY_ERASE = "a text can only be emptied"

# INSERT OR REPLACE deletes too; the triggers see that where recursive_triggers is ON, as the settings have it.
_SQLITE = f"""
CREATE TRIGGER a_line_stays_as_it_is BEFORE UPDATE ON store_line
BEGIN SELECT RAISE(ABORT, '{_NO_UPDATE}'); END;

CREATE TRIGGER a_line_stays BEFORE DELETE ON store_line
BEGIN SELECT RAISE(ABORT, '{_NO_DELETE}'); END;

CREATE TRIGGER a_text_can_only_be_emptied BEFORE UPDATE ON store_text
WHEN NEW.body IS NOT '' OR NEW.space_id IS NOT OLD.space_id OR NEW.position IS NOT OLD.position
BEGIN SELECT RAISE(ABORT, '{_ONLY_ERASE}'); END;

CREATE TRIGGER a_text_stays BEFORE DELETE ON store_text
BEGIN SELECT RAISE(ABORT, '{_NO_DELETE}'); END;
"""

# restrict_violation, so that Django has the same IntegrityError for both databases.
_POSTGRESQL = f"""
CREATE FUNCTION store_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION USING ERRCODE = 'restrict_violation', MESSAGE = TG_ARGV[0]; END $$;

CREATE TRIGGER a_line_stays_as_it_is BEFORE UPDATE ON store_line
FOR EACH ROW EXECUTE FUNCTION store_refuse('{_NO_UPDATE}');

CREATE TRIGGER a_line_stays BEFORE DELETE ON store_line
FOR EACH ROW EXECUTE FUNCTION store_refuse('{_NO_DELETE}');

CREATE TRIGGER lines_stay BEFORE TRUNCATE ON store_line
FOR EACH STATEMENT EXECUTE FUNCTION store_refuse('{_NO_DELETE}');

CREATE TRIGGER a_text_can_only_be_emptied BEFORE UPDATE ON store_text
FOR EACH ROW WHEN (NEW.body <> '' OR NEW.space_id <> OLD.space_id OR NEW.position <> OLD.position)
EXECUTE FUNCTION store_refuse('{_ONLY_ERASE}');

CREATE TRIGGER a_text_stays BEFORE DELETE ON store_text
FOR EACH ROW EXECUTE FUNCTION store_refuse('{_NO_DELETE}');

CREATE TRIGGER texts_stay BEFORE TRUNCATE ON store_text
FOR EACH STATEMENT EXECUTE FUNCTION store_refuse('{_NO_DELETE}');

ALTER TABLE store_text ALTER COLUMN body SET STATISTICS 0;

ALTER TABLE store_fact
ALTER COLUMN text SET STATISTICS 0,
ALTER COLUMN subject SET STATISTICS 0,
ALTER COLUMN predicate SET STATISTICS 0,
ALTER COLUMN object SET STATISTICS 0,
ALTER COLUMN entities SET STATISTICS 0;

ALTER TABLE store_case
ALTER COLUMN kind SET STATISTICS 0,
ALTER COLUMN factors SET STATISTICS 0,
ALTER COLUMN verdict SET STATISTICS 0;

ALTER TABLE store_reject
ALTER COLUMN field SET STATISTICS 0,
ALTER COLUMN reason SET STATISTICS 0;

ALTER TABLE store_upload
ALTER COLUMN name SET STATISTICS 0,
ALTER COLUMN content SET STATISTICS 0;

ALTER TABLE store_job
ALTER COLUMN result SET STATISTICS 0,
ALTER COLUMN error SET STATISTICS 0;
"""  # noqa: S608 (names of ours)


def set_triggers(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    statements = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}[schema_editor.connection.vendor].strip().split("\n\n")
    for statement in statements:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("store", "0001_initial")]

    operations = [migrations.RunPython(set_triggers)]
