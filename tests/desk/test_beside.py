"""Two texts stand beside each other: what differs is seen and heard, what hides is marked, the whole is near."""

import re

from trustmem.desk.presenters.texts import beside, excerpt
from trustmem.explanations.differences import Part, differences
from trustmem.explanations.text import graphemes

LEFT, RIGHT = (
    '<span class="unseen" dir="auto">only left: </span>',
    '<span class="unseen" dir="auto">only right: </span>',
)


def read(shown: str) -> str:
    """What stands on the page, without what only those who hear it get."""
    return re.sub("<[^>]+>", "", re.sub('<span class="unseen".*?</span>', "", shown))


def test_what_differs_is_gone_on_the_left_and_new_on_the_right_in_words_too():
    left, right = beside("Port 7000.", "Port 7443.")
    assert left.shown == f"Port <del>{LEFT}7000</del>."
    assert right.shown == f"Port <ins>{RIGHT}7443</ins>."
    assert left.whole == ""


def test_texts_are_shown_to_the_letter_and_what_hides_in_them_is_marked():
    left, right = beside("<b>pay</b> paypal", "<b>pay</b> p\u0430y\u200bpal")
    assert left.shown == f"&lt;b&gt;pay&lt;/b&gt; <del>{LEFT}paypal</del>"
    assert right.shown == (
        f'&lt;b&gt;pay&lt;/b&gt; <ins>{RIGHT}p<span class="odd-mark" title="CYRILLIC SMALL LETTER A">\u0430'
        '<span class="hidden-mark">&lt;U+0430&gt;</span></span>y'
        '<span class="hidden-mark">&lt;U+200B&gt;</span>pal</ins>'
    )


def test_spaces_that_differ_are_told_by_their_code_points():
    left, right = beside("Room 12", "Room\u00a012")
    assert "&lt;U+0020&gt;" in left.shown
    assert "&lt;U+00A0&gt;" in right.shown


def test_beside_an_erased_text_nothing_differs():
    left, right = beside("Port 7000.", None)
    assert left.shown == "Port 7000."
    assert read(right.shown) == "(erased)"


def test_of_long_texts_what_differs_is_in_view_and_the_whole_is_one_click_away():
    line = "Nobody is let in without a pass. "
    left, right = beside(line * 80 + "Gate 4. " + line * 80, line * 80 + "Gate 7. " + line * 80)
    assert f"<del>{LEFT}4</del>" in left.shown
    assert len(read(left.shown)) < 600
    assert read(left.shown).count("…") == 2
    assert read(left.whole) == line * 80 + "Gate 4. " + line * 80
    assert left.show_whole == "Show all of it: 5\u202f288 characters"
    assert f"<ins>{RIGHT}7</ins>" in right.whole


def test_of_texts_that_differ_everywhere_the_beginning_is_shown():
    left, right = beside("a" * 5000, "b" * 5000)
    for side, letter in ((left, "a"), (right, "b")):
        assert read(side.shown) == letter * 600 + "…"
        assert read(side.whole) == letter * 5000


def test_long_texts_are_cut_between_characters_as_people_perceive_them():
    family = "👨\u200d👩\u200d👧"
    parts, _ = differences(family * 700 + " one " + family * 700, family * 700 + " two " + family * 700)
    for part in excerpt(parts, 600):
        assert "".join(graphemes(part.text)).replace(family, "").strip() in ("", "one")


def test_an_excerpt_is_no_longer_than_it_may_be():
    parts = [Part(number * 10, "x" * 9 + " ", differs=number % 2 == 0) for number in range(500)]
    shown = excerpt(parts, 600)
    assert sum(len(part.text) for part in shown) <= 600
    assert shown[: len(shown) - 1] == parts[: len(shown) - 1]
    assert excerpt(parts[:5], 600) == parts[:5]
