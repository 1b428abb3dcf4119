"""Duplicates are merged in a real browser: by keyboard alone, with another one kept, without scripts, by two at once;
and thresholds of the detector are moved."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Desk, come_in, press, visitor
from tests.e2e.nasty import SCRIPTS
from tests.e2e.test_clicks import double_click
from tests.e2e.test_every_page import violations

DUPLICATES, DETECTOR = "/spaces/twins/duplicates/", "/spaces/twins/detector/"
_SAYS = {
    "tea": "Tea is served at five in the large hall",
    "bus": "The bus to the harbour leaves at noon",
    "key": "The key of the shed hangs behind the door",
    "bad": f"{SCRIPTS[0]} stands on the sign of the mill",
    "long": "The quay is closed from six to eight. " * 30,
}


def _file(desk: Desk) -> str:
    """Each of these twice, tea thrice; and what contradicts."""
    lines = [
        {"type": "fact", "id": f"{name}-{number}", "text": text + "." * number, "source": f"bot-{number}"}
        | {"at": f"2026-10-0{number + 1}T09:00:00Z"}
        for name, text in _SAYS.items()
        for number in range(3 if name == "tea" else 2)
    ]
    for number, town in enumerate(("Lisbon", "Porto")):
        said = {"type": "fact", "id": f"ana-{number}", "text": f"Ana lives in {town} by the old river"}
        lines.append(said | {"at": f"2026-10-0{number + 1}T09:00:00Z", "source": f"bot-{number}"})
    file = desk.home.with_name("twins.jsonl")
    file.write_text("\n".join(map(json.dumps, lines)))
    return str(file)


@pytest.fixture
def twins(fresh: Desk) -> Desk:
    fresh.run("space", "create", "twins")
    fresh.run("import", _file(fresh), "--space", "twins")
    fresh.run("detect", "--space", "twins")
    return fresh


@pytest.fixture
def page(browser: Browser, twins: Desk) -> Iterator[Page]:
    yield from visitor(browser, twins)


def assert_clusters(page: Page, count: int) -> None:
    expect(page.locator("article.cluster")).to_have_count(count)


def test_axe_finds_nothing_and_nothing_runs_that_is_a_text(page: Page) -> None:
    found = []
    page.goto(DUPLICATES)
    one = page.get_by_role("link", name="all about it").first.get_attribute("href")
    assert one
    for path in (DUPLICATES, f"{DUPLICATES}all/", one.replace("/facts/", "/duplicates/of/"), DETECTOR):
        page.goto(path)
        assert page.title() != "owned"
        found += violations(page)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("width", [360, 390])
def test_nothing_spills_where_there_is_little_room(browser: Browser, twins: Desk, width: int) -> None:
    for page in visitor(browser, twins, viewport={"width": width, "height": 800}):
        for path in (DUPLICATES, f"{DUPLICATES}all/", f"{DETECTOR}?c.candidate_overlap.word=0.9"):
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth") == width, path


def test_clusters_are_merged_told_apart_and_brought_back_by_keyboard_alone(page: Page) -> None:
    page.goto(DUPLICATES)
    assert_clusters(page, 5)
    press(page, "j")
    expect(page.locator("article.cluster").first).to_be_focused()
    press(page, "m")
    expect(page.get_by_role("status").first).to_contain_text("Merged:")
    assert_clusters(page, 4)
    press(page, "u")
    assert_clusters(page, 5)
    for _ in range(2):
        press(page, "j")
    second = page.locator("article.cluster").nth(1)
    expect(second).to_be_focused()
    text = second.locator(".beside-claim").first.inner_text()
    press(page, "n")
    expect(page.get_by_role("status").first).to_contain_text("Not the same:")
    assert_clusters(page, 4)
    assert text not in page.locator("main").inner_text()


def test_another_is_kept_and_what_that_comes_to_is_shown_at_once(page: Page) -> None:
    page.goto(DUPLICATES)
    first = page.locator("article.cluster").first
    expect(first.get_by_role("heading")).to_have_text("3 facts say the same")
    first.get_by_role("checkbox").first.uncheck()
    expect(first.locator(".cluster-outlook")).to_contain_text("1 fact is forgotten by that.")
    kept = first.get_by_role("radio").nth(1)
    kept.check()
    expect(first.locator(".member.is-kept")).to_have_count(1)
    expect(first.get_by_role("radio").nth(1)).to_be_checked()
    expect(first.get_by_role("radio").nth(1)).to_be_focused()
    press(page, "m")  # from where one has chosen
    expect(page.get_by_role("status").first).to_contain_text("Merged:")


def test_a_double_click_merges_once(page: Page) -> None:
    page.goto(DUPLICATES)
    double_click(page, page.locator("article.cluster").first.get_by_role("button", name=re.compile("^Merge")))
    assert_clusters(page, 4)
    expect(page.get_by_role("status")).to_contain_text(["Merged:"])


def test_all_that_is_shown_is_merged_after_a_second_look_and_brought_back(page: Page) -> None:
    page.goto(DUPLICATES)
    press(page, "a")
    page.wait_for_url("**/duplicates/all/")
    page.get_by_role("checkbox").first.uncheck()
    page.get_by_role("button", name="Merge those that are ticked").click()
    expect(page.get_by_role("status").first).to_contain_text("4 clusters are merged.")
    assert_clusters(page, 1)
    press(page, "u")
    assert_clusters(page, 5)


def test_without_scripts_all_of_it_can_be_done(browser: Browser, twins: Desk) -> None:
    for page in visitor(browser, twins, java_script_enabled=False):
        page.goto(DUPLICATES)
        first = page.locator("article.cluster").first
        first.get_by_role("radio").nth(1).check()
        first.get_by_role("button", name="Show what it comes to as it is chosen").click()
        page.wait_for_url("**/duplicates/of/**")
        expect(page.get_by_role("radio").nth(1)).to_be_checked()
        page.get_by_role("button", name=re.compile("^Merge")).click()
        expect(page.get_by_role("status").first).to_contain_text("Merged:")
        page.goto(DETECTOR)
        page.get_by_label("number", exact=True).fill("0.9")
        page.get_by_role("button", name="Show what these thresholds would do").click()
        expect(page.locator("#thresholds")).to_contain_text("0.9")


def test_of_two_who_merge_the_same_the_second_is_told(browser: Browser, twins: Desk) -> None:
    context = browser.new_context(base_url=twins.address)
    one, other = context.new_page(), context.new_page()
    come_in(one, twins)
    for page in (one, other):
        page.goto(DUPLICATES)
    for page in (one, other):
        page.locator("article.cluster").first.get_by_role("button", name=re.compile("^Merge")).click()
    expect(one.get_by_role("status").first).to_contain_text("Merged:")
    expect(other.get_by_role("alert").first).to_contain_text("Not done: owner decided about these")
    context.close()


def test_a_threshold_is_moved_and_put_in_force(page: Page) -> None:
    page.goto(DETECTOR)
    row = page.locator(".thresholds tbody tr").filter(has_text="name")
    expect(row.locator("td").nth(2)).to_have_text("1")
    page.get_by_label("threshold of the rule name").fill("1.1")
    expect(row.locator("td").nth(2)).to_have_text(re.compile(r"1 → 0"))
    page.wait_for_url("**/detector/?c.candidate_overlap.name=1.1")
    expect(page.get_by_label("name", exact=True)).to_have_value("1.1")
    page.get_by_label("Why").fill("Never these.")
    page.get_by_role("button", name=re.compile("^Put in force")).click()
    expect(page.get_by_role("status").first).to_contain_text("In force from now on, as a new version.")
    expect(page.get_by_label("name", exact=True)).to_have_value("1.1")
