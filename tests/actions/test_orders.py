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
    "corners": "547e6b9f9bfa1c22545434a67e94526ca5be169f55cbcad23b327ebc0a6246e2",
    "corners-early": "41ed9bfec4dbadd03777859736d3aaecf9c5aa8243f4d42cb73965e07fc959b0",
    "scenario-1": "c25dcfe878c8e9885e00a66c14a84c4c7ede0df28dbfee7fbb54a14d146eba3f",
    "scenario-2": "7a146367bd70747913da7e252ac6d52ae87b97e8de712989876385a9463902e1",
    "scenario-3": "44b425a9f2c8e97342ec4fa9f9e89cdb06d4ae87d1938bb6fe4c1c7bb38ae401",
    "scenario-4": "000c0f0f0ecee94ecb5aada155cecf6387cb3dde21aca0469b723efbffcc0f94",
    "scenario-5": "993cbcdaa973e7d739f534b2958e9f55f105dc58b5233792ee597b27b5e00bf6",
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
