"""Erasing at the desk: an admin sees what will be gone and what else tells the same, says twice that they mean it, and
nothing of it is left anywhere."""

import json
import re
from collections.abc import Iterator
from urllib.parse import unquote

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.actions.test_erase import SECRET, found_in_export, found_in_files, found_in_rows, readable
from tests.actions.world import LATER, taken
from tests.conftest import ROOT
from tests.desk.conftest import ClientOf, MemberOf
from tests.desk.test_words import marked, offenders
from trustmem.actions import consolidation, constants, erasing, facts, purging, spaces, undo
from trustmem.core.vocabulary import ERASED, LIVE
from trustmem.store.models import Fact, Line, Role, Space, Told, User

pytestmark = pytest.mark.django_db(transaction=True)

CASE = json.loads((ROOT / "tests/cases/061-summary-keeps-the-secret.case.json").read_text())


def told() -> Iterator[dict[str, object]]:
    """What the steps of the case put in the space, as a file."""
    for step in CASE["steps"]:
        about = {name: step[name] for name in ("text", "source", "run", "at") if name in step}
        if step["do"] in ("post_fact", "derive"):
            yield {"type": "fact", "id": step["alias"], **about}
        for parent in step.get("parents", ()):
            edge = {"from": step["alias"], "relation": "derives", "to": parent, "at": step["at"]}
            yield {"type": "edge", "id": f"{step['alias']}-{parent}", **edge}


@pytest.fixture
def space() -> Space:
    assert CASE["steps"][-1]["sentinel"] == SECRET
    space = taken(spaces.create("diary"), [json.dumps(each).encode() + b"\n" for each in told()])
    consolidation.consolidate(space, by="ana", now=LATER)
    return space


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def address(space: Space, fact: str = "a") -> str:
    return reverse("erase", args=[space.name, fact])


def rows(page: str) -> dict[str, bool]:
    """The facts that a page offers to erase, too, and whether they are ticked."""
    boxes = re.findall(r'<input type="checkbox"[^>]*>', page)
    return {re.search(r'value="([^"]+)"', box)[1]: " checked" in box for box in boxes}


def send(client: Client, space: Space, fact: str = "a", **given: object) -> HttpResponse:
    page = client.get(address(space, fact)).text
    also = [name for name, is_ticked in rows(page).items() if is_ticked]
    says = {"also": also, "shown": list(rows(page)), "word": "erase", "reason": "Whoever said it asked for it."}
    return client.post(address(space, fact), says | given)


def states(space: Space) -> dict[str, int]:
    return dict(Fact.objects.filter(space=space).values_list("name", "state"))


def pages(client: Client, space: Space) -> Iterator[str]:
    """All that the desk shows of a space, where one looks for it as well."""
    for name in ("dashboard", "facts", "imports", "passes", "versions", "members"):
        yield client.get(reverse(name, args=[space.name])).text
    for name in ("a", "b", "m"):
        yield client.get(reverse("fact", args=[space.name, name]), {"history": "all"}).text
    for state in ("any", "live", "erased"):
        yield client.get(reverse("facts", args=[space.name]), {"text": "alarm code", "state": state}).text


def test_061_a_summary_does_not_keep_the_secret(client, space):
    act = facts.accept(space, "a", by="ana", now=LATER + 1, reason=f"I know {SECRET}")
    undo.undo(space, act, by="ana", now=LATER + 2)
    assert any(SECRET in page for page in pages(client, space))
    page = client.get(address(space)).text
    assert rows(page) == {"m": True}
    assert f"<mark>{SECRET}</mark>" in page
    answer = send(client, space)
    assert states(space) == {"a": ERASED, "b": LIVE, "m": ERASED}
    assert "its text is gone for good" in client.get(answer.url).text
    assert [SECRET in page for page in pages(client, space)] == [False] * 12
    assert not found_in_export(space)
    assert found_in_rows() == []
    assert not readable() or found_in_files() == []


def test_what_is_not_ticked_stays(client, space):
    send(client, space, also=[])
    assert states(space) == {"a": ERASED, "b": LIVE, "m": LIVE}


def test_what_was_made_from_it_and_repeats_nothing_is_shown_and_not_ticked(client, space):
    assert rows(client.get(address(space, "b")).text) == {"m": True}  # “is tested on Mondays”
    more = {"type": "fact", "id": "n", "text": "Doors lock at ten.", "at": "2026-01-06T00:00:00Z"}
    edge = {"type": "edge", "id": "n-m", "from": "n", "relation": "derives", "to": "m", "at": "2026-01-06T00:00:00Z"}
    taken(space, [json.dumps(each).encode() + b"\n" for each in (more, edge)])
    assert rows(client.get(address(space)).text) == {"m": True, "n": False}


