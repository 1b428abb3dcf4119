"""What trial constants would make of a space, as the lab shows it: in a sentence, band by band, flag by flag, what the
next pass would do, and fact by fact."""

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from django.core.exceptions import BadRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, pgettext

from trustmem.actions.what_if import Doing, Moved, Sort, WhatIf
from trustmem.core.vocabulary import BANDS, STATES
from trustmem.desk.instants import When, ahead
from trustmem.desk.numbers import signed, two, whole
from trustmem.desk.presenters.links import linked
from trustmem.desk.presenters.trials import Trial
from trustmem.store.models import Fact, Space
from trustmem.store.states import ALIVE

SIZE = 20
#: Which way a column is sorted first: what moves most, up or down, and the highest trust, on top.
_FIRST: Mapping[str, Sort] = {"fact": "name", "before": "-before", "after": "-after", "move": "-move"}


class Row(NamedTuple):
    """Some facts in a band before, and how many of them would be in which after."""

    band: str
    cells: list["Cell"]
    many: str


class Cell(NamedTuple):
    many: str
    is_moved: bool


class Flag(NamedTuple):
    name: str
    before: str
    after: str
    is_changed: bool


class Does(NamedTuple):
    """What the next pass would do to facts: to how many under either constants, and to which first under the trial."""

    title: str
    before: str
    after: str
    is_changed: bool
    facts: list[SafeString]
    more: str


class Fall(NamedTuple):
    """A fact that changes band, and by how much its trust moves; `is_up`: it rises."""

    fact: SafeString
    before: str
    trust_before: str
    after: str
    trust_after: str
    move: str
    is_up: bool


class Column(NamedTuple):
    """A column by which the facts are sorted: where that leads, and which way it is sorted now ('': not by it)."""

    title: str
    query: str
    sorted: str


class Told(NamedTuple):
    """All of it. `next` is the query of the page after this one, '' where there is none."""

    says: str
    scored: str
    bands: list[str]
    rows: list[Row]
    totals: list[str]
    flags: list[Flag]
    does: list[Does] | None
    at: When
    columns: list[Column]
    falls: list[Fall]
    first: str
    next: str


class View(NamedTuple):
    """In which order the facts that change band are shown, and from which on."""

    sort: Sort
    after: str

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "View":
        """The view that an address asks for. Raises BadRequest for what it cannot mean."""
        sort = asked.get("sort", "-move")
        if sort not in get_args(Sort):
            raise BadRequest(gettext("A list cannot be sorted so."))
        return cls(sort, asked.get("after", ""))  # type: ignore[arg-type]


def told(space: Space, found: WhatIf, trial: Trial, view: View, now: int) -> Told:
    page = found.changed_page(view.sort, view.after, SIZE + 1)
    shown, doings = page[:SIZE], [each for each in (found.pruned, found.promoted) if each is not None]
    names = {*(each.name for each in shown), *(name for each in doings for name in each.names)}
    links = _links(space, names)
    query = trial.query(sort=view.sort)
    return Told(
        _says(len(found.changed), found.n),
        _scored(found),
        list(BANDS),
        [_row(place, row) for place, row in enumerate(found.matrix)],
        [whole(sum(column)) for column in zip(*found.matrix, strict=True)],
        [Flag(name, whole(was), whole(would), was != would) for name, (was, would) in found.flags.items()],
        _does(found, links),
        ahead(found.instant, now),
        [_column(by, trial, view) for by in _FIRST],
        [_fall(each, links) for each in shown],
        query if view.after else "",
        trial.query(sort=view.sort, after=shown[-1].name) if len(page) > SIZE else "",
    )


def figures(found: WhatIf) -> dict[str, Any]:
    """What is kept with a version that is adopted: what whoever adopted it saw."""
    doings = {"pruned": found.pruned, "promoted": found.promoted}
    return {
        "n": found.n,
        "of": found.of,
        "changed": len(found.changed),
        "matrix": found.matrix,
        "flags": {name: list(counts) for name, counts in found.flags.items()},
        **{name: [each.before, each.after] for name, each in doings.items() if each is not None},
    }


def matrix_table(found: WhatIf) -> list[list[Any]]:
    """Bands before and after as a table for machines."""
    head = ["before \\ after", *BANDS]
    return [head, *([band, *row] for band, row in zip(BANDS, found.matrix, strict=True))]


def _says(changed: int, n: int) -> str:
    if not changed:
        return gettext("No fact would change band.")
    says = ngettext("{changed} of {n} facts would change band.", "{changed} of {n} facts would change band.", changed)
    return says.format(changed=whole(changed), n=whole(n))


def _scored(found: WhatIf) -> str:
    if not found.is_sample:
        return gettext("All live facts were scored anew. Nothing was written.")
    says = gettext("A sample was scored anew, {n} of {of} live facts, evenly taken; all counts are of these.")
    return says.format(n=whole(found.n), of=whole(found.of))


def _row(place: int, row: list[int]) -> Row:
    cells = [Cell(whole(many), after != place and many > 0) for after, many in enumerate(row)]
    return Row(BANDS[place], cells, whole(sum(row)))


def _does(found: WhatIf, links: Mapping[str, SafeString]) -> list[Does] | None:
    if found.pruned is None or found.promoted is None:
        return None
    titles = (gettext("pruned"), gettext("promoted"))
    return [_doing(title, each, links) for title, each in zip(titles, (found.pruned, found.promoted), strict=True)]


def _doing(title: str, doing: Doing, links: Mapping[str, SafeString]) -> Does:
    left = doing.after - len(doing.names)
    more = ngettext("and {count} more", "and {count} more", left).format(count=whole(left)) if left > 0 else ""
    facts = [links[name] for name in doing.names if name in links]
    return Does(title, whole(doing.before), whole(doing.after), doing.before != doing.after, facts, more)


def _links(space: Space, names: set[str]) -> dict[str, SafeString]:
    """Facts by name, called by what they say."""
    rows = Fact.objects.filter(space=space, name__in=names).values_list("name", "text", "state")
    return {name: linked(space.name, name, ALIVE.told(text, state), STATES[state]) for name, text, state in rows}


def _fall(moved: Moved, links: Mapping[str, SafeString]) -> Fall:
    return Fall(
        links[moved.name],
        BANDS[moved.band_before],
        two(moved.trust_before),
        BANDS[moved.band_after],
        two(moved.trust_after),
        signed(moved.trust_after - moved.trust_before),
        moved.trust_after > moved.trust_before,
    )


def _column(by: str, trial: Trial, view: View) -> Column:
    titles = {
        "fact": gettext("Fact"),
        "before": pgettext("column", "Before"),
        "after": pgettext("column", "After"),
        "move": pgettext("column", "Change"),
    }
    first = _FIRST[by]
    turned = first[1:] if first.startswith("-") else f"-{first}"
    sort = turned if view.sort == first else first
    is_sorted = view.sort in (first, turned)
    direction = ("descending" if view.sort.startswith("-") else "ascending") if is_sorted else ""
    return Column(titles[by], trial.query(sort=sort), direction)
