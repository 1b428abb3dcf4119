"""The queue as commands find it."""

import logging

from django.core.exceptions import ImproperlyConfigured

from trustmem.intake.shell import Refusal


def look_at() -> None:
    """Raises Refusal where the environment names a queue that cannot be."""
    try:
        import trustmem.celery  # noqa: F401 (it reads the environment)
    except ImproperlyConfigured as error:
        raise Refusal(str(error)) from None


def say_in_one_line(part: str) -> None:
    """Have Celery's log say what is wrong with a part of it, and not how that was found out."""
    logging.getLogger(part).addFilter(_in_one_line)


def _in_one_line(record: logging.LogRecord) -> bool:
    record.msg, record.args, record.exc_info = record.getMessage().partition("\n")[0], (), None
    return True
