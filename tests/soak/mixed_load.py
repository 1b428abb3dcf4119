"""Four processes of two threads each on one space, and a worker: `.ci/with-redis .venv/bin/python
tests/soak/mixed_load.py --seconds 60`.

Nobody may be locked out, no write may be lost, and of a hundred writes 99 take less than half a second. The database is
that of DATABASE_URL, which has to be empty, or a new file.
"""

import argparse
import os

from place import opened

#: Seconds that 99 of 100 writes take at most (case 075).
_SLOWEST = 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="how long (default: 60)")
    parser.add_argument("--facts", type=int, default=500, help="facts of the space (default: 500)")
    arguments = parser.parse_args()
    with opened() as broker:
        from tests.redis import killing, together

        space = killing.of_facts("diary", arguments.facts)
        took = together.loaded(space, os.environ["DATABASE_URL"], broker.url, seconds=arguments.seconds, threads=2)
    print(together.summary(took))
    assert took[-len(took) // 100] < _SLOWEST


if __name__ == "__main__":
    main()
