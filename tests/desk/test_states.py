"""Every page tells of facts in just those states that it says it tells of, to just those people; of what is erased no
page tells anything. A new page says so by `shows` at its view, and has a line here."""

from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import NamedTuple

import pytest
from django.http import HttpResponse
from django.urls import ResolverMatch, URLPattern, URLResolver, resolve, reverse

from tests import states
from tests.actions.world import LATER, taken
from tests.desk.judged import judged
from tests.states import BEFORE, KEPT, STAND
from tests.store.restated import pairs
from trustmem.actions import acts, constants, facts, jobs, kinds, spaces, uploads
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import STATES
from trustmem.desk.urls import urlpatterns
from trustmem.store.cases import CONTRADICTION
from trustmem.store.models import Case, Fact, Import, Job, Pass, Role, Space
from trustmem.store.states import Shown

pytestmark = pytest.mark.django_db

NOTHING = ""


class Page(NamedTuple):
    """A page, by its address within a space: in which states it tells of facts to those who may look at it, from a role
    on; where reviewers are told more, what."""

    address: str
    tells: str
    to: Role = Role.READER
    reviewers: str | None = None

    def to_somebody(self, role: Role) -> str:
        decides = list(Role).index(role) >= list(Role).index(Role.REVIEWER)
        return self.reviewers if decides and self.reviewers is not None else self.tells


