"""The queue: what tells a worker that there is a job. It may lose messages or bring them twice; the jobs are rows."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from celery import Celery
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

#: Where no BROKER_URL names another queue, it is a folder in the home.
_FOLDER = "filesystem://localhost//"
_REDIS = ("redis://", "rediss://", "redis+socket://")
#: Seconds after which Redis brings a message again whose worker has not said that it is through; more than four times
#: what the longest pass takes. A copy that comes sooner costs a look at the row, and no more.
_VISIBILITY = 3600
#: Seconds that an answer of Redis is waited for.
_PATIENCE = 2
#: Beat wakes a worker at once, and then every 15 seconds. Nobody waits for a late tick: by then there are others.
_TICK = {
    "task": "trustmem.tick",
    "schedule": 15.0,
    "last_run_at": datetime.fromtimestamp(0, UTC),
    "options": {"expires": 15.0},
}


def _options(broker: str) -> dict[str, Any]:
    """What the transport of a broker needs beyond its address. Raises ImproperlyConfigured."""
    if broker == _FOLDER:
        return _options_of_folder(settings.HOME / "queue")
    if not broker.startswith(_REDIS):
        # Not told with it: it may hold a password.
        raise ImproperlyConfigured(f"BROKER_URL has to begin with {' or '.join(_REDIS)}")
    try:
        _ = urlsplit(broker).port
    except ValueError:
        raise ImproperlyConfigured("BROKER_URL has a port that is no number") from None
    return _options_of_redis()


def _options_of_folder(queue: Path) -> dict[str, Any]:
    return {
        # What is put in by one process is taken out by another: one folder.
        "data_folder_in": str(_made(queue / "messages")),
        "data_folder_out": str(_made(queue / "messages")),
        "polling_interval": 0.2,
    }


def _made(folder: Path) -> Path:
    for each in (folder.parent, folder):
        each.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _options_of_redis() -> dict[str, Any]:
    visibility = os.environ.get("BROKER_VISIBILITY_TIMEOUT") or str(_VISIBILITY)
    if not visibility.isascii() or not visibility.isdigit() or not int(visibility):
        raise ImproperlyConfigured("BROKER_VISIBILITY_TIMEOUT is no whole number of seconds")
    return {
        "visibility_timeout": int(visibility),
        "unacked_restore_interval": max(1, min(10, int(visibility) // 2)),
        "unacked_restore_throttle": 1,
        "socket_timeout": _PATIENCE,
        "socket_connect_timeout": _PATIENCE,
        "socket_keepalive": True,
        # Whoever rings is told at once that nobody is there; a worker tries for as long as it lives.
        "max_retries": 1,
        "interval_start": 0,
        "interval_step": 0,
    }


#: Its address.
BROKER = os.environ.get("BROKER_URL") or _FOLDER
#: Whether the queue is the folder, from which a process takes one message after the other.
IS_FOLDER = BROKER == _FOLDER
app = Celery("trustmem", broker=BROKER, set_as_current=True)
app.conf.update(
    beat_schedule={"tick": _TICK},
    broker_connection_max_retries=None,
    broker_connection_retry_on_startup=True,
    broker_transport="trustmem.work.folder:Transport" if IS_FOLDER else None,
    broker_transport_options=_options(BROKER),
    enable_utc=True,
    timezone="UTC",
    include=["trustmem.work.tasks"],
    task_acks_late=True,
    task_ignore_result=True,
    task_reject_on_worker_lost=True,
    task_serializer="json",
    accept_content=["json"],
    worker_cancel_long_running_tasks_on_connection_loss=False,
    # From Redis a worker takes what it can do at once, counted by what it has in hand. Counted by what it could tell
    # Redis (the multiplier), a message that it could not say it was through with would hold its place for ever.
    worker_disable_prefetch=not IS_FOLDER,
    worker_enable_remote_control=False,
    worker_hijack_root_logger=False,
    worker_prefetch_multiplier=1 if IS_FOLDER else 0,
    worker_redirect_stdouts=False,
    worker_send_task_events=False,
)
