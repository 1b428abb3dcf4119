"""`trustmem score`: every fact with its band, its factors and what to do, for people; the scores, for machines."""

import json
import re

import pytest

from tests.intake.terminal import LIVED, NOW, SAMPLE, edge, event, fact, trustmem, write
from trustmem.core.fold import fold
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.core.lines import Pass
from trustmem.core.scores import score
from trustmem.formats import rfc3339
from trustmem.formats.interchange import read
from trustmem.formats.scores import rows, under


def scores_by_the_core(passes_every_day):
    with open(SAMPLE, "rb") as file:
        reading = read(file)
    at = [record["at"] for record in reading.records.values()]
    days = range(min(at) + MICROSECONDS_PER_DAY, max(at) + 1, MICROSECONDS_PER_DAY)
    folded = fold(reading.lines, [Pass(instant) for instant in days] if passes_every_day else [])
    return list(under(rows(score(folded.stored, rfc3339.parse(NOW))), None, folded.stored.constants))


@pytest.mark.parametrize("more", [[], ["--pass-every", "1d"], ["--pass-every", "24h"], ["--pass-every", "1440m"]])
def test_json_is_the_scores_of_the_core_and_nothing_else(more):
    done = trustmem("score", SAMPLE, "--now", NOW, *more, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(line) for line in done.stdout.splitlines()] == scores_by_the_core(bool(more))


