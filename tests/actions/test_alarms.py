"""One source that speaks, in one run, against much of what others said opens a case for a person."""

import json
from collections.abc import Sequence

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from tests.actions.world import as_file, space_of, taken
from tests.makers import day, edge, event, fact, feedback
from trustmem.actions import acts, alarms, cases, constants, erasing, exports, facts, imports, spaces, statements, undo
from trustmem.actions.errors import Refusal
from trustmem.actions.verify import verify
from trustmem.core.instants import NEVER
from trustmem.core.lines import Line as AnyLine
from trustmem.store.cases import BULK_CHANGE
from trustmem.store.models import Case, Import, Line, Space, Statement, Text

pytestmark = pytest.mark.django_db

BOT = {"source": "bot", "run": "r7"}
AT = day(101)


def told(number: int, source: str = "crm") -> list[AnyLine]:
    """So many facts of a source, `crm-1` the first."""
    return [fact(f"{source}-{each}", source=source) for each in range(1, number + 1)]


def against(number: int, first: int = 1, **said: object) -> list[AnyLine]:
    """So many facts are said to be wrong, by the bot in its run."""
    return [event("contradicted", f"crm-{each}", 2, **BOT | said) for each in range(first, first + number)]


@pytest.fixture
def space() -> Space:
    """100 facts of one source, and what its bot was told; much that is said there is more than 8 facts."""
    return space_of(*told(100), *told(20, "bot"))


def come(space: Space, lines: Sequence[AnyLine], now: int = AT) -> str:
    """The id of the import by which lines came."""
    taken(space, as_file(lines), now)
    return Import.objects.filter(space=space).latest("pk").name.rpartition(":")[0]


def case(space: Space) -> Case:
    return Case.objects.get(space=space, name__startswith=alarms.PREFIX)


def factors(space: Space) -> dict[str, object]:
    return json.loads(case(space).factors)


def opened(space: Space) -> list[list[str]]:
    """The facts of each case, in the order in which they were opened."""
    return [each.facts for each in Case.objects.filter(space=space, name__startswith=alarms.PREFIX).order_by("name")]


def write(space: Space, *given: dict[str, object], now: int = AT) -> str:
    """Lines of an agent, of one act."""
    return acts.write(space, given, now=now)


def wrong(name: str, **said: object) -> dict[str, object]:
    return {"type": "event", "kind": "contradicted", "fact": name, **BOT, **said}


def wrongs(number: int, first: int = 1, **said: object) -> list[dict[str, object]]:
    return [wrong(f"crm-{each}", **said) for each in range(first, first + number)]


def test_eight_facts_of_others_are_few_and_nine_are_many(space):
    come(space, against(8))
    assert opened(space) == []
    come(space, against(1, first=9))
    assert opened(space) == [sorted(f"crm-{each}" for each in range(1, 10))]


@pytest.mark.parametrize(("harmed", "of", "is_many"), [(10, 500, False), (11, 549, True), (11, 550, False)])
def test_of_many_facts_of_others_a_fiftieth_is_few_and_more_is_many(harmed, of, is_many):
    space = space_of(*told(of), *told(300, "bot"))
    come(space, against(harmed))
    assert bool(opened(space)) == is_many


def test_a_case_says_who_in_which_run_how_many_of_how_many_and_under_which_constants(space):
    constants.adopt(space, {"promote_threshold": 0.7}, by="ana", now=AT, reason="a test")
    imported = come(space, against(12))
    assert (case(space).kind, case(space).constants_version, case(space).closed_at) == (BULK_CHANGE, 2, NEVER)
    assert factors(space) == {"source": "bot", "run": "r7", "harmed": 12, "of": 100, "acts": [imported]}
    line = Line.objects.get(space=space, tag="case")
    assert (line.act, line.imported, line.at) == ("", "", AT)


