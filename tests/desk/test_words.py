"""Whatever people read goes through gettext, on every page of the URL table; what users wrote is marked as such."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from html.parser import HTMLParser
from io import BytesIO
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import quote_plus

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import translation

from tests.actions.test_verdicts import case_of
from tests.actions.world import space_of
from tests.core import simulated
from tests.desk.conftest import ClientOf
from tests.desk.judged import judged
from tests.desk.test_case_page import OF_KINDS
from tests.desk.test_fitting import SOUGHT, fitted
from tests.makers import constants as change
from tests.makers import daily, day, edge, event, fact
from tests.store.restated import pairs
from trustmem.actions import (
    acts,
    batches,
    consolidation,
    constants,
    demo,
    erasing,
    facts,
    handouts,
    jobs,
    kinds,
    saved_views,
    schedules,
    spaces,
    tokens,
    undo,
    uploads,
)
from trustmem.actions.schedules import Rhythm
from trustmem.actions.verdicts import OFFERED
from trustmem.core import fitting as core_fitting
from trustmem.core.constants import Constants
from trustmem.core.instants import MICROSECONDS_PER_DAY, to_text
from trustmem.desk import clock
from trustmem.desk.presenters.imports import act_of
from trustmem.store import cases
from trustmem.store.cases import BULK_CHANGE, kind_of
from trustmem.store.lists import Filter
from trustmem.store.log import KINDS
from trustmem.store.models import (
    Case,
    Fact,
    Import,
    Job,
    JobState,
    Line,
    Mention,
    Pass,
    Queued,
    Role,
    Space,
    Token,
    User,
)
from trustmem.store.models.scores import BITS

pytestmark = pytest.mark.django_db

_GETTEXTS = ("gettext", "ngettext", "pgettext", "npgettext")
#: What people read in attributes, be it by way of a script.
_READ = (
    "aria-label",
    "title",
    "placeholder",
    "alt",
    "data-says",
    "data-failed",
    "data-auto",
    "data-light",
    "data-dark",
)
_UNREAD = ("script", "style", "kbd", "code")
_VOID = ("meta", "link", "input", "br", "hr", "img")
_BRAND = " · trustmem"
#: Instants are written alike in every language.
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC")


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes through gettext stands between ⟦ and ⟧, and the language has a name of its own, under which nothing
    is kept from other tests."""
    trans = translation._trans  # type: ignore[attr-defined]
    for name in _GETTEXTS:
        monkeypatch.setattr(trans, name, _marking(getattr(trans, name)), raising=False)
    monkeypatch.setattr(trans, "get_language", lambda: "en-marked", raising=False)


def _marking(say: Callable[..., str]) -> Callable[..., str]:
    return lambda *given: f"⟦{say(*given)}⟧"


class Offender(NamedTuple):
    """A text that did not go through gettext, and where it stands."""

    place: str
    text: str


