"""Several blocks of numbers at once, one on each processor."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from trustmem.core.neighbours import Run

Watch = Callable[[int, int], None]
_Found = TypeVar("_Found")
#: Seconds between two looks at whether something is done.
_NOW_AND_THEN = 1.0


@contextmanager
def side_by_side(watch: Watch = lambda done, of: None) -> Iterator[Run]:
    """What does blocks side by side, each on a thread of its own; `watch` is told how many are done, of how many.

    A product of matrices takes one thread alone meanwhile: two small products side by side take less time than both in
    turn, each by two threads. What `watch` raises ends it, and blocks that have not begun are left out.
    """
    pool = ThreadPoolExecutor(os.cpu_count() or 1)

    def run(do: Callable[[Any], Any], things: Iterable[Any]) -> Iterator[Any]:
        some = list(things)
        for done, found in enumerate(pool.map(do, some), 1):
            watch(done, len(some))
            yield found

    try:
        with threadpool_limits(1, user_api="blas"):
            yield run
    finally:
        pool.shutdown(cancel_futures=True)


def meanwhile(do: Callable[[], _Found], tell: Callable[[], None]) -> _Found:
    """What one long reckoning comes to, which asks no database; `tell` is called now and then until it is done."""
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(do)
        while wait([found], _NOW_AND_THEN).not_done:
            tell()
        return found.result()
