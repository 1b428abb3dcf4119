"""Many at once at the desk: counted and looked at first, decided in one act, taken back by one click."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.actions.world import as_file, space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.desk.test_review import pair, read, shown
from tests.makers import event, fact
from trustmem.actions import facts, jobs, kinds, undo, verdicts
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.desk import clock
from trustmem.desk.views import batches
from trustmem.store.cases import CONTRADICTION
from trustmem.store.models import Case, Click, Fact, Job, JobState, Line, Queued, Role, Space, User
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

MANY = 12
ALIKE = "?kind=contradiction&source=flood"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def space() -> Space:
    """Much that one bot contradicts, two that another does, and an objection."""
    lines = [line for number in range(MANY) for line in pair(f"f{number:02}", "flood")]
    lines += [*pair("door", "scan"), *pair("gate", "scan"), fact("tea", 1, tier="human")]
    return space_of(*lines, event("contradicted", "tea", 4, source="scan", id="against"))


@pytest.fixture
def client(space: Space, owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def address(space: Space, query: str = ALIKE) -> str:
    return reverse("review-all", args=[space.name]) + query


def form_of(answer: HttpResponse) -> dict[str, str]:
    """What the form of a page would send: the hidden fields as they stand."""
    form = answer.text.split("<main")[1].split("<form", 1)[1].split("</form>")[0]
    return {name: value for name, value in re.findall(r'<input type="hidden" name="(.*?)" value="(.*?)"', form)}


def decide(client: Client, space: Space, query: str = ALIKE, **said: str) -> HttpResponse:
    form = form_of(client.get(address(space, query)))
    return client.post(address(space, ""), form | {"verdict": "keep left"} | said, follow=True)


def states(beginning: str = "f") -> set[int]:
    return set(Fact.objects.filter(name__regex=rf"^{beginning}\d\d-new$").values_list("state", flat=True))


# Cases


def test_it_says_how_many_they_are_what_each_verdict_forgets_and_shows_ten_of_them(client, space):
    answer = client.get(address(space))
    text = read(answer.text)
    assert f"{MANY} contradictions by flood" in text
    assert f"keep left The older claim is accepted, the newer one is forgotten. {MANY} facts would be forgotten" in text
    assert f"neither Both claims are forgotten. {2 * MANY} facts would be forgotten" in text
    assert "not a contradiction What was said against them is dismissed; both stay. Why" in text
    assert "10 of them, from all over the list" in text
    assert answer.text.count('class="queued"') == 10


def test_nothing_is_chosen_beforehand_and_what_needs_words_of_its_own_is_no_choice(client, space):
    text = client.get(address(space)).text
    assert "checked" not in text
    assert "autofocus" not in text.split("<main")[1].split("</main>")[0]
    offered = re.findall(r'name="verdict" value="(.*?)"', text)
    assert offered == [*verdicts.of_many(CONTRADICTION)]
    assert "both hold" not in offered


def test_all_of_them_are_decided_in_one_act_and_one_click_takes_that_back(client, space):
    before = state_hash(space)
    answer = decide(client, space, reason="All of it is noise.")
    assert f"{MANY} cases are decided." in answer.text
    assert states() == {FORGOTTEN}
    acts = set(Line.objects.filter(space=space, tag="event.closed").values_list("act", flat=True))
    assert len(acts) == 1
    assert f'name="act" value="{acts.pop()}"' in answer.text
    given = dict(re.findall(r'name="(act|next)" value="(.*?)"', answer.text))
    assert "Undone" in client.post(reverse("undo", args=[space.name]), given, follow=True).text
    assert state_hash(space) == before
    assert Queued.objects.count() == MANY + 3


def test_a_whole_kind_can_be_decided(client, space):
    assert "2 cases are decided" not in decide(client, space, "?kind=contradiction").text
    assert set(Queued.objects.values_list("kind", flat=True)) == {"challenge"}


def test_what_others_did_meanwhile_is_left_out_and_told(client, space):
    form = form_of(client.get(address(space)))
    first = Case.objects.get(about__fact="f00-old")
    verdicts.decide(space, [first.name], "keep right", by="ben", now=clock.now())
    facts.accept(space, "f01-old", by="ben", now=clock.now())
    taken(space, as_file(pair("f99", "flood", 98)), clock.now())
    answer = client.post(address(space, ""), form | {"verdict": "keep left"}, follow=True)
    assert f"{MANY - 2} cases are decided." in answer.text
    assert "Left out: 1 waited no more, 1 had changed." in answer.text
    assert Fact.objects.get(name="f99-new").state == LIVE


def test_without_a_verdict_it_asks_for_one_and_does_nothing(client, space):
    form = form_of(client.get(address(space)))
    answer = client.post(address(space, ""), form)
    assert answer.status_code == 400
    assert "Choose a verdict." in answer.text
    assert Queued.objects.count() == MANY + 3


@pytest.mark.parametrize(
    "change", [{"seen": "x"}, {"seen": "-1"}, {"shown": ""}, {"kind": ""}, {"kind": "quarrel"}, {"reason": "x" * 3000}]
)
def test_a_form_that_no_page_of_ours_has_decides_nothing(client, space, change):
    form = form_of(client.get(address(space))) | {"verdict": "keep left"} | change
    assert client.post(address(space, ""), form).status_code == 400
    assert Queued.objects.count() == MANY + 3


@pytest.mark.parametrize("verdict", ["both hold", "write the right one", "uphold", "nonsense"])
def test_a_verdict_that_is_none_on_many_is_refused(client, space, verdict):
    assert "Not done" in decide(client, space, verdict=verdict).text
    assert Queued.objects.count() == MANY + 3


def test_cases_of_different_kinds_are_not_decided_alike(client, space):
    answer = client.get(address(space, "?source=scan"))
    assert answer.status_code == 400
    assert "choose a kind first" in answer.text


def test_where_nothing_is_like_that_it_says_so_and_has_no_button(client, space):
    answer = client.get(address(space, "?kind=cycle"))
    assert "No open case is like that" in answer.text
    assert 'name="verdict"' not in answer.text


def test_the_same_form_twice_is_one_act(client, space):
    form = form_of(client.get(address(space))) | {"verdict": "keep left"}
    for _ in range(2):
        answer = client.post(address(space, ""), form, follow=True)
        assert f"{MANY} cases are decided." in answer.text
    assert Line.objects.filter(space=space, tag="event.closed").values("act").distinct().count() == 1
    assert Click.objects.count() == 1


def test_it_takes_a_curator(client_of, member: MemberOf, space):
    for role in (Role.READER, Role.REVIEWER):
        assert client_of(member(space, role)).get(address(space)).status_code == 403
        assert client_of(User.objects.get(username=f"some-{role}")).post(address(space, "")).status_code == 403
    curator = client_of(member(space, Role.CURATOR))
    assert f"{MANY} cases are decided." in decide(curator, space).text


# Facts


@pytest.fixture
def noisy(owner: User) -> Space:
    """Case 47: two facts that somebody means, and ten of noise."""
    noise = [fact(f"noise{number:02}", source="cron") for number in range(10)]
    return space_of(*noise, fact("tea", source="ana"), fact("milk", source="ana"), name="noisy")


def linked(answer: HttpResponse, text: str) -> str:
    """Where a link of that text leads."""
    found = re.search(rf'<a[^>]*href="([^"]*)"[^>]*>{text}', answer.text)
    assert found, f"there is no link {text}"
    return found[1].replace("&amp;", "&")


def test_noise_of_one_source_is_cleared_in_three_clicks_and_comes_back_by_a_fourth(client, noisy):
    before, listing = state_hash(noisy), reverse("facts", args=[noisy.name])
    answer = client.get(listing + linked(client.get(listing), "cron"))  # 1: the source in any row
    assert "10 facts" in answer.text
    answer = client.get(linked(answer, "Forget all of this list"))  # 2
    assert "Forget 10 facts?" in answer.text
    answer = client.post(reverse("forget-all", args=[noisy.name]), form_of(answer), follow=True)  # 3
    assert "10 facts are forgotten" in answer.text
    assert list(Fact.objects.filter(space=noisy, state=LIVE).order_by("name").values_list("name", flat=True)) == [
        "milk",
        "tea",
    ]
    given = dict(re.findall(r'name="(act|next)" value="(.*?)"', answer.text))
    answer = client.post(reverse("undo", args=[noisy.name]), given, follow=True)  # 4, if it was a mistake
    assert "10 facts" in answer.text
    assert state_hash(noisy) == before


def test_ten_of_them_are_shown_and_what_they_are_filtered_by(client, noisy):
    answer = client.get(reverse("forget-all", args=[noisy.name]) + "?text=What")
    assert "Forget 12 facts?" in answer.text
    assert "10 of them, from all over the list" in answer.text
    assert answer.text.count("data-stop") == 10
    assert "Search: <b" in answer.text


@pytest.mark.parametrize(
    "query", ["", "?state=any", "?sort=age", "?source=cron&state=forgotten", "?source=cron&as_of=2026-02-01"]
)
def test_what_is_no_part_of_the_facts_of_now_cannot_be_forgotten_at_once(client, noisy, query):
    listing = client.get(reverse("facts", args=[noisy.name]) + query)
    assert "Forget all of this list" not in listing.text
    assert client.get(reverse("forget-all", args=[noisy.name]) + query).status_code == 400
    given = dict(each.split("=") for each in query.removeprefix("?").split("&") if each)
    form = {"seen": "1000", "shown": "10", **given}
    assert client.post(reverse("forget-all", args=[noisy.name]), form).status_code == 400
    assert Fact.objects.filter(space=noisy, state=LIVE).count() == 12


def test_facts_that_came_or_changed_since_they_were_shown_stay(client, noisy):
    form = form_of(client.get(reverse("forget-all", args=[noisy.name]) + "?source=cron"))
    facts.accept(noisy, "noise03", by="ben", now=clock.now())
    taken(noisy, as_file([fact("noise99", source="cron")]), clock.now())
    answer = client.post(reverse("forget-all", args=[noisy.name]), form, follow=True)
    assert "9 facts are forgotten" in answer.text
    assert "Left out: 1 had changed." in answer.text
    left = Fact.objects.filter(space=noisy, state=LIVE, source="cron").order_by("name")
    assert list(left.values_list("name", flat=True)) == ["noise03", "noise99"]


def test_only_a_curator_forgets_a_list(client_of, member: MemberOf, noisy):
    reviewer = client_of(member(noisy, Role.REVIEWER))
    assert "Forget all of this list" not in reviewer.get(reverse("facts", args=[noisy.name]) + "?source=cron").text
    assert reviewer.get(reverse("forget-all", args=[noisy.name]) + "?source=cron").status_code == 403


# By a worker


def worked() -> None:
    now = clock.now()
    kinds.do(jobs.claim(Job.objects.get().pk, now=now), lambda: now)


def test_many_are_done_by_a_worker_whose_page_tells_what_it_came_to(client, space, monkeypatch):
    monkeypatch.setattr(batches, "FEW", 5)
    answer = decide(client, space, reason="Noise, all of it.")
    page = reverse("batch-job", args=[space.name, Job.objects.get().pk])
    assert answer.redirect_chain[-1][0] == page
    assert "It waits for a worker." in answer.text
    assert f'hx-get="{page}"' in answer.text
    part = client.get(page, headers=HTMX)
    assert part.text.strip().startswith('<section id="state"')
    assert "<html" in client.get(page, headers=HTMX | {"HX-History-Restore-Request": "true"}).text
    worked()
    assert client.get(page, headers=HTMX).headers["HX-Redirect"] == page  # its frame has changed, too
    answer = client.get(page)
    assert f"{MANY} cases are decided." in answer.text
    assert "hx-get" not in answer.text.split("<main")[1]
    assert states() == {FORGOTTEN}


def test_what_a_worker_did_is_undone_and_brought_back_on_the_page_of_its_job(client, space, monkeypatch):
    monkeypatch.setattr(batches, "FEW", 5)
    page = decide(client, space).redirect_chain[-1][0]
    worked()
    for says, left in (("Undone just now by owner", LIVE), ("Undo", FORGOTTEN)):
        given = dict(re.findall(r'name="(act|next)" value="(.*?)"', client.get(page).text))
        answer = client.post(reverse("undo", args=[space.name]), given, follow=True)
        assert answer.redirect_chain[-1][0] == page
        assert says in read(answer.text)
        assert states() == {left}


def test_a_job_that_fails_says_why_and_leads_back(client, space, monkeypatch):
    monkeypatch.setattr(batches, "FEW", 5)
    answer = decide(client, space)
    names = Case.objects.filter(key__contains="contradiction").values_list("name", flat=True)
    verdicts.decide(space, list(names), "not a contradiction", by="ben", now=clock.now())
    worked()
    text = client.get(answer.redirect_chain[-1][0]).text
    assert "nothing of it is left as it was shown" in text
    assert "Look again" in text


def test_a_job_that_is_gone_is_nothing_and_is_asked_for_no_more(client, space):
    address = reverse("batch-job", args=[space.name, 7])
    assert client.get(address).status_code == 404
    assert client.get(address, headers=HTMX).headers["HX-Redirect"] == reverse("review", args=[space.name])


def test_undoing_what_a_worker_did_is_a_job_too(client, space, monkeypatch):
    monkeypatch.setattr(undo, "_MANY", 5)
    decide(client, space)
    act = Line.objects.filter(space=space, tag="event.closed").first().act
    answer = client.post(reverse("undo", args=[space.name]), {"act": act})
    assert Job.objects.get().kind == jobs.UNDO
    assert answer.url == reverse("pass-job", args=[space.name, Job.objects.get().pk])
    worked()
    assert Job.objects.get().state == JobState.DONE
    assert states() == {LIVE}


def test_the_page_of_a_case_leads_to_all_that_are_alike(client, client_of, member: MemberOf, space):
    of_many, by_itself = Case.objects.get(about__fact="f00-old"), Case.objects.get(about__fact="door-old")
    page = reverse("case", args=[space.name, of_many.name])
    text = client.get(page).text
    assert f"{MANY} contradictions by flood" in read(text)
    assert f'href="{address(space).replace("&", "&amp;")}"' in text
    assert "Apply to all like this" not in client.get(reverse("case", args=[space.name, by_itself.name])).text
    assert "Apply to all like this" not in client_of(member(space, Role.REVIEWER)).get(page).text
    decide(client, space)
    assert "Apply to all like this" not in client.get(page).text


def test_a_batch_is_found_in_the_queue_once_there_are_many_alike(client, space):
    text = shown(client, space).text
    assert f'href="{address(space).replace("&", "&amp;")}"' in text
    assert "Apply to all like this" in text


def test_single_ones_that_were_shown_are_left_out(client, space):
    page = client.get(address(space)).text
    offered = re.findall(
        r'<input type="checkbox" name="leave_out" value="(.*?)" form="decide" autocomplete="off">', page
    )
    assert len(offered) == 10
    without = decide(client, space, leave_out=offered[:2], verdict="")
    assert without.text.count('autocomplete="off" checked') == 2  # who has to send it anew need not choose anew
    answer = decide(client, space, leave_out=[*offered[:2], "nothing", "\0"])
    assert f"{MANY - 2} cases are decided." in read(answer.text)
    assert "waited no more" not in read(answer.text)
    assert sorted(Queued.objects.filter(source="flood").values_list("case__name", flat=True)) == sorted(offered[:2])


def test_they_are_left_out_by_a_worker_too(client, space, monkeypatch):
    monkeypatch.setattr(batches, "FEW", 1)
    (first, *_) = re.findall(r'name="leave_out" value="(.*?)"', client.get(address(space)).text)
    decide(client, space, leave_out=[first])
    job = jobs.claim(Job.objects.get(kind=jobs.DECISION).pk, now=clock.now())
    assert job
    kinds.do(job, clock.now)
    assert Queued.objects.get(source="flood").case.name == first
