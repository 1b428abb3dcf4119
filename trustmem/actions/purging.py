"""Purging: no text about an erased fact stays, in whatever order its lines came, nor in the files of the database."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from django.db import OperationalError, ProgrammingError, connection, transaction

from trustmem.actions import passages, uploads
from trustmem.actions.errors import Refusal
from trustmem.core.vocabulary import ERASED
from trustmem.store import belonging, bulk, chain, folds, full_text, signatures, vector_index
from trustmem.store.chain import canonical
from trustmem.store.models import (
    Case,
    CaseGroup,
    Fact,
    Job,
    Line,
    Mention,
    Queued,
    Reject,
    SavedView,
    Space,
    Text,
    Told,
    Upload,
    Words,
)

_RECEIPTS = ("refused", "rejected")
_ESCAPES = re.compile(r'(?:\\u[0-9a-fA-F]{4})+|\\["\\/bfnrt]')
#: The tables that hold what facts say, or what that tells of.
_WITH_TEXTS = (
    *(Text, Fact, Mention, Words, Case, Queued, CaseGroup, SavedView, Reject, Upload, Job, Told),
    *(*belonging.OF_TEXTS, *belonging.OF_ENTITIES),
)
#: How long PostgreSQL waits for those who use a table, as SQLite does by its settings.
_PATIENCE = "20s"


class Unscrubbed(Refusal):
    """The texts are gone, but their bytes still stand in the files of the database."""


def erased(space: Space) -> dict[str, int]:
    """The facts that are erased, or will be when they come, each with the position of the first line that says so; 0 if
    it came so, and is folded."""
    lines = Line.objects.filter(space=space).order_by("-position").values_list("position", "body")
    said = {json.loads(body)["fact"]: position for position, body in lines.filter(tag="event.erased")}
    fresh = lines.filter(tag="fact", position__gt=space.folded_to, body__contains='"erased":true')
    born = fresh.values_list("name", "position")
    folded = Fact.objects.filter(space=space, state=ERASED).values_list("name", flat=True)
    return dict(born) | dict.fromkeys(folded, 0) | said


def purge(space: Space) -> bool:
    """Empty the texts of all lines about erased facts: before they are folded, so that no copy is made of them.

    Whether there was something to empty. Within a transaction; when it is through, the files of the database are
    scrubbed. The line that erases a fact keeps the reason, unless that repeats the text.
    """
    positions = due(space)
    if positions:
        chain.erase_texts(space, positions)
        signatures.forget(space, positions)
        belonging.forget(space, folds.keys(space, erased(space)).values())
        belonging.forget_entities(space)
        uploads.forget(space)
        Told.objects.all().delete()  # what the next page would say, in any space: it may quote what is erased
        Space.objects.filter(pk=space.pk).update(to_scrub=True)
        transaction.on_commit(scrub)
    elif space.to_scrub:  # it was cut short, or could not be done
        transaction.on_commit(_scrub_if_possible)
    return bool(positions)


def _scrub_if_possible() -> None:
    if Space.objects.filter(to_scrub=True).exists():  # it may be done by now
        with suppress(Refusal):
            scrub()


def due(space: Space) -> list[int]:
    """Positions of the texts that are to be emptied and are not yet: of what came since the last fold."""
    if space.folded_to == space.head_position:
        return []
    gone = erased(space)
    fresh = {name for name, position in gone.items() if position > space.folded_to}
    return [*_about(space, fresh, after=0), *_about(space, gone.keys() - fresh, after=space.folded_to)]


def about(space: Space, names: Collection[str]) -> list[int]:
    """Positions of the texts that would be emptied if the named facts were erased now."""
    return list(_about(space, names, after=0))


def repeats(space: Space, fact: str, words: str) -> bool:
    """Whether somebody's words hold the text of a fact."""
    return any(text in words for text in _words(space, [fact]))


def scrub() -> None:
    """Write the files of the database anew without what was emptied; outside of a transaction.

    SQLite leaves copies of rows in the gaps of pages that it packs anew, whatever `secure_delete` says: hence VACUUM;
    then the log goes. PostgreSQL's VACUUM FULL keeps dead rows while anybody in the cluster may still see them: hence
    tables are made unlogged and logged again, which writes anew what is alive; a checkpoint, which is the server's own
    within minutes where this user may not ask for one, takes the old files away.

    What cannot be promised: PostgreSQL's write-ahead log has the text until its segments are recycled;
    archives, replicas and backups keep it, and so do blocks that a disk has freed. (Its planner has never sampled it:
    the migrations forbid that.)
    Raises Unscrubbed where the database is in use, so that it could not be done.
    """
    try:
        done = _scrub_sqlite() if connection.vendor == "sqlite" else _scrub_postgresql()
    except OperationalError:
        done = False
    if not done:
        raise Unscrubbed(
            "what was erased still stands in the files of the database, since somebody else is using it: "
            "erase the fact once more to have it gone from there too"
        )
    Space.objects.filter(to_scrub=True).update(to_scrub=False)


