"""Full text: which facts say some words. Both databases find the same, since what a word is gets decided here.

A word is a run of letters and digits, without case and accents; a sign of a script that puts no spaces between words
is one by itself, and so is an emoji. What a person writes in one piece stands in one piece: `ana@example.org`, `東京`.

SQLite has a table of FTS5, PostgreSQL one of tsvectors; each row holds the words of a fact in order. Whoever writes
facts calls `fill` or `replace` in the same transaction.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import QuerySet

from trustmem.store import bulk
from trustmem.store.models import Fact, Space, Words

TEXTS = ("subject", "predicate", "object", "text")
#: What PostgreSQL takes of a fact at most is a megabyte: so many words of so many characters.
_MOST_WORDS = 4096
_LONGEST_WORD = 60
#: So many pieces of a query count, and words of each, which is more than anybody says.
_MOST_ASKED = 64
#: Up to so many facts are few.
_FEW = 5000

#: Words that no text can hold: between texts, so that no phrase begins in one and ends in the next; and the space.
BREAK = "\u241e"
_SPACE = "\u241f"

_ACCENTS = re.compile("[\u0300-\u036f]")
_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # Han and kana
    "\u2600-\u27bf\U0001f300-\U0001faff"  # emoji
)
_WORD = re.compile(rf"[{_ALONE}]|(?:(?![{_ALONE}])[^\W_])+")
_ASCII_WORD = re.compile("[a-z0-9]+")


def words(text: str) -> list[str]:
    """The words of a text, as they are kept and looked up.

    >>> words("Café_Zürich: 東京🎉!")
    ['cafe', 'zurich', '東', '京', '🎉']
    """
    if text.isascii():
        found = _ASCII_WORD.findall(text.lower())
    else:
        plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))
        found = _WORD.findall(unicodedata.normalize("NFKC", plain).casefold())
    return [word[:_LONGEST_WORD] for word in found]


def row(texts: Iterable[str]) -> list[str]:
    """The words of the texts of a fact as they are kept, each text behind a break.

    >>> row(["Ana", "", "Likes tea."])
    ['␞', 'ana', '␞', 'likes', 'tea']
    """
    said = list[str]()
    for text in filter(None, texts):
        said += [BREAK, *words(text)]
    return said[: _MOST_WORDS - 1]


def fill(space: Space) -> None:
    """Write the words of all facts of a space anew; within a transaction."""
    with connection.cursor() as cursor:
        asked = _expression([_Piece([_of(space.pk)])])
        cursor.execute(f"DELETE FROM store_words WHERE {_matches()}", [asked])  # noqa: S608 (names of ours)
    _write(space, Fact.objects.filter(space=space))


def replace(space: Space, facts: Collection[int]) -> None:
    """Write the words of these facts anew, by their keys; those that are no facts any more have none.

    Within a transaction. No byte of what went is left once `scrub` has run and the file of the database is compacted.
    """
    for chunk in bulk.chunks(facts):
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM store_words WHERE {_key()} IN ({', '.join(map(str, chunk))})")  # noqa: S608 (ints)
        _write(space, Fact.objects.filter(pk__in=chunk))


def scrub() -> None:
    """Forget deleted words for good. On SQLite they stay in the index until it is merged; on PostgreSQL, as all that
    is deleted, until the table is written anew."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO store_words (store_words) VALUES ('optimize')")


def search(space: Space, query: str, limit: int) -> list[int]:
    """Keys of facts that say every word of a query, the newest first, `limit` at most.

    The last word may go on unless a sign follows it, "what stands in quotes" is a phrase, and no sign means anything
    else. No word, no fact.
    """
    asked = _asked(space, query)
    if asked is None:
        return []
    return _look_up(f"{_found()} ORDER BY 1 DESC LIMIT %s", [asked, limit])


