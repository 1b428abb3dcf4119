"""What is erased at an open desk is in no file of its home any more, nor in what it told on its way (case 061)."""

import json
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.actions.test_erase import SECRET, those_that_tell
from tests.e2e.conftest import PATIENCE, Desk, come_in

#: A secret, something beside it, and a summary of both.
TOLD = [
    {"type": "fact", "id": "a", "text": f"The alarm code is {SECRET}.", "at": "2026-01-01T00:00:00Z"},
    {"type": "fact", "id": "b", "text": "The alarm is tested on Mondays.", "at": "2026-01-01T00:00:00Z"},
    {"type": "fact", "id": "m", "text": f"The alarm (code {SECRET}) is tested.", "at": "2026-01-05T00:00:00Z"},
    {"type": "edge", "id": "ma", "from": "m", "relation": "derives", "to": "a", "at": "2026-01-05T00:00:00Z"},
    {"type": "edge", "id": "mb", "from": "m", "relation": "derives", "to": "b", "at": "2026-01-05T00:00:00Z"},
]


def test_nothing_of_it_is_left_in_the_home_the_logs_or_what_is_exported(
    browser: Browser, fresh: Desk, tmp_path: Path
) -> None:
    context = browser.new_context(base_url=fresh.address)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    come_in(page, fresh)
    import_by_the_desk(page)
    page.goto(f"/spaces/diary/facts/?text={SECRET}")
    page.locator("tr a[data-stop]").first.click()
    decide(page, "Accept", f"I know {SECRET}")
    page.locator("main > .notice").get_by_role("button", name="Undo").click()
    assert holding(fresh.home)

    page.goto("/spaces/diary/facts/a/")
    page.get_by_role("link", name="Erase…").click()
    expect(page.get_by_role("checkbox")).to_be_checked()
    expect(page.locator("mark", has_text=SECRET)).to_have_count(1)
    page.get_by_label("Why").fill("Whoever said it asked for it.")
    page.get_by_label("Type “erase”").fill("erase")
    page.get_by_role("button", name="Erase for good").click()
    expect(page.locator("main > .notice", has_text="gone for good")).to_have_count(1)

    exported = tmp_path / "exported.jsonl"
    fresh.run("export", "--out", str(exported))
    assert exported.stat().st_size
    assert holding(fresh.home) == []
    assert those_that_tell([exported, log_of(fresh)]) == []
    for address in ("facts/?state=any&text=alarm+code", "facts/a/?history=all", "facts/m/", "facts/b/", ""):
        page.goto(f"/spaces/diary/{address}")
        assert SECRET not in page.content()
    context.close()


def import_by_the_desk(page: Page) -> None:
    page.get_by_label("What is the space to be called?").fill("diary")
    page.get_by_role("button", name="Go on to the file").click()
    raw = b"".join(json.dumps(each).encode() + b"\n" for each in TOLD)
    page.get_by_label("A memory file").set_input_files(
        {"name": "memory.jsonl", "mimeType": "application/jsonl", "buffer": raw}
    )
    page.get_by_role("button", name="See what it would become").click()
    page.get_by_role("button", name="Import it").click()
    page.wait_for_url("**/imports/import:*/")


def decide(page: Page, act: str, reason: str) -> None:
    page.locator("summary", has_text=f"{act}…").click()
    page.locator("details.act[open]").get_by_label("Why").fill(reason)
    page.get_by_role("button", name=f"{act} it").click()


def holding(home: Path) -> list[str]:
    """The files of a home in which the secret stands, the queue and what is uploaded among them."""
    files = [each for each in home.rglob("*") if each.is_file()]
    assert any(each.name == "trustmem.sqlite3" for each in files)
    return those_that_tell(files)


def log_of(desk: Desk) -> Path:
    """What the server wrote (tests.e2e.conftest)."""
    return desk.home.with_name(f"{desk.home.name}.log")
