"""`trustmem explain`: one fact, why it is worth what it is, and what would lift it."""

import json
import re

import pytest

from tests.intake.terminal import LIVED, NOW, SAMPLE, edge, event, fact, trustmem, write


def explained(*arguments):
    done = trustmem("explain", *arguments, "--json")
    assert done.stderr == ""
    return json.loads(done.stdout)


def section(shown, title):
    """What stands under a heading, as one line."""
    return " ".join(re.search(rf"^{title}.*\n((?:.+\n)*)", shown, re.MULTILINE)[1].split())


def test_the_claim_comes_first_then_its_band_and_what_to_do():
    shown = trustmem("explain", *LIVED, "launch-15-june").stdout
    claim, band, names = [line.strip() for line in shown.splitlines() if line][:3]
    assert claim == "The app goes live for the club on 15 June."
    assert band == "▁▂▄▆█ very high 0.83"
    assert names == "challenged · uncertain · launch-15-june · now 2026-06-01 07:00 UTC"
    assert "challenged rule on it: uphold or dismiss the challenge" in section(shown, "WHAT TO DO")


@pytest.mark.parametrize("name", ["launch-15-june", "launch-15"])
def test_a_fact_goes_by_its_id_or_a_beginning_that_only_it_has(name):
    assert explained(*LIVED, name)["id"] == "launch-15-june"


def test_an_id_that_is_the_beginning_of_another_means_itself(tmp_path):
    file = write(tmp_path / "f.jsonl", fact("a"), fact("ab"))
    assert explained(file, "a")["id"] == "a"


def test_the_factors_multiply_down_to_the_trust_that_is_shown():
    found = explained(*LIVED, "staging-heron")
    product = 1.0
    for each in found["why"]:
        product *= each["value"]
        assert each["product"] == pytest.approx(product, abs=1e-15)
    assert found["why"][-1]["product"] == pytest.approx(found["scores"]["trust"], abs=1e-15)


def test_each_factor_has_a_sentence_with_its_arithmetic():
    why = section(trustmem("explain", *LIVED, "staging-heron").stdout, "WHY")
    assert "no source beside its own birth speaks for it, none against: (0 + 0.60·2) / (0 + 0 + 2)" in why
    assert "born 102 days ago, confirmed by nobody since, 2 uses (without use 0.24)" in why
    assert ": B = −1.14, 1 / (1 + e^((−1.70 − B)/0.53))" in why
    assert "2 newer claims stand above it, one over the other: 0.50^2; updated by staging-teal “Staging runs on" in why
    assert "auto: no person accepted it, and no key signed it" in why


@pytest.mark.parametrize(
    ("id", "sentence"),
    [
        ("launch-15-june", "2 sources for (evidence in 3 runs), none against: (2 + 0.85·2) / (2 + 0 + 2)"),
        ("invoice-14", "1 source for, 1 source against: (1 + 0.60·2) / (1 + 1 + 2)"),
        ("club-members", "a total of 9 reinforcements from before, the first 265 days ago"),
        ("logo-blue", "no instant is known from which to reckon, so it counts as one half"),
        ("launch-15-june", "human: a person accepted it"),
        ("budget-120", "human: a person stands behind it, so its importer says"),
    ],
)
def test_the_sentences_fit_the_fact(id, sentence):
    assert sentence in section(trustmem("explain", *LIVED, id).stdout, "WHY")


def test_a_restatement_is_a_confirmation_and_no_use(tmp_path):
    write(tmp_path / "m.jsonl", fact("f", source="ana"), event("restated", "f", "e", source="crm"))
    why = section(trustmem("explain", tmp_path / "m.jsonl", "f", "--now", "2026-01-07T09:00:00Z").stdout, "WHY")
    assert "last confirmed 24 hours ago, no uses" in why


def test_updates_in_a_circle_are_named_and_said_to_count_for_nothing(tmp_path):
    pair = [fact("f"), fact("g"), edge("updates", "f", "g", "e1"), edge("updates", "g", "f", "e2")]
    write(tmp_path / "m.jsonl", *pair)
    done = trustmem("explain", tmp_path / "m.jsonl", "f", "--now", "2026-01-07T09:00:00Z")
    assert done.stdout.count("in a circle of updates: none of them counts") == 2
    assert 'notice: updates lead in a circle, and none of those counts: "f", "g"' in done.stderr


def test_a_fact_whose_own_line_was_rejected_is_answered_with_the_reason(tmp_path):
    write(tmp_path / "m.jsonl", fact("f"), fact("g", tier="signed"))
    done = trustmem("explain", tmp_path / "m.jsonl", "g")
    assert done.returncode == 2
    assert 'holds no fact "g": line 2: "tier" cannot be "signed"' in done.stderr


def test_what_would_lift_it_is_what_the_file_would_then_score(tmp_path):
    lifts = {each["change"]: each for each in explained(*LIVED, "api-port")["lift"]}
    with open(SAMPLE, encoding="utf-8") as file:
        lines = file.read().splitlines()
    accepted = event("accepted", "api-port", "new", at=NOW, source="somebody new")
    after = explained(write(tmp_path / "f.jsonl", *lines, accepted), *LIVED[1:], "api-port")
    assert after["scores"]["trust"] == pytest.approx(lifts["a person's acceptance"]["trust"], abs=1e-9)
    assert after["scores"]["band"] == lifts["a person's acceptance"]["band"]


def test_only_changes_that_apply_are_named():
    accepted = section(trustmem("explain", *LIVED, "launch-15-june").stdout, "WHAT WOULD LIFT IT")
    assert "acceptance" not in accepted
    assert "dismissed" not in accepted
    assert "a contradiction dismissed 0.34 ▁▂ low" in section(
        trustmem("explain", *LIVED, "invoice-14").stdout, "WHAT WOULD LIFT IT"
    )


