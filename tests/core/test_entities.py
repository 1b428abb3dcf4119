"""What texts name, told by signs alone."""

import pytest

from trustmem.core.entities import MOST, named

FILES = ["src/app/main.py", "./run.sh", "~/.bashrc", "C:\\Temp\\x", "pyproject.toml"]
CODE = ["load_index", "getStats", "MAX_SIZE", "os.path.join", "--no-cache"]


@pytest.mark.parametrize(
    "text, names",
    [
        ("The team of Carol Reyes lives in Lisbon", ["Carol Reyes", "Lisbon"]),
        ("Trabaja en el Banco de Portugal, con Iñaki Ñandú y María", ["Banco de Portugal", "Iñaki Ñandú y María"]),
        ("La Universidad de Chile usa FastAPI desde el lunes", ["Universidad de Chile", "FastAPI"]),
        ("On Monday, Carol met Dave's dog", ["Carol", "Dave"]),
        ("we run it (Kubernetes) on AWS.", ["Kubernetes", "AWS"]),
        ("see https://www.GitHub.com/foo/bar?x=1, git://ana:pw@code.acme.io/x", ["github.com", "code.acme.io"]),
        ("ask @carol or @acme/tools, not carol@acme.io", ["@carol", "@acme/tools"]),
        ("edit src/app/main.py, ./run.sh, ~/.bashrc, C:\\Temp\\x or pyproject.toml.", FILES),
        ("pin v1.2 or 3.11.7-rc.1, not 42 nor 3.5", ["v1.2", "3.11.7-rc.1"]),
        ("call load_index, getStats, MAX_SIZE, os.path.join or --no-cache", CODE),
        ("the key `order by` and `x` stay", ["order by"]),
        ("東京の「青空」でデータベースを使う", ["青空", "データベース"]),
        ("他在读《红楼梦》\uff0c用Redis部署", ["红楼梦", "Redis"]),
        ('He said "see you" and “深圳湾”', ["深圳湾"]),
        ("read/write and/or yes, I'm on it", []),
        ("IMPORTANT: NEVER LOG THE API KEY", []),
        ("", []),
    ],
)
def test_signs_tell_what_is_named(text, names):
    assert named(text).sure == names


def test_what_only_begins_a_sentence_may_be_a_name():
    assert named("Redis is fast. Deploy it. The rest waits.") == ([], ["Redis", "Deploy"])
    assert named("Use it. Porto: a city, and Porto again") == (["Porto"], [])


def test_a_text_names_no_more_than_so_many_and_each_once():
    text = " then ".join(f"x Name{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    assert named(f"{text} {text}").sure == [f"Name{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"][:MOST]


@pytest.mark.parametrize(
    "part", ["a", "A", "A ", "A.b_", "/a", "`", '"', '"a', "東", "「", "@a", "v1.", "a-", "(", "\\"]
)
def test_no_text_takes_long(part):
    found = named(part * 100_000)
    assert sum(map(len, found.sure + found.maybe)) < 4000