class Reader(HTMLParser):
    """Reads a page as people do, and notes what stands outside of all marks."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.depth = 0
        self.found: list[Offender] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        is_ours = self._is_ours() and given.get("translate") != "no" and tag not in _UNREAD
        read = [*_READ, "value"] if tag == "input" and given.get("type") in ("submit", "button") else _READ
        for name in read if is_ours else ():
            if _outside(given.get(name, ""), 0)[0]:
                self.found.append(Offender(f"{tag}[{name}]", given[name]))
        if tag not in _VOID:
            self.open.append((tag, is_ours and tag != "textarea"))

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._is_ours():
            outside, self.depth = _outside(data, self.depth)
            if outside:
                self.found.append(Offender(">".join(tag for tag, _ in self.open[-3:]), data.strip()))

    def _is_ours(self) -> bool:
        return not self.open or self.open[-1][1]


def _outside(text: str, depth: int) -> tuple[bool, int]:
    """Whether a letter stands outside of all marks, and how many marks are open at the end."""
    outside = False
    for each in _INSTANT.sub("", text.removesuffix(_BRAND)):
        depth += (each == "⟦") - (each == "⟧")
        outside = outside or (depth == 0 and each.isalpha())
    return outside, depth


def offenders(page: str) -> list[Offender]:
    reader = Reader()
    reader.feed(page)
    return list(dict.fromkeys(reader.found)) + (
        [] if reader.depth == 0 else [Offender("page", "a translation was cut short")]
    )


# The reader itself.


@pytest.mark.parametrize(
    "page",
    [
        "<p>⟦one ⟦two⟧ three⟧ 12 %</p>",
        "<p>⟦lets <b translate='no'>ana</b> in⟧</p>",
        "<p translate='no'>ana <i>says</i></p>",
        "<kbd>Esc</kbd><script>let a</script>",
        "<title>⟦Desk⟧ · trustmem</title>",
        "<input name='a' value='typed by somebody'><textarea>typed, too</textarea>",
    ],
)
def test_what_went_through_gettext_or_is_of_users_is_let_by(page):
    assert offenders(page) == []


@pytest.mark.parametrize(
    "page",
    [
        "<p>one</p>",
        "<p>⟦one⟧ two</p>",
        "<p><b translate='no'>ana</b> says</p>",
        "<a title='one'>⟦two⟧</a>",
        "<input type='submit' value='one'>",
        "<button data-says='one'>⟦two⟧</button>",
        "<textarea placeholder='one'></textarea>",
        "<br>one",
        "<p>⟦one</p>",
    ],
)
def test_what_did_not_is_found(page):
    assert offenders(page) != []


# Every page.


class Page(NamedTuple):
    """An address of the URL table: its name, and the names of what stands in it."""

    name: str
    kwargs: tuple[str, ...]


def _pages(resolver: URLResolver, of: tuple[str, ...] = ()) -> Iterator[Page]:
    for each in resolver.url_patterns:
        names = (*of, *each.pattern.converters)
        if isinstance(each, URLPattern):
            yield Page(each.name or "", names)
        else:
            yield from _pages(each, names)


PAGES = list(_pages(get_resolver("trustmem.desk.urls")))  # the doors for agents answer in English, as data


class World(NamedTuple):
    """A space, what stands in its addresses (in those of some pages, by their names, something else), and who looks:
    its owner, somebody not signed in, and somebody new."""

    space: Space
    named: dict[str, Any]
    elsewhere: dict[str, dict[str, Any]]
    owner: Client
    visitors: list[Client]

    def address(self, name: str, **others: Any) -> str:
        kwargs = next(page.kwargs for page in PAGES if page.name == name)
        return reverse(
            name, kwargs={each: (self.named | self.elsewhere.get(name, {}) | others)[each] for each in kwargs}
        )


@pytest.fixture
def world(owner: User, client_of: ClientOf) -> World:
    now = clock.now()
    space = demo.make(by="owner", now=now)
    named = {
        "space": space.name,
        "fact": Fact.objects.filter(space=space).earliest("pk").name,
        "imported": act_of(Import.objects.get(space=space)),
        "job": _judged(space, now).pk,
        "case": _opened(space, now),
        "source": "planner",
        "of": Line.objects.filter(space=space, tag="import").latest("position").name,
        "instant": to_text(Pass.objects.filter(space=space, pruned__gt=0).latest("instant").instant),
        "uid": "nobody",
        "token": "none",
    }
    newcomer = client_of(User.objects.create_user("newcomer"))
    elsewhere = {name: {"job": _previewed(space, now).pk} for name in ("pass-job", "pass-approve", "pass-again")}
    _counted(space, now)
    elsewhere["log-report"] = {"job": _verified(space, now).pk}
    elsewhere["truth-figure"] = {"of": "bands"}
    elsewhere |= {name: {"number": 1} for name in ("version", "roll-back")}
    judged(space, 30, source="planner")
    elsewhere["duplicate"] = {"fact": _alike(space, now)}
    elsewhere["batch-job"] = {"job": _batch(space, now).pk}
    return World(space, named, elsewhere, client_of(owner), [client_of(owner), Client(), newcomer])


def _alike(space: Space, now: int) -> str:
    """A fact that says the same as another."""
    acts.write(space, [{"type": "fact", "id": name, "text": name} for name in ("twin", "twins")], now=now)
    pairs(space, ("twin", "twins"))
    return "twin"


def _batch(space: Space, now: int, done: bool = True) -> Job:
    """A job that forgets many facts."""
    asked = {"of": "facts", "filter": asdict(Filter(source="petra")), "back": "/", "reason": ""}
    job = jobs.ask(space, jobs.DECISION, by="ana", now=now, seen=space.head_position, shown=7, **asked)
    if done:
        kinds.do(jobs.claim(job.pk, now=now), lambda: now)
    return job


def _counted(space: Space, now: int) -> None:
    """Histograms."""
    job = jobs.ask(space, jobs.HISTOGRAMS, by="ana", now=now)
    kinds.do(jobs.claim(job.pk, now=now), lambda: now)


def _previewed(space: Space, now: int) -> Job:
    job = jobs.ask(space, jobs.PREVIEW, by="ana", now=now)
    kinds.do(jobs.claim(job.pk, now=now), lambda: now)
    return job


def _verified(space: Space, now: int) -> Job:
    job = jobs.ask(space, jobs.VERIFY, by="ana", now=now)
    kinds.do(jobs.claim(job.pk, now=now), lambda: now)
    return job


def _opened(space: Space, now: int) -> str:
    """The case of a bulk change."""
    wrong = {"type": "event", "kind": "contradicted", "source": "bot", "run": "r7"}
    facts = Fact.objects.filter(space=space).values_list("name", flat=True)
    acts.write(space, [wrong | {"fact": fact} for fact in facts], now=now)
    return Case.objects.get(space=space, kind=BULK_CHANGE).name


def _judged(space: Space, now: int) -> Job:
    """A file that was judged, and has something amiss in each way."""
    born = '"at": "2026-01-01T00:00:00Z"'
    lines = [
        f'{{"type": "fact", "id": "new", {born}, "text": "new"}}',
        f'{{"type": "event", "kind": "recalled", "id": "e", {born}, "fact": "nobody"}}',
        '{"type": "dragon"}',
    ]
    upload = uploads.keep(space, BytesIO("\n".join(lines).encode()), name="a.jsonl", source="ana", by="ana", now=now)
    job = uploads.judge(upload, by="ana", now=now)
    kinds.do(jobs.claim(job.pk, now=now), lambda: now)
    return job


@pytest.mark.usefixtures("marked")
def test_every_text_of_every_page_goes_through_gettext(world, settings):
    settings.DEBUG = True
    found = {page.name: _told(page.name, _answer(world, page)) for page in PAGES}
    assert {name: told for name, told in found.items() if told} == {}


#: What some pages are asked for, which is nothing by itself.
_ASKED = {"review-all": "?kind=contradiction", "forget-all": "?source=planner", "truth-csv": "?table=months"}


def _answer(world: World, page: Page) -> Any:
    """What the first visitor gets who is shown a page; a page that is shown to nobody takes no GET."""
    answers = [visitor.get(world.address(page.name) + _ASKED.get(page.name, "")) for visitor in world.visitors]
    shown = [answer for answer in answers if answer.status_code in (200, 405, 410)]
    assert shown, f"{page.name} is shown to nobody: {[answer.status_code for answer in answers]}"
    return shown[0]


@pytest.mark.usefixtures("marked")
def test_pages_of_facts_of_every_sort_do_too(world):
    assert (
        _of({name: world.owner.get(world.address("fact", fact=name) + "?history=all") for name in _sorts(world)}) == {}
    )


def _sorts(world: World) -> set[str]:
    """Facts that together have every flag, state, tier, producer and scope, and every kind of line about them."""
    facts = Fact.objects.filter(space=world.space).order_by("pk")
    kinds_of = ("state", "tier", "producer", "scope")
    found = {tuple(row): name for *row, name in facts.values_list(*kinds_of, "name")}
    flags = {bit: name for bit in BITS.values() for name, all in facts.values_list("name", "score__flags") if all & bit}
    assert set(flags) == set(BITS.values())
    return {*found.values(), *flags.values(), *_spoken_of(world.space, set(facts.values_list("name", flat=True)))}


def _spoken_of(space: Space, names: set[str]) -> Iterable[str]:
    """For each kind of line, a fact that one is about."""
    about: dict[str, str] = {}
    for tag, body in Line.objects.filter(space=space).values_list("tag", "body"):
        said = json.loads(body)
        name = said.get("fact") or said.get("from")
        if name in names:
            about[tag] = name
    assert {"edge.contradicts", "event.accepted", "event.forgotten", "feedback.helpful"} <= set(about)
    return about.values()


@pytest.mark.usefixtures("marked")
def test_parts_of_pages_and_pages_of_little_do_too(world, client_of, member):
    reader, empty = client_of(member(world.space, Role.READER)), spaces.create("empty")
    facts, settings = world.address("facts"), world.address("members")
    answers = {
        "part of the list": world.owner.get(facts, headers={"HX-Request": "true"}),
        "filtered": world.owner.get(facts + "?band=low&flag=disputed&tier=auto&scope=session&state=any&source=ana"),
        "nothing found": world.owner.get(facts + "?text=xyzzy"),
        "of every state": world.owner.get(facts + "?state=any&sort=age&order=rising"),
        "counting": world.owner.post(world.address("dashboard"), headers={"HX-Request": "true"}),
        "as a reader": reader.get(world.address("dashboard")),
        "a fact as a reader": reader.get(world.address("fact")),
        "members as a reader": reader.get(settings),
        "refused": reader.post(world.address("accept")),
        "no such fact": world.owner.get(world.address("fact", fact="nobody")),
        "no such space": world.owner.get(world.address("dashboard", space="nowhere")),
        "no such list": world.owner.get(facts + "?sort=colour"),
        "no such filter": world.owner.get(facts + "?colour=red"),
        "no file": world.owner.post(world.address("imports")),
        "no password": world.owner.post(world.address("account")),
        "no name": world.owner.post(world.address("spaces")),
        "no such user": Client().post(world.address("sign-in"), {"username": "x", "password": "y"}),
        **{f"empty {name}": world.owner.get(world.address(name, space=empty.name)) for name in _OF_A_SPACE},
    }
    assert _of(answers) == {}


_OF_A_SPACE = ("dashboard", "review", "facts", "imports", "passes", "log", "constants", "members")


@pytest.mark.usefixtures("marked")
@pytest.mark.parametrize("kind", OF_KINDS)
def test_pages_of_cases_of_every_kind_do_too(owner, client_of, member, kind):
    make, names, _ = OF_KINDS[kind]
    space, client = make(), client_of(owner)
    case = case_of(space, *names)
    address = reverse("case", args=[space.name, case.name])
    decide, skip, snooze = (reverse(f"case-{name}", args=[space.name, case.name]) for name in _DONE)
    verdict, query = OFFERED[kind_of(case.key)][0], f"?kind={case.kind}&upto={space.head_position}"
    seen = {"seen": space.head_position}
    answers = {
        "open": client.get(address + query),
        "as a reader": client_of(member(space, Role.READER)).get(address),
        "skipped": client.post(skip, follow=True),
        "not snoozed": client.post(snooze, {"until": "x"}, follow=True),
        "changed": client.post(decide, {"verdict": verdict, "seen": 0, "reason": "So."}),
        "no verdict": client.post(decide, {"verdict": "both hold", **seen}),
        "decided": client.post(decide, {"verdict": verdict, "reason": "So.", **seen}, follow=True),
        "closed": client.get(address + query),
        "second": client.post(decide, {"verdict": verdict, "reason": "No.", **seen}),
    }
    act = Line.objects.filter(space=space, tag="event.closed").latest("position").act
    answers["undone"] = client.post(reverse("case-undo", args=[space.name, case.name]), {"act": act}, follow=True)
    assert _of(answers) == {}


_DONE = ("decide", "skip", "snooze")


@pytest.mark.usefixtures("marked")
def test_the_queue_and_many_at_once_do_too(world, client_of, member):
    reader, owner, now = client_of(member(world.space, Role.READER)), world.owner, clock.now()
    review, every = world.address("review"), world.address("review-all")
    waiting = Queued.objects.filter(space=world.space, grouped=False).order_by("-consequence")
    first, second, third = waiting.values_list("case__name", flat=True)[:3]
    handouts.take(world.space, first, by="ben", now=now)
    handouts.snooze(world.space, second, by="ben", now=now, until=now + 1_000_000)
    handouts.take(world.space, third, by="owner", now=now)
    saved_views.save(world.space, "Mine", "kind=challenge", by="owner")
    answers = {
        "narrowed": owner.get(review + "?kind=contradiction&source=planner"),
        "nothing like that": owner.get(review + "?kind=cycle"),
        "no such kind": owner.get(review + "?kind=quarrel"),
        "no such name": owner.get(review + "?colour=red"),
        "no place": owner.get(review + "?upto=soon"),
        "since": owner.get(review + "?upto=900"),
        "before all": owner.get(review + "?upto=1"),
        "as a reader": reader.get(review),
        "no verdict": owner.post(every, {"kind": "contradiction", "seen": 1, "shown": 1}),
        "no kind": owner.get(every),
        "none of a kind": owner.get(every + "?kind=cycle"),
        "left out": owner.post(
            every, {"kind": "challenge", "verdict": "dismiss", "seen": 10**6, "shown": 99}, follow=True
        ),
        "no facts": owner.get(world.address("forget-all") + "?source=nobody"),
        "forgotten": owner.post(
            world.address("forget-all"), {"source": "hana", "seen": 10**6, "shown": 99}, follow=True
        ),
        "queued": owner.get(world.address("batch-job", job=_batch(world.space, now, done=False).pk)),
        "no worker": owner.get(world.address("batch-job", job=_batch(world.space, now - 60_000_000, done=False).pk)),
        "of too many": _of_too_many(owner, every),
        **{f"every {kind}": owner.get(f"{every}?kind={quote_plus(kind or 'file')}") for kind in (*cases.KINDS, "")},
    }
    job = Job.objects.filter(space=world.space, kind=jobs.DECISION, state=JobState.QUEUED).earliest("pk")
    jobs.fail(jobs.claim(job.pk, now=now), "x", now=now)
    answers["failed"] = owner.get(world.address("batch-job", job=job.pk))
    answers["begun"] = owner.post(world.address("review-next"), follow=True)
    assert _of(answers) == {}


def _of_too_many(owner: Client, every: str) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "MOST", 3)
        return owner.get(every + "?kind=contradiction")


@pytest.mark.usefixtures("marked")
def test_pages_of_passes_of_every_sort_do_too(world, client_of, member):
    reader, owner, now = client_of(member(world.space, Role.READER)), world.owner, clock.now()
    held, waits = _held(now)
    waiting = {"space": held.name, "instant": to_text(Pass.objects.get(space=held).instant), "job": waits}
    answers = {
        "held": owner.get(world.address("passes", **waiting)),
        "what waits": owner.get(world.address("pass-job", **waiting)),
        "held, as a reader": reader.get(world.address("passes")),
        "report of one held": owner.get(world.address("pass", **waiting)),
        "desk of one held": owner.get(world.address("dashboard", **waiting)),
        "no schedule": owner.post(world.address("pass-schedule"), {"kind": jobs.REFRESH}),
    }
    for rhythm in (Rhythm(0), Rhythm(2 * MICROSECONDS_PER_DAY), Rhythm(schedules.HOUR)):
        schedules.change(world.space, jobs.CONSOLIDATION, rhythm, by="ana", now=now - 3 * MICROSECONDS_PER_DAY)
        answers[f"scheduled {rhythm}"] = owner.get(world.address("passes"))
    for name, at in (("queued", now), ("forgotten", now - 60_000_000)):
        job = consolidation.ask(world.space, by="ana", now=at)
        answers[name] = owner.get(world.address("passes"))
        kinds.do(jobs.claim(job.pk, now=now), lambda: clock.now())
    for job in (jobs.ask(world.space, kind, by="ana", now=now) for kind in (jobs.CONSOLIDATION, jobs.REFRESH)):
        begun = jobs.claim(job.pk, now=now)
        answers[f"{job.kind} begun"] = owner.get(world.address("pass-job", job=job.pk))
        jobs.progress(begun, 1, 2, now=now)
        answers[f"{job.kind} half"] = owner.get(world.address("passes"), headers={"HX-Request": "true"})
        jobs.fail(begun, "x", now=now)
        answers[f"{job.kind} failed"] = owner.get(world.address("pass-job", job=job.pk))
    undo.undo(world.space, world.named["instant"], by="ana", now=clock.now())
    answers |= {name: owner.get(world.address(name)) for name in ("pass", "passes")}
    assert _of(answers) == {}


@pytest.mark.usefixtures("marked")
def test_pages_of_the_log_of_every_sort_do_too(world, client_of, member):
    """With lines of every tag, of each of which there are those that were undone."""
    reader, owner, now, space = client_of(member(world.space, Role.READER)), world.owner, clock.now(), world.space
    fact, other = Fact.objects.filter(space=space, state=0).values_list("name", flat=True)[:2]
    for name in (fact, other):
        act = facts.forget(space, name, by="ana", now=now, reason="x")
    undo.undo(space, undo.undo(space, act, by="ana", now=now), by="ana", now=now)
    facts.correct(space, Fact.objects.filter(space=space, state=0).latest("pk").name, "y", by="ana", now=now)
    constants.adopt(space, {"prune_threshold": 0.2}, by="ana", now=now, reason="x")
    erasing.erase(space, other, by="ana", now=now, reason="x")
    told = [{"type": "event", "kind": "corroborated", "fact": fact, "run": str(each)} for each in range(60)]
    many = acts.write(space, told, now=now)
    answers = {
        "log": owner.get(world.address("log")),
        "as a reader": reader.get(world.address("log")),
        "part": owner.get(world.address("log"), headers={"HX-Request": "true"}),
        "proof": owner.get(world.address("log"), headers={"HX-Request": "true", "HX-Target": "proof"}),
        "filtered": owner.get(world.address("log") + f"?by=ana&what=decisions&about={fact}&since=2026-01-01"),
        "nothing found": owner.get(world.address("log") + "?by=nobody"),
        "no such filter": owner.get(world.address("log") + "?colour=red"),
        "no such entry": owner.get(world.address("log-entry", of="nothing")),
        "many lines": owner.get(world.address("log-entry", of=many)),
        **{f"{what}": owner.get(world.address("log") + f"?what={what}") for what in KINDS},
    }
    import_lines = Line.objects.filter(space=space).exclude(imported="").values_list("tag", "position")
    for tag, position in dict(import_lines).items():
        answers[tag] = owner.get(world.address("log-entry") + f"?after={position - 1}")
    assert _of(answers) == {}


@pytest.mark.usefixtures("marked")
def test_pages_of_truth_fits_and_sources_of_every_sort_do_too(world, client_of, member):
    reader, owner, now = client_of(member(world.space, Role.READER)), world.owner, clock.now()
    empty = spaces.create("empty").name
    truth, fit, sources = (world.address(name) for name in ("truth", "fit", "sources"))
    answers = {
        **{f"{name} of nothing": owner.get(world.address(name, space=empty)) for name in ("truth", "fit", "sources")},
        "of nothing by reliability": owner.get(world.address("sources", space=empty) + "?sort=reliability"),
        "as a reader": reader.get(truth),
        "a fit as a reader": reader.get(fit),
        "of a factor, at random": owner.get(truth + "?of=freshness&drawn=sample"),
        "nothing like that": owner.get(truth + "?source=nobody"),
        "no such outcomes": owner.get(truth + "?of=weight"),
        "no such day": owner.get(truth + "?since=soon"),
        "no such order": owner.get(sources + "?sort=age"),
        "no such source": owner.get(world.address("source", source="nobody")),
        "of which nothing was found": owner.get(world.address("source", source="petra")),
        "by reliability": owner.get(sources + "?sort=reliability"),
        "drawn": owner.post(world.address("sample-draw"), {"size": "20"}, follow=True),
        "collecting": owner.post(truth, follow=True),
        "nothing to fit": owner.post(fit, follow=True),
        "fitting": owner.post(fit, {"names": "prior_weight"}, follow=True),
    }
    answers |= {f"{of}-figure": owner.get(world.address("truth-figure", of=of)) for of in ("bands", "tenths", "months")}
    for job in Job.objects.filter(space=world.space, kind=jobs.FIT):
        kinds.do(jobs.claim(job.pk, now=now), lambda: now)
        answers["not possible"] = owner.get(fit)
    outcomes = simulated.reviewed(1500, Constants(activation_midpoint=-3.2))
    for names, force in ((SOUGHT, Constants()), ([*SOUGHT, "base_rate"], Constants(activation_midpoint=-3.2))):
        fitted(world.space, core_fitting.fit(outcomes, names, force))
        answers[f"fitted {names}"] = owner.get(fit)
    assert _of(answers) == {}


@pytest.mark.usefixtures("marked")
def test_pages_of_duplicates_and_of_the_detector_of_every_sort_do_too(client_of, owner, member):
    """Of every obstacle, and of many facts; and of what was decided."""
    space = space_of(
        *(fact(f"f{number}", number, source="x") for number in range(8)),
        fact("g", 8, tier="human"),
        *(fact(f"many{number:03}", 9) for number in range(103)),
        *(fact(name, 10) for name in ("h", "i", "j", "k", "l", "m")),
        edge("f1", "updates", "f0", 20),
        edge("f3", "contradicts", "f2", 20),
        event("contradicted", "f4", 20),
        event("contradicted", "g", 20),
        event("corroborated", "f7", 20, source="y"),
    )
    names = [*(f"f{number}" for number in range(8)), "g"]
    pairs(space, *(("f7", name) for name in names if name != "f7"), ("h", "i"), ("j", "k"), ("l", "m"))
    pairs(space, *pairwise(f"many{number:03}" for number in range(103)))
    reader, client = client_of(member(space, Role.READER)), client_of(owner)
    listed, every, detector = (reverse(name, args=["diary"]) for name in ("duplicates", "duplicates-all", "detector"))
    merge, apart = (reverse(name, args=["diary"]) for name in ("duplicates-merge", "duplicates-apart"))
    seen = space.folded_to
    answers = {
        "list": client.get(listed),
        "as a reader": reader.get(listed),
        "after a place": client.get(listed + "?after=2_0.5_1"),
        "no place": client.get(listed + "?after=x"),
        "one": client.get(reverse("duplicate", args=["diary", "f0"]) + "?kept=f0"),
        "none": client.get(reverse("duplicate", args=["diary", "nobody"])),
        "second look": client.get(every),
        "merged": client.post(merge, {"kept": "h", "other": ["i"], "seen": seen}, follow=True),
        "too late": client.post(merge, {"kept": "h", "other": ["i"], "seen": seen, "click": "x"}, follow=True),
        "apart": client.post(apart, {"kept": "j", "other": ["k"], "seen": seen}, follow=True),
        "all merged": client.post(every, {"cluster": ['["l", "m"]', '["h", "i"]'], "seen": seen}, follow=True),
        "no facts": client.post(every, {"cluster": ["x"], "seen": seen}),
        "what was merged": client.get(reverse("fact", args=["diary", "i"])),
        "what was kept": client.get(reverse("fact", args=["diary", "h"])),
        "precision": client.get(detector),
        "on trial": client.get(detector + "?c.candidate_overlap.word=0.9"),
        "on trial, as a reader": reader.get(detector + "?c.candidate_overlap.word=0.9"),
        "no threshold": client.get(detector + "?c.candidate_overlap.word=9"),
    }
    for case in Case.objects.filter(space=space, key__startswith=cases.prefix(cases.DUPLICATE)):
        answers[f"case {case.verdict}"] = client.get(reverse("case", args=["diary", case.name]))
    assert _of(answers) == {}


@pytest.mark.usefixtures("marked")
def test_pages_of_chains_and_of_the_past_do_too(world, client_of, member):
    space = space_of(
        *map(fact, "abcdef"), fact("g", at_known=False), event("forgotten", "c", 9, tier="human"),
        *(edge(newer, "updates", older) for newer, older in ("ba", "cb", "da", "ef", "fe", "ga")),
        passes=daily(1, 4), name="chains",
    )  # fmt: skip
    reader = client_of(member(space, Role.READER))
    erasing.erase(space, "b", by="ana", now=clock.now(), reason="")
    then, answers = f"?as_of={to_text(day(8))}", {}
    for who, browser in (("owner", world.owner), ("reader", reader)):
        for name in ("chains", "facts"):
            answers[f"{name} of {who}"] = browser.get(world.address(name, space="chains"))
        for name in ("fact", "chain"):
            for each in "abce":
                answers[f"{name} {each} of {who}"] = browser.get(world.address(name, space="chains", fact=each))
                answers[f"{name} {each} then of {who}"] = browser.get(
                    world.address(name, space="chains", fact=each) + then
                )
    facts, chain, chains = (world.address(name, space="chains", fact="a") for name in ("facts", "chain", "chains"))
    answers |= {
        address: world.owner.get(address)
        for address in (
            *(
                facts + each
                for each in (then, "?as_of=2020-01-01", "?as_of=9999-01-01", "?as_of=x", f"{then}&flag=stale")
            ),
            *(chain + each for each in ("?as_of=2020-01-01", "?as_of=9999-01-01", "?from=x")),
            *(chains + each for each in ("?text=a", "?text=xyzzy", "?as_of=2020-01-01", "?colour=red")),
            facts + "?text=what+a",
            world.address("chains", space=spaces.create("empty").name),
        )
    }
    assert _of(answers) == {}


@pytest.mark.usefixtures("marked")
def test_pages_of_agents_and_of_feedback_of_every_sort_do_too(world, client_of, member):
    owner, reader, now = world.owner, client_of(member(world.space, Role.READER)), clock.now()
    page, feedback = world.address("agents"), world.address("feedback")
    for title, valid_to in (("Night shift", now + 10**9), ("", now + 1), ("Late", None)):
        tokens.issue(world.space, "bot", ["read"], by="ana", now=now - 10**9, title=title, valid_to=valid_to)
    tokens.issue(world.space, "bot", tokens.SCOPES, by="", now=now)
    make = {"do": "make", "source": "bot", "scopes": ["read"]}
    first = Token.objects.filter(space=world.space).earliest("pk").pk
    answers = {
        "listed": owner.get(page),
        "as a reader": reader.get(page),
        "refused to a reader": reader.post(page, make),
        "shown": owner.post(page, make, follow=True),
        "wrong": owner.post(page, {"do": "make", "valid_to": "soon"}),
        "no such deed": owner.post(page, {"do": "erase"}),
        "revoked": owner.post(page, {"do": "revoke", "token": first}, follow=True),
        "helps": owner.get(feedback + "?which=helps"),
        "of nobody": owner.get(feedback + "?source=nobody"),
        "no such list": owner.get(feedback + "?which=best"),
        "no feedback": owner.get(world.address("feedback", space=spaces.create("empty").name)),
    }
    fact = Fact.objects.filter(space=world.space, state=0).latest("pk").name
    told = {"type": "feedback", "fact": fact, "outcome": "helpful", "confirmed": True, "note": "x"}
    acts.write(world.space, [told | {"signals": {"novelty": 0.1}, "run": str(each)} for each in range(20)], now=now)
    answers["suppressed"] = owner.get(feedback)
    answers["reported"] = owner.get(world.address("fact", fact=fact))
    assert _of(answers) == {}


@pytest.mark.usefixtures("marked")
def test_graphs_of_every_sort_do_too(world, client_of, member):
    owner, reader, graph = world.owner, client_of(member(world.space, Role.READER)), world.address("graph")
    fact = Fact.objects.filter(space=world.space, state=0).values_list("name", flat=True).first()
    entity = Mention.objects.filter(space=world.space).values_list("entity", flat=True).first()
    answers = {"not worked out": owner.get(graph), "waiting": owner.post(graph, follow=True)}
    job = Job.objects.filter(space=world.space, kind=jobs.GRAPH).latest("pk")
    kinds.do(jobs.claim(job.pk, now=clock.now()), clock.now)
    answers |= {
        "all": owner.get(graph),
        "all, as a reader": reader.get(graph),
        "part": owner.get(graph, headers={"HX-Request": "true", "HX-Target": "found"}),
        "of a fact": owner.get(f"{graph}?fact={quote_plus(fact)}&depth=2&most=150"),
        "of an entity": owner.get(f"{graph}?entity={quote_plus(entity)}&most=30&depth=2"),
        "filtered": owner.get(f"{graph}?fact={quote_plus(fact)}&ties=co-occurrence"),
        "of nothing": owner.get(f"{graph}?entity=nobody"),
        "nothing like that": owner.get(f"{graph}?bands=very+low&states=pruned&ties=updates"),
        "no such fact": owner.get(f"{graph}?fact=nothing"),
        "no such view": owner.get(f"{graph}?depth=9"),
        "no such filter": owner.get(f"{graph}?colour=red"),
        "an empty one": owner.get(world.address("graph", space=spaces.create("empty").name)),
    }
    assert _of(answers) == {}


def _held(now: int) -> tuple[Space, int]:
    """A space of which a pass waits for a person, and its job."""
    space = space_of(*(fact(f"g{each}", scope="global", prior=0.01) for each in range(30)), name="held")
    job = consolidation.ask(space, by="ana", now=now)
    kinds.do(jobs.claim(job.pk, now=now), lambda: now)
    return space, job.pk


def _of(answers: dict[str, Any]) -> dict[str, list[Offender]]:
    found = {name: _told(name, answer) for name, answer in answers.items()}
    return {name: told for name, told in found.items() if told}


def _told(name: str, answer: Any) -> list[Offender]:
    """What of an answer did not go through gettext; it must be a page, a part of one, or data."""
    if answer.headers["Content-Type"].startswith("text/html"):
        return offenders(answer.content.decode())
    if name.endswith("-figure"):
        return [Offender("figure", text) for text in _texts(answer.json()) if _outside(text, 0)[0]]
    return []


def _texts(figure: Any, key: str = "") -> Iterator[str]:
    """What people read in a figure."""
    if isinstance(figure, dict):
        for name, each in figure.items():
            yield from _texts(each, name)
    elif isinstance(figure, list):
        for each in figure:
            yield from _texts(each, key)
    elif isinstance(figure, str) and key in ("name", "text", "hovertext", "hovertemplate", "title"):
        yield re.sub(r"%\{.*?\}|<.*?>", "", figure)


@pytest.mark.usefixtures("marked")
def test_the_calibration_lab_of_every_sort_does_too(world, client_of, member):
    lab, what_if, adopt = (world.address(name) for name in ("calibration", "what-if", "adopt"))
    figure = world.address("histogram-figure")
    trial = "?c.activation_midpoint=-4&c.prune_threshold=0.9&c.base_rate.auto=0.5"
    wrong, part = "?c.activation_scale=0&c.neighbours=1.5&c.band_edges.0=0.9", {"HX-Request": "true"}
    owner, reader = world.owner, client_of(member(world.space, Role.READER))
    answers = {
        "counted": owner.get(lab),
        "being counted again": owner.post(lab, follow=True),
        "tried": owner.get(lab + trial),
        "age-figure": owner.get(figure + "?measure=age&bins=log&squash=1"),
        "gap-figure": owner.get(figure + "?measure=gap"),
        "curve-figure": owner.get(world.address("curve-figure")),
        "by source": owner.get(lab + "?measure=gap&by=source&bins=log"),
        "by producer": owner.get(lab + "?measure=weight&by=producer"),
        "what if": owner.get(what_if + trial),
        "a part": owner.get(what_if + trial, headers=part),
        "nothing is tried": owner.get(what_if, headers=part),
        "wrong": owner.get(what_if + wrong),
        "a wrong part": owner.get(what_if + wrong, headers=part),
        "two ages that are none": owner.get(lab + "?fit=ages&f_hi=x"),
        "as a reader": reader.get(what_if + trial),
        "refused": reader.post(adopt),
        "no reason": owner.post(adopt, {"c.activation_midpoint": "-4"}),
        "adopted": owner.post(adopt, {"c.activation_midpoint": "-4", "reason": "So."}, follow=True),
        "no such constant": owner.get(lab + "?c.luck=1"),
        "no such histogram": owner.get(lab + "?measure=luck"),
        "an empty one": owner.get(world.address("calibration", space=spaces.create("empty").name) + trial),
    }
    assert _of(answers) == {}


@pytest.mark.usefixtures("marked")
def test_pages_of_versions_of_every_sort_do_too(world, client_of, member):
    owner, reader, now = world.owner, client_of(member(world.space, Role.READER)), clock.now()
    fitted_on = {"fit": "quartiles", "fitted_at": now}
    constants.adopt(world.space, {"prior_weight": 3}, by="ana", now=now, reason="So.", figures=fitted_on)
    back = world.address("roll-back", number=2)
    save = {"c.activation_midpoint": "-9", "reason": "So."}
    numbers = [each.number for each in constants.versions(world.space)]
    twins = space_of(fact("f"), *(change({"prior_weight": value}, value, version=2) for value in (3, 4)), name="twins")
    of_twins = world.address("version", space=twins.name, number=2)
    names = [each.name for each in constants.versions(twins)]
    answers = {
        "saved in the lab": owner.post(world.address("adopt"), save, follow=True),
        "all": owner.get(world.address("versions")),
        "as a reader": reader.get(world.address("versions")),
        "of an empty space": owner.get(world.address("versions", space=spaces.create("no facts").name)),
        **{f"version {each}": owner.get(world.address("version", number=each)) for each in (*numbers, 99)},
        "one as a reader": reader.get(world.address("version", number=1)),
        "against another": owner.get(world.address("version", number=2) + "?against=1"),
        "against none": owner.get(world.address("version", number=2) + "?against=x"),
        "no place": owner.get(world.address("versions") + "?after=x"),
        "no reason": owner.post(back, {"reason": ""}),
        "rolled back": owner.post(back, {"reason": "So."}, follow=True),
        "twins": owner.get(of_twins),
        "a twin": owner.get(f"{of_twins}?name={quote_plus(names[-1])}"),
        "all of twins": owner.get(world.address("versions", space=twins.name)),
        "back to no twin": owner.post(world.address("roll-back", space=twins.name, number=2), {"reason": "So."}),
    }
    assert _of(answers) == {}
