"""How often the detector is right, and what other thresholds would come to, as a page shows it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext, ngettext, pgettext

from trustmem.actions import detector
from trustmem.actions.detector import FEW, Outlook, Precision, Rule
from trustmem.core.constants import Constants, flat
from trustmem.core.contradictions import CONTRADICTION, RESTATEMENT, RULES, UPDATE
from trustmem.core.reliability import wilson
from trustmem.desk.numbers import plain, two, whole
from trustmem.desk.presenters import trials
from trustmem.desk.presenters.trials import Field, Trial
from trustmem.desk.presenters.truth import between
from trustmem.desk.words import word
from trustmem.store import pairs
from trustmem.store.cases import CANDIDATE
from trustmem.store.models import Space

#: The constant that is tried here.
OVERLAP = "candidate_overlap"
#: How high and wide a histogram is drawn, and how far its axis goes: thresholds go beyond 1.
_HEIGHT, _WIDTH, _REACH = 40, 220, 1.1


class Row(NamedTuple):
    """How often a version of the detector was right by a rule, and between what that lies; `is_all`: by all rules."""

    rule: str
    right: str
    wrong: str
    share: str
    interval: str
    is_few: bool
    waiting: str
    href: str
    is_all: bool


class Version(NamedTuple):
    """What a version found of a kind."""

    title: str
    rows: list[Row]


class Counted(NamedTuple):
    """How many pairs were found to be something, in all and by rule."""

    title: str
    many: str
    rules: list[tuple[str, str]]


class Bar(NamedTuple):
    """A bar of a histogram in parts, from below: what was right, what was wrong, and about which nobody decided."""

    x: str
    parts: list[tuple[str, str, str]]


class Threshold(NamedTuple):
    """A rule with its field, and what there is and would be: pairs that wait, what of the right is kept and of the
    wrong dropped; the bars of its histogram, and where the threshold stands in force and on trial."""

    rule: str
    name: str
    field: Field
    waits: str
    would: str
    is_changed: bool
    right_kept: str
    wrong_dropped: str
    bars: list[Bar]
    at: str
    trial_at: str
    says: str


class Thresholds(NamedTuple):
    """All rules, and what they come to together."""

    rows: list[Threshold]
    says: str
    is_capped: bool


def precision(space: Space) -> list[Version]:
    """By kind and version, the newest first, each with what its rules come to together."""
    found: dict[tuple[str, str], list[Precision]] = {}
    for each in detector.precision(space):
        found.setdefault((each.kind, each.detector), []).append(each)
    queue = f"{reverse('review', args=[space.name])}?kind={CANDIDATE}"
    return [Version(_title(*key), _rows(rows, queue)) for key, rows in found.items()]


def _title(kind: str, version: str) -> str:
    said = (
        gettext("Candidates, by detector {version}")
        if kind == CANDIDATE
        else gettext("Duplicates, by detector {version}")
    )
    return said.format(version=version)


def _rows(found: Sequence[Precision], queue: str) -> list[Row]:
    rows = [_row(each, rule(each.rule), queue) for each in found]
    if len(found) < 2:
        return rows
    counts = (sum(column) for column in zip(*((each.right, each.wrong, each.waiting) for each in found), strict=True))
    total = found[0]._replace(**dict(zip(("right", "wrong", "waiting"), counts, strict=True)))
    return [*rows, _row(total, gettext("all rules"), queue)._replace(is_all=True)]


def _row(each: Precision, title: str, queue: str) -> Row:
    return Row(
        title,
        whole(each.right),
        whole(each.wrong),
        two(each.share) if each.share is not None else "–",
        between(each.interval),
        each.n < FEW,
        whole(each.waiting),
        queue if each.waiting else "",
        is_all=False,
    )


def rule(name: str) -> str:
    """A rule of the detector in a word ('': it found a restatement)."""
    if not name:
        return gettext("restatement")
    return word(name) if name in RULES else name


def counts(space: Space) -> list[Counted]:
    """How many pairs there are by what was found of them."""
    titles = {
        RESTATEMENT: pgettext("finding", "restatements"),
        UPDATE: pgettext("finding", "updates"),
        CONTRADICTION: pgettext("finding", "contradictions"),
    }
    found = pairs.counts(space)
    return [
        Counted(
            title,
            whole(sum(found.get(finding, {}).values())),
            [(rule(name), whole(many)) for name, many in found.get(finding, {}).items() if name],
        )
        for finding, title in titles.items()
    ]


def thresholds(space: Space, in_force: Constants, trial: Trial) -> Thresholds:
    """What each rule has found, with its threshold in force and on trial."""
    found, is_capped = detector.rules(space)
    before, after = flat(in_force), flat(trial.constants)
    fields = {each.name: each for each in trials.fields(in_force, trial, *(_name(each.name) for each in found))}
    outlooks = [(each.at(before[_name(each.name)]), each.at(after[_name(each.name)])) for each in found]
    rows = [
        _threshold(each, fields[f"{trials.PREFIX}{_name(each.name)}"], *outlook, before, after)
        for each, outlook in zip(found, outlooks, strict=True)
    ]
    return Thresholds(rows, _says([now for now, _ in outlooks], [then for _, then in outlooks]), is_capped)


def _name(rule: str) -> str:
    return f"{OVERLAP}.{rule}"


def _threshold(
    found: Rule, field: Field, now: Outlook, then: Outlook, before: Mapping[str, float], after: Mapping[str, float]
) -> Threshold:
    at, trial_at = before[_name(found.name)], after[_name(found.name)]
    return Threshold(
        rule(found.name),
        found.name,
        field,
        whole(now.waiting),
        whole(then.waiting),
        now.waiting != then.waiting,
        _of(then.right_kept, then.right),
        _of(then.wrong_dropped, then.wrong),
        _bars(found),
        _x(at),
        _x(trial_at) if trial_at != at else "",
        _in_words(found, trial_at),
    )


def _of(many: int, of: int) -> str:
    return gettext("{many} of {of}").format(many=whole(many), of=whole(of)) if of else "–"


def _x(overlap: float) -> str:
    return plain(overlap / _REACH * _WIDTH)


def _bars(found: Rule) -> list[Bar]:
    """Bars as high as there are pairs, the highest as high as the figure."""
    bins = found.histogram()
    top = max((sum(each) for each in bins), default=0) or 1
    bars = []
    for place, (undecided, right, wrong) in enumerate(bins):
        parts, below = [], 0
        for name, many in (("right", right), ("wrong", wrong), ("undecided", undecided)):
            below += many
            if many:
                parts.append((name, plain(_HEIGHT * (1 - below / top)), plain(_HEIGHT * many / top)))
        bars.append(Bar(_x(place / detector.BINS), parts))
    return [each for each in bars if each.parts]


#: How wide a bar is.
WIDTH = plain(_WIDTH / _REACH / detector.BINS - 1)


def _in_words(found: Rule, at: float) -> str:
    """The histogram for those who do not see it."""
    says = gettext("{undecided} undecided, {right} right, {wrong} wrong; they wait from {at} on.")
    counts = (whole(len(each)) for each in (found.undecided, found.right, found.wrong))
    return says.format(**dict(zip(("undecided", "right", "wrong"), counts, strict=True)), at=two(at))


def _says(now: Sequence[Outlook], then: Sequence[Outlook]) -> str:
    """What all rules come to together."""
    before, after = (sum(each.waiting for each in some) for some in (now, then))
    kept, right = sum(each.right_kept for each in then), sum(each.right for each in then)
    dropped, wrong = sum(each.wrong_dropped for each in then), sum(each.wrong for each in then)
    says = ngettext(
        "{after} pair would wait; by what is in force it is {before}.",
        "{after} pairs would wait; by what is in force it is {before}.",
        after,
    )
    told = [says.format(after=whole(after), before=whole(before))]
    if right + wrong:
        told += _of_decided(kept, right, dropped, wrong)
    return " ".join(told)


def _of_decided(kept: int, right: int, dropped: int, wrong: int) -> Iterator[str]:
    """What thresholds would have made of what was decided, and how often the detector would have been right then."""
    came = gettext("Of {right} that were right, {kept} would have come.")
    yield came.format(kept=whole(kept), right=whole(right))
    came = gettext("Of {wrong} that were wrong, {dropped} would not.")
    yield came.format(dropped=whole(dropped), wrong=whole(wrong))
    n = kept + wrong - dropped
    if n:
        share = gettext("That makes a share of {share} right ({interval}).")
        yield share.format(share=two(kept / n), interval=between(wilson(kept, n)))
    if n < FEW:
        yield gettext("These are too few to tell much.")


def figures(shown: Thresholds) -> dict[str, Any]:
    """What is kept with a version that is adopted: what whoever adopted it saw."""
    return {
        "detector": {each.name: [each.waits, each.would, each.right_kept, each.wrong_dropped] for each in shown.rows}
    }
