"""Whoever runs the parts of the desk apart gets a link by which somebody comes in."""

import re

import pytest

LINK = re.compile(r"http://127\.0\.0\.1:8000/enter/[\w-]+/[\w-]+/\n")


def test_it_lets_the_owner_in_who_is_made_if_need_be(home) -> None:
    done = home("link")
    assert LINK.fullmatch(done.stdout), done.stderr
    assert home.sql("SELECT username, is_superuser FROM store_user")[0][:1] == ("owner",)


def test_its_secret_is_kept_so_that_it_holds_for_all_parts(home) -> None:
    home("link")
    secret = (home.folder / "secret-key").read_text()
    home("link")
    assert (home.folder / "secret-key").read_text() == secret
    assert not list(home.folder.glob("secret-key.*"))


def test_it_names_the_desk_that_is_asked_for(home) -> None:
    assert home("link", "--address", "https://desk.example/trust").stdout.startswith(
        "https://desk.example/trust/enter/"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--username", "bob"], 'trustmem: nobody here is called "bob"\n'),
        (["--address", "desk"], '"desk" is no address, such as https://desk.example/'),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(home, arguments: list[str], sentence: str) -> None:
    done = home("link", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
