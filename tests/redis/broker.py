"""A real Redis of the tests' own: started, stopped, killed, hung and emptied as a test needs it."""

import os
import signal
import subprocess
from pathlib import Path
from time import monotonic, sleep

from redis import Redis
from redis.exceptions import ConnectionError, TimeoutError

#: Ten times longer than a start takes on a busy machine.
_PATIENCE = 30.0


class Broker:
    """A server at a socket in a folder; nothing of it is kept on disk."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "redis.sock"
        self.folder = folder
        self.url = f"redis+socket://{self.socket}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        options = ("--port", "0", "--unixsocket", str(self.socket), "--save", "", "--appendonly", "no")
        server = os.environ.get("REDIS_SERVER", "redis-server")
        self.process = subprocess.Popen([server, *options], cwd=self.folder, stdout=subprocess.DEVNULL)
        until = monotonic() + _PATIENCE
        while not self.answers():
            assert monotonic() < until, "Redis does not start"
            sleep(0.05)

    def answers(self) -> bool:
        try:
            return bool(self.ask("PING"))
        except (ConnectionError, TimeoutError):
            return False

    def ask(self, *command: object) -> object:
        client = Redis(unix_socket_path=str(self.socket), socket_timeout=1)
        try:
            return client.execute_command(*command)
        finally:
            client.close()

    def flush(self) -> None:
        self.ask("FLUSHALL")

    def messages(self) -> int:
        """How many wait, or are in some worker's hands."""
        return int(self.ask("LLEN", "celery")) + int(self.ask("HLEN", "unacked"))

    def stop(self) -> None:
        """At once, as where its machine is gone."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def hang(self) -> None:
        """It takes what is sent, and answers nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def wake(self) -> None:
        self.process.send_signal(signal.SIGCONT)
