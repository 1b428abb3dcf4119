"""The laws of the house: what a reader would otherwise have to remember."""

import ast
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

import trustmem.core
from trustmem.core import vocabulary
from trustmem.core.constants import REGISTRY
from trustmem.core.lift import CHANGES
from trustmem.formats.interchange import STATUSES

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "trustmem"
CORE = sorted((PACKAGE / "core").rglob("*.py"))
CORE_MODULES = [f"trustmem.core.{each.name}" for each in pkgutil.iter_modules(trustmem.core.__path__)]

# What the core may import beside itself: numbers, letters and plain Python, nothing that reaches outside.
PURE = {
    "bisect",
    "collections",
    "dataclasses",
    "datetime",
    "enum",
    "functools",
    "hashlib",
    "itertools",
    "json",
    "math",
    "numpy",
    "operator",
    "re",
    "scipy",
    "typing",
    "unicodedata",
    "zlib",  # a checksum
}
CLOCKS = {"now", "utcnow", "today"}
OUTSIDE = {"open", "print", "input", "exec", "eval", "__import__", "fromfile", "tofile", "loadtxt", "savetxt"}

# Not written by hand, or not by us: no law of style binds them.
UNBOUND = (
    "requirements.lock",
    "constraints.txt",
    "LICENSE",
    "tests/cases/",
    "tests/vectors/",
    "build/",
    "dist/",
    "data/",
)
HIDDEN_BUT_OURS = {".ci", ".editorconfig", ".gitattributes", ".gitignore"}


def test_floors_never_look_up() -> None:
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == EXIT_STATUS_SUCCESS


def test_every_folder_has_a_floor() -> None:
    # The contract of the floors is exhaustive, and sees packages; so each folder of code has to be one.
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_the_package_itself_is_empty() -> None:
    assert (PACKAGE / "__init__.py").read_bytes() == b""


def test_importing_the_core_loads_no_django_no_celery_and_no_screen() -> None:
    code = f"import sys, {', '.join(CORE_MODULES)}; print(sorted({{'django', 'celery', 'rich'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_the_core_imports_numbers_only(path: Path) -> None:
    assert [name for name in _imports(path) if name not in PURE and not name.startswith("trustmem.core")] == []


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_the_core_asks_no_clock_rolls_no_dice_and_touches_nothing_outside(path: Path) -> None:
    called = {_last_name(node.func) for node in ast.walk(_tree(path)) if isinstance(node, ast.Call)}
    named = {node.attr for node in ast.walk(_tree(path)) if isinstance(node, ast.Attribute)}
    assert called & (CLOCKS | OUTSIDE) == set()
    assert "random" not in named


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_every_public_function_of_the_core_shows_an_example(path: Path) -> None:
    functions = [node for node in _tree(path).body if isinstance(node, ast.FunctionDef)]
    public = [node for node in functions if not node.name.startswith("_")]
    assert [node.name for node in public if ">>> " not in (ast.get_docstring(node) or "")] == []


def test_no_module_is_longer_than_400_lines() -> None:
    written = [path for path in PACKAGE.rglob("*.py") if path.parent.name != "migrations"]
    lengths = {path: len(path.read_text().splitlines()) for path in written}
    assert {path: length for path, length in lengths.items() if length > 400} == {}


def test_no_lock_holds_an_address() -> None:
    for name in ("requirements.lock", "constraints.txt"):
        assert "://" not in (ROOT / name).read_text()


