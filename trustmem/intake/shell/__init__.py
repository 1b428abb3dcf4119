"""The commands of `trustmem`, each in a module with `add_arguments(parser)` and `run(arguments)`."""

from trustmem.actions.errors import Refusal

__all__ = ["Failure", "Refusal"]


class Failure(Exception):
    """What went wrong although the question was right: one sentence for stderr, with exit status 1."""