def test_what_says_the_same_is_shown_though_nothing_leads_to_it(client, space):
    more = {"type": "fact", "id": "twin", "text": f"Remember {SECRET}!", "at": "2026-01-06T00:00:00Z"}
    taken(space, [json.dumps(more).encode() + b"\n"])
    assert rows(client.get(address(space)).text) == {"m": True, "twin": False}


def test_notes_on_other_facts_that_hold_a_code_of_it_are_told_of_since_they_stay(client, space):
    act = facts.accept(space, "b", by="ana", now=LATER + 1, reason=f"Opened with {SECRET}")
    page = client.get(address(space)).text
    assert "looks like a code, and stay" in page
    assert "reason of an act" not in page
    undo.undo(space, act, by="ana", now=LATER + 2, reason=f"It was not {SECRET}")
    assert "1 reason of an act, a case or a version of the constants does so" in client.get(address(space)).text
    assert f"{reverse('fact', args=[space.name, 'b'])}?history=all#history" in page
    assert "looks like a code, and stay" not in client.get(address(space, "b")).text


def test_a_reason_that_repeats_what_a_fact_says_is_told_of_though_no_word_of_it_looks_like_a_code(client, space):
    ill = {"type": "fact", "id": "ill", "text": "Ana is gravely ill.", "at": "2026-01-06T00:00:00Z"}
    taken(space, [json.dumps(ill).encode() + b"\n"])
    assert "a version of the constants" not in client.get(address(space, "ill")).text
    constants.adopt(
        space, {"prior_weight": 3.0}, by="ana", now=LATER + 1, reason="Since Ana is gravely ill, we ask more."
    )
    assert "1 reason of an act, a case or a version of the constants" in client.get(address(space, "ill")).text


def test_lines_that_were_not_understood_and_hold_a_code_of_it_go_too(client, space):
    fine = b'{"type": "fact", "id": "door", "text": "A door.", "at": "2026-01-01T00:00:00Z"}\n'
    taken(space, [b'{"type": "fact", "id": "x", "text": "Use VERMILION-88"}\n', fine])
    assert "1 line that was not taken in" in client.get(address(space)).text
    send(client, space)
    assert found_in_rows() == []


def test_what_was_forgotten_is_found_by_way_of_its_edges_too(client, space):
    facts.forget(space, "a", by="ana", now=LATER + 1)
    facts.forget(space, "m", by="ana", now=LATER + 1)
    assert rows(client.get(address(space)).text) == {"m": True}
    send(client, space)
    assert states(space)["m"] == ERASED


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"word": "a"}, "nothing was erased"),
        ({"reason": ""}, "required"),
        ({"reason": f"It is {SECRET} no more."}, "repeats the text"),
        ({"reason": "x" * 3000}, "at most"),
    ],
)
def test_whoever_does_not_say_it_twice_or_repeats_it_erases_nothing(client, space, given, says):
    answer = send(client, space, **given)
    assert answer.status_code == 400
    assert says in answer.text
    assert set(states(space).values()) == {LIVE}
    assert rows(answer.text) == {"m": True}


def test_a_reason_that_was_refused_is_kept_nowhere(client, space):
    send(client, space, reason="The word is CRIMSON-99, which is as good as VERMILION-88.")
    assert not any("CRIMSON" in unquote(each) for each in _kept_for_browsers())


def _kept_for_browsers() -> list[str]:
    from django.contrib.sessions.models import Session

    return [*(str(each.get_decoded()) for each in Session.objects.all()), *Told.objects.values_list("says", flat=True)]


@pytest.mark.parametrize("way", ["desk", "shell"])
def test_what_was_to_be_said_to_anybody_and_was_not_yet_is_said_no_more(client, client_of, member, space, way):
    ben = client_of(member(space, Role.REVIEWER))
    for each in (client, ben):
        session = each.session
        session["notices"] = session.session_key
        session.save()
        says = json.dumps(["__json_message", 0, 25, f"Decided: I know {SECRET}", ""])
        Told.objects.create(browser=session.session_key, says=says, at=LATER)
    assert SECRET in ben.get(reverse("dashboard", args=[space.name])).text
    Told.objects.create(browser=ben.session["notices"], says=says, at=LATER)
    assert sum(SECRET in each for each in _kept_for_browsers()) == 2
    if way == "desk":
        says = {"also": "m", "shown": "m", "word": "erase", "reason": "Whoever said it asked for it."}
        assert client.post(address(space), says).status_code == 302
    else:
        erasing.erase(space, "a", by="ana", now=LATER + 1, reason="It was asked for.", also=["m"])
    assert not any(SECRET in each for each in _kept_for_browsers())
    assert SECRET not in ben.get(reverse("dashboard", args=[space.name])).text
    assert ben.get(reverse("dashboard", args=[space.name])).status_code == 200  # nobody is signed out