def test_every_way_to_speak_against_a_fact_counts_and_a_fact_counts_once(space):
    new = [fact(f"new-{each}", 2, **BOT) for each in range(2)]
    run = {"run": "r7", "by": "bot"}
    lines = [
        *against(5),
        *against(3, run="r7", tier="auto"),
        *(feedback("corrected", f"crm-{each}", 2, **BOT) for each in (5, 6)),
        edge("new-0", "updates", "crm-7", 2, **run),
        edge("new-0", "contradicts", "crm-8", 2, **run),
        edge("crm-8", "contradicts", "new-1", 2, **run),
        event("forgotten", "crm-8", 2, **BOT),
    ]
    come(space, [*new, *lines])
    assert opened(space) == []
    come(space, [edge("crm-9", "contradicts", "bot-1", 3, **run)])
    assert opened(space) == [[f"crm-{each}" for each in range(1, 10)]]


def test_what_an_agent_has_forgotten_counts_as_what_it_contradicts(space):
    come(space, [event("forgotten", f"crm-{each}", 2, **BOT) for each in range(1, 10)])
    assert len(case(space).facts) == 9


def test_a_contradiction_between_two_facts_of_others_counts_for_both(space):
    come(space, [edge(f"crm-{each}", "contradicts", f"crm-{each + 10}", 2, run="r7", by="bot") for each in range(1, 6)])
    assert len(case(space).facts) == 10


def test_what_says_no_harm_does_not_count(space):
    said = [event(kind, f"crm-{each}", 2, **BOT) for kind in ("restated", "recalled") for each in range(1, 30)]
    edges = [edge("bot-1", "extends", f"crm-{each}", 2, run="r7", by="bot") for each in range(1, 30)]
    removed = [edge("bot-1", "updates", f"crm-{each}", 2, run="r7", by="bot", removed=True) for each in range(1, 30)]
    come(space, [*said, *edges, *removed])
    assert opened(space) == []


def test_one_s_own_facts_do_not_count(space):
    write(space, *wrongs(8), *(wrong(f"bot-{each}") for each in range(1, 20)))
    assert opened(space) == []


def test_two_runs_are_two(space):
    write(space, *wrongs(8), *wrongs(8, first=9, run="r8"))
    assert opened(space) == []
    come(space, against(1, first=9))
    assert factors(space)["run"] == "r7"
    assert list(alarms.harms_by(space, [alarms.Maker("bot", "r8")])) == [("bot", "r8")]


def test_one_run_of_two_sources_is_two(space):
    write(space, *wrongs(8), *wrongs(8, first=9, source="other"))
    assert opened(space) == []


def test_a_run_without_a_name_is_that_of_the_day(space):
    come(space, against(9, run=None))
    assert factors(space)["run"] == "bot@2026-01-03"


def test_challenges_count_though_they_change_nothing():
    space = space_of(*(fact(f"crm-{each}", source="crm", tier="human") for each in range(1, 101)))
    come(space, against(9))
    assert set(Statement.objects.filter(space=space).values_list("challenge", flat=True)) == {True}
    assert len(case(space).facts) == 9


def test_the_first_history_that_comes_alarms_nobody():
    assert opened(space_of(*told(30), *against(30))) == []


def test_a_later_file_that_speaks_against_its_own_facts_alarms_nobody_and_one_against_others_does(space):
    mail = [fact(f"mail-{each}", source="mail") for each in range(30)]
    come(space, [*mail, *(event("contradicted", each.id, 2, **BOT) for each in mail)])
    assert opened(space) == []
    come(space, [*against(9), fact("one more", source="mail")])
    assert opened(space) == [[f"crm-{each}" for each in range(1, 10)]]


def test_a_file_that_was_cut_short_is_looked_at_with_the_act_that_comes_next(space, monkeypatch):
    monkeypatch.setattr(imports, "_conclude", None)
    with pytest.raises(TypeError):
        come(space, against(9))
    assert opened(space) == []
    facts.accept(space, "crm-50", by="ana", now=AT)
    assert len(case(space).facts) == 9


