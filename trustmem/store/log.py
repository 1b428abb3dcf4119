"""The log of a space: its lines in groups, the newest first. A group is what one act wrote, what one import brought, or
a line that stands alone, such as a pass.

A page takes few queries, however long a group is: an act has the place of its first line in its id, and where the lines
of an import begin is looked for once, since no line ever changes. What is asked for by no index is looked for so far
and no further, and says so.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from django.db.models import Max, Min, Q, QuerySet

from trustmem.core.instants import EVER, NEVER
from trustmem.store.chain import canonical
from trustmem.store.models import Job, Line, Space

#: So many groups stand on a page.
SIZE = 25
#: So many lines are read at a time; where only some are asked for, of so many; and so many times for one page.
_BATCH, _WINDOW, _WINDOWS = 500, 100_000, 5
_COLUMNS = ("position", "name", "tag", "act", "imported", "digest")
#: An act of this space, with the position of its first line.
_ACT = re.compile(r"act:(\d{9,18})-[0-9a-f]+")
#: Under which of these names a line says whose it is.
_MAKERS = ("source", "by", "author")

#: What lines there are, for those who want to see some only. What came by an import is of that kind alone.
KINDS = {
    "decisions": ("event.accepted", "event.forgotten", "event.restored", "event.erased"),
    "cases": ("case", "event.closed"),
    "rulings": ("event.upheld", "event.dismissed"),
    "undos": ("event.undone",),
    "imports": ("import", "refused", "rejected"),
    "passes": ("pass",),
    "constants": ("constants",),
    "keys": ("key", "event.revoked"),
    "tombstones": ("tombstone", "event.lifted"),
    "said": (
        "fact",
        "edge.updates",
        "edge.extends",
        "edge.derives",
        "edge.contradicts",
        "event.restated",
        "event.corroborated",
        "event.recalled",
        "event.injected",
        "event.contradicted",
        "feedback.helpful",
        "feedback.unhelpful",
        "feedback.corrected",
        "feedback.ignored",
        "entity",
        "link",
        "space",
    ),
}


class Group(NamedTuple):
    """Lines of one act, of one import or a line alone, by `key`: the id of that. `first` and `last` are positions; of
    an import, as far as it was looked at, and `is_over` says whether it is on record as a whole."""

    kind: Literal["act", "import", "line"]
    key: str
    first: int
    last: int
    is_over: bool = True


class Page(NamedTuple):
    """Some groups, the position before which the next page begins (None: there is none), and whether that is so since
    not all was looked at that may be asked for."""

    groups: list[Group]
    next: int | None
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """Which groups are asked for: written `by` somebody, of some kind, `about` an id, between two instants ('', or an
    end of time: any)."""

    by: str = ""
    what: str = ""
    about: str = ""
    since: int = NEVER
    until: int = EVER

    @property
    def is_all(self) -> bool:
        return self == Asked()

    @property
    def has_index(self) -> bool:
        """Whether what is asked for is found without looking at all else; all that stands in groups is."""
        return self.is_all or (not (self.by or self.about) and self.what not in ("", "said"))

    def ways(self, space: Space) -> list[QuerySet[Line]]:
        """The lines by which such groups are found: asked for apart where each has an index of its own."""
        lines = Line.objects.filter(space=space)
        if self.is_all:
            return [lines]
        if self.by or not self.about or self._is_dated():
            lines = lines.filter(Q(imported="") | Q(tag="import"))
        if self._is_dated():
            lines = lines.filter(at__gte=self.since, at__lt=self.until)
        if self.about:
            lines = lines.filter(_is(self.about) | Q(body__contains=canonical(self.about)))
        if self.by:
            said = Q(*(Q(body__contains=each) for each in self._maker()), _connector=Q.OR)
            lines = lines.filter(said | Q(tag="pass", at__in=_asked_for(space, self.by)))
        if self.what == "imports":
            return [lines.exclude(imported="") if self.about else lines.filter(tag="import")]
        if self.has_index:
            return [lines.filter(imported="", tag=tag) for tag in KINDS[self.what]]
        return [lines.filter(imported="", tag__in=KINDS[self.what]) if self.what else lines]

    def _is_dated(self) -> bool:
        return (self.since, self.until) != (NEVER, EVER)

    def means(self, line: dict[str, Any]) -> bool:
        """Whether a line that was found is meant, letter by letter: SQLite takes some for the same that are not."""
        is_about = not self.about or self.about in _names(line) or canonical(self.about) in line["body"]
        is_by = not self.by or line["tag"] == "pass" or any(each in line["body"] for each in self._maker())
        return is_about and is_by

    def _maker(self) -> list[str]:
        return [f'"{name}":{canonical(self.by)}' for name in _MAKERS]


def _is(name: str) -> Q:
    return Q(name=name) | Q(act=name) | Q(imported=name, tag="import")


def _names(line: dict[str, Any]) -> tuple[str, ...]:
    return line["name"], line["act"], line["imported"]


def _asked_for(space: Space, by: str) -> QuerySet[Job, Any]:
    """The instants of the passes that somebody asked for: their lines do not say so."""
    return Job.objects.filter(space=space, kind="consolidation", by=by).values("instant")


def page(space: Space, asked: Asked, before: int | None = None, size: int = SIZE) -> Page:
    """The newest groups that begin before a position (None: of all)."""
    groups: list[Group] = []
    until, looks = space.head_position + 1 if before is None else before, 0
    while until > 1 and len(groups) <= size and (asked.has_index or looks < _WINDOWS):
        until, looks = _look(space, asked, until, groups), looks + 1
    if len(groups) > size:
        return Page(groups[:size], groups[size - 1].first, is_cut=False)
    return Page(groups, until if until > 1 else None, is_cut=until > 1)


def _look(space: Space, asked: Asked, until: int, groups: list[Group]) -> int:
    """Add to some groups what comes before a position; how far was looked."""
    after = 0 if asked.has_index else max(until - _WINDOW, 1) - 1
    found = _found(space, asked, after, until)
    fresh = [groups.pop()] if groups else []
    for line in found:
        if asked.is_all or asked.means(line):
            _add(fresh, line)
    if len(found) < _BATCH:
        until = after + 1
    else:
        until = found[-1]["position"]
        if asked.is_all:
            until = min(until, _start(space, fresh[-1], found[-1]["digest"]))
            fresh[-1] = fresh[-1]._replace(first=until)
    groups += _that_stand(space, fresh) if asked.is_all else fresh
    return until


def _found(space: Space, asked: Asked, after: int, until: int) -> list[dict[str, Any]]:
    """The last lines between two positions, the last first."""
    columns = _COLUMNS if asked.is_all else (*_COLUMNS, "body")
    found: list[dict[str, Any]] = []
    for lines in asked.ways(space):
        between = lines.filter(position__gt=after, position__lt=until).order_by("-position")
        found += between.values(*columns)[:_BATCH]
    return sorted(found, key=itemgetter("position"), reverse=True)[:_BATCH]


def _add(groups: list[Group], line: dict[str, Any]) -> None:
    """A line to the group that it continues, or as the last of a new one: what puts an import on record is its last."""
    group = _group(line)
    if groups and (groups[-1].kind, groups[-1].key) == (group.kind, group.key) and line["tag"] != "import":
        groups[-1] = groups[-1]._replace(first=min(groups[-1].first, group.first))
    else:
        groups.append(group)


def _group(line: dict[str, Any]) -> Group:
    position, act = line["position"], line["act"]
    if line["imported"]:
        return Group("import", line["imported"], position, position, line["tag"] == "import")
    if not act:
        return Group("line", line["name"], position, position)
    own = _ACT.fullmatch(act)
    return Group("act", act, min(int(own[1]), position) if own else position, position)


def _start(space: Space, group: Group, digest: str) -> int:
    """Where a group begins of which not all was looked at."""
    return _start_of(space.pk, group.key, group.first, digest) if group.kind == "import" else group.first


@lru_cache(4096)
def _start_of(space: int, imported: str, position: int, _digest: str) -> int:
    """Where the lines of an import begin that go on up to a position. The digest of that line is that of all before it
    too: where it is the same, so is this."""
    others = Line.objects.filter(space=space, position__lt=position).exclude(imported=imported)
    return (others.order_by("-position").values_list("position", flat=True).first() or 0) + 1


def _that_stand(space: Space, groups: list[Group]) -> list[Group]:
    """All but the parts of an import that stands where it was put on record: others wrote while it was under way."""
    open_ones = {group.key for group in groups if not group.is_over}
    if not open_ones:
        return groups
    lines = Line.objects.filter(space=space, tag="import", imported__in=open_ones)
    over = dict(lines.values_list("imported").annotate(last=Max("position")).order_by())
    return [group for group in groups if group.is_over or over.get(group.key, 0) < group.last]


def group_of(space: Space, name: str) -> Group | None:
    """The group of an act, an import or a line, by its id; None where there is none."""
    lines = Line.objects.filter(space=space)
    of_act = lines.filter(act=name, imported="").aggregate(first=Min("position"), last=Max("position"))
    if of_act["last"] is not None:
        return Group("act", name, **of_act)
    found = lines.filter(name=name).first() or _last_of(lines, name)
    if found and found.imported and found.tag != "import":
        whole = lines.filter(tag="import", imported=found.imported, position__gt=found.position)
        found = whole.order_by("position").first() or _last_of(lines, found.imported)
    return _group({each: getattr(found, each) for each in _COLUMNS}) if found else None


def _last_of(lines: QuerySet[Line], imported: str) -> Line | None:
    """The line that put an import on record; the last that it brought, where it is under way or was cut short."""
    if not imported.startswith("import:"):
        return None
    brought = lines.filter(imported=imported).order_by("-position")
    return brought.filter(tag="import").first() or brought.first()


def lines_of(space: Space, group: Group) -> QuerySet[Line]:
    """The lines of a group; of an import all that it brought since its file came the last time."""
    lines = Line.objects.filter(space=space)
    if group.kind == "line":
        return lines.filter(position=group.last)
    if group.kind == "act":
        return lines.filter(act=group.key, imported="")
    brought = lines.filter(imported=group.key, position__lte=group.last)
    before = lines.filter(tag="import", imported=group.key, position__lt=group.last).aggregate(last=Max("position"))
    return brought.filter(position__gt=before["last"] or 0)


def wheres(space: Space, groups: Collection[Group]) -> dict[Group, tuple[int, int]]:
    """The first and last position of what tells a group: of an import that is on record that is one line, of an act all
    of them, whichever was found."""
    acts = [group.key for group in groups if group.kind == "act"]
    lines = Line.objects.filter(space=space, act__in=acts, imported="").order_by()
    spans = {
        act: (first, last) for act, first, last in lines.values_list("act").annotate(Min("position"), Max("position"))
    }
    ends = {group: (end, end) for group, end in _concluded(space, groups).items()}
    return {group: spans.get(group.key) or ends.get(group) or (group.first, group.last) for group in groups}


def _concluded(space: Space, groups: Collection[Group]) -> dict[Group, int]:
    """Where imports were put on record, whichever of their lines was found; those left out that were cut short."""
    found = {group: group.last for group in groups if group.kind == "import" and group.is_over}
    parts = [group for group in groups if group.kind == "import" and not group.is_over]
    if parts:
        over = Line.objects.filter(space=space, tag="import", imported__in={group.key for group in parts})
        ends = sorted(over.values_list("position", "imported"))
        for group in parts:
            if end := next((at for at, key in ends if key == group.key and at > group.last), None):
                found[group] = end
    return found
