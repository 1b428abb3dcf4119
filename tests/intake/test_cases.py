"""Faults that other people's importers had (tests/cases): what is right, through `trustmem import`."""

import ctypes
import json
import os
import re
import shutil
import time
import unicodedata

from tests.intake.terminal import ROOT, fact, write
from tests.intake.test_imports import balance

CASES = ROOT / "tests/cases"


def case(number):
    """Its files, and what its check says."""
    (given,) = CASES.glob(f"{number}-*.case.json")
    told = json.loads(given.read_text("utf-8"))
    return [CASES / name for name in told.get("files", ())], told["check"]


def as_facts(file, at="created_at"):
    """Rows of a case whose own format is not read yet, as lines of an interchange file."""
    rows = map(json.loads, file.read_text("utf-8").splitlines())
    return [
        {**{name: value for name, value in row.items() if name != at}, "type": "fact", "at": row[at]} for row in rows
    ]


def exported(home):
    return [json.loads(line) for line in home("export").stdout.splitlines()]


def texts(home):
    return [each["text"] for each in exported(home) if each["type"] == "fact"]


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


def test_001_an_instant_is_kept_exactly_and_its_day_is_that_of_utc(home, tmp_path):
    (given,), check = case("001")
    rows = json.loads(given.read_text("utf-8"))
    home("import", write(tmp_path / "f.jsonl", *(fact(row["id"], row["memory"], row["created_at"]) for row in rows)))
    assert {each["id"]: each["at"] for each in exported(home) if each["id"] in check["instants"]} == check["instants"]
    days = [run.partition("@")[2] for (run,) in home.sql("SELECT run FROM store_fact")]
    assert {day: days.count(day) for day in days} == check["utc_day_counts"]


def test_003_a_number_for_a_time_is_rejected_with_its_line_and_never_taken_for_1970(home, tmp_path):
    (given,), _ = case("003")
    rows = as_facts(given)
    told = home.json("import", write(tmp_path / "f.jsonl", fact("f"), *rows), "--json")[0]
    assert [each["number"] for each in told["amiss"]] == [2, 3, 4, 5]
    assert {each["reason"] for each in told["amiss"]} == {'"at" must be a time written as a text'}
    assert home.sql("SELECT COUNT(*) FROM store_fact") == [(1,)]


def test_005_a_clock_that_steps_back_strengthens_nothing_and_redates_nothing(home, tmp_path):
    _, check = case("005")
    early, late = "2026-05-01T11:00:00Z", "2026-05-01T12:00:00Z"
    born = fact("a", "The mirror syncs every hour.", "2026-05-01T11:59:00Z", source="agent-a", run="r1")
    passes = [{"type": "pass", "at": at} for at in (late, early)]
    home("import", write(tmp_path / "f.jsonl", born, *passes), "--now", late)
    clocks = [clock for (clock,) in home.sql("SELECT clock FROM store_pass ORDER BY instant")]
    assert len(clocks) == check["passes_recorded"]
    assert clocks == sorted(clocks)
    before = home("export").stdout
    refused = home("consolidate", "--at", "2026-05-01T11:30:00Z")
    assert (refused.returncode, "is not later than the last one" in refused.stderr) == (2, True)
    (back,), (newborn,) = (home.json("show", "--json", "--now", now) for now in (early, born["at"]))
    assert back["trust"] == newborn["trust"] <= check["max_trust"]
    assert back["freshness"] == newborn["freshness"]
    assert back["notices"] == ["future-time"]
    assert home("export").stdout == before


def test_007_added_passes_keep_to_utc_where_the_clocks_change_and_none_is_taken_twice(home, tmp_path):
    _, check = case("007")
    weeks = [("2026-03-28T01:30:00+01:00", "2026-03-31T02:30:00+02:00")]
    weeks += [("2026-10-24T02:30:00+02:00", "2026-10-27T01:30:00+01:00")]
    for _ in range(2):
        for number, (first, last) in enumerate(weeks):
            file = write(tmp_path / f"{number}.jsonl", *(fact(at, at=at) for at in (first, last)))
            assert home("import", file, "--pass-every", "1d").returncode == 0
        taken = [each["at"] for each in exported(home) if each["type"] == "pass"]
        assert len(taken) == len(set(taken)) == check["passes"]
        assert {at[10:] for at in taken} == {"T00:30:00Z"}


def test_009_an_export_comes_back_into_its_space_as_known_to_the_microsecond(home, tmp_path):
    (given,), check = case("009")
    home("import", write(tmp_path / "f.jsonl", *as_facts(given)))
    before = home("hash").stdout
    home("export", "--out", tmp_path / "export.jsonl")
    again = home("import", tmp_path / "export.jsonl")
    new, known, *amiss = balance(again)
    assert (new, amiss) == (check["second_import"]["added"], [0, 0, 0])
    assert known == len(exported(home)) > check["second_import"]["unchanged"]
    assert home("hash").stdout == before
    ats = [each["at"] for each in exported(home) if each["type"] == "fact"]
    assert ats == ["2026-01-05T07:09:10Z", "2026-01-05T07:09:10.000001Z", "2026-01-05T07:09:10.123456Z"]


def test_011_an_older_claim_that_comes_later_stands_above_nothing(new_home, tmp_path):
    (new, old), check = case("011")
    files = [write(tmp_path / each.name, *as_facts(each)) for each in (new, old)]
    hashes = []
    for order in (files, files[::-1]):
        home = new_home()
        for file in order:
            home("import", file)
        home("consolidate", "--at", "2026-03-01T00:00:00Z")
        hashes.append(home("hash").stdout)
        flags = {row["id"]: row["flags"] for row in home.json("show", "--json", "--now", "2026-03-01T00:00:00Z")}
        assert all("superseded" not in flags[id] for id in check["not_superseded"])
    assert hashes[0] == hashes[1]


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


