"""Many made-up histories, each told in many orders, every line twice, in parts cut otherwise: one state hash for each.

    .venv/bin/python tests/soak/random_histories.py --histories 1000 --orders 20
    .ci/with-postgres .venv/bin/python tests/soak/random_histories.py --histories 1000 --orders 20

Without a DATABASE_URL it works in a file of SQLite that is gone afterwards. It prints a seed and its hash a line, which
are to be the same on both databases (`diff` tells), and says in the last whether all was well, as does its status.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path


def main() -> int:
    given = _arguments()
    with tempfile.TemporaryDirectory(prefix="trustmem-soak-") as folder:
        os.environ.setdefault("DATABASE_URL", f"sqlite:///{folder}/soak.sqlite3")
        return _all_of(given)


def _all_of(given: argparse.Namespace) -> int:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trustmem.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    began, wrong, done = time.monotonic(), list[str](), 0
    for seed in range(given.first, given.first + given.histories):
        wrong += _wrong(seed, given.orders)
        done += 1
        if given.minutes and time.monotonic() - began > given.minutes * 60:
            break
    for each in wrong:
        print(each, file=sys.stderr)
    minutes = (time.monotonic() - began) / 60
    verdict = f"{len(wrong)} went wrong" if wrong else "all came to the same"
    print(f"{done} histories in {given.orders} orders each, from seed {given.first}, {minutes:.1f} min: {verdict}")
    return bool(wrong)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--histories", type=int, default=1000)
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--minutes", type=float, default=0, help="begin no other history after so long; 0: however long"
    )
    return parser.parse_args()


def _wrong(seed: int, orders: int) -> list[str]:
    """What of a history comes out otherwise in some order, or is not stored as its lines say."""
    from tests.actions.test_random_histories import history, shuffled, space_of
    from trustmem.actions.verify import verify
    from trustmem.store.state_hash import state_hash

    told = history(seed)
    with space_of(told) as space:
        right = state_hash(space)
        wrong = [f"seed {seed}: {each}" for each in verify(space, rebuild=True)]
    print(seed, right, flush=True)
    for order in range(orders):
        with space_of(*shuffled(told, random.Random(order))) as space:
            if state_hash(space) != right:
                wrong.append(f"seed {seed}, order {order}: another state hash")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
