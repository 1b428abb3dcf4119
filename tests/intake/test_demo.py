"""`trustmem demo` makes a space to look around in, and says how to look at it."""

import json


def test_a_space_is_made_that_is_live_and_sound(home):
    done = home("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith('Made the space "demo", “Quince Lane: a seed library”, which is invented:\n')
    assert "facts, and what became of them in 90 days, up to now.\n" in done.stdout
    assert done.stdout.endswith("trustmem serve shows it in the browser\ntrustmem show --space demo prints it\n")
    rows = home.json("show", "--space", "demo", "--json")
    assert f"\n{len(rows)} facts" in done.stdout
    assert home("verify", "--rebuild").returncode == 0


def test_of_two_spaces_one_has_another_name(home):
    assert home("demo").returncode == 0
    again = home("demo")
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == 'trustmem: there is a space "demo" already; --space names another\n'
    assert home("demo", "--space", "quince").returncode == 0
    assert [json.loads(line)["name"] for line in home("space", "list", "--json").stdout.splitlines()] == [
        "demo",
        "quince",
    ]


def test_what_a_person_decides_in_it_holds(home):
    home("demo")
    assert home("accept", "cold-call").returncode == 0
    assert home.json("show", "cold-call", "--json")[0]["tier"] == "human"
    assert home("erase", "key-poppies", "--yes").returncode == 0
    assert home("verify", "--rebuild").returncode == 0
