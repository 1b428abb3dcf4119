"""Kill workers amid passes, many times: `.ci/with-redis .venv/bin/python tests/soak/kill_workers.py --times 1000`.

Nothing may be lost or done by half, and all is done within a minute of a restart. The database is that of DATABASE_URL,
which has to be empty, or a new file.
"""

import argparse
import os
import secrets

from place import opened

#: Passes of one space.
_AT_A_TIME = 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=1000, help="kills (default: 1000)")
    parser.add_argument("--facts", type=int, default=2000, help="facts of a space (default: 2000)")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    took = list[float]()
    with opened() as broker:
        for begun in range(0, arguments.times, _AT_A_TIME):
            times = min(_AT_A_TIME, arguments.times - begun)
            took += _space(broker, begun, arguments.facts, times, arguments.seed + begun)
            print(f"{len(took)} kills, nothing lost; done {max(took):.1f} s after a restart at the latest", flush=True)


def _space(broker, begun: int, facts: int, times: int, seed: int) -> list[float]:
    """Kill workers amid the passes of a space; the seconds that each pass took after that."""
    from tests.redis import killing
    from trustmem.actions.verify import verify
    from trustmem.store.state_hash import state_hash

    space = killing.of_facts(f"space-{begun}", facts)
    took = killing.lived_through(space, os.environ["DATABASE_URL"], times, seed, BROKER_URL=broker.url)
    space.refresh_from_db()
    assert max(took) < killing.RECOVERY
    assert verify(space, rebuild=True) == [], f"the space of seed {seed} does not follow from its lines"
    expected = state_hash(killing.undisturbed(f"undisturbed-{begun}", facts, times))
    assert state_hash(space) == expected, f"the space of seed {seed} is not as it is undisturbed"
    return took


if __name__ == "__main__":
    main()