def saying(space: Space, phrases: Collection[tuple[str, ...]], most: int) -> dict[tuple[str, ...], list[int] | None]:
    """Keys of the facts in which the words of each phrase stand one after the other; None where more than `most` do.

    What few say in all spaces is looked up quickest, and then which of these facts are of this one.
    """
    found = {each: _look_up(f"{_found()} LIMIT %s", [_expression([_Piece([*each])]), most + 1]) for each in phrases}
    ours = set[int]()
    for chunk in bulk.chunks(set().union(*found.values())):
        ours |= {*Fact.objects.filter(space=space, pk__in=chunk).values_list("pk", flat=True)}
    said: dict[tuple[str, ...], list[int] | None] = {}
    for phrase, facts in found.items():
        mine = [fact for fact in facts if fact in ours]
        if len(mine) <= most < len(facts):
            asked = _expression([_Piece([_of(space.pk)]), _Piece([*phrase])])
            mine = _look_up(f"{_found()} LIMIT %s", [asked, most + 1])
        said[phrase] = mine if len(mine) <= most else None
    return said


def newest_beginning(space: Space, beginning: Sequence[str], before: int, most: int) -> list[int]:
    """Keys of the newest facts whose `row` begins with some words, `most` at most, of those with keys before one; the
    newest first."""
    asked = f"{_found()} AND {_key()} < %s ORDER BY 1 DESC LIMIT %s"
    return _look_up(asked, [_expression([_Piece([_of(space.pk), *beginning])]), before, most])


