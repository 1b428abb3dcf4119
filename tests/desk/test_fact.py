"""The page of one fact: what it is worth and why, in words and figures; whoever may decide finds how."""

import json
import re
from html import unescape
from itertools import product

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import LATER, space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.explanations.asked import memory
from tests.makers import daily, day, edge, event, fact, feedback
from trustmem.actions import erasing, facts, spaces, undo
from trustmem.actions.records import entry
from trustmem.core.constants import Constants
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import BANDS, FACT_EVENTS, OF_EVENTS, OUTCOMES, RELATIONS
from trustmem.desk.charts import freshness_over_time
from trustmem.desk.presenters import chain, changes, claim, deeds, freshness, history, lenses, opinion, origin, why
from trustmem.desk.presenters.paging import Place
from trustmem.explanations import stored
from trustmem.explanations.explanation import explanation
from trustmem.formats.interchange_types import parse_record
from trustmem.store import chain as chain_of_lines
from trustmem.store.models import Pass, Role, Space, User

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
ACTS = {"accept", "correct", "forget", "restore"}


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def page(client: Client, space: Space, name: str = "tea", query: str = "", **headers):
    return client.get(reverse("fact", args=[space.name, name]) + query, headers=headers or None)


def figure(client: Client, space: Space, name: str = "tea"):
    return client.get(reverse("freshness-figure", args=[space.name, name]))


def words(answer) -> str:
    """What is read on a page, in one line."""
    return _read(answer.text)


def _read(html: str) -> str:
    within = re.sub("</?(a|b|bdi|code|q|small|span|time)( [^>]*)?>", "", html)
    return " ".join(unescape(re.sub("<[^>]*>", " ", within)).split())


def section(answer, title: str) -> str:
    """What is read from a heading on to the next."""
    return _read(answer.text.split(f">{title}</h2>")[1].split("<h2")[0])


def acts_on(answer) -> set[str]:
    return set(re.findall(r'action="[^"]*/(\w+)/"', answer.text)) & ACTS


def undos_on(answer) -> list[str]:
    return re.findall('name="act" value="([^"]+)"', answer.text)


def found(asked, name: str = "tea"):
    return explanation(asked, name)


def test_it_shows_the_claim_its_band_and_what_to_do_about_each_flag(client):
    answer = page(client, space_of(fact("tea"), fact("milk", 2), edge("milk", "contradicts", "tea", 2)))
    assert re.search("<h1[^>]*>What tea says.</h1>", answer.text)
    assert "disputed: resolve: decide which claim holds" in words(answer)
    assert "uncertain: corroborate: ask another source" in words(answer)
    assert re.search('band-large"><span class="band band-1">.*very low <span class="num">0.0', answer.text)
    assert "What tea says" not in answer.text.split("</title>")[0]


def test_the_factors_multiply_down_to_the_trust_that_is_shown():
    asked = memory(fact("tea"), fact("milk", 2), edge("milk", "updates", "tea", 2), now=day(9))
    factors = why.waterfall(found(asked), "diary")
    assert [each.name for each in factors] == ["confidence", "freshness", "supersession", "provenance"]
    assert [each.before for each in factors[1:]] == [each.left for each in factors[:-1]]
    assert factors[0].before == "100.00"
    assert factors[-1].left == why.percent_of_trust(found(asked))
    assert [factors[0].value, factors[2].value, factors[3].value] == ["0.60", "0.50", "0.80"]
    assert [each.arithmetic for each in factors] == [
        "(0 + 0.60·2) / (0 + 0 + 2)",
        "B = −1.10, 1 / (1 + e^((−1.70 − B)/0.53))",
        "0.50^1",
        "",
    ]


def test_the_claims_that_stand_above_it_are_links_that_keep_their_own_direction_of_writing():
    asked = memory(fact("tea"), fact("milk", 2), edge("milk", "updates", "tea", 2), now=day(9))
    said = why.waterfall(found(asked), "diary")[2].because
    assert said == (
        "a newer claim stands above it; updated by "
        '<a href="/spaces/diary/facts/milk/"><bdi translate="no">What milk says.</bdi></a>'
    )


def test_of_many_claims_right_above_it_three_are_named():
    newer = [fact(f"f{place}", 1) for place in range(5)]
    edges = [edge(f"f{place}", "updates", "tea", 2) for place in range(5)]
    asked = memory(fact("tea"), *newer, *edges, now=day(9))
    said = _read(why.waterfall(found(asked), "diary")[2].because)
    assert said.endswith("updated by What f0 says., What f1 says., What f2 says., 2 more")


