"""Imports: a file is judged before it is taken in, and what became of it can be read, kept and undone."""

import gzip
import json
import re
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
from trustmem.actions import calibration, erasing, facts, jobs, kinds, spaces, uploads
from trustmem.actions import imports as importing
from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.core.vocabulary import ERASED
from trustmem.desk import clock
from trustmem.store import queries
from trustmem.store.models import Adoption, Fact, Import, Job, JobState, Line, Role, Space, Upload, User

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
    assert "It brought 28 facts, " in shown
    assert not Upload.objects.exists()


def test_what_a_file_would_become_is_shown_before_anything_is_written(space: Space, owners: Client) -> None:
    content = b"".join(as_file([fact("f", source="ana"), fact("g", source="ben")])) + b'{"type": "fact", "id": "h"}\n'
    shown = page(owners, judged(owners, content))
    assert "2 new + 0 known + 0 refused + 0 waiting + 1 rejected = 3 records" in shown
    assert "It would bring 2 facts." in shown
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
    shown = page(owners, judged(owners, gzip.compress(MCP), name="memory.json.gz"))
    assert "It would bring 1 fact, 1 entity." in shown


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
    assert "Only a file that was judged can be imported." in page(owners, address)


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
    assert "It is being imported already" in page(owners, owners.post(address + "discard/")["Location"])
    assert Upload.objects.exists()


def test_how_far_an_import_is_is_asked_again_and_again_until_it_is_done(space: Space, owners: Client) -> None:
    taking = owners.post(judged(owners, MCP) + "take/")["Location"]
    job = jobs.claim(Job.objects.get(kind=uploads.TAKE_IN).pk, now=clock.now())
    assert job
    jobs.progress(job, 12_000, 57_000, now=clock.now(), stage="writing")
    whole = page(owners, taking)
    assert "12\u202f000 of 57\u202f000 lines are written." in whole
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


def undo_of(client: Client, report: str, reason: str = "") -> str:
    """The act that undid the import of a report."""
    act = client.get(report).context["act"]
    client.post("/spaces/diary/undo/", {"act": act, "next": report, "reason": reason})
    return client.get(report).context["undone"].act


def test_undoing_an_import_says_first_what_that_comes_to(space: Space, owners: Client) -> None:
    shown = page(owners, taken(owners, b"".join(as_file([fact("f"), fact("g")]))))
    assert "The 2 facts that it brought, and all else, are taken out of all counts." in shown
    assert re.search(r'(?s)<details class="act">\s*<summary class="btn" data-key="z"', shown)
    assert 'id="undo_reason"' in shown


def test_an_undone_import_says_by_whom_and_why_and_is_brought_back_whenever_one_likes(
    space: Space, owners: Client
) -> None:
    report = taken(owners, MCP)
    undo = undo_of(owners, report, "the <wrong> file")
    page(owners, report)  # once the notice is gone
    shown = page(owners, report)
    assert "the &lt;wrong&gt; file" in shown and "Bring it back" in shown
    owners.post("/spaces/diary/undo/", {"act": undo, "next": report})
    shown = page(owners, report)
    assert "Brought back: it counts again." in shown and "This import is undone" not in shown
    assert Fact.objects.exists()
    last = Line.objects.filter(tag="event.undone").latest("position").act
    owners.post("/spaces/diary/undo/", {"act": last, "next": report})
    shown = page(owners, report)
    assert "Undone. It counts as if it had never been." in shown and "This import is undone" in shown


def test_a_file_whose_import_is_undone_is_brought_back_and_not_imported_again(space: Space, owners: Client) -> None:
    undo = undo_of(owners, taken(owners, MCP))
    address = judged(owners, MCP)
    shown = page(owners, address)
    assert "It came before, and was undone" in shown and "Bring it back" in shown
    assert "Import it<" not in shown and "trustmem undo" not in shown
    assert "Nothing was done." in page(owners, owners.post(address + "take/")["Location"])
    back = owners.post(address + "take/", {"back": undo})["Location"]
    assert "Brought back: what this file brought counts again." in page(owners, back)
    assert Fact.objects.exists() and not Upload.objects.exists()


def test_what_is_not_undone_is_not_brought_back(space: Space, owners: Client) -> None:
    address = judged(owners, MCP)
    assert "Nothing was done." in page(owners, owners.post(address + "take/", {"back": "act:1"})["Location"])
    assert not Job.objects.filter(kind=uploads.TAKE_IN).exists()


