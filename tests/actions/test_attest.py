"""What verifying found is signed with the key of the instance, over one way to write it, and checked without us."""

import base64
import json
import os
import re
import stat
import struct
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tests.actions.world import LATER, space_of
from tests.makers import fact
from trustmem.actions import attest, facts, instance, spaces
from trustmem.actions.attest import NoReport, signed_bytes
from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_text
from trustmem.formats.strict_json import StrictJSONError, loads
from trustmem.store.models import Line, Space, Text

CASES = Path(__file__).parents[1] / "cases"
NOW = LATER + 1


def vector(name: str) -> Any:
    return json.loads((CASES / f"{name}.vector.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.HOME = tmp_path / "home"
    return tmp_path / "home"


@pytest.fixture
def space(db: None) -> Space:
    return space_of(*(fact(name) for name in ("tea", "milk", "cups")))


@pytest.fixture
def report(space: Space) -> bytes:
    return attest.attest(space, now=NOW)[1]


# What is signed


def test_089_each_double_is_written_in_the_one_way_of_rfc_8785() -> None:
    given = vector("089-small-numbers")
    for each in given["doubles"]:
        (double,) = struct.unpack(">d", bytes.fromhex(each["hex"]))
        assert signed_bytes({"n": double}).decode() == f'{{"n":{each["jcs"]}}}'
    for each in given["documents"]:
        assert signed_bytes(loads(each["json"].encode())).decode() == each["jcs"]


@pytest.mark.parametrize("number", vector("089-small-numbers")["refuse"])
def test_089_what_is_no_double_is_never_signed(number: str) -> None:
    with pytest.raises((Refusal, StrictJSONError)):
        signed_bytes(loads(f'{{"n": {number}}}'.encode()))
    value = float(number) if not number.isdigit() else int(number)
    with pytest.raises(Refusal, match="no one way to be written"):
        signed_bytes({"n": value})


@pytest.mark.parametrize("body", vector("091-same-key-twice")["bodies"])
def test_091_a_key_that_stands_twice_is_refused_however_it_is_written(body: str) -> None:
    with pytest.raises(StrictJSONError, match=r'^has the key "text" twice$'):
        loads(body.encode())
    with pytest.raises(StrictJSONError, match=r'^has the key "text" twice$'):
        loads(b'[{"deeper": ' + body.encode() + b"}]")


def test_091_the_signature_that_the_last_of_two_keys_would_have_had_is_that_of_another_text() -> None:
    signed = vector("091-same-key-twice")["last_wins_would_verify"]
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signed["key"]))
    key.verify(bytes.fromhex(signed["signature"]), signed_bytes(signed["claim"]))
    with pytest.raises(InvalidSignature):
        other = signed["claim"] | {"text": "Pay the invoice to account 22."}
        key.verify(bytes.fromhex(signed["signature"]), signed_bytes(other))


def test_097_escaped_or_raw_it_is_the_same_bytes_that_are_signed() -> None:
    given = vector("097-escaped-or-raw")
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(given["key"]))
    for body in given["bodies"]:
        signed = signed_bytes(loads(body.encode()))
        assert signed.hex() == given["jcs_utf8_hex"]
        assert signed.decode() == given["jcs"]
        key.verify(bytes.fromhex(given["signature"]), signed)


def test_093_signatures_of_both_keys_of_a_source_verify_over_their_claims() -> None:
    """Which of them count, by when and for whom the keys hold, is for the keys of a space to say."""
    for each in vector("093-rotate-and-revoke")["facts"]:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(each["key"]))
        key.verify(bytes.fromhex(each["signature"]), signed_bytes(each["claim"]))


# A report


def test_a_report_says_what_was_looked_at_up_to_which_head_and_when(space: Space, report: bytes) -> None:
    found = attest.check(report)
    space.refresh_from_db()
    assert found == attest.Report(
        space="diary",
        at=NOW,
        position=space.head_position,
        digest=space.head_digest,
        lines=space.head_position,
        checked=["lines"],
        found=[],
        problems=0,
        fingerprint=instance.fingerprint(instance.public(instance.key())),
    )
    rebuilt = attest.attest(space, now=NOW, rebuild=True)[1]
    assert attest.check(rebuilt).checked == ["lines", "folds"]
    told = json.loads(report)
    assert (told["kind"], told["version"], told["at"]) == ("trustmem.verification", "1", to_text(NOW))
    assert re.fullmatch(r"trustmem \d+\.\d+\.\d+", told["program"])


def test_a_report_is_of_the_head_that_was_looked_at_be_it_that_lines_come_meanwhile(space: Space) -> None:
    writes = iter([True])

    def meanwhile(_: int) -> None:
        if next(writes, False):
            facts.accept(Space.objects.get(), "tea", by="ana", now=NOW)

    before = space.head_position
    found = attest.check(attest.attest(space, now=NOW, watch=meanwhile)[1])
    assert (found.position, found.problems) == (before, 0)
    assert Space.objects.get().head_position > before


def test_what_is_amiss_stands_in_it_and_more_of_it_is_counted(
    space: Space, lifted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attest, "MOST_FOUND", 1)
    with lifted():
        Line.objects.filter(position__in=(3, 5)).update(at=7)
    found = attest.check(attest.attest(space, now=NOW)[1])
    assert (found.found, found.problems) == (["line 3 is not as it was written"], 2)


def changed(report: bytes, **values: Any) -> bytes:
    return json.dumps(json.loads(report) | values).encode()


CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "program": lambda told: "trustmem 9.9.9",
    "space": lambda told: "other",
    "at": lambda told: "2026-01-01T00:00:00Z",
    "head": lambda told: told["head"] | {"digest": "0" * 64},
    "lines": lambda told: told["lines"] + 1,
    "checked": lambda told: ["lines", "folds"],
    "found": lambda told: ["line 1 is missing"],
    "problems": lambda told: 1,
    "public": lambda told: base64.b64encode(bytes(31) + b"\x07").decode(),
    "signature": lambda told: base64.b64encode(bytes(64)).decode(),
}


@pytest.mark.parametrize("field", CHANGES)
def test_a_report_in_which_anything_was_changed_does_not_hold(report: bytes, field: str) -> None:
    told = json.loads(report)
    with pytest.raises(NoReport, match=r"^the signature does not hold: the report was changed since it was signed$"):
        attest.check(changed(report, **{field: CHANGES[field](told)}))


def test_how_a_report_is_set_out_is_no_change(report: bytes) -> None:
    told = json.loads(report)
    assert attest.check(json.dumps(dict(reversed(told.items())), indent=7).encode()) == attest.check(report)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "is empty"),
        (b"PK", "is not JSON at character 0"),
        (b"[]", "must be an object"),
        (b"{}", '"kind" is missing'),
        (b'{"kind": "trustmem.fact"}', '"kind" cannot be "trustmem.fact"'),
        (b'{"kind": "trustmem.verification", "kind": "x"}', 'has the key "kind" twice'),
        (b'{"kind": "trustmem.verification", "more": 1}', '"more" is no field of a report'),
    ],
)
def test_what_is_no_report_is_told_as_that(raw: bytes, reason: str) -> None:
    with pytest.raises(NoReport, match=f"^this is no report of trustmem verify: it {re.escape(reason)}"):
        attest.check(raw)


# What it is good for later


def test_a_space_goes_on_from_a_report_as_lines_come(space: Space, report: bytes) -> None:
    facts.accept(space, "tea", by="ana", now=NOW)
    assert attest.look(space, since=attest.check(report)).findings == []


def test_095_an_end_that_was_cut_off_with_its_head_is_found_by_the_report(
    space: Space, report: bytes, lifted: Any
) -> None:
    with lifted():
        Line.objects.filter(position__gt=space.head_position - 3).delete()
        last = Line.objects.latest("position")
        Space.objects.update(head_position=last.position, head_digest=last.digest)
        Text.objects.filter(position__gt=last.position).delete()
    assert attest.look(space).findings == []
    then = attest.check(report)
    assert attest.look(space, since=then).findings == [
        f"line {then.position}, the head at {to_text(NOW)}, is missing: the end was cut off"
    ]


def test_another_history_that_is_whole_in_itself_is_found_by_the_report(db: None, space: Space, report: bytes) -> None:
    then = attest.check(report)
    other = space_of(*(fact(name) for name in ("tea", "beer", "cups")), name="other")
    assert attest.look(other, since=then).findings == ['the report is of the space "diary", and this is "other"']
    assert attest.look(other, since=then._replace(space="other")).findings == [
        f"line {then.position}, the head at {to_text(NOW)}, is another one now: the lines up to there were replaced"
    ]


def test_any_space_goes_on_from_nothing(db: None) -> None:
    empty = spaces.create("empty")
    nothing = attest.check(attest.attest(empty, now=NOW)[1])
    assert (nothing.position, nothing.lines) == (0, 0)
    assert attest.look(empty, since=nothing).findings == []


# The key


def test_the_key_is_made_at_first_use_for_its_owner_alone_and_stays(home: Path) -> None:
    assert not home.exists()
    first = instance.public(instance.key())
    file = home / "instance-key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [each.name for each in home.iterdir()] == ["instance-key"]
    assert instance.public(instance.key()) == first
    assert instance.public(Ed25519PrivateKey.from_private_bytes(base64.b64decode(file.read_text()))) == first


def test_of_many_who_make_it_at_once_all_have_the_same(home: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: instance.public(instance.key()), range(64)))
    assert len(found) == 1


def test_the_environment_gives_another_key_or_names_its_file(home: Path, tmp_path: Path) -> None:
    told = "from trustmem.actions import instance; print(instance.fingerprint(instance.public(instance.key())))"
    code = f"import django; django.setup(); {told}"
    key = base64.b64encode(b"k" * 32).decode()
    (tmp_path / "kept").write_text(key + "\n")
    for given in ({"INSTANCE_KEY": key}, {"INSTANCE_KEY_FILE": str(tmp_path / "kept")}):
        environment = {**os.environ, "TRUSTMEM_HOME": str(home), "DJANGO_SETTINGS_MODULE": "trustmem.settings", **given}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        expected = instance.public(Ed25519PrivateKey.from_private_bytes(b"k" * 32))
        assert done.stdout.strip() == instance.fingerprint(expected)
    assert not home.exists()


@pytest.mark.parametrize("given", ["no key", base64.b64encode(b"short").decode()])
def test_what_is_no_key_is_told_and_nothing_is_signed(space: Space, settings: Any, given: str) -> None:
    settings.INSTANCE_KEY = given
    with pytest.raises(Refusal, match=r"^INSTANCE_KEY holds no key: that is 32 bytes in base64$"):
        attest.attest(space, now=NOW)


def test_a_key_that_cannot_be_kept_is_told(space: Space, settings: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings.INSTANCE_KEY_FILE = str(tmp_path / "file" / "key")
    with pytest.raises(Refusal, match=r"^the key of this instance cannot be kept in .*: .+$"):
        attest.attest(space, now=NOW)
