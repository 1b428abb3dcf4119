"""A real desk, as `trustmem serve` opens it in a home of its own, and a real browser that looks at it.

No test here touches the database itself: what is in it comes through commands and pages, as it does for people.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests import ports
from tests.e2e.nasty import SCRIPTS, as_file, bulk_change
from tests.intake import warm

#: Ten times longer than any answer takes on a busy machine.
PATIENCE = 30_000


@dataclass(frozen=True)
class Desk:
    """An open desk: where it is, and the link that lets its owner in once."""

    address: str
    link: str
    home: Path

    def run(self, *arguments: str) -> None:
        """One of our commands, in its home."""
        done = warm.run(arguments, _environment(self.home))
        assert done.returncode == 0, done.stderr


_COMMAND = [sys.executable, "-m", "trustmem.cli"]


def _environment(home: Path) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "BROKER_URL")}
    return clean | {"TRUSTMEM_HOME": str(home)}


@contextmanager
def opened(home: Path, **settings: str) -> Iterator[Desk]:
    """A desk on a free port, for as long as it is needed; `settings` are those of its environment."""
    port = ports.free()
    log = home.with_name(f"{home.name}.log")
    command, environment = [*_COMMAND, "serve", "--no-mcp", "--port", str(port)], _environment(home) | settings
    with (
        open(log, "wb") as stderr,
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True) as server,
    ):
        try:
            assert server.stdout
            told = ""
            for line in server.stdout:
                told += line
                if link := re.search(r"http://\S+/enter/\S+", told):
                    yield Desk(f"http://127.0.0.1:{port}", link[0], home)
                    break
            else:
                pytest.fail(f"the desk did not open: {told}{log.read_text()}")
        finally:
            server.terminate()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    """The browser of the system (.ci/with-browser finds it). The sandbox of Chromium refuses to be used by root."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    return {**browser_type_launch_args, "executable_path": path, "args": ["--no-sandbox", *quiet]}


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Desk]:
    """A desk that was never opened before."""
    with opened(tmp_path / "home") as desk:
        yield desk


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk with the demo, an empty space, and a space of nasty texts."""
    home = tmp_path_factory.mktemp("desk") / "home"
    nasty = home.with_name(f"{SCRIPTS[0]}.jsonl")
    nasty.write_bytes(b"".join(as_file()))
    prepared = Desk("", "", home)
    prepared.run("demo")
    prepared.run("space", "create", "empty")
    prepared.run("space", "create", "nasty")
    bulk = home.with_name(f"bulk {SCRIPTS[0]}.jsonl")
    bulk.write_bytes(b"".join(bulk_change()))
    for file in (nasty, bulk):
        prepared.run("import", str(file), "--space", "nasty")
    for number, script in enumerate(SCRIPTS):
        prepared.run("accept", f"nasty-{number}", "--space", "nasty", "--reason", script)
    with opened(home) as desk:
        yield desk


@pytest.fixture(scope="session")
def signed_in(desk: Desk, browser: Browser) -> object:
    """What the browser of the owner remembers."""
    context = browser.new_context()
    page = context.new_page()
    come_in(page, desk)
    state = context.storage_state()
    context.close()
    return state


def come_in(page: Page, desk: Desk) -> None:
    """By the link that works once."""
    page.goto(desk.link)
    page.get_by_role("button", name="Come in").click()
    page.wait_for_url(f"{desk.address}/**")


def press(page: Page, *keys: str) -> None:
    """As somebody does who waits until the page is there: before that, no key does anything."""
    for key in keys:
        page.wait_for_load_state()
        page.keyboard.press(key)


NewPage = Callable[..., Page]


@pytest.fixture
def new_page(desk: Desk, signed_in: object, browser: Browser) -> Iterator[NewPage]:
    """Makes pages of the owner's browser, each of a context of its own; options are those of a context."""
    contexts: list[BrowserContext] = []

    def make(**options: object) -> Page:
        context = browser.new_context(base_url=desk.address, storage_state=signed_in, **options)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def demo(fresh: Desk) -> Desk:
    """A desk of its own, with the demo."""
    fresh.run("demo")
    return fresh


def visitor(browser: Browser, demo: Desk, **options: object) -> Iterator[Page]:
    """A page of somebody who has come in, in a browser with these options."""
    context = browser.new_context(base_url=demo.address, **options)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    come_in(page, demo)
    yield page
    context.close()
