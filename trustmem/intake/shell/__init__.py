"""The commands of `trustmem`, one module each, with `add_arguments(parser)` and `run(arguments)`."""


class Refusal(Exception):
    """Why a command cannot do what it was asked: one sentence for stderr, with exit status 2."""