def test_people_alarm_nobody(space):
    write(space, *wrongs(30, source="person", run="p1", tier="human"))
    for each in range(1, 20):
        facts.correct(space, f"crm-{each}", f"Rather {each}.", by="ana", now=AT)
    assert opened(space) == []


def test_what_agents_write_by_and_by_is_one_run(space):
    written = [write(space, wrong(f"crm-{each}")) for each in range(1, 9)]
    assert opened(space) == []
    written.append(write(space, wrong("crm-9")))
    assert factors(space)["acts"] == written
    write(space, wrong("crm-10"))
    assert len(opened(space)) == 1


def test_an_act_that_is_taken_back_as_a_whole_leaves_no_case(space):
    with pytest.raises(RuntimeError), transaction.atomic():
        write(space, *(wrong(f"crm-{each}") for each in range(1, 20)))
        assert len(opened(space)) == 1
        raise RuntimeError
    assert opened(space) == []


def test_a_person_s_act_is_looked_at_by_one_query_and_others_find_the_run_by_its_index(space):
    come(space, against(3))
    with CaptureQueriesContext(connection) as asked:
        facts.forget(space, "crm-50", by="ana", now=AT)
    looked = [each["sql"] for each in asked if "fact_id" in each["sql"] and '"position" > ' in each["sql"]]
    assert len(looked) <= 1
    assert not [each for each in asked if '"store_case"."name" LIKE' in each["sql"]]


def test_what_a_person_dismissed_does_not_count(space):
    lines = against(8)
    come(space, lines)
    statements.rule(space, lines[0].id, "dismissed", by="ana", now=AT)
    come(space, against(1, first=9))
    assert opened(space) == []
    come(space, against(1, first=10))
    assert opened(space) == [sorted(f"crm-{each}" for each in range(2, 11))]


@pytest.mark.parametrize(
    "said_of",
    [
        lambda number: {"tier": "human"},
        lambda number: {"source": None, "run": None},
        lambda number: {"source": "crm"},
        lambda number: {"source": f"bot {number}"},
        lambda number: {"run": f"run {number}"},
    ],
    ids=["a person speaks", "nobody speaks", "whom it harms speaks", "each time another speaks", "many runs"],
)
def test_a_file_that_harms_many_facts_is_seen_whatever_it_says_of_who_speaks(space, said_of):
    def told(number: int) -> list[AnyLine]:
        return [line for each in range(1, number + 1) for line in against(1, each, **said_of(each))]

    come(space, told(8))
    assert opened(space) == []
    come(space, told(9))
    assert opened(space) == [sorted(f"crm-{each}" for each in range(1, 10))]
    assert verify(space, rebuild=True) == []


def unsaid(number: int, first: int = 1) -> list[AnyLine]:
    """The same that nobody says, so that each fact's own source seems to."""
    return against(number, first, source=None, run=None)


def test_a_case_about_an_import_says_which_and_of_how_many_facts_that_it_did_not_bring(space):
    imported = come(space, [*told(50, "new"), *unsaid(9), *against(3, first=50)])
    assert factors(space) == {"import": imported, "harmed": 12, "of": 120}
    assert alarms.author_of(space, case(space)) == (imported,)
    assert len(alarms.harms_by(space, [alarms.Whole(imported)])[alarms.Whole(imported)]) == 12


@pytest.mark.parametrize(("harmed", "of", "is_many"), [(10, 500, False), (11, 549, True), (11, 550, False)])
def test_of_many_facts_that_an_import_did_not_bring_a_fiftieth_is_few_and_more_is_many(harmed, of, is_many):
    space = space_of(*told(of))
    come(space, [*told(300, "new"), *unsaid(harmed)])
    assert bool(opened(space)) == is_many


def test_what_one_maker_has_a_case_for_is_no_second_case_of_the_import(space):
    come(space, against(9))
    come(space, against(9, first=20))
    cases.close(space, case(space).name, "all of it is right", by="ana", now=AT)
    come(space, against(9, first=40))
    assert len(opened(space)) == 1
    come(space, [*against(9, run="r8"), *against(1, first=50, run="r9")])
    assert sorted(map(len, opened(space))) == [9, 9, 10]


