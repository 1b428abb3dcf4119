"""Many sequences of acts, each undone again: what there is then is what there was.

    .venv/bin/python tests/soak/undone_sequences.py --sequences 1000
    .ci/with-postgres .venv/bin/python tests/soak/undone_sequences.py --sequences 1000

Of four, two are undone newest first with no pass in between, one with passes, and one in any order or around what is
final. Without a DATABASE_URL it works in a file of SQLite that is gone afterwards. It prints a seed a line, and says in
the last whether all was well, as does its status.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path


def main() -> int:
    given = _arguments()
    with tempfile.TemporaryDirectory(prefix="trustmem-soak-") as folder:
        os.environ.setdefault("DATABASE_URL", f"sqlite:///{folder}/soak.sqlite3")
        os.environ |= {"TRUSTMEM_HOME": folder, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        sys.path.insert(0, str(Path(__file__).parents[2]))
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        return _all_of(given)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--minutes", type=float, default=0, help="begin no other sequence after so long; 0: however long"
    )
    return parser.parse_args()


def _all_of(given: argparse.Namespace) -> int:
    began, wrong, done = time.monotonic(), list[str](), 0
    for seed in range(given.first, given.first + given.sequences):
        found = _amiss(seed)
        print(seed, *found, sep="\n  ", flush=True)
        wrong += [f"seed {seed}: {each}" for each in found]
        done += 1
        if given.minutes and time.monotonic() - began > given.minutes * 60:
            break
    minutes = (time.monotonic() - began) / 60
    verdict = f"{len(wrong)} went wrong" if wrong else "all came to what there was"
    print(f"{done} sequences, from seed {given.first}, {minutes:.1f} min: {verdict}")
    return bool(wrong)


def _amiss(seed: int) -> list[str]:
    """What is wrong after a sequence, which leaves nothing."""
    from django.db import transaction

    from tests.actions import sequences

    apart = (sequences.amiss_in_any_order, sequences.amiss_but_for_what_is_final)[seed // 4 % 2]
    ways = (sequences.amiss_without_passes, sequences.amiss_without_passes, sequences.amiss_amid_passes, apart)
    with transaction.atomic():
        found = ways[seed % 4](sequences.world("lived"), sequences.world("beside"), seed)
        transaction.set_rollback(True)
    return found


if __name__ == "__main__":
    sys.exit(main())