PAGES = (
    Page("", "live"),
    Page("bands.json", NOTHING),
    Page("search/", NOTHING),
    Page("search/?q=sentinel", STAND, reviewers=KEPT),
    Page("search/?q=sentinel&history=on&order=trust", STAND, reviewers=KEPT),
    Page("search/?q=sentinel&as=agent", STAND),
    Page("search/?q=forgotten", NOTHING, reviewers="forgotten"),
    Page("search/?q=erased", NOTHING),
    Page("facts/", "live"),
    Page("facts/?state=any", STAND, reviewers=KEPT),
    Page("facts/?state=any&text=sentinel", STAND, reviewers=KEPT),
    Page("facts/?state=any&entity=sentinels", STAND, reviewers=KEPT),
    Page("facts/?state=erased", NOTHING),
    Page(f"facts/?as_of={BEFORE}", STAND, reviewers=KEPT),
    Page("facts/hub/", STAND),
    *(Page(f"facts/{state}/", state) for state in STAND.split()),
    Page("facts/forgotten/", NOTHING, reviewers="forgotten"),
    Page("facts/erased/", NOTHING),
    Page(f"facts/hub/?as_of={BEFORE}", STAND, reviewers=KEPT),
    Page(f"facts/forgotten/?as_of={BEFORE}", NOTHING, reviewers="forgotten"),
    Page("facts/live/freshness.json", NOTHING),
    *(Page(f"facts/{state}/erase/", state if state != "erased" else NOTHING, Role.ADMIN) for state in STATES),
    Page("chains/", NOTHING),
    Page("chains/?text=live", "live"),
    Page("chains/?text=forgotten", NOTHING),
    Page("chains/hub/", STAND, reviewers=KEPT),
    Page(f"chains/?as_of={BEFORE}", NOTHING),
    Page(f"chains/?as_of={BEFORE}&text=forgotten", NOTHING, reviewers="forgotten"),
    Page(f"chains/hub/?as_of={BEFORE}", STAND, reviewers=KEPT),
    Page("feedback/", "live"),
    Page("feedback/?which=helps", "live"),
    Page("graph/", NOTHING),
    Page("graph/?fact=hub", STAND),
    Page("graph/?fact=forgotten", NOTHING, reviewers="forgotten"),
    Page("graph/?fact=erased", NOTHING),
    Page("graph/?entity=sentinels", STAND),
    Page("graph/?entity=sentinels&depth=2&states=live&states=pruned&states=forgotten", STAND, reviewers=KEPT),
    Page("duplicates/", "live"),
    Page("duplicates/of/live/", "live"),
    Page("duplicates/of/twin/?kept=twin&other=live", "live"),
    Page("duplicates/all/", NOTHING, Role.CURATOR),  # what a newer claim updates is not merged
    Page("detector/", NOTHING),
    Page("imports/", NOTHING),
    Page("imports/jobs/{judged}/", NOTHING, Role.CURATOR),
    Page("imports/{imported}/", NOTHING),
    Page("imports/{imported}/report.json", NOTHING),
    Page("cases/orphan/", STAND, reviewers=KEPT),
    Page("cases/{contradicted}/", NOTHING, reviewers="forgotten"),
    Page("cases/of-a-file/", "pruned", reviewers="pruned forgotten"),
    Page("cases/of-what-is-erased/", NOTHING),
    Page("forget/?source=ana", "live", Role.CURATOR),
    Page("forget/?source=ana&state=any", STAND, Role.CURATOR),
    Page("review/", STAND, reviewers=KEPT),
    Page("review/all/?kind=contradiction", "live", Role.CURATOR),
    Page("review/jobs/{decided}/", NOTHING),
    Page("passes/", NOTHING),
    Page("passes/jobs/{previewed}/", "live"),
    Page("passes/{instant}/", STAND),
    Page("calibration/", NOTHING),
    Page("calibration/histograms.json?measure=age&bins=log&squash=1", NOTHING),
    Page("calibration/histograms.csv?measure=trust", NOTHING),
    Page("calibration/curve.json", NOTHING),
    Page("calibration/curve.csv", NOTHING),
    Page("calibration/what-if/?c.activation_midpoint=-10", "live"),
    Page("calibration/what-if.csv?c.activation_midpoint=5", NOTHING),
    Page("calibration/truth/", NOTHING),
    Page("calibration/truth/bands.json", NOTHING),
    Page("calibration/truth/table.csv?table=sources", NOTHING),
    Page("calibration/fit/", NOTHING),
    Page("calibration/versions/", NOTHING),
    Page("calibration/versions/2/?against=1", NOTHING),
    Page("sources/", NOTHING),
    Page("sources/figure.json", NOTHING),
    Page("sources/table.csv", NOTHING),
    Page("sources/ana/", STAND, reviewers=KEPT),
    Page("log/", STAND, reviewers=KEPT),
    Page("log/export.jsonl", STAND, reviewers=KEPT),
    Page("log/export.csv", STAND, reviewers=KEPT),
    Page("log/reports/{verified}.json", NOTHING),
    Page("log/entries/{imported}/", STAND, reviewers=KEPT),
    Page("settings/", NOTHING),
    Page("settings/members/", NOTHING),
    Page("settings/keys/", NOTHING),
    Page("settings/agents/", NOTHING),
)
#: Pages of no space.
BESIDE = ("/", "/spaces/", "/account/", "/sign-in/")


@pytest.fixture
def space() -> Space:
    space = taken(spaces.create("diary"), states.as_file())
    facts.forget(space, "forgotten", by="ana", now=LATER)
    codes = dict(Fact.objects.exclude(name="hub").values_list("name", "state"))
    assert codes == {name: code for code, name in enumerate(STATES)}
    return space


