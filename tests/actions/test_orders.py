"""A space is a function of the set of its lines: any order, any repetition, any split, either database."""

import gzip
import random
from pathlib import Path

import pytest

from tests.core.test_scenarios import SCENARIOS, VECTORS
from tests.makers import day
from trustmem.actions import exports, imports, spaces
from trustmem.actions.verify import verify
from trustmem.core.instants import span
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

#: What each scenario came to on the first database that it was imported into.
HASHES = {
    "corners": "9126db59e6670cf5cdd94800e940e7a2188bfe55eb74c3a0517b30620fdc36ab",
    "corners-early": "8b182ae631a29116b8b81296b2bd73cd6eb6b09cb757209522cbcdde7c892436",
    "scenario-1": "c25dcfe878c8e9885e00a66c14a84c4c7ede0df28dbfee7fbb54a14d146eba3f",
    "scenario-2": "455e747085fccfc3af4ed8b4458085a0506f19b2623ecd82c28f2c3a3f703210",
    "scenario-3": "521646eeedb124fe3deb6499ba8e8979b5f4bb86d36de319e905db00fac2f757",
    "scenario-4": "5c14f91c122353d87dd2f8a0cbb42a31c9715ab28adff07ef5602b72dc9894d2",
    "scenario-5": "1b12af2f4bc40673cb4a6896def6d576da6b16d9ac3f4d5564232add485f688f",
}


def lines_of(name: str) -> list[bytes]:
    return (VECTORS / "scenarios" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)


def hash_of(*batches: list[bytes]) -> str:
    space = spaces.create(f"space {random.random()}")
    for number, batch in enumerate(batches):
        imports.import_lines(space, batch, file=f"part {number}", by="ana", now=day(400 + number))
    return state_hash(space)


@pytest.mark.parametrize("name", SCENARIOS)
def test_both_databases_give_a_scenario_one_hash(name):
    assert hash_of(lines_of(name)) == HASHES[name]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", SCENARIOS)
def test_order_repetition_and_split_change_no_hash(name, seed):
    chance, lines = random.Random(seed), lines_of(name)
    # In a space that has passes, what comes in has arrived now: so they come with the last part.
    passes = [line for line in lines if b'"pass"' in line]
    told = [line for line in lines if line not in passes] * 2
    chance.shuffle(told)
    cuts = sorted(chance.sample(range(len(told)), 2))
    parts = [told[: cuts[0]], told[cuts[0] : cuts[1]], told[cuts[1] :] + passes]
    assert hash_of(*parts) == HASHES[name]


@pytest.mark.realdata
@pytest.mark.parametrize(("name", "every"), [("mcp-think-tank.jsonl", 1), ("endoflife.jsonl.gz", 90)])
def test_a_real_history_is_stored_as_it_says_and_comes_back_from_its_export(realdata: Path, name, every):
    packed = (realdata / "interchange" / name).read_bytes()
    raw = (gzip.decompress(packed) if name.endswith("gz") else packed).splitlines(keepends=True)
    space = spaces.create("first")
    imports.import_lines(space, raw, file=name, by="ana", now=day(400), every=span(every))
    assert verify(space, rebuild=True) == []
    exported, before = list(exports.export(space)), state_hash(space)
    space.name = "renamed"
    space.save(update_fields=["name"])
    again = spaces.create("again")
    imports.import_lines(again, exported, file="an export", by="ana", now=day(500))
    assert state_hash(again) == before
