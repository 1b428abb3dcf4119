"""A bulk change is told on the desk and has a page: who, how much, by what, and what it came to."""

import json
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import as_file, space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.makers import day, event, fact
from trustmem.actions import acts, cases, erasing, undo
from trustmem.core.instants import NEVER
from trustmem.desk.presenters.alarms import MOST_WRITTEN, SIZE
from trustmem.store.models import Case, Import, Line, Role, Space, User

pytestmark = pytest.mark.django_db

NASTY = "<b>bot</b>\u202e"
AT = day(101)


def against(number: int, first: int = 0, source: str = "bot", run: str = "r7") -> list[bytes]:
    told = (event("contradicted", f"f{each:03}", 2, source=source, run=run) for each in range(first, first + number))
    return as_file(list(told))


@pytest.fixture
def space() -> Space:
    """200 facts, of which a bot said that 12 are wrong."""
    return taken(space_of(*(fact(f"f{each:03}", source="crm") for each in range(200))), against(12), AT)


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def case(space: Space) -> Case:
    return Case.objects.filter(space=space).latest("name")


def imported(space: Space) -> str:
    return Import.objects.filter(space=space).latest("pk").name.rpartition(":")[0]


def address(space: Space, query: str = "") -> str:
    return reverse("case", args=[space.name, case(space).name]) + query


def desk(client: Client, space: Space) -> str:
    return client.get(reverse("dashboard", args=[space.name])).text


def read(text: str) -> str:
    """What people read of a page."""
    return " ".join(re.sub(r"<[^>]*>", "", text).split())


def facts_on(text: str) -> list[str]:
    return re.findall(r'class="claim"><a href="[^"]*/facts/(f\d+)/"', text)


def close(client: Client, space: Space, **given: str):
    named = {f"close-{name}": value for name, value in given.items()}
    return client.post(reverse("case-close", args=[space.name, case(space).name]), named, follow=True)


def test_the_desk_tells_it_first_and_leads_to_the_queue(client, space):
    text = desk(client, space)
    assert f'<a class="need" href="{reverse("review", args=[space.name])}"' in text
    assert "bot in run r7 contradicts or supersedes 12 facts of other sources." in read(text)
    assert "1 case waits 1 bulk change." in read(text)
    assert text.index("bulk change") < text.index("disputed")
    close(client, space, verdict="right")
    assert "bulk change" not in desk(client, space)


def test_of_many_cases_the_newest_is_told(client, space):
    for run in range(6):
        taken(space, against(9, run=f"run {run}"), AT + run + 1)
    text = read(desk(client, space))
    assert "7 cases wait 7 bulk changes. bot in run run 5 contradicts" in text
    assert "in run r7 contradicts" not in text


def test_the_page_says_who_in_which_run_when_and_how_many_of_how_many(client, space):
    text = read(client.get(address(space)).text)
    assert "bot in run r7 contradicts or supersedes 12 facts of other sources." in text
    for each in ("opened", "12 facts of other sources, which had 200 live ones", "Version 1"):
        assert each in text
    taken(space, against(8, first=100), AT)
    assert "By now20 facts of other sources" in read(client.get(address(space)).text)


def test_each_fact_is_listed_with_its_band_and_leads_to_its_page_and_source(client, space):
    text = client.get(address(space)).text
    assert facts_on(text) == [f"f{each:03}" for each in range(12)]
    assert text.count('<td><span class="band') == 12
    assert f'href="{reverse("facts", args=[space.name])}?source=crm"' in text


def test_many_facts_are_a_page_at_a_time(client, space):
    taken(space, against(100, first=50), AT)
    names = [f"f{each:03}" for each in (*range(12), *range(50, 150))]
    here, found = "", []
    while here is not None:
        text = client.get(address(space, here)).text
        found.append(facts_on(text))
        after = re.search(r'rel="next" href="(.*?)"', text)
        here = after and after[1]
    assert found == [names[:SIZE], names[SIZE : 2 * SIZE], names[2 * SIZE :]]
    before = re.search(r'rel="prev" href="(.*?)"', text)[1]
    assert facts_on(client.get(address(space, before)).text) == found[1]
    for place in ("?after=zzz", "?before=a", "?after=%00", "?after=", "?before="):
        assert client.get(address(space, place)).status_code == 200