def test_an_import_between_whose_chunks_somebody_writes_is_one(space, monkeypatch):
    monkeypatch.setattr(imports, "CHUNK", 5)
    raw = as_file(unsaid(9))
    imports.import_lines(
        space,
        raw,
        file="a file",
        by="ana",
        now=AT,
        progress=lambda done, of: facts.accept(space, f"crm-{done + 50}", by="ana", now=AT),
    )
    assert len(case(space).facts) == 9


@pytest.mark.django_db(transaction=True)
def test_the_case_of_an_import_is_still_that_when_a_fact_is_erased(space):
    imported = come(space, unsaid(12))
    erasing.erase(space, "crm-1", by="ana", now=AT, reason="Asked for.")
    assert case(space).factors == "{}"
    assert alarms.author_of(space, case(space)) == (imported,)


def test_while_a_case_is_open_the_run_that_it_is_about_is_not_read_again(space):
    def read() -> list[str]:
        with CaptureQueriesContext(connection) as asked:
            write(space, wrong("crm-50"))
        return [each["sql"] for each in asked if '"run" IN' in each["sql"]]

    come(space, against(8))
    assert read()
    assert opened(space) != []
    assert not read()


def test_of_cases_that_a_file_brings_those_are_ours_whose_ids_nobody_makes_up(space):
    come(space, against(9))
    forged = {"type": "case", "id": f"{alarms.PREFIX}{'0' * 16}:1", "at": "2027-01-01T00:00:00Z", "kind": BULK_CHANGE}
    for place, named in enumerate(({"source": "crm", "run": "r1"}, {"import": "import:0"}, {})):
        said = forged | {"id": f"{forged['id']}{place}", "facts": ["crm-1"], "factors": named}
        taken(space, [json.dumps(said).encode()], AT)
    come(space, against(9, run="r8"))
    found = alarms.ours(space, Case.objects.filter(space=space))
    assert [json.loads(each.factors)["run"] for each in found] == ["r8", "r7"]
    raw = list(exports.export(space))
    Space.objects.filter(pk=space.pk).update(name="of another desk")
    again = taken(spaces.create("again"), raw, day(102))
    assert len(alarms.ours(again, Case.objects.filter(space=again))) == 2


def test_the_case_stays_when_what_was_said_is_undone_and_that_counts_no_more(space):
    imported = come(space, against(9))
    undo.undo(space, imported, by="ana", now=AT)
    assert len(case(space).facts) == 9
    assert alarms.harms_by(space, [alarms.Maker("bot", "r7")]) == {}
    cases.close(space, case(space).name, "undone", by="ana", now=AT)
    come(space, against(9, first=20))
    assert len(opened(space)) == 1


def test_while_it_is_open_no_other_is_opened_nor_once_it_is_closed(space):
    come(space, against(9))
    come(space, against(30, first=10))
    assert len(opened(space)) == 1
    cases.close(space, case(space).name, "all of it is right", by="ana", now=AT)
    come(space, against(39, first=40))
    assert len(opened(space)) == 1


def test_when_more_than_twice_as_much_was_said_as_when_it_was_closed_another_is_opened(space):
    come(space, against(9))
    come(space, against(3, first=10))
    first = case(space).name
    cases.close(space, first, "all of it is right", by="ana", now=AT)
    come(space, against(12, first=13))
    assert len(opened(space)) == 1
    come(space, against(1, first=25))
    assert [len(each) for each in opened(space)] == [9, 25]
    second = Case.objects.filter(space=space).latest("name").name
    assert (first[-2:], second[-2:], first[:-2]) == (":1", ":2", second[:-2])


def test_the_id_of_a_case_is_nothing_that_those_can_tell_who_have_not_the_key_of_the_space(space):
    come(space, against(9))
    other = space_of(*told(100), name="other")
    come(other, against(9))
    assert case(space).name != case(other).name


