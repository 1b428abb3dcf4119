"""The doorbell: a message that there is a job."""

import logging

_log = logging.getLogger(__name__)


def ring(job: int) -> None:
    """Tell a worker of a job. Where no queue can be reached it waits until a worker looks for what is due."""
    # Loaded here, since most commands ask for nothing.
    from kombu.exceptions import KombuError, OperationalError

    from trustmem.celery import app

    try:
        app.send_task("trustmem.run", (job,), retry=False)
    except (KombuError, OperationalError, OSError) as error:
        _log.warning("no queue can be reached, so that job %s waits until a worker looks: %s", job, error)
