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
    "corners": "5cd41dd351f68e2fc4839d6c35ad39695b978b60ebc2d9eda9740c6b21666eec",
    "corners-early": "0b856a99322eaf564a05df603f193f9c2b7ce05e6d3c2c476a25c73559ccf154",
    "scenario-1": "4cd4c75d301eb512524c7079ba4c110c77c858df07a0c54de887259fc9a8811a",
    "scenario-2": "fae409b65e7249c66cdcc4031999d3a29e2dd544a2c77697b3604dbec5123120",
    "scenario-3": "941e9bee42138e4633eb534c616f62c7bd5f80fc23e6c1cbba315b992b1d8815",
    "scenario-4": "9c109cce5577c9aaabfbcd19cf3303e6d4613524402b16846974f27050e1f12e",
    "scenario-5": "645b85f7132154081d4ee1311970f26a6b37665e7b06b32fdef855ab353c3278",
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