def _look_up(asked: str, parameters: Sequence[Any]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(asked, parameters)
        return [fact for (fact,) in cursor.fetchall()]


def best(space: Space, query: str, limit: int) -> list[int]:
    """Keys of the facts that say some words of a query, the most telling first (bm25 on SQLite, `ts_rank` on
    PostgreSQL; of those that rank alike the oldest), `limit` at most. No word, no fact."""
    pieces = [piece._replace(goes_on=False) for piece in _pieces(query)]
    if not pieces:
        return []
    any_of = _expression(pieces, " OR ", " | ")
    found = _ranked(any_of, any_of, _AHEAD * limit)
    ours = [fact for fact, of in found if of == space.pk]
    if len(ours) >= limit or len(found) < _AHEAD * limit:
        return ours[:limit]
    of_space = _expression([_Piece([_of(space.pk)])])
    both = f"{of_space} AND ({any_of})" if connection.vendor == "sqlite" else f"{of_space} & ({any_of})"
    return [fact for fact, _ in _ranked(both, any_of, limit)]


#: So many times as many are looked at in all spaces: to pass over all that is of one costs more than the best of it.
_AHEAD = 4


def _ranked(asked: str, by: str, limit: int) -> list[tuple[int, int]]:
    """Keys of facts and of the spaces that they are of, the best first."""
    rank, parameters = ("rank", [asked]) if connection.vendor == "sqlite" else (_RANK, [asked, by])
    sql = f"SELECT {_key()}, space_id FROM store_words WHERE {_matches()} ORDER BY {rank}, 1 LIMIT %s"  # noqa: S608 (names of ours)
    with connection.cursor() as cursor:
        cursor.execute(sql, [*parameters, limit])
        return list(cursor.fetchall())


_RANK = "ts_rank(words, %s::tsquery) DESC"


class Condition(NamedTuple):
    """A condition of SQL."""

    sql: str
    parameters: list[Any]


def says(space: Space, query: str, key: str) -> Condition | None:
    """That the fact whose key stands in a column is one that `search` finds, for other queries to ask.

    Few facts are looked up from the words; of more than that, those on a page are met on the way along its order. It
    takes as long as there are facts that say so. None where no word is asked for.
    """
    asked = _asked(space, query)
    if asked is None:
        return None
    few = few_say(space, query) is not None
    if connection.vendor == "sqlite":  # to which a plus says not to begin with this
        return Condition(f"{'' if few else '+'}{key} IN ({_found()})", [asked])
    if few:
        return Condition(f"{key} IN ({_found()})", [asked])
    return Condition(f"EXISTS ({_found()} AND store_words.fact_id = {key} OFFSET 0)", [asked])  # OFFSET: one by one


def few_say(space: Space, query: str) -> Condition | None:
    """A query for the keys of the facts that `search` finds; None where they are many, or no word is asked for."""
    asked = _asked(space, query)
    if asked is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ({_found()} LIMIT {_FEW + 1}) AS counted", [asked])  # noqa: S608 (names of ours)
        return Condition(_found(), [asked]) if cursor.fetchone()[0] <= _FEW else None


def say(texts: Iterable[str], query: str) -> bool:
    """Whether the texts of a fact say every word of a query as `search` means it; a blank one asks for none.

    >>> say(["Tea is hot.", "Ana"], 'ana "is hot'), say(["Tea is hot."], "is tea hot!"), say(["Tea is hot."], "h.")
    (True, True, False)
    """
    if not query.strip():
        return True
    said, pieces = [words(text) for text in texts], _pieces(query)
    return bool(pieces) and all(any(piece.is_in(each) for each in said) for piece in pieces)


def _asked(space: Space, query: str) -> str | None:
    """A query, and the space, as the database wants them; None where no word is asked for."""
    pieces = _pieces(query)
    return _expression([_Piece([_of(space.pk)]), *pieces]) if pieces else None


def _found() -> str:
    return f"SELECT {_key()} FROM store_words WHERE {_matches()}"  # noqa: S608 (names of ours)


def _key() -> str:
    return "fact_id" if connection.vendor == "postgresql" else "rowid"


class _Piece(NamedTuple):
    """Words that stand one after the other; the last may be the beginning of one."""

    words: list[str]
    goes_on: bool = False

    def is_in(self, said: list[str]) -> bool:
        """Whether these words stand so in a text."""
        *first, last = self.words
        return any(
            said[place : place + len(first)] == first and (word.startswith(last) if self.goes_on else word == last)
            for place, word in enumerate(said[len(first) :])
        )


def _pieces(query: str) -> list[_Piece]:
    """What a query asks for. Every second part between quotes is a phrase, whether the last is closed or not."""
    parts = query.split('"')
    asked: list[tuple[str, bool]] = []
    for place, part in enumerate(parts):
        quoted = place % 2 == 1
        asked += [(each, quoted) for each in ([part] if quoted else part.split())]
    pieces = [_Piece(words(each)[:_MOST_ASKED]) for each, _ in asked if words(each)][:_MOST_ASKED]
    if pieces:
        last, quoted = asked[-1]
        pieces[-1] = pieces[-1]._replace(goes_on=not quoted and bool(words(last[-1])))
    return pieces


def _matches() -> str:
    return "words @@ %s::tsquery" if connection.vendor == "postgresql" else "store_words MATCH %s"


def _expression(pieces: Iterable[_Piece], sqlite: str = " AND ", postgresql: str = " & ") -> str:
    """The pieces in the language of the database, all of them asked for unless they are joined otherwise. Words need
    no escapes: they are letters and digits."""
    if connection.vendor == "postgresql":
        quoted = [(" <-> ".join(f"'{word}'" for word in piece.words), piece.goes_on) for piece in pieces]
        return postgresql.join(f"{phrase}:*" if goes_on else phrase for phrase, goes_on in quoted)
    phrases = [(f'"{" ".join(piece.words)}"', piece.goes_on) for piece in pieces]
    return sqlite.join(f"{phrase} *" if goes_on else phrase for phrase, goes_on in phrases)


def _of(space: int) -> str:
    return f"{_SPACE}{space}"


def _write(space: Space, facts: "QuerySet[Fact]") -> None:
    columns: tuple[str, ...] = ("fact_id", "space_id", "words")
    rows: Iterator[tuple[Any, ...]] = _rows(space, facts)
    if connection.vendor == "sqlite":
        columns, rows = ("rowid", *columns), ((row[0], *row) for row in rows)
    for chunk in bulk.chunks(rows):
        bulk.insert(Words, columns, chunk)


def _rows(space: Space, facts: "QuerySet[Fact]") -> Iterator[tuple[int, int, str]]:
    placed = connection.vendor == "postgresql"
    for fact, *texts in facts.order_by("pk").values_list("pk", *TEXTS).iterator(10_000):
        said = [_of(space.pk), *row(texts)]
        yield fact, space.pk, " ".join(f"{word}:{at}" for at, word in enumerate(said, 1)) if placed else " ".join(said)
