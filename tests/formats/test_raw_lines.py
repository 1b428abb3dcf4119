"""Lines come out of a file as they stand, packed or not, and no file is too much for memory."""

import gzip
from io import BufferedReader, BytesIO

import pytest

from trustmem.formats import raw_lines
from trustmem.formats.raw_lines import Unreadable, unpacked

LINES = [b"one\n", b"two\r\n", b"\n", b"three"]


def read(content: bytes, most: int | None = None) -> list[bytes]:
    return list(unpacked(BufferedReader(BytesIO(content)), most))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_come_with_their_ends(pack) -> None:
    assert read(pack(b"".join(LINES))) == LINES
    assert read(pack(b"")) == []


def test_a_file_packed_in_parts_is_one() -> None:
    assert read(gzip.compress(b"one\ntw") + gzip.compress(b"o\n")) == [b"one\n", b"two\n"]


@pytest.mark.parametrize("cut", [3, 20, -1])
def test_a_packed_file_that_is_cut_off_is_refused(cut: int) -> None:
    with pytest.raises(Unreadable, match="is gzip, and damaged or cut off"):
        read(gzip.compress(b"".join(LINES))[:cut])


def test_a_packed_file_with_a_changed_bit_is_refused() -> None:
    packed = bytearray(gzip.compress(b"".join(LINES)))
    packed[-6] ^= 1
    with pytest.raises(Unreadable, match="is gzip, and damaged or cut off"):
        read(bytes(packed))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_more_than_may_be_is_refused_where_it_begins(pack) -> None:
    assert read(pack(b"x" * (1 << 20)), most=1 << 20) == [b"x" * (1 << 20)]
    lines = unpacked(BufferedReader(BytesIO(pack(b"x\n" * (1 << 20)))), 1 << 20)
    with pytest.raises(Unreadable, match="is more than 1 MiB, unpacked"):
        sum(map(len, lines))


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_lines, "LONGEST", 1 << 20)
    assert len(read(b"x" * (1 << 20))) == 1
    with pytest.raises(Unreadable, match="has a line of more than 1 MiB"):
        read(gzip.compress(b"x" * (2 << 20)))
