"""Imports: a file is judged before it is taken in, and what became of it can be read, kept and undone."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import escape

from tests.actions.world import as_file, space_of
from tests.desk.conftest import ClientOf, MemberOf
from tests.makers import day, fact
from trustmem.actions import calibration, jobs, kinds, spaces, uploads
from trustmem.actions import imports as importing
from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.desk import clock
from trustmem.store import queries
from trustmem.store.models import Fact, Import, Job, JobState, Role, Space, Upload, User

SAMPLE = Path(importing.__file__).parent.parent / "samples" / "assistant.jsonl"
STRINGS = json.loads((Path(__file__).parent.parent / "cases" / "099-tags-not-escaped.strings.json").read_text())
MCP = b'{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}\n'


@pytest.fixture
def space(db: None) -> Space:
    return spaces.create("diary")


@pytest.fixture
def owners(client_of: ClientOf, owner: User) -> Client:
    return client_of(owner)


def given(client: Client, content: bytes, name: str = "memory.jsonl", source: str = "ana") -> HttpResponse:
    file = SimpleUploadedFile(name, content)
    return client.post("/spaces/diary/imports/", {"file": file, "source": source})


def work() -> None:
    """What a worker does."""
    for pk in jobs.due(clock.now()):
        job = jobs.claim(pk, now=clock.now())
        assert job
        kinds.do(job, clock.now)


def judged(client: Client, content: bytes, **named: Any) -> str:
    """The address of a file that was given and judged."""
    response = given(client, content, **named)
    assert response.status_code == 302
    work()
    return response["Location"]


def taken(client: Client, content: bytes, **named: Any) -> str:
    """The address of the report of a file that was taken in."""
    taking = client.post(judged(client, content, **named) + "take/")["Location"]
    work()
    return client.get(taking)["Location"]


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_a_file_is_judged_and_taken_in_and_leads_to_its_report(space: Space, owners: Client) -> None:
    report = taken(owners, SAMPLE.read_bytes(), name="assistant.jsonl")
    space.refresh_from_db()
    assert report == f"/spaces/{space.name}/imports/{Import.objects.get(space=space).name}/"
    shown = page(owners, report)
    assert "assistant.jsonl" in shown
    assert "122 new + 0 known + 0 refused + 0 waiting + 0 rejected = 122 records" in shown
    assert "28 facts are new." in shown
    assert not Upload.objects.exists()


def test_what_a_file_would_become_is_shown_before_anything_is_written(space: Space, owners: Client) -> None:
    content = b"".join(as_file([fact("f", source="ana"), fact("g", source="ben")])) + b'{"type": "fact", "id": "h"}\n'
    shown = page(owners, judged(owners, content))
    assert "2 new + 0 known + 0 refused + 0 waiting + 1 rejected = 3 records" in shown
    assert "2 facts are new." in shown
    assert "What f says." in shown and "What g says." in shown
    assert "is missing" in shown
    assert Fact.objects.count() == 0


def test_what_is_amiss_is_told_up_to_200_records_and_how_many_more(space: Space, owners: Client) -> None:
    content = b"".join(as_file([fact("f")])) + b'{"type": "fact", "id": "h"}\n' * 230
    judged_page = page(owners, judged(owners, content))
    report = page(owners, taken(owners, content))
    for shown in (judged_page, report):
        assert shown.count("is missing") == 200
        assert "and 30 more" in shown


def test_a_file_of_a_memory_server_says_who_tells_it(space: Space, owners: Client) -> None:
    shown = page(owners, judged(owners, MCP, name="memory.json", source="the diary"))
    assert "the diary" in shown and "age unknown" in shown


def test_a_packed_file_is_understood(space: Space, owners: Client) -> None:
    assert "1 fact is new." in page(owners, judged(owners, gzip.compress(MCP), name="memory.json.gz"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"# My notes\n\nTea.\n", "it looks like a text document"),
        (b"%PDF-1.7 \0\1", "it looks like a binary file"),
        (gzip.compress(MCP * 100)[:-9], "damaged or cut off"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_at_once_in_one_sentence(
    space: Space, owners: Client, content: bytes, says: str
) -> None:
    response = given(owners, content)
    assert response.status_code == 400
    assert says in response.content.decode()
    assert not Upload.objects.exists() and not Job.objects.exists()


def test_a_file_that_is_too_large_is_refused(space: Space, owners: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_GIVEN", 1 << 20)
    response = given(owners, MCP * (1 << 15))
    assert response.status_code == 400
    assert "is more than 1 MiB" in response.content.decode()


@pytest.mark.parametrize("source", ["", " ", "a\0b", "x" * 201])
def test_a_source_that_is_no_name_is_refused(space: Space, owners: Client, source: str) -> None:
    assert given(owners, MCP, source=source).status_code == 400


def test_a_form_without_a_file_says_so(space: Space, owners: Client) -> None:
    response = owners.post("/spaces/diary/imports/", {"source": "ana"})
    assert response.status_code == 400
    assert "required" in response.content.decode()


def test_taking_in_twice_takes_in_once(space: Space, owners: Client) -> None:
    address = judged(owners, MCP)
    first, second = (owners.post(address + "take/")["Location"] for _ in range(2))
    assert first == second
    work()
    assert Import.objects.count() == 1
    assert owners.post(address + "take/").status_code == 404


def test_what_is_not_judged_yet_cannot_be_taken_in(space: Space, owners: Client) -> None:
    address = given(owners, MCP)["Location"]
    assert owners.post(address + "take/")["Location"] == address
    assert "Only a file that was judged can be taken in." in page(owners, address)


def test_a_file_that_is_thrown_away_leaves_nothing(space: Space, owners: Client) -> None:
    address = judged(owners, MCP)
    back = owners.post(address + "discard/")["Location"]
    assert not Upload.objects.exists() and not Job.objects.exists()
    assert "thrown away" in page(owners, back)
    assert owners.get(address).status_code == 404
    assert owners.get(address, headers={"HX-Request": "true"})["HX-Redirect"] == back


def test_a_file_that_is_being_taken_in_cannot_be_thrown_away(space: Space, owners: Client) -> None:
    address = judged(owners, MCP)
    owners.post(address + "take/")
    assert "It is being taken in already" in page(owners, owners.post(address + "discard/")["Location"])
    assert Upload.objects.exists()


def test_how_far_an_import_is_is_asked_again_and_again_until_it_is_done(space: Space, owners: Client) -> None:
    taking = owners.post(judged(owners, MCP) + "take/")["Location"]
    job = jobs.claim(Job.objects.get(kind=uploads.TAKE_IN).pk, now=clock.now())
    assert job
    jobs.progress(job, 12_000, 57_000, now=clock.now())
    whole = page(owners, taking)
    assert "12\u202f000 of 57\u202f000 lines" in whole
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in whole
    part = owners.get(taking, headers={"HX-Request": "true"}).content.decode()
    assert 'hx-trigger="every 1s"' in part and "<html" not in part
    kinds.do(job, clock.now)
    done = owners.get(taking, headers={"HX-Request": "true"})
    assert done["HX-Redirect"] == owners.get(taking)["Location"]


def test_what_is_judged_is_asked_for_no_more(space: Space, owners: Client) -> None:
    assert "every 1s" not in page(owners, judged(owners, MCP))


def test_a_job_that_no_worker_takes_says_so_after_ten_seconds(space: Space, owners: Client) -> None:
    address = given(owners, MCP)["Location"]
    assert "No worker has taken it yet" not in page(owners, address)
    Job.objects.update(asked_at=clock.now() - 11 * MICROSECONDS_PER_SECOND)
    assert "No worker has taken it yet" in page(owners, address)
    assert "No worker has taken it yet" in page(owners, "/spaces/diary/imports/")


@pytest.mark.parametrize("stage", ["judge", "import"])
def test_what_failed_says_why_and_can_be_tried_again(space: Space, owners: Client, stage: str) -> None:
    address = given(owners, MCP)["Location"]
    if stage == "import":
        work()
        address = owners.post(address + "take/")["Location"]
    job = jobs.claim(Job.objects.get(kind=stage).pk, now=clock.now())
    assert job
    jobs.fail(job, "the disk is <full>", now=clock.now())
    assert "the disk is &lt;full&gt;" in page(owners, address)
    assert "the disk is &lt;full&gt;" in page(owners, "/spaces/diary/imports/")
    again = owners.post(address)["Location"]
    work()
    assert Job.objects.get(kind=stage).state == JobState.DONE
    assert owners.get(again).status_code == (302 if stage == "import" else 200)


def test_what_failed_and_whose_file_is_gone_has_to_be_given_again(space: Space, owners: Client) -> None:
    address = given(owners, MCP)["Location"]
    Upload.objects.all().delete()
    work()
    assert "the file is not there any more" in page(owners, address)
    assert "give it again" in page(owners, owners.post(address)["Location"])


def test_an_import_is_undone_and_says_so(space: Space, owners: Client) -> None:
    report = taken(owners, MCP)
    act = Import.objects.get().name.rpartition(":")[0]
    done = owners.post("/spaces/diary/undo/", {"act": act, "next": report})
    assert done["Location"] == report
    shown = page(owners, report)
    assert "This import is undone" in shown and "Undo this import" not in shown
    assert "undone" in page(owners, "/spaces/diary/imports/")
    assert not Fact.objects.exists()


def test_the_report_is_there_to_keep_with_all_rejects(space: Space, owners: Client) -> None:
    content = b"".join(as_file([fact("f")])) + b'{"type": "fact", "id": "h"}\n' * 230
    report = taken(owners, content, name='no"te\u202e s.jsonl')
    answer = owners.get(report + "report.json")
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"].startswith('attachment; filename="import-')
    told = answer.json()
    assert told["counts"] == {"new": 1, "known": 0, "refused": 0, "waiting": 0, "rejected": 230}
    assert len(told["rejects"]) == 230
    assert told["rejects"][0] | {"reason": ""} == {"number": 2, "status": "rejected", "field": "at", "reason": ""}
    assert told["undone"] is False and told["by"] == "owner"


def test_a_file_that_came_twice_has_two_reports(space: Space, owners: Client) -> None:
    first, second = taken(owners, MCP), taken(owners, MCP)
    assert first != second
    assert "2 new + 0 known" in page(owners, first) and "1 fact is new." in page(owners, first)
    assert "0 new + 2 known" in page(owners, second) and "None of its facts is new." in page(owners, second)
    by_act = f"/spaces/diary/imports/{Import.objects.earliest('pk').name.rpartition(':')[0]}/"
    assert "2 new + 0 known" in page(owners, by_act)


def test_there_is_no_report_of_what_never_came(space: Space, owners: Client) -> None:
    for name in ("import:0123", "import:0123:1", "~00", "jobs"):
        assert owners.get(f"/spaces/diary/imports/{name}/").status_code == 404


def aged(days: list[float]) -> list[bytes]:
    """A file of facts that were born so many days ago."""
    now = (clock.now() - day(0)) / (day(1) - day(0))
    return as_file([fact(f"f{place:02}", on=now - each) for place, each in enumerate(days)])


def test_constants_that_fit_old_facts_are_offered_and_adopted_as_they_were_shown(space: Space, owners: Client) -> None:
    report = taken(owners, b"".join(aged([400 + 20 * place for place in range(30)])))
    assert "?fit" in page(owners, report)
    offer = owners.get(report + "?fit", headers={"HX-Request": "true"}).content.decode()
    assert "they are older than the constants in force expect" in offer and "<html" not in offer
    values = {"activation_midpoint": "-3.25", "activation_scale": "0.3"}
    without = owners.post(report, values)
    assert without.status_code == 400
    assert "Say why" in without.content.decode()
    assert owners.post(report, values | {"reason": "they are old"})["Location"] == report
    assert queries.constants(space).activation_midpoint == -3.25
    assert "The fit is in force." in page(owners, report)


def test_the_offer_itself_can_be_taken(space: Space, owners: Client) -> None:
    report = taken(owners, b"".join(aged([400 + 20 * place for place in range(30)])))
    offer = owners.get(report + "?fit").context["offer"]
    owners.post(report, offer.values | {"reason": "as offered"})
    assert "fit these facts: half of them are above 0.5" in page(owners, report + "?fit")


@pytest.mark.parametrize(
    ("days", "says"),
    [
        ([900.0] * 30, "nearly all of one age"),
        ([900.0] * 19, "Too few live facts have a known age"),
        ([3.0 * (1 + place) for place in range(30)], "fit these facts"),
    ],
)
def test_no_fit_is_offered_where_it_would_help_nobody(
    space: Space, owners: Client, days: list[float], says: str
) -> None:
    shown = page(owners, taken(owners, b"".join(aged(days))) + "?fit")
    assert says in shown and "Use this fit" not in shown


def test_in_a_very_large_space_no_fit_is_worked_out_while_somebody_waits(
    space: Space, owners: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = taken(owners, b"".join(aged([400 + 20 * place for place in range(30)])))
    monkeypatch.setattr(calibration, "MOST_FACTS", 30)
    assert "Use this fit" in page(owners, report + "?fit")
    monkeypatch.setattr(calibration, "MOST_FACTS", 29)
    assert "This space is so large" in page(owners, report + "?fit")


def test_only_an_admin_is_given_the_button(space: Space, owners: Client, client_of: ClientOf, member: MemberOf) -> None:
    report = taken(owners, b"".join(aged([400 + 20 * place for place in range(30)])))
    shown = page(client_of(member(space, Role.CURATOR)), report + "?fit")
    assert "Use this fit" not in shown and "An admin of this space can put it in force." in shown


@pytest.mark.parametrize("values", [{}, {"activation_midpoint": "x", "activation_scale": "1"}])
def test_a_fit_that_was_not_said_is_not_understood(space: Space, owners: Client, values: dict[str, str]) -> None:
    assert owners.post(taken(owners, MCP), values | {"reason": "so"}).status_code == 400


def test_a_fit_out_of_bounds_is_refused_in_a_sentence(space: Space, owners: Client) -> None:
    values = {"activation_midpoint": "nan", "activation_scale": "99", "reason": "so"}
    response = owners.post(taken(owners, MCP), values)
    assert response.status_code == 400
    assert "must be a number" in response.content.decode()


def test_who_may_bring_files_in_and_who_may_read_of_them(
    space: Space, owners: Client, client_of: ClientOf, member: MemberOf
) -> None:
    address, report = judged(owners, MCP), taken(owners, SAMPLE.read_bytes())
    space.refresh_from_db()
    home = f"/spaces/{space.name}/imports/"
    address = address.replace("diary", space.name)
    for role in Role:
        client = client_of(member(space, role))
        brings = role in (Role.CURATOR, Role.ADMIN)
        assert client.get(home).status_code == client.get(report).status_code == 200
        assert ("data-drop" in page(client, home)) is brings
        assert client.get(report + "report.json").status_code == 200
        assert client.post(home, {"source": "x"}).status_code == (400 if brings else 403)
        assert client.get(address).status_code == (200 if brings else 403)
        for what in ("take/", "discard/"):
            assert brings or client.post(address + what).status_code == 403
        values = {"activation_midpoint": "-3", "activation_scale": "1", "reason": "so"}
        assert client.post(report, values).status_code == (302 if role is Role.ADMIN else 403)
    stranger = client_of(User.objects.create_user("stranger"))
    for where in (home, address, report, report + "report.json"):
        assert stranger.get(where).status_code == 404
        assert Client().get(where).status_code == 302


def test_a_job_of_another_space_is_not_found(space: Space, owners: Client) -> None:
    address = judged(owners, MCP).replace("diary", spaces.create("elsewhere").name)
    assert owners.get(address).status_code == 404
    assert owners.post(address + "take/").status_code == owners.post(address + "discard/").status_code == 404


def test_texts_of_files_are_shown_literally(space: Space, owners: Client) -> None:
    lines = [
        json.dumps({"type": "entity", "name": text, "entityType": "x", "observations": [text + "\u200b"]})
        for text in STRINGS
    ]
    content = "\n".join([*lines, '{"type": "entity", "<b>": 1}']).encode()
    name = "<img src=x>.json"
    address = judged(owners, content, name=name, source="<script>alert(1)</script>")
    pages = [
        page(owners, address),
        page(owners, "/spaces/diary/imports/"),
        page(owners, taken(owners, content, name=name)),
    ]
    for shown in pages:
        assert escape(name) in shown and name not in shown
        assert all(text not in shown for text in STRINGS if "<" in text)
    assert escape("<script>alert(1)</script>") in pages[0]
    assert escape(STRINGS[0]) + '<span class="hidden-mark">&lt;U+200B&gt;</span>' in pages[0]


def test_as_many_queries_for_twenty_imports_as_for_ten(space: Space, owners: Client) -> None:
    def cost() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            page(owners, "/spaces/diary/imports/")
        return len(captured)

    def bring(first: int) -> None:
        for number in range(first, first + 5):
            importing.import_lines(space, as_file([fact(f"f{number}")]), file=f"file {number}", by="ana", now=day(100))
            given(owners, MCP, name=f"{number}.json")

    bring(0)
    few = cost()
    bring(5)
    assert cost() == few


def test_an_import_by_the_shell_has_a_report_too(owners: Client) -> None:
    space_of(fact("f"))
    assert "1 fact is new." in page(owners, f"/spaces/diary/imports/{Import.objects.get().name}/")
