"""Full text search finds the same on both databases, takes anything a person types, and forgets what is erased."""

import re
import string
from pathlib import Path

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trustmem.store import full_text
from trustmem.store.models import Fact, Space, Words

TEXTS = {
    "zurich": "Ana moved to Zürich in März; she likes Café Crème.",
    "naive": "A NAÏVE résumé, they said: 'ÆTHER' and straße.",
    "decomposed": "cafe\u0301 noir",
    "tokyo": "私は東京タワーの近くに住んでいます。",
    "beijing": "北京大学在北京。",
    "kyoto": "京東は会社です。",
    "student": "がくせい",
    "seoul": "서울에서 커피를 마신다",
    "delhi": "मैं हिन्दी बोलता हूँ",
    "cairo": "أنا أعيش في القاهرة",
    "party": "The party 🎉 starts at 20:30!",
    "mail": "Write to ana.lee+work@example.org, or call +41 44 668 18 00.",
    "code": "The setting TRUSTMEM_HOME=~/.trustmem (see C++ and foo_bar) is 3.14-rc2.",
    "quoted": "She said \"never again\" and 'it''s over' -- NOT OR AND NEAR(x y) *",
    "phrase": "alpha beta gamma",
    "swapped": "beta alpha gamma",
    "full": "ＦＵＬＬ ｗｉｄｔｈ № ½ ﬁne",  # noqa: RUF001
    "russian": "Её ёлка стоит в Москве",
    "greek": "Η ΟΔΥΣΣΕΙΑ του Ομήρου",  # noqa: RUF001
    "turkish": "İstanbul'da ILIK bir gün",
    "nothing": "...",
    "empty": "",
}


@pytest.fixture
def space(db: None) -> Space:
    made = Space.objects.create(name="diary", digest_key="0f" * 32)
    for name, text in TEXTS.items():
        add(made, name, text=text)
    full_text.fill(made)
    return made


def add(space: Space, name: str, **texts: str) -> Fact:
    born = {"run": "r", "at": 0, "arrived": 0, "first_seen": 0, "latest_at": 0}
    weights = {"prior": 0.7, "derived": 0.7, "half_life": 3.0, "anchor": 0.7}
    return Fact.objects.create(space=space, name=name, **born, **weights, **texts)


def found(space: Space, query: str) -> set[str]:
    names = dict(Fact.objects.values_list("pk", "name"))
    return {names[key] for key in full_text.search(space, query, 100)}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("ana", {"zurich", "mail"}),
        ("ANA moved", {"zurich"}),
        ("moved nowhere", set()),
        # Accents and case, however a letter is written.
        ("zurich", {"zurich"}),
        ("Zürich", {"zurich"}),
        ("Zu\u0308RICH", {"zurich"}),
        ("cafe", {"zurich", "decomposed"}),
        ("CAFÉ", {"zurich", "decomposed"}),
        ("naive RESUME", {"naive"}),
        ("strasse", {"naive"}),
        ("STRAẞE", {"naive"}),
        ("елка", {"russian"}),
        ("οδύσσεια", {"greek"}),
        ("istanbul", {"turkish"}),
        ("full width no", {"full"}),
        ("fine", {"full"}),
        # What is written in one piece stands in one piece, in scripts without spaces too.
        ("東京", {"tokyo"}),
        ("京東", {"kyoto"}),
        ("北京", {"beijing"}),
        ("京", {"tokyo", "beijing", "kyoto"}),
        ("タワー", {"tokyo"}),
        ("東京 近", {"tokyo"}),
        ("がくせい", {"student"}),
        ("かくせい", set()),
        ("서울", {"seoul"}),
        ("커피를", {"seoul"}),
        ("हिन्दी", {"delhi"}),
        ("القاهرة", {"cairo"}),
        ("🎉", {"party"}),
        ("party🎉", {"party"}),
        ("20:30", {"party"}),
        ("30:20", set()),
        ("example.org", {"mail"}),
        ("org.example", set()),
        ("org example", {"mail"}),
        ("ana.lee", {"mail"}),
        ("foo_bar", {"code"}),
        ("bar", {"code"}),
        ("c++", {"code"}),
        ("trustmem_home", {"code"}),
        # The last word may go on, and no other.
        ("alp", {"phrase", "swapped"}),
        ("alp beta", set()),
        ("beta alp", {"phrase", "swapped"}),
        ("alpha.bet", {"phrase"}),
        ("beta alp!", set()),
        # Quotes.
        ('"alpha beta"', {"phrase"}),
        ('"beta alpha"', {"swapped"}),
        ('"alpha bet"', set()),
        ('"alpha beta', {"phrase"}),
        ('gamma "alpha beta"', {"phrase"}),
        ('"gamma" alph', {"phrase", "swapped"}),
        ('"never again"', {"quoted"}),
        ('""', set()),
        # No sign and no word means anything else.
        ("alpha OR naive", set()),
        ("alpha NOT beta", set()),
        ("text:alpha", set()),
        ("alpha*", {"phrase", "swapped"}),
        ("NEAR(x y)", {"quoted"}),
        ("it's over", {"quoted"}),
        ("-alpha", {"phrase", "swapped"}),
        ("^alpha", {"phrase", "swapped"}),
        ("alpha & beta | gamma", {"phrase", "swapped"}),
        # No word, no fact.
        ("", set()),
        (" \t", set()),
        ("... !?", set()),
        ("\x00", set()),
        ("\ud800", set()),
    ],
)
def test_a_search_finds_the_facts_that_say_every_word(space: Space, query: str, names: set[str]) -> None:
    assert found(space, query) == names


