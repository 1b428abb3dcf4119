"""How well and how fast each embedder that is installed finds, of 20 facts, the one that says the same in other words.

    python tests/bench/bench_embedders.py

The pairs are made up, half of them English; the rest is Spanish, Japanese and names of things in code. Beside it stands
that a text has the same vector alone as among others, to the last bit. `minilm` needs the extra of that name.
"""

import os
from time import perf_counter

import numpy as np

PAIRS = [
    ("The deploy key was rotated on Monday", "On Monday we rotated the key that deploys"),
    ("Ana prefers tea to coffee", "Of hot drinks, Ana likes tea better than coffee"),
    ("Backups run every night at two", "Each night at 2 o'clock a backup is made"),
    ("The staging database is read-only", "Nobody can write to the database of staging"),
    ("Carol leads the finance team", "The head of the finance team is Carol"),
    ("Invoices are paid within thirty days", "We have thirty days to pay an invoice"),
    ("The office moved to Porto", "Our office is in Porto since the move"),
    ("Logs are kept for a year", "We keep logs twelve months, a year"),
    ("Bo is allergic to peanuts", "Peanuts make Bo ill: an allergy"),
    ("Releases happen on Thursdays", "Thursday is the day on which we release"),
    ("Ana vive en Oporto desde 2021", "Desde 2021, Ana reside en Oporto"),
    ("El servidor se reinicia cada domingo", "Cada domingo reiniciamos el servidor"),
    ("El equipo usa PostgreSQL", "PostgreSQL es lo que usa el equipo"),
    ("La factura vence el viernes", "El viernes vence la factura"),
    ("東京に住んでいる", "住んでいるのは東京だ"),
    ("会議は月曜日に変更された", "月曜日に会議が変更された"),
    ("load_index reads config.toml", "config.toml is read by load_index"),
    ("The worker retries three times", "Three retries, then the worker gives up"),
    ("Use ruff, not flake8", "We lint with ruff instead of flake8"),
    ("api.acme.io is behind a proxy", "There is a proxy before api.acme.io"),
]


def measure():
    """Print what is measured."""
    from trustmem.actions.embedders import EMBEDDERS
    from trustmem.actions.errors import Refusal

    left, right = ([pair[side] for pair in PAIRS] for side in (0, 1))
    for name, make in EMBEDDERS.items():
        try:
            embedder = make()
        except Refusal as refusal:
            print(f"{name:8} {refusal}")
            continue
        cosine = embedder.embed(left) @ embedder.embed(right).T
        first = np.mean(cosine.argmax(axis=1) == np.arange(len(PAIRS)))
        texts, start = (left + right) * (50 if name == "hashed" else 2), perf_counter()
        many = embedder.embed(texts)
        rate = len(texts) / (perf_counter() - start)
        same = all(embedder.embed([text])[0].tobytes() == row.tobytes() for text, row in zip(left, many, strict=False))
        print(f"{embedder.name:20} first of {len(PAIRS)}: {first:.2f}; {rate:8.0f} texts/s; same alone: {same}")


def main():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trustmem.settings")
    measure()


if __name__ == "__main__":
    main()