@pytest.fixture
def named(space: Space) -> Mapping[str, object]:
    """What addresses name beside facts."""
    filter = {"of": "facts", "filter": {"source": "nobody"}, "reason": "", "seen": 0, "shown": 1, "back": ""}
    upload = uploads.keep(space, BytesIO(b"".join(states.as_file())), name="again", source="ana", by="ana", now=LATER)
    for state in STATES:
        judged(space, 1, fact=state, source="ana")
    constants.adopt(space, {"prior_weight": 3}, by="ana", now=LATER, reason="")
    acts.write(space, [{"type": "fact", "id": "twin", "text": "Twin."}], now=LATER)
    pairs(space, *(("twin", state) for state in STATES))
    acts.write(space, [{"type": "feedback", "fact": each, "outcome": "helpful"} for each in STATES], now=LATER)
    return {
        "imported": Import.objects.get().name.rpartition(":")[0],
        "contradicted": Case.objects.get(kind=CONTRADICTION, facts=["forgotten", "hub"]).name,
        "instant": to_text(Pass.objects.earliest("instant").instant),
        "judged": _done(uploads.judge(upload, by="ana", now=LATER)),
        "previewed": _done(jobs.ask(space, jobs.PREVIEW, by="ana", now=LATER)),
        "verified": _done(jobs.ask(space, jobs.VERIFY, by="ana", now=LATER)),
        "counted": _done(jobs.ask(space, jobs.HISTOGRAMS, by="ana", now=LATER)),
        "decided": jobs.ask(space, jobs.DECISION, by="ana", now=LATER, **filter).pk,
    }


def _done(job: Job) -> int:
    held = jobs.claim(job.pk, now=LATER)
    assert held
    kinds.do(held, lambda: LATER)
    return job.pk


def test_every_page_tells_of_facts_in_the_states_that_are_said_and_to_nobody_else(space, named, client_of, member):
    visitors = {role: client_of(member(space, role)) for role in Role}
    told = {}
    expected = {}
    for page in PAGES:
        for role, visitor in visitors.items():
            answer = visitor.get(f"/spaces/diary/{page.address.format(**named)}")
            place = f"{page.address} to a {role}"
            told[place] = states.told(_text(answer)) if answer.status_code == 200 else answer.status_code
            is_theirs = list(Role).index(role) >= list(Role).index(page.to)
            expected[place] = page.to_somebody(role) if is_theirs else 403
    assert told == expected


def _text(answer: HttpResponse) -> str:
    return b"".join(answer.streaming_content).decode() if answer.streaming else answer.text


def test_what_is_erased_is_told_by_no_page(space, named, client_of, owner):
    assert all("erased" not in f"{page.tells} {page.reviewers}" for page in PAGES)
    client = client_of(owner)
    assert {path: states.told(client.get(path).text) for path in BESIDE} == dict.fromkeys(BESIDE, NOTHING)


def test_every_page_of_a_space_has_a_line_here(space, named, client_of, owner):
    client = client_of(owner)
    listed = {_match(page, named).url_name for page in PAGES}
    unlisted = {pattern.name for pattern in _of_a_space() if pattern.name not in listed}
    others = {"fact": "hub", "case": "orphan", "job": 1, "of": "x", "imported": "x", "instant": "x", "number": 1}
    pages = set()
    for pattern in _of_a_space():
        if pattern.name in unlisted:
            given = {name: others[name] for name in pattern.pattern.converters if name in others}
            answer = client.get(reverse(pattern.name, kwargs={"space": "diary", **given}))
            pages |= {pattern.name} if answer.status_code != 405 else set()
    assert pages == set(), "these have no line in PAGES"


def test_every_view_of_a_page_says_what_it_may_tell(named):
    silent, more = set(), set()
    for page in PAGES:
        match = _match(page, named)
        shown: Shown | None = getattr(match.func, "shows", None)
        if shown is None:
            silent.add(match.url_name)
        else:
            told = ((page.tells, shown.to_readers), (page.to_somebody(Role.REVIEWER), shown.to_reviewers))
            more |= {page.address for words, may in told if not {STATES.index(each) for each in words.split()} <= may}
    assert (silent, more) == (set(), set())


def _match(page: Page, named: Mapping[str, object]) -> ResolverMatch:
    return resolve("/spaces/diary/" + page.address.format(**named).partition("?")[0])


def _of_a_space() -> Iterator[URLPattern]:
    (of_a_space,) = (each for each in urlpatterns if isinstance(each, URLResolver))
    yield from of_a_space.url_patterns
