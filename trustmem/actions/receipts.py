"""Receipts: what of a file was refused or not understood stays on record."""

from collections.abc import Iterator, Sequence

from trustmem.formats.interchange import Answer
from trustmem.store.chain import Entry


def entries(answers: Sequence[Answer], imported: str, now: int) -> Iterator[Entry]:
    """The lines that an import leaves of records that were refused or rejected, of the latter verbatim.

    Of a record there is one, however often its file comes; but one for each tombstone that keeps it out.
    """
    for place, answer in enumerate(answers):
        if answer.status not in ("refused", "rejected"):
            continue
        name, by = f"{imported}:record:{place}", answer.kept_out
        yield Entry(
            name=f"{name}:{by.tombstone}" if by else name,
            tag=answer.status,
            at=now,
            arrived=now,
            body={"number": answer.number} | ({"tombstone": by.tombstone, "source": by.source} if by else {}),
            text={"field": answer.field or "", "reason": answer.reason, "raw": verbatim(answer)},
            imported=imported,
        )


def verbatim(answer: Answer) -> str:
    """What was not understood, as it came; '' of other answers."""
    return (answer.raw or b"").decode(errors="backslashreplace")
