"""What a file comes to that is more than new facts: what it takes back or decides of what people decided."""

from collections.abc import Mapping

from trustmem.explanations.words import counted


def takes_back(counts: Mapping[str, int]) -> str:
    """How many lines of a file take back or decide what people decided in a space, and what they do; '': none does.

    >>> takes_back({"erased": 2, "lifted": 1})
    '3 lines take back or decide what people decided here: 2 erase a fact for good, 1 lifts a tombstone'
    """
    if not any(counts.values()):
        return ""
    words = {
        "erased": ("{count} erases a fact for good", "{count} erase a fact for good"),
        "lifted": ("{count} lifts a tombstone", "{count} lift a tombstone"),
        "undone": ("{count} undoes an act", "{count} undo an act"),
        "closed": ("{count} closes a case", "{count} close a case"),
        "constants": ("{count} changes the constants", "{count} change the constants"),
        "key": ("{count} gives a source a key", "{count} give a source a key"),
        "revoked": ("{count} revokes a key", "{count} revoke a key"),
    }
    return counted(
        sum(counts.values()),
        "{count} line takes back or decides what people decided here: {what}",
        "{count} lines take back or decide what people decided here: {what}",
        what=", ".join(counted(counts[kind], *said) for kind, said in words.items() if counts.get(kind)),
    )
