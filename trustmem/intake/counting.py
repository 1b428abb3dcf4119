"""Counts by the minute that all processes share. They are kept where the queue is: in its Redis, or in a folder of the
home. Where neither can be had, a process counts for itself, so that nobody has to wait for a count."""

import os
import shutil
from collections import Counter
from threading import Lock
from time import monotonic

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from trustmem.celery import BROKER, IS_FOLDER

#: Seconds that an answer of Redis is waited for, and for which it is not asked again where there was none.
_PATIENCE, _REST = 0.25, 10.0
#: Seconds after which Redis forgets a count.
_KEPT = 120


def count(key: str, minute: int) -> int:
    """Count one more of something in a minute; how many there are by now, in all processes."""
    try:
        return _in_folder(key, minute) if _REDIS is None else _REDIS.count(key, minute)
    except (OSError, RedisError):  # a full disk, or a Redis that is down, is no reason to answer nobody
        return _ALONE.count(key, minute)


def _in_folder(key: str, minute: int) -> int:
    """A file has as many bytes as were counted. Whoever appends one stands behind it: no two stand at the same place,
    and nobody waits."""
    folder = settings.HOME / "asked" / str(minute)
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for other in folder.parent.iterdir():
            if other.name.isdecimal() and int(other.name) < minute - 1:
                shutil.rmtree(other, ignore_errors=True)
    file = os.open(folder / key, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode=0o600)
    try:
        os.write(file, b".")
        return os.lseek(file, 0, os.SEEK_CUR)
    finally:
        os.close(file)


class _InRedis:
    """Raises RedisError for as long as it rests, after it was not answered in time."""

    def __init__(self, broker: str) -> None:
        patience = {"socket_timeout": _PATIENCE, "socket_connect_timeout": _PATIENCE}
        self._client = Redis.from_url(_as_redis_says(broker), retry=Retry(NoBackoff(), 0), **patience)
        self._rests_until = 0.0

    def count(self, key: str, minute: int) -> int:
        if monotonic() < self._rests_until:
            raise RedisError
        name = f"trustmem:asked:{minute}:{key}"
        try:
            asked = self._client.pipeline(transaction=False)
            asked.incr(name)
            asked.expire(name, _KEPT)
            return int(asked.execute()[0])
        except (RedisError, TypeError, ValueError) as error:  # or the address has an option that Redis does not know
            self._rests_until = monotonic() + _REST
            raise RedisError from error


def _as_redis_says(broker: str) -> str:
    """The address of a queue, which Celery writes otherwise than Redis does.

    >>> _as_redis_says("redis+socket:///run/redis.sock?virtual_host=1")
    'unix:///run/redis.sock?db=1'
    >>> _as_redis_says("rediss://host:6379/0?ssl_cert_reqs=CERT_REQUIRED")
    'rediss://host:6379/0?ssl_cert_reqs=required'
    """
    address, _, options = broker.replace("redis+socket://", "unix://", 1).partition("?")
    options = options.replace("virtual_host=", "db=")
    for strictness in ("required", "optional", "none"):
        options = options.replace(f"ssl_cert_reqs=CERT_{strictness.upper()}", f"ssl_cert_reqs={strictness}")
    return f"{address}?{options}" if options else address


class _Alone:
    """In this process."""

    def __init__(self) -> None:
        self._minute, self._counts, self._lock = 0, Counter[str](), Lock()

    def count(self, key: str, minute: int) -> int:
        with self._lock:
            if minute != self._minute:
                self._minute, self._counts = minute, Counter()
            self._counts[key] += 1
            return self._counts[key]


_REDIS = None if IS_FOLDER else _InRedis(BROKER)
_ALONE = _Alone()
