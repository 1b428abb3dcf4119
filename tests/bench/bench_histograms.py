"""All histograms of a space of 100 000 facts with 1 000 000 touches, against those of a tenth of that.

    python tests/bench/bench_histograms.py [rounds]

Both take turns in one run; medians. The goal is that the time grows as the facts do: an exponent of at most 1.1. Beside
it stands what that is per fact, and how much memory of its own it takes.
The database is the one that DATABASE_URL names, or a SQLite file that is gone afterwards.
"""

import math
import os
import sys
import tempfile

from bench_pass import memory
from turns import medians

FEW, MANY = 10_000, 100_000
GOAL = 1.1


def measure(rounds: int) -> None:
    """Print what is measured."""
    from spaces import NOW, build

    from trustmem.actions.histograms import count

    few, many = build("few", FEW), build("many", MANY)
    with memory() as megabytes:
        found = medians({space.name: lambda space=space: count(space, now=NOW) for space in (few, many)}, rounds)
    for name, size in (("few", FEW), ("many", MANY)):
        print(f"{size:8} facts{found[name]:10.0f} ms{1e3 * found[name] / size:8.1f} µs a fact")
    print(f"memory{max(megabytes) - megabytes[0]:8.0f} MB at most, beside what it was before")
    exponent = math.log(found["many"] / found["few"]) / math.log(MANY / FEW)
    print(f"exponent{exponent:8.2f}; goal: at most {GOAL}")


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        measure(rounds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
