"""What every test can count on: the real data where there are some, and no quiet skip in CI."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("TRUSTMEM_DATA") or ROOT.parent / "shared" / "data")
Report = pytest.TestReport | pytest.CollectReport
IN_CI = bool(os.environ.get("CI"))

# A busy machine is no fault of a law; and the same commit gives the same answer twice.
settings.register_profile("house", deadline=None, derandomize=IN_CI)
settings.load_profile("house")


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real memories and histories; for tests marked `realdata`."""
    return DATA


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if DATA.is_dir():
        return
    without = [item for item in items if item.get_closest_marker("realdata")]
    config.hook.pytest_deselected(items=without)
    items[:] = [item for item in items if item not in without]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not DATA.is_dir():
        terminalreporter.write_line(f"realdata: not run, there is no folder {DATA} (TRUSTMEM_DATA names another)")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Report, Report]:
    return _refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Report, Report]:
    return _refuse_skip((yield))


def _refuse_skip(report: Report) -> Report:
    """In CI a test that was skipped proved nothing, so it failed."""
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {report.longrepr[-1]}"
    return report