def test_an_import_is_cancelled_until_it_is_written_and_its_file_waits_as_it_was_judged(
    space: Space, owners: Client
) -> None:
    address = judged(owners, MCP)
    taking = owners.post(address + "take/")["Location"]
    assert "You can leave this page: it goes on." in page(owners, taking)
    assert ">Cancel <" in page(owners, taking)
    assert owners.post(taking + "cancel/")["Location"] == address
    work()
    assert "Cancelled." in page(owners, address) and "Import it" in page(owners, address)
    assert not Import.objects.exists()


def test_what_is_being_written_is_not_cancelled(space: Space, owners: Client) -> None:
    taking = owners.post(judged(owners, MCP) + "take/")["Location"]
    job = jobs.claim(Job.objects.get(kind=uploads.TAKE_IN).pk, now=clock.now())
    assert job
    jobs.progress(job, 0, 0, now=clock.now(), stage="writing")
    assert ">Cancel <" not in page(owners, taking)
    assert "It is being written already" in page(owners, owners.post(taking + "cancel/")["Location"])
    kinds.do(job, clock.now)
    assert Import.objects.exists()


@pytest.mark.parametrize(
    ("kind", "stage", "done", "of", "says"),
    [
        ("judge", "", 0, 0, "The file is unpacked."),
        ("judge", "reading", 5000, 50_000, "5\u202f000 of 50\u202f000 lines are read."),
        ("judge", "reading", 50_000, 50_000, "All 50\u202f000 lines are read, and held against what the space has."),
        ("judge", "reading", 1, 1, "Its 1 line is read"),
        ("import", "reading", 5000, 50_000, "5\u202f000 of 50\u202f000 lines are read."),
        ("import", "again", 5000, 50_000, "Judge it once more: somebody else wrote meanwhile"),
        ("import", "writing", 0, 0, "Writing begins."),
        ("import", "writing", 5000, 50_000, "5\u202f000 of 50\u202f000 lines are written."),
        ("import", "writing", 50_000, 50_000, "All 50\u202f000 lines are written, and what they come to is reckoned"),
    ],
)
def test_what_a_job_is_at_is_told_with_how_far_it_is_and_for_how_long(
    space: Space, owners: Client, kind: str, stage: str, done: int, of: int, says: str
) -> None:
    address = given(owners, MCP)["Location"]
    if kind == "import":
        work()
        address = owners.post(address + "take/")["Location"]
    job = jobs.claim(Job.objects.get(kind=kind).pk, now=clock.now() - 12 * MICROSECONDS_PER_SECOND)
    assert job
    jobs.progress(job, done, of, now=clock.now(), stage=stage)
    shown = page(owners, address)
    assert says in shown and re.search(r"So far 1[23] seconds\.", shown)
    assert ('role="progressbar"' in shown) is (0 < done < of)
    assert shown.count('aria-current="step"') == (kind == "import")


def test_imports_of_one_name_are_told_apart_by_source_and_by_what_they_brought(space: Space, owners: Client) -> None:
    taken(owners, MCP, source="ana")
    taken(owners, MCP.replace(b'"likes tea"', b'"likes tea", "likes rain"'), source="ben")
    shown = page(owners, "/spaces/diary/imports/")
    assert '<bdi translate="no">ana</bdi>' in shown and '<bdi translate="no">ben</bdi>' in shown
    assert "1 fact, 1 entity" in shown and "2 of 2 records are new" in shown


def test_what_was_not_understood_is_shown_literally_and_no_more_than_its_beginning(
    space: Space, owners: Client
) -> None:
    content = b"".join(as_file([fact("f")])) + b'{"type": "fact", "<b>": "' + b"x" * 3000 + b'\xe2\x80\x8b"}\n'
    pages = page(owners, judged(owners, content)), page(owners, report := taken(owners, content))
    for shown in pages:
        assert "{&quot;type&quot;: &quot;fact&quot;, &quot;&lt;b&gt;&quot;: &quot;xxx" in shown
        assert "x" * 200 not in shown
    [reject] = owners.get(report + "report.json").json()["rejects"]
    assert reject["text"].startswith('{"type": "fact", "<b>": "xxx') and len(reject["text"]) <= 1000


