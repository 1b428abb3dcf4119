"""The explanation of one fact as people read it: the claim, its band, what to do about it, and why."""

from collections.abc import Sequence
from typing import Any

from trustmem.core.vocabulary import BANDS
from trustmem.explanations.text import shortened, visible
from trustmem.explanations.times import minute
from trustmem.formats import rfc3339
from trustmem.intake.shell.look import COLOURS, SOFT, STRONG, Page, Part, band_mark
from trustmem.intake.shell.text import wrapped
from trustmem.intake.shell.times import counted

_LABEL = 17
_LONGEST_BAR = 60
#: Of a long chain or history a page shows so many, those next to the fact or to now.
_MOST_SHOWN = 100
_FULL, _LOST = "█", "░"


def show(found: dict[str, Any], page: Page) -> None:
    advice = [(each["about"], each["advice"]) for each in found["what_to_do"]]
    show_claim(found["id"], found["text"], found["scores"], advice, rfc3339.parse(found["now"]), page)
    _show_why(found, page)
    _show_lift(found, page)
    _show_opinion(found["scores"], page)
    _show_weight(found["weight"], page)
    _show_reinforcement(found, page)
    _show_told("contradictions", found["contradictions"], page)
    _show_told("challenges", found["challenges"], page, "  without effect until a person rules on them")
    _show_chain(found["chain"], page)
    _show_history(found["history"], page)


def show_claim(
    id: str, text: str | None, scores: dict[str, Any], advice: Sequence[tuple[str, str]], now: int, page: Page
) -> None:
    """What a fact says (None: erased), what that is worth, and what to do about it."""
    page.line()
    for line in wrapped(text, page.columns - 2) if text is not None else ["(erased)"]:
        page.line("  ", (line, STRONG))
    page.line()
    state = [] if scores["state"] == "live" else [scores["state"]]
    words = [(word, "") for word in (*state, *scores["flags"], *scores["notices"])]
    page.line("  ", band_mark(BANDS.index(scores["band"])), " ", (f"{scores['trust']:.2f}", STRONG))
    page.flow([*words, (visible(id), SOFT), (f"now {minute(now)} UTC", SOFT), (under(scores), SOFT)], 2)
    page.heading("what to do")
    for about, words_of_advice in advice:
        page.entry(about, words_of_advice, _LABEL)


def under(scores: dict[str, Any]) -> str:
    """Under which constants a fact was scored."""
    version = scores["constants_version"]
    return "default constants" if version is None else f"constants version {version}"


def _show_why(found: dict[str, Any], page: Page) -> None:
    page.heading("why")
    scale = min(page.columns - _LABEL - 6, _LONGEST_BAR)
    before = 1.0
    for place, each in enumerate(found["why"]):
        full, lost = round(each["product"] * scale), round(before * scale)
        label = f"{'×' if place else ' '} {each['factor']}"
        bar: list[Part] = [_FULL * full, (_LOST * (lost - full), SOFT), " " * (scale - lost)]
        page.line(f"{label:{_LABEL}}", *bar, f"{each['value']:6.2f}")
        page.entry("", each["because"], _LABEL, SOFT)
        before = each["product"]
    code = BANDS.index(found["scores"]["band"])
    bar = [(_FULL * round(before * scale), COLOURS[code]), " " * (scale - round(before * scale))]
    page.line((f"{'= trust':{_LABEL}}", STRONG), *bar, (f"{found['scores']['trust']:6.2f}", STRONG))


def _show_lift(found: dict[str, Any], page: Page) -> None:
    page.heading("what would lift it")
    for each in found["lift"]:
        page.line(f"  {each['words']:28} {each['trust']:.2f}  ", band_mark(BANDS.index(each["band"])))


def _show_opinion(scores: dict[str, Any], page: Page) -> None:
    opinion = scores["opinion"]
    page.heading("opinion")
    parts = [f"belief {opinion['b']:.2f}", f"disbelief {opinion['d']:.2f}", f"uncertainty {opinion['u']:.2f}"]
    page.flow([(part, "") for part in [*parts, f"base rate {opinion['a']:.2f}"]], 2)


def _show_weight(weight: dict[str, Any], page: Page) -> None:
    page.heading("weight")
    as_of = f"as of the pass of {_minute(weight['as_of'])}" if weight["as_of"] else "as at birth: no pass ran yet"
    page.entry(
        "  now", f"{weight['weight']:.2f}{'' if weight['served'] else ', too low to be served'} ({as_of})", _LABEL
    )
    page.entry("  derived", f"{weight['derived']:.2f}", _LABEL)
    half_life = weight["half_life_days"]
    fades = "does not fade" if half_life is None else f"{half_life:.2f} running days"
    page.entry("  half-life", f"{fades}, {weight['scope']}", _LABEL)
    waits = weight["promotion_waits_until"]
    if waits is not None:
        page.entry("  promotion", f"waits until {', '.join(waits)}" if waits else "comes with the next pass", _LABEL)


def _show_reinforcement(found: dict[str, Any], page: Page) -> None:
    scores, newest = found["scores"], found["scores"]["reinforcement"]
    if newest is None:
        return
    page.heading("reinforcement", f"  {counted(scores['reinforcement_count'], 'evaluation')}")
    effect = "suppressed: agents do not retrieve it" if found["suppressed"] else "when agents retrieve"
    page.entry("  priority", f"{scores['retrieval_priority']:.2f} {effect}", _LABEL)
    named = ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in newest.items())
    page.entry("  newest", named.replace("-", "−"), _LABEL)


def _show_told(title: str, told: list[dict[str, Any]], page: Page, remark: str = "") -> None:
    if told:
        page.heading(title, remark)
    for each in told:
        page.flow([(visible(each["what"]), ""), *_by(each), (visible(each["id"]), SOFT)], 2)
        if each["other"] and each["other"]["text"]:
            page.line("    ", shortened(each["other"]["text"], page.columns - 4))
        if each["note"]:
            page.entry("", each["note"], 4, SOFT)


def _show_chain(chain: list[dict[str, Any]], page: Page) -> None:
    if chain:
        page.heading("chain", "  newest claim first")
    nearest = sorted(range(len(chain)), key=lambda place: abs(chain[place]["step"]))[:_MOST_SHOWN]
    for each in (chain[place] for place in sorted(nearest)):
        here = each["step"] == 0
        text = "(erased)" if each["text"] is None else shortened(each["text"], page.columns - 4)
        page.line("  ● " if here else "  ○ ", (text, STRONG if here else ""))
        page.flow([(visible(each["id"]), SOFT), (_minute(each["at"]), SOFT)], 4)
    _say_how_many_more(chain, "further claims", page)


def _show_history(history: list[dict[str, Any]], page: Page) -> None:
    page.heading("history", f"  {counted(len(history), 'line')}, UTC")
    _say_how_many_more(history, "earlier lines", page)
    for each in history[-_MOST_SHOWN:]:
        effect = [(each["effect"], "")] if each["effect"] else []
        page.flow([(visible(each["what"]), ""), *_by(each), *effect], 20, f"  {_minute(each['at'])}")


def _say_how_many_more(all_of_them: list[dict[str, Any]], what: str, page: Page) -> None:
    more = len(all_of_them) - _MOST_SHOWN
    if more > 0:
        page.line((f"  and {more} {what}; --json has them all", SOFT))


def _by(told: dict[str, Any]) -> list[tuple[str, str]]:
    return [(f"by {visible(told['by'])}", SOFT), (f"run {visible(told['run'])}", SOFT)]


def _minute(text: str) -> str:
    return minute(rfc3339.parse(text))
