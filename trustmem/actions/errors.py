"""What an action says when it does not act."""


class Refusal(Exception):
    """It was understood, and is not allowed or not possible; one sentence."""
