"""Public keys of Ed25519 (RFC 8032, 5.1): which of them may sign; by some that libraries take, anybody could."""

#: Of the curve 2^255 - 19 (RFC 8032, 5.1): its prime, its d, and a square root of -1.
_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)
#: The order of its points is 8 times a prime: whoever is in no larger group than of 8 is of small order.
_COFACTOR = 8


class BadKey(ValueError):
    """Why some bytes are no public key that may sign: one sentence, without its subject."""


def check_key(public: bytes) -> bytes:
    """A public key, which may sign. Raises BadKey for what is no point of the curve, is written as no point is, or is
    of small order: by a key like that one signature holds for any text.

    >>> check_key(bytes(32))
    Traceback (most recent call last):
    ...
    trustmem.formats.public_keys.BadKey: is of small order, so that anybody could sign with it
    """
    if len(public) != 32:
        raise BadKey(f"has {len(public)} bytes, not 32")
    number = int.from_bytes(public, "little")
    y, is_odd = number & ~(1 << 255), number >> 255
    if y >= _P:
        raise BadKey("is not written as a key is")
    x = _x(y)
    if x is None:
        raise BadKey("is no point of the curve")
    if x == 0 and is_odd:
        raise BadKey("is not written as a key is")
    if _is_of_small_order(x, y):
        raise BadKey("is of small order, so that anybody could sign with it")
    return public


def _x(y: int) -> int | None:
    """One of the two x of the points with this y (RFC 8032, 5.1.3); None: there are none."""
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    for root in (x, x * _ROOT % _P):
        if root * root % _P == square:
            return root
    return None


def _is_of_small_order(x: int, y: int) -> bool:
    """Whether eight times a point is the neutral element, (0, 1)."""
    for _ in range(_COFACTOR.bit_length() - 1):  # doubled three times
        product = _D * x * x * y * y % _P
        x, y = (
            2 * x * y * pow(1 + product, -1, _P) % _P,
            (y * y + x * x) * pow(1 - product, -1, _P) % _P,
        )
    return (x, y) == (0, 1)
