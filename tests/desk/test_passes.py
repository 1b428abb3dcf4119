"""Passes at the desk: asked for once, previewed, approved as they were shown, told fact by fact, rolled back and
brought back; and a part that cannot be read says so."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape, strip_tags

from tests.actions.world import as_file, space_of, taken
from tests.desk.conftest import ClientOf
from tests.makers import START, daily, edge, event, fact
from trustmem.actions import acts, calibration, consolidation, constants, folding, jobs, kinds, schedules, spaces
from trustmem.actions.schedules import HOUR, Rhythm
from trustmem.core.consolidation import readable
from trustmem.core.instants import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND, to_datetime, to_text
from trustmem.desk import clock
from trustmem.desk.presenters import changes
from trustmem.desk.presenters.paging import Place
from trustmem.store import queries
from trustmem.store.models import Change, Fact, Job, JobState, Line, Pass, Role, Schedule, Space, User
from trustmem.store.passes import COUNTS
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


@pytest.fixture
def space() -> Space:
    """One fact of each sort: one fades away, one is promoted, of one the promotion waits."""
    lines = [fact("cups", weight=0.01), fact("tea", producer="user"), fact("milk", producer="user"), fact("jam")]
    return space_of(*lines, edge("jam", "contradicts", "milk"))


@pytest.fixture
def drastic() -> Space:
    """The next pass prunes forty global facts of a hundred."""
    faded = [fact(f"g{each:02}", scope="global", prior=0.01) for each in range(40)]
    return space_of(*faded, *(fact(f"l{each:02}", prior=0.7) for each in range(60)))


def address(space: Space, name: str = "passes", *more: object) -> str:
    return reverse(name, args=[space.name, *more])


def work() -> None:
    """What a worker does."""
    for pk in jobs.due(clock.now()):
        job = jobs.claim(pk, now=clock.now())
        assert job
        kinds.do(job, clock.now)


def run(client: Client, space: Space) -> str:
    """Where a pass that was asked for and done leads to."""
    asked = client.post(address(space, "pass-run"))
    work()
    return client.get(asked["Location"]).headers.get("Location", asked["Location"])


def report(space: Space, number: int = -1) -> str:
    """The address of the report of a pass, by its place in time."""
    instants = Pass.objects.filter(space=space).order_by("instant").values_list("instant", flat=True)
    return address(space, "pass", to_text(list(instants)[number]))


def waiting(space: Space) -> Job:
    return Job.objects.get(space=space, state=JobState.NEEDS_A_PERSON)


def text(answer) -> str:
    return unescape(re.sub(r"\s+", " ", strip_tags(answer.content.decode())))


# Who may


def test_a_reader_sees_passes_and_may_do_nothing(space, client, client_of, member):
    run(client, space)
    reader = client_of(member(space, Role.READER))
    shown = text(reader.get(address(space)))
    assert "All passes" in shown
    assert not {"Run now", "Preview", "Set:"} & set(re.findall(r"Preview|Set:|Run now(?!”)", shown))
    assert "Roll back" not in text(reader.get(report(space)))
    for name in ("pass-run", "pass-preview", "pass-schedule"):
        assert reader.post(address(space, name)).status_code == 403


def test_a_reviewer_previews_and_a_curator_runs_approves_and_schedules(drastic, client, client_of, member):
    reviewer, curator = client_of(member(drastic, Role.REVIEWER)), client_of(member(drastic, Role.CURATOR))
    assert reviewer.post(address(drastic, "pass-preview")).status_code == 302
    assert reviewer.post(address(drastic, "pass-run")).status_code == 403
    assert curator.post(address(drastic, "pass-run")).status_code == 302
    work()
    job = waiting(drastic)
    for name, given in (("pass-approve", {"head": 1}), ("pass-again", {})):
        assert reviewer.post(address(drastic, name, job.pk), given).status_code == 403
    assert "A curator of this space can approve it." in text(reviewer.get(address(drastic)))
    assert curator.post(address(drastic, "pass-again", job.pk)).status_code == 302
    given = {"kind": jobs.REFRESH, "every": 24, "at": "05:00"}
    assert curator.post(address(drastic, "pass-schedule"), given).status_code == 302


def test_to_a_stranger_there_is_no_such_space(space, client_of):
    stranger = client_of(User.objects.create_user("stranger"))
    for name in ("passes", "pass-run", "pass-preview", "pass-schedule"):
        assert stranger.get(address(space, name)).status_code in (404, 405)
        assert stranger.post(address(space, name)).status_code in (404, 405)


# Run now


def test_a_pass_is_asked_for_waits_for_a_worker_is_taken_and_leads_to_its_report(space, client):
    asked = client.post(address(space, "pass-run"))
    assert "It waits for a worker." in text(client.get(asked["Location"]))
    work()
    assert client.get(asked["Location"])["Location"] == report(space)
    led = client.get(asked["Location"], headers=HTMX)
    assert led["HX-Redirect"] == report(space)
    shown = text(client.get(report(space)))
    assert "4 Weighed" in shown and "1 Pruned" in shown and "1 Promoted" in shown and "1 Promotion waits" in shown
    assert "asked for by owner" in shown
    assert "Which promotions wait, and for what, a preview lists." in shown
    assert "Which promotions wait" not in text(client.get(run(client, space_of(fact("tea"), name="calm"))))


def test_asked_for_twice_it_is_one_job(space, client):
    for name in ("pass-run", "pass-preview"):
        first, second = (client.post(address(space, name))["Location"] for _ in range(2))
        assert first == second
    assert Job.objects.filter(space=space).count() == 2


def test_how_far_a_pass_is_stands_on_the_page_and_is_asked_for_alone(space, client):
    job = jobs.claim(consolidation.ask(space, by="ana", now=clock.now()).pk, now=clock.now())
    jobs.progress(job, 3, 4, now=clock.now())
    for answer in (client.get(address(space)), client.get(address(space, "pass-job", job.pk))):
        assert "3 of 4 facts are done." in text(answer)
        assert 'aria-valuenow="75"' in answer.text
        assert f'hx-get="{address(space)}' in answer.text
    part = client.get(address(space), headers=HTMX)
    assert part.text.strip().startswith('<div id="now"')


def test_once_it_has_ended_all_but_the_schedule_is_shown_anew(space, client):
    run(client, space)
    ended = client.get(address(space), headers=HTMX)
    assert ended.headers["HX-Retarget"] == "#live"
    assert "hx-get" not in ended.text
    assert report(space) in ended.text
    assert 'id="schedule"' not in ended.text


def test_a_pass_that_no_worker_takes_says_so(space, client):
    job = consolidation.ask(space, by="ana", now=clock.now() - 60 * MICROSECONDS_PER_SECOND)
    for answer in (client.get(address(space)), client.get(address(space, "pass-job", job.pk))):
        assert "No worker has taken it yet" in text(answer)


@pytest.mark.parametrize("kind", [jobs.CONSOLIDATION, jobs.PREVIEW, jobs.REFRESH])
def test_what_failed_says_why_and_can_be_tried_again(space, client, kind):
    job = jobs.claim(jobs.ask(space, kind, by="ana", now=clock.now()).pk, now=clock.now())
    jobs.fail(job, "the moon was <full>", now=clock.now())
    for answer in (client.get(address(space)), client.get(address(space, "pass-job", job.pk))):
        assert "It failed:" in text(answer)
        assert escape("the moon was <full>") in answer.text
    again = client.post(address(space, "pass-again", job.pk))
    assert Job.objects.get(space=space, kind=kind, state=JobState.QUEUED).pk == int(again["Location"].split("/")[-2])


def test_a_pass_that_failed_is_among_what_needs_somebody(space, client):
    job = jobs.claim(consolidation.ask(space, by="ana", now=clock.now()).pk, now=clock.now())
    jobs.fail(job, "the moon was full", now=clock.now())
    needs = re.findall(r'<a class="need" href="(.*?)".*?<b>(.*?)</b>', client.get(address(space, "dashboard")).text)
    assert (address(space), "job that failed") in needs


def test_what_was_done_since_it_failed_is_told_no_more(space, client):
    job = jobs.claim(consolidation.ask(space, by="ana", now=clock.now()).pk, now=clock.now())
    jobs.fail(job, "the moon was full", now=clock.now())
    run(client, space)
    assert "the moon was full" not in client.get(address(space)).text


def test_a_job_that_is_not_there_any_more_leads_back(space, client):
    there = address(space, "pass-job", 4711)
    assert client.get(there).status_code == 404
    assert client.get(there, headers=HTMX)["HX-Redirect"] == address(space)
    client.post(address(space, "pass-again", 4711), follow=True)
    assert not Job.objects.exists()


# A person's word


def test_a_pass_that_does_too_much_stands_on_top_with_the_reason_in_numbers(drastic, client):
    assert run(client, drastic) == address(drastic, "pass-job", waiting(drastic).pk)
    for answer in (client.get(address(drastic)), client.get(address(drastic, "pass-job", waiting(drastic).pk))):
        shown = text(answer)
        assert "A pass needs a person's word" in shown
        assert (
            "It would prune 40 global facts of 100 that are live; more than 20 and 5 % need a person's word." in shown
        )
        assert "the clock runs on" in shown
        assert "To keep a fact, accept it, or undo what did this; then look again. Left alone it waits" in shown
        assert "more than was approved" not in shown
    page = client.get(address(drastic)).text
    assert page.index('id="waits-title"') < page.index('id="due-title"')
    assert Fact.objects.filter(space=drastic, pruned=True).count() == 0


def test_events_that_moved_many_facts_stop_it_too(client):
    now = clock.now()
    space = space_of(*(fact(f"l{each:02}", on=_today() - 1) for each in range(60)))
    consolidation.consolidate(space, by="ana", now=now)
    said = [{"type": "event", "kind": "contradicted", "fact": f"l{each:02}", "source": "mail"} for each in range(31)]
    acts.write(space, said, now=now + 1)
    run(client, space)
    shown = text(client.get(address(space)))
    assert "31 facts of 60 that are live are forgotten, or in another band, by what came since the last pass" in shown


def test_it_is_the_first_of_what_needs_somebody(drastic, client):
    run(client, drastic)
    needs = re.findall(r'<a class="need" href="(.*?)"', client.get(address(drastic, "dashboard")).text)
    assert needs[0] == address(drastic, "pass-job", waiting(drastic).pk)


def test_approved_it_is_taken(drastic, client):
    run(client, drastic)
    job = waiting(drastic)
    head = int(re.search(r'name="head" value="(\d+)"', client.get(address(drastic)).text)[1])
    asked = client.post(address(drastic, "pass-approve", job.pk), {"head": head})
    work()
    assert client.get(asked["Location"])["Location"] == report(drastic)
    assert Fact.objects.filter(space=drastic, pruned=True).count() == 40
    assert 'id="waits-title"' not in client.get(address(drastic)).text
    shown = text(client.get(report(drastic)))
    assert "approved by owner" in shown and "Asked for" not in shown.split("It took")[0]


def test_where_it_would_do_more_than_was_approved_it_says_so_and_waits_again(drastic, client):
    run(client, drastic)
    job = waiting(drastic)
    head = int(re.search(r'name="head" value="(\d+)"', client.get(address(drastic)).text)[1])
    asked = client.post(address(drastic, "pass-approve", job.pk), {"head": head})
    assert "approved by owner" in text(client.get(asked["Location"]))
    more = [fact(f"h{each:02}", scope="global", prior=0.01) for each in range(30)]
    taken(drastic, as_file(more), now=clock.now())
    work()
    for page in (address(drastic), address(drastic, "pass-job", waiting(drastic).pk)):
        assert "It would now do more than was approved: look, and approve again." in text(client.get(page))


@pytest.mark.parametrize("head", ["stale", "", "x", "9" * 40])
def test_what_was_looked_at_anew_meanwhile_is_not_approved_unseen(drastic, client, head):
    run(client, drastic)
    job = waiting(drastic)
    shown = re.search(r'name="head" value="(\d+)"', client.get(address(drastic)).text)[1]
    acts.write(drastic, [{"type": "event", "kind": "recalled", "fact": "l00"}], now=clock.now())
    client.post(address(drastic, "pass-again", job.pk))
    work()
    given = {"head": shown if head == "stale" else head}
    refused = client.post(address(drastic, "pass-approve", job.pk), given, follow=True)
    assert "looked at anew meanwhile" in text(refused)
    assert waiting(drastic).pk == job.pk
    assert Fact.objects.filter(space=drastic, pruned=True).count() == 0


def test_looked_at_anew_it_still_waits_since_the_first_time(drastic, client):
    run(client, drastic)
    first = Pass.objects.filter(space=drastic).latest("instant").instant
    Pass.objects.filter(space=drastic).update(instant=first)
    later = first + 5 * HOUR
    job = jobs.claim(consolidation.ask(drastic, by="ana", now=later).pk, now=later)
    kinds.do(job, lambda: later)
    assert Pass.objects.filter(space=drastic, void=True).count() == 2
    assert f"It has waited since {to_datetime(first):%Y-%m-%d %H:%M} UTC" in text(client.get(address(drastic)))


def test_a_pass_that_was_held_back_is_told_so_and_is_not_offered_to_be_brought_back(drastic, client):
    run(client, drastic)
    assert "held back: it needed a person's word" in text(client.get(address(drastic)))
    shown = text(client.get(report(drastic)))
    assert "This pass was held back" in shown
    assert "Bring back" not in shown and "Roll back" not in shown


# Previews


def test_a_preview_tells_each_fact_with_its_numbers_and_writes_nothing(space, client):
    before = state_hash(space)
    asked = client.post(address(space, "pass-preview"))
    work()
    answer = client.get(asked["Location"])
    shown = text(answer)
    assert "It would be taken without asking anybody." in shown
    for said in ("What cups says. 0.01 → 0.01 its weight lies below 0.05", "scope session → global", "half-life"):
        assert said in shown
    assert "What milk says." in shown and "a contradiction stands against it" in shown
    assert address(space, "fact", "cups") in answer.text
    assert state_hash(space) == before
    assert not Pass.objects.exists()


def test_a_preview_counts_what_it_does_not_list(client):
    space = space_of(*(fact(f"s{each:02}", prior=0.01) for each in range(60)))
    asked = client.post(address(space, "pass-preview"))
    work()
    shown = text(client.get(asked["Location"]))
    assert shown.count("its weight lies below") == 25
    assert "and 35 more" in shown


def test_each_list_of_a_preview_has_a_page_that_shows_all_of_it(drastic, client):
    client.post(address(drastic, "pass-preview"))
    work()
    job = Job.objects.get(kind=jobs.PREVIEW)
    page = client.get(address(drastic, "pass-job", job.pk)).content.decode()
    assert "and 15 more" in page
    assert page.count("/facts/g") == 25
    one = client.get(address(drastic, "pass-job", job.pk) + "?list=pruned").content.decode()
    assert (one.count("/facts/g"), "more</a>" in one) == (40, False)


def test_a_preview_that_would_stop_says_why(drastic, client):
    asked = client.post(address(drastic, "pass-preview"))
    work()
    shown = text(client.get(asked["Location"]))
    assert "It would stop and wait for a person's word." in shown
    assert "40 global facts of 100" in shown


def test_where_lines_came_since_a_preview_says_so(space, client):
    asked = client.post(address(space, "pass-preview"))
    work()
    assert "Lines have come since" not in text(client.get(asked["Location"]))
    acts.write(space, [{"type": "event", "kind": "recalled", "fact": "tea"}], now=clock.now())
    assert "Lines have come since" in text(client.get(asked["Location"]))


# Reports


def test_the_report_lists_every_change_and_can_be_filtered(space, client):
    run(client, space)
    assert client.get(report(space)).text.count("<td><a href=") == Change.objects.filter(space=space).count() > 2
    pruned = client.get(report(space) + "?did=pruned")
    assert pruned.text.count("<td><a href=") == 1
    assert address(space, "fact", "cups") in pruned.text
    part = client.get(report(space) + "?did=promoted", headers=HTMX)
    assert part.text.strip().startswith('<section id="changes"')
    assert "session → global" in text(part)
    assert "No fact is like that" in text(client.get(report(space) + "?did=revived"))


@pytest.mark.parametrize("asked", ["did=eaten", "after=x", "before=", "after=" + "9" * 30, "after=\u0661"])
def test_what_an_address_cannot_mean_is_refused(space, client, asked):
    run(client, space)
    assert client.get(f"{report(space)}?{asked}").status_code == 400


@pytest.mark.parametrize("name", ["2020-01-01T00:00:00Z", "yesterday", "~00"])
def test_there_is_no_report_of_what_was_no_pass(space, client, name):
    assert client.get(f"{address(space)}{name}/").status_code == 404


def test_a_report_tells_who_asked_for_it_the_slot_the_constants_and_the_states(space, client):
    slot = to_text(clock.now() - HOUR)
    consolidation.ask(space, by=schedules.SCHEDULE, now=clock.now(), slot=slot)
    work()
    answer = client.get(report(space))
    shown = text(answer)
    assert "asked for by the schedule" in shown and slot in shown and "version 1" in shown
    states = re.findall(r'<th scope="row">(\w+)</th><td class="num">(\d+)</td><td class="num">(\d+)</td>', answer.text)
    assert states == [("live", "4", "3"), ("pruned", "0", "1")]


def test_a_report_of_a_pass_that_nobody_asked_for_here_names_the_version_that_it_went_by(space, client):
    consolidation.consolidate(space, by="ana", now=clock.now() - 1)
    constants.adopt(space, {"prior_weight": 3.0}, by="ana", now=clock.now(), reason="")
    assert "It went by version 1 of the constants." in text(client.get(report(space)))


def test_the_weights_of_a_report_are_those_with_and_without_the_pass_also_after_later_ones():
    lines = [fact(f"f{each}", each / 2, producer="user" if each % 2 else "document") for each in range(8)]
    touches = [event("restated", f"f{each % 8}", each, source=f"s{each % 3}") for each in range(1, 12)]
    uses = [event("recalled", f"f{each % 5}", each + 0.5, source="bot", run=f"r{each}") for each in range(1, 12)]
    space = space_of(*lines, *touches, *uses, edge("f1", "updates", "f2", 4), passes=daily(1, 14))
    names = dict(Fact.objects.filter(space=space).values_list("name", "pk"))
    folded, taken, _ = folding.folded(space)
    seen = 0
    for each in taken:
        constants = queries.constants(space, each.instant)
        rows = {names[id]: place for place, id in enumerate(folded.stored.ids)}
        before, after = (readable(weights.at(each.clock, constants)) for weights in (each.before, each.after))
        of_pass = Pass.objects.get(space=space, instant=each.instant)
        shown = changes.listed(space, of_pass, changes.View("", Place())).rows
        for change, row in zip(Change.objects.filter(of_pass=of_pass).order_by("pk"), shown, strict=True):
            place = rows[change.fact_id]
            assert (row.before, row.after) == (f"{before[place]:.2f}", f"{after[place]:.2f}")
            seen += 1
    assert seen > 20


# Rolling back and bringing back


def test_rolled_back_and_brought_back_it_ends_where_it_began(space, client):
    run(client, space)
    before, name = state_hash(space), to_text(Pass.objects.get().instant)
    offered = text(client.get(report(space)))
    given = {"act": name, "next": report(space), "reason": "too soon, <b>ana</b> says"}
    rolled = client.post(address(space, "undo"), given, follow=True)
    shown = text(rolled)
    assert "The next pass does again what still holds then." in offered
    assert "Rolled back: the pass keeps its place on the clock, and changed nothing." in shown
    assert "This pass is rolled back" in shown and "by owner" in shown
    assert escape("too soon, <b>ana</b> says") in rolled.text
    assert "1 Pruned" in shown  # what it did then
    assert Fact.objects.get(name="cups").pruned is False
    assert "rolled back by owner" in text(client.get(address(space)))
    act = re.search(r'name="act" value="(act:.*?)"', rolled.text)[1]
    back = client.post(address(space, "undo"), {"act": act, "next": report(space)}, follow=True)
    assert "Brought back: it counts again." in text(back)
    assert Fact.objects.get(name="cups").pruned is True
    space.refresh_from_db()
    assert state_hash(space) == before


def test_in_a_large_space_a_worker_does_it_once(space, client, monkeypatch):
    run(client, space)
    monkeypatch.setattr(calibration, "MOST_FOLDED", 1)
    before, name = state_hash(space), to_text(Pass.objects.get().instant)
    given = {"act": name, "next": report(space), "reason": "too soon"}
    first, second = (client.post(address(space, "undo"), given)["Location"] for _ in range(2))
    assert first == second
    assert "It waits for a worker." in text(client.get(first))
    assert Fact.objects.get(name="cups").pruned is True
    work()
    assert client.get(first)["Location"] == report(space)
    rolled = client.get(report(space))
    assert "too soon" in rolled.text
    assert "too soon" not in str(Job.objects.filter(kind=jobs.UNDO).values_list("asked", "result"))
    assert Fact.objects.get(name="cups").pruned is False
    act = re.search(r'name="act" value="(act:.*?)"', rolled.text)[1]
    client.post(address(space, "undo"), {"act": act, "next": report(space)})
    work()
    space.refresh_from_db()
    assert state_hash(space) == before


def test_an_undo_that_failed_in_the_worker_says_why_and_is_tried_again(space, client, monkeypatch):
    run(client, space)
    monkeypatch.setattr(calibration, "MOST_FOLDED", 1)
    name = to_text(Pass.objects.get().instant)
    asked = client.post(address(space, "undo"), {"act": name, "next": "/spaces/", "reason": "why"})["Location"]
    job = jobs.claim(Job.objects.get(kind=jobs.UNDO).pk, now=clock.now())
    jobs.fail(job, "the moon was full", now=clock.now())
    assert "the moon was full" in client.get(asked).text
    again = client.post(address(space, "pass-again", job.pk))["Location"]
    work()
    assert client.get(again)["Location"] == "/spaces/"
    assert Pass.objects.get().void


def test_only_a_curator_rolls_back_large_spaces_included(space, client, client_of, member, monkeypatch):
    run(client, space)
    reviewer, name = client_of(member(space, Role.REVIEWER)), to_text(Pass.objects.get().instant)
    for most in (20_000, 1):
        monkeypatch.setattr(calibration, "MOST_FOLDED", most)
        assert reviewer.post(address(space, "undo"), {"act": name}).status_code == 403
    assert not Line.objects.filter(tag="event.undone").exists() and not Job.objects.filter(kind=jobs.UNDO).exists()


# All passes


def test_passes_come_twenty_five_at_a_time_newest_first(client):
    space = space_of(fact("tea"), passes=daily(1, 60))
    rows = r'<td><a href="(/spaces/diary/passes/2.*?/)"'
    first = client.get(address(space))
    names = re.findall(rows, first.text)
    assert len(names) == 25
    assert names == sorted(names, reverse=True)
    second = client.get(_link(first, "next"))
    third = client.get(_link(second, "next"))
    assert [len(re.findall(rows, each.text)) for each in (second, third)] == [25, 10]
    assert 'rel="next"' not in third.text
    assert re.findall(rows, client.get(_link(second, "prev")).text) == names
    assert 'rel="prev"' not in first.text


def _link(answer, rel: str) -> str:
    return re.search(rf'rel="{rel}" href="(.*?)"', answer.text)[1].replace("&amp;", "&")


def test_changes_come_fifty_at_a_time_and_the_filter_stays(client):
    space = space_of(*(fact(f"s{each:03}", prior=0.01) for each in range(120)))
    run(client, space)
    first = client.get(report(space) + "?did=pruned")
    second = client.get(report(space) + _link(first, "next"))
    assert "did=pruned" in _link(first, "next")
    found = [re.findall(r"What (s\d+) says", each.text) for each in (first, second)]
    assert [len(each) for each in found] == [50, 50]
    assert not set(found[0]) & set(found[1])
    assert re.findall(r"What (s\d+) says", client.get(report(space) + _link(second, "prev")).text) == found[0]


def test_an_empty_space_and_one_without_a_pass_say_so(client, space):
    empty = spaces.create("empty")
    assert "There is nothing to consolidate yet" in text(client.get(address(empty)))
    assert "No pass yet" in text(client.get(address(space)))


# Schedules


def test_the_next_pass_is_told_in_utc_and_as_a_span(space, client):
    due = schedules.next_due(schedules.DEFAULTS[jobs.CONSOLIDATION], clock.now())
    assert f"{to_datetime(due):%Y-%m-%d} 03:00 UTC in " in text(client.get(address(space)))
    assert f"{to_datetime(due):%Y-%m-%d} 03:00 UTC in " in text(client.get(address(space, "dashboard")))


@pytest.mark.parametrize(
    ("every", "at", "offset"), [("24", "05:30", 5.5), ("6", "07:15", 1.25), ("1", "23:45", 0.75), ("0", "05:00", 0)]
)
def test_a_schedule_is_set_by_how_often_and_the_time_of_day(space, client, owner, every, at, offset):
    given = {"kind": jobs.CONSOLIDATION, "every": every, "at": at}
    assert client.post(address(space, "pass-schedule"), given)["Location"] == address(space)
    assert schedules.of(space)[jobs.CONSOLIDATION] == Rhythm(int(every) * HOUR, int(offset * HOUR))
    assert Schedule.objects.get(kind=jobs.CONSOLIDATION).by == owner.username
    assert "by owner" in text(client.get(address(space)))


def test_what_is_rarer_than_daily_begins_at_that_time_next_and_keeps_its_day(space, client):
    given = {"kind": jobs.CONSOLIDATION, "every": "168", "at": "05:00"}
    client.post(address(space, "pass-schedule"), given)
    kept = schedules.of(space)[jobs.CONSOLIDATION]
    due = schedules.next_due(kept, clock.now())
    assert 0 < due - clock.now() <= MICROSECONDS_PER_DAY
    assert f"next {to_datetime(due):%Y-%m-%d} 05:00 UTC" in text(client.get(address(space)))
    Schedule.objects.update(offset=(kept.offset + 3 * MICROSECONDS_PER_DAY) % kept.every)
    moved = schedules.of(space)[jobs.CONSOLIDATION]
    client.post(address(space, "pass-schedule"), given)
    assert schedules.of(space)[jobs.CONSOLIDATION] == moved


@pytest.mark.parametrize(
    "given",
    [
        {"every": "24", "at": "25:00"},
        {"every": "24", "at": "noon"},
        {"every": "5", "at": "05:00"},
        {"every": "-24", "at": "05:00"},
        {"every": "", "at": "05:00"},
        {},
    ],
)
def test_what_is_no_schedule_is_refused_with_the_form(space, client, given):
    answer = client.post(address(space, "pass-schedule"), {"kind": jobs.TRENDS, **given})
    assert answer.status_code == 400
    assert answer.text.count('class="error"') >= 1
    focused, *more = re.findall(r"<(?:input|select)[^>]* autofocus [^>]*>", answer.text)
    assert 'aria-invalid="true"' in focused and 'id="trends_' in focused and not more
    assert 'data-key="g p" aria-current="page"' in answer.text
    assert schedules.of(space) == schedules.DEFAULTS


def test_what_never_comes_needs_no_time_and_what_comes_does(space, client):
    def given(every: str) -> int:
        named = {"kind": jobs.CONSOLIDATION, "every": every, "at": ""}
        return client.post(address(space, "pass-schedule"), named).status_code

    assert (given("24"), given("0")) == (400, 302)
    assert "optional" not in client.get(address(space)).text
    assert schedules.of(space)[jobs.CONSOLIDATION] == Rhythm(0)
    shown = client.get(address(space)).text
    assert re.search(r'value="03:00"[^>]*id="consolidation_at"', shown)


def test_the_page_says_what_its_words_mean_and_what_makes_a_pass_stop(space, client):
    shown = text(client.get(address(space)))
    for word in ("Re-weighed", "Stamped", "Promotion waits", "Held back"):
        assert f"{word}" in shown
    assert "it would prune more than 20 and 5 % of the facts that are live" in shown
    assert "made more than 20 and 20 % of them forgotten, or moved them into another band" in shown


def test_there_is_a_schedule_of_three_kinds_alone(space, client):
    given = {"kind": "import", "every": "24", "at": "05:00"}
    assert client.post(address(space, "pass-schedule"), given).status_code == 400


@pytest.mark.parametrize(
    ("every", "says"),
    [
        (24, None),
        (48, "A fact ages at most 1 day between two passes, and here a pass comes every 2 days"),
        (0, "No pass is due by itself. A fact ages at most 1 day after a pass"),
    ],
)
def test_a_schedule_that_is_slower_than_the_clock_runs_on_is_warned_of(space, client, every, says):
    schedules.change(space, jobs.CONSOLIDATION, Rhythm(every * HOUR), by="ana", now=clock.now())
    shown = text(client.get(address(space)))
    assert says in shown if says else "A fact ages at most" not in shown


def test_a_slot_that_passed_unseen_says_that_nothing_looks_at_the_schedule(space, client):
    assert "nobody has looked at the schedule" not in text(client.get(address(space)))
    schedules.change(space, jobs.CONSOLIDATION, Rhythm(24 * HOUR), by="ana", now=clock.now() - 3 * 24 * HOUR)
    shown = text(client.get(address(space)))
    midnight = to_datetime(clock.now())
    late = midnight.hour or midnight.minute > 5
    assert ("nobody has looked at the schedule" in shown) or not late
    schedules.tick(clock.now())
    assert "nobody has looked at the schedule" not in text(client.get(address(space)))


# What holds for all


def test_looking_writes_nothing(drastic, client):
    run(client, drastic)
    client.post(address(drastic, "pass-preview"))
    work()
    pages = [address(spaces.create("empty")), address(drastic), report(drastic)]
    pages += [address(drastic, "pass-job", job.pk) for job in Job.objects.filter(space=drastic)]
    for page in pages:
        for headers in ({}, HTMX):
            with CaptureQueriesContext(connection) as asked:
                client.get(page, headers=headers)
            assert [each["sql"] for each in asked if not each["sql"].startswith(("SELECT", "DECLARE"))] == []


@contextmanager
def without(table: str) -> Iterator[None]:
    """The database, of which one table cannot be read."""
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME TO {table}_gone")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {table}_gone RENAME TO {table}")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("table", "unread"),
    [("store_job", 3), ("store_schedule", 2), ("store_pass", 2), ("store_constantsversion", 2), ("store_fact", 1)],
)
def test_a_part_of_the_page_that_cannot_be_read_says_so_and_the_others_stay(space, client, table, unread):
    consolidation.consolidate(space, by="ana", now=clock.now())
    with without(table):
        answer = client.get(address(space))
    assert answer.status_code == 200
    assert answer.text.count("This cannot be read now.") == unread
    assert "No pass yet" not in answer.text and "nothing to consolidate" not in answer.text


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["store_change", "store_job", "store_fact"])
def test_so_does_a_part_of_a_report(space, client, table):
    consolidation.consolidate(space, by="ana", now=clock.now())
    there = report(space)
    with without(table):
        answer = client.get(there)
    assert answer.status_code == 200
    assert answer.text.count("This cannot be read now.") == 1
    assert "4 Weighed" in text(answer)


def test_as_many_queries_for_many_rows_as_for_few(client):
    counts = []
    for many in (10, 20):
        lines = [fact(f"s{each:02}", prior=0.01) for each in range(many)]
        space = space_of(*lines, fact("tea"), passes=daily(-many, -1), name=f"s{many}")
        for instant in Pass.objects.filter(space=space).values_list("instant", flat=True)[: many // 2]:
            client.post(address(space, "undo"), {"act": to_text(instant)})
        run(client, space)
        asked = client.post(address(space, "pass-preview"))["Location"]
        work()
        told = []
        for page in (address(space), report(space), asked):
            with CaptureQueriesContext(connection) as queried:
                assert client.get(page).status_code == 200
            told.append(len(queried))
        counts.append(told)
        assert Change.objects.filter(space=space, of_pass=Pass.objects.latest("instant")).count() == many
    assert counts[0] == counts[1]
    assert max(counts[0]) < 40


def _today() -> float:
    """Now, in days of the makers."""
    return (clock.now() - START) / MICROSECONDS_PER_DAY


def test_the_counts_of_a_preview_and_of_the_pass_are_the_same(space, client):
    asked = client.post(address(space, "pass-preview"))
    work()
    shown = re.findall(r'<ul class="counts">(.*?)</ul>', client.get(asked["Location"]).text)[0]
    run(client, space)
    taken = Pass.objects.get(space=space)
    assert re.findall(r'<span class="num">(\d+)</span>', shown) == [str(getattr(taken, name)) for name in COUNTS]