def _scrub_sqlite() -> bool:
    full_text.scrub()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _scrub_postgresql() -> bool:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{_PATIENCE}'")
        vector_index.drop()  # making them anew takes minutes: the next graph does
        vector_index.drop()  # the next graphs make them anew: that takes minutes
        for model in _WITH_TEXTS:
            table = connection.ops.quote_name(model._meta.db_table)
            cursor.execute(f"ALTER TABLE {table} SET UNLOGGED")
            cursor.execute(f"ALTER TABLE {table} SET LOGGED")
    with suppress(ProgrammingError), connection.cursor() as cursor:  # not every user may
        cursor.execute("CHECKPOINT")
    return True


def _about(space: Space, names: Collection[str], *, after: int) -> Iterator[int]:
    """Positions after one, of what has a text yet and is about the named facts or repeats their text or id."""
    if not names:
        return
    about: list[int] = []
    reasons: list[int] = []
    receipts: list[int] = []
    buried: list[int] = []
    rulings: dict[int, str] = {}
    for position, name, tag, says in _lines(space, after):
        if tag in _RECEIPTS:
            receipts.append(position)
        elif tag == "tombstone":
            buried.append(position)
        elif says.get("of"):
            rulings[position] = says["of"]
        elif not _facts(name, tag, says).isdisjoint(names):
            (reasons if tag == "event.erased" else about).append(position)
    ruling_on_them = set(_of(space, rulings, names))
    about += ruling_on_them
    about += _set_with(space, buried, names)
    reasons += rulings.keys() - ruling_on_them
    words = _words(space, names)
    marks = [*words, *(canonical(name) for name in names), *_secrets(words)]
    yield from (position for position, _ in _texts(space, about))
    yield from (position for position, text in _texts(space, reasons) if _holds(text, words))
    yield from (position for position, text in _texts(space, receipts) if _holds(text, marks))


def _secrets(words: Iterable[str]) -> Iterator[str]:
    """What of some texts looks like a code, and is no mere number or date: enough to know a line by that was not
    understood."""
    for word in words:
        yield from (code for code in passages.codes(word) if any(map(str.isalpha, code)))


def _lines(space: Space, after: int) -> Iterator[tuple[int, str, str, dict[str, Any]]]:
    """Position, name, tag and body of the lines that came with a text."""
    lines = Line.objects.filter(space=space, position__gt=after).exclude(text_digest="")
    for position, name, tag, body in lines.values_list("position", "name", "tag", "body").iterator(10_000):
        yield position, name, tag, json.loads(body)


def _facts(name: str, tag: str, says: dict[str, Any]) -> set[str]:
    """The names of the facts that a line is about."""
    if tag == "fact":
        return {name}
    if tag == "case":
        return set(says["facts"])
    fields = ("from", "to") if tag.startswith("edge.") else ("fact",)
    return {says[field] for field in fields if field in says}


def facts_of(space: Space, positions: Collection[int]) -> Iterator[set[str]]:
    """The facts that each of the lines at these positions is about, or rules on a statement about."""
    lines = Line.objects.filter(space=space)
    for chunk in bulk.chunks(positions):
        for name, tag, body in lines.filter(position__in=chunk).values_list("name", "tag", "body"):
            says = json.loads(body)
            ruled_on = lines.filter(name=says["of"]).values_list("name", "tag", "body") if says.get("of") else ()
            yield _facts(name, tag, says).union(*(_facts(of, tag, json.loads(body)) for of, tag, body in ruled_on))


def _of(space: Space, rulings: dict[int, str], names: Collection[str]) -> list[int]:
    """Which of the lines are rulings on something that is about the named facts."""
    about: set[str] = set()
    for chunk in bulk.chunks(sorted(set(rulings.values()))):
        rows = Line.objects.filter(space=space, name__in=chunk).values_list("name", "tag", "body")
        about |= {name for name, tag, body in rows if not _facts(name, tag, json.loads(body)).isdisjoint(names)}
    return [position for position, of in rulings.items() if of in about]


def _set_with(space: Space, tombstones: Collection[int], names: Collection[str]) -> list[int]:
    """Which of the lines are tombstones that were set when one of the named facts was forgotten."""
    lines, found = Line.objects.filter(space=space), list[int]()
    for chunk in bulk.chunks(tombstones):
        acts = lines.filter(position__in=chunk).exclude(act="").values_list("position", "act")
        forgotten = lines.filter(tag="event.forgotten", act__in={act for _, act in acts}).values_list("act", "body")
        about = {act for act, body in forgotten if json.loads(body)["fact"] in names}
        found += [position for position, act in acts if act in about]
    return found


def _words(space: Space, names: Collection[str]) -> list[str]:
    """What the named facts say, as far as that is not erased yet."""
    texts: list[str] = []
    for chunk in bulk.chunks(sorted(names)):
        facts = Line.objects.filter(space=space, name__in=chunk, tag="fact")
        texts += (text for _, text in _texts(space, list(facts.values_list("position", flat=True))))
    return [json.loads(text)["text"] for text in texts]


def _texts(space: Space, positions: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The texts at these positions that are not erased."""
    for chunk in bulk.chunks(positions):
        texts = Text.objects.filter(space=space, position__in=chunk).exclude(body="")
        yield from texts.values_list("position", "body")


def _holds(text: str, words: Sequence[str]) -> bool:
    """Whether one of the words stands in a text, as it is or as it was written in the JSON of a file."""
    said = [each for each in json.loads(text).values() if isinstance(each, str)]
    said += [_ESCAPES.sub(lambda found: str(json.loads(f'"{found[0]}"')), each) for each in said]
    return any(word in each for each in said for word in words)
