"""Binds the doorbell to the jobs: whoever asks for one need not know that there is a queue."""

from typing import Any

from django.apps import AppConfig

from trustmem.work.doorbell import ring


class WorkConfig(AppConfig):
    name = "trustmem.work"

    def ready(self) -> None:
        from trustmem.actions.jobs import asked  # models can be loaded only now

        asked.connect(_tell, dispatch_uid="trustmem.work")


def _tell(job: int, **_: Any) -> None:
    ring(job)
