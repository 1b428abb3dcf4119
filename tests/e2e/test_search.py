"""Searching, as people do it: by keyboard, without a page turned, and back."""

import re
from urllib.parse import quote

from playwright.sync_api import Page, expect

from tests.e2e.conftest import NewPage, press

SEARCH = "/spaces/demo/search/"


def hits(page: Page) -> list[str]:
    return page.locator(".hits [data-stop]").all_inner_texts()


def test_what_is_asked_is_answered_while_one_types_and_stands_in_the_address(new_page: NewPage) -> None:
    page = new_page()
    page.goto(SEARCH)
    press(page, "/")
    page.keyboard.type("cold room kept")
    expect(page).to_have_url(re.compile(r"/search/\?q=cold\+room\+kept$|/search/\?q=cold%20room%20kept$"))
    expect(page.locator(".hits [data-stop]").first).to_have_text("The cold room is kept at 3.5 °C.")
    assert page.evaluate("document.activeElement.id") == "id_q"
    found = hits(page)
    page.reload()
    assert hits(page) == found


def test_by_keys_one_goes_from_hit_to_hit_and_opens_one(new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{SEARCH}?q=cold+room")
    press(page, "j", "j")
    second = hits(page)[1]
    assert page.evaluate("document.activeElement.innerText") == second
    press(page, "Enter")
    expect(page).to_have_url(re.compile("/facts/[^/]+/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text(second.rpartition(" · ")[2])
    page.go_back()
    expect(page.get_by_label("Question")).to_have_value("cold room")
    press(page, "g", "f")
    expect(page).to_have_url(re.compile("/facts/$"))
    press(page, "g", "q")
    expect(page).to_have_url(re.compile("/search/$"))


def test_what_an_agent_sees_stays_chosen_while_one_asks_on(new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{SEARCH}?q=cold")
    page.get_by_role("link", name="as an agent sees it").click()
    expect(page.locator("#found .notice")).to_contain_text("This is what an agent is served")
    page.get_by_label("Question").fill("cold room light")
    expect(page.get_by_text("held back from agents")).to_be_visible()
    expect(page).to_have_url(re.compile("as=agent"))
    expect(page.get_by_role("link", name="as an agent sees it")).to_have_attribute("aria-current", "true")
    assert "The light of the cold room goes off by itself." not in hits(page)
    page.get_by_role("link", name="as people see it").click()
    expect(page.locator(".hits")).to_contain_text("The light of the cold room goes off by itself.")


def test_the_list_of_facts_takes_what_is_typed_there_to_the_search_and_back(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/spaces/demo/facts/")
    page.get_by_label("Search", exact=True).fill("cold room")
    page.locator(".chip", has_text="cold room").wait_for()
    page.get_by_role("link", name="Search by relevance").click()
    expect(page.get_by_label("Question")).to_have_value("cold room")
    page.get_by_role("link", name="Filter the facts by these words").click()
    expect(page.get_by_label("Search", exact=True)).to_have_value("cold room")


def test_the_longest_question_is_answered_in_any_script(new_page: NewPage) -> None:
    page = new_page()
    answer = page.goto(f"/spaces/nasty/search/?q={quote('港は夕方 ' * 399)}")
    assert answer
    assert answer.status == 200
    assert hits(page)


def test_without_scripts_a_question_is_asked_by_the_button(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(f"{SEARCH}?as=agent")
    page.get_by_label("Question").fill("cold room")
    page.get_by_role("button", name="Search").click()
    assert page.url.endswith("?as=agent&q=cold+room")
    assert hits(page)
