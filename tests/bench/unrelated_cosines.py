"""How near in meaning texts lie that have nothing to do with each other: where an embedder's `unrelated` comes from.

    DJANGO_SETTINGS_MODULE=trustmem.settings python tests/bench/unrelated_cosines.py FOLDER [hashed|minilm] [texts]

FOLDER holds `stores-with-contradictions/letta_core_memory.jsonl` and `interchange/*.jsonl*`; they are no part of the
project. Texts of different stores are taken to have nothing to do with each other, which is nearly so. Printed are
quantiles of the cosines of such texts, and of some words of one to others. Then, for words with a slip of the pen in
each: how many of them find the text that they are from above a cosine, among the ten nearest of all; and how many texts
of other stores lie above that, in the mean, and in how many searches none does.
"""

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from trustmem.actions.embedders import EMBEDDERS

QUANTILES = (0.5, 0.9, 0.99, 0.999, 0.9999)
FLOORS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
_SEED, _QUERIES, _LETTERS = 1, 2000, "abcdefghijklmnopqrstuvwxyz"


def stores(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The texts of each store, by its name."""
    for told in _lines(folder / "stores-with-contradictions" / "letta_core_memory.jsonl"):
        yield told["store"], [fact["text"] for fact in told["facts"]]
    for path in sorted((folder / "interchange").iterdir()):
        yield path.name, sorted({told["text"] for told in _lines(path) if told["type"] == "fact"})


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def slipped(word: str, chance: np.random.Generator) -> str:
    """A word with a letter left out, put in, swapped with the next, or another one."""
    at, letter = int(chance.integers(1, len(word) - 1)), _LETTERS[chance.integers(26)]
    before, here, after = word[:at], word[at], word[at + 1 :]
    ways = (
        before + after,
        before + letter + here + after,
        before + after[0] + here + after[1:],
        before + letter + after,
    )
    return ways[chance.integers(len(ways))]


def said(texts: list[str], words: int, slip: bool, chance: np.random.Generator) -> Iterator[tuple[int, str]]:
    """Some words of texts that few texts have, by the text that they are from."""
    counted = Counter(word for text in texts for word in set(_words(text)))
    for place in chance.permutation(len(texts))[:_QUERIES].tolist():
        rare = [word for word in _words(texts[place]) if counted[word] * 25 < len(texts)]
        if len(rare) >= words:
            taken = chance.choice(rare, words, replace=False).tolist()
            yield place, " ".join(slipped(word, chance) if slip else word for word in taken)


def _words(text: str) -> list[str]:
    return re.findall("[a-z]{5,}", text.casefold())


def main(folder: Path, name: str = "hashed", most: int = 8000) -> None:
    chance, embedder = np.random.default_rng(_SEED), EMBEDDERS[name]()
    told = [(store, text) for store, texts in stores(folder) for text in chance.permutation(texts)[:1500].tolist()]
    told = [told[place] for place in chance.permutation(len(told))[:most]]
    store, texts = np.array([store for store, _ in told]), [text for _, text in told]
    vectors = embedder.embed(texts)

    def cosines(asked: list[tuple[int, str]]) -> tuple[Any, Any]:
        """Those of what is asked to all texts, and which of these are of another store than what it is from."""
        return embedder.embed([text for _, text in asked]) @ vectors.T, store[[at for at, _ in asked]][:, None] != store

    print(f"{embedder.name}, {len(texts)} texts of {len({*store})} stores; quantiles {QUANTILES}")
    for what, asked in (
        ("texts", list(enumerate(texts))[:_QUERIES]),
        *((f"{n} words", list(said(texts, n, False, chance))) for n in (1, 2, 4)),
    ):
        found, is_other = cosines(asked)
        far = found[is_other]
        below = f"{np.mean(far < embedder.unrelated):.4f} below {embedder.unrelated}"
        print(f"{what:10}", *(f"{each:.3f}" for each in np.quantile(far, QUANTILES)), f"of {len(far)}; {below}")
    for n in (1, 2, 3, 4):
        asked = list(said(texts, n, True, chance))
        found, is_other = cosines(asked)
        own = found[np.arange(len(asked)), [at for at, _ in asked]]
        first = (found > own[:, None]).sum(axis=1) < 10
        print(f"{n} with slips: {np.mean(first):.2f} are among the ten nearest")
        for floor in FLOORS:
            others = ((found >= floor) & is_other).sum(axis=1)
            mine, none = np.mean((own >= floor) & first), np.mean(others == 0)
            print(f"    above {floor}: {mine:.2f}; {others.mean():.1f} others, for {none:.2f} none")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:3], *map(int, sys.argv[3:4]))
