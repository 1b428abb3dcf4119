"""What the page of patterns shows: every smallest part of a page in all that it can be."""

from typing import Any, NamedTuple

from django.contrib.messages import constants as levels
from django.contrib.messages.storage.base import Message
from django.utils.translation import gettext

from trustmem.core.constants import Constants
from trustmem.core.instants import MICROSECONDS_PER_DAY, span
from trustmem.core.vocabulary import BANDS, STATES
from trustmem.desk import forms
from trustmem.desk.instants import when
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters import past
from trustmem.desk.presenters.chain import Chain, Claim
from trustmem.desk.presenters.opinion import axes
from trustmem.desk.presenters.texts import Beside, beside
from trustmem.desk.presenters.trend import Banded
from trustmem.desk.presenters.why import Factor
from trustmem.desk.words import OF_FLAGS, word
from trustmem.explanations.times import minute

_MINUTE = MICROSECONDS_PER_DAY // (24 * 60)

#: Nothing said yet, agreed on, and fought over.
_OPINIONS = ({"b": 0.0, "d": 0.0, "u": 1.0}, {"b": 0.75, "d": 0.05, "u": 0.2}, {"b": 0.33, "d": 0.42, "u": 0.25})


class Nasty(NamedTuple):
    """A text that somebody may well put into a memory, and what is nasty about it."""

    title: str
    text: str


def samples(now: int) -> dict[str, Any]:
    """Every part of the kit, by the name under which its template takes it."""
    points = counted(now)
    return {
        "bands": list(zip(BANDS, map(two, (0.12, 0.34, 0.52, 0.71, 0.93)), strict=True)),
        "flags": OF_FLAGS,
        "states": [state for state in STATES if state != "live"],
        "instants": [when(now - ago, now) for ago in (0, 5 * _MINUTE, span(0.2), span(3), span(400), -span(1))],
        "texts": _nasty(),
        "pairs": _pairs(),
        "reason": forms.ReasonForm(prefix="reason"),
        "correct": forms.CorrectForm(prefix="correct"),
        "upload": forms.UploadForm(prefix="upload"),
        "wrong": _wrong(),
        "factors": _factors(),
        "places": [axes({"scores": {"opinion": each, "flags": []}}, Constants()) for each in _OPINIONS],
        "a_chain": _chain(now),
        "a_past": past.as_of(now - span(20), now, [now - span(days) for days in (90, 60, 42, 21, 20, 9, 2)], {}),
        "messages_of": _notices(),
        "a_space": {"name": "patterns"},
        "chart_head": [gettext("Instant (UTC)"), *map(word, BANDS)],
        "chart_rows": [[minute(each.at), *map(whole, each.counts)] for each in points],
    }


def counted(now: int) -> list[Banded]:
    """A small figure."""
    weeks = range(6)
    return [Banded(now - span(7 * (5 - week)), [4, 6 + week, 9, 12 + 2 * week, week]) for week in weeks]


def _wrong() -> forms.MemberForm:
    return forms.MemberForm({"wrong-username": "", "wrong-role": "king"}, prefix="wrong")


def _factors() -> list[Factor]:
    because = gettext("one plain sentence, and after it its arithmetic")
    shares = (("confidence", "100", "70"), ("freshness", "70", "36"), ("supersession", "36", "36"))
    values = {"confidence": "0.70", "freshness": "0.52", "supersession": "1", "provenance": "0.80"}
    told = [*shares, ("provenance", "36", "29")]
    return [
        Factor(name, word(name), "main", before, left, values[name], because, "1 / (1 + 1)")
        for name, before, left in told
    ]


def _chain(now: int) -> Chain:
    at = [when(now - span(days), now) for days in (1, 5, 40, 400)]
    claims = [
        Claim(
            "a", "The API listens on port 7500.", "live", "deploy-bot", at[0], is_here=False, is_head=False, waits=True
        ),
        Claim(
            "b", "The API listens on port 7443.", "live", "deploy-bot", at[1], is_here=False, is_head=True, waits=False
        ),
        Claim("c", "The API listens on port 7000.", "live", "planner", at[2], is_here=True, is_head=False, waits=False),
        Claim("d", None, "erased", "planner", at[3], is_here=False, is_head=False, waits=False),
    ]
    return Chain(claims, gettext("and 3 more claims, further away"))


def _notices() -> list[Message]:
    return [
        Message(levels.SUCCESS, gettext("The fact is accepted."), "an act"),
        Message(levels.SUCCESS, gettext("The new password holds from now on.")),
        Message(levels.ERROR, gettext("Nothing was changed: somebody decided otherwise meanwhile.")),
    ]


def _nasty() -> list[Nasty]:
    return [
        Nasty(gettext("plain"), "The boathouse opens at seven."),
        Nasty(gettext("without a space to break at"), "Donaudampfschifffahrtsgesellschaftskapitän" * 6),
        Nasty(gettext("from right to left"), "המפתח נמצא אצל דנה, חדר 12 (קומה שנייה)."),
        Nasty(gettext("without spaces between words"), "請求書のAPIはポート7000で待ち受けている。" * 4),
        Nasty(gettext("emoji of several parts"), "👩🏽‍🚀 and 👨‍👩‍👧‍👦 fly 🇮🇸 to 🏴󠁧󠁢󠁳󠁣󠁴󠁿"),
        Nasty(gettext("markup"), "<script>alert(1)</script> <b>bold</b> &amp; {{ 7|add:7 }} ${7*7}"),
        Nasty(gettext("hidden and reordering characters"), "pay\u200bpal \u202egnp.exe\u202c to\u00adday\nnext\ttab"),
        Nasty(
            gettext("letters that pass for others"), "P\u0430ypal, \u0440\u0430\u0443\u0440\u0430\u04cf, \uff50aypal"
        ),
        Nasty(
            gettext("honest mixtures of letters"),
            "5 k\u03a9, \u0394t, \u03b2-test, APIのテスト, API\u200cها, क्\u200dष",  # noqa: RUF001
        ),
        Nasty(gettext("a pile of marks"), "Z" + "\u0301\u0316" * 12 + "algo"),
    ]


def _pairs() -> list[tuple[str, tuple[Beside, Beside]]]:
    port = "The billing API listens on port 7000."
    log = "The quay is closed from six to eight, and nobody is let in without a pass. "
    return [
        (gettext("a number"), beside(port, "The billing API now listens on port 7443.")),
        (gettext("a lost negation"), beside("Do not forget the key.", "Do forget the key.")),
        (gettext("another order"), beside("Anna manages Ben.", "Ben manages Anna.")),
        (gettext("a letter that passes for another"), beside("Pay to paypal.", "Pay to p\u0430y\u200bpal.")),
        (gettext("spaces alone"), beside("Room 12", "Room\u00a012")),
        (gettext("from right to left"), beside("המפתח נמצא אצל דנה, חדר 12.", "המפתח נמצא אצל יוסי, חדר 14.")),  # noqa: RUF001
        (gettext("without spaces between words"), beside("APIはポート7000で待つ。", "APIはポート7443で待つ。")),
        (gettext("long texts"), beside(log * 9 + "Gate 4. " + log * 30, log * 9 + "Gate 7. " + log * 30)),
        (gettext("without a space to break at"), beside("a" * 5000, "a" * 4999 + "b")),
        (gettext("one that is erased"), beside(port, None)),
    ]