def test_what_stands_against_it_and_what_only_challenges_it_are_kept_apart():
    disputed, challenged = explained(*LIVED, "invoice-14"), explained(*LIVED, "launch-15-june")
    assert [each["id"] for each in disputed["contradictions"]] == ["invoice-clash"]
    assert disputed["contradictions"][0]["other"]["text"] == "Invoices to the club are due within 30 days."
    assert disputed["challenges"] == []
    assert challenged["contradictions"] == []
    assert [each["id"] for each in challenged["challenges"]] == ["launch-moves"]
    assert explained(*LIVED, "launch-29-june")["challenges"] == []


def test_the_chain_is_named_newest_first():
    chain = explained(*LIVED, "staging-teal")["chain"]
    assert [(each["id"], each["step"]) for each in chain] == [
        ("staging-avocet", 1),
        ("staging-teal", 0),
        ("staging-heron", -1),
    ]


def test_the_history_says_who_did_what_when_and_what_became_of_it():
    history = section(trustmem("explain", *LIVED, "launch-15-june", columns=140).stdout, "HISTORY")
    assert "2026-03-02 09:00 born, session, producer user · by tess · run wren-0302" in history
    assert "2026-03-09 16:30 accepted · by mara · run mara@2026-03-09" in history
    assert "restated · by wren · run weekly-0525 · echo: use, no evidence" in history
    assert "launch-29-june updates it · by wren · run chat-0528 · challenge: without effect until" in history
    assert "deploy-tuesday-2 derives from it" in history


@pytest.mark.parametrize(
    ("id", "effects"),
    [
        ("no-dark-mode", {"dark-doubt": "dismissed"}),
        ("budget-120", {"budget-raise": "upheld"}),
        ("release-notes", {"misread": "withdrawn"}),
        ("parking", {"parking-tidied": "undone"}),
    ],
)
def test_the_history_shows_what_people_decided(id, effects):
    found = {each["id"]: each["effect"] for each in explained(*LIVED, id)["history"]}
    assert effects.items() <= found.items()


def test_a_promotion_that_waits_says_for_what(tmp_path):
    passes = [{"type": "pass", "at": f"2026-01-0{day}T12:00:00Z"} for day in (6, 7)]
    file = write(
        tmp_path / "f.jsonl",
        fact("a", producer="document"),
        fact("b", producer="user"),
        fact("c", producer="user"),
        edge("contradicts", "b", "c", "clash"),
        *passes,
    )
    now = "2026-01-08T00:00:00Z"
    assert explained(file, "a", "--now", now)["weight"]["promotion_waits_until"] == [
        "its derived weight is 0.80",
        "its evidence comes from 2 runs (now 0)",
        "it stood that high for 1.00 running days (now 0.00)",
    ]
    assert explained(file, "b", "--now", now)["weight"]["promotion_waits_until"] == [
        "no contradiction stands against it"
    ]
    assert explained(*LIVED, "seed-data")["weight"]["promotion_waits_until"] is None


def test_weight_and_reinforcement_are_told_with_their_consequences():
    shown = trustmem("explain", *LIVED, "ivo-coffee").stdout
    assert "running days, global" in section(shown, "WEIGHT")
    assert "suppressed: agents do not retrieve it" in section(shown, "REINFORCEMENT")
    assert "half-life does not fade" in section(trustmem("explain", *LIVED, "ask-before-mail").stdout, "WEIGHT")
    assert "REINFORCEMENT" not in trustmem("explain", *LIVED, "vpn-profile").stdout


def test_json_has_the_scores_in_full_precision():
    rows = [json.loads(line) for line in trustmem("score", *LIVED, "--json").stdout.splitlines()]
    for row in rows[::7]:
        assert explained(*LIVED, row["id"])["scores"] == row


@pytest.mark.parametrize("columns", [80, 140])
def test_every_fact_of_the_sample_fits_the_width(columns):
    for id in ("launch-15-june", "staging-heron", "ivo-coffee", "club-members", "door-code"):
        shown = trustmem("explain", *LIVED, id, columns=columns).stdout
        assert max(map(len, shown.splitlines())) <= columns


def test_a_fact_whose_act_was_undone_counts_as_never_written(tmp_path):
    undone = {"type": "event", "id": "u", "kind": "undone", "of": "A", "at": "2026-01-07T00:00:00Z"}
    done = trustmem("explain", write(tmp_path / "f.jsonl", fact("a", act="A"), fact("b"), undone), "a")
    assert done.returncode == 2
    assert "its act was undone" in done.stderr


def test_what_names_such_a_fact_waits(tmp_path):
    undone = {"type": "event", "id": "u", "kind": "undone", "of": "A", "at": "2026-01-07T00:00:00Z"}
    file = write(tmp_path / "f.jsonl", fact("a", act="A"), fact("b"), edge("contradicts", "a", "b", "e"), undone)
    happened = {each["id"]: each["effect"] for each in explained(file, "b")["history"]}
    assert happened == {"b": None, "e": "waiting for what it names"}


def test_a_long_claim_is_shown_whole(tmp_path):
    shown = trustmem("explain", write(tmp_path / "f.jsonl", fact("long", "x" * 10_000)), "long").stdout
    assert sum(len(line) for line in shown.split() if set(line) == {"x"}) == 10_000


def test_a_nasty_claim_is_shown_as_it_is(tmp_path):
    family = "👨‍👩‍👧‍👦"
    file = write(tmp_path / "f.jsonl", fact("nasty", f"[bold]one[/]\n\u202etwo {family * 61}"))
    shown = trustmem("explain", file, "nasty").stdout
    assert "[bold]one[/]␤\n  <U+202E>two" in shown
    assert shown.count(family) == 61
