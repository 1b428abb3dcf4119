"""`trustmem search`: what a space knows of something, as the people of the desk see it."""

import json

import pytest

from tests.intake.terminal import edge, event, fact, write


@pytest.fixture
def harbour(home, tmp_path):
    """A home that knows of a harbour: a value and the one before it, two that contradict each other, one forgotten."""
    told = (
        fact("six", "The harbour opens at six."),
        fact("seven", "The harbour opens at seven."),
        fact("deep", "The harbour is nine metres deep."),
        fact("shallow", "The harbour is two metres deep."),
        fact("secret", "The harbour has a cellar."),
        edge("updates", "seven", "six", "e1"),
        edge("contradicts", "deep", "shallow", "e2"),
        event("corroborated", "seven", "c", source="ben", run="r"),
    )
    assert home("import", write(tmp_path / "harbour.jsonl", *told)).returncode == 0
    assert home("forget", "secret").returncode == 0
    return home


def lines(done) -> list[str]:
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def found(told: list[str]) -> list[str]:
    """The ids of the hits, in their order."""
    return [line.rpartition(" · ")[2] for line in told if line.startswith(" " * 22) and " · " in line]


def test_a_hit_says_what_it_is_worth_what_it_replaces_and_what_contradicts_it(harbour):
    told = lines(harbour("search", "harbour", "opens"))
    at = next(place for place, line in enumerate(told) if "The harbour opens at seven." in line)
    assert "0." in told[at]
    assert told[at + 1].strip().endswith("seven")
    assert told[at + 2].strip() == 'replaces "six"'
    told = "\n".join(lines(harbour("search", "two metres deep")))
    assert "disputed" in told
    assert 'contradicted by "deep"' in told


def test_words_of_a_claim_that_was_replaced_find_what_holds_and_the_claim_itself_where_history_is_asked_for(harbour):
    assert found(lines(harbour("search", "opens at six")))[:1] == ["seven"]
    assert "six" not in found(lines(harbour("search", "opens at six")))
    told = lines(harbour("search", "opens at six", "--history"))
    assert found(told)[-1] == "six"
    assert 'superseded by "seven"' in "\n".join(told)


def test_what_agents_are_not_served_people_are_shown_and_told_why(harbour):
    told = "\n".join(lines(harbour("search", "harbour")))
    assert "forgotten" in told
    assert "not served to agents: not live · secret" in told
    assert "Of all that was found agents are not served: 1 not live, 1 superseded." in told


def test_for_machines_it_is_what_agents_are_answered(harbour):
    told = json.loads(harbour("search", "harbour opens", "--json", "--limit", "2").stdout)
    assert (told["limit"], told["held_back"]) == (2, {"not live": 1, "superseded": 1})
    assert len(told["hits"]) == 2
    first = told["hits"][0]
    assert (first["id"], first["replaces"], first["text"]) == ("seven", ["six"], "The harbour opens at seven.")
    assert 0 < first["trust"] < 1
    assert first["trust"] != round(first["trust"], 2)


def test_the_most_trusted_and_useful_come_first_or_where_that_is_asked_for_the_freshest(harbour):
    for more, worth in (((), lambda hit: 0.75 * hit["trust"]), (("--freshness",), lambda hit: hit["freshness"])):
        hits = json.loads(harbour("search", "harbour opens", "--json", *more).stdout)["hits"]
        assert [hit["rank"] for hit in hits] == sorted((hit["rank"] for hit in hits), reverse=True)
        assert all(hit["rank"] == pytest.approx(hit["relevance"] * worth(hit)) for hit in hits)


def test_what_other_forms_of_the_words_found_is_told_of_as_found_by_its_meaning(harbour):
    assert lines(harbour("search", "harbors openings"))[0].endswith("no hits")
    assert harbour("detect").returncode == 0
    told = lines(harbour("search", "harbors openings"))
    at = next(place for place, line in enumerate(told) if "The harbour opens at seven." in line)
    assert "found by its meaning" in told[at + 1]
    hits = json.loads(harbour("search", "harbour openings", "--json").stdout)["hits"]
    assert {hit["id"]: hit["found_by"] for hit in hits}["seven"] == ["words", "meaning"]


def test_nothing_found_is_said_and_is_no_failure(harbour):
    assert lines(harbour("search", "zeppelin"))[0].endswith("no hits")


def test_a_text_that_would_move_the_cursor_is_shown_with_signs_in_its_place(home, tmp_path):
    home("import", write(tmp_path / "bad.jsonl", fact("f", "Tea\u001b[2J is \u202etoh.")))
    done = home("search", "tea")
    assert "\u001b" not in done.stdout
    assert "\u202e" not in done.stdout


@pytest.mark.parametrize("limit", ["0", "51", "many"])
def test_a_limit_that_cannot_be_is_refused(home, limit):
    done = home("search", "tea", "--limit", limit)
    assert (done.returncode, done.stdout) == (2, "")
    assert f'"{limit}" is no number from 1 to 50' in done.stderr


def test_the_share_of_what_nobody_reviewed_is_told_and_set(home):
    home("space", "create", "diary")
    told = "Of what a search finds, at most {} % come from sources that nobody has reviewed.\n"
    assert home("space", "share").stdout == told.format(20)
    assert home("space", "share", "35").stdout == told.format(35)
    assert home("space", "share", "--space", "diary").stdout == told.format(35)
    for percent in ("101", "-1", "0.5", "half"):
        done = home("space", "share", percent)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert home("space", "share").stdout == told.format(35)
