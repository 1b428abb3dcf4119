"""`trustmem constants list|show|diff|adopt|rollback`: the constants of a space, version by version."""

import argparse
import json
from collections.abc import Mapping
from typing import Any

from trustmem.actions import constants
from trustmem.actions.constants import Version
from trustmem.core.constants import REGISTRY, ConstantError, Constants, differences, fingerprint, flat, to_json, trial
from trustmem.core.instants import to_text
from trustmem.explanations.text import visible
from trustmem.explanations.times import minute
from trustmem.intake.shell import Refusal, database, stored
from trustmem.intake.shell.look import SOFT, STRONG, Page
from trustmem.intake.shell.times import clock
from trustmem.store import queries
from trustmem.store.models import Space
from trustmem.store.states import NOTHING, shows

#: So much of a fingerprint people compare.
_SHORT = 12
#: Columns before what a version is, and before what a constant means.
_INDENT = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(metavar="list|show|diff|adopt|rollback", required=True)
    _reading(what, "list", _list, "List all versions, the newest first.")
    one = _reading(what, "show", _show, "Show all constants, as they are in force or were in a version.")
    one.add_argument("version", metavar="N", nargs="?", help="the number of a version (default: the newest)")
    two = _reading(what, "diff", _diff, "Show what differs between two versions.")
    two.add_argument("versions", metavar="N", nargs=2, help="the numbers of two versions")
    adopt = _deciding(what, "adopt", _adopt, "Put other values in force, as a new version.")
    adopt.add_argument(
        "values", metavar="NAME=VALUE", nargs="+", help='as "constants show" names them: base_rate.auto=0.5'
    )
    back = _deciding(what, "rollback", _roll_back, "Put an older version in force again, as a new one.")
    back.add_argument("version", metavar="N", help="its number")


def _reading(what: Any, name: str, do: Any, says: str) -> argparse.ArgumentParser:
    parser = stored.command(what, name, do, says)
    parser.add_argument("--json", action="store_true", help="for machines: JSON in full precision")
    return parser


def _deciding(what: Any, name: str, do: Any, says: str) -> argparse.ArgumentParser:
    parser = stored.command(what, name, do, says)
    parser.add_argument("--reason", metavar="R", required=True, help="why, in your words; it is kept with the version")
    return parser


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        arguments.do(stored.space(arguments), arguments)
    return 0


def _list(space: Space, arguments: argparse.Namespace) -> None:
    found = constants.versions(space)[::-1]
    if arguments.json:
        for each in found:
            print(json.dumps(_as_json(each)))
        return
    page = Page()
    for each in found:
        since = "from the beginning" if each.since < 0 else f"since {minute(each.since)} UTC"
        by = [(f"by {visible(each.author)}", SOFT)] if each.author else []
        page.flow([(since, ""), *by, (each.fingerprint[:_SHORT], SOFT)], _INDENT, str(each.number))
        if each.reason:
            page.entry("", visible(each.reason), _INDENT)
        if each.changed:
            page.entry("", ", ".join(each.changed), _INDENT, SOFT)
    _say_if_not_calibrated(space, page)


def _as_json(version: Version) -> dict[str, Any]:
    told = {name: getattr(version, name) for name in ("number", "name", "author", "reason", "changed")}
    told |= {"since": to_text(version.since), "fingerprint": version.fingerprint}
    return told | {"constants": to_json(version.constants), "figures": version.figures}


def _show(space: Space, arguments: argparse.Namespace) -> None:
    version = _version(space, arguments.version) if arguments.version else _newest(space)
    shown = version.constants if version else Constants()
    if arguments.json:
        about = _as_json(version) if version else {"fingerprint": fingerprint(shown), "constants": to_json(shown)}
        print(json.dumps(about))
        return
    page, defaults = Page(), flat(Constants())
    title = f"version {version.number}" if version else "defaults"
    page.flow([(visible(space.name), STRONG), (f"constants, {title}", ""), (fingerprint(shown)[:_SHORT], SOFT)], 0)
    for group in dict.fromkeys(meta.group for meta in REGISTRY.values()):
        page.heading(group)
        for name, number in flat(shown).items():
            meta = REGISTRY[name.partition(".")[0]]
            if meta.group == group:
                default = f"  default {defaults[name]:g}" if number != defaults[name] else ""
                page.line(f"  {name:30} {number:>10.10g}", (default if meta.tunable else "  fixed", SOFT))
    if version is None or arguments.version is None:
        _say_if_not_calibrated(space, page)


def _diff(space: Space, arguments: argparse.Namespace) -> None:
    a, b = (_version(space, each) for each in arguments.versions)
    found = constants.diff(a.constants, b.constants)
    if arguments.json:
        print(json.dumps({name: list(pair) for name, pair in found.items()}))
        return
    page = Page()
    page.line((f"  {'':30} {f'version {a.number}':>12} {f'version {b.number}':>12}", SOFT))
    for name, (one, other) in found.items():
        page.line(f"  {name:30} {one:>12.10g} {other:>12.10g}")
    if not found:
        print("They are the same.")


def _adopt(space: Space, arguments: argparse.Namespace) -> None:
    in_force = queries.constants(space)
    try:
        values = differences(in_force, trial(in_force, _given(arguments.values)))
    except ConstantError as error:
        raise Refusal(str(error)) from None
    act = constants.adopt(space, values, by=stored.user(), now=clock(), reason=arguments.reason)
    _say_done(space, act)


def _given(values: list[str]) -> Mapping[str, str]:
    pairs = [each.partition("=") for each in values]
    wrong = next((name for name, equals, _ in pairs if not equals), None)
    if wrong is not None:
        raise Refusal(f'"{visible(wrong)}" gives a constant no value; write NAME=VALUE')
    names = [name for name, _, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refusal(f'"{visible(twice)}" is given twice')
    return {name: value for name, _, value in pairs}


def _roll_back(space: Space, arguments: argparse.Namespace) -> None:
    version = _version(space, arguments.version)
    act = constants.roll_back(space, version.name, by=stored.user(), now=clock(), reason=arguments.reason)
    _say_done(space, act)


def _say_done(space: Space, act: str) -> None:
    newest = constants.versions(space)[-1]
    bands = newest.figures or {}
    print(f"Version {newest.number} is in force ({newest.fingerprint[:_SHORT]}). trustmem undo {act} takes it back.")
    print(
        f"Live facts by band, from very low to very high: {_listed(bands['before'])} before, {_listed(bands['after'])}."
    )


def _listed(counts: list[int]) -> str:
    return " ".join(map(str, counts))


def _version(space: Space, text: str) -> Version:
    """The version that is meant, by its number or name. Raises Refusal."""
    return constants.found(space, int(text) if text.isdecimal() else text)


def _newest(space: Space) -> Version | None:
    return next(iter(constants.versions(space)[::-1]), None)


def _say_if_not_calibrated(space: Space, page: Page) -> None:
    if not constants.is_calibrated(space):
        page.line()
        page.line(("Nothing is calibrated: these are the constants that every space begins with.", SOFT))
