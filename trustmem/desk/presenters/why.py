"""Why a fact is worth what it is: the factors that multiply down to trust, and which of them holds it down most."""

from typing import NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.core.vocabulary import BANDS
from trustmem.desk.numbers import short, whole
from trustmem.desk.presenters.claim import Found
from trustmem.desk.presenters.links import linked
from trustmem.desk.words import word

_MOST_NAMED = 3


class Factor(NamedTuple):
    """A factor of trust as a bar: `left` of it is what remains, up to `before` what it took; both of 100. `target` is
    what on the page moves it; `arithmetic` how it is reckoned ('': it is not)."""

    name: str
    title: str
    target: str
    before: str
    left: str
    value: str
    because: str | SafeString
    arithmetic: str


_TARGETS = {
    "confidence": "voices",
    "freshness": "freshness-title",
    "supersession": "chain",
    "provenance": "provenance",
}


def waterfall(found: Found, space: str) -> list[Factor]:
    """The factors down to the trust that they leave."""
    factors, before = [], 1.0
    for each in found["why"]:
        factors.append(_factor(each, before, _because(each, found, space)))
        before = each["product"]
    return factors


def _factor(each: Found, before: float, because: str | SafeString) -> Factor:
    name = each["factor"]
    return Factor(
        name=name,
        title=word(name),
        target=_TARGETS[name],
        before=_percent(before),
        left=_percent(each["product"]),
        value=short(each["value"]),
        because=because,
        arithmetic=each["arithmetic"],
    )


def _because(each: Found, found: Found, space: str) -> str | SafeString:
    """Why in words; the claims that stand right above a fact are links."""
    newer = [link for link in found["chain"] if link["step"] == 1]
    if each["factor"] != "supersession" or not newer:
        return str(each["words"])
    named: list[tuple[str]] = [
        (linked(space, link["id"], link["text"], link["state"]),) for link in newer[:_MOST_NAMED]
    ]
    if more := len(newer) - len(named):
        named.append((ngettext("{count} more", "{count} more", more).format(count=whole(more)),))
    said = gettext("{above}; updated by {newer}")
    return format_html(said, above=each["words"], newer=format_html_join(", ", "{}", named))


def percent_of_trust(found: Found) -> str:
    """How long the bar of trust itself is, of 100."""
    return _percent(found["scores"]["trust"])


def _percent(share: float) -> str:
    """For a drawing, not for people: two decimals, and a point whatever the language."""
    return f"{100 * share:.2f}"


def held_down(found: Found, space: str) -> str | SafeString:
    """What holds the trust of a live fact down most, in a sentence without a formula; '' for one that is not live."""
    scores = found["scores"]
    if scores["state"] != "live":
        return ""
    if "superseded" in scores["flags"]:
        newest = found["chain"][0]
        held = linked(space, newest["id"], newest["text"], newest["state"])
        return format_html(gettext("Superseded: a newer claim holds: {claim}"), claim=held)
    if scores["band"] == BANDS[-1]:
        return gettext("Nothing holds it down: it is in the highest band.")
    lowest = min(found["why"], key=lambda each: float(each["value"]))
    return _held_by(lowest, scores)


def _held_by(factor: Found, scores: Found) -> str:
    if factor["factor"] == "provenance":
        if scores["tier"] == "auto":
            return gettext("Mostly held down by where it comes from: no person accepted it, and no key signed it.")
        return gettext("Nothing holds it down much.")
    if factor["factor"] == "freshness":
        said = gettext("Mostly held down by freshness: {why}.")
    elif scores["s"]:
        said = gettext("Mostly held down by disagreement: {why}.")
    else:
        said = gettext("Mostly held down by little evidence: {why}.")
    return said.format(why=factor["words"])