@pytest.mark.parametrize(
    ("lines", "now", "says"),
    [
        (
            [fact("tea")],
            2,
            "Mostly held down by little evidence: no source beside its own birth speaks for it, none against.",
        ),
        ([fact("tea"), event("contradicted", "tea", source="mail")], 2, "Mostly held down by disagreement: "
         "no source beside its own birth speaks for it, 1 source against."),
        ([fact("tea")], 300, "Mostly held down by freshness: born 300 days ago, confirmed by nobody since, no uses."),
        (
            [fact("tea"), *[event("restated", "tea", on, source=f"s{on}") for on in range(1, 20)]],
            19.01,
            "Mostly held down by where it comes from: no person accepted it, and no key signed it.",
        ),
        ([fact("tea"), event("accepted", "tea", 1)], 1.01, "Nothing holds it down: it is in the highest band."),
        (
            [fact("tea"), fact("cups", 1), fact("milk", 2), edge("cups", "updates", "tea", 1),
             edge("milk", "updates", "cups", 2)],
            300,
            "Superseded: a newer claim holds: What milk says.",
        ),
        ([fact("tea"), event("forgotten", "tea")], 9, ""),
    ],
)  # fmt: skip
def test_one_sentence_says_what_holds_it_down_most(lines, now, says):
    assert _read(why.held_down(found(memory(*lines, now=day(now))), "diary")) == says


def test_what_would_lift_it_stands_with_the_highest_first_and_says_where_the_band_rises():
    lifts = claim.lifts(found(memory(fact("tea"), now=day(30))))
    assert [each.change for each in lifts] == [
        "You accept it",
        "One more independent source says it",
        "Confirmed now by a source that counts already",
    ]
    assert (lifts[0].trust, lifts[0].band, lifts[0].rises) == ("0.81", "very high", True)


def test_what_lifts_by_less_than_is_shown_is_no_lift():
    just_said = event("corroborated", "tea", 30, source="crm")
    changes = [each.change for each in claim.lifts(found(memory(fact("tea"), just_said, now=day(30.0001))))]
    assert "Confirmed now by a source that counts already" not in changes


@pytest.mark.parametrize("state", ["live", "pruned", "forgotten", "erased"])
def test_where_nothing_would_lift_it_the_page_says_why(state):
    assert claim.no_lift(state)


def test_a_dot_says_how_much_evidence_there_is_and_how_much_of_it_speaks_against():
    said = [event("corroborated", "tea", source="crm"), event("contradicted", "tea", source="mail")]
    axes = opinion.axes(found(memory(fact("tea"), *said, now=day(9))), Constants())
    assert axes.says == "Evidence 0.50 of 1; the share of it that speaks against is 0.50."
    assert axes.numbers == "belief 0.25 · disbelief 0.25 · uncertainty 0.50"
    assert (axes.x, axes.y, axes.little) == ("168.0", "92.0", "168.0")
    # With half of the evidence against it, d is just the threshold: the dot lies on the edge of the shaded area.
    assert axes.disputed.startswith("M96.0 8.0L")


def test_without_evidence_there_is_no_disagreement():
    axes = opinion.axes(found(memory(fact("tea"), now=day(9))), Constants())
    assert (axes.x, axes.y) == ("24.0", "176.0")
    assert axes.says.startswith("Nothing was said for or against it")


def test_a_contradiction_that_stands_makes_it_disputed_wherever_the_dot_lies():
    said = [event("corroborated", "tea", source=f"s{number}") for number in range(9)]
    asked = memory(fact("tea"), fact("milk"), *said, edge("milk", "contradicts", "tea"), now=day(9))
    told = "It counts as disputed though it lies outside the shaded area: a contradiction stands."
    assert opinion.axes(found(asked), Constants()).says.endswith(told)
    assert told not in opinion.axes(found(asked, "milk"), Constants()).says
    assert told not in opinion.axes(found(memory(fact("tea"), *said, now=day(9))), Constants()).says


# Freshness over time.


