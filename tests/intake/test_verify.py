"""`trustmem verify`: says that nothing was changed, or what was and where; signs that, and checks what was signed."""

import json
import re
import stat

import pytest


def test_a_space_as_it_was_written_is_found_so_and_its_head_is_told(demo):
    done = demo("verify", "--rebuild")
    assert done.returncode == 0
    assert done.stdout.splitlines()[:2] == [
        "230 lines, and each is as it was written.",
        "What is stored beside them is what they come to.",
    ]
    ((position, digest),) = demo.sql("SELECT head_position, head_digest FROM store_space")
    assert f"head {digest} at {position}" in done.stdout


@pytest.mark.parametrize(
    ("tampering", "finding"),
    [
        ("UPDATE store_line SET at = at + 1 WHERE position = 17", "line 17 is not as it was written"),
        ("UPDATE store_text SET body = '{}' WHERE position = 17", "line 17 has another text than was written"),
        ("DELETE FROM store_line WHERE position = 228", "line 228 is missing"),
    ],
)
def test_a_tampered_line_is_found_where_it_is(demo, tampering, finding):
    demo.sql(tampering)
    for more in ([], ["--rebuild"]):
        done = demo("verify", *more)
        assert done.returncode == 1
        assert finding in done.stdout
        assert done.stderr == ""


@pytest.mark.parametrize(
    ("tampering", "finding"),
    [
        (
            "UPDATE store_fact SET derived = 0.123 WHERE name = 'api-port'",
            r'fact "api-port": derived is stored as 0.123;',
        ),
        (
            "UPDATE store_fact SET text = 'Port 1.' WHERE name = 'api-port'",
            r'fact "api-port": text is stored as "Port 1."',
        ),
        ("DELETE FROM store_touch WHERE kind = 0", r"touch .* is not stored, and follows from the lines"),
        ("UPDATE store_edge SET live = NOT live", r"edge .*: live is stored as"),
    ],
)
def test_what_is_stored_beside_the_lines_is_compared_with_what_they_come_to(demo, tampering, finding):
    demo.sql(tampering)
    assert demo("verify").returncode == 0
    done = demo("verify", "--rebuild")
    assert done.returncode == 1
    assert re.search(finding, done.stdout)
    assert demo("verify", "--rebuild").stdout == done.stdout  # it was not put right behind anybody's back


@pytest.fixture
def report(demo, tmp_path):
    done = demo("verify", "--report", tmp_path / "report.json")
    assert done.returncode == 0
    return tmp_path / "report.json"


def fingerprint(home):
    """That of the key, as a command tells it."""
    done = home("verify", "--report", "/dev/null")
    return re.search(r"signed by the key ([0-9a-f]{64})", done.stdout)[1]


def test_what_was_found_is_written_as_a_report_by_a_key_that_is_the_owners_alone(demo, report):
    told = json.loads(report.read_text())
    ((position, digest),) = demo.sql("SELECT head_position, head_digest FROM store_space")
    assert (told["head"], told["problems"]) == ({"position": position, "digest": digest}, 0)
    key = demo.folder / "instance-key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    again = demo("verify", "--rebuild", "--report", report)
    assert again.returncode == 0
    assert json.loads(report.read_text())["checked"] == ["lines", "folds"]
    assert json.loads(report.read_text())["public"] == told["public"]


def test_a_report_is_checked_without_a_database(demo, report):
    key = fingerprint(demo)
    demo.environment |= {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing", "TRUSTMEM_HOME": "/nowhere"}
    done = demo("verify", "--check", report, "--key", key)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        rf"{report}: the report holds: \d+ lines up to the head [0-9a-f]{{64}} of \"\S+\", at \S+Z, each as it was "
        rf"written; signed by the key {key}\n",
        done.stdout,
    )
    alone = demo("verify", "--check", report)
    assert (alone.returncode, alone.stdout) == (0, done.stdout)
    assert "whose key that is, a report cannot say" in alone.stderr


def test_the_key_may_stand_in_a_file(demo, report, tmp_path):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    (tmp_path / "raw").write_text(json.loads(report.read_text())["public"] + "\n")
    other = Ed25519PrivateKey.generate().public_key()
    (tmp_path / "pem").write_bytes(other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    assert demo("verify", "--check", report, "--key", tmp_path / "raw").returncode == 0
    refused = demo("verify", "--check", report, "--key", tmp_path / "pem")
    assert refused.returncode == 2
    assert refused.stderr == f"trustmem: {report}: it is signed by another key, {fingerprint(demo)}\n"
    (tmp_path / "none").write_text("no key")
    assert "is neither a fingerprint" in demo("verify", "--check", report, "--key", tmp_path / "none").stderr


@pytest.mark.parametrize(
    ("was", "is_now", "reason"),
    [
        ('"problems": 0', '"problems": 1', "the signature does not hold: the report was changed since it was signed"),
        ("{", "", "this is no report of trustmem verify: it goes on after its value, at character 8"),
        ('"found"', '"lost"', 'this is no report of trustmem verify: it "lost" is no field of a report'),
    ],
)
def test_a_report_that_does_not_hold_is_told_with_what_is_wrong(demo, report, was, is_now, reason):
    report.write_text(report.read_text().replace(was, is_now, 1))
    done = demo("verify", "--check", report)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"trustmem: {report}: {reason}")


def test_a_report_that_tells_of_problems_says_so_and_so_does_its_check(demo, report):
    demo.sql("UPDATE store_line SET at = at + 1 WHERE position = 17")
    assert demo("verify", "--report", report).returncode == 1
    done = demo("verify", "--check", report)
    assert done.returncode == 1
    assert "the report holds, and tells of 1 problem up to the head" in done.stdout
    assert "line 17 is not as it was written" in done.stdout


def test_095_an_end_that_was_cut_off_together_with_its_head_is_found_by_an_old_report(demo, report):
    demo("accept", "api-port")
    going_on = demo("verify", "--since", report, "--key", fingerprint(demo))
    assert going_on.returncode == 0
    assert "They go on from the head that was attested at " in going_on.stdout
    demo.sql(
        "DELETE FROM store_text WHERE position > 220",
        "DELETE FROM store_line WHERE position > 220",
        "UPDATE store_space SET head_position = 220, head_digest = digest FROM store_line WHERE position = 220",
    )
    assert demo("verify").returncode == 0
    cut = demo("verify", "--since", report)
    assert cut.returncode == 1
    assert re.match(r"line \d+, the head at \S+Z, is missing: the end was cut off\n", cut.stdout)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--check", "x", "--rebuild"], "--check looks at a report alone: beside it stands --key at most"),
        (["--key", "ab"], "--key goes with --check and --since: it says whose report that has to be"),
        (["--check", "nothing.json"], "nothing.json: there is no such file"),
    ],
)
def test_what_does_not_go_together_is_refused(demo, arguments, reason):
    done = demo("verify", *arguments)
    assert (done.returncode, done.stderr) == (2, f"trustmem: {reason}\n")
