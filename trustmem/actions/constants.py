"""Constants: a person adopts new values, as a new version that undo takes back, or goes back to an older version."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from trustmem.actions import acts, fitting, folding, jobs, undo, what_if
from trustmem.actions.errors import Refusal
from trustmem.actions.undo import Undone
from trustmem.core import constants as core
from trustmem.core.constants import RETIRED, ConstantError, Constants, changed, differences, flat
from trustmem.core.instants import to_text
from trustmem.store import queries
from trustmem.store.models import Adoption, ConstantsVersion, Job, Line, Space


class Version(NamedTuple):
    """A version of the constants of a space: what of them it `changed`, all that were `constants` then, and the
    `figures` under which it was adopted (None: it came by a file, or the space began with it)."""

    number: int
    name: str
    since: int
    author: str
    reason: str
    changed: dict[str, Any]
    constants: Constants
    figures: dict[str, Any] | None

    @property
    def fingerprint(self) -> str:
        return core.fingerprint(self.constants)


@transaction.atomic
def adopt(
    space: Space,
    values: Mapping[str, Any],
    *,
    by: str,
    now: int,
    reason: str,
    figures: Mapping[str, Any] | None = None,
    seen: str | None = None,
) -> str:
    """Put new values in force from `now` on, and keep how many live facts went from which band to which, which fit to
    verdicts offered them, and the `figures` that somebody saw. `seen` is the fingerprint of the constants that they
    were tried against; None: whatever is in force. The id of the act.

    Raises Refusal for what is unknown, fixed or out of bounds, where nothing would change, and where other constants
    have come into force than were seen.
    """
    act = acts.begin(space)
    if seen is not None and core.fingerprint(queries.constants(space)) != seen:
        raise Refusal("other constants have come into force since: see what these would do to them, and save again")
    news = _news(space, values)
    name = acts.line_id(act, 1)
    if _later(space, now, name).exists():
        raise Refusal(f"other values were adopted later than {to_text(now)}, and stand")
    before, figures = queries.constants(space), dict(figures or {})
    after = changed(before, news)
    if not figures.keys() & {"fit", "back_to"}:
        figures |= fitting.behind(space, before, after)
    bands = what_if.bands(space, after, now)
    line = {"type": "constants", "version": _next_version(space), "values": news, "author": by, "reason": reason}
    acts.write(space, [line], act=act, now=now)
    Adoption.objects.create(space=space, version=name, at=now, figures=bands._asdict() | figures)
    return act


def adopt_later(
    space: Space,
    values: Mapping[str, Any],
    *,
    by: str,
    now: int,
    reason: str,
    figures: Mapping[str, Any] | None = None,
) -> Job:
    """The job that adopts them, since to fold a large space anew takes a while; unless other constants come into force
    before it does. Raises Refusal as `adopt` would."""
    seen = core.fingerprint(queries.constants(space))
    asked: dict[str, Any] = {
        "values": _news(space, values),
        "reason": reason,
        "figures": dict(figures or {}),
        "seen": seen,
    }
    return jobs.ask(space, jobs.ADOPTION, by=by, now=now, **asked)


def roll_back(space: Space, version: int | str, *, by: str, now: int, reason: str) -> str:
    """Put the constants of an older version, by its number or name, in force again, as a new version; the id of the
    act. Raises Refusal where there is no such version, or it is in force."""
    older = found(space, version)
    values = differences(queries.constants(space), older.constants)
    return adopt(space, values, by=by, now=now, reason=reason, figures={"back_to": older.number})


def roll_back_later(space: Space, version: int | str, *, by: str, now: int, reason: str) -> Job:
    """The job that goes back to them, from whatever is in force by then. Raises Refusal as `roll_back` would."""
    older = found(space, version)
    _news(space, differences(queries.constants(space), older.constants))
    return jobs.ask(space, jobs.ADOPTION, by=by, now=now, version=older.name, reason=reason)


def _news(space: Space, values: Mapping[str, Any]) -> dict[str, Any]:
    """What of these values is not in force. Raises Refusal."""
    before = queries.constants(space)
    try:
        after = changed(before, values)
    except ConstantError as error:
        raise Refusal(str(error)) from None
    news = {name: value for name, value in values.items() if name not in RETIRED}
    news = {name: value for name, value in news.items() if getattr(before, name) != getattr(after, name)}
    if not news:
        raise Refusal("these values are in force already")
    return news


def _later(space: Space, now: int, name: str) -> QuerySet[Line]:
    """Versions that would still come after one of this name that is adopted now (core.columns)."""
    standing, arrived = ConstantsVersion.objects.filter(space=space).values("name"), acts.stamp(space, now)
    after = Q(arrived__gt=arrived) | Q(arrived=arrived, at__gt=now) | Q(arrived=arrived, at=now, name__gt=name)
    return Line.objects.filter(after, space=space, tag="constants", name__in=standing)


def _next_version(space: Space) -> int:
    """Numbers of undone versions are not given again; the first is what a space begins with."""
    bodies = Line.objects.filter(space=space, tag="constants").values_list("body", flat=True)
    return max((json.loads(body)["version"] for body in bodies), default=1) + 1


# What there is


def versions(space: Space) -> list[Version]:
    """All versions that stand, in the order in which they came into force."""
    figures = dict(Adoption.objects.filter(space=space).values_list("version", "figures"))
    told, in_force = list[Version](), Constants()
    for row in ConstantsVersion.objects.filter(space=space).order_by("since", "pk"):
        before, in_force = in_force, changed(in_force, row.values)
        about = (row.number, row.name, row.since, row.author, row.reason)
        told.append(Version(*about, differences(before, in_force), in_force, figures.get(row.name)))
    return told


class Gone(NamedTuple):
    """A version that is undone: by whom it was put in force and when, by which act or import (`of`), and who undid
    that."""

    number: int
    since: int
    author: str
    of: str
    undone: Undone


def gone(space: Space) -> list[Gone]:
    """All versions that are undone, the newest first."""
    void = folding.void(space, space.head_position)
    lines = Line.objects.filter(space=space, tag="constants").order_by("-position") if void else Line.objects.none()
    found = [
        (imported if imported in void else act, at, json.loads(body))
        for act, imported, at, body in lines.values_list(*_OF_GONE)
    ]
    by = undo.all_undone(space, [of for of, _, _ in found], void)
    return [Gone(says["version"], at, says.get("author") or "", of, by[of]) for of, at, says in found if of in by]


_OF_GONE = ("act", "imported", "at", "body")


def found(space: Space, version: int | str) -> Version:
    """The version of that number or name. Raises Refusal where there is none, or two have that number."""
    every = versions(space)
    some = [each for each in every if version in (each.number, each.name)]
    if not some:
        numbers = ", ".join(str(each.number) for each in every) or "none"
        raise Refusal(f"there is no version {version} of the constants; there are {numbers}")
    if len(some) > 1:
        names = ", ".join(each.name for each in some)
        raise Refusal(f"{len(some)} versions have the number {version}; name the one that is meant: {names}")
    return some[0]


def diff(a: Constants, b: Constants) -> dict[str, tuple[float, float]]:
    """The numbers that differ between two, by their flat names: in the one, and in the other."""
    one, other = flat(a), flat(b)
    return {name: (number, other[name]) for name, number in one.items() if number != other[name]}


def is_calibrated(space: Space) -> bool:
    """Whether other constants are in force than those of which every space begins with the same."""
    return queries.constants(space) != Constants()
