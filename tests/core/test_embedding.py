"""Vectors of texts without anything learnt."""

from zlib import crc32

import numpy as np

from trustmem.core.embedding import Hashed

SAID = [
    "The deploy key was rotated on Monday",
    "On Monday we rotated the deploy key",
    "Ana prefers tea to coffee",
    "Ana vive en Oporto desde 2021",
    "Desde 2021, Ana vive en Oporto",
    "東京に住んでいる",
    "東京に住んでいた",
    "大阪の天気は雨",
]


def test_what_is_said_in_other_words_lies_nearest():
    near = Hashed().embed(SAID) @ Hashed().embed(SAID).T
    np.fill_diagonal(near, -1)
    for one, other in [(0, 1), (3, 4), (5, 6)]:
        assert (near[one].argmax(), near[other].argmax()) == (other, one)
        assert near[one, other] > 0.5
    assert near[7].max() < 0.3


def test_letter_case_width_and_punctuation_mean_nothing():
    one, other = Hashed().embed(["It IS 5 o’clock!", "it is ５ o clock"])  # noqa: RUF001
    assert one.tobytes() == other.tobytes()


def test_rows_have_length_one_or_say_nothing():
    found = Hashed().embed([*SAID, "", " \n", "→ ✓", "x" * 100_000])
    assert (found.dtype, found.shape) == (np.float32, (12, 384))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), [1] * 8 + [0, 0, 1, 1], atol=1e-6)
    assert Hashed().embed([]).shape == (0, 384)


def test_a_text_has_its_vector_whatever_stands_beside_it():
    together = Hashed().embed(SAID)
    for text, row in zip(SAID, together, strict=True):
        assert Hashed().embed([text])[0].tobytes() == row.tobytes()


def test_every_machine_comes_to_the_same_bits_under_the_same_name():
    # Whoever changes a bit of these gives the embedder another name.
    assert (Hashed.name, crc32(Hashed().embed(SAID).tobytes())) == ("hashed-1", 737578912)