def test_the_day_on_which_it_falls_into_the_next_band_is_told():
    # 0.6 · 0.8 · freshness is 0.4 where t^(−0.5) = e^(−1.7 + 0.525 · ln 5), which is after 5.53 days.
    asked = memory(fact("tea"), now=day(1))
    fall = freshness.fall(asked, "tea")
    said = freshness.sentence(asked, "tea", fall)
    assert said == (
        "If nothing happens, its freshness fades, and its trust falls from moderate to low "
        "on 6 January 2026 (in 4 days)."
    )
    assert fall.band == "low"
    assert fall.freshness == pytest.approx(0.8333, abs=1e-4)


@pytest.mark.parametrize(
    ("lines", "now", "says"),
    [
        ([fact("tea")], 300, "It is in the lowest band already."),
        ([fact("tea"), event("forgotten", "tea")], 2, "It is not live, so its freshness decides nothing now."),
    ],
)
def test_where_it_cannot_fall_that_is_told(lines, now, says):
    asked = memory(*lines, now=day(now))
    assert freshness.sentence(asked, "tea", freshness.fall(asked, "tea")) == says


def test_a_fall_that_is_too_far_off_to_draw_is_only_told():
    read = [event("recalled", "tea", on, run=f"r{on}", source="crm") for on in range(1, 40)]
    asked = memory(fact("tea"), *read, now=day(40))
    fall = freshness.fall(asked, "tea")
    drawn = freshness.curve(asked, "tea", fall)
    assert fall.at > asked.now + 365 * (day(1) - day(0))
    assert drawn.fall is None
    assert drawn.end == day(130)


@pytest.mark.parametrize(
    ("years", "ends"),
    [
        (1.9, "falls from moderate to low on 26 November 2027 (in 693 days)."),
        (2.6, "falls from moderate to low in about 3 years."),
        (5.1, "it stays moderate for more than five years."),
        (None, "it stays moderate for more than five years."),
    ],
)
def test_the_further_off_a_fall_is_the_less_exactly_it_is_told(years, ends):
    asked = memory(fact("tea"), now=day(1))
    fall = None if years is None else freshness.Fall(day(1 + 365 * years), "low", 0.5)
    assert freshness.sentence(asked, "tea", fall).endswith(ends)


def test_the_figure_has_both_lines_the_events_now_and_the_fall(client):
    said = [event("recalled", "tea", 3, source="crm"), event("corroborated", "tea", 5, source="<b>mail</b>")]
    asked = memory(fact("tea"), *said, now=day(8))
    drawn = freshness.curve(asked, "tea", freshness.fall(asked, "tea"))
    shown = json.loads(freshness_over_time(drawn, "now"))
    names = [each.get("name") for each in shown["data"]]
    assert names[:4] == ["with use", "without use", "confirmed", "used"]
    with_use, without, confirmed, used, falls = shown["data"]
    assert confirmed["text"] == ["born", "confirmed by &lt;b&gt;mail&lt;/b&gt;"]
    assert used["text"] == ["read by crm"]
    assert used["x"] == ["2026-01-04 09:00:00"]
    assert with_use["y"][0] > 0.99
    assert all(below <= above for below, above in zip(without["y"], with_use["y"], strict=True))
    assert (with_use["line"]["dash"], without["line"]["dash"]) == ("solid", "dash")
    said = [each["text"] for each in shown["layout"]["annotations"]]
    assert said[0] == "now"
    assert re.fullmatch(r"trust falls to \w+ on 2026-0\d-\d\d", said[1])
    assert falls["x"][0].startswith(said[1][-10:])


def test_the_numbers_behind_the_figure_are_few_and_short():
    read = [event("recalled", "tea", on / 4, run=f"r{on}", source="crm") for on in range(1, 400)]
    asked = memory(fact("tea"), *read, now=day(100))
    drawn = freshness.curve(asked, "tea", freshness.fall(asked, "tea"))
    rows = freshness.table(asked, "tea", drawn, "now")
    assert 30 < len(rows) <= 40
    assert all(re.fullmatch(r"[01]\.\d\d", number) for row in rows for number in row[2:])
    assert [row[1] for row in rows if row[1]][-1] == "now"
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_where_no_age_is_known_there_is_no_figure(client):
    space = space_of(fact("tea", at_known=False))
    answer = page(client, space)
    assert "there is no curve to draw" in section(answer, "Freshness over time")
    assert "data-src" not in answer.text
    assert figure(client, space).status_code == 404


