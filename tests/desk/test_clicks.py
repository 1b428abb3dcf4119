"""Case 083: the same click twice has one effect, one act on record and one way back; both answers show the first's
result."""

import re
import time
from collections.abc import Callable, Mapping
from io import BytesIO
from threading import Thread
from typing import Any, NamedTuple

import pytest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import reverse

from tests.actions.world import LATER, space_of
from tests.desk.conftest import ClientOf
from tests.makers import edge, event, fact
from trustmem.actions import constants, edges, facts, imports, jobs, kinds, undo, uploads, verdicts
from trustmem.desk.notices import Rows
from trustmem.desk.presenters.calibration import FITTED
from trustmem.store.models import Case, Click, Job, Line, Space, Told, Upload, User

pytestmark = pytest.mark.django_db(transaction=True)

WHO: Mapping[str, Any] = {"by": "ana", "now": LATER + 1}
CLICK = {"click": "one-of-its-kind"}
#: Another way to give more than is in the file.
FILE = b'{"type": "fact", "id": "cups", "text": "Two cups.", "at": "2026-01-01T09:00:00Z"}\n'


class Sent(NamedTuple):
    """A form: the name of its address, what that takes beside the space, and what it says."""

    name: str
    of: tuple[Any, ...] = ()
    says: Mapping[str, Any] = {}


def _judged(space: Space) -> Job:
    upload = uploads.keep(space, BytesIO(FILE), name="more.jsonl", source="ana", **WHO)
    job = jobs.claim(uploads.judge(upload, **WHO).pk, now=LATER + 1)
    assert job
    kinds.do(job, lambda: LATER + 1)
    return job


def _taken_back(space: Space) -> Sent:
    """A file that was taken in and undone comes again."""
    imported = imports.import_lines(space, [FILE], file="more", **WHO).imported
    undone = undo.undo(space, imported, **WHO)
    return Sent("import-take", (_judged(space).pk,), {"back": undone})


def _restorable(space: Space) -> Sent:
    facts.forget(space, "tea", **WHO)
    return Sent("restore", ("tea",), {"restore-reason": "Again."})


def _undoable(space: Space) -> Sent:
    act = facts.forget(space, "tea", **WHO)
    return Sent("undo", (), {"act": act, "next": reverse("fact", args=[space.name, "tea"])})


def _report(space: Space) -> Sent:
    imported = Line.objects.filter(space=space, tag="import").latest("position").name
    values = dict(zip(FITTED, ("-1.5", "0.6"), strict=True))
    return Sent("import-report", (imported,), {**values, "reason": "Fits us."})


def _verdict(space: Space) -> Sent:
    """Of two claims that contradict each other, one is kept."""
    edges.assert_edge(space, "milk", "contradicts", "tea", **WHO)
    (case,) = Case.objects.filter(space=space, kind="contradiction").values_list("name", flat=True)
    return Sent("case-decide", (case,), {"verdict": "keep left", "seen": space.folded_to, "reason": "So it is."})


def _verdict_undone(space: Space) -> Sent:
    (case,) = _verdict(space).of
    return Sent("case-undo", (case,), {"act": verdicts.decide(space, [case], "neither", **WHO)})


def _older(space: Space) -> Sent:
    """There is a version to go back to."""
    constants.adopt(space, {"prior_weight": 3}, reason="", **WHO)
    return Sent("roll-back", (1,), {"reason": "As all began."})


