"""What a text repeats of another: words in a row, and what looks like a code, however they are written."""

import pytest

from trustmem.actions.passages import codes, repeated

SAID = "The alarm code is VERMILION-88, and ana@example.org knows it."


def passages(text: str, *of: str) -> list[str]:
    return [text[start:end] for start, end in repeated(text, of or [SAID])]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The alarm (code VERMILION-88) is tested on Mondays.", ["The alarm (code", "VERMILION-88"]),
        ("ALARM CODE IS what?", ["ALARM CODE IS"]),
        ("Ask ana@example.org, who is in.", ["ana@example.org"]),
        ("vermilion-88", ["vermilion-88"]),
        (
            "\uff36\uff25\uff32\uff2d\uff29\uff2c\uff29\uff2f\uff2e-88 in wide letters",
            ["\uff36\uff25\uff32\uff2d\uff29\uff2c\uff29\uff2f\uff2e-88"],
        ),
        ("The alarm rings. Its code is new.", []),
        ("Vermilion is a red.", []),
        ("", []),
    ],
)
def test_a_text_repeats(text: str, found: list[str]) -> None:
    assert passages(text) == found


def test_runs_that_overlap_are_one_passage() -> None:
    assert passages("Say that the alarm code is VERMILION-88 and all is said.") == [
        "the alarm code is VERMILION-88 and"
    ]


def test_a_text_of_a_word_or_two_is_repeated_as_a_whole() -> None:
    assert passages("They met at Vermilion Street.", "Vermilion Street") == ["Vermilion Street"]
    assert passages("Tea is at five.", "Tea") == []


def test_words_that_tell_nothing_are_no_passage() -> None:
    assert passages("So it is a pity.", "it is a day") == []


def test_where_words_have_no_spaces_between_them_signs_in_a_row_are_a_passage() -> None:
    assert passages("アラームの暗証番号は金色八八です。", "暗証番号は金色八八") == ["暗証番号は金色八八"]


def test_what_looks_like_a_code() -> None:
    assert codes("Room 12, pin 8841, key aK3x9, user annaMaria, https://x.example/y and and/or.") == [
        "8841",
        "aK3x9",
        "annaMaria",
        "https://x.example/y",
    ]
