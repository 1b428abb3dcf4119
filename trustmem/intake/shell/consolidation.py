"""`trustmem consolidate`: a pass, in which facts fade, are pruned, come back and are promoted; or what it would do."""

import argparse
import json
import math
from collections.abc import Mapping
from typing import Any

from trustmem.actions import breaker, consolidation, previews
from trustmem.actions.breaker import Verdict
from trustmem.actions.consolidation import Held
from trustmem.actions.previews import DEFERRED, LISTED, Fate, Preview
from trustmem.core.constants import Constants
from trustmem.core.instants import to_text
from trustmem.explanations.passes import changes, reasons, waits_for
from trustmem.explanations.text import shortened
from trustmem.intake.shell import Refusal, database, stored
from trustmem.intake.shell.look import SOFT, STRONG, Page, working
from trustmem.intake.shell.times import clock, counted, instant
from trustmem.store import queries
from trustmem.store.models import Pass, Space
from trustmem.store.passes import COUNTS
from trustmem.store.states import NOTHING, shows

#: So many facts of a list are shown to people; machines get all that a preview lists.
_SHOWN = 20
#: Columns before what changes.
_INDENT = 15
_TITLES = {
    "pruned": "pruned",
    "revived": "come back",
    "promoted": "promoted",
    DEFERRED: "promotion waits",
    "re-weighed": "re-weighed",
    "stamped": "stamped",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument(
        "--at", metavar="T", type=instant, help="the instant of the pass, RFC 3339 with an offset (default: now)"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--dry-run", action="store_true", help="show what the pass would do, and write nothing")
    what.add_argument("--approve", action="store_true", help="take it also where it needs a person's word")
    parser.add_argument("--json", action="store_true", help="for machines: one JSON object")


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        if arguments.dry_run:
            _show(space, arguments)
        else:
            taken = _taken(space, arguments)
            consolidation.settle(space, taken, by=stored.user(), now=clock())
            _tell(taken, arguments)
    return 0


def _taken(space: Space, arguments: argparse.Namespace) -> Pass:
    """Raises Refusal where the pass needs a person's word and has none."""
    judge = None if arguments.approve else lambda at: breaker.judge(space, at)
    try:
        with working("taking all facts through a pass"):
            return consolidation.consolidate(space, at=arguments.at, by=stored.user(), now=clock(), judge=judge)
    except Held as held:
        why = " ".join(reasons(held.verdict)).rstrip(".")
        raise Refusal(
            f"nothing was done: {why[0].lower()}{why[1:]} (--dry-run shows it fact by fact, --approve takes it)"
        ) from None


def _tell(taken: Pass, arguments: argparse.Namespace) -> None:
    at = to_text(taken.instant)
    if arguments.json:
        counts = {name: getattr(taken, name) for name in COUNTS}
        print(json.dumps({"at": at, **counts, "constants_version": queries.version(taken.space, taken.instant)}))
        return
    print(f"A pass at {at} weighed {counted(taken.weighed, 'fact')} and changed {taken.changed or 'none'}:")
    print(f"{taken.pruned} pruned, {taken.revived} back, {taken.promoted} promoted, {taken.deferred} to wait for that.")
    print(f"trustmem undo {at} takes it back.")


def _show(space: Space, arguments: argparse.Namespace) -> None:
    with working("working out what a pass would do"):
        verdict = consolidation.judged(space, arguments.at, clock())
    names = previews.names(space, verdict.preview)
    if arguments.json:
        print(json.dumps(_as_json(space, verdict, names), ensure_ascii=False))
    else:
        _Shown(space, verdict, names).show()


def _as_json(space: Space, verdict: Verdict, names: Mapping[int, tuple[str, str]]) -> dict[str, Any]:
    preview = verdict.preview
    return {
        "at": to_text(preview.instant),
        "needs_a_person": reasons(verdict),
        "live": preview.live,
        **preview.counts,
        "constants_version": queries.version(space, preview.instant),
        "global_pruned": preview.global_pruned,
        "moved_by_events": verdict.moved._asdict(),
        "facts": [_fate_as_json(each, names[each.fact][0]) for each in preview.fates if each.fact in names],
    }


def _fate_as_json(fate: Fate, name: str) -> dict[str, Any]:
    without, with_it = fate.weight
    told: dict[str, Any] = {"id": name, "lists": list(fate.lists), "promotion_waits": list(fate.deferred)}
    told |= {"weight_without": without, "weight_with": with_it}
    return told | {"before": _finite(fate.before), "after": _finite(fate.after)}


def _finite(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as JSON has them: a half-life without an end is null."""
    return {name: None if value == math.inf else value for name, value in values.items()}


class _Shown:
    """A preview on a page."""

    def __init__(self, space: Space, verdict: Verdict, names: Mapping[int, tuple[str, str]]) -> None:
        self.verdict, self.names, self.page = verdict, names, Page()
        self.constants: Constants = queries.constants(space, verdict.preview.instant)

    def show(self) -> None:
        preview, page = self.verdict.preview, self.page
        counts = preview.counts
        facts, changed = counted(counts["weighed"], "fact"), counts["changed"] or "none"
        page.line(f"A pass at {to_text(preview.instant)} would weigh {facts} and change {changed}:")
        page.line(
            f"{counts['pruned']} pruned, {counts['revived']} back, {counts['promoted']} promoted, "
            f"{counts['deferred']} to wait for that."
        )
        for reason in reasons(self.verdict):
            page.line((f"It needs a person's word. {reason}", STRONG))
        for name, title in _TITLES.items():
            fates = [each for each in preview.fates if name in each.lists and each.fact in self.names]
            if fates:
                self._list(name, title, fates, _more(preview, name, len(fates)))
        page.line()
        page.line(("Nothing was written.", SOFT))

    def _list(self, name: str, title: str, fates: list[Fate], more: str) -> None:
        self.page.heading(title, "  weight without the pass → with it")
        for each in fates[:_SHOWN]:
            self._fact(name, each)
        if more:
            self.page.line((more, SOFT))

    def _fact(self, name: str, fate: Fate) -> None:
        (id, text), (without, with_it) = self.names[fate.fact], fate.weight
        claim = (shortened(text, self.page.columns - _INDENT), "") if text else ("(erased)", SOFT)
        self.page.line((f"{without:.2f} → {with_it:.2f}", STRONG), "    ", claim)
        said = (
            map(waits_for, fate.deferred)
            if name == DEFERRED
            else changes(fate.before, fate.after, with_it, self.constants)
        )
        self.page.flow([*((each, "") for each in said), (shortened(id, self.page.columns - _INDENT), SOFT)], _INDENT)


def _more(preview: Preview, name: str, listed: int) -> str:
    """How many facts are not shown."""
    more = preview.sizes[name] - min(listed, _SHOWN)
    them = "them" if preview.sizes[name] <= LISTED else f"the first {LISTED}"
    return f"and {more} more; --json lists {them}" if more > 0 else ""
