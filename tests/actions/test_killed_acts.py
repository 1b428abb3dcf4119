"""Every action that writes, its process killed at every step of its work on the database: what stands is what stood
before or what stands after, row for row, or what a job or a pass of many steps may stand at in between; and whoever
does it again comes to what it would have come to undisturbed."""

import ast
from collections.abc import Iterator

import pytest

from tests.actions import killing
from tests.actions.deeds import CASES
from tests.actions.killing import Databases, Work
from tests.conftest import ROOT

ACTIONS = ROOT / "trustmem" / "actions"
#: Functions that write, and are not done here, with the reason.
ELSEWHERE = {
    "demo.make": "it is the import of a file, all or nothing",
    "sending.send": "it is the import of a file",
    "spaces.adopt": "only the import of a file has it done",
}


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    with killing.databases(tmp_path_factory.mktemp("databases")) as found:
        yield found


@pytest.fixture(scope="module")
def work(databases: Databases) -> Iterator[Work]:
    with killing.warm("tests.actions.deeds", databases.folder) as work:
        assert work(databases.make("fifty"), "make", here=True).status == 0
        yield work


@pytest.mark.parametrize("name", CASES)
def test_whoever_is_killed_leaves_what_was_or_what_is_to_be(
    name: str, work: Work, databases: Databases, pytestconfig: pytest.Config
) -> None:
    case, apart = CASES[name], killing.steps_apart(pytestconfig)
    before = databases.make("before", like="fifty")
    assert work(before, "before", name).status == 0
    was, after = killing.rows(before), databases.make("after", like="before")
    outcome = work(after, "undisturbed", name).gave
    is_to_be = killing.rows(after)
    assert not outcome["still told"]
    found = []
    for database, stands in killing.left(work, databases, name, apart=apart):
        found.append(stands)
        ended = work(database, "again" if case.again or stands == was else "left_alone", name)
        assert ended == (0, [[], outcome, []])
    assert (found[0], found[-1]) == (was, is_to_be)
    most = case.between + (1 if was == is_to_be else 2)
    assert len(found) == most or (apart > 1 and len(found) < most)


def test_a_pass_that_is_killed_has_all_to_do_that_a_pass_can(work: Work, databases: Databases) -> None:
    database = databases.make("called", like="fifty")
    assert work(database, "do", "a pass is taken").status == 0
    taken = killing.rows(database)["store_pass"][-1]
    assert all(taken[name] for name in ("weighed", "changed", "revived", "pruned", "promoted", "deferred"))


def test_every_action_that_writes_is_killed_here_or_is_told_why_not(work: Work, databases: Databases) -> None:
    done = set[str]()
    for name in CASES:
        database = databases.make("called", like="fifty")
        assert work(database, "before", name).status == 0
        done |= set(work(database, "called", name).gave)
    assert _that_write() - done == ELSEWHERE.keys()


def _that_write() -> set[str]:
    """The public functions of the actions that write, or refer to one that does."""
    refer = dict[str, set[str]]()
    writing = set[str]()
    for file in ACTIONS.glob("*.py"):
        tree = ast.parse(file.read_text())
        known = _known(tree, file.stem)
        for function in (each for each in tree.body if isinstance(each, ast.FunctionDef)):
            name = f"{file.stem}.{function.name}"
            refer[name] = {known[each] for each in map(ast.unparse, ast.walk(function)) if each in known}
            if any(map(_writes, ast.walk(function))):
                writing.add(name)
    while more := {name for name, others in refer.items() if others & writing} - writing:
        writing |= more
    return {name for name in writing if not name.partition(".")[2].startswith("_")}


def _known(tree: ast.Module, module: str) -> dict[str, str]:
    """What the functions of the actions are called in a module."""
    found = {each.name: f"{module}.{each.name}" for each in tree.body if isinstance(each, ast.FunctionDef)}
    for each in tree.body:
        if isinstance(each, ast.ImportFrom) and each.module == "trustmem.actions":
            for name in (alias.name for alias in each.names):
                functions = ast.parse((ACTIONS / f"{name}.py").read_text()).body
                found |= {f"{name}.{one.name}": f"{name}.{one.name}" for one in functions if hasattr(one, "name")}
        elif isinstance(each, ast.ImportFrom) and (each.module or "").startswith("trustmem.actions."):
            other = (each.module or "").rpartition(".")[2]
            found |= {alias.name: f"{other}.{alias.name}" for alias in each.names}
    return found


def _writes(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute) and ast.unparse(node) == "transaction.atomic":
        return True
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    named = (
        node.func.attr == "update" and not node.args and bool(node.keywords)
    )  # of rows, and not of a dict or a digest
    written = ("create", "bulk_create", "get_or_create", "update_or_create", "save", "delete")
    return named or node.func.attr in written or ast.unparse(node.func) in ("bulk.insert", "bulk.update", "bulk.upsert")