@given(st.text(max_size=30) | st.text(string.punctuation + " ab\u241e\u241f東", max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=3 * settings.default.max_examples)
def test_whatever_is_typed_is_a_search(space: Space, query: str) -> None:
    full_text.search(space, query, 10)


@given(st.sampled_from(sorted(TEXTS.values())), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=settings.default.max_examples)
def test_a_fact_is_found_by_whatever_piece_of_its_text_has_a_word(space: Space, text: str, data: st.DataObject) -> None:
    pieces = [piece for piece in text.split() if full_text.words(piece)]
    if pieces:
        piece = data.draw(st.sampled_from(pieces))
        assert text in Fact.objects.filter(pk__in=full_text.search(space, piece, 100)).values_list("text", flat=True)


def test_every_text_of_a_fact_is_searched_and_no_phrase_goes_from_one_to_the_next(space: Space) -> None:
    add(space, "all", text="one two", subject="three four", predicate="five", object="six seven")
    full_text.fill(space)
    for query in ("one two", "three", "five six", '"six seven"', "seven five one three"):
        assert found(space, query) == {"all"}
    assert found(space, '"four five"') == found(space, '"five six"') == found(space, '"seven one"') == set()


def test_a_space_finds_its_own_facts(space: Space) -> None:
    other = Space.objects.create(name="other", digest_key="0f" * 32)
    add(other, "mine", text="alpha beta")
    full_text.fill(other)
    assert found(other, "alpha") == {"mine"}
    assert found(space, "alpha") == {"phrase", "swapped"}
    full_text.fill(space)
    assert found(other, "alpha") == {"mine"}
    assert found(space, "\u241f") == found(space, "\u241e") == set()  # signs that only the index has


def test_the_newest_come_first_and_no_more_than_asked_for(space: Space) -> None:
    assert [Fact.objects.get(pk=key).name for key in full_text.search(space, "gamma", 9)] == ["swapped", "phrase"]
    assert len(full_text.search(space, "gamma", 1)) == 1


def test_a_few_facts_are_written_anew(space: Space) -> None:
    fact, gone = Fact.objects.get(name="phrase"), Fact.objects.get(name="swapped")
    Fact.objects.filter(pk=fact.pk).update(text="delta epsilon")
    Fact.objects.filter(pk=gone.pk).delete()
    new = add(space, "new", text="alpha again")
    full_text.replace(space, [fact.pk, gone.pk, new.pk])
    assert found(space, "alpha") == {"new"}
    assert found(space, "epsilon") == {"phrase"}
    assert found(space, "gamma") == set()
    assert found(space, "cafe") == {"zurich", "decomposed"}


def test_filling_twice_changes_nothing(space: Space) -> None:
    full_text.fill(space)
    assert len(full_text.search(space, "京", 100)) == 3
    assert Words.objects.filter(space=space).count() == len(TEXTS)


def test_the_longest_texts_are_taken_and_found_by_their_beginning(space: Space) -> None:
    far = " ".join(f"{chr(0x20000 + number)}{number}" * 9 for number in range(6000))
    add(space, "long", text="begin " + far, subject="x" * 100_000, object="🎉" * 50_000)
    full_text.fill(space)
    assert found(space, "begin") == set()  # its object has more words than are kept
    add(space, "longer", text=f"begin {far}")
    full_text.fill(space)
    assert found(space, "begin") == {"longer"}
    assert found(space, "x" * 100_000) == found(space, "x" * 70) == {"long"}


@pytest.mark.django_db(transaction=True)
def test_no_byte_of_an_emptied_text_stays(lifted: object) -> None:
    space = Space.objects.create(name="diary", digest_key="0f" * 32)
    for number in range(300):
        add(space, f"f{number}", text=f"tea number {number}")
    secret = add(space, "secret", text="the code is vermilion88zz")
    with transaction.atomic():
        full_text.fill(space)
    assert held()
    Fact.objects.filter(pk=secret.pk).update(text="")
    with transaction.atomic():
        full_text.replace(space, [secret.pk])
    full_text.scrub()
    assert found(space, "vermilion88zz") == set()
    assert len(full_text.search(space, "tea", 1000)) == 300
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert not held()
        files = Path(connection.settings_dict["NAME"]).parent.iterdir()
        # An index keeps of a word only what it has not in common with the one before.
        assert [each.name for each in files if re.search(rb"rmilion88", each.read_bytes())] == []
        connection.close()  # which has lost its locks by that


def held() -> bool:
    """Whether some row of the tables behind the index holds the secret."""
    if connection.vendor == "postgresql":
        return Words.objects.filter(words__contains="vermilion88zz").exists()
    with connection.cursor() as cursor:
        blocks = cursor.execute("SELECT block FROM store_words_data").fetchall()
        rows = cursor.execute("SELECT c0 FROM store_words_content").fetchall()
    return any(b"rmilion88" in block for (block,) in blocks) or any("rmilion88" in row for (row,) in rows)