def test_the_figure_is_json_of_whoever_may_see_the_space(client, client_of, member):
    space, other = space_of(fact("tea")), space_of(fact("tea"), name="other")
    assert figure(client, space)["Content-Type"] == "application/json"
    assert len(figure(client, space).json()["data"]) >= 3
    assert figure(client_of(member(other, Role.ADMIN)), space).status_code == 404


# Around it.


def test_a_chain_stands_newest_first_with_a_challenge_that_waits_on_top():
    lines = [fact("tea", source="ana"), fact("cups", 1, source="ben"), fact("milk", 2, source="crm", tier="human")]
    edges = [edge("cups", "updates", "tea", 1), edge("milk", "updates", "cups", 2)]
    late = [fact("rum", 3, source="mail"), edge("rum", "updates", "milk", 3, by="mail")]
    asked = memory(*lines, *edges, *late, now=day(9))
    claims = chain.chain(asked, found(asked, "milk")).claims
    assert [each.name for each in claims] == ["rum", "milk", "cups", "tea"]
    assert [each.source for each in claims] == ["mail", "crm", "ben", "ana"]
    assert [each.waits for each in claims] == [True, False, False, False]
    assert [each.is_here for each in claims] == [False, True, False, False]
    assert [each.is_head for each in claims] == [False, True, False, False]


def test_of_a_long_chain_the_nearest_claims_are_shown():
    lines = [fact(f"f{place}", place) for place in range(30)]
    edges = [edge(f"f{place + 1}", "updates", f"f{place}", place + 1) for place in range(29)]
    asked = memory(*lines, *edges, now=day(60))
    shown = chain.chain(asked, found(asked, "f0"))
    assert [each.name for each in shown.claims] == [f"f{place}" for place in reversed(range(20))]
    assert shown.more == "and 10 more claims, further away"


def test_those_for_it_stand_before_those_against_it_and_those_who_used_it():
    said = [
        event("recalled", "tea", source="crm", run="r"),
        event("restated", "tea", 1.1, source="crm", run="r"),
        event("restated", "tea", 2, source="crm", run="q"),
        event("contradicted", "tea", source="mail"),
        event("corroborated", "tea", source="ben"),
    ]
    voices = origin.voices(found(memory(fact("tea"), *said, now=day(9))), day(9))
    assert [(each.source, each.side, each.kind) for each in voices] == [
        ("ben", "for", "says that it is so"),
        ("crm", "for", "says it again"),
        ("mail", "against", "says that it is wrong"),
        ("crm", "used", "read it"),
    ]
    assert [each.runs for each in voices] == ["1", "2, of which 1 counts", "1", "1"]


def test_of_those_who_were_served_it_the_newest_are_shown():
    read = [event("recalled", "tea", on, run=f"r{on}", source="crm") for on in range(1, 26)]
    served = origin.served(found(memory(fact("tea"), *read, now=day(40))), day(40))
    assert [each.run for each in served.newest] == [f"r{on}" for on in range(25, 5, -1)]
    assert served.more == "and 5 times more before that"


def test_provenance_leads_to_all_that_share_it(client):
    space = space_of(fact("tea", source="ana & co"))
    answer = page(client, space)
    assert f"{reverse('facts', args=[space.name])}?source=ana+%26+co" in answer.text
    assert re.search(f'href="{reverse("imports", args=[space.name])}import:[0-9a-f]+/"', answer.text)
    assert "not signed" in section(answer, "Provenance")


def test_entities_are_told_by_what_they_are_called(client):
    said = {"type": "fact", "id": "tea", "text": "It is hot.", "at": "2026-01-01T09:00:00Z", "entities": ["p-ana", "x"]}
    named = {"type": "entity", "id": "p-ana", "name": "Ana", "at": "2026-01-01T09:00:00Z"}
    space = taken(spaces.create("diary"), [json.dumps(each).encode() for each in (said, named)])
    answer = page(client, space)
    assert "Entities Ana x" in section(answer, "Provenance")
    assert f"{reverse('facts', args=[space.name])}?entity=p-ana" in answer.text
    assert re.search("Facts . Ana", words(answer))


def test_the_lens_of_weight_says_what_promotion_waits_for():
    asked = memory(fact("tea"), now=day(9), passes=daily(1, 9))
    weight = lenses.weight(found(asked), asked.now)
    assert weight.clock == "day 7.88 of the running clock"
    assert (weight.scope, weight.half_life) == ("session", "3.00 running days")
    assert "its evidence comes from 2 runs (now 0)" in weight.waits
    assert weight.last_pass.machine.startswith("2026-01-10")


