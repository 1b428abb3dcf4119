"""Case 083, of what is no act: a form about members, schedules or passes that comes a second time, however late,
changes nothing any more and is answered as the first time."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.actions.world import space_of
from tests.desk.conftest import ClientOf
from tests.desk.test_passes import text, waiting, work
from tests.makers import fact
from trustmem.actions import access, consolidation, jobs, schedules
from trustmem.actions.schedules import HOUR, Rhythm
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.desk import clock
from trustmem.store.models import Click, Job, Membership, Pass, Role, Space, User

pytestmark = pytest.mark.django_db


class Sent(NamedTuple):
    """A form, and what comes between it and the same again: the work, or that somebody else decides otherwise."""

    name: str
    of: tuple[Any, ...]
    says: dict[str, Any]
    meanwhile: Callable[[], object] = work


def _role(space: Space) -> Sent:
    access.add_member(space, "ben", Role.READER)
    says = {"do": "role", "username": "ben", "role": Role.CURATOR}
    return Sent("members", (), says, lambda: access.change_role(space, "ben", Role.READER))


def _remove(space: Space) -> Sent:
    access.add_member(space, "ben", Role.READER)
    says = {"do": "remove", "username": "ben"}
    return Sent("members", (), says, lambda: access.add_member(space, "ben", Role.REVIEWER))


def _schedule(space: Space) -> Sent:
    says = {"kind": jobs.CONSOLIDATION, "every": 12, "at": "05:00"}
    rhythm = Rhythm(48 * HOUR, HOUR)
    kept = {"by": "ben", "now": clock.now()}
    return Sent("pass-schedule", (), says, lambda: schedules.change(space, jobs.CONSOLIDATION, rhythm, **kept))


def _waiting(space: Space) -> Job:
    consolidation.ask(space, by="ana", now=clock.now())
    work()
    return waiting(space)


def _approve(space: Space) -> Sent:
    job = _waiting(space)
    return Sent("pass-approve", (job.pk,), {"head": space.head_position})


def _again(space: Space) -> Sent:
    return Sent("pass-again", (_waiting(space).pk,), {}, lambda: None)


FORMS: dict[str, Callable[[Space], Sent]] = {
    "add": lambda space: Sent("members", (), {"do": "add", "username": "ben", "role": Role.READER}, lambda: None),
    "role": _role,
    "remove": _remove,
    "schedule": _schedule,
    "run": lambda space: Sent("pass-run", (), {}),
    "preview": lambda space: Sent("pass-preview", (), {}),
    "approve": _approve,
    "again": _again,
}


@pytest.fixture
def space() -> Space:
    """Of which the next pass would prune so much that it waits for a person."""
    faded = [fact(f"g{each:02}", scope="global", prior=0.01) for each in range(40)]
    return space_of(*faded, *(fact(f"l{each:02}", prior=0.7) for each in range(60)))


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def send(client: Client, space: Space, sent: Sent, click: str = "one-of-its-kind") -> HttpResponse:
    return client.post(reverse(sent.name, args=[space.name, *sent.of]), {**sent.says, "click": click})


def found(space: Space) -> object:
    """All that such forms change, and when it was changed."""
    of_space = {"space": space}
    return (
        sorted(Membership.objects.filter(**of_space).values_list("user__username", "role")),
        list(schedules.of(space).items()),
        sorted(Job.objects.filter(**of_space).values_list("pk", "kind", "state", "asked_at", "by")),
        Pass.objects.filter(**of_space).count(),
    )


@pytest.mark.parametrize("name", FORMS)
def test_a_form_that_comes_again_changes_nothing_and_is_answered_alike(space, client, name, monkeypatch) -> None:
    sent, before = FORMS[name](space), found(space)
    first = send(client, space, sent)
    assert first.status_code == 302
    assert found(space) != before or sent.name == "pass-again"
    told = client.get(first.url, follow=True)
    sent.meanwhile()
    after, now = found(space), clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + MICROSECONDS_PER_DAY)
    again = send(client, space, sent)
    assert (again.status_code, again.url) == (302, first.url)
    assert found(space) == after
    assert "Not done" not in text(client.get(again.url, follow=True)) + text(told)
    assert Click.objects.count() == 1


def test_of_a_page_that_is_drawn_anew_it_is_another_form(space, client) -> None:
    sent = FORMS["preview"](space)
    for click in ("one", "other"):
        send(client, space, sent, click)
        work()
    assert Job.objects.filter(space=space, kind=jobs.PREVIEW).count() == 2


def test_what_is_refused_leaves_no_click(space, client) -> None:
    sent = Sent("members", (), {"do": "remove", "username": "nobody"})
    answer = send(client, space, sent)
    assert "Not done" in text(client.get(answer.url))
    assert not Click.objects.exists()