def test_what_was_not_understood_and_is_erased_says_so(space: Space, owners: Client) -> None:
    claim = b'{"type":"fact","id":"f","at":"2026-01-01T00:00:00Z","text":"VERMILION"}\n'
    report = taken(owners, claim + b'{"type":"fact","id":"g","text":"VERMILION"}\n')
    assert "VERMILION" in page(owners, report)
    erasing.erase(space, "f", by="ana", now=clock.now(), reason="so")
    shown = page(owners, report)
    assert "VERMILION" not in shown and ">erased<" in shown
    [reject] = owners.get(report + "report.json").json()["rejects"]
    assert (reject["text"], reject["reason"]) == (None, "")


def test_the_report_is_there_to_keep_with_all_rejects(space: Space, owners: Client) -> None:
    content = b"".join(as_file([fact("f")])) + b'{"type": "fact", "id": "h"}\n' * 230
    report = taken(owners, content, name='no"te\u202e s.jsonl')
    answer = owners.get(report + "report.json")
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"].startswith('attachment; filename="import-')
    told = answer.json()
    assert told["counts"] == {"new": 1, "known": 0, "refused": 0, "waiting": 0, "rejected": 230}
    assert len(told["rejects"]) == 230
    rejected = {"number": 2, "status": "rejected", "field": "at", "reason": "", "text": '{"type": "fact", "id": "h"}\n'}
    assert told["rejects"][0] | {"reason": ""} == rejected
    assert told["undone"] is False and told["by"] == "owner"


def test_a_file_that_came_twice_has_two_reports(space: Space, owners: Client) -> None:
    first, second = taken(owners, MCP), taken(owners, MCP)
    assert first != second
    assert "2 new + 0 known" in page(owners, first) and "It brought 1 fact, 1 entity." in page(owners, first)
    assert "0 new + 2 known" in page(owners, second) and "It brought nothing new." in page(owners, second)
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


def test_the_offer_itself_can_be_taken_and_its_version_says_so(space: Space, owners: Client) -> None:
    report = taken(owners, b"".join(aged([400 + 20 * place for place in range(30)])))
    offer = owners.get(report + "?fit").context["offer"]
    owners.post(report, offer.values | {"reason": "as offered"})
    assert Adoption.objects.get(space=space).figures["fit"] == "quartiles"
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