def test_the_lens_of_reinforcement_tells_every_output():
    asked = memory(fact("tea"), feedback("unhelpful", "tea"), now=day(9))
    told = lenses.usefulness(found(asked), Constants())
    assert told.evaluations == "1 evaluation"
    assert len(told.outputs) == 6
    assert all(each.meaning and re.fullmatch(r"−?\d\.\d\d", each.value) for each in told.outputs)
    assert told.suppressed.startswith("suppressed")
    assert lenses.usefulness(found(memory(fact("tea"), now=day(9))), Constants()) is None


@pytest.mark.parametrize(
    ("lines", "passes", "says"),
    [
        ([fact("tea")], (), "Agents may be served it: its weight 0.60 is at least 0.30."),
        (
            [fact("tea"), fact("milk"), edge("milk", "contradicts", "tea")],
            (),
            "Agents may be served it: its weight 0.60 is at least 0.30. They see its flag: it is disputed.",
        ),
        (
            [fact("tea"), fact("milk"), edge("milk", "updates", "tea")],
            (),
            "Served to agents only where they ask for what was replaced: a newer claim holds.",
        ),
        ([fact("tea"), event("forgotten", "tea")], (), "Not served to agents: it is forgotten."),
        ([fact("tea")], daily(1, 6), "Not served to agents: its weight is 0.19, and 0.30 is the least that is served."),
        ([fact("tea"), feedback("corrected", "tea")], (), "Not served to agents: by feedback it is of little use"),
    ],
)
def test_it_says_whether_agents_are_served_it(lines, passes, says):
    asked = memory(*lines, now=day(6.125), passes=passes)
    assert claim.serving(found(asked), Constants()).says.startswith(says)


# History.


def test_every_kind_of_line_has_a_sentence_of_its_own():
    events = [f"event.{kind}" for kind in (*FACT_EVENTS, *OF_EVENTS)]
    told = [{"kind": kind, "direction": None, "removed": None} for kind in ("fact", "case", *events)]
    told += [{"kind": f"feedback.{outcome}", "direction": None, "removed": None} for outcome in OUTCOMES]
    told += [
        {"kind": f"edge.{relation}", "direction": direction, "removed": removed}
        for relation, direction, removed in product(RELATIONS, ("from", "to"), (False, True))
    ]
    sentences = [str(history.SENTENCES[history.key(each)]) for each in told]
    assert len(set(sentences)) == len(told)
    of_feedback = {"feedback.helpful confirmed", "feedback.helpful implicit", "feedback.unhelpful implicit"}
    assert history.SENTENCES.keys() == {*map(history.key, told), *of_feedback}


def test_history_is_told_newest_first_with_what_became_of_each_line(client):
    space = space_of(
        fact("tea", tier="human", source="ana"),
        fact("milk", source="mail"),
        event("recalled", "tea", 1, source="crm", run="r"),
        event("restated", "tea", 2, source="crm", run="r", arrived=2),
        edge("milk", "updates", "tea", 3, id="u", by="mail"),
        feedback("helpful", "tea", 4, source="ben", confirmed=True),
        event("dismissed", of="u", on=5, source="ana"),
    )
    told = section(page(client, space), "History, newest first")
    sentences = [
        "ana dismissed this: “mail said that What milk says. updates it”",
        "ben found it helpful, and that it is so",
        "mail said that What milk says. updates it dismissed",
        "crm said it again echo: use, no evidence",
        "crm read it",
        "ana said it for the first time",
    ]
    places = [told.index(each) for each in sentences]
    assert places == sorted(places)


def test_a_reason_is_quoted(client, owner):
    space = space_of(fact("tea"))
    facts.accept(space, "tea", by="ana", now=LATER + 1, reason="I <asked> them")
    assert '<q dir="auto" translate="no">I &lt;asked&gt; them</q>' in page(client, space).text


def test_an_act_of_a_person_can_be_undone_once_and_what_was_undone_says_by_whom(client):
    space = space_of(fact("tea"))
    accepted = facts.accept(space, "tea", by="ana", now=LATER + 1)
    forgotten = facts.forget(space, "tea", by="ana", now=LATER + 2)
    assert undos_on(page(client, space)) == [forgotten, accepted]
    undone = undo.undo(space, forgotten, by="ben", now=LATER + 3)
    answer = page(client, space)
    assert undos_on(answer) == [undone, accepted]
    assert "ana forgot it undone by ben" in section(answer, "History, newest first")
    assert "ben undid this: “ana forgot it”" in section(answer, "History, newest first")


