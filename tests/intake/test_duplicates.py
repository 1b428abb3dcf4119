"""`trustmem duplicates` lists facts that say the same and merges them; `trustmem detector` tells how often that is
right."""

import pytest

from tests.intake.terminal import fact, write


@pytest.fixture
def home(home, tmp_path):
    """The same said thrice, and twice; and checked."""
    told = [
        fact("tea", "Tea is served at five in the large hall.", source="mail"),
        fact("tea-too", "Tea is served at five in the large hall!", "2026-01-07T08:00:00Z", source="crm"),
        fact("tea-still", "tea is served at five in the large hall", "2026-01-08T08:00:00Z", source="wiki"),
        fact("bus", "The bus to the harbour leaves at noon.\x1b", source="mail"),
        fact("bus-too", "The bus to the harbour leaves at noon.", "2026-01-07T08:00:00Z", source="crm"),
        fact("door", "The door of the shed is green."),
    ]
    home("import", write(tmp_path / "f.jsonl", *told), "--now", "2026-11-30T00:00:00Z")
    home("detect")
    return home


def test_clusters_stand_with_all_that_their_facts_say_the_one_that_is_kept_first(home):
    shown = home("duplicates").stdout
    assert "2 clusters of 5 facts" in shown and "3 facts say the same" in shown
    assert "Tea is served at five in the large hall." in shown and "by wiki" in shown
    assert "\x1b" not in shown and "shed" not in shown


def test_for_machines_every_cluster_is_one_object(home):
    first, second = home.json("duplicates", "--json")
    assert {each["id"] for each in first["facts"]} == {"tea", "tea-too", "tea-still"}
    assert (first["size"], second["size"]) == (3, 2)
    assert {first["kept"], *first["merged"]} == {"tea", "tea-too", "tea-still"}


def test_a_cluster_is_merged_by_any_of_its_facts_and_brought_back(home):
    done = home("duplicates", "--merge", "tea-still", "--reason", "One thing.")
    assert "2 facts merged into" in done.stdout and done.returncode == 0
    assert "1 cluster of 2 facts" in home("duplicates").stdout
    home("undo", done.stdout.split("trustmem undo ")[1].split()[0])
    assert "2 clusters of 5 facts" in home("duplicates").stdout


def test_several_are_merged_in_one_act(home):
    done = home("duplicates", "--merge", "tea", "bus", "tea-too")
    assert "2 clusters merged." in done.stdout
    assert "no duplicates" in home("duplicates").stdout
    assert home("verify").returncode == 0


def test_what_is_in_no_cluster_is_refused(home):
    refused = home("duplicates", "--merge", "door")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert 'the fact "door" is in no cluster' in refused.stderr
    assert home("duplicates", "--merge", "nobody").returncode == 2


def test_what_is_not_checked_yet_is_said(home, tmp_path):
    home("import", write(tmp_path / "g.jsonl", fact("more", "More.")), "--now", "2026-12-01T00:00:00Z")
    assert "the detector has checked 6 of 7 facts" in home("duplicates").stdout


def test_how_often_the_detector_was_right(home):
    assert "nothing was decided about what it found, and nothing waits" in home("detector").stdout
    home("duplicates", "--merge", "tea")
    shown = home("detector").stdout
    assert "duplicate" in shown and "1.00  0.21 – 1.00  too few" in shown
    (told,) = home.json("detector", "--json")
    (row,) = told["precision"]
    assert (row["kind"], row["right"], row["wrong"], row["too_few"]) == ("duplicate", 1, 0, True)
    assert told["checked"] == told["facts"] == 6 and told["pairs"]["restatement"]
    assert told["thresholds"]["word"]["waiting"] == 0
