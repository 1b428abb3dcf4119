"""One chain of migrations for both databases; and the database as people get it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db.migrations.exceptions import IrreversibleError

ROOT = Path(__file__).parents[2]

ASK = """
import sqlite3
import django
django.setup()
from django.db import connection, transaction
with connection.cursor() as cursor:
    for name in ("journal_mode", "synchronous", "recursive_triggers", "foreign_keys", "secure_delete", "busy_timeout"):
        print(name, *cursor.execute(f"PRAGMA {name}").fetchone())
other = sqlite3.connect(connection.settings_dict["NAME"], timeout=0)
with transaction.atomic():
    try:
        other.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        print(error)
"""


@pytest.mark.django_db
def test_the_models_are_as_the_migrations_have_them() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.django_db
def test_all_migrations_have_run() -> None:
    call_command("migrate", check_unapplied=True, verbosity=0)


@pytest.mark.django_db(transaction=True)
def test_no_way_leads_back_to_lines_that_can_be_changed() -> None:
    with pytest.raises(IrreversibleError):
        call_command("migrate", "store", "0001", verbosity=0)
    call_command("migrate", verbosity=0)  # later ones have led back


def test_without_a_database_url_a_file_in_the_home_is_the_database(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"TRUSTMEM_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "trustmem.settings"}

    def run(*arguments: str) -> str:
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout

    run("manage.py", "migrate")
    assert (tmp_path / "trustmem.sqlite3").is_file()
    assert run("-c", ASK).splitlines() == [
        "journal_mode wal",
        "synchronous 2",
        "recursive_triggers 1",
        "foreign_keys 1",
        "secure_delete 1",
        "busy_timeout 20000",
        "database is locked",  # for others, from the begin of a transaction on
    ]
