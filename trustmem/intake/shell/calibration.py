"""`trustmem calibrate`: the constants of freshness that fit a space, beside those in force; and their adoption."""

import argparse
from collections import Counter
from dataclasses import replace

from trustmem.actions import constants
from trustmem.core.calibration import CalibrationError, Fit, fit_quartiles, fit_two_ages
from trustmem.core.constants import Constants, changed
from trustmem.core.scores import Scores, score
from trustmem.core.stored import Stored
from trustmem.core.vocabulary import BANDS, LIVE
from trustmem.intake.shell import Refusal, database, stored
from trustmem.intake.shell.look import SOFT, Page, band_mark
from trustmem.intake.shell.times import clock, counted, instant
from trustmem.store import queries
from trustmem.store.states import NOTHING, shows

_AGES = 4


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
        facts = queries.stored(space)
        at = now if arguments.now is None else arguments.now
        before = score(facts, at)
        fit = _fit(arguments.fit, before, facts.constants)
        _show(fit, facts, before, at, Page())
        if arguments.adopt:
            act = constants.adopt(space, fit._asdict(), by=stored.user(), now=now, reason=arguments.reason)
            print(f"The fit is in force. trustmem undo {act} takes it back.")
    return 0


def _fit(asked: list[str], scores: Scores, in_force: Constants) -> Fit:
    kind, *numbers = asked
    try:
        if kind == "quartiles" and not numbers:
            return fit_quartiles(scores.activation[scores.state == LIVE])
        if kind == "two-ages" and len(numbers) == _AGES:
            age_hi, f_hi, age_lo, f_lo = map(float, numbers)
            return fit_two_ages(age_hi, f_hi, age_lo, f_lo, in_force)
    except CalibrationError as error:
        raise Refusal(f"there is no such fit: {error}") from None
    except ValueError:
        raise Refusal("the ages and freshnesses of --fit two-ages must be numbers") from None
    raise Refusal("--fit takes quartiles, or two-ages with AGE_HI F_HI AGE_LO F_LO")


def _show(fit: Fit, facts: Stored, before: Scores, now: int, page: Page) -> None:
    after = score(replace(facts, constants=changed(facts.constants, fit._asdict())), now)
    live = before.state == LIVE
    page.line((f"{'':21} {'in force':>9} {'the fit':>9}", SOFT))
    for name, value in fit._asdict().items():
        page.line(f"{name:21} {getattr(facts.constants, name):9.2f} {value:9.2f}")
    page.heading("bands", f"  of {counted(int(live.sum()), 'live fact')}")
    counts = [Counter(each.band[live].tolist()) for each in (before, after)]
    for code in reversed(range(len(BANDS))):
        page.line(band_mark(code), *(f" {count[code]:9}" for count in counts))
