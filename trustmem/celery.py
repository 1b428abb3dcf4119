"""The queue: what tells a worker that there is a job. It may lose messages or bring them twice; the jobs are rows."""

import os
from pathlib import Path
from typing import Any

from celery import Celery
from django.conf import settings

#: Where no BROKER_URL names another queue, it is a folder in the home.
_FOLDER = "filesystem://localhost//"


def _options(broker: str) -> dict[str, Any]:
    """What the transport of a broker needs beyond its address."""
    if broker != _FOLDER:
        return {}
    queue = settings.HOME / "queue"
    return {
        # What is put in by one process is taken out by another: one folder.
        "data_folder_in": str(_made(queue / "messages")),
        "data_folder_out": str(_made(queue / "messages")),
        "control_folder": str(_made(queue / "control")),
        "polling_interval": 0.2,
    }


def _made(folder: Path) -> Path:
    for each in (folder.parent, folder):
        each.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


_broker = os.environ.get("BROKER_URL") or _FOLDER
app = Celery("trustmem", broker=_broker, set_as_current=True)
app.conf.update(
    broker_transport_options=_options(_broker),
    broker_connection_retry_on_startup=True,
    enable_utc=True,
    timezone="UTC",
    include=["trustmem.work.tasks"],
    task_acks_late=True,
    task_ignore_result=True,
    task_reject_on_worker_lost=True,
    task_serializer="json",
    accept_content=["json"],
    worker_enable_remote_control=False,
    worker_hijack_root_logger=False,
    worker_prefetch_multiplier=1,
    worker_redirect_stdouts=False,
    worker_send_task_events=False,
)
