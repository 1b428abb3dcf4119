"""A pass by a command: shown before it is taken, stopped where it needs a person's word, and listed with all others."""

import json
import re

import pytest

from tests.intake.terminal import fact, write

AT = "2026-02-10T00:00:00Z"


@pytest.fixture
def drastic(home, tmp_path):
    """The next pass prunes thirty global facts of ninety, and promotes one."""
    faded = [fact(f"g{each:02}", f"It rained on day {each}.", scope="global", prior=0.01) for each in range(30)]
    kept = [fact(f"l{each:02}", prior=0.7) for each in range(59)]
    file = write(tmp_path / "f.jsonl", *faded, *kept, fact("tea", "Tea is <hot>.", producer="user"))
    assert home("import", file, "--now", "2026-02-01T00:00:00Z").returncode == 0
    return home


def lines(home):
    return home.sql("SELECT count(*) FROM store_line")


def test_a_pass_that_needs_a_persons_word_is_not_taken_and_says_how_it_is(drastic):
    before = lines(drastic)
    done = drastic("consolidate", "--at", AT)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "trustmem: nothing was done: it would prune 30 global facts of 90 that are live; more than 20 and 5 % need a "
        "person's word (--dry-run shows it fact by fact, --approve takes it)\n"
    )
    assert lines(drastic) == before
    assert drastic.sql("SELECT count(*) FROM store_pass, store_job") == [(0,)]


def test_approved_it_is_taken(drastic):
    done = drastic("consolidate", "--at", AT, "--approve")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"A pass at {AT} weighed 90 facts and changed 31:\n30 pruned, 0 back, 1 promoted")
    assert drastic("verify", "--rebuild").returncode == 0


def test_a_dry_run_shows_each_fact_with_its_numbers_and_writes_nothing(drastic):
    before = drastic("hash").stdout, lines(drastic)
    done = drastic("consolidate", "--at", AT, "--dry-run")
    assert done.returncode == 0, done.stderr
    for said in (
        f"A pass at {AT} would weigh 90 facts and change 31:",
        "30 pruned, 0 back, 1 promoted, 0 to wait for that.",
        "It needs a person's word. It would prune 30 global facts of 90 that are live",
        "0.01 → 0.01    It rained on day 0.",
        "its weight lies below 0.05, where facts are pruned · g00",
        "and 10 more; --json lists them",
        "Tea is <hot>.",
        "scope session → global · half-life 3 → 60 days",
        "Nothing was written.",
    ):
        assert said in done.stdout
    assert (drastic("hash").stdout, lines(drastic)) == before


def test_for_machines_it_is_one_object_that_equals_what_the_pass_does(drastic):
    told = json.loads(drastic("consolidate", "--at", AT, "--dry-run", "--json").stdout)
    assert (told["at"], told["live"], len(told["facts"]), len(told["needs_a_person"])) == (AT, 90, 31, 1)
    tea = next(each for each in told["facts"] if each["id"] == "tea")
    assert tea["lists"] == ["promoted", "stamped"]
    assert (tea["before"]["half_life"], tea["after"]["half_life"]) == (3.0, 60.0)
    taken = json.loads(drastic("consolidate", "--at", AT, "--approve", "--json").stdout)
    assert {name: told[name] for name in taken} == taken


def test_a_pass_that_does_nothing_much_needs_nobody(drastic):
    drastic("consolidate", "--at", AT, "--approve")
    done = drastic("consolidate", "--at", "2026-02-11T00:00:00Z")
    assert done.returncode == 0
    shown = drastic("consolidate", "--at", "2026-02-12T00:00:00Z", "--dry-run")
    assert "would weigh 60 facts and change none:" in shown.stdout


@pytest.mark.parametrize("more", [[], ["--dry-run"], ["--approve"]])
@pytest.mark.parametrize("at", ["2026-02-09T00:00:00Z", AT, "2126-01-01T00:00:00Z"])
def test_what_could_not_be_taken_is_not_shown_either(drastic, at, more):
    drastic("consolidate", "--at", AT, "--approve")
    done = drastic("consolidate", "--at", at, *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_one_either_looks_or_approves(drastic):
    assert drastic("consolidate", "--dry-run", "--approve").returncode == 2


def test_passes_are_listed_with_what_became_of_them(drastic):
    assert re.fullmatch(r".* · no passes\nnext due .* 03:00 UTC, in .*\n", drastic("passes").stdout)
    drastic("consolidate", "--at", AT, "--approve")
    drastic("consolidate", "--at", "2026-02-11T00:00:00Z")
    drastic("undo", "2026-02-11T00:00:00Z")
    shown = drastic("passes").stdout.splitlines()
    assert re.fullmatch("2026-02-11T00:00:00Z +undone by .*", shown[2])
    assert re.fullmatch(f"{AT} +90 weighed · 31 changed · 30 pruned · 1 promoted", shown[3])
    due, undone, taken = drastic.json("passes", "--json")
    assert (due["state"], undone["state"], taken["state"]) == ("due", "undone", "taken")
    assert (taken["at"], taken["pruned"]) == (AT, 30)
    assert drastic("undo", undone["undo"]).returncode == 0
    assert [each["state"] for each in drastic.json("passes", "--json")] == ["due", "taken", "taken"]


def test_what_waits_at_the_desk_is_listed_and_waits_no_more_once_a_pass_was_taken_here(drastic):
    preview = {"instant": 0, "head": 1, "live": 90, "counts": {"pruned": 30}, "doomed": [*range(30)], "fates": []}
    preview["sizes"] = {"pruned": 30}
    verdict = {"preview": preview, "moved": {"facts": 0, "exact": True}, "reasons": ["pruned"]}
    values = {"kind": "consolidation", "state": "needs a person", "by": "ana", "asked": "{}", "result": verdict}
    numbers = dict.fromkeys(("asked_at", "started_at", "ended_at", "lease_until", "attempt", "tries"), 0)
    numbers |= dict.fromkeys(("done", "of", "instant", "constants_version"), 0)
    values |= dict.fromkeys(("slot", "stage", "error", "before", "after"), "") | {"result": json.dumps(verdict)}
    names = ", ".join(f'"{name}"' for name in (*values, *numbers))
    given = ", ".join([*(f"'{value}'" for value in values.values()), *map(str, numbers.values())])
    drastic.sql(f"INSERT INTO store_job (space_id, {names}) SELECT id, {given} FROM store_space")
    shown = drastic("passes").stdout
    assert "a pass needs a person's word\n  It would prune 30 global facts of 90 that are live" in shown
    assert drastic.json("passes", "--json")[1]["pruned"] == 30
    assert drastic("consolidate", "--at", AT, "--approve").returncode == 0
    [(state, result)] = drastic.sql("SELECT state, result FROM store_job")
    assert (state, json.loads(result)["pruned"]) == ("done", 30)
    assert "needs a person's word" not in drastic("passes").stdout


def test_of_many_passes_the_newest_are_shown_unless_one_asks_for_all(demo):
    shown, every = demo("passes").stdout, demo("passes", "--all").stdout
    assert shown.count(" weighed") == 25
    assert "older ones; --all shows them" in shown
    assert every.count(" weighed") == len(demo.json("passes", "--json")) - 1 > 25
