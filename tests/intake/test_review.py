"""`trustmem review` lists what waits for a person, in the words of the desk."""

import pytest

from tests.intake.terminal import edge, event, fact, write


@pytest.fixture
def home(home, tmp_path):
    """Two claims that contradict each other, one of them served; and a flood of others by one bot."""
    told = [
        fact("old", "The port is 7000."),
        fact("new", "The port is 7443.\x1b[31m", "2026-01-06T08:00:00Z", source="deploy-bot"),
        edge("contradicts", "new", "old", "e", by="deploy-bot"),
        event("recalled", "old", "read", source="agent", at="2026-11-20T00:00:00Z"),
        event("corroborated", "old", "so", source="crm"),
    ]
    for number in range(30):
        told += [fact(f"a{number}", f"Door {number} is open."), fact(f"b{number}", f"Door {number} is shut.")]
        told.append(edge("contradicts", f"b{number}", f"a{number}", f"e{number}", by="bot"))
    home("import", write(tmp_path / "f.jsonl", *told), "--now", "2026-11-30T00:00:00Z")
    return home


def test_it_tells_which_claims_are_at_stake_and_why_each_stands_there(home):
    shown = home("review").stdout
    assert "31 open cases" in shown
    assert "contradiction" in shown
    assert "one source for, one against" in shown
    assert "The port is 7000." in shown
    assert "by deploy-bot" in shown
    assert "\x1b" not in shown
    assert "30 contradictions by bot" in shown
    assert "Door" not in shown


def test_for_machines_every_case_is_one_object_those_of_groups_at_the_end(home):
    rows = home.json("review", "--json")
    assert len(rows) == 31
    first = rows[0]
    assert (first["kind"], first["source"], first["in_hand"], first["snoozed_until"]) == (
        "contradiction",
        "deploy-bot",
        "",
        None,
    )
    assert [each["id"] for each in first["facts"]] == ["old", "new"]
    assert first["facts"][0]["text"] == "The port is 7000."
    assert {row["source"] for row in rows[1:]} == {"bot"}


def test_it_is_narrowed_by_kind_and_source(home):
    assert len(home.json("review", "--json", "--kind", "contradiction", "--source", "bot")) == 30
    assert home.json("review", "--json", "--kind", "challenge") == []
    assert "no open cases" in home("review", "--source", "nobody").stdout
    assert home("review", "--kind", "quarrel").returncode == 2


def test_of_many_the_first_are_shown_unless_all_are_asked_for(home):
    some = home("review", "--source", "bot", "--kind", "contradiction").stdout
    assert (some.count("is shut."), "and more; --all shows them" in some) == (25, True)
    every = home("review", "--source", "bot", "--kind", "contradiction", "--all").stdout
    assert (every.count("is shut."), "--all" in every) == (30, False)


def test_what_is_erased_is_told_of_no_more(home):
    home("erase", "new", "--yes", "--reason", "Asked for.")
    for shown in (home("review").stdout, home("review", "--json").stdout):
        assert "7443" not in shown
