"""What an action says when it does not act."""


class Refusal(Exception):
    """It was understood, and is not allowed or not possible; one sentence."""


class Missing(Refusal):
    """There is nothing of that name, or nothing that whoever asks is told of: nobody can tell which."""


class Unfit(Refusal):
    """What was given cannot be as it is: `field` is what is wrong with it ('': all of it)."""

    def __init__(self, sentence: str, field: str = "") -> None:
        super().__init__(sentence)
        self.field = field
