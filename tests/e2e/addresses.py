"""Every address of the desk that shows a page, so that what holds for all is looked at on each."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import django
from django.urls import URLPattern, URLResolver, get_resolver

from tests.e2e.nasty import SCRIPTS, TEXTS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trustmem.settings")

#: Names of addresses that show no page: forms go there, or data and files come from there.
NO_PAGE = {
    "accept",
    "forget",
    "correct",
    "restore",
    "rule",
    "undo",
    "demo",
    "sign-out",
    "import-take",
    "import-cancel",
    "import-discard",
    "import-download",
    "case-close",
    "case-decide",
    "case-undo",
    "case-skip",
    "case-snooze",
    "case-take-up",
    "review-next",
    "review-view-save",
    "review-view-delete",
    "pass-run",
    "pass-preview",
    "pass-schedule",
    "pass-approve",
    "pass-again",
    "bands-figure",
    "freshness-figure",
    "histogram-figure",
    "histogram-csv",
    "curve-figure",
    "curve-csv",
    "what-if-csv",
    "adopt",
    "roll-back",
    "truth-figure",
    "truth-csv",
    "sample-draw",
    "duplicates-merge",
    "duplicates-apart",
    "detector-adopt",
    "sources-figure",
    "sources-csv",
    "log-jsonl",
    "log-csv",
    "log-verify",
    "log-report",
}
#: Pages that are looked at where there is what they show: in the journeys, at the door, and in debug.
ELSEWHERE = {"duplicate", "import-job", "batch-job", "pass-job", "pass", "enter", "sign-in", "patterns"}

_OF_SPACES = {
    "dashboard": "",
    "review": "review/",
    "review-all": "review/all/?kind=contradiction",
    "search": "search/?q=the+script+harbour",
    "facts": "facts/",
    "forget-all": "forget/?text=the",
    "chains": "chains/",
    "graph": "graph/",
    "feedback": "feedback/",
    "duplicates": "duplicates/",
    "duplicates-all": "duplicates/all/",
    "detector": "detector/?c.candidate_overlap.word=0.7",
    "imports": "imports/",
    "passes": "passes/",
    "calibration": "calibration/?c.activation_midpoint=-3&measure=age&bins=log",
    "what-if": "calibration/what-if/?c.activation_midpoint=-3&c.band_edges.0=0.1",
    "truth": "calibration/truth/",
    "fit": "calibration/fit/",
    "versions": "calibration/versions/",
    "sources": "sources/",
    "log": "log/",
    "constants": "settings/",
    "members": "settings/members/",
    "keys": "settings/keys/",
    "agents": "settings/agents/",
}
_ELSE = {
    "welcome": "/",
    "spaces": "/spaces/",
    "account": "/account/",
}
#: One fact of each kind that looks different.
_FACTS = ("cold-call", "label-printer", "sensor-door")


def names() -> set[str]:
    """The names of all addresses of the desk: the doors for agents show no pages."""
    django.setup()
    return set(_names(get_resolver("trustmem.desk.urls").url_patterns))


def _names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for each in patterns:
        if isinstance(each, URLResolver):
            yield from _names(each.url_patterns)
        elif each.name:
            yield each.name


def pages() -> list[str]:
    """Addresses of pages, by all names that show one."""
    found = [f"/spaces/{space}/{path}" for space in ("demo", "empty", "nasty") for path in _OF_SPACES.values()]
    found += list(_ELSE.values())
    found += [f"/spaces/demo/facts/{name}/" for name in _FACTS]
    found += ["/spaces/demo/facts/cold-call/erase/", "/spaces/demo/sources/planner/"]
    found += [f"/spaces/demo/calibration/versions/{which}" for which in ("1/", "2/", "1/?against=2")]
    found += [f"/spaces/{space}/review/?kind=contradiction&upto=9000" for space in ("demo", "nasty")]
    found += ["/spaces/demo/facts/?flag=disputed&sort=age", "/spaces/demo/facts/?text=nothing+is+like+this"]
    found += [f"/spaces/demo/search/{query}" for query in ("", "?q=%3F%21", "?q=cold+room&history=on&order=trust")]
    found += [f"/spaces/{space}/search/?q=not+the+cold+room&as=agent" for space in ("demo", "nasty")]
    found += ["/spaces/demo/feedback/?which=misleads", "/spaces/demo/feedback/?source=nobody"]
    found += ["/spaces/demo/chains/staging-teal/", "/spaces/nasty/chains/nasty-0/", "/spaces/demo/chains/?text=staging"]
    found += ["/spaces/demo/graph/?fact=cold-4&depth=2", "/spaces/demo/graph/?entity=The+cold+room&ties=mention"]
    found += ["/spaces/nasty/graph/?fact=nasty-0&depth=2", "/spaces/nasty/graph/?fact=nasty-10"]
    found += [f"/spaces/demo/{path}?as_of={_then()}" for path in ("facts/", "facts/cold-call/", "chains/staging-teal/")]
    found += ["/spaces/demo/facts/cold-call/?as_of=2020-01-01", "/spaces/demo/facts/?as_of=9999-01-01"]
    return [*found, *errors()]


def _then() -> str:
    """A day in the story of the demo, which ends now."""
    return (datetime.now(UTC) - timedelta(days=20)).date().isoformat()


def nasty_facts() -> list[str]:
    """The pages of the facts with nasty texts, and of those with nasty ids."""
    return [f"/spaces/nasty/facts/nasty-{number}/" for number in range(len(TEXTS))]


def errors() -> list[str]:
    """Addresses that are answered with an error."""
    script = quote(SCRIPTS[0], safe="")
    return ["/nowhere/", "/spaces/nowhere/", f"/spaces/demo/facts/{script}/", f"/spaces/demo/facts/?band={script}"]


#: By name, what stands for it above.
LOOKED_AT = {*_OF_SPACES, *_ELSE, "source", "version", "fact", "chain", "erase", "import-report", "log-entry", "case"}