FORMS: dict[str, Callable[[Space], Sent]] = {
    "accept": lambda space: Sent("accept", ("tea",), {"accept-reason": "So it is."}),
    "forget": lambda space: Sent("forget", ("tea",), {"forget-reason": "Gone."}),
    "restore": _restorable,
    "correct": lambda space: Sent("correct", ("tea",), {"correct-text": "Tea is at five.", "correct-reason": "New."}),
    "keep": _verdict,
    "undo a verdict": _verdict_undone,
    "rule": lambda space: Sent("rule", ("tea",), {"of": "against", "ruling": "upheld", "reason": "Right."}),
    "undo": _undoable,
    "import": lambda space: Sent("imports", (), {"source": "ana"}),
    "take": lambda space: Sent("import-take", (_judged(space).pk,)),
    "bring back": _taken_back,
    "constants": _report,
    "roll back": _older,
    "adopt": lambda space: Sent("adopt", (), {"c.activation_midpoint": "-1.5", "reason": "Fits us."}),
    "close": lambda space: Sent("case-close", ("which",), {"close-verdict": "Both hold.", "close-reason": "So."}),
}


@pytest.fixture
def space() -> Space:
    told = [fact("tea"), fact("milk"), edge("milk", "extends", "tea"), event("contradicted", "tea", id="against")]
    space = space_of(*told)
    case = b'{"type": "case", "id": "which", "kind": "which holds", "facts": ["tea"], "at": "2026-01-01T09:00:00Z"}\n'
    imports.import_lines(space, [case], file="cases", **WHO)
    return space


@pytest.fixture
def browsers(owner: User, client_of: ClientOf) -> list[Client]:
    """Two windows of one person's browser."""
    first, second = client_of(owner), Client()
    second.cookies = first.cookies
    return [first, second]


def send(client: Client, space: Space, sent: Sent, **more: str) -> HttpResponse:
    says = {**CLICK, **sent.says, **more}
    if sent.name == "imports":
        says["file"] = BytesIO(FILE)
        says["file"].name = "more.jsonl"
    return client.post(reverse(sent.name, args=[space.name, *sent.of]), says)


def effects(space: Space) -> dict[str, int]:
    """What there is that a form could make twice."""
    lines = Line.objects.filter(space=space)
    return {
        "lines": lines.count(),
        "acts": lines.exclude(act="").values("act").distinct().count(),
        "uploads": Upload.objects.filter(space=space).count(),
        "jobs": Job.objects.filter(space=space).count(),
        "clicks": Click.objects.filter(space=space).count(),
    }


def offered(page: str) -> list[str]:
    """The acts that notices offer to undo."""
    return re.findall(r'name="act" value="([^"]+)"', "".join(re.findall(r'<div class="notice.*?</div>', page, re.S)))


@pytest.mark.parametrize("name", FORMS)
def test_a_form_that_comes_again_does_nothing_more_and_is_answered_alike(space, browsers, name) -> None:
    sent = FORMS[name](space)
    before = effects(space)
    first = send(browsers[0], space, sent)
    page = browsers[0].get(first.url).text
    after = effects(space)
    assert (after["lines"], after["jobs"]) != (before["lines"], before["jobs"])
    assert after["acts"] - before["acts"] == (0 if name in ("import", "take") else 1)
    again = send(browsers[0], space, sent)
    assert (again.status_code, again.url) == (first.status_code, first.url) == (302, first.url)
    assert effects(space) == after
    told = browsers[0].get(again.url).text
    assert offered(told) == offered(page)
    assert len(offered(page)) == after["acts"] - before["acts"]


def test_a_page_that_is_left_while_it_is_drawn_takes_only_what_it_says_itself(space, browsers) -> None:
    """A browser without scripts that sends a form twice leaves the first answer for the second."""
    sent = FORMS["accept"](space)
    send(browsers[0], space, sent)
    left = HttpRequest()
    left.session = browsers[0].session
    being_drawn = Rows(left)
    again = send(browsers[0], space, sent)
    assert len(list(being_drawn)) == 1
    being_drawn.update(HttpResponse())
    assert len(offered(browsers[0].get(again.url).text)) == 1
    assert not Told.objects.exists()


