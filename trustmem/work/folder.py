"""The queue where no broker is named: a folder of messages, each of which is there whole or not at all."""

from pathlib import Path
from time import monotonic_ns
from typing import Any
from uuid import uuid4

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    """One queue, found by its name."""

    supports_fanout = False  # so that no table of queues is written, which could be torn

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]  # as its base does
        """Raises OSError."""
        path = Path(self.data_folder_out) / f"{monotonic_ns() // 1_000_000}_{uuid4()}.{queue}.msg"
        part = path.with_suffix(".part")
        try:
            part.write_text(dumps(payload))
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The next message; what cannot be read is thrown away, since a job is a row and is told of again. Raises Empty
        where there is none."""
        while True:
            try:
                return super()._get(queue)
            except (ChannelError, ValueError):
                continue  # it is out of the folder by now


class Transport(filesystem.Transport):
    Channel = Channel
