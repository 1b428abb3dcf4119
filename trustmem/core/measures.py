"""Measures: numbers, dates, times and units, however they are written."""

import re
from unicodedata import decimal

from trustmem.core.lexicon_english import ENGLISH
from trustmem.core.lexicon_spanish import SPANISH

MONTHS = {**SPANISH.months, **ENGLISH.months}
#: What stands beside a number and belongs to it.
_SIGNS = "$€£¥%"
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_FACTORS = {
    **dict.fromkeys(("hundred",), 100.0),
    **dict.fromkeys(("thousand", "mil", "k"), 1e3),
    **dict.fromkeys(("million", "millón", "millones"), 1e6),
    **dict.fromkeys(("billion",), 1e9),
    **{"trillion": 1e12, "万": 1e4, "亿": 1e8, "億": 1e8},
}
#: Units by what they measure, and how much of it each is.
_MEASURED = {
    "time": {
        "ns nanosecond nanoseconds": 1e-9,
        "µs us microsecond microseconds": 1e-6,
        "ms millisecond milliseconds milisegundo milisegundos 毫秒 ミリ秒": 1e-3,
        "s sec secs second seconds segundo segundos 秒": 1.0,
        "min mins minute minutes minuto minutos 分钟 分": 60.0,
        "h hr hrs hour hours hora horas 小时 時間": 3600.0,
        "day days día días 天": 86400.0,
        "week weeks semana semanas 周": 604800.0,
    },
    "months": {"month months mes meses": 1.0, "year years año años 年": 12.0},
    "bytes": {"byte bytes": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    "length": {"mm": 1e-3, "cm": 1e-2, "metre metres meter meters": 1.0, "km kilometers kilometres": 1e3},
    "mass": {"mg": 1e-6, "g": 1e-3, "kg": 1.0},
    "rate": {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
}
_UNITS = {
    unit: (measure, factor)
    for measure, units in _MEASURED.items()
    for spelled, factor in units.items()
    for unit in spelled.split()
}
#: From here on, "s" beside digits makes a decade of them: "2010s".
_DECADE = 1000


def number(written: str) -> tuple[str, float | None]:
    """What a number is the same by, and what it comes to. Zeros at its end count: 3.1 and 3.10 may be versions.

    >>> number("2,500"), number("$2500"), number("007"), number("−0.5%")  # noqa: RUF002
    (('2500', 2500.0), ('2500$', 2500.0), ('7', 7.0), ('-0.5%', -0.5))
    """
    signs = "".join(each for each in _SIGNS if each in written)
    bare = "".join(str(decimal(each, each)) for each in written if each not in _SIGNS and not each.isspace())
    bare = bare.replace("−", "-").lstrip("+")
    if _GROUPED.fullmatch(bare):
        bare = bare.replace(",", "")
    elif bare.count(",") == 1 and "." not in bare:
        bare = bare.replace(",", ".")
    key = (bare.lstrip("0") or "0") if bare.isdigit() else bare
    try:
        return key + signs, float(bare)
    except ValueError:
        return key + signs, None


def multiplied(key: str, value: float, word: str) -> tuple[str, float] | None:
    """A number with the word for a factor behind it, None where it is none.

    >>> multiplied("2.5$", 2.5, "million"), multiplied("2", 2.0, "cats")
    (('2500000$', 2500000.0), None)
    """
    factor = _FACTORS.get(word)
    if factor is None:
        return None
    return f"{value * factor:.15g}" + "".join(each for each in key if each in _SIGNS), value * factor


def quantity(value: float, word: str) -> str | None:
    """What a number with this unit is the same by, None where the word is no unit.

    >>> quantity(5.0, "ms"), quantity(0.005, "seconds"), quantity(2.0, "cats")
    ('time:0.005', 'time:0.005', None)
    """
    if word not in _UNITS or (word == "s" and value > _DECADE):
        return None
    measure, factor = _UNITS[word]
    return f"{measure}:{value * factor:.12g}"


def date(written: str) -> str:
    """A date as year-month-day, whatever order it was written in, without what it does not name.

    >>> date("3 May 2026"), date("May 3rd, 2026"), date("3 de mayo"), date("2026年5月3日")
    ('2026-05-03', '2026-05-03', '-05-03', '2026-05-03')
    """
    low = written.lower()
    if re.match(r"\d{4}-", low):
        return low
    digits = [int(each) for each in re.findall(r"\d+", low)]
    month = next((MONTHS[each] for each in re.findall(r"[^\W\d]+", low) if each in MONTHS), 0)
    if not month:
        return "-".join(f"{each:02}" for each in digits)
    year = f"{digits[1]:04}" if len(digits) > 1 else ""
    return f"{year}-{month:02}-{digits[0]:02}"


def time(written: str) -> str:
    """A time of the day, of twenty-four hours.

    >>> time("3 PM"), time("15:00"), time("12:30 am")
    ('15:00', '15:00', '00:30')
    """
    hour, *rest = [int(each) for each in re.findall(r"\d+", written)]
    half = re.search(r"([ap])\.?m", written.lower())
    if half:
        hour = hour % 12 + (12 if half[1] == "p" else 0)
    return ":".join(f"{each:02}" for each in (hour, *(rest or [0])))


def measure(key: str, value: float | None) -> str:
    """What a number or a date (by its key) measures, by a word: a date, money, a share, a span of time, how many.

    >>> [measure(*each) for each in (("450$", 450.0), ("time:5", 5.0), ("2024-05-03", None), ("12", 12.0))]
    ['$', 'time', 'date', 'count']
    """
    if ":" in key:
        name = key.partition(":")[0]
        return name if name in _MEASURED else "clock"
    if value is None:
        return "date" if "-" in key else "version"
    signs = "".join(each for each in key if each in _SIGNS)
    return signs or ("year" if 1900 <= value <= 2100 else "count")