def test_what_came_in_is_linked_and_can_be_undone(client, space):
    text = client.get(address(space)).text
    assert f'href="{reverse("import-report", args=[space.name, imported(space)])}"' in text
    assert "12 lines against facts of others" in text
    given = {"act": imported(space), "next": address(space), "reason": "It was hacked."}
    text = read(client.post(reverse("undo", args=[space.name]), given, follow=True).text)
    assert "Nothing of it counts any more" in text
    assert re.search(r"undone \S.* by owner: “It was hacked.”", text)
    assert "By now0 facts of other sources" in text
    assert len(facts_on(client.get(address(space)).text)) == 12


def test_acts_of_agents_are_listed_and_each_can_be_undone(client, space):
    wrong = {"type": "event", "kind": "contradicted", "source": "agent", "run": "r1"}
    written = [acts.write(space, [wrong | {"fact": f"f{each:03}"}], now=AT) for each in range(MOST_WRITTEN + 2)]
    undo.undo(space, written[0], by="ana", now=AT)
    text = client.get(reverse("case", args=[space.name, _of_run(space, "r1").name])).text
    assert re.findall(r'name="act" value="(.*?)"', text) == written[1:MOST_WRITTEN]
    assert "and 2 more" in text
    assert text.count(">Undo</button>") == MOST_WRITTEN - 1
    ids = re.findall(r' id="(.*?)"', text)
    assert len(ids) == len(set(ids))


def _of_run(space: Space, run: str) -> Case:
    return next(each for each in Case.objects.filter(space=space) if json.loads(each.factors)["run"] == run)


def test_the_page_of_a_fact_leads_to_the_case(client, space):
    link = f'<a href="{address(space)}">A case</a> was opened about it'
    assert link in client.get(reverse("fact", args=[space.name, "f003"])).text
    assert link not in client.get(reverse("fact", args=[space.name, "f100"])).text


def test_it_is_closed_with_a_verdict_and_says_by_whom_and_why(client, space):
    answer = close(client, space, verdict="a test of ours", reason="Ben ran it.")
    assert "Closed: it needs nobody any more." in answer.text
    assert re.search(r"What it came to a test of ours Closed .* by owner: “Ben ran it.”", read(answer.text))
    assert "bot in run r7 contradicts" in read(answer.text)
    assert "Not done" in close(client, space, verdict="again").text
    act = Line.objects.get(space=space, tag="event.closed").act
    client.post(reverse("undo", args=[space.name]), {"act": act})
    assert case(space).closed_at == NEVER


@pytest.mark.parametrize(
    "given", [{}, {"verdict": " "}, {"verdict": "x" * 300}, {"verdict": "x", "reason": "y" * 3000}]
)
def test_without_a_verdict_it_is_not_closed(client, space, given):
    assert close(client, space, **given).status_code == 400
    assert case(space).closed_at == NEVER


def test_a_reader_sees_it_a_reviewer_closes_it_and_a_curator_undoes_the_import(client_of, member: MemberOf, space):
    told = {role: client_of(member(space, role)).get(address(space)).text for role in Role}
    assert {role for role in Role if "Close this case" in told[role]} == {*Role} - {Role.READER}
    assert {role for role in Role if "Undo this import" in told[role]} == {Role.CURATOR, Role.ADMIN}
    assert close(client_of(User.objects.get(username="some-reader")), space, verdict="x").status_code == 403
    assert close(client_of(User.objects.get(username="some-reviewer")), space, verdict="x").status_code == 200
    assert cases.closing(space, case(space)).by == "some-reviewer"


