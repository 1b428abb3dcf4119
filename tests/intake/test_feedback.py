"""What comes of a search flows back: what of it was used and what not, as an agent says in one go; and that the same
was asked again in a run, as the desk sees by itself. Over HTTP (over MCP: test_mcp), and by the job that a worker
does."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.db.models import F

from tests.actions.world import signed, space_of, taken
from tests.intake.asking import Agent, problem, token_of
from tests.makers import daily, fact
from trustmem.actions import exports, facts, feedback, jobs, kinds, schedules, spaces, undo
from trustmem.actions.verify import verify
from trustmem.core.columns import CODE
from trustmem.core.instants import MICROSECONDS_PER_SECOND, span
from trustmem.core.scores import score
from trustmem.core.vocabulary import OUTCOMES, TOUCH_KINDS
from trustmem.intake.clock import clock
from trustmem.store import queries
from trustmem.store.feedback import implicit
from trustmem.store.models import Fact, Line, Served, Space, Statement, Touch
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db
TEAS = ("green", "black", "white")
NOWHERE = "you have made no such search within a day"


@pytest.fixture
def space() -> Space:
    return space_of(*(fact(name, source="ana") for name in TEAS), passes=daily(1, 3))


@pytest.fixture
def bot(space) -> Agent:
    return Agent(token_of(space))


def ask(agent: Agent, run: str | None = "r1", q: str = "what says", **more) -> dict:
    found = agent.get("/search", q=q, **({"run": run} if run else {}), **more).json()
    assert found["hits"]
    return dict(found)


def a_while_later() -> None:
    """What was searched lies back for a while."""
    Served.objects.update(at=F("at") - 60 * MICROSECONDS_PER_SECOND)


def work() -> None:
    """What a worker does that is told of what is due."""
    now = clock()
    schedules.tick(now)
    for pk in jobs.due(now):
        job = jobs.claim(pk, now=now)
        if job is not None and job.kind == jobs.RECORDING:
            kinds.do(job, clock)


def reported(name: str) -> list[tuple[str, str, str]]:
    """What was reported of a fact: outcome, source and run."""
    codes = {CODE[each]: each for each in OUTCOMES}
    said = Statement.objects.filter(fact__name=name, kind__in=codes).order_by("position")
    return [(codes[kind], source, run) for kind, source, run in said.values_list("kind", "source", "run")]


def touched(name: str, kind: str) -> list[tuple[str, str]]:
    return list(Touch.objects.filter(fact__name=name, kind=TOUCH_KINDS.index(kind)).values_list("source", "run"))


def confidence(space: Space) -> list[float]:
    """What feedback must not move."""
    return list(score(queries.stored(space, Fact.objects.values_list("pk", flat=True)), clock()).confidence)


def test_what_was_used_was_put_in_a_prompt_and_helped_and_the_rest_was_ignored(bot, space):
    before = confidence(space)
    search = ask(bot)["search"]
    work()
    told = bot.post("/feedback", {"search": search, "used": ["green"]})
    assert told.status_code == 201
    assert [reported(name) for name in TEAS] == [
        [("helpful", "bot", "r1")],
        [("ignored", "bot", "r1")],
        [("ignored", "bot", "r1")],
    ]
    assert [touched(name, "injected") for name in TEAS] == [[("bot", "r1")], [], []]
    assert [touched(name, "recalled") for name in TEAS] == [[("bot", "r1")]] * 3
    assert Fact.objects.get(name="green").use_count == 2
    assert confidence(space) == before  # useful is not true
    used, *rest = (Fact.objects.get(name=name).retrieval_priority for name in TEAS)
    assert used > 0.5 > rest[0] == rest[1]
    assert {line.act for line in Line.objects.filter(name__startswith=told.json()["act"])} == {told.json()["act"]}


def test_nothing_used_is_said_as_well_and_all_was_ignored(bot):
    assert bot.post("/feedback", {"search": ask(bot)["search"], "used": []}).status_code == 201
    assert {reported(name)[0][0] for name in TEAS} == {"ignored"}
    assert not Touch.objects.filter(kind=TOUCH_KINDS.index("injected")).exists()


def test_without_a_run_it_is_that_of_the_source_and_the_day(bot):
    bot.post("/feedback", {"search": ask(bot, run=None)["search"], "used": ["green"]})
    (run,) = Served.objects.values_list("run", flat=True)
    assert reported("green") == [("helpful", "bot", run)]
    assert run.startswith("bot@")


def test_it_counts_once_and_is_said_once(bot, space):
    search = ask(bot)["search"]
    said = {"search": search, "used": ["green", "green"]}
    first = bot.post("/feedback", said, **{"Idempotency-Key": "k"})
    again = bot.post("/feedback", said, **{"Idempotency-Key": "k"})
    assert (again.content, again["Idempotency-Replayed"]) == (first.content, "true")
    was = state_hash(space)
    for used in (["green"], ["black"], []):
        told = bot.post("/feedback", {"search": search, "used": used})
        assert problem(told, 409) == "what came of this search has been reported"
    assert state_hash(space) == was
    assert len(reported("green")) == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_reports_at_once_one_counts(bot, space):
    search, token = ask(bot)["search"], token_of(space)

    def report(place: int) -> int:
        try:
            said = {"search": search, "used": [TEAS[place % 3]]}
            return int(Agent(token).post("/feedback", said).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(report, range(6))) == [201, *[409] * 5]
    assert [len(reported(name)) for name in TEAS] == [1, 1, 1]


def test_undoing_the_act_is_as_if_nothing_had_been_reported(bot, space):
    search = ask(bot)["search"]
    work()
    was = state_hash(space)
    act = bot.post("/feedback", {"search": search, "used": ["green"]}).json()["act"]
    assert state_hash(space) != was
    undone = undo.undo(space, act, by="ana", now=clock())
    assert state_hash(space) == was
    undo.undo(space, undone, by="ana", now=clock())
    assert reported("green") == [("helpful", "bot", "r1")]
    assert verify(space, rebuild=True) == []


def test_nobody_reports_on_the_search_of_another_nor_on_one_of_long_ago(bot, space):
    search = ask(bot)["search"]
    others = [Agent(token_of(space, "ben")), Agent(token_of(spaces.create("elsewhere")))]
    for agent, name in [(bot, "0123456789abcdef"), *((each, search) for each in others)]:
        assert problem(agent.post("/feedback", {"search": name, "used": []}), 404) == NOWHERE
    Served.objects.update(at=F("at") - span(1))
    assert problem(bot.post("/feedback", {"search": search, "used": []}), 404) == NOWHERE
    assert not Line.objects.filter(tag__startswith="feedback.").exists()


def test_another_token_of_the_same_source_may_say_it(bot, space):
    search = ask(bot)["search"]
    assert Agent(token_of(space)).post("/feedback", {"search": search, "used": []}).status_code == 201


def test_what_was_not_handed_out_was_not_used_and_a_search_is_of_its_run(bot):
    search = ask(bot)["search"]
    other = bot.post("/feedback", {"search": search, "used": ["green", "coffee"]})
    assert problem(other, 422) == '"coffee" was not handed out by this search'
    other = bot.post("/feedback", {"search": search, "used": [], "run": "r2"})
    assert problem(other, 422) == "this search was made in another run"
    assert bot.post("/feedback", {"search": search, "used": [], "run": "r1"}).status_code == 201


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({}, "facts"),
        ({"facts": ["green"]}, "outcome"),
        ({"outcome": "helpful"}, "facts"),
        ({"search": "S"}, "used"),
        ({"used": ["green"]}, "search"),
        ({"search": "", "used": ["green"]}, "search"),
        ({"search": "S", "used": [], "facts": ["green"], "outcome": "helpful"}, ""),
        ({"search": "S", "used": [], "outcome": "helpful"}, ""),
        ({"search": "S", "used": [], "confirmed": True}, ""),
        ({"search": "S", "used": [], "signals": {"novelty": 1.0}}, ""),
        ({"search": "S", "used": [], "note": "So."}, ""),
    ],
)
def test_a_report_is_about_facts_or_about_a_search(bot, said, field):
    said = {name: ask(bot)["search"] if value == "S" else value for name, value in said.items()}
    response = bot.post("/feedback", said)
    problem(response, 422)
    assert response.json().get("field", "") == field
    assert not Line.objects.filter(tag__startswith="feedback.").exists()


def test_what_was_forgotten_meanwhile_is_passed_over(bot, space):
    search = ask(bot)["search"]
    facts.forget(space, "green", by="ana", now=clock())
    assert bot.post("/feedback", {"search": search, "used": ["green", "black"]}).status_code == 201
    assert [len(reported(name)) for name in TEAS] == [0, 1, 1]
    search = ask_for_black(bot)
    for name in ("black", "white"):
        facts.forget(space, name, by="ana", now=clock())
    told = bot.post("/feedback", {"search": search, "used": []})
    assert problem(told, 409) == "there is nothing left of what this search handed out"


def ask_for_black(bot: Agent) -> str:
    return str(bot.get("/search", q="black").json()["search"])


def test_what_finds_nothing_or_is_only_fetched_ahead_has_no_id(bot):
    assert bot.get("/search", q="zzyzx").json()["search"] is None
    told = bot.client.get("/api/v1/search", {"q": "black"}, headers={"Sec-Purpose": "prefetch"})
    assert problem(told, 400) == "nothing is fetched ahead here: ask when you want to know"


# The same question again in the run


def test_what_is_asked_again_had_been_of_no_help_once_a_run(bot, space):
    before = confidence(space)
    ask(bot)
    work()
    a_while_later()
    ask(bot, q="What SAYS?")
    assert reported("green") == []  # nobody who searches waits for that
    work()
    assert [reported(name) for name in TEAS] == [[("unhelpful", "bot", "r1")]] * 3
    for _ in range(3):
        a_while_later()
        ask(bot)
        work()
    assert [len(reported(name)) for name in TEAS] == [1, 1, 1]
    for _ in range(2):
        ask(bot, run="r2")
        a_while_later()
    work()
    assert reported("green") == [("unhelpful", "bot", "r1"), ("unhelpful", "bot", "r2")]
    assert confidence(space) == before  # what is of no help is not wrong


def test_it_says_why_and_is_undone_as_one(bot, space):
    ask(bot)
    a_while_later()
    ask(bot)
    question = Served.objects.first().question
    Served.objects.update(question="")
    work()  # what was handed out is on record
    was = state_hash(space)
    Served.objects.update(question=question)
    feedback.of_repeats(space, Served.objects.order_by("pk"), now=clock())
    (happened,) = [each for each in bot.get("/facts/green").json()["history"] if each["kind"] == "feedback.unhelpful"]
    assert happened["note"].startswith("The same was asked again in this run")
    assert implicit(space, [Fact.objects.get(name="green").pk]) == {Fact.objects.get(name="green").pk: {"unhelpful": 1}}
    undo.undo(space, happened["act"], by="ana", now=clock())
    assert state_hash(space) == was
    assert verify(space, rebuild=True) == []


def test_both_at_once_are_seen_like_one_after_the_other(bot, space):
    ask(bot)
    a_while_later()
    ask(bot)
    a_while_later()
    ask(bot)
    work()
    assert [len(reported(name)) for name in TEAS] == [1, 1, 1]


@pytest.mark.parametrize("scopes", [["read"], ["read", "write", "import"]])
def test_who_may_not_report_moves_nothing(space, scopes):
    reader = Agent(token_of(space, scopes=scopes))
    was = _found_by(reader)
    assert _found_by(reader) == was
    assert not Line.objects.filter(tag__startswith="feedback.").exists()


def _found_by(reader: Agent) -> list[float]:
    for _ in range(2):
        ask(reader)
        a_while_later()
    work()
    return list(Fact.objects.order_by("pk").values_list("retrieval_priority", flat=True))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"run": None}, {"run": None}),
        ({"run": "r1"}, {"run": "r2"}),
        ({"run": "r1"}, {"run": None}),
        ({}, {"q": "what it says"}),
        ({}, {"limit": 9}),
        ({}, {"order": "freshness"}),
        ({}, {"history": "true"}),
    ],
)
def test_another_question_another_run_or_none_that_was_named_says_nothing(bot, first, second):
    ask(bot, **first)
    a_while_later()
    ask(bot, **second)
    work()
    assert not Line.objects.filter(tag__startswith="feedback.").exists()


def test_the_same_by_another_says_nothing(bot, space):
    ask(bot)
    a_while_later()
    ask(Agent(token_of(space, "ben")))
    work()
    assert not Line.objects.filter(tag__startswith="feedback.").exists()


def test_a_request_that_comes_again_at_once_or_is_fetched_ahead_says_nothing(bot):
    ask(bot)
    ask(bot)
    a_while_later()
    bot.client.get("/api/v1/search", {"q": "what says", "run": "r1"}, headers={"Sec-Purpose": "prefetch"})
    work()
    assert not Line.objects.filter(tag__startswith="feedback.").exists()


@pytest.mark.parametrize("outcome", ["helpful", "ignored", "corrected"])
def test_where_somebody_reported_on_what_came_before_nothing_is_added(bot, outcome):
    ask(bot)
    a_while_later()
    bot.post("/feedback", {"facts": ["black"], "outcome": outcome, "run": "r1"})
    ask(bot)
    work()
    assert [reported(name) for name in TEAS] == [[], [(outcome, "bot", "r1")], []]


def test_where_it_was_reported_what_of_it_was_used_nothing_is_added(bot):
    search = ask(bot)["search"]
    a_while_later()
    bot.post("/feedback", {"search": search, "used": []})
    ask(bot)
    work()
    assert [len(reported(name)) for name in TEAS] == [1, 1, 1]


def test_it_does_not_matter_when_the_worker_comes(bot):
    search = ask(bot)["search"]
    a_while_later()
    ask(bot)
    bot.post("/feedback", {"search": search, "used": ["green"]})
    work()
    assert sorted(each for each, *_ in reported("green")) == ["helpful", "unhelpful"]


def test_what_the_agent_found_of_no_help_itself_is_not_said_again(bot):
    ask(bot)
    bot.post("/feedback", {"facts": ["black"], "outcome": "unhelpful", "run": "r1"})
    a_while_later()
    Statement.objects.update(at=F("at") - 60 * MICROSECONDS_PER_SECOND)
    ask(bot)
    work()
    assert [len(reported(name)) for name in TEAS] == [1, 1, 1]


@pytest.mark.parametrize("runs", [1, 2, 20])
def test_asking_twice_suppresses_nothing_and_does_not_touch_what_is_vouched_for(bot, space, runs):
    signed(space, fact("motto", source="ana"))
    facts.accept(space, "green", by="ana", now=clock())
    for run in range(runs):
        for _ in range(2):
            ask(bot, f"r{run}", "what says motto")
            a_while_later()
    work()
    assert [len(reported(name)) for name in ("motto", *TEAS)] == [0, 0, runs, runs]
    assert found_by(bot) == {"motto", *TEAS}
    assert 0.35 < Fact.objects.get(name="white").retrieval_priority < 0.5
    # One report by the agent does it: what it says itself weighs more.
    bot.post("/feedback", {"facts": ["green"], "outcome": "unhelpful"})
    assert found_by(bot) == {"motto", "black", "white"}


def found_by(agent: Agent) -> set[str]:
    return {hit["id"] for hit in agent.get("/search", q="what says motto").json()["hits"]}


def test_who_repeats_what_a_search_found_is_an_echo_even_if_nothing_was_put_on_record_before(bot, space):
    search = ask(bot)["search"]
    a_while_later()
    ask(bot)
    told = bot.post("/facts", {"text": "What green says.", "run": "r1"}).json()
    assert (told["status"], Fact.objects.get(name="green").r) == ("restated", 0)
    assert reported("green") == [("unhelpful", "bot", "r1")]
    assert bot.post("/feedback", {"search": search, "used": ["green"]}).status_code == 201


def test_a_file_of_it_makes_the_same_space_again(bot, space):
    search = ask(bot)["search"]
    a_while_later()
    ask(bot, run="r2")
    a_while_later()
    ask(bot, run="r2")
    work()
    bot.post("/feedback", {"search": search, "used": ["green"]})
    assert verify(space, rebuild=True) == []
    raw, was = list(exports.export(space)), state_hash(space)
    Space.objects.filter(pk=space.pk).update(name="renamed")
    again = taken(spaces.create("again"), raw, clock())
    assert state_hash(again) == was
    mine, theirs = (Fact.objects.get(space=each, name="green").pk for each in (space, again))
    assert implicit(again, [theirs])[theirs] == implicit(space, [mine])[mine] == {"helpful": 1, "unhelpful": 1}
