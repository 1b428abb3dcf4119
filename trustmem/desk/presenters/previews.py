"""What a pass would do, fact by fact, as pages show it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy, ngettext

from trustmem.actions import previews
from trustmem.actions.breaker import Verdict
from trustmem.actions.previews import DEFERRED, Fate, Preview
from trustmem.core.constants import Constants
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters.links import linked
from trustmem.desk.presenters.passes import Counted, counted
from trustmem.explanations.passes import changes, reasons, waits_for
from trustmem.store import queries
from trustmem.store.models import Space

#: So many facts a table shows.
MOST_SHOWN = 25

_TITLES = {
    "pruned": gettext_lazy("Pruned"),
    "revived": gettext_lazy("Come back"),
    "promoted": gettext_lazy("Promoted"),
    DEFERRED: gettext_lazy("Promotion waits"),
    "re-weighed": gettext_lazy("Re-weighed"),
    "stamped": gettext_lazy("Stamped"),
}


class Fated(NamedTuple):
    """A fact, what would change of it, and its weight without the pass and after it."""

    fact: SafeString
    says: list[str]
    before: str
    after: str


class Listed(NamedTuple):
    """Facts to which a pass would do the same, the first of them, how many more there are ('': none), and whether a
    page of this list alone shows more of them."""

    name: str
    title: str
    rows: list[Fated]
    more: str
    has_page: bool


class Previewed(NamedTuple):
    """What a pass at an instant would do, as of the line at `head`; for which `reasons` it would wait for a person."""

    at: When
    head: int
    counts: list[Counted]
    reasons: list[str]
    lists: list[Listed]
    is_behind: bool


def previewed(space: Space, verdict: Verdict, now: int, only: str = "") -> Previewed:
    """A preview, with the facts that it lists as they are called now: the first of each list, or all that are kept of
    one alone."""
    preview = verdict.preview
    lists = [only] if only in _TITLES else list(_TITLES)
    most = previews.LISTED if only in _TITLES else MOST_SHOWN
    shown = {name: [each for each in preview.fates if name in each.lists][:most] for name in lists}
    names = previews.names(space, replace(preview, fates=list(_once(shown.values()))))
    constants = queries.constants(space, preview.instant)
    return Previewed(
        when(preview.instant, now),
        preview.head,
        counted(dict(preview.counts)),
        reasons(verdict, whole),
        [_listed(space, preview, name, fates, names, constants) for name, fates in shown.items() if fates],
        space.head_position > preview.head,
    )


def _once(shown: Iterable[list[Fate]]) -> Iterable[Fate]:
    return {each.fact: each for fates in shown for each in fates}.values()


def _listed(
    space: Space,
    preview: Preview,
    name: str,
    fates: list[Fate],
    names: dict[int, tuple[str, str]],
    constants: Constants,
) -> Listed:
    rows = [_fated(space, each, name, names[each.fact], constants) for each in fates if each.fact in names]
    has_page = len(fates) == MOST_SHOWN < preview.sizes[name]
    return Listed(name, str(_TITLES[name]), rows, _more(preview, name, len(fates)), has_page)


def _fated(space: Space, fate: Fate, name: str, fact: tuple[str, str], constants: Constants) -> Fated:
    without, with_it = fate.weight
    if name == DEFERRED:
        says = [waits_for(each) for each in fate.deferred]
    else:
        says = changes(fate.before, fate.after, with_it, constants)
    id, text = fact
    return Fated(linked(space.name, id, text or None), says, two(without), two(with_it))


def _more(preview: Preview, name: str, shown: int) -> str:
    """How many facts stand in no row."""
    more = preview.sizes[name] - shown
    return ngettext("and {count} more", "and {count} more", more).format(count=whole(more)) if more > 0 else ""
