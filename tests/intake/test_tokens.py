"""`trustmem tokens`: who comes in by which token, who made it, and who ended it."""

import re

from trustmem.intake.shell.stored import user


def test_a_token_is_made_listed_and_ended_and_who_did_that_is_told(home):
    home("space", "create", "diary")
    made = home("tokens", "new", "--source", "bot", "--title", "Night shift").stdout
    assert re.fullmatch(r"tm_[\w-]{43}\n", made)
    assert home("tokens", "revoke", "1").stdout == "Token 1 has ended.\n"
    home("tokens", "new", "--source", "bot")
    assert re.fullmatch(r"tm_[\w-]{43}\n", home("tokens", "rotate", "2").stdout)
    first, second, third = home.json("tokens", "list", "--json")
    assert (first["title"], first["by"], first["revoked_by"]) == ("Night shift", user(), user())
    assert first["revoked_at"] and second["revoked_at"]
    assert (second["revoked_by"], third["revoked_by"], third["revoked_at"]) == (user(), "", None)
    told = " ".join(home("tokens", "list").stdout.split())
    assert re.search(rf"Night shift · as bot .*made .* UTC by {user()}; ended .* UTC by {user()}", told)
    assert "has ended already" in home("tokens", "revoke", "1").stderr