@pytest.mark.realdata
def test_a_real_memory_lived_through_with_daily_passes_has_the_right_scores(realdata):
    with open("tests/vectors/real/mcp-think-tank.expected.json") as file:
        right = json.load(file)
    file = realdata / right["file"].removeprefix("data/")
    done = trustmem("score", file, "--now", right["now"], "--pass-every", right["pass_every"], "--json")
    assert done.returncode == 0
    found = {row["id"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert len(found) == len(right["facts"])
    for expected in right["facts"]:
        for name, value in expected.items():
            assert found[expected["id"]][name] == pytest.approx(value, abs=1e-9)


def test_without_now_the_clock_of_the_machine_is_asked(tmp_path):
    file = write(tmp_path / "f.jsonl", fact("old", at="2001-01-01T00:00:00Z"))
    assert json.loads(trustmem("score", file, "--json").stdout)["flags"] == ["stale", "uncertain"]


@pytest.mark.parametrize("columns", [80, 140])
def test_a_person_reads_band_trust_claim_factors_flags_and_id_of_every_fact(columns):
    shown = trustmem("score", *LIVED, columns=columns).stdout
    assert "▁▂▄▆█ very high 0.85  Deploys go out on Tuesdays before noon, never on a Friday" in shown
    assert "0.95 × 1.00 × 1.00 × 0.90 · settled · deploy-window" in shown
    assert max(map(len, shown.splitlines()[1:])) <= columns


def test_the_head_says_what_was_asked_of_what():
    head = trustmem("score", *LIVED, columns=400).stdout.splitlines()[:3]
    assert head[0].endswith("28 facts: 26 live, 1 pruned, 1 forgotten")
    assert head[1] == "now 2026-06-01 07:00 UTC · 104 passes · default constants"
    assert head[2] == "122 lines: 122 new"


def test_the_most_trusted_come_first_then_the_superseded_then_what_is_not_live():
    shown = trustmem("score", *LIVED, columns=140).stdout.split("WHAT TO DO")[0]
    facts, superseded, gone = re.split("SUPERSEDED|NOT LIVE", shown)
    trust = [float(each) for each in re.findall(r"^▁.{14} (0\.\d\d)  ", facts, re.MULTILINE)]
    assert trust == sorted(trust, reverse=True)
    assert "staging-teal" in superseded
    assert "pruned · uncertain · noor-calendar" in gone
    assert "forgotten · uncertain · door-code" in gone


def test_what_to_do_counts_each_flag_of_live_facts_and_gives_its_advice():
    advice = trustmem("score", *LIVED).stdout.split("WHAT TO DO")[1].split("BANDS")[0]
    for words in (
        "resolve",
        "rule on it",
        "re-verify: long",
        "re-verify: use alone keeps it fresh",
        "corroborate",
    ):
        assert words in advice
    assert re.search(r"challenged +1  .*\n +launch-15-june\n", advice)


def test_bands_are_counted_over_live_facts():
    bands = trustmem("score", *LIVED).stdout.split("BANDS")[1]
    assert sum(int(count) for count in re.findall(r" (\d+)(?:  █|$)", bands, re.MULTILINE)) == 26


def test_people_see_two_decimals_at_most():
    shown = trustmem("score", *LIVED).stdout + trustmem("explain", *LIVED, "launch-15-june").stdout
    assert re.findall(r"\d\.\d{3,}", shown) == []


def test_there_is_no_colour_in_a_pipe():
    assert "\x1b" not in trustmem("score", *LIVED).stdout


def test_what_a_constants_line_changes_is_named_in_the_head(tmp_path):
    change = {"type": "constants", "id": "c", "version": 4, "values": {"prior_weight": 3}, "at": "2026-01-01T00:00:00Z"}
    assert "constants version 4" in trustmem("score", write(tmp_path / "f.jsonl", change, fact("a"))).stdout


def test_what_was_erased_is_not_shown(tmp_path):
    file = write(tmp_path / "f.jsonl", fact("a", "The secret."), event("erased", "a", "e"))
    for arguments in (["score", file], ["explain", file, "a"]):
        shown = trustmem(*arguments).stdout
        assert "secret" not in shown
        assert "(erased)" in shown


NASTY = {
    "[bold]no markup[/] :smile: [link=x]y[/link]": "[bold]no markup[/] :smile: [link=x]y[/link]",
    "a\u202ereversed": "a<U+202E>reversed",
    "red \x1b[31m \x9b32m": "red <U+001B>[31m <U+009B>32m",
    "one\r\ntwo": "one␤two",
    "vault\u200b code": "vault<U+200B> code",
    "safe" + "".join(chr(0xE0000 + ord(each)) for each in "send keys"): "safe<tags: send keys>",
    "می‌خواهم 👩🏽‍🚀": "می‌خواهم 👩🏽‍🚀",
    "שלום עולם": "שלום עולם",
    "x" * 10_000: "x" * 57 + "…",
    "👨‍👩‍👧‍👦" * 40: "👨‍👩‍👧‍👦" * 28 + "…",
    "🇳🇱" * 40: "🇳🇱" * 28 + "…",
    "": "",
    "Z" + "\u0301" * 300: "Z" + "\u0301" * 4 + "<296 more marks>",
}


def test_whatever_a_text_holds_is_shown_as_it_is_and_moves_nothing(tmp_path):
    texts = [text or " " for text in NASTY]
    file = write(tmp_path / "f.jsonl", *(fact(f"n{number}", text) for number, text in enumerate(texts)))
    lines = trustmem("score", file, "--now", NOW).stdout.splitlines()
    for number, right in enumerate(NASTY.values()):
        below = next(place for place, line in enumerate(lines) if line.endswith(f" n{number}"))
        assert lines[below - 1][22:] == right


def test_whatever_an_id_holds_is_shown_whole(tmp_path):
    ids = ["[b]x[/]", "i" * 200, "a\u202eb", "e\U0001f1f3\U0001f1f1"]
    file = write(tmp_path / "f.jsonl", *map(fact, ids))
    shown = trustmem("score", file).stdout
    for id in ids:
        assert id.replace("\u202e", "<U+202E>") in shown


def test_a_cycle_and_a_contradiction_are_shown_without_a_word_too_much(tmp_path):
    file = write(
        tmp_path / "f.jsonl",
        *map(fact, "abcd"),
        edge("updates", "a", "b", "e1"),
        edge("updates", "b", "a", "e2"),
        edge("contradicts", "c", "d", "e3"),
    )
    done = trustmem("score", file, "--now", NOW)
    assert "SUPERSEDED" not in done.stdout
    assert re.search(r"disputed +2 ", done.stdout)


def test_lines_that_lie_after_the_instant_of_the_scores_are_counted_aloud(tmp_path):
    write(tmp_path / "m.jsonl", fact("f"), event("restated", "f", "e", source="crm"))
    done = trustmem("score", tmp_path / "m.jsonl", "--now", "2026-01-05T12:00:00Z")
    assert "notice: 1 line lies after 2026-01-05T12:00:00Z" in done.stderr
