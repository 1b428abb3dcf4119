"""This moment; the one place where the desk asks for it."""

import time


def now() -> int:
    """In microseconds."""
    return time.time_ns() // 1000
