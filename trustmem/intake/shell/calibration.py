"""`trustmem calibrate`: the constants of freshness that fit a space, beside those in force; and their adoption."""

import argparse
import sys

from trustmem.actions import calibration, constants, what_if
from trustmem.core.calibration import CalibrationError, Fit, fit_two_ages, rounded
from trustmem.core.constants import Constants, changed
from trustmem.core.vocabulary import BANDS
from trustmem.intake.shell import Refusal, database, stored
from trustmem.intake.shell.look import SOFT, Page, band_mark
from trustmem.intake.shell.times import clock, counted, instant
from trustmem.store import queries
from trustmem.store.models import Space
from trustmem.store.states import NOTHING, shows

_AGES = 4
#: Who waits at a terminal waits for every fact.
_ALL = sys.maxsize


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument(
        "--fit",
        nargs="+",
        default=["quartiles"],
        metavar=("quartiles|two-ages", "AGE_HI F_HI AGE_LO F_LO"),
        help="quartiles: by the middle half of the live facts (default); two-ages: seen once, a fact has freshness "
        "F_HI at AGE_HI days and F_LO at AGE_LO",
    )
    parser.add_argument("--now", metavar="T", type=instant, help="score as of this instant (default: now)")
    parser.add_argument("--adopt", action="store_true", help="put the fit in force, as a new version of the constants")
    stored.add_reason(parser)


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    if arguments.adopt and not arguments.reason:
        raise Refusal("--adopt needs --reason: whoever reads the constants later will want to know why")
    now = clock()
    with database.opened():
        space = stored.space(arguments)
        stored.warn_if_behind(space)
        in_force = queries.constants(space)
        at = now if arguments.now is None else arguments.now
        fit = _fit(arguments.fit, space, in_force, at)
        _show(space, fit, in_force, at, Page())
        if arguments.adopt:
            figures = {"fit": arguments.fit[0], "fitted_at": at}
            told = {"by": stored.user(), "now": now, "reason": arguments.reason, "figures": figures}
            act = constants.adopt(space, fit._asdict(), **told)
            print(f"The fit is in force. trustmem undo {act} takes it back.")
    return 0


def _fit(asked: list[str], space: Space, in_force: Constants, now: int) -> Fit:
    kind, *numbers = asked
    try:
        if kind == "quartiles" and not numbers:
            return rounded(calibration.by_quartiles(space, in_force, now, _ALL))
        if kind == "two-ages" and len(numbers) == _AGES:
            age_hi, f_hi, age_lo, f_lo = map(float, numbers)
            return rounded(fit_two_ages(age_hi, f_hi, age_lo, f_lo, in_force))
    except CalibrationError as error:
        raise Refusal(f"there is no such fit: {error}") from None
    except ValueError:
        raise Refusal("the ages and freshnesses of --fit two-ages must be numbers") from None
    raise Refusal("--fit takes quartiles, or two-ages with AGE_HI F_HI AGE_LO F_LO")


def _show(space: Space, fit: Fit, in_force: Constants, now: int, page: Page) -> None:
    bands = what_if.bands(space, changed(in_force, fit._asdict()), now, _ALL)
    page.line((f"{'':21} {'in force':>9} {'the fit':>9}", SOFT))
    for name, value in fit._asdict().items():
        page.line(f"{name:21} {getattr(in_force, name):9.4f} {value:9.4f}")
    page.heading("bands", f"  of {counted(bands.n, 'live fact')}")
    for code in reversed(range(len(BANDS))):
        page.line(band_mark(code), f" {bands.before[code]:9}", f" {bands.after[code]:9}")
