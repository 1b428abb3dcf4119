"""`trustmem constants`: shown, compared, adopted and gone back to; and whatever is told of scores names its version."""

import json
import re

import pytest

from tests.intake.terminal import NOW
from trustmem.core.constants import Constants, fingerprint

DEFAULTS = fingerprint(Constants())


def adopted(home, *values):
    done = home("constants", "adopt", *values, "--reason", "It fits better.")
    assert (done.returncode, done.stderr) == (0, "")
    return done


def test_what_is_adopted_is_listed_with_its_reason_and_shown_with_its_default(demo):
    told = adopted(demo, "activation_midpoint=-2.5", "base_rate.auto=0.5").stdout
    assert re.search(r"^Version 2 is in force \([0-9a-f]{12}\)\. trustmem undo act:\S+ takes it back\.\n", told)
    before, after = re.search(r"Live facts by band, from very low to very high: (.*) before, (.*)\.", told).groups()
    assert before != after
    assert sum(map(int, before.split())) == sum(map(int, after.split()))
    listed = demo("constants", "list").stdout
    assert re.search(
        r"2 +since .* UTC · by .* · [0-9a-f]{12}\n +It fits better\.\n +base_rate, activation_midpoint\n1 ", listed
    )
    shown = demo("constants", "show").stdout
    assert re.search(r"\n  activation_midpoint +-2\.5  default -1\.7\n", shown)
    assert re.search(r"\n  contradiction_max +0\.3  fixed\n", shown)
    assert "activation_midpoint" in demo("constants", "diff", "1", "2").stdout
    assert "-2.5" not in demo("constants", "show", "1").stdout


def test_machines_get_all_of_it(demo):
    adopted(demo, "prior_weight=3")
    newest, first = demo.json("constants", "list", "--json")
    assert (first["number"], first["fingerprint"], first["figures"]) == (1, DEFAULTS, None)
    assert (newest["changed"], newest["constants"]["prior_weight"]) == ({"prior_weight": 3.0}, 3.0)
    assert newest["fingerprint"] == fingerprint(Constants(prior_weight=3.0))
    assert sum(newest["figures"]["before"]) == newest["figures"]["n"]
    assert demo.json("constants", "show", "--json") == [newest]
    assert demo.json("constants", "diff", "2", "1", "--json") == [{"prior_weight": [3.0, 2.0]}]


def test_who_goes_back_has_the_old_version_as_a_new_one_and_may_take_that_back(demo):
    adopted(demo, "prior_weight=3")
    back = demo("constants", "rollback", "1", "--reason", "It was better.")
    assert back.stdout.startswith(f"Version 3 is in force ({DEFAULTS[:12]}).")
    assert demo("constants", "diff", "1", "3").stdout.endswith("They are the same.\n")
    act = re.search(r"trustmem undo (\S+)", back.stdout)[1]
    assert demo("undo", act).returncode == 0
    assert demo.json("constants", "show", "--json")[0]["number"] == 2


def test_a_space_says_that_nothing_is_calibrated_until_something_is(home):
    home("space", "create", "diary")
    for command in (("constants", "show"), ("constants", "list")):
        assert "Nothing is calibrated" in home(*command).stdout
    adopted(home, "prior_weight=3")
    for command in (("constants", "show"), ("constants", "list")):
        assert "Nothing is calibrated" not in home(*command).stdout


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (("adopt", "prior_wait=3"), '"prior_wait" is not a constant'),
        (("adopt", "prior_weight=0"), '"prior_weight" must lie from 0.01 to 100, not 0'),
        (("adopt", "contradiction_max=0.5"), '"contradiction_max" is fixed at 0.3'),
        (("adopt", "prior_weight=much"), '"prior_weight" must be a number'),
        (("adopt", "prior_weight"), '"prior_weight" gives a constant no value; write NAME=VALUE'),
        (("adopt", "prior_weight=3", "prior_weight=4"), '"prior_weight" is given twice'),
        (("adopt", "prior_weight=2"), "these values are in force already"),
        (("rollback", "7"), "there is no version 7 of the constants; there are 1"),
        (("rollback", "1"), "these values are in force already"),
    ],
)
def test_what_cannot_be_is_one_sentence(demo, asked, sentence):
    done = demo("constants", *asked, "--reason", "So.")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"trustmem: {sentence}\n")


def test_nothing_is_adopted_without_a_reason(demo):
    done = demo("constants", "adopt", "prior_weight=3")
    assert done.returncode == 2
    assert "--reason" in done.stderr
    assert demo.json("constants", "show", "--json")[0]["number"] == 1


def test_every_score_and_every_pass_names_the_version_that_it_is_of(demo):
    adopted(demo, "prior_weight=3")
    demo("consolidate")
    named = {"constants_version": 2, "constants_fingerprint": fingerprint(Constants(prior_weight=3.0))}
    for asked in (("show", "--json"), ("show", "door-code", "--json"), ("export", "--scores", "--now", NOW)):
        rows = demo.json(*asked)
        assert rows
        assert all(named.items() <= row.items() for row in rows)
    explained = json.loads(demo("explain", "door-code", "--json").stdout)
    assert named.items() <= explained["scores"].items()
    for asked in (("show",), ("show", "door-code"), ("explain", "door-code"), ("passes",)):
        assert "constants version 2" in demo(*asked).stdout
    passes = [row for row in demo.json("passes", "--json") if row["state"] == "taken"]
    assert [row["constants_version"] for row in (passes[0], passes[1], passes[-1])] == [2, 1, 1]


def test_a_fit_that_is_adopted_says_so_in_the_figures_of_its_version(demo):
    demo("calibrate", "--fit", "two-ages", "7", "0.8", "90", "0.3", "--adopt", "--reason", "It fades slowly.")
    [newest] = demo.json("constants", "show", "--json")
    assert newest["figures"]["fit"] == "two-ages"
    assert newest["changed"].keys() == {"activation_midpoint", "activation_scale"}
