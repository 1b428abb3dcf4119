"""Faults that other people's importers had (tests/cases): what is right, through `trustmem import`."""

import ctypes
import json
import os
import shutil
import time

from tests.intake.terminal import ROOT, fact, write
from tests.intake.test_imports import balance

CASES = ROOT / "tests/cases"


def case(number):
    """Its files, and what its check says."""
    (given,) = CASES.glob(f"{number}-*.case.json")
    told = json.loads(given.read_text("utf-8"))
    return [CASES / name for name in told["files"]], told["check"]


def texts(home):
    return [json.loads(line)["text"] for line in home("export").stdout.splitlines() if '"type":"fact"' in line]


def rejects(home):
    """Number, reason and bytes of what is kept of each line that was not understood."""
    lines = home.sql("SELECT space_id, position, body FROM store_line WHERE tag = 'rejected' ORDER BY position")
    kept = dict(home.sql("SELECT position, body FROM store_text"))
    return [(json.loads(body)["number"], json.loads(kept[position])) for _, position, body in lines]


def as_anybody():
    """Permissions do not bind root; without CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH they do."""
    if os.geteuid() == 0:
        for capability in (1, 2):
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def entity(name, *observations):
    return {"type": "entity", "name": name, "entityType": "thing", "observations": observations}


def test_013_a_torn_line_costs_no_other_and_is_kept_verbatim(home, tmp_path):
    (file,), check = case("013")
    done = home("import", file)
    assert done.returncode == 3
    assert balance(done)[-1] == len(check["rejected"])
    assert len(texts(home)) == check["observations"]
    assert home.sql("SELECT COUNT(*) FROM store_link") == [(check["relations"],)]
    torn = file.read_bytes().splitlines(keepends=True)[1]
    ((number, kept),) = rejects(home)
    assert ([number], kept["raw"]) == (check["rejected"], torn.decode())

    lines = file.read_text("utf-8").splitlines()
    mended = [lines[0], entity("report-job", "It runs at night."), *lines[2:]]
    again = home("import", write(tmp_path / "mended.jsonl", *mended))
    assert again.returncode == 0
    assert balance(again)[0] == 2  # the entity, and what is observed of it


def test_015_a_line_that_was_cut_off_is_kept_as_such(home):
    (file,), check = case("015")
    done = home("import", file)
    assert done.returncode == 3
    assert len(texts(home)) == check["observations"]
    ((number, kept),) = rejects(home)
    assert [number] == check["rejected"]
    assert "ends inside a value" in kept["reason"]
    assert "ends inside a value" in done.stderr


def test_017_a_mark_and_carriage_returns_are_as_if_they_were_not_there(home):
    (file,), check = case("017")
    done = home("import", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(texts(home)) == check["observations"]
    assert sum("\r" in text for text in texts(home)) == check["texts_with_cr"]


def test_019_a_text_with_nul_is_rejected_on_every_database_and_the_others_are_taken(home):
    (file,), check = case("019")
    done = home("import", file)
    assert done.returncode == 3
    assert len(texts(home)) >= check["observations_min"]
    ((number, kept),) = rejects(home)
    assert number == 2
    assert "\\u0000A3 pages" in kept["raw"]


def test_025_a_long_text_is_stored_to_its_last_letter_or_rejected_with_the_limit(home, tmp_path):
    (file,), _ = case("025")
    assert home("import", file).returncode == 0
    (observation,) = json.loads(file.read_text("utf-8"))["observations"]
    assert texts(home) == [observation]
    assert "QUARTZ-81" in observation
    longer = home("import", write(tmp_path / "f.jsonl", entity("manual-2", "x" * 100_001)))
    assert longer.returncode == 3
    assert "is 100001 characters long; the limit is 100000" in longer.stderr


def test_027_a_relation_to_nowhere_heals_when_its_end_comes(home):
    (first, later), check = case("027")
    dangling = """
        SELECT COUNT(*) FROM store_link WHERE from_entity NOT IN (SELECT name FROM store_entity)
        OR to_entity NOT IN (SELECT name FROM store_entity)
    """.strip()
    for file, right in ((first, check["after_first"]), (later, check["after_second"])):
        assert home("import", file).returncode == 0
        assert len(texts(home)) == right["observations"]
        assert home.sql(dangling) == [(right["dangling"],)]
        for each in (["show"], ["export"], ["export", "--scores"], ["verify", "--rebuild"]):
            assert home(*each).returncode == 0


def test_033_what_is_nested_too_deep_is_a_rejected_line_and_quickly_told(home, tmp_path):
    (given,), check = case("033")
    # The case's own lines are of no format that is read yet; between two facts, the deep one stands where it stood.
    lines = given.read_bytes().splitlines(keepends=True)
    for number in set(range(1, len(lines) + 1)) - set(check["rejected"]):
        lines[number - 1] = json.dumps(fact(f"f{number}")).encode() + b"\n"
    file = tmp_path / "deep.jsonl"
    file.write_bytes(b"".join(lines))
    start = time.monotonic()
    done = home("import", file, "--json")
    assert time.monotonic() - start < 10 * check["seconds_max"]
    told = json.loads(done.stdout)
    assert (told["new"], [each["number"] for each in told["amiss"]]) == (check["facts"], check["rejected"])
    assert [each["reason"] for each in told["amiss"]] == ["is nested deeper than 64 levels, the limit"]
    assert home("import", file).returncode == 3


def test_035_a_file_that_cannot_be_read_is_not_taken_for_empty(home, file_of_home, tmp_path):
    (given,), check = case("035")
    file = tmp_path / "memory.jsonl"
    shutil.copy(given, file)
    file.chmod(0o000)
    imported = home("import", file, preexec_fn=as_anybody)
    exported = home("export", "--out", file, preexec_fn=as_anybody)
    file.chmod(0o600)
    assert imported.returncode == 2
    assert "cannot be read: " in imported.stderr
    assert exported.returncode == 1
    assert "cannot be written: " in exported.stderr
    assert file.read_bytes() == given.read_bytes()
    assert len(texts(home)) == check["facts"]
