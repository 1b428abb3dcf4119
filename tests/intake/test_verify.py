"""`trustmem verify`: says that nothing was changed, or what was and where."""

import re

import pytest


def test_a_space_as_it_was_written_is_found_so_and_its_head_is_told(demo):
    done = demo("verify", "--rebuild")
    assert done.returncode == 0
    assert done.stdout.splitlines()[:2] == [
        "228 lines, and each is as it was written.",
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