def test_the_constraints_are_the_lock_without_its_hashes() -> None:
    pins = re.findall(r"^(\S+==.+) \\$", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert (ROOT / "constraints.txt").read_text().splitlines() == pins


def test_nothing_names_a_machine_or_a_registry() -> None:
    # Put together here, so that this file does not hold what it looks for.
    folders = r"(?<![\w.~])/" + r"(home|root|Users|work)/\w"
    hosts = "pypi" + r"\.org|python" + r"hosted\.org|npm" + r"js\.(org|com)"
    machines = re.compile(f"{folders}|{hosts}")
    assert {path: found[0] for path, text in _texts().items() if (found := machines.search(text))} == {}


def test_nothing_asks_for_the_stranger_with_our_name() -> None:
    stranger = re.compile("pip install " + r"trustmem(?![-\w/])")
    assert [path for path, text in _texts().items() if stranger.search(text)] == []


def test_the_readme_names_commands_that_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for name in ("README.md", "CONTRIBUTING.md"):
        assert set(re.findall(r"\bmake ([a-z]+)`", (ROOT / name).read_text())) <= targets


@pytest.mark.parametrize("target", ["serve", "test"])
def test_the_readme_says_what_its_commands_do(target: str) -> None:
    recipe = re.search(rf"^{target}:.*\n((?:\t.+\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe
    lines = [line.strip("\t@").replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()]
    assert [line for line in lines if line not in (ROOT / "README.md").read_text()] == []


def test_what_is_vendored_is_what_it_is_said_to_be() -> None:
    said = re.findall(r"^\| `(\S+)` .* `([0-9a-f]{64})` \|$", (ROOT / "docs/third-party.md").read_text(), re.MULTILINE)
    found = [path for folder in ("static/js/vendor", "trustmem/actions/minilm") for path in (ROOT / folder).iterdir()]
    assert {ROOT / name for name, _ in said} == set(found)
    assert [name for name, digest in said if sha256((ROOT / name).read_bytes()).hexdigest() != digest] == []


def test_no_page_holds_a_script_or_a_style_of_its_own() -> None:
    inline = re.compile(r"<style|\sstyle=|\son[a-z]+=|javascript:|<script(?![^>]*\ssrc=)|\|safe\b", re.IGNORECASE)
    pages = sorted((ROOT / "templates").rglob("*.html"))
    assert {page.name: found[0] for page in pages if (found := inline.search(page.read_text()))} == {}


def test_no_test_is_skipped_whatever_happens() -> None:
    skipping = {
        path.relative_to(ROOT)
        for path in (ROOT / "tests").rglob("*.py")
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("pytest.skip", "pytest.mark.skip")
    }
    assert skipping == set()


def test_every_word_of_the_glossary_is_a_word_of_the_code() -> None:
    assert [name for _, names in _glossary() for name in names if not _exists(name)] == []


def test_no_word_stands_in_the_glossary_twice() -> None:
    terms = [term for term, _ in _glossary()]
    assert sorted(terms) == sorted(set(terms))


def test_every_word_of_the_vocabulary_stands_in_the_glossary() -> None:
    lists = [value for name, value in vars(vocabulary).items() if name.isupper() and isinstance(value, tuple)]
    lists += [STATUSES, CHANGES]
    assert {word for words in lists for word in words} - _terms() == set()


def test_every_column_of_the_scores_stands_in_the_glossary() -> None:
    expected = json.loads((ROOT / "tests/vectors/scenarios/scenario-1.expected.json").read_text())
    columns = {column for scores in expected["facts"] for column in scores}
    assert columns - _terms() == set()


def test_every_group_of_constants_stands_in_the_glossary() -> None:
    groups = {meta.group for meta in REGISTRY.values()}
    assert {group for group in groups if not {group, group.removesuffix("s")} & _terms()} == set()


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(path: Path) -> Iterator[str]:
    """Top-level names of what a module imports, our own modules in full."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        yield from (name if name.startswith("trustmem") else name.split(".")[0] for name in names)


def _last_name(node: ast.expr) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


@cache
def _texts() -> dict[str, str]:
    """What people wrote: every file of the checkout but what tools leave and what is unbound."""
    tops = [top for top in ROOT.iterdir() if not top.name.startswith(".") or top.name in HIDDEN_BUT_OURS]
    files = [file for top in tops for file in [top, *top.rglob("*")] if file.is_file() and file.suffix != ".pyc"]
    names = {file.relative_to(ROOT).as_posix(): file for file in sorted(files)}
    return {name: file.read_text("utf-8") for name, file in names.items() if not name.startswith(UNBOUND)}


def _glossary() -> list[tuple[str, list[str]]]:
    """Each term with the names in the code that its row gives."""
    lines = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [(term, re.findall(r"`([^`]+)`", names)) for term, _, names in rows if term not in ("term", "---")]


def _terms() -> set[str]:
    """Terms as they stand, and as the code spells them."""
    terms = {term for term, _ in _glossary()}
    return terms | {term.replace(" ", "_") for term in terms} | {name for _, names in _glossary() for name in names}


def _exists(name: str) -> bool:
    """Whether `name`, seen from the package, is a module or something in one, a field of a dataclass included."""
    holder, _, last = f"trustmem.{name}".rpartition(".")
    try:
        if last not in getattr(pkgutil.resolve_name(holder), "__dataclass_fields__", {}):
            pkgutil.resolve_name(f"{holder}.{last}")
    except (ImportError, AttributeError):
        return False
    return True