def test_in_a_large_space_a_fit_is_shown_and_the_shell_adopts_it(
    space: Space, owners: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = taken(owners, b"".join(aged([400 + 20 * place for place in range(30)])))
    monkeypatch.setattr(calibration, "MOST_FOLDED", 29)
    offer = owners.get(report + "?fit")
    assert "trustmem calibrate --adopt" in offer.content.decode() and "Use this fit" not in offer.content.decode()
    refused = owners.post(report, offer.context["offer"].values | {"reason": "so"})
    assert refused.status_code == 400
    assert "It takes too long in a space as large as this one" in refused.content.decode()


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
        for what in ("take/", "cancel/", "discard/"):
            assert brings or client.post(address + what).status_code == 403
        values = {"activation_midpoint": "-3", "activation_scale": "1", "reason": "so"}
        assert client.post(report, values).status_code == (302 if role is Role.ADMIN else 403)
    stranger = client_of(User.objects.create_user("stranger"))
    for where in (home, address, report, report + "report.json"):
        assert stranger.get(where).status_code == 404
        assert Client().get(where).status_code == 302


def line(type: str, id: str, **says: object) -> bytes:
    return json.dumps({"type": type, "id": id, "at": "2026-01-03T09:00:00Z", **says}).encode() + b"\n"


def test_what_takes_back_what_people_decided_is_said_and_taken_in_by_an_admin_alone(
    space: Space, owners: Client, client_of: ClientOf, member: MemberOf
) -> None:
    taken(owners, line("fact", "f", text="Tea at four.") + line("fact", "g", text="Milk at five."))
    act = facts.forget(space, "g", by="ana", now=clock.now(), reason="So.")
    tombstone = Line.objects.get(space=space, tag="tombstone").name
    content = line("event", "e", kind="erased", fact="f") + line("event", "u", kind="undone", of=act)
    content += line("event", "l", kind="lifted", of=tombstone) + line("fact", "h", text="New.")
    curators, head = client_of(member(space, Role.CURATOR)), Space.objects.get().head_position
    address = judged(curators, content)
    said = (
        "3 lines take back or decide what people decided here: "
        "1 erases a fact for good, 1 lifts a tombstone, 1 undoes an act."
    )
    shown = page(curators, address)
    assert said in shown and "It takes an admin of this space to import such a file." in shown
    assert "take/" not in shown
    assert curators.post(address + "take/").status_code == 403
    work()
    assert Space.objects.get().head_position == head
    shown = page(owners, address)
    assert said in shown and "It takes an admin" not in shown and "take/" in shown
    assert owners.post(address + "take/").status_code == 302
    work()
    assert Fact.objects.get(name="f").state == ERASED
    assert "take back or decide" not in page(curators, judged(curators, content + b"\n"))  # it is known by now


def test_what_took_an_admin_takes_one_to_be_tried_again(
    space: Space, owners: Client, client_of: ClientOf, member: MemberOf
) -> None:
    taken(owners, line("fact", "f", text="Tea at four."))
    curators = client_of(member(space, Role.CURATOR))
    for content, is_admins in (
        (line("event", "e", kind="erased", fact="f"), True),
        (line("fact", "g", text="So."), False),
    ):
        address = owners.post(judged(owners, content) + "take/")["Location"]
        job = jobs.claim(Job.objects.get(kind="import", state=JobState.QUEUED).pk, now=clock.now())
        assert job
        jobs.fail(job, "the disk is full", now=clock.now())
        assert curators.post(address).status_code == (403 if is_admins else 302)
        work()
        assert Fact.objects.get(name="f").state != ERASED
    assert Fact.objects.filter(name="g").exists()
    Job.objects.filter(kind="import", state=JobState.FAILED).update(slot="0")  # as if nobody had judged its file
    failed = Job.objects.get(kind="import", state=JobState.FAILED)
    address = f"/spaces/diary/imports/jobs/{failed.pk}/"
    assert curators.post(address).status_code == 403
    owners.post(address)
    work()
    assert Fact.objects.get(name="f").state == ERASED


def test_a_fact_that_comes_erased_is_counted_as_one_that_is_erased_and_once(
    space: Space, owners: Client, client_of: ClientOf, member: MemberOf
) -> None:
    taken(owners, line("fact", "f", text="Tea at four."))
    curators = client_of(member(space, Role.CURATOR))
    content = line("fact", "x", erased=True, digest="0f") + line("fact", "y", erased=True, digest="0e")
    content += line("event", "e", kind="erased", fact="y") + line("event", "g", kind="erased", fact="f")
    address = judged(curators, content)
    assert "3 lines take back or decide what people decided here: 3 erase a fact for good." in page(curators, address)
    assert curators.post(address + "take/").status_code == 403
    assert owners.post(address + "take/").status_code == 302
    work()
    assert set(Fact.objects.values_list("state", flat=True)) == {ERASED}


@pytest.mark.parametrize(
    "content",
    [
        line("fact", "x", erased=True, digest="0f"),
        line("constants", "c2", version=2, values={"session_half_life_days": 5}),
        line("key", "k", source="ana", public="11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="),
        line("event", "r", kind="revoked", of="k", reason="lost"),
        line("event", "x", kind="closed", of="a case to come", verdict="so"),
        line("event", "e", kind="accepted", fact="f", act="taken") + line("event", "u", kind="undone", of="taken"),
    ],
)
def test_so_is_whatever_only_an_admin_may_do_here(
    space: Space, owners: Client, client_of: ClientOf, member: MemberOf, content: bytes
) -> None:
    taken(owners, line("fact", "f", text="Tea at four.") + line("event", "a", kind="accepted", fact="f", act="taken"))
    curators = client_of(member(space, Role.CURATOR))
    address = judged(curators, content)
    assert "1 line takes back or decides what people decided here" in page(curators, address)
    assert curators.post(address + "take/").status_code == 403


def test_a_curator_brings_an_export_into_an_empty_space_and_a_history_of_its_own_into_any(
    space: Space, owners: Client, client_of: ClientOf, member: MemberOf
) -> None:
    curators = client_of(member(space, Role.CURATOR))
    content = line("fact", "f", text="Tea at four.") + line("event", "e", kind="erased", fact="f")
    taken(curators, content)
    assert Fact.objects.get(name="f").state == ERASED
    own = line("fact", "g", text="Milk.", act="theirs") + line("event", "u", kind="undone", of="theirs")
    address = judged(curators, own)
    assert "take back or decide" not in page(curators, address)
    assert curators.post(address + "take/").status_code == 302


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
    assert "It brought 1 fact." in page(owners, f"/spaces/diary/imports/{Import.objects.get().name}/")