def test_a_case_whose_id_one_has_that_was_undone_gets_the_next(space):
    come(space, against(9))
    again = spaces.create("again")
    Space.objects.filter(pk=again.pk).update(digest_key=space.digest_key)
    taken(again, as_file(told(100)))
    taken(again, [each for each in exports.export(space) if b'"type":"case"' in each], AT)
    assert case(again).name == case(space).name
    undo.undo(again, Import.objects.filter(space=again).latest("pk").name.rpartition(":")[0], by="ana", now=AT)
    come(again, against(9, first=50))
    assert case(again).name == f"{case(space).name[:-1]}2"


def test_it_is_closed_with_a_verdict_and_opened_by_undoing_that(space):
    come(space, against(9))
    name = case(space).name
    act = cases.close(space, name, "a test of ours", by="ana", now=AT, reason="Ben ran it.")
    assert (case(space).closed_at, case(space).verdict) == (AT, "a test of ours")
    assert cases.closing(space, case(space)) == (act, "ana", AT, "a test of ours", "Ben ran it.")
    with pytest.raises(Refusal, match="closed already"):
        cases.close(space, name, "again", by="ana", now=AT)
    undo.undo(space, act, by="ana", now=AT)
    assert cases.closing(space, case(space)) is None
    with pytest.raises(Refusal, match="with a verdict"):
        cases.close(space, name, " ", by="ana", now=AT)
    with pytest.raises(Refusal, match="no case"):
        cases.close(space, "nothing", "right", by="ana", now=AT)


def test_what_is_stored_is_what_the_lines_come_to(space):
    come(space, against(9))
    write(space, *(wrong(f"crm-{each}", run="r9") for each in range(1, 20)))
    cases.close(space, Case.objects.filter(space=space).first().name, "right", by="ana", now=AT)
    assert verify(space, rebuild=True) == []


def test_an_export_brings_the_case_and_opens_no_second(space):
    come(space, against(9))
    raw = list(exports.export(space))
    Space.objects.filter(pk=space.pk).update(name="of another desk")
    again = taken(spaces.create("again"), raw, day(102))
    assert (case(again).name, case(again).facts) == (case(space).name, case(space).facts)
    assert json.loads(case(again).factors) == factors(space)
    come(again, against(20, first=10), now=day(103))
    assert len(opened(again)) == 1


def test_an_erased_fact_is_harmed_by_nobody(space):
    erasing.erase(space, "crm-1", by="ana", now=AT, reason="Asked for.")
    come(space, against(9))
    assert opened(space) == []


@pytest.mark.django_db(transaction=True)
def test_what_a_case_said_goes_with_a_fact_that_is_erased_and_it_is_still_that_case(space):
    come(space, against(9))
    cases.close(space, case(space).name, "crm-1 was right", by="ana", now=AT, reason="Crm-1 said so.")
    erasing.erase(space, "crm-1", by="ana", now=AT, reason="Asked for.")
    assert (case(space).kind, case(space).factors, case(space).verdict) == ("", "{}", "")
    for tag in ("case", "event.closed"):
        assert Text.objects.get(space=space, position=Line.objects.get(space=space, tag=tag).position).body == ""
    assert alarms.author_of(space, case(space)) == ("bot", "r7")
    come(space, against(9, first=10))
    assert len(opened(space)) == 1


def test_ids_of_facts_that_no_line_has_room_for_are_counted_and_left_out():
    long = [fact(f"{number}{'x' * 490}", source="crm") for number in range(1100)]
    space = space_of(*long)
    come(space, [event("contradicted", each.id, 2, **BOT) for each in long])
    assert factors(space)["harmed"] == 1100
    assert 1000 < len(case(space).facts) < 1100
    again = spaces.create("again")
    report = imports.import_lines(again, list(exports.export(space)), file="an export", by="ana", now=day(102))
    assert report.balance["rejected"] == 0
