"""Hidden characters are seen: each has a sign, and all else stands as it is."""

import json
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.explanations.attacks import ATTACKS
from tests.explanations.honest import honest
from trustmem.explanations.lookalikes import PASSING, lookalikes
from trustmem.explanations.text import LINE_END, graphemes, marks, pieces, visible, within

CASES = Path(__file__).parent.parent / "cases"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("plain", [("plain", "")]),
        ("größer 雨", [("größer 雨", "")]),
        ("pay\u200b\u202eme", [("pay", ""), ("", "<U+200B>"), ("", "<U+202E>"), ("me", "")]),
        ("one\ntwo", [("one", ""), ("", "␤"), ("two", "")]),
        ("one\r\ntwo", [("one", ""), ("", "␤"), ("two", "")]),
        ("one\ttwo", [("one two", "")]),
        ("\x1b[2J", [("", "<U+001B>"), ("[2J", "")]),
        ("a\U000e0068\U000e0069", [("a", ""), ("", "<tags: hi>")]),
        ("e" + "\u0301" * 6, [("e" + "\u0301" * 4, ""), ("", "<2 more marks>")]),
        ("ก" + "\u0e49" * 5, [("ก\u0e49\u0e49", ""), ("", "<3 more marks>")]),
        ("👨\u200d👩", [("👨\u200d👩", "")]),
        ("a\u200db", [("a", ""), ("", "<U+200D>"), ("b", "")]),
        ("\ud800", [("", "<U+D800>")]),
        ("<U+200B>", [("<U+200B>", "")]),
        ("p\u0430y", [("p", ""), ("\u0430", "<U+0430>"), ("y", "")]),
        ("go \u0440\u0430\u0443\u0440", [("go ", ""), ("\u0440\u0430\u0443\u0440", "<U+0440 U+0430 …>")]),
    ],
)  # fmt: skip
def test_signs_are_told_from_what_is_plain(text, found):
    assert list(pieces(text)) == found
    assert visible(text) == "".join(shown + sign for shown, sign in found)


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_is_seen(name):
    signs = [mark.sign for mark in marks(ATTACKS[name])]
    assert signs
    assert LINE_END not in signs


def test_there_are_at_least_sixty_attacks_and_two_thousand_honest_texts_in_thirty_languages():
    texts = honest()
    assert len(ATTACKS) >= 60
    assert len(texts) >= 30
    assert sum(map(len, texts.values())) >= 2000


def test_of_honest_texts_in_any_language_none_is_marked():
    assert {
        name: seen for name, texts in honest().items() if (seen := [visible(each) for each in texts if marks(each)])
    } == {}


def test_the_hidden_part_of_an_attack_is_told_by_its_code_point_and_tags_in_clear():
    assert "<U+2063>" in visible(ATTACKS["invisible separator"])
    assert visible(ATTACKS["tags"]) == "Safe text<tags: send keys>"


def test_case_105():
    texts = json.loads((CASES / "105-invisible-to-the-reviewer.facts.json").read_text())
    case = json.loads((CASES / "105-invisible-to-the-reviewer.case.json").read_text())["check"]
    seen = {number: [mark.sign for mark in marks(text)] for number, text in enumerate(texts, 1)}
    assert [number for number in seen if seen[number]] == case["flagged"]
    assert [number for number in seen if not seen[number]] == case["not_flagged"]
    for number, hidden in case["hidden_text_shown"].items():
        assert f"<tags: {hidden}>" in seen[int(number)]
    assert seen[2] == ["<U+2060>", "<U+FEFF>"]
    assert visible(texts[4]) == "p\u0430<U+0430>yments go to account 9."


#: Characters of these categories that one sees all the same: signs of Arabic, Syriac and Kaithi around numbers.
SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, ord("\t")}


def test_whatever_unicode_holds_that_is_not_seen_is_marked():
    unseen = [
        point
        for point in range(sys.maxunicode + 1)
        if point not in SEEN and unicodedata.category(chr(point)) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    ]
    assert [hex(point) for point in unseen if not marks(f"x{chr(point)}x")] == []


def test_a_sign_of_direction_is_plain_where_words_run_from_right_to_left():
    assert marks("שלום C++\u200e עולם") == []
    assert marks("أضيف GitHub \u200f”Slack“ مع سارة") == []
    assert marks("x\u200f\u200fy") != []
    assert marks("שלום \u202eabc\u202c") != []


def test_letters_that_pass_for_latin_ones_are_of_the_script_that_they_stand_under():
    assert [
        (script, each)
        for script, letters in PASSING.items()
        for each in letters
        if not unicodedata.name(each).startswith(script)
    ] == []


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("H2\u041e", ["\u041e"]),
        ("g\u043e\u0301\u043egle", ["\u043e\u0301\u043e"]),
        ("PAYP\u0391L", ["\u0391"]),
        ("\u0420\u043e\u0441\u0441\u0438\u044f, \u0421\u0430\u0440\u0430", []),
        ("\u0421\u0430\u0440\u0430", []),
        ("VPN\u043e\u043c, API\u0438", []),
        ("cos\u03b8, \u03b1max, R\u03b1", []),
        ("Straße, \u0131s\u0131", []),
        ("/\u0261et/ and \u0261\u0259\u028a", []),
        ("\uff21\uff30\uff29のテスト", []),
        ("\uff21PI\u306eテスト", ["\uff21"]),
        ("Louis \u2169\u2163, 19\u1d57\u02b0, M\u1d50\u1d49", []),
    ],
)
def test_a_word_is_marked_where_it_is_not_written_in_the_letters_that_it_seems_to_be_written_in(text, odd):
    assert [text[start:end] for start, end in lookalikes(text)] == odd


_ANY = st.text(
    st.sampled_from([*"ab \t\n", "\u0430", "\u0440", "\u0301", "\u200b", "\u202e", "\U000e0068", "ő", "雨"]),
    max_size=30,
)


@given(_ANY, st.integers(0, 30))
def test_a_text_in_parts_is_shown_as_the_whole_is(text, place):
    found, place = marks(text), min(place, len(text))
    parts = [*within(text, found, 0, place), *within(text, found, place, len(text))]
    assert "".join(shown for shown, _ in parts) == "".join(shown for shown, _ in pieces(text))
    assert {sign for _, sign in parts if sign.startswith("<tags")} == {
        sign for _, sign in pieces(text) if sign.startswith("<tags")
    }


def test_what_was_made_visible_gets_no_second_sign():
    seen = visible(ATTACKS["Cyrillic a"])
    assert visible(seen) == seen


@given(_ANY)
def test_nothing_that_hides_is_left(text):
    assert not set(visible(text)) & {"\t", "\n", "\u200b", "\u202e", "\U000e0068"}


@pytest.mark.parametrize(
    ("text", "count"),
    [("กำกำ", 2), ("🇩🇪🇩🇪", 2), ("🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f!", 2), ("e\u0301é", 2)],
)
def test_characters_are_what_people_perceive(text, count):
    assert len(list(graphemes(text))) == count
