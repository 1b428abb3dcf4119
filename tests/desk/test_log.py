"""The log: all that was written, each act in a sentence, with who, when and why; filtered, undone, and as a file."""

import csv
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from html import unescape
from io import StringIO
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import LATER, as_file, registered, space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.intake.test_cases import case
from tests.makers import day, edge, event, fact, feedback
from trustmem.actions import (
    acts,
    attest,
    consolidation,
    constants,
    edges,
    erasing,
    facts,
    imports,
    instance,
    jobs,
    keys,
    kinds,
    spaces,
    statements,
    undo,
    verdicts,
)
from trustmem.actions.records import OURS
from trustmem.core import vocabulary
from trustmem.core.instants import to_text
from trustmem.desk import clock
from trustmem.desk.presenters.log import MOST_LINES
from trustmem.desk.presenters.sentences import SENTENCES
from trustmem.desk.views import log as page
from trustmem.formats.csv_cells import unguarded
from trustmem.formats.interchange_types import FIELDS, KINDS
from trustmem.store import log
from trustmem.store.models import Case, Fact, Import, Job, Line, Pass, Role, Space, User

pytestmark = pytest.mark.django_db

NOW = LATER + 1
WHO: Mapping[str, Any] = {"by": "anna", "now": NOW}


def tags() -> set[str]:
    """Every tag that a line can have."""
    of = {
        "event": (*vocabulary.FACT_EVENTS, *vocabulary.OF_EVENTS),
        "edge": vocabulary.RELATIONS,
        "feedback": vocabulary.OUTCOMES,
    }
    assert of.keys() == KINDS.keys()
    found = {f"{type}.{kind}" for type, words in of.items() for kind in words}
    return found | set(OURS) | (FIELDS.keys() - of.keys())


@pytest.fixture
def space(db: None) -> Space:
    return space_of(*(fact(name, source="planner") for name in ("tea", "milk", "cups", "jam")))


@pytest.fixture
def desk(client_of: ClientOf, owner: User) -> Client:
    return client_of(owner)


def rows(page: HttpResponse) -> list[str]:
    """What the rows of a page say, each with what stands under it, as a person reads them."""
    parts = page.content.decode().split('<ol class="log">')[-1].split('<p class="at')[1:]
    return [_read(each.split("</p>", 1)[1].split("<details", 1)[0]) for each in parts]


def _read(html: str) -> str:
    inline = re.sub(r"</?(?:a|b|bdi|small|span|time)\b[^>]*>", "", html)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", inline)).split())


def says(page: HttpResponse) -> list[str]:
    """The sentences alone."""
    found = re.findall(
        r'<p class="says"[^>]*><span>(.*?)</span>(?: <span class="flag|</p>)', page.content.decode(), re.S
    )
    return [_read(each) for each in found]


def at(space: Space, name: str = "log", **query: Any) -> str:
    return reverse(name, args=[space.name]) + (f"?{urlencode(query)}" if query else "")


# Sentences


def test_every_tag_of_the_vocabulary_has_a_sentence_and_a_kind() -> None:
    assert {key.split(" ")[0] for key in SENTENCES} == tags()
    listed = [tag for some in log.KINDS.values() for tag in some]
    assert sorted(listed) == sorted(tags())
    assert {key for key in SENTENCES if " " in key} == {
        *(f"edge.{relation} removed" for relation in vocabulary.RELATIONS),
        "feedback.helpful confirmed",
        "feedback.helpful implicit",
        "feedback.unhelpful implicit",
        "constants first",
        "pass asked",
    }