def test_several_lines_of_one_act_are_undone_by_one_button(client):
    space = space_of(fact("tea"))
    act, made = facts.correct(space, "tea", "It is cold.", by="ana", now=LATER + 1)
    assert undos_on(page(client, space, made)) == [act]


def test_what_a_machine_did_has_no_button(client):
    assert undos_on(page(client, space_of(fact("tea"), event("corroborated", "tea", act="a", source="crm")))) == []


def test_of_a_long_history_the_newest_lines_are_shown_until_all_are_asked_for(client):
    space = space_of(fact("tea"), *[event("recalled", "tea", on, run=f"r{on}", source="crm") for on in range(1, 61)])
    short, long = page(client, space), page(client, space, query="?history=all")
    assert len(re.findall("<time datetime", short.text.split('id="history"')[1])) == 25
    assert "Show all 61 lines" in short.text
    assert "crm read it" in section(long, "History, newest first")
    assert len(re.findall("<time datetime", long.text.split('id="history"')[1])) == 61
    assert "Show all" not in long.text


def test_all_of_the_history_comes_as_a_part_of_the_page(client):
    space = space_of(fact("tea"), *[event("recalled", "tea", on, run=f"r{on}", source="crm") for on in range(1, 61)])
    part = page(client, space, query="?history=all", **HTMX)
    assert part.text.strip().startswith("<section")
    assert "<h1" not in part.text
    assert len(re.findall("<time datetime", part.text)) == 61
    back = page(client, space, query="?history=all", **HTMX, **{"HX-History-Restore-Request": "true"})
    assert "<h1" in back.text


# What passes did to it.


def test_what_passes_did_to_it_stands_there_with_links_to_their_reports(client):
    space = space_of(fact("tea", weight=0.05), event("restated", "tea", 5), passes=daily(2, 6))
    said = section(page(client, space), "What passes did to it")
    assert re.findall(r"UTC (pruned|came back)", said) == ["came back", "pruned"]
    assert "its weight lies below 0.05, where facts are pruned" in said
    link = reverse("pass", args=[space.name, "2026-01-04T12:00:00Z"])
    assert f'<a href="{link}">2026-01-04 12:00 UTC</a>' in page(client, space).text


def test_it_is_the_same_as_in_the_report_of_each_pass():
    lines = [fact(f"f{each}", each / 2, producer="user" if each % 2 else "document") for each in range(8)]
    touches = [event("restated", f"f{each % 8}", each, source=f"s{each % 3}") for each in range(1, 12)]
    uses = [event("recalled", f"f{each % 5}", each + 0.5, source="bot", run=f"r{each}") for each in range(1, 12)]
    space = space_of(*lines, *touches, *uses, edge("f1", "updates", "f2", 4), passes=daily(1, 9))
    reported = {}
    for taken_pass in Pass.objects.filter(space=space):
        for row in changes.listed(space, taken_pass, changes.View("", Place())).rows:
            of = re.search("/facts/(f[0-9])/", row.fact)[1], to_text(taken_pass.instant)
            reported[of] = row.did, row.says, row.before, row.after
    told = {}
    for name in (each.id for each in lines):
        constants_at = stored.memory(space, name, LATER).folded.history.constants_at
        for row in deeds.done_to(space, name, constants_at, LATER).rows:
            told[name, row.name] = row.did, row.says, row.before, row.after
    assert told == reported
    assert len({(before, after) for _, _, before, after in told.values() if before != after}) > 5


def test_of_many_passes_the_ten_newest_are_told_with_as_many_queries_as_few(client):
    def asked(days: int) -> tuple[int, str]:
        said = [event("restated", "tea", on + 0.5, source=f"s{on}") for on in range(days)]
        space = space_of(fact("tea"), *said, passes=daily(1, days), name=f"space-{days}")
        with CaptureQueriesContext(connection) as queries:
            answer = page(client, space)
        return len(queries), section(answer, "What passes did to it")

    asked(2)
    (few, some), (many, all_of_it) = asked(4), asked(14)
    assert (few, some.count(" UTC "), "more" in some) == (many, 4, False)
    assert (all_of_it.count(" UTC "), "and 4 more" in all_of_it) == (10, True)


