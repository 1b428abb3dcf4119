"""Why the detector found that two claims may be in conflict, as pages say it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from trustmem.core.vocabulary import STATES
from trustmem.desk.numbers import two
from trustmem.desk.presenters.cards import Known
from trustmem.desk.presenters.links import called
from trustmem.explanations import candidates
from trustmem.explanations.candidates import Why
from trustmem.store.states import GUARDED


def because(factors: Mapping[str, Any], facts: Sequence[Known], names: Sequence[str], *, sees_all: bool) -> SafeString:
    """Why the pair of a case was found, in sentences. What was exchanged is told where what both facts say is."""
    why = candidates.why(factors, names, is_told=len(facts) > 1 and all(_is_told(each, sees_all) for each in facts))
    said = [found(why)]
    if why.newer:
        said.append(format_html("{}.", why.newer))
    elif why.says:
        said.append(format_html("{}", gettext("Neither text says which of both is newer.")))
    return format_html_join(" ", "{}", ((each,) for each in said))


def _is_told(fact: Known, sees_all: bool) -> bool:
    state = STATES.index(fact.found["scores"]["state"])
    return GUARDED.told(fact.found["text"], state, sees_all=sees_all) is not None


def found(why: Why) -> SafeString:
    """By which rule a pair was found, what was exchanged, and how much of both is the same."""
    if not why.says:
        return format_html("{}", gettext("Nothing is told any more of how it was found."))
    says = format_html("{}", why.says)
    if why.exchanged:
        says = format_html("{}: {}", says, format_html_join(", ", "{} / {}", map(_beside, why.exchanged)))
    if why.overlap is None:
        return format_html("{}.", says)
    return format_html("{} · {}.", says, overlap(why.overlap))


def _beside(sides: tuple[str, str]) -> tuple[SafeString, SafeString]:
    """What one claim has in place of what the other has; a dash stands for nothing."""
    one, other = (called(side) if side else SafeString("–") for side in sides)
    return one, other


def overlap(share: float) -> SafeString:
    """How much of what two claims say is the same."""
    number = format_html('<span class="num">{}</span>', two(share))
    return format_html(gettext("overlap {number}"), number=number)