def test_a_line_of_every_tag_is_told_in_a_sentence_and_names_what_it_is_about(desk: Client, space: Space) -> None:
    given = as_file(
        [
            fact("new"),
            fact("gone"),
            *(event(kind, "tea") for kind in vocabulary.FACT_EVENTS if kind != "erased"),
            *(edge("tea", relation, "milk") for relation in vocabulary.RELATIONS),
            *(edge("tea", relation, "milk", removed=True) for relation in vocabulary.RELATIONS),
            *(feedback(outcome, "tea") for outcome in vocabulary.OUTCOMES),
            feedback("helpful", "tea", confirmed=True),
            event("contradicted", "cups", id="wrong"),
            event("upheld", of="wrong"),
            event("dismissed", of="wrong"),
            event("undone", of="some act"),
        ]
    )
    born = {"at": "2026-01-02T00:00:00Z"}
    more: list[dict[str, Any]] = [
        {"type": "entity", "id": "e1", "name": "The kitchen"},
        {"type": "link", "id": "l1", "from": "e1", "to": "e2", "from_name": "the kitchen", "relation": "is in"},
        {"type": "key", "id": "k1", "source": "planner", "public": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="},
        {"type": "event", "id": "r1", "kind": "revoked", "of": "k1", "reason": "lost", "source": "anna"},
        {"type": "tombstone", "id": "t1", "digest": "ab", "by": "anna"},
        {"type": "event", "id": "r2", "kind": "lifted", "of": "t1", "source": "anna"},
        {"type": "case", "id": "c1", "kind": "doubt", "facts": ["tea", "cups", "jam"]},
        {"type": "event", "id": "r3", "kind": "closed", "of": "c1", "verdict": "both, in a way", "source": "anna"},
        {"type": "constants", "id": "v2", "version": 2, "values": {"prune_threshold": 0.2}, "author": "anna"},
        {"type": "pass", "at": "2026-02-01T00:00:00Z"},
        {"type": "event", "id": "x", "kind": "erased", "fact": "gone", "source": "anna"},
        {"type": "pass", "at": "2999-01-01T00:00:00Z"},
        {"type": "dragon"},
    ]
    given += [json.dumps(born | each).encode() + b"\n" for each in more]
    taken(space, given)
    there = set(Line.objects.values_list("tag", flat=True))
    assert tags() - there == set()
    told = []
    for imported in Import.objects.all():
        address = reverse("log-entry", args=[space.name, imported.name])
        while address:
            answer = desk.get(address)
            assert answer.status_code == 200
            html = answer.content.decode()
            told += [_read(each) for each in re.findall(r"<li>\s*<span>(.*?)</span>\s*(?:<span|<small)", html, re.S)]
            found = re.search(r'rel="next" href="([^"]+)"', html)
            address = f"{address.partition('?')[0]}{unescape(found[1])}" if found else ""
    assert len(told) == Line.objects.exclude(imported="").count()
    for sentence in (
        "unknown said “What new says.”",
        "planner took back that “What tea says.” adds to “What milk says.”",
        "planner found “What tea says.” helpful, and that it is so",
        "Somebody upheld this: “planner said that it is wrong: “What cups says.””",
        "Somebody undid this: something",
        "The entity e1 was named “The kitchen”",
        "the kitchen was linked with e2: “is in”",
        "The key k1 was registered for planner",
        "anna revoked the key k1: it was lost",
        "anna put up the tombstone t1: what it stands for must not come back",
        "anna lifted the tombstone t1",
        "Opened for a person to decide: a case (doubt) about 3 facts",
        "anna decided a case (doubt) about 3 facts: “both, in a way”",
        "anna put version 2 of the constants in force: prune_threshold = 0.2",
        "anna erased the text of a fact for good",
        "unknown said an erased fact",
    ):
        assert sentence in told, "\n".join(told)


def test_what_people_do_stands_there_newest_first_with_who_and_why(desk: Client, space: Space) -> None:
    facts.accept(space, "tea", reason="I looked.", **WHO)
    facts.correct(space, "milk", "Milk is at six.", reason="Moved.", **WHO)
    statement = edges.assert_edge(space, "cups", "contradicts", "jam", by="ben", now=NOW)
    statements.rule(space, Line.objects.get(act=statement).name, "dismissed", reason="Not so.", **WHO)
    constants.adopt(space, {"prune_threshold": 0.2}, reason="Try.", **WHO)
    keys.revoke(space, registered(space, "k1", source="crm", **WHO) and "k1", "compromised", **WHO)
    undone = undo.undo(space, facts.forget(space, "cups", by="ben", now=NOW), reason="Wrong.", **WHO)
    undo.undo(space, undone, by="ben", now=NOW)
    erasing.erase(space, "jam", reason="Asked to.", **WHO)
    consolidation.consolidate(space, by="anna", now=NOW + 1)
    told = [each for each in says(desk.get(at(space))) if not each.startswith("Opened for a person")]
    assert told == [
        "A pass was taken: 2 promoted, 3 facts changed in all",
        "anna erased the text of a fact for good",
        "ben undid this: “anna undid this: “ben forgot “What cups says.”””",
        "anna undid this: “ben forgot “What cups says.””",
        "ben forgot “What cups says.”",
        "anna revoked the key k1: it was compromised",
        "The key k1 was registered for crm",
        "anna put version 2 of the constants in force: prune_threshold = 0.2",
        "anna dismissed this: “ben said that “What cups says.” contradicts an erased fact”",
        "ben said that “What cups says.” contradicts an erased fact",
        "anna put “Milk is at six.” in the place of “What milk says.”",
        "anna accepted “What tea says.”",
        "ana imported a file, which brought 4 facts",
        "The constants began as version 1",
        "The space began",
    ]
    (accepted,) = [each for each in rows(desk.get(at(space))) if each.startswith("anna accepted")]
    assert accepted == "anna accepted “What tea says.” “I looked.”"


def test_a_verdict_is_told_with_what_it_was_about_and_unfolds_to_all_that_it_wrote(desk: Client, space: Space) -> None:
    edges.assert_edge(space, "tea", "contradicts", "milk", by="ben", now=NOW)
    (case,) = Case.objects.values_list("name", flat=True)
    act = verdicts.decide(space, [case], "keep left", words=verdicts.Words(reason="Older and right."), **WHO)
    answer = desk.get(at(space))
    left, right = (f"“What {name} says.”" for name in Case.objects.get().facts)
    assert says(answer)[0] == f"anna decided a case (contradiction) about {left} and {right}: keep left, and more"
    assert f"{Line.objects.filter(act=act).count()} lines" in _read(answer.content.decode())
    unfolded = _read(answer.content.decode().split('<ol class="told">')[1].split("</ol>")[0])
    assert f"anna forgot {right}" in unfolded
    assert f"anna accepted {left}" in unfolded
    assert reverse("case", args=[space.name, case]) in answer.content.decode()


def test_of_cases_that_were_decided_together_it_is_told_how_many(desk: Client, space: Space) -> None:
    for pair in (("tea", "milk"), ("cups", "jam")):
        edges.assert_edge(space, pair[0], "contradicts", pair[1], by="ben", now=NOW)
    names = list(Case.objects.values_list("name", flat=True))
    act = verdicts.decide(space, names, "neither", **WHO)
    assert says(desk.get(at(space)))[0] == "anna decided 2 cases alike: neither"
    undo.undo(space, act, **WHO)
    assert says(desk.get(at(space)))[0] == "anna undid this: “anna decided 2 cases alike: neither”"


def test_an_act_unfolds_to_its_lines_with_id_and_digest(desk: Client, space: Space) -> None:
    act, made = facts.correct(space, "milk", "Milk is at six.", **WHO)
    html = desk.get(at(space)).content.decode()
    lines = list(Line.objects.filter(act=act).order_by("position"))
    unfolded = html.split("<details>")[2].split("</details>")[0]
    assert [html.count(f'<code translate="no">{line.name}</code>') for line in lines] == [1] * len(lines)
    assert all(line.digest[:12] in unfolded and line.digest not in unfolded for line in lines)
    assert made in [line.name for line in lines]


def test_of_an_act_of_many_lines_the_first_unfold_and_a_page_has_all(desk: Client, space: Space) -> None:
    said = {"type": "event", "kind": "corroborated", "source": "crm"}
    act = acts.write(space, [said | {"fact": "tea", "run": f"r{number}"} for number in range(120)], now=NOW)
    answer = desk.get(at(space))
    assert says(answer)[0] == "crm said that it is so: “What tea says.”, and more"
    assert answer.content.decode().count('<small class="faint">line') == MOST_LINES
    seen, address = list[str](), reverse("log-entry", args=[space.name, act])
    while address:
        html = desk.get(address).content.decode()
        seen += re.findall(rf"{act}:\d+", html.split("lines-title")[-1])
        found = re.search(r'rel="next" href="([^"]+)"', html)
        address = f"{address.partition('?')[0]}{unescape(found[1])}" if found else ""
    assert seen == list(Line.objects.filter(act=act).order_by("position").values_list("name", flat=True))


def test_nothing_was_written_yet(desk: Client) -> None:
    answer = desk.get(at(spaces.create("empty")))
    assert "Nothing was written here yet" in answer.content.decode()


def test_there_is_no_such_entry(desk: Client, space: Space) -> None:
    assert desk.get(reverse("log-entry", args=[space.name, "nothing"])).status_code == 404


# Imports, and how much work a page is


def brought(space: Space, count: int, name: str = "bulk") -> Space:
    """The space, into which a file of facts came."""
    lines = [fact(f"{name}-{number}", source="crm") for number in range(count)]
    return taken(space, as_file(lines), now=NOW)


def test_an_import_is_one_row_however_much_it_brought_and_leads_to_its_report_and_its_lines(
    desk: Client, space: Space
) -> None:
    brought(space, 1200)
    facts.accept(space, "tea", **WHO)
    answer = desk.get(at(space))
    assert says(answer) == [
        "anna accepted “What tea says.”",
        "ana imported a file, which brought 1 200 facts",
        "ana imported a file, which brought 4 facts",
        "The constants began as version 1",
        "The space began",
    ]
    name = Import.objects.latest("pk").name
    for address in (reverse("import-report", args=[space.name, name]), reverse("log-entry", args=[space.name, name])):
        assert address in answer.content.decode()
        assert desk.get(address).status_code == 200


def test_the_same_file_again_is_a_row_again_with_nothing_new(desk: Client, space: Space) -> None:
    for _ in range(3):
        taken(space, as_file([fact("sugar")]), now=NOW)
    assert says(desk.get(at(space)))[:3] == ["ana imported a file, which brought nothing new"] * 2 + [
        "ana imported a file, which brought 1 fact"
    ]


def test_who_writes_while_an_import_is_under_way_stands_beside_it(
    desk: Client, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what an import brought that was cut short stands there too."""
    monkeypatch.setattr(imports, "CHUNK", 3)
    monkeypatch.setattr(log, "_BATCH", 4)

    def meanwhile(done: int, of: int) -> None:
        if done == 6:
            facts.accept(space, "tea", **WHO)
        if done == 9 and is_cut:
            raise KeyboardInterrupt

    for is_cut in (True, False):
        name = "cut" if is_cut else "whole"
        lines = as_file([fact(f"{name}-{number}") for number in range(14)])
        with suppress(KeyboardInterrupt):
            imports.import_lines(space, lines, file=name, by="ana", now=NOW, progress=meanwhile)
    assert says(desk.get(at(space)))[:6] == [
        "ana imported whole, which brought 14 facts",
        "anna accepted “What tea says.”",
        "An import is under way, or was cut short: it is not on record as a whole yet",
        "anna accepted “What tea says.”",
        "An import is under way, or was cut short: it is not on record as a whole yet",
        "ana imported a file, which brought 4 facts",
    ]


def asked(desk: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert desk.get(address).status_code == 200
    return len(queries)


def test_a_page_takes_as_many_queries_for_many_acts_as_for_few_and_for_a_large_import_as_for_a_small_one(
    desk: Client, space: Space
) -> None:
    for name in ("tea", "milk"):
        undo.undo(space, facts.forget(space, name, reason="No.", **WHO), **WHO)
    brought(space, 3)
    few = asked(desk, at(space))
    for number in range(6):
        undo.undo(space, facts.forget(space, "cups", reason=str(number), **WHO), **WHO)
    assert asked(desk, at(space)) == few
    brought(space, 2000, "more")
    large = asked(desk, at(space))
    assert large <= few + 2  # where its lines begin, and what comes before
    assert asked(desk, at(space)) == large - 1  # that is known now


def test_turning_the_pages_shows_each_act_once_whatever_is_written_meanwhile(desk: Client, space: Space) -> None:
    written = [
        facts.accept(space, name, reason=f"{turn}", **WHO) for turn in range(15) for name in ("tea", "milk", "cups")
    ]
    seen, address = list[str](), at(space)
    while address:
        html = desk.get(address).content.decode()
        seen += re.findall(r"“<bdi translate=\"no\">(\d+)</bdi>”</p>", html)
        facts.accept(space, "jam", reason="new", **WHO)
        found = re.search(r'rel="next" href="([^"]+)"', html)
        address = f"{at(space)}{unescape(found[1])}" if found else ""
    assert len(written) == 45
    assert seen == [str(turn) for turn in range(14, -1, -1) for _ in range(3)]


# Filters


def test_the_log_is_filtered_by_who_what_which_and_when(desk: Client, space: Space) -> None:
    facts.accept(space, "tea", **WHO)
    facts.forget(space, "milk", by="ben", now=NOW + day(2) - day(1))
    constants.adopt(space, {"prune_threshold": 0.2}, by="ben", now=NOW + day(3) - day(1), reason="")
    accepted, forgot = "anna accepted “What tea says.”", "ben forgot “What milk says.”"
    adopted = "ben put version 2 of the constants in force: prune_threshold = 0.2"
    came = "ana imported a file, which brought 4 facts"
    began = "The constants began as version 1"
    found = {
        "by=ben": [adopted, forgot],
        "by=ana": [came],
        "what=decisions": [forgot, accepted],
        "what=constants": [adopted, began],
        "what=imports": [came],
        "what=passes": [],
        "by=ben&what=decisions": [forgot],
        "about=milk": [forgot, came],
        "about=milk&what=imports": [came],
        "about=tea&by=anna": [accepted],
        f"about={Line.objects.get(tag='event.accepted').act}": [accepted],
        f"since={to_text(NOW + day(2) - day(1))[:10]}": [adopted, forgot],
        f"until={to_text(NOW)[:10]}&what=decisions": [accepted],
        "by=BEN": [],
        "about=MILK": [],
    }
    assert {query: says(desk.get(f"{at(space)}?{query}")) for query in found} == found


def test_who_had_a_pass_taken_is_found(desk: Client, space: Space) -> None:
    job = consolidation.ask(space, by="ben", now=NOW)
    kinds.do(jobs.claim(job.pk, now=NOW), lambda: NOW)  # type: ignore[arg-type]
    assert says(desk.get(at(space, by="ben"))) == ["ben had a pass taken: it changed nothing"]
    assert says(desk.get(at(space, by="cem"))) == []


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("who=ben", "The log knows nothing of “who”."),
        ("what=gossip", "The log has no “gossip”."),
        ("since=yesterday", "“yesterday” is no day, such as 2026-03-31."),
        ("until=2026-02-30", "“2026-02-30” is no day, such as 2026-03-31."),
        ("before=-1", "This is no place in the log."),
        ("before=1e9", "This is no place in the log."),
        ("about=%00", "There is a character in this address that no name has."),
    ],
)
@pytest.mark.parametrize("name", ["log", "log-csv"])
def test_a_filter_that_means_nothing_is_told_and_not_left_out(
    desk: Client, space: Space, name: str, query: str, sentence: str
) -> None:
    answer = desk.get(f"{at(space, name)}?{query}")
    assert answer.status_code == 400
    assert sentence in unescape(answer.content.decode())


def test_what_no_index_leads_to_is_looked_for_so_far_and_then_it_is_asked_whether_to_go_on(
    desk: Client, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(60):
        facts.accept(space, "milk", by="ben", now=NOW)
    monkeypatch.setattr(log, "_WINDOW", 10)
    answer = desk.get(at(space, by="ana"))
    assert says(answer) == []
    looks = 0
    while not says(answer):
        html = answer.content.decode()
        assert "there may be more further back" in html
        (further,) = re.findall(r'rel="next" href="([^"]+)"', html)
        answer, looks = desk.get(f"{at(space)}{unescape(further)}"), looks + 1
    assert (says(answer), looks) == (["ana imported a file, which brought 4 facts"], 1)


# Who may see and do what


def test_what_is_forgotten_or_counts_no_more_is_told_by_its_text_to_those_alone_who_decide(
    client_of: ClientOf, member: MemberOf, space: Space
) -> None:
    reader, reviewer = (client_of(member(space, role)) for role in (Role.READER, Role.REVIEWER))
    facts.forget(space, "milk", **WHO)
    act, _ = facts.correct(space, "tea", "Tea is cold.", **WHO)
    undo.undo(space, act, **WHO)
    erasing.erase(space, "jam", reason="", **WHO)
    addresses = [at(space), at(space, "log-jsonl"), at(space, "log-csv")]
    addresses += [reverse("log-entry", args=[space.name, name]) for name in (act, Import.objects.get().name)]
    for address in addresses:
        shown, whole = (_whole(each.get(address)) for each in (reader, reviewer))
        assert "What milk says." not in shown
        assert "Tea is cold." not in shown
        assert "What jam says." not in shown + whole
    for address in addresses[:3]:
        shown, whole = (_whole(each.get(address)) for each in (reader, reviewer))
        assert "a forgotten fact" in shown
        assert "a fact that counts no more" in shown
        assert "What milk says." in whole
        assert "Tea is cold." in whole


def _whole(answer: Any) -> str:
    assert answer.status_code == 200
    return str(answer.getvalue().decode())


def test_what_is_undone_says_by_whom_and_can_be_brought_back(desk: Client, space: Space) -> None:
    act = facts.forget(space, "milk", **WHO)
    undone = undo.undo(space, act, by="ben", now=NOW, reason="Wrong.")
    told = rows(desk.get(at(space)))
    assert re.fullmatch(r"anna forgot “What milk says.” undone Undone .* by ben: “Wrong.”", told[1])
    assert _acts(desk.get(at(space)), "Bring back") == [undone, undone]
    desk.post(at(space, "undo"), {"act": undone, "reason": "Right.", "next": at(space)})
    assert Fact.objects.get(name="milk").state == vocabulary.FORGOTTEN
    assert rows(desk.get(at(space)))[0].startswith("owner undid this: “ben undid this: “anna forgot")


def _acts(page: HttpResponse, button: str) -> list[str]:
    forms = page.content.decode().split('<details class="act">')[1:]
    found = [re.findall(r'name="act" value="([^"]+)"', each)[0] for each in forms if f">{button}</button>" in each]
    return [unescape(each) for each in found]


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (Role.READER, set()),
        (Role.REVIEWER, {"act"}),
        (Role.CURATOR, {"act", "import", "pass"}),
        (Role.ADMIN, {"act", "import", "pass", "constants"}),
    ],
)
def test_undoing_is_offered_to_those_who_may(
    client_of: ClientOf, member: MemberOf, space: Space, role: Role, may: set[str]
) -> None:
    offered = {
        "act": facts.accept(space, "tea", **WHO),
        "import": Line.objects.get(tag="import").imported,
        "constants": constants.adopt(space, {"prune_threshold": 0.2}, reason="", **WHO),
    }
    final = erasing.erase(space, "jam", reason="", **WHO)
    consolidation.consolidate(space, by="anna", now=NOW + 1)
    offered["pass"] = to_text(Pass.objects.get().instant)
    answer = client_of(member(space, role)).get(at(space))
    assert set(_acts(answer, "Undo")) == {offered[each] for each in may}
    assert final not in _acts(answer, "Undo")
    assert "No undo takes that back." in answer.content.decode()


# As a file


def test_the_log_as_a_file_is_filtered_as_the_page_is_and_says_the_same(desk: Client, space: Space) -> None:
    facts.correct(space, "milk", "Milk is at six.", reason="Moved.", **WHO)
    undo.undo(space, facts.forget(space, "tea", by="ben", now=NOW), reason="Wrong.", **WHO)
    found = [json.loads(each) for each in _whole(desk.get(at(space, "log-jsonl"))).splitlines()]
    lines = Line.objects.exclude(tag="fact", act="")
    assert sorted(each["position"] for each in found) == sorted(lines.values_list("position", flat=True))
    assert {each["position"]: each["digest"] for each in found} == dict(lines.values_list("position", "digest"))
    (forgot,) = [each for each in found if each["type"] == "event.forgotten"]
    told = {name: forgot[name] for name in ("by", "says", "undone_by", "undone_because")}
    assert told == {"by": "ben", "says": "ben forgot “What tea says.”", "undone_by": "anna", "undone_because": "Wrong."}
    only = [json.loads(each) for each in _whole(desk.get(at(space, "log-jsonl", by="ben"))).splitlines()]
    assert only == [each for each in found if each["act"] == forgot["act"]]


def test_a_file_has_all_pages(desk: Client, space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trustmem.desk.presenters.log_file._CHUNK", 3)
    written = [facts.accept(space, name, **WHO) for _ in range(5) for name in ("tea", "milk")]
    found = [json.loads(each)["act"] for each in _whole(desk.get(at(space, "log-jsonl"))).splitlines()]
    assert [each for each in found if each] == written[::-1]


def test_101_no_cell_of_the_table_reckons_and_each_text_comes_back(desk: Client, space: Space) -> None:
    (strings,), check = case("101")
    given = json.loads(strings.read_text("utf-8"))
    for each in given:
        facts.accept(space, "tea", reason=each, **WHO)
    told = list(csv.DictReader(StringIO(_whole(desk.get(at(space, "log-csv"))).removeprefix("\ufeff"), newline="")))
    reasons = [row["reason"] for row in told if row["type"] == "event.accepted"][::-1]
    assert [unguarded(each) for each in reasons] == [each.replace("\r", "\r") for each in given]
    assert len(reasons) == check["round_trip_equal"]
    cells = [cell for row in told for cell in row.values()]
    reckons = [cell for cell in cells if re.match(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r]", cell)]
    assert len(reckons) == check["evaluated"]


# Is it unbroken?


def test_verify_says_so_at_once_and_the_report_holds_elsewhere(desk: Client, space: Space) -> None:
    assert "It was not verified here yet." in desk.get(at(space)).content.decode()
    desk.post(at(space, "log-verify"))
    html = unescape(desk.get(at(space)).content.decode())
    assert "All 7 lines are as they were written, and none is missing." in html
    answer = desk.get(reverse("log-report", args=[space.name, Job.objects.get().pk]))
    report = attest.check(answer.content)
    space.refresh_from_db()
    assert (report.position, report.digest, report.problems) == (7, space.head_digest, 0)
    assert report.fingerprint == instance.fingerprint(instance.public(instance.key()))
    assert report.fingerprint in html
    assert report.digest in html


def test_verify_tells_what_is_amiss(desk: Client, space: Space, lifted: Any) -> None:
    with lifted():
        Line.objects.filter(position=4).update(at=0)
    desk.post(at(space, "log-verify"))
    html = desk.get(at(space)).content.decode()
    assert "1 thing is amiss." in html
    assert "line 4 is not as it was written" in html


def test_a_long_log_is_verified_by_a_worker_and_the_page_asks_how_far_that_is(
    desk: Client, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "_AT_ONCE", 6)
    for _ in range(2):
        desk.post(at(space, "log-verify"))
    job = Job.objects.get()
    assert "It is being verified." in desk.get(at(space)).content.decode()
    kinds.do(jobs.claim(job.pk, now=clock.now()), clock.now)  # type: ignore[arg-type]
    part = desk.get(at(space), headers={"HX-Request": "true", "HX-Target": "proof"}).content.decode()
    assert "All 7 lines are as they were written" in part
    assert "<html" not in part


def test_who_only_reads_verifies_nothing_and_sees_what_was_found(
    client_of: ClientOf, member: MemberOf, desk: Client, space: Space
) -> None:
    reader = client_of(member(space, Role.READER))
    assert reader.post(at(space, "log-verify")).status_code == 403
    assert ">Verify <" not in reader.get(at(space)).content.decode()
    desk.post(at(space, "log-verify"))
    assert "All 7 lines are as they were written" in reader.get(at(space)).content.decode()
    assert reader.get(reverse("log-report", args=[space.name, Job.objects.get().pk])).status_code == 200


def test_there_is_no_report_of_another_space_or_job(desk: Client, space: Space) -> None:
    desk.post(at(space, "log-verify"))
    other = spaces.create("other")
    assert desk.get(reverse("log-report", args=[other.name, Job.objects.get().pk])).status_code == 404


def test_a_report_that_was_changed_where_it_is_kept_is_told_as_that(desk: Client, space: Space) -> None:
    desk.post(at(space, "log-verify"))
    job = Job.objects.get()
    Job.objects.update(result=job.result.replace('\\"problems\\": 0', '\\"problems\\": 1'))
    assert "is not the one that was signed" in desk.get(at(space)).content.decode()
