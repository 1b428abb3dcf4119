"""Numbers as people read them: at most two decimals, and thousands apart."""

#: Between thousands, narrow and unbreakable.
_THIN = "\u202f"


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
