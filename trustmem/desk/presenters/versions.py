"""Versions of the constants as their pages show them: all of them, and each with what it changed, what somebody saw who
adopted it, and what goes by it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from trustmem.actions import constants as versions
from trustmem.actions import jobs
from trustmem.actions.constants import Version
from trustmem.core.constants import REGISTRY, Constants, flat
from trustmem.core.vocabulary import BANDS, FLAGS
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import capped, whole
from trustmem.desk.presenters.imports import TakenBack, taken_back
from trustmem.desk.presenters.trials import PREFIX
from trustmem.explanations.text import visible
from trustmem.store.models import Case, Pass, Space

#: So many versions stand on a page, and so much of a fingerprint in a list.
SIZE = 25
_BEGINNING = 12
#: So many cases or passes are counted.
_CAP = 1000
ADOPTING: Mapping[str, object] = {jobs.ADOPTION: _("Putting a version in force")}


class Band(NamedTuple):
    """How many facts stood in a band before and after, and these as shares of all, in percent."""

    name: str
    before: str
    after: str
    before_percent: str
    after_percent: str


class Bar(NamedTuple):
    """A bar of a small figure: its place, how high it is and where it begins, of a hundred."""

    x: int
    y: str
    height: str


class Counted(NamedTuple):
    """How many facts had a flag, or would have gone through something, before and after."""

    flag: str
    title: str
    before: str
    after: str


class Figures(NamedTuple):
    """What somebody saw who adopted a version. `bars` are two small figures: bands before, and after."""

    scored: str
    changed: str
    bands: list[Band]
    bars: list[list[Bar]]
    counted: list[Counted]


class Told(NamedTuple):
    """A version. `name` tells apart those of one number ('': no other has it); `href` is its page; `came` says where it
    comes from; `figures` are None where it came without."""

    number: str
    name: str
    token: str
    href: str
    since: When | None
    by: str
    reason: str
    many: str
    changed: list[str]
    fingerprint: str
    beginning: str
    came: str
    figures: Figures | None
    is_in_force: bool


class Listed(NamedTuple):
    """A page of all versions, the newest first, and the addresses of those after and before it."""

    rows: list[Told]
    next: str
    previous: str


def tokens(found: Sequence[Version]) -> dict[str, str]:
    """By name, what stands for a version in addresses: its number, or its name where others are called so as well."""
    numbers, names = Counter(each.number for each in found), {each.name for each in found}
    return {
        each.name: str(each.number) if numbers[each.number] == 1 and str(each.number) not in names else each.name
        for each in found
    }


def chosen(found: Sequence[Version], token: str) -> Version | None:
    """The version that an address means."""
    of = tokens(found)
    return next((each for each in found if token in (of[each.name], each.name)), None)


def listed(space: Space, found: Sequence[Version], asked: Mapping[str, str], now: int) -> Listed:
    """The page of versions that begins after the one that `after` names. Raises BadRequest where there is none."""
    newest_first, of = list(found[::-1]), tokens(found)
    start = 0
    if asked.get("after"):
        last = chosen(found, asked["after"])
        if last is None:
            raise BadRequest(gettext("This is no place in a list."))
        start = newest_first.index(last) + 1
    shown, base = newest_first[start : start + SIZE], reverse("versions", args=[space.name])
    before = newest_first[start - SIZE - 1] if start > SIZE else None
    return Listed(
        [told(space, each, found, now) for each in shown],
        f"{base}?{urlencode({'after': of[shown[-1].name]})}" if start + SIZE < len(found) else "",
        (f"{base}?{urlencode({'after': of[before.name]})}" if before else base) if start else "",
    )


def told(space: Space, version: Version, found: Sequence[Version], now: int) -> Told:
    """One of the versions of a space."""
    token = tokens(found)[version.name]
    has_twins = sum(each.number == version.number for each in found) > 1
    many = len(version.changed)
    return Told(
        str(version.number),
        version.name if has_twins else "",
        token,
        href(space, version, found),
        when(version.since, now) if version.since > 0 else None,
        version.author,
        version.reason,
        ngettext("{count} constant changed", "{count} constants changed", many).format(count=whole(many)),
        list(version.changed),
        version.fingerprint,
        version.fingerprint[:_BEGINNING],
        _came(version, now),
        _figures(version.figures) if version.figures is not None else None,
        version.name == found[-1].name,
    )


def href(space: Space, version: Version, found: Sequence[Version], name: str = "version", **more: str) -> str:
    """The page of a version, or where a form about it goes."""
    token = tokens(found)[version.name]
    query = urlencode(({} if token == str(version.number) else {"name": version.name}) | more)
    return reverse(name, args=[space.name, version.number]) + (f"?{query}" if query else "")


class Gone(NamedTuple):
    """A version that is undone, with its entry in the log, and who undid it."""

    number: str
    since: When
    by: str
    entry: str
    undone: TakenBack | None


def gone(space: Space, now: int, number: int | None = None) -> list[Gone]:
    """The versions that are undone, the newest first: those of a number, or the last of all."""
    found = [each for each in versions.gone(space) if number in (None, each.number)]
    return [
        Gone(
            str(each.number),
            when(each.since, now),
            each.author,
            reverse("log-entry", args=[space.name, each.of]),
            taken_back(each.undone, now),
        )
        for each in found[:SIZE]
    ]


# Figures


def _came(version: Version, now: int) -> str:
    """Where it comes from, in a sentence or two."""
    figures = version.figures
    if figures is None:
        return gettext("It came by a file, without figures.") if version.since > 0 else gettext("The space began so.")
    if "back_to" in figures:
        return gettext("A roll back to version {number}.").format(number=figures["back_to"])
    fit = figures.get("fit", "")
    if fit not in _FITS:
        return gettext("Chosen by a person.")
    says = str(_FITS[fit]).format(at=when(figures["fitted_at"], now).minute)
    if figures.get("ages"):
        ages = {name: _number(each) for name, each in figures["ages"].items()}
        asked = gettext("Seen once, a fact was to be {f_hi} fresh after {age_hi} days, and {f_lo} after {age_lo}.")
        return f"{says} {asked.format(**ages)}"
    return f"{says} {_fitted(figures['fitted'])}" if "fitted" in figures else says


_FITS = {
    "quartiles": _("From a fit by quartiles, as of {at}."),
    "two-ages": _("From a fit by two ages, as of {at}."),
    "verdicts": _("From a fit to verdicts of {at}."),
}


def _fitted(fit: Mapping[str, Any]) -> str:
    """How a fit did with the outcomes that it had not seen."""
    says = gettext(
        "Of {n} outcomes {held_out} were held out: their log loss was {before} under the constants before and {after} "
        "under these, a gain of {gain} with a standard error of {error}."
    )
    losses = {name: _number(each, 3) for name, each in fit["over_in_force"].items()}
    return says.format(n=whole(fit["outcomes"]), held_out=whole(fit["held_out"]["n"]), **losses)


def _figures(figures: Mapping[str, Any]) -> Figures:
    before, after, n, of = figures["before"], figures["after"], figures["n"], figures["of"]
    scored = ngettext("{count} live fact", "{count} live facts", of).format(count=whole(of))
    if n < of:
        scored = gettext("a sample of {n} of {of} live facts").format(n=whole(n), of=whole(of))
    changed = figures.get("changed")
    most = max(*before, *after, 1)
    says = ngettext("{count} changed band", "{count} changed band", changed or 0).format(count=whole(changed or 0))
    return Figures(
        scored,
        "" if changed is None else says,
        [
            Band(band, whole(was), whole(then), _percent(was, sum(before)), _percent(then, sum(after)))
            for band, was, then in zip(BANDS, before, after, strict=True)
        ][::-1],
        [[_bar(place, many, most) for place, many in enumerate(counts)] for counts in (before, after)],
        _counted(figures),
    )


def _percent(many: int, of: int) -> str:
    return f"{100 * many / of:.1f}" if of else "0"


def _bar(place: int, many: int, most: int) -> Bar:
    height = max(100 * many / most, 5) if many else 1.5  # none is seen to be none
    return Bar(20 * place, f"{100 - height:.1f}", f"{height:.1f}")


def _counted(figures: Mapping[str, Any]) -> list[Counted]:
    """Flags that some fact had, and what the next pass would have done."""
    flags = figures.get("flags", {})
    rows = [Counted(flag, "", *map(whole, flags[flag])) for flag in FLAGS if any(flags.get(flag, ()))]
    doings = {"pruned": gettext("pruned by the next pass"), "promoted": gettext("promoted by the next pass")}
    return rows + [
        Counted("", title, *map(whole, figures[name])) for name, title in doings.items() if any(figures.get(name, ()))
    ]


# What differs


class Differs(NamedTuple):
    """A number that differs between two versions; numbers in full stand behind those shown."""

    name: str
    meaning: str
    one: str
    one_exact: str
    other: str
    other_exact: str
    default: str


def differing(one: Constants, other: Constants) -> list[Differs]:
    """What differs, in the order of the registry."""
    defaults = flat(Constants())
    return [
        Differs(
            name,
            gettext(REGISTRY[name.partition(".")[0]].meaning),
            *_both(was, then),
            _number(defaults[name]),
        )
        for name, (was, then) in versions.diff(one, other).items()
    ]


def _both(one: float, other: float) -> tuple[str, str, str, str]:
    """Two numbers, so that one sees in what they differ; each followed by all of it."""
    digits = next((many for many in (6, 10, 15) if _number(one, many) != _number(other, many)), 17)
    return _number(one, digits), repr(one), _number(other, digits), repr(other)


def _number(number: float, digits: int = 6) -> str:
    return f"{number:.{digits}g}".replace("-", "−")


def trial(space: Space, in_force: Constants, constants: Constants) -> str:
    """The lab with these as trial constants; '': they are in force."""
    said = {f"{PREFIX}{name}": repr(number) for name, (_, number) in versions.diff(in_force, constants).items()}
    return f"{reverse('what-if', args=[space.name])}?{urlencode(said)}" if said else ""


class Choice(NamedTuple):
    """A version that another can be set against. `name`: as in Told, and as it can stand where there are no marks."""

    token: str
    number: str
    minute: str
    name: str
    is_chosen: bool


def choices(found: Sequence[Version], version: Version, against: Version | None, now: int) -> list[Choice]:
    """All other versions, the newest first."""
    of, others = tokens(found), [each for each in found[::-1] if each.name != version.name]
    numbers = Counter(each.number for each in found)
    return [
        Choice(
            of[each.name],
            str(each.number),
            when(each.since, now).minute if each.since > 0 else "",
            visible(each.name) if numbers[each.number] > 1 else "",
            against is not None and each.name == against.name,
        )
        for each in others
    ]


# What goes by a version


class Goes(NamedTuple):
    """How many passes went by a version, with the list that begins with them ('': none did), and how many cases name
    its number."""

    passes: str
    passes_href: str
    cases: str


def going(space: Space, version: Version, found: Sequence[Version]) -> Goes:
    """What was done while a version was in force."""
    place = [each.name for each in found].index(version.name)
    until = found[place + 1].since if place + 1 < len(found) else None
    passes = Pass.objects.filter(space=space, void=False, instant__gte=version.since)
    base = reverse("passes", args=[space.name])
    if until is not None:
        passes, base = passes.filter(instant__lt=until), f"{base}?after={until}"
    cases = Case.objects.filter(space=space, constants_version=version.number)
    many = passes.count()
    return Goes(_many(many), base if many else "", _many(cases[: _CAP + 1].count()))


def _many(count: int) -> str:
    return capped(min(count, _CAP), count > _CAP)
