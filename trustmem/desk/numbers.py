"""Numbers as people read them: at most two decimals, and thousands apart."""

#: Between thousands, narrow and unbreakable.
_THIN = "\u202f"
#: Of a constant below this four decimals would leave too little.
_SMALL = 0.01


def two(value: float) -> str:
    """A share or a score.

    >>> two(0.2949), two(-0.1), two(-0.001)
    ('0.29', '−0.10', '0.00')
    """
    return f"{value:z.2f}".replace("-", "−")


def short(value: float) -> str:
    """The same without decimals where it is whole.

    >>> short(1.0), short(0.5)
    ('1', '0.50')
    """
    return two(value) if value != round(value) else whole(round(value))


def signed(value: float) -> str:
    """By how much a share or a score rises or falls.

    >>> signed(0.31), signed(-0.1)
    ('+0.31', '−0.10')
    """
    return f"{value:+.2f}".replace("-", "−")


def plain(value: float) -> str:
    """A number of the constants as a field holds it: four decimals at most, and more only of what is all but 0.

    >>> plain(0.525), plain(-1.6853473298891), plain(2.0), plain(0.000123456)
    ('0.525', '-1.6853', '2', '0.000123')
    """
    return f"{round(value, 4) if abs(value) >= _SMALL else float(f'{value:.3g}'):.15g}"


def constant(value: float) -> str:
    """The same to be read.

    >>> constant(-1.6853473298891), constant(1000.0)
    ('−1.6853', '1\u202f000')
    """
    return plain(value).replace("-", "−") if value != round(value) else whole(round(value))


def whole(value: int) -> str:
    """A count.

    >>> whole(1284)
    '1\\u202f284'
    """
    return f"{value:,}".replace(",", _THIN).replace("-", "−")


def capped(count: int, is_more: bool) -> str:
    """A count that stopped where it was far enough.

    >>> capped(1000, True)
    '1\\u202f000+'
    """
    return whole(count) + ("+" if is_more else "")
