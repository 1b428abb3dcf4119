"""The queue as commands find it."""

from django.core.exceptions import ImproperlyConfigured

from trustmem.intake.shell import Refusal


def look_at() -> None:
    """Raises Refusal where the environment names a queue that cannot be."""
    try:
        import trustmem.celery  # noqa: F401 (it reads the environment)
    except ImproperlyConfigured as error:
        raise Refusal(str(error)) from None
