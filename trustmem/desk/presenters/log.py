"""The log of a space as its page shows it: the view that an address holds, and a row for each act, import and pass."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext

from trustmem.actions import folding, undo
from trustmem.core.instants import EVER, NEVER, from_datetime, span
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import told
from trustmem.desk.presenters.imports import TakenBack, taken_back, undoing
from trustmem.desk.presenters.paging import Place, page
from trustmem.desk.presenters.sentences import Named, Saying, html, of_act, saying
from trustmem.desk.presenters.texts import beginning
from trustmem.formats.interchange_types import Record
from trustmem.store import log
from trustmem.store.log import KINDS, Asked, Group
from trustmem.store.models import Line, Space

#: So many lines of an act unfold on the page; a page of its own has them all, so many at a time.
MOST_LINES, SIZE = 10, 50
#: So much of a digest tells one from another.
_DIGEST = 12
_LONGEST_REASON = 400
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
#: The words that an address may hold.
_WORDS = ("by", "what", "about", "since", "until", "before")
_LONGEST = 18

TITLES = {
    "decisions": gettext_lazy("decisions about facts"),
    "cases": gettext_lazy("cases"),
    "rulings": gettext_lazy("rulings"),
    "undos": gettext_lazy("undos"),
    "imports": gettext_lazy("imports"),
    "passes": gettext_lazy("passes"),
    "constants": gettext_lazy("constants"),
    "keys": gettext_lazy("keys"),
    "tombstones": gettext_lazy("tombstones"),
    "said": gettext_lazy("what was said"),
}


@dataclass(frozen=True, slots=True)
class View:
    """Which rows are shown, all of it in the address; `before` is a position (None: from the newest on)."""

    by: str = ""
    what: str = ""
    about: str = ""
    since: str = ""
    until: str = ""
    before: int | None = None
    asked: Asked = field(default_factory=Asked)

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "View":
        """Raises BadRequest for what an address cannot mean: nothing is left out."""
        given = {name: value.strip() for name, value in asked.items() if value.strip()}
        unknown = [name for name in given if name not in _WORDS]
        if unknown:
            raise BadRequest(gettext("The log knows nothing of “{name}”.").format(name=unknown[0]))
        if "\0" in "".join(given.values()):
            raise BadRequest(gettext("There is a character in this address that no name has."))
        if (what := given.get("what", "")) and what not in KINDS:
            raise BadRequest(gettext("The log has no “{name}”.").format(name=what))
        before = _position(given.pop("before", ""))
        since, until = (_day(given.get(name, "")) for name in ("since", "until"))
        meant = Asked(
            given.get("by", ""),
            what,
            given.get("about", ""),
            NEVER if since is None else since,
            EVER if until is None else until + span(1),
        )
        return cls(**given, before=before, asked=meant)

    def words(self, **changes: str) -> dict[str, str]:
        """What stands in the address, but for the place; with changes, of which '' takes something out."""
        given = {name: value for name, value in asdict(self).items() if name in _WORDS[:-1]} | changes
        return {name: value for name, value in given.items() if value}

    def address(self, **changes: str) -> str:
        """The query of the address of a view that differs from this one."""
        return "?" + urlencode(self.words(**changes))


def _position(given: str) -> int | None:
    if not given:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) <= _LONGEST):
        raise BadRequest(gettext("This is no place in the log."))
    return int(given)


def _day(given: str) -> int | None:
    """The instant at which a day begins (UTC)."""
    try:
        day = datetime.strptime(given, "%Y-%m-%d") if _DATE.fullmatch(given) else None
    except ValueError:
        day = None
    if given and day is None:
        raise BadRequest(gettext("“{day}” is no day, such as 2026-03-31.").format(day=given))
    return None if day is None else from_datetime(day.replace(tzinfo=UTC))


class Chip(NamedTuple):
    """A filter that is set, and the address without it; `is_ours`: its value is a word of ours."""

    title: str
    value: str
    address: str
    is_ours: bool


def chips(view: View) -> list[Chip]:
    """The filters that are set."""
    called, said = labels(), view.words() | ({"what": str(TITLES[view.what])} if view.what else {})
    return [Chip(called[name], value, view.address(**{name: ""}), name == "what") for name, value in said.items()]


def labels() -> dict[str, str]:
    """What each filter is called."""
    return {
        "by": gettext("Who"),
        "what": gettext("What"),
        "about": gettext("About"),
        "since": gettext("Since (UTC)"),
        "until": gettext("Until (UTC)"),
    }


def choices(view: View) -> list[tuple[str, str, bool]]:
    """The kinds of which one is chosen, with their titles, and which it is; "": all."""
    titles = {"": gettext("everything")} | {name: str(title) for name, title in TITLES.items()}
    return [(name, title, name == view.what) for name, title in titles.items()]


class Told(NamedTuple):
    """A line: its place in the chain, its id, the beginning of its digest, and what it says."""

    position: str
    id: str
    digest: str
    at: When
    says: SafeString | str
    note: str


class Undoing(NamedTuple):
    """An act, import or pass that can be undone, and what that comes to; `is_back`: that brings something back."""

    act: str
    says: str
    is_back: bool


class Row(NamedTuple):
    """An act, an import or a pass: its `name` in addresses; what it did; its lines, how many they are, and where all
    are listed ('': these are all); where more is told of it ('': nowhere); who undid it, and whether it counts no more
    (`is_void`); what undoing it or bringing it back comes to (None: nobody can), by the `tags` of what that
    concerns."""

    name: str
    at: When
    says: SafeString | str
    reason: str
    lines: list[Told]
    many: str
    all: str
    report: str
    undone: TakenBack | None
    is_void: bool
    undoing: Undoing | None
    tags: set[str]
    is_final: bool


class Listed(NamedTuple):
    """A page of rows, and the address of that of older ones ('': there is none); `is_cut`: there may be, since it was
    looked so far and no further."""

    rows: list[Row]
    older: str
    is_cut: bool


def listed(space: Space, view: View, now: int, *, sees_all: bool) -> Listed:
    """The rows of a view; `sees_all`: whether whoever looks may decide about facts."""
    found = log.page(space, view.asked, view.before)
    older = "" if found.next is None else f"?{urlencode(view.words() | {'before': str(found.next)})}"
    return Listed(_Rows(space, found.groups, now, sees_all=sees_all).rows(), older, found.is_cut)


class Entry(NamedTuple):
    """A row with a page of its lines, and the addresses of those after and before."""

    row: Row
    lines: list[Told]
    next: str
    previous: str


def entry(space: Space, group: Group, place: Place, now: int, *, sees_all: bool) -> Entry:
    """All that one act, import or pass is, some lines at a time."""
    (row,) = _Rows(space, [group], now, sees_all=sees_all).rows()
    found = page(log.lines_of(space, group), "position", place, SIZE)
    positions = [line.position for line in found.rows]
    lines = told.read(space, Line.objects.filter(space=space, position__in=positions))
    named = told.named(space, lines, sees_all=sees_all)
    says = [tell(line, named, space.name, now) for line in lines]
    return Entry(row, says, found.next and f"?{found.next}", found.previous and f"?{found.previous}")


class _Rows:
    """Tells the groups of one page, with a number of queries that does not depend on how many there are."""

    def __init__(self, space: Space, groups: list[Group], now: int, *, sees_all: bool) -> None:
        self.space, self.groups, self.now = space, groups, now
        self.tags = told.tags_of(space, [group.key for group in groups if group.kind == "act"])
        self.wheres = log.wheres(space, groups)
        self.lines: dict[str, list[Record]] = {self._where(group): [] for group in groups}
        for line in told.read(space, Line.objects.filter(space=space, position__in=self._positions())):
            where = line["act"] if line["act"] and not line["imported"] else str(line["position"])
            if where in self.lines:  # where an act is short, what comes after it was read too
                self.lines[where].append(line)
        self.named = told.named(space, [line for some in self.lines.values() for line in some], sees_all=sees_all)
        keys = [group.key for group in groups]
        self.void = folding.void(space, space.folded_to)
        self.undone = undo.all_undone(space, keys, self.void)
        self.concerned = undo.all_concerned(space, keys)

    def _positions(self) -> set[int]:
        """Of an act its first lines, of an import the last, and lines that stand alone."""
        most = {"act": MOST_LINES}
        return {self.wheres[group][0] + more for group in self.groups for more in range(most.get(group.kind, 1))}

    def _where(self, group: Group) -> str:
        """By which the lines are kept that tell a group."""
        return group.key if group.kind == "act" else str(self.wheres[group][0])

    def rows(self) -> list[Row]:
        return [self._row(group) for group in self.groups]

    def _row(self, group: Group) -> Row:
        lines = self.lines[self._where(group)]
        says, count = self._says(group, lines), self.tags[group.key].total() if group.kind == "act" else 0
        undone, name = self.undone.get(group.key), group.key if group.kind == "act" else lines[0]["id"]
        # What a merge says anew of the fact that is kept is dated as it was, and says which fact it was.
        reason = next((said for line in lines if line["tag"] != "event.restated" and (said := note(line))), "")
        return Row(
            name=name,
            at=when(max(line["at"] for line in lines), self.now),
            says=html(says, self.space.name),
            reason=beginning(reason, _LONGEST_REASON),
            lines=self._lines(lines, reason) if group.kind == "act" else [],
            many=ngettext("{count} line", "{count} lines", count).format(count=whole(count)) if count else "",
            all=self._all(group, name, is_more=count > len(lines)),
            report=self._report(lines[0]),
            undone=taken_back(undone, self.now),
            is_void=group.key in self.void,
            undoing=self._undoing(group, lines[0]),
            tags=self.concerned[group.key],
            is_final=group.kind == "act" and not self.concerned[group.key].isdisjoint(undo.FINAL),
        )

    def _lines(self, lines: list[Record], reason: str) -> list[Told]:
        """Lines with what was written beside them, unless the row says that already."""
        says = [tell(line, self.named, self.space.name, self.now) for line in lines]
        return [each._replace(note="") if each.note == beginning(reason, _LONGEST_REASON) else each for each in says]

    def _says(self, group: Group, lines: list[Record]) -> Saying:
        if group.kind == "act":
            return of_act(lines, self.tags[group.key], self.named)
        if group.kind == "import" and lines[0]["tag"] != "import":
            return Saying(gettext("An import is under way, or was cut short: it is not on record as a whole yet"), {})
        return saying(lines[0], self.named)

    def _all(self, group: Group, name: str, *, is_more: bool) -> str:
        return reverse("log-entry", args=[self.space.name, name]) if is_more or group.kind == "import" else ""

    def _report(self, line: Record) -> str:
        page = {"import": "import-report", "pass": "pass"}.get(line["tag"])
        return reverse(page, args=[self.space.name, line["id"]]) if page else ""

    def _undoing(self, group: Group, line: Record) -> Undoing | None:
        """What undoing it, or what undid it, comes to."""
        undone = self.undone.get(group.key)
        if undone is not None:
            return Undoing(undone.act, gettext("It counts again, as if it had never been undone."), is_back=True)
        tags = self.concerned[group.key]
        if group.key in self.void or not tags or (group.kind == "act" and not tags.isdisjoint(undo.FINAL)):
            return None
        if "event.undone" in self.tags.get(group.key, ()):
            return Undoing(group.key, gettext("What this undid counts again."), is_back=True)
        if group.kind == "import":
            return Undoing(group.key, undoing(line.get("brought", {})), is_back=False)
        if line["tag"] == "pass":
            says = gettext("The pass counts as if it had done nothing. It can be brought back.")
            return Undoing(group.key, says, is_back=False)
        says = gettext("All that this act wrote counts as if it had never been. It can be brought back.")
        return Undoing(group.key, says, is_back=False)


def tell(line: Record, named: Named, space: str, now: int) -> Told:
    """A line as it stands among those of its act."""
    says = html(saying(line, named), space)
    digest = line["digest"][:_DIGEST]
    return Told(
        whole(line["position"]), line["id"], digest, when(line["at"], now), says, beginning(note(line), _LONGEST_REASON)
    )


def note(line: Record) -> str:
    """What somebody wrote beside it."""
    own = "" if line["tag"] in ("event.revoked", "refused", "rejected") else line.get("reason")
    return str(line.get("note") or own or "")