def test_021_composed_and_decomposed_letters_are_one_fact_that_two_sources_tell(home, tmp_path):
    (given, _), check = case("021")
    (line,) = [each for each in given.read_text("utf-8").splitlines() if each.startswith("- [fact]")]
    forms = [unicodedata.normalize(form, line.removeprefix("- [fact] ")) for form in ("NFC", "NFD")]
    assert forms[0] != forms[1]
    for number, text in enumerate(forms):
        file = write(tmp_path / f"{number}.jsonl", entity("cafe", text))
        assert home("import", file, "--source", f"notes-{number}").returncode == 0
    assert texts(home) == forms[:1]
    mentions = [each for each in exported(home) if each["type"] == "fact" or each.get("kind") == "restated"]
    assert len(mentions) == check["mentions"]


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


def test_029_what_a_file_leaves_out_when_it_comes_again_blanks_nothing(home, tmp_path):
    (first, second), check = case("029")
    told, again = as_facts(first)[0], json.loads(second.read_text("utf-8"))
    home("import", write(tmp_path / "1.jsonl", told))
    before = home("hash").stdout
    refused = home("import", write(tmp_path / "2.jsonl", {**again, "type": "fact", "at": told["at"]}))
    assert (refused.returncode, balance(refused)) == (3, [0, 0, 1, 0, 0])
    (fact,) = [each for each in exported(home) if each["type"] == "fact"]
    assert (fact["tags"], fact["subject"]) == (check["tags"]["k-1"], check["subject"]["k-1"])
    assert home("hash").stdout == before


def test_029_what_a_memory_file_leaves_out_when_it_comes_again_blanks_nothing(home, tmp_path):
    full = entity("drill bits", {"text": "They are in drawer four.", "tags": ["tools", "workshop"]})
    home("import", write(tmp_path / "1.jsonl", full))
    before, was = home("hash").stdout, exported(home)
    bare = {"type": "entity", "name": "drill bits", "observations": ["They are in drawer four."]}
    assert balance(home("import", write(tmp_path / "2.jsonl", bare))) == [0, 2, 0, 0, 0]
    assert (home("hash").stdout, exported(home)) == (before, was)


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


def test_057_what_is_forgotten_is_in_no_answer_but_the_history_and_its_own(home, tmp_path):
    word, other = fact("a", "The code word is PERIWINKLE-42."), fact("b", "The code word is changed weekly.")
    joined = {"type": "edge", "id": "e", "from": "b", "to": "a", "relation": "extends", "at": "2026-01-06T09:00:00Z"}
    home("import", write(tmp_path / "f.jsonl", word, other, joined))
    asked = [("show",), ("show", "--json"), ("show", "b"), ("explain", "b"), ("explain", "b", "--json")]
    asked += [("export", "--scores"), ("passes",), ("space", "list")]
    assert sum("PERIWINKLE-42" in home(*each).stdout for each in asked) >= 2
    home("forget", "a")
    assert [each for each in asked if "PERIWINKLE-42" in home(*each).stdout] == []
    assert "(forgotten)" in home("show").stdout
    # A history makes the space again, so that it can be restored there too: it is a backup, and no answer.
    assert "PERIWINKLE-42" in home("export").stdout


def test_063_undoing_a_forgetting_brings_back_the_hash_also_where_passes_were_taken_meanwhile(new_home, tmp_path):
    at = "2026-01-02T00:00:00Z"
    (given,) = CASES.glob("063-*.case.json")
    steps = json.loads(given.read_text("utf-8"))["steps"]
    facts = [fact(each["alias"], each["text"], each["at"], run=each["run"]) for each in steps if "text" in each]
    edges = [
        {"type": "edge", "id": f"e{place}", "relation": each["type"], **{name: each[name] for name in ("from", "to")}}
        for place, each in enumerate(steps)
        if each["do"] == "edge"
    ]
    lived, alone = new_home(), new_home()
    for home in (lived, alone):
        home("import", write(tmp_path / "f.jsonl", *facts, *({**each, "at": at} for each in edges)))

    def a_pass(second):
        for home in (lived, alone):
            assert home("consolidate", "--at", f"2026-03-01T00:00:0{second}Z").returncode == 0

    a_pass(0)
    before = lived("hash").stdout
    forgotten = lived("forget", "b").stdout
    assert lived("hash").stdout != before
    a_pass(1)
    lived("undo", re.search(r"trustmem undo (\S+) ", forgotten)[1])
    a_pass(2)
    assert lived("hash").stdout == alone("hash").stdout
    assert lived("verify", "--rebuild").returncode == 0


def test_067_what_is_said_to_be_forgotten_is_gone_for_every_other_process(home, tmp_path):
    home("import", write(tmp_path / "f.jsonl", fact("a", "The kite is in the loft.", "2026-01-01T00:00:00Z")))
    assert "kite" in home("show").stdout
    assert home("forget", "a").returncode == 0
    assert "kite" not in home("show").stdout
    assert home.json("show", "a", "--json")[0]["state"] == "forgotten"
    assert home.sql("SELECT name FROM store_fact WHERE state = 0") == []
    again = home("forget", "a")
    assert (again.returncode, "is forgotten already" in again.stderr) == (2, True)
