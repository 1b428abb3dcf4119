"""Processes that end with the one that started them, however that one ends."""

import argparse
import os
import signal
import threading
import time

#: Seconds between two looks at the parent, and until a process that was asked to end is ended.
_LOOK, _PATIENCE = 0.5, 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    # It names the process: by the time that we look for our own parent, it may be gone.
    parser.add_argument("--parent", metavar="PID", type=int, help=argparse.SUPPRESS)


def end_with(parent: int | None) -> None:
    """Have this process end once that parent is gone: asked at first, and then by force. None: it lives on its own."""
    if parent is not None:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_PATIENCE)
    os.kill(os.getpid(), signal.SIGKILL)