def test_what_no_pass_changed_says_so_also_after_the_pass_was_rolled_back(client):
    space = space_of(fact("tea", weight=0.01), passes=daily(2, 2))
    assert "pruned" in section(page(client, space), "What passes did to it")
    undo.undo(space, "2026-01-03T12:00:00Z", by="ana", now=LATER)
    assert "No pass that counts has changed it." in section(page(client, space), "What passes did to it")


# Who may, and what there is not.


def test_what_hides_in_a_claim_is_not_handed_on_in_the_form_that_corrects_it(client):
    said = [{"type": "fact", "id": id, "text": text, "at": "2026-01-01T09:00:00Z"} for id, text in _CLAIMS.items()]
    space = taken(spaces.create("diary"), [json.dumps(each).encode() for each in said])
    filled = [re.search("<textarea name=.correct-text.[^>]*>(.*?)</textarea>", page(client, space, id).text, re.S)
              for id in _CLAIMS]  # fmt: skip
    assert [each[1].strip() for each in filled] == ["It is hot.", ""]


_CLAIMS = {"plain": "It is hot.", "hiding": "It is\u200b hot."}


@pytest.mark.parametrize(
    ("role", "acts"),
    [(Role.READER, set()), (Role.REVIEWER, {"accept", "correct", "forget"})],
    ids=["reader", "reviewer"],
)
def test_whoever_may_decide_finds_the_acts(client_of, member: MemberOf, role, acts):
    space = space_of(fact("tea"))
    facts.accept(space, "tea", by="ana", now=LATER + 1)
    answer = page(client_of(member(space, role)), space)
    assert answer.status_code == 200
    assert acts_on(answer) == acts
    assert bool(undos_on(answer)) == bool(acts)


def test_a_change_that_an_act_makes_leads_to_its_form_for_whoever_may_decide(client, client_of, member: MemberOf):
    space = space_of(fact("tea"), fact("milk"), edge("milk", "contradicts", "tea"))
    answer = page(client, space)
    assert re.findall('<a href="#([^"]+)">(You accept it|A contradiction is dismissed)</a>', answer.text) == [
        ("id_accept-reason", "You accept it"),
        ("against", "A contradiction is dismissed"),
    ]
    assert 'id="id_accept-reason"' in answer.text
    assert 'id="against"' in answer.text
    assert "#id_accept-reason" not in page(client_of(member(space, Role.READER)), space).text


def test_of_a_superseded_fact_the_newer_claim_is_what_can_be_corrected(client):
    space = space_of(fact("tea"), fact("milk"), edge("milk", "updates", "tea"))
    assert acts_on(page(client, space)) == {"accept", "forget"}
    assert acts_on(page(client, space, "milk")) == {"accept", "correct", "forget"}


def test_whoever_has_no_role_cannot_tell_whether_there_is_such_a_fact(client_of, member: MemberOf):
    space, other = space_of(fact("tea")), space_of(fact("tea"), name="other")
    assert page(client_of(member(other, Role.ADMIN)), space).status_code == 404
    assert page(Client(), space).status_code == 302


def test_it_is_only_read(client):
    assert client.post(reverse("fact", args=[space_of(fact("tea")).name, "tea"])).status_code == 405


def test_what_is_forgotten_can_be_restored(client):
    answer = page(client, space_of(fact("tea"), event("forgotten", "tea")))
    assert acts_on(answer) == {"restore"}
    assert "only when a person restores it" in section(answer, "What would lift it")
    assert "forgotten: nothing, if that was right" in words(answer)


def test_of_what_is_erased_nothing_but_its_fate_is_shown(client):
    space = space_of(fact("tea"), event("restated", "tea", source="crm"))
    erasing.erase(space, "tea", by="ana", now=LATER + 1, reason="")
    answer = page(client, space)
    assert acts_on(answer) == set()
    assert "What tea says" not in answer.text
    assert re.search("<h1[^>]*><span[^>]*>.erased.</span></h1>", answer.text)
    assert undos_on(answer) == []


def test_a_fact_that_there_is_not_is_missed_in_a_sentence(client):
    answer = page(client, space_of(fact("tea")), "<coffee>")
    assert answer.status_code == 404
    assert "This space holds no fact “&lt;coffee&gt;”." in answer.text


