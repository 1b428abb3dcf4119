"""Nothing but the protocol goes to stdout, whatever goes wrong beside (case 115)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.intake.sessions import LOUD, session

#: So many sessions of each kind.
OF_EACH = 10


@pytest.fixture
def agent(home, token):
    """The environment of an agent that has a token of a space."""
    return {**home.environment, "TRUSTMEM_TOKEN": token}


def at_once(environments):
    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(session, environments))


@pytest.mark.parametrize("kind", LOUD)
def test_115_every_line_on_stdout_is_a_message(agent, kind):
    for each in at_once([agent | LOUD[kind]] * OF_EACH):
        assert (each.bad, each.status) == ([], 0), each.stderr
        assert each.answer(1)["result"]["serverInfo"]["name"] == "trustmem"
        assert each.answer(3)["result"]["structuredContent"]["hits"] == []
        assert each.answer(4)["result"]["isError"]
        assert each.answer(5)["error"]["code"] == -32601
        assert each.answer(6)["error"]["data"] == 'the message has the key "a" twice'


def test_115_also_where_the_database_has_to_be_migrated_first(agent, home):
    if home.database is None:
        (home.folder / "trustmem.sqlite3").unlink()
    else:
        home.sql("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    for each in [session(agent), *at_once([agent] * (OF_EACH - 1))]:
        assert (each.bad, each.status) == ([], 2), each.stderr
        assert "is none of the desk" in each.stderr  # it was in the tables that are gone


def test_115_also_where_a_tool_fails_and_what_failed_is_told_to_nobody(agent, home):
    home.sql("DROP TABLE store_constantsversion")
    for each in at_once([agent] * OF_EACH):
        assert (each.bad, each.status) == ([], 0), each.stderr
        failed = each.answer(3)["result"]
        assert failed["isError"]
        assert "constantsversion" not in str(failed)


def test_115_also_where_there_is_nothing_to_speak_to(agent, home, tmp_path):
    for each in at_once([agent | {"DATABASE_URL": f"sqlite:///{tmp_path}/no/such/folder/db"}] * 3):
        assert (each.bad, each.messages) == ([], [])
        assert each.status != 0
        assert each.stderr.count("\n") == 1