def test_a_stranger_sees_nothing_and_what_is_not_there_is_not_there(client, client_of, space):
    stranger = client_of(User.objects.create_user("stranger"))
    assert stranger.get(address(space)).status_code == 404
    assert close(stranger, space, verdict="x").status_code == 404
    assert client.get(reverse("case", args=[space.name, "nothing"])).status_code == 404
    assert client.post(reverse("case-close", args=[space.name, "nothing"]), {"close-verdict": "x"}).status_code == 404
    other = space_of(fact("f"), name="other")
    assert client.get(reverse("case", args=[other.name, case(space).name])).status_code == 404


def test_what_hides_in_names_is_seen_and_no_tag_is_one(client, space):
    taken(space, against(9, source=NASTY, run="<i>run</i>"), AT)
    for text in (desk(client, space), client.get(address(space)).text, client.get(_nasty(space)).text):
        assert "<b>bot" not in text
        assert "<i>run" not in text
        assert "\u202e" not in text
    assert "&lt;b&gt;bot" in desk(client, space)


def _nasty(space: Space) -> str:
    return reverse("case", args=[space.name, _of_run(space, "<i>run</i>").name])


def test_a_page_takes_as_many_queries_for_many_facts_as_for_few(client, space):
    def queries(name: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert client.get(reverse("case", args=[space.name, name])).status_code == 200
        return len(asked)

    taken(space, against(40, run="r8"), AT)
    client.get(address(space))
    few, many = _of_run(space, "r7").name, _of_run(space, "r8").name
    assert queries(many) == queries(few)


def test_what_a_case_is_about_is_told_by_what_is_left_when_a_fact_is_erased(client, space):
    erasing.erase(space, "f003", by="ana", now=AT, reason="Asked for.")
    assert "bot in run r7 contradicts or supersedes 12 facts" in read(desk(client, space))
    assert "bot in run r7" in read(client.get(address(space)).text)
    undo.undo(space, imported(space), by="ana", now=AT)
    for text in (desk(client, space), client.get(address(space)).text):
        assert "nobody can be told by what is left" in text


def test_a_case_that_is_no_bulk_change_has_a_page_too(client, space):
    line = {
        "type": "case",
        "id": "c1",
        "kind": "odd <i>one</i>",
        "facts": ["f001", "gone"],
        "at": AT,
        "factors": {"source": 3},
    }
    raw = json.dumps(line | {"at": "2026-03-01T00:00:00Z"}).encode() + b"\n"
    taken(space, [raw], AT)
    answer = client.get(reverse("case", args=[space.name, "c1"]))
    assert "odd &lt;i&gt;one&lt;/i&gt;" in answer.text
    assert facts_on(answer.text) == ["f001"]


def test_a_bulk_change_that_a_file_made_up_is_not_told_and_pushes_none_away(client, space):
    forged = {"type": "case", "at": "2027-03-01T00:00:00Z", "kind": "bulk change", "facts": ["f100"]}
    odd = {"source": "x", "run": "y", "harmed": "many", "of": -1, "acts": {"a": 1}}
    made_up = [forged | {"id": f"case:bulk-change:{each:016}:1", "factors": odd} for each in range(6)]
    taken(space, [json.dumps(each).encode() + b"\n" for each in made_up], AT)
    assert "1 bulk change. bot in run r7" in read(desk(client, space))
    for text in (desk(client, space), client.get(address(space)).text):
        assert "x in run y" not in read(text)


def test_an_import_that_speaks_against_much_is_told_by_its_file_and_can_be_undone(client, space):
    against_all = [event("contradicted", f"f{each:03}", 2) for each in range(50, 70)]
    taken(space, as_file(against_all), AT)
    found = next(each for each in Case.objects.filter(space=space) if "import" in json.loads(each.factors))
    assert "The import of a file contradicts or supersedes 20 facts that it did not bring." in read(desk(client, space))
    text = client.get(reverse("case", args=[space.name, found.name])).text
    assert "20 facts that it did not bring, which had 200 live ones" in read(text)
    assert "<dt>Run</dt>" not in text
    assert "20 lines against facts of others" in text
    undo.undo(space, imported(space), by="ana", now=AT)
    text = read(client.get(reverse("case", args=[space.name, found.name])).text)
    assert "The import of a file contradicted or superseded 20 facts that it did not bring, which was undone." in text
    assert "import of a file" in text
