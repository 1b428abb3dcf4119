"""What lists read beside the facts: stored scores, and which facts mention an entity."""

import numpy as np
import pytest
from django.db import transaction

from tests.actions.world import space_of
from tests.makers import daily, day, edge, event, fact
from trustmem.core.scores import score
from trustmem.core.vocabulary import FLAGS
from trustmem.store import mentions, queries, scores
from trustmem.store.models import Fact, Mention, Score, Space

pytestmark = pytest.mark.django_db
NOW = day(40)


@pytest.fixture
def space() -> Space:
    return space_of(
        fact("old", 0, source="ana"),
        fact("new", 2, source="ben"),
        fact("gone", 1, source="ana"),
        edge("new", "updates", "old", 3),
        event("recalled", "new", 30, run="later"),
        event("forgotten", "gone", 4, tier="human"),
        passes=daily(5, 20),
    )


def write(space: Space, now: int, only: np.ndarray | None = None) -> None:
    stored = queries.stored(space)
    facts = Fact.objects.filter(space=space).order_by("name").values_list("pk", "source")
    pks, sources = zip(*facts, strict=True)
    with transaction.atomic():
        scores.write(space, stored, pks, sources, now, only=only)


def kept(space: Space) -> dict[str, tuple[object, ...]]:
    rows = Score.objects.filter(space=space)
    return {
        name: values
        for name, *values in rows.values_list("fact__name", "state", "source", "trust", "band", "flags", "scored_at")
    }


def test_every_fact_has_the_score_that_the_core_gives_it(space: Space) -> None:
    write(space, NOW)
    scored = score(queries.stored(space), NOW)
    expected = {
        name: [
            int(scored.state[row]),
            {"new": "ben"}.get(name, "ana"),
            float(scored.trust[row]),
            int(scored.band[row]),
            sum(1 << bit for bit, has in enumerate([*scored.flags[row], *scored.notices[row]]) if has),
            NOW,
        ]
        for row, name in enumerate(scored.ids)
    }
    assert kept(space) == expected
    assert kept(space)["old"][4] & 1 << FLAGS.index("superseded")  # type: ignore[operator]


def test_only_the_named_rows_are_scored_again(space: Space) -> None:
    write(space, NOW)
    before = kept(space)
    names = queries.stored(space).ids
    write(space, day(90), np.array([names.index("new")]))
    assert {name for name, values in kept(space).items() if values != before[name]} == {"new"}
    assert kept(space)["new"][5] == day(90)


def test_scoring_a_space_leaves_others_as_they_are_and_nothing_of_before(space: Space) -> None:
    other = Space.objects.create(name="other", digest_key="0f" * 32)
    born = {"state": 0, "source": "x", "trust": 0.5, "band": 2}
    Score.objects.create(space=other, fact_id=900_001, **born)
    Score.objects.create(space=space, fact_id=900_002, **born)
    write(space, NOW)
    assert Score.objects.filter(space=other).count() == 1
    assert len(kept(space)) == Score.objects.filter(space=space).count() == 3


def named(space: Space) -> list[tuple[str, str, int]]:
    return sorted(Mention.objects.filter(space=space).values_list("fact__name", "entity", "at"))


def test_a_fact_mentions_each_entity_once(space: Space) -> None:
    Fact.objects.filter(name="old").update(subject="Ana", object="tea", entities='["tea", "Ana", "cup"]')
    Fact.objects.filter(name="new").update(object="tea")
    for _ in range(2):
        mentions.fill(space)
        assert named(space) == [
            ("new", "tea", day(2)),
            ("old", "Ana", day(0)),
            ("old", "cup", day(0)),
            ("old", "tea", day(0)),
        ]


def test_the_mentions_by_a_few_facts_are_written_anew(space: Space) -> None:
    Fact.objects.filter(space=space).update(subject="Ana")
    mentions.fill(space)
    Fact.objects.filter(name="new").update(subject="Ben")
    Fact.objects.filter(name="old").update(subject="")
    mentions.replace(space, Fact.objects.filter(name__in=["new", "old"]).values_list("pk", flat=True))
    assert named(space) == [("gone", "Ana", day(1)), ("new", "Ben", day(2))]


def test_the_longest_subject_is_a_mention_too(space: Space) -> None:
    longest = "\U00020000" * 100_000
    Fact.objects.filter(name="old").update(subject=longest, object=longest[:-1])
    mentions.fill(space)
    assert [entity for _, entity, _ in named(space)] == [mentions.known_as(longest)]