def test_what_came_meanwhile_and_repeats_it_is_to_be_looked_at_first(client, space):
    answer = send(client, space, shown=[])
    assert answer.status_code == 400
    assert "Meanwhile" in answer.text
    assert states(space)["a"] == LIVE


@pytest.mark.parametrize("role", [Role.READER, Role.REVIEWER, Role.CURATOR])
def test_it_takes_an_admin(client_of, member: MemberOf, space, role):
    other = client_of(member(space, role))
    assert other.get(address(space)).status_code == 403
    assert other.post(address(space), {"word": "erase", "reason": "So."}).status_code == 403
    assert address(space) not in other.get(reverse("fact", args=[space.name, "a"])).text
    assert states(space)["a"] == LIVE


def test_an_admin_finds_the_way_from_the_page_of_the_fact(client, space):
    assert address(space) in client.get(reverse("fact", args=[space.name, "a"])).text


def test_it_cannot_be_undone_and_nothing_offers_to(client, space):
    page = client.get(send(client, space).url).text
    act = Line.objects.filter(space=space, tag="event.erased").values_list("act", flat=True).first()
    assert f'name="act" value="{act}"' not in page
    answer = client.post(reverse("undo", args=[space.name]), {"act": act})
    assert answer.status_code == 409
    assert "what is erased stays erased" in answer.text
    assert states(space)["a"] == ERASED


def test_a_fact_whose_act_was_undone_is_erased_too(client, space):
    undo.undo(space, Line.objects.get(space=space, name="a").imported, by="ana", now=LATER + 1)
    assert SECRET in client.get(address(space)).text
    assert send(client, space).url == reverse("facts", args=[space.name])
    assert SECRET not in "".join(path for path in found_in_rows() if path == "Fact")
    assert client.get(address(space), follow=True).redirect_chain[-1][0] == reverse("facts", args=[space.name])


def test_what_there_is_not_is_not_found(client, space):
    assert client.get(address(space, "nothing")).status_code == 404
    assert client.get(address(space, "m-a")).status_code == 404


def test_where_somebody_reads_on_the_page_says_so_and_finishes_it_later(client, space, monkeypatch):
    monkeypatch.setattr(purging, "_PATIENCE", "100ms")
    reader = connection.copy()
    reader.cursor().execute("BEGIN")
    reader.cursor().execute("SELECT body FROM store_text").fetchall()
    if connection.vendor == "sqlite":
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.1)
    answer = send(client, space)
    assert answer.url == address(space)
    assert states(space)["a"] == ERASED
    page = client.get(answer.url).text
    assert "Erased, but not from the files yet" in page
    answer = client.post(address(space), {"finish": "yes"})
    assert "Try again in a while" in client.get(answer.url).text
    reader.close()
    answer = client.post(address(space), {"finish": "yes"})
    assert answer.url == reverse("fact", args=[space.name, "a"])
    assert "Cleared" in client.get(answer.url).text
    assert not readable() or found_in_files() == []
    connection.close()


def test_every_word_of_it_goes_through_gettext(request, client, space):
    facts.accept(space, "b", by="ana", now=LATER + 1, reason=f"Opened with {SECRET}")
    case = {"type": "case", "id": "c", "kind": "which", "facts": ["a"], "at": "2026-01-06T00:00:00Z"}
    taken(space, [json.dumps(case).encode() + b"\n", b'{"type": "fact", "id": "x", "text": "VERMILION-88"}\n'])
    request.getfixturevalue(marked.__name__)
    page = client.get(address(space)).text
    assert all(said in page for said in ("⟦The words of 1 case", "⟦1 line that was not taken in", "⟦Notes on other"))
    assert offenders(page) == []
    Space.objects.update(to_scrub=True)
    erased(space)
    assert offenders(client.get(address(space)).text) == []


def erased(space: Space) -> None:
    Fact.objects.filter(space=space, name="a").update(state=ERASED, text="")