def test_a_fact_whose_act_was_undone_counts_as_never_written(client):
    space = space_of(fact("tea"))
    act, made = facts.correct(space, "tea", "It is cold.", by="ana", now=LATER + 1)
    undo.undo(space, act, by="ana", now=LATER + 2)
    answer = page(client, space, made)
    assert answer.status_code == 404
    assert "counts as never written: its act was undone." in answer.text


def test_a_fact_that_is_not_reckoned_yet_is_told_apart_from_one_that_never_came(client):
    space = space_of(fact("tea"))
    said = {"type": "fact", "id": "milk", "text": "It is white.", "at": "2026-05-01T09:00:00Z"}
    with transaction.atomic():
        chain_of_lines.append(space, [entry(parse_record(said))])
    answer = page(client, space, "milk")
    assert answer.status_code == 404
    assert "is not reckoned yet: its import is under way." in answer.text


def test_where_the_newest_lines_are_not_in_the_numbers_the_page_says_so(client):
    space = space_of(fact("tea"), fact("milk"))
    assert "under way" not in page(client, space).text
    Space.objects.filter(pk=space.pk).update(folded_to=space.head_position - 1)
    assert "1 line of an import that is under way, or was cut short, is not in this yet." in page(client, space).text


def test_a_long_claim_is_cut_between_characters_and_the_whole_is_one_click_away(client):
    family = "👨‍👩‍👧"
    shown = claim.claim(family * 300)
    assert set(shown.text.removesuffix("…").split(family)) == {""}
    assert len(shown.text) <= 601
    assert shown.whole == family * 300
    assert claim.claim("short").whole == ""


def test_whatever_a_text_holds_it_is_shown_to_the_letter(client):
    nasty = "<img src=x onerror=alert(1)>\u200b{{7*7}}"
    said = {
        "type": "fact", "id": "tea", "text": nasty, "source": nasty, "run": nasty, "subject": nasty,
        "predicate": nasty, "object": nasty, "entities": [nasty], "tags": [nasty], "at": "2026-01-01T09:00:00Z",
    }  # fmt: skip
    lines = [said, said | {"id": "milk", "source": "crm"}]
    lines.append({"type": "edge", "id": "u", "from": "milk", "to": "tea", "relation": "updates", "by": nasty,
                  "note": nasty, "at": "2026-01-02T09:00:00Z"})  # fmt: skip
    lines.append({"type": "event", "id": "e", "kind": "recalled", "fact": "tea", "source": nasty, "run": nasty,
                  "at": "2026-01-03T09:00:00Z"})  # fmt: skip
    space = taken(spaces.create("diary"), [json.dumps(each).encode() for each in lines])
    shown, drawn = page(client, space).text, figure(client, space).content.decode()
    for text in (shown, drawn):
        assert "<img" not in text
        assert "\u200b" not in text
    assert shown.count('<span class="hidden-mark">&lt;U+200B&gt;</span>') > 10
    assert "{{7*7}}" in shown


def test_numbers_have_at_most_two_decimals(client):
    said = [event("recalled", "tea", on, run=f"r{on}", source="crm") for on in range(1, 9)]
    space = space_of(fact("tea"), *said, feedback("helpful", "tea", 3), passes=daily(1, 9))
    assert re.findall(r"\d\.\d{3,}", words(page(client, space))) == []


def test_it_asks_as_often_for_twenty_lines_as_for_ten(client):
    def asked(count: int) -> int:
        lines = [event("recalled", "tea", on, run=f"r{on}", source=f"s{on}") for on in range(1, count + 1)]
        others = [fact(f"f{place}", place) for place in range(count)]
        edges = [edge(f"f{place}", "extends", "tea", place + 1) for place in range(count)]
        space = space_of(fact("tea"), *others, *lines, *edges, name=f"space-{count}")
        with CaptureQueriesContext(connection) as queries:
            assert page(client, space).status_code == 200
        return len(queries)

    asked(3)
    assert asked(20) == asked(10)


def test_every_band_is_a_word_and_a_glyph(client):
    answer = page(client, space_of(fact("tea")))
    shown = re.findall(
        r'band-(\d)"><svg class="bars" aria-hidden="true"><use href="#bars-(\d)"/></svg>([a-z ]+)', answer.text
    )
    assert shown
    assert all(place == glyph and word.strip() == BANDS[int(place) - 1] for place, glyph, word in shown)