@pytest.mark.parametrize("name", FORMS)
def test_two_at_once_have_one_effect_and_both_are_answered_alike(space, browsers, name) -> None:
    sent = FORMS[name](space)
    before = effects(space)
    answers: dict[int, HttpResponse] = {}

    def post(number: int) -> None:
        time.sleep(0.005 * number)
        answers[number] = send(browsers[number], space, sent)
        connection.close()

    threads = [Thread(target=post, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers[0].status_code == answers[1].status_code == 302
    assert answers[0].url == answers[1].url
    after = effects(space)
    assert after["acts"] - before["acts"] == (0 if name in ("import", "take") else 1)
    assert after["clicks"] - before["clicks"] == 1
    assert after["jobs"] - before["jobs"] == (1 if name in ("import", "take") else -1 if name == "bring back" else 0)
    assert after["uploads"] - before["uploads"] == (1 if name == "import" else -1 if name == "bring back" else 0)
    page = browsers[0].get(answers[0].url).text
    assert len(offered(page)) == after["acts"] - before["acts"]
    assert "Not done" not in page


def test_what_was_done_is_said_once_where_nobody_read_the_first_answer(space, browsers) -> None:
    sent = FORMS["accept"](space)
    send(browsers[0], space, sent)
    page = browsers[0].get(send(browsers[0], space, sent).url).text
    assert page.count("a person stands behind it now.") == 1


def test_a_form_that_says_something_else_is_another_one(space, browsers) -> None:
    send(browsers[0], space, FORMS["accept"](space))
    send(browsers[0], space, FORMS["accept"](space), **{"accept-reason": "And seen since."})
    send(browsers[0], space, FORMS["accept"](space), click="of-another-page")
    assert Line.objects.filter(space=space, tag="event.accepted").count() == 3


def test_without_a_token_it_is_done_each_time(space, browsers) -> None:
    for _ in range(2):
        send(browsers[0], space, FORMS["accept"](space), click="")
    assert Line.objects.filter(space=space, tag="event.accepted").count() == 2
    assert not Click.objects.exists()


def test_what_was_refused_leaves_no_click_and_can_be_sent_again(space, browsers) -> None:
    sent = Sent("restore", ("tea",))
    answer = send(browsers[0], space, sent)
    assert "Not done" in browsers[0].get(answer.url).text
    assert not Click.objects.exists()
    facts.forget(space, "tea", **WHO)
    answer = send(browsers[0], space, sent)
    assert "Restored" in browsers[0].get(answer.url).text


def test_what_was_done_and_undone_since_is_not_said_to_be_done(space, browsers) -> None:
    sent = FORMS["forget"](space)
    page = browsers[0].get(send(browsers[0], space, sent).url).text
    send(browsers[0], space, Sent("undo", (), {"act": offered(page)[0]}))
    page = browsers[0].get(reverse("facts", args=[space.name])).text  # which says that it is undone
    page = browsers[0].get(send(browsers[0], space, sent).url).text
    assert "Not done:" in page
    assert "undone since" in page


def test_somebody_else_has_clicks_of_their_own(space, browsers, client_of, member) -> None:
    other = client_of(member(space, "reviewer"))
    for client in (browsers[0], other):
        send(client, space, FORMS["accept"](space))
    assert Line.objects.filter(space=space, tag="event.accepted").count() == 2


def test_every_form_of_a_page_has_a_token_of_its_own_and_another_on_a_page_drawn_anew(space, browsers) -> None:
    address = reverse("fact", args=[space.name, "tea"])
    pages = [browsers[0].get(address).text for _ in range(2)]
    tokens = [re.findall(r'name="click" value="([^"]+)"', page) for page in pages]
    assert len(tokens[0]) == pages[0].count('method="post"') > 3
    assert len({*tokens[0], *tokens[1]}) == 2 * len(tokens[0])


def test_a_part_of_a_page_brings_forms_with_tokens(space, browsers) -> None:
    facts.accept(space, "tea", **WHO)
    address = reverse("fact", args=[space.name, "tea"])
    part = browsers[0].get(address, {"history": "all"}, headers={"HX-Request": "true"}).text
    assert "<html" not in part
    assert part.count('name="click"') == part.count('method="post"') > 0
