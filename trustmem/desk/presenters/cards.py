"""The facts of a case as cards: what each says, what it is worth, by whom and how often it was said, and what it was
when the case was opened."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.core.vocabulary import BANDS, STATES
from trustmem.desk import components
from trustmem.desk.components import flag, when
from trustmem.desk.instants import When
from trustmem.desk.instants import when as seen_from
from trustmem.desk.numbers import short, two, whole
from trustmem.desk.presenters import reliability
from trustmem.desk.presenters.claim import Found
from trustmem.desk.presenters.links import called
from trustmem.desk.presenters.texts import Beside, about, beginning, beside
from trustmem.desk.words import word
from trustmem.explanations.explanation import FACTORS
from trustmem.explanations.memory import Memory
from trustmem.formats import rfc3339
from trustmem.store.states import GUARDED

_HOUR = MICROSECONDS_PER_DAY // 24
#: So many sources are named on each side.
_MOST_NAMED = 4
_LONGEST_QUOTE, _LONGEST_NAME = 400, 60
_FOR, _AGAINST = ("corroborated", "restated", "linked"), ("contradicted",)
_RULINGS = ("event.upheld", "event.dismissed")
#: Which values that came with a fact say what it was read from, and where there.
_QUOTES, _PLACES = ("quote", "excerpt"), ("file", "url", "page", "line")


class Known(NamedTuple):
    """A fact with all that there is to say of it: the explanation, and the memory that this is of."""

    asked: Memory
    found: Found

    @property
    def name(self) -> str:
        return str(self.found["id"])


class Row(NamedTuple):
    """What there is to say under a title: the first of it, and beneath what goes with that."""

    title: str
    says: SafeString | str
    more: list[SafeString | str]


class Card(NamedTuple):
    """A fact of a case. `side` says which it is, and how much newer than the other ('': it stands alone); `state` is a
    chip ('': it is live); `was` what its trust was when the case was opened ('': the same)."""

    name: str
    side: str
    state: SafeString | str
    band: str
    trust: str
    was: str
    about: str
    claim: Beside
    flags: list[SafeString]
    rows: list[Row]


class Then(NamedTuple):
    """What a case kept of a fact: its trust, the factors of that, and its band ('': none of ours)."""

    trust: float
    factors: list[float]
    band: str


def then(factors: Mapping[str, Any], name: str) -> Then | None:
    """What a case says of a fact; None: nothing that could be so."""
    facts = factors.get("facts")
    kept = facts.get(name) if isinstance(facts, dict) else None
    if not isinstance(kept, dict):
        return None
    values = [kept.get(each) for each in ("trust", *FACTORS)]
    numbers = [float(each) for each in values if isinstance(each, int | float) and 0 <= each <= 1]
    band = kept["band"] if kept.get("band") in BANDS else ""
    return Then(numbers[0], numbers[1:], band) if len(numbers) == len(values) else None


class Shown(NamedTuple):
    """What the cards of a space are made with: how often each fact was `served` lately, how many facts of which source
    were `found` right and wrong, the names of the `files` of imports, and whether whoever looks may decide about facts,
    and so reads what is forgotten."""

    space: str
    served: Mapping[str, int]
    found: Mapping[str, tuple[int, int]]
    files: Mapping[str, str]
    sees_all: bool


def cards(known: Sequence[Known], sides: Sequence[str], factors: Mapping[str, Any], shown: Shown) -> list[Card]:
    """The facts of a case, side by side if they are two, under words that say which is which."""
    texts = [_text(each.found, shown) for each in known]
    is_pair = len(known) == len(sides) == 2
    claims = beside(texts[0], texts[1]) if is_pair else [beside(text, None)[0] for text in texts]
    # Beside what is not told nothing is compared.
    claims = [
        claim if text is not None else claim._replace(shown=components.told(None, each.found["scores"]["state"]))
        for each, text, claim in zip(known, texts, claims, strict=True)
    ]
    sides = _sides(known, sides) if is_pair else ["" for _ in known]
    return [
        Card(
            name=each.name,
            side=side,
            state="" if each.found["scores"]["state"] == "live" else flag(each.found["scores"]["state"]),
            band=each.found["scores"]["band"],
            trust=two(each.found["scores"]["trust"]),
            was=_was(each.found, then(factors, each.name)),
            about=about(each.found["provenance"]["subject"] or "", text or "") if text else "",
            claim=claim,
            flags=_flags(each.found),
            rows=list(_people(each, known))
            + list(_rows(each, then(factors, each.name), shown, is_told=text is not None)),
        )
        for each, text, claim, side in zip(known, texts, claims, sides, strict=True)
    ]


def _text(found: Found, shown: Shown) -> str | None:
    return GUARDED.told(found["text"], STATES.index(found["scores"]["state"]), sees_all=shown.sees_all)


def _flags(found: Found) -> list[SafeString]:
    scores = found["scores"]
    return [flag(each) for each in (*scores["flags"], *scores["notices"]) if each != "settled"]


def _sides(known: Sequence[Known], sides: Sequence[str]) -> list[str]:
    """Which is which; of the newer one, how much newer it is."""
    words = list(sides)
    born = [rfc3339.parse(each.found["provenance"]["born"]) for each in known]
    if all(each.found["provenance"]["at_known"] for each in known) and (newer := _newer(abs(born[1] - born[0]))):
        place = int(born[1] > born[0])
        words[place] = gettext("{side} · {newer}").format(side=words[place], newer=newer)
    return words


def _newer(span: int) -> str:
    """How much newer something is; '': by hardly anything."""
    if days := span // MICROSECONDS_PER_DAY:
        return ngettext("newer by {count} day", "newer by {count} days", days).format(count=whole(days))
    if hours := span // _HOUR:
        return ngettext("newer by {count} hour", "newer by {count} hours", hours).format(count=whole(hours))
    return gettext("newer by minutes") if span else ""


def _was(found: Found, kept: Then | None) -> str:
    if kept is None or two(kept.trust) == two(found["scores"]["trust"]):
        return ""
    return gettext("trust was {trust} when this was opened").format(trust=two(kept.trust))


def _rows(each: Known, kept: Then | None, shown: Shown, *, is_told: bool) -> Iterator[Row]:
    found, now, space = each.found, each.asked.now, shown.space
    yield _said(found, shown, now)
    yield Row(gettext("for"), _voices(found, _FOR), [])
    yield Row(gettext("against"), _voices(found, _AGAINST), _before(each))
    yield _factors(found, kept)
    yield _served(found, shown.served.get(each.name, 0), now)
    yield _weight(found)
    if is_told:
        yield from _source(each)
    if found["chain"]:
        yield _chain(found, space)


def accepted(each: Known) -> list[SafeString]:
    """That a person accepted a fact: who did last, and when."""
    said = [told for told in each.found["history"] if told["kind"] == "event.accepted" and not told["became"]]
    return [_by(gettext("{by} accepted it on {at}"), told, each) for told in said[-1:]]


def _by(says: str, told: Found, each: Known, **more: SafeString | str) -> SafeString:
    at = _dated(seen_from(rfc3339.parse(told["at"]), each.asked.now))
    return format_html(says, by=_short(told["by"]), at=at, **more)


def _people(each: Known, known: Sequence[Known]) -> Iterator[Row]:
    """What people said before: that they accepted the fact, and how they ruled on what is said between all of these."""
    said = [*accepted(each), *_ruled(each, {one.name for one in known})]
    if said:
        yield Row(gettext("people"), said[-1], [*reversed(said[:-1])])


def _ruled(each: Known, names: set[str]) -> Iterator[SafeString]:
    records = each.asked.reading.records
    for told in each.found["history"]:
        if told["kind"] not in _RULINGS or told["became"]:
            continue
        of = records.get(records[told["id"]]["of"]) or {}
        if {of.get("fact"), of.get("from"), of.get("to")} - {None} == names:
            yield _ruling(each, told, told["note"] or "")


def _ruling(each: Known, told: Found, reason: str) -> SafeString:
    became = gettext("upheld") if told["kind"] == "event.upheld" else gettext("dismissed")
    if not reason:
        return _by(gettext("{by} ruled on this on {at}: {became}"), told, each, became=became)
    why = called(beginning(reason, _LONGEST_QUOTE))
    return _by(gettext("{by} ruled on this on {at}: {became}, “{why}”"), told, each, became=became, why=why)


def _said(found: Found, shown: Shown, now: int) -> Row:
    """When, by whom, over which channel, and how often since."""
    given = found["provenance"]
    born = seen_from(rfc3339.parse(given["born"]), now)
    at = _dated(born) if given["at_known"] else gettext("at no known instant")
    again = sum(touch["runs"] for touch in found["touches"] if touch["kind"] == "restated")
    said = ngettext("{at}, again in {count} run", "{at}, again in {count} runs", again) if again else "{at}"
    facts = f"{reverse('facts', args=[shown.space])}?{urlencode({'source': given['source']})}"
    source = format_html('<a href="{}">{}</a>', facts, _short(given["source"]))
    channel = [source, *_found(given["source"], shown), word(given["producer"]), word(given["tier"])]
    run = format_html(gettext("run {run}"), run=_short(given["run"]))
    imported = given["imported"]
    file = [_import(imported, shown)] if imported else []
    more: list[SafeString | str] = [_dots(channel), _dots([run, *file])]
    return Row(gettext("said"), format_html(said, at=at, count=whole(again)), more)


def _found(source: str, shown: Shown) -> list[SafeString]:
    """How many of its facts people found right, if they looked at any."""
    says = reliability.beside(shown.found, source)
    href = reverse("source", args=[shown.space, source])
    return [format_html('<a class="soft" href="{}">{}</a>', href, says)] if says else []


def _dated(at: When) -> SafeString:
    return format_html('<time datetime="{}" title="{}">{}</time>', at.machine, at.ago, at.minute)


def _import(imported: str, shown: Shown) -> SafeString:
    report = reverse("import-report", args=[shown.space, imported])
    link = format_html('<a href="{}">{}</a>', report, _short(shown.files.get(imported, imported)))
    return format_html(gettext("import of {file}"), file=link)


def _short(name: str) -> SafeString:
    return called(beginning(name, _LONGEST_NAME))


def _dots(parts: Iterable[SafeString | str]) -> SafeString:
    return format_html_join(" · ", "{}", ((part,) for part in parts))


def _voices(found: Found, kinds: Sequence[str]) -> SafeString | str:
    """Who spoke in one of these ways, in how many runs that count."""
    runs = dict[str, int]()
    for touch in found["touches"]:
        if touch["kind"] in kinds:
            counted = touch["runs"] if touch["kind"] == "linked" else touch["speaking"]
            runs[touch["source"]] = runs.get(touch["source"], 0) + counted
    speaking = {source: count for source, count in runs.items() if count}
    if not speaking:
        return gettext("nobody")
    named = [_in_runs(source, count) for source, count in sorted(speaking.items(), key=lambda each: -each[1])]
    more = len(named) - _MOST_NAMED
    if more > 0:
        left = ngettext("{count} more source", "{count} more sources", more).format(count=whole(more))
        named = [*named[:_MOST_NAMED], format_html("{}", left)]
    return format_html_join(", ", "{}", ((each,) for each in named))


def _in_runs(source: str, runs: int) -> SafeString:
    said = ngettext("{source} in {count} run", "{source} in {count} runs", runs)
    return format_html(said, source=_short(source), count=whole(runs))


def _before(each: Known) -> list[SafeString | str]:
    """What came as a mere count."""
    facts = each.asked.folded.history.facts
    count = int(facts.baseline_contradictions[each.asked.row[each.name]])
    said = ngettext("{count} more came as a mere count", "{count} more came as a mere count", count)
    return [said.format(count=whole(count))] if count else []


def _factors(found: Found, kept: Then | None) -> Row:
    now = _product([found["scores"][each] for each in FACTORS])
    more: list[SafeString | str] = [" × ".join(word(each) for each in FACTORS)]
    if kept and _product(kept.factors) != now:
        was = gettext("was {factors} when this was opened")
        more.append(format_html(was, factors=_number(_product(kept.factors))))
    return Row(gettext("factors"), _number(now), more)


def _product(factors: Iterable[float]) -> str:
    return " × ".join(short(each) for each in factors)


def _number(shown: str) -> SafeString:
    return format_html('<span class="num">{}</span>', shown)


def _served(found: Found, served: int, now: int) -> Row:
    said = ngettext("{count} time this month", "{count} times this month", served).format(count=whole(served))
    last = found["served"][0] if found["served"] else None
    more: list[SafeString | str] = []
    if last:
        at = when(seen_from(rfc3339.parse(last["at"]), now))
        more.append(format_html(gettext("last {at}, to {source}"), at=at, source=_short(last["source"])))
    return Row(gettext("served"), said if served else gettext("not this month"), more)


def _weight(found: Found) -> Row:
    weight, waits = found["weight"], found["weight"]["promotion_waits_until"]
    if waits is None:
        says = word(weight["scope"])
    elif waits:
        says = gettext("{scope}, not promoted yet").format(scope=word(weight["scope"]))
    else:
        says = gettext("{scope}, would be promoted").format(scope=word(weight["scope"]))
    return Row(gettext("weight"), format_html("{} {}", _number(two(weight["weight"])), says), [])


def _source(each: Known) -> Iterator[Row]:
    """What it was read from, where the fact came with that."""
    meta = each.asked.reading.records[each.name].get("meta")
    if not isinstance(meta, dict):
        return
    quotes = [value for name in _QUOTES if isinstance(value := meta.get(name), str) and value]
    places = [
        format_html("{} {}", called(name), _short(str(value)))
        for name in _PLACES
        if isinstance(value := meta.get(name), str | int) and not isinstance(value, bool)
    ]
    place: list[SafeString | str] = [_dots(places)] if places else []
    if quotes:
        quote = format_html('<q dir="auto">{}</q>', called(beginning(quotes[0], _LONGEST_QUOTE)))
        yield Row(gettext("source"), quote, place)
    elif place:
        yield Row(gettext("source"), place[0], [])


def _chain(found: Found, space: str) -> Row:
    """Where it stands among the claims that took each other's place."""
    above = found["scores"]["depth"]
    if above:
        says = ngettext("{count} newer claim stands above it", "{count} newer claims stand above it", above)
        says = says.format(count=whole(above))
    else:
        says = gettext("the newest of its chain")
    count = len(found["chain"])
    length = ngettext("{count} claim in all", "{count} claims in all", count).format(count=whole(count))
    link = format_html('<a href="{}#chain">{}</a>', reverse("fact", args=[space, found["id"]]), length)
    return Row(gettext("chain"), says, [link])
