"""What the core asks of the columns it is given: a caller's slip is told in one sentence, never computed with.

Each check takes time by the dtype where that suffices, else by the least and the greatest of a column.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: The least number above 0, for columns that must not hold 0 itself.
ABOVE_0 = 5e-324

_LARGEST = float(np.finfo(np.float64).max)


def same_length(**columns: ArrayLike) -> None:
    """Raises ValueError, naming them, unless all are columns and of one length.

    >>> same_length(r=[1, 2], s=[0, 0])
    """
    shapes = [np.shape(column) for column in columns.values()]
    if len(shapes[0]) != 1 or shapes != [shapes[0]] * len(shapes):
        *others, last = columns
        names = f"{', '.join(others)} and {last}" if others else last
        raise ValueError(f"{names} must be {'columns of one length' if others else 'a column'}")


def numbers(column: ArrayLike, name: str, least: float = -_LARGEST, most: float = _LARGEST) -> NDArray[np.float64]:
    """The column as float64. Raises ValueError for NaN and what lies outside least..most, by default the infinite.

    >>> numbers([0, 1], "trust", 0, 1).tolist()
    [0.0, 1.0]
    """
    given = np.asarray(column, np.float64)
    if not (given.min(initial=most) >= least and given.max(initial=least) <= most):
        raise ValueError(f"{name} must hold {_kind_of_numbers(least, most)}")
    return given


def whole(column: ArrayLike, name: str, least: int | None = None) -> NDArray[np.integer]:
    """The column as integers, of the dtype it has. Raises ValueError for what is not whole, and what is below `least`.

    >>> whole([2.0], "depth", 0).tolist()
    [2]
    """
    given = np.asarray(column)
    if given.dtype.kind not in "iu":
        floats = np.asarray(given, np.float64)
        if not np.all((np.abs(floats) < 2.0**63) & (np.rint(floats) == floats)):
            raise ValueError(f"{name} must hold whole numbers of at most 64 bits")
        given = floats.astype(np.int64)
    if least is not None and given.min(initial=least) < least:
        raise ValueError(f"{name} must hold whole numbers, at least {least}")
    return given


def indices(column: ArrayLike, n: int, things: str, name: str) -> NDArray[np.int64]:
    """The column as int64. Raises ValueError for what is not whole or not in 0..n-1: numpy takes -1 for the last.

    >>> indices([0, 1], 2, "facts", "newer").tolist()
    [0, 1]
    """
    given = whole(column, name)
    if _leaves(given, n):
        raise ValueError(f"{name} must hold indices of the {n} {things}")
    return given.astype(np.int64, copy=False)


def codes(column: ArrayLike, words: tuple[str, ...], name: str) -> NDArray[np.integer]:
    """The column as integers. Raises ValueError for what is no code of one of the `words`.

    >>> codes([1], ("session", "global"), "scope").tolist()
    [1]
    """
    given = whole(column, name)
    if _leaves(given, len(words)):
        raise ValueError(f"{name} must hold codes from 0 to {len(words) - 1}: {', '.join(words)}")
    return given


def truths(column: ArrayLike, name: str) -> NDArray[np.bool_]:
    """The column as bool. Raises ValueError for anything but True and False, or 1 and 0.

    >>> truths([1, 0], "is_use").tolist()
    [True, False]
    """
    given = np.asarray(column)
    if given.dtype.kind != "b" and not np.all((given == 0) | (given == 1)):
        raise ValueError(f"{name} must hold True and False only")
    return given.astype(np.bool_, copy=False)


def _leaves(given: NDArray[np.integer], n: int) -> bool:
    return given.size > 0 and not 0 <= given.min() <= given.max() < n


def _kind_of_numbers(least: float, most: float) -> str:
    finite = "" if most == np.inf else "finite "
    low = "" if least == -_LARGEST else ", above 0" if least == ABOVE_0 else f", at least {least:g}"
    high = "" if most >= _LARGEST else f", at most {most:g}"
    return f"{finite}numbers{low}{high}"
