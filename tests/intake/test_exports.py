"""`trustmem export`: a file that makes the space again, written whole or not at all."""

import os
import resource
import stat

import pytest

from tests.intake.terminal import NOW, fact, write


def test_an_export_makes_the_same_space_in_another_home(demo, home, tmp_path):
    first, second = demo, home
    first("erase", "door-code", "--yes")
    out = tmp_path / "out.jsonl"
    done = first("export", "--out", out)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert out.read_text("utf-8") == first("export").stdout
    assert "the back of the rota" not in out.read_text("utf-8")
    assert second("import", out).returncode == 0
    assert second("hash").stdout == first("hash").stdout
    assert second("verify", "--rebuild").returncode == 0


def test_what_is_written_anew_keeps_its_permissions_and_a_link_stays_one(demo, tmp_path):
    old, link = tmp_path / "old.jsonl", tmp_path / "link.jsonl"
    old.write_text("old")
    old.chmod(0o640)
    link.symlink_to(old)
    assert demo("export", "--out", link).returncode == 0
    assert link.is_symlink()
    assert old.read_text("utf-8") == demo("export").stdout
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert demo("export", "--out", tmp_path / "new.jsonl").returncode == 0
    assert stat.S_IMODE((tmp_path / "new.jsonl").stat().st_mode) == 0o600


def test_where_the_disk_is_full_the_old_file_stays_as_it_was(home, tmp_path):
    home("import", write(tmp_path / "f.jsonl", *(fact(f"f{number}", "x" * 5000) for number in range(100))))
    out = tmp_path / "folder" / "out.jsonl"
    out.parent.mkdir()
    out.write_text("old")
    room = 100_000  # less than the export takes
    done = home("export", "--out", out, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
    assert done.returncode == 1
    assert done.stderr == f"trustmem: {out}: cannot be written: File too large; it is as it was\n"
    assert out.read_text() == "old"
    assert os.listdir(out.parent) == ["out.jsonl"]


@pytest.mark.parametrize("target", ["nowhere/out.jsonl", "."])
def test_a_target_that_cannot_be_written_is_one_sentence(home, tmp_path, target):
    done = home("export", "--out", tmp_path / target)
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be written: " in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_device_is_written_to_and_a_full_one_is_no_success(demo):
    assert demo("export", "--out", "/dev/null").returncode == 0
    assert "No space left on device" in demo("export", "--out", "/dev/full").stderr


def test_only_scores_have_an_instant(home):
    done = home("export", "--now", NOW)
    assert done.returncode == 2
    assert "--now goes with --scores" in done.stderr
