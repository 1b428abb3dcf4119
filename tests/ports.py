"""Ports at which tests open what people and agents come in by."""

import random
import socket

#: Below those that the system hands out by itself, to other tests too: one of them may be next to what is free now.
_FROM, _TO = 20_000, 32_000


def free() -> int:
    """A port where nothing listens, nor at the one after it, where `trustmem serve` opens the door over MCP."""
    while True:
        port = random.SystemRandom().randrange(_FROM, _TO)
        if not any(map(_is_taken, (port, port + 1))):
            return port


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
