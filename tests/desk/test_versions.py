"""Versions of the constants: all of them with why and with which figures, what differs between any two, and going back
to one by an admin. None is ever changed."""

import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlparse

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import LATER, space_of
from tests.core import simulated
from tests.desk.conftest import ClientOf
from tests.desk.test_fitting import SOUGHT, fitted
from tests.desk.test_lab import address, save, text, words, work
from tests.e2e.nasty import SCRIPTS
from tests.makers import constants as change
from tests.makers import daily, day, edge, fact
from trustmem.actions import calibration, constants, jobs, undo
from trustmem.core import fitting as core_fitting
from trustmem.core.constants import Constants, fingerprint, flat
from trustmem.core.instants import to_text
from trustmem.desk import clock
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import trials
from trustmem.desk.presenters import versions as presented
from trustmem.store import queries
from trustmem.store.models import Case, ConstantsVersion, Job, JobState, Line, Pass, Role, Space, User
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def space() -> Space:
    """Facts of many ages; W was 3 and then 4, and the midpoint moved with the second."""
    space = space_of(*(fact(f"f{each:02}", at=day(each), source=f"s{each % 3}") for each in range(30)))
    adopted(space, {"prior_weight": 3}, 1, "Fewer doubts.")
    adopted(space, {"prior_weight": 4, "activation_midpoint": -3}, 2, "They fit better.")
    return space


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def adopted(space: Space, values: dict[str, Any], after: int, reason: str = "", by: str = "ana", **more: Any) -> str:
    return constants.adopt(space, values, by=by, now=LATER + after, reason=reason, **more)


def page(client: Client, space: Space, number: int | None = None, status: int = 200, **asked: str) -> str:
    name, of = ("versions", []) if number is None else ("version", [number])
    where = reverse(name, args=[space.name, *of]) + (f"?{urlencode(asked)}" if asked else "")
    return text(client, where, status).split("<main")[1]


def back(client: Client, space: Space, number: int, reason: str = "It was better.", **more: str) -> HttpResponse:
    return client.post(reverse("roll-back", args=[space.name, number]), {"reason": reason, **more}, follow=True)


def numbers(space: Space) -> list[int]:
    return [each.number for each in constants.versions(space)]


# All of them


def test_every_version_stands_with_the_newest_first_and_with_who_when_why_and_what_it_changed(client, space):
    shown = page(client, space)
    said = words(shown)
    assert said.index("Version 3") < said.index("Version 2") < said.index("Version 1")
    assert said.count("came into force") == 2 and "Version 3 in force since" in said
    assert "Version 1 came into force with the space" in said and "The space began so." in said
    assert "Version 1 in force from the beginning" in words(page(client, space_of(fact("f"), name="young")))
    assert "“ Fewer doubts. ”" in said and "“ They fit better. ”" in said and "by ana" in said
    assert "1 constant changed: prior_weight" in said
    assert "2 constants changed: prior_weight, activation_midpoint" in said
    for each in (Constants(), Constants(prior_weight=3.0), Constants(prior_weight=4.0, activation_midpoint=-3.0)):
        assert f'title="{fingerprint(each)}">{fingerprint(each)[:12]}<' in shown


def test_bands_before_and_after_stand_in_a_table_as_they_were_kept(client, space):
    figures = constants.versions(space)[-1].figures
    assert figures["before"] != figures["after"]
    table = page(client, space, 3).split('class="numbers adopted"')[1].split("</table>")[0]
    rows = [re.findall(r'<td class="num">([^<]*)</td>', row) for row in table.split("<tr>")[2:7]]
    assert rows[::-1] == [
        [whole(before), whole(after)] for before, after in zip(figures["before"], figures["after"], strict=True)
    ]
    assert "30 live facts" in words(page(client, space))


def test_where_a_version_came_from_is_said_in_words(client, space):
    adopted(space, {"activation_midpoint": -2}, 3, figures={"fit": "quartiles", "fitted_at": day(100)})
    constants.roll_back(space, 2, by="ana", now=LATER + 4, reason="")
    space = space_of(fact("f"), change({"prior_weight": 5.0}, 3, version=7), name="of a file")
    assert "It came by a file, without figures." in words(page(client, space))
    assert "Bands before" not in words(page(client, space))
    said = words(page(client, Space.objects.get(name="diary")))
    assert "Chosen by a person." in said and "A roll back to version 2." in said
    assert re.search(r"From a fit by quartiles, as of 20\d\d-\d\d-\d\d \d\d:\d\d UTC\.", said)


def test_what_was_seen_in_the_lab_is_kept_with_a_version(client, space):
    save(client, space, **{"c.activation_midpoint": "-10"})
    figures = constants.versions(space)[-1].figures
    said = words(page(client, space, 4))
    assert figures["changed"] > 0 and f"{figures['changed']} changed band" in said
    flag, (before, after) = next((flag, pair) for flag, pair in figures["flags"].items() if any(pair))
    assert f"{flag} {before} {after}" in said


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"fit": "quartiles"}, r"From a fit by quartiles, as of 20\d\d-\d\d-\d\d \d\d:\d\d UTC\."),
        (
            {"fit": "ages", "f_hi": "0.8", "age_hi": "7", "f_lo": "0.25", "age_lo": "90"},
            r"From a fit by two ages, .* Seen once, a fact was to be 0\.8 fresh after 7 days, and 0\.25 after 90\.",
        ),
    ],
)
def test_a_fit_on_the_bench_is_told_of_the_version_that_has_what_it_found(client, space, asked, says):
    form = _tried(client, address(space, **asked))
    save(client, space, **form)
    assert re.search(says, words(page(client, space, 4)))
    save(client, space, **form | {"c.activation_midpoint": "-10"})
    save(client, space, **{"c.prior_weight": "9", "fitted": form["fitted"]})
    other = space_of(*(fact(f"f{each:02}", at=day(each)) for each in range(30)), name="other")
    save(client, other, **form)
    for of, number in ((space, 5), (space, 6), (other, 2)):
        assert "Chosen by a person." in words(page(client, of, number)), number


def _tried(client: Client, fit: str) -> dict[str, str]:
    """What the form sends with which that is saved which a fit found, by way of the part of the page that holds it."""
    lab = text(client, client.get(fit)["Location"])
    part = re.search(r'hx-get="([^"]*)" hx-trigger="load"', lab)[1].replace("&amp;", "&")
    assert 'name="fitted"' in lab.split('id="trial"')[1].split("</form>")[0]
    form = text(client, part, **HTMX).split('class="form adopt"')[1].split("</form>")[0]
    return dict(re.findall(r'name="(c\.[^"]+|fitted)" value="([^"]*)"', form))


def test_an_offered_fit_is_told_though_a_page_has_rounded_what_it_found(client):
    space = space_of(fact("a", source="crm"))
    found = core_fitting.fit(simulated.reviewed(2000, Constants(activation_midpoint=-3.0)), SOUGHT, Constants())
    fitted(space, found)
    save(client, space, **{f"c.{each.name}": f"{each.value:.2f}" for each in found.estimates})
    assert "Of 2 000 outcomes" in words(page(client, space))


def test_constants_of_a_fit_to_verdicts_say_so_with_how_it_did_long_after_its_job_is_gone(client):
    space = space_of(fact("a", source="crm"))
    found = core_fitting.fit(simulated.reviewed(2000, Constants(activation_midpoint=-3.0)), SOUGHT, Constants())
    assert found.is_offered
    fitted(space, found)
    tried = {f"c.{each.name}": repr(each.value) for each in found.estimates}
    save(client, space, **tried)
    Job.objects.all().delete()
    said = words(page(client, space))
    gain = found.over_in_force
    assert f"Of 2 000 outcomes {found.held_out.n} were held out" in said
    assert f"a gain of {gain.gain:.3g} with a standard error of {gain.error:.3g}." in said


def test_constants_that_are_none_of_a_fit_do_not_say_so(client):
    space = space_of(fact("a", source="crm"))
    found = core_fitting.fit(simulated.reviewed(2000, Constants(activation_midpoint=-3.0)), SOUGHT, Constants())
    fitted(space, found)
    save(client, space, **{"c.activation_midpoint": "-3"})
    assert "Chosen by a person." in words(page(client, space))
    assert "outcomes" not in words(page(client, space))


def test_an_uncalibrated_space_says_so_and_leads_to_the_bench(client):
    space = space_of(fact("a"))
    shown = page(client, space)
    assert "uncalibrated" in words(shown) and f'<a href="{address(space)}">Calibrate on the bench' in shown
    adopted(space, {"activation_midpoint": -2}, 1)
    assert "uncalibrated" not in words(page(client, space))


def test_a_space_into_which_nothing_came_has_no_version_and_says_what_holds(client):
    space = Space.objects.get(pk=space_of(name="empty").pk)
    ConstantsVersion.objects.filter(space=space).delete()
    assert "No version yet" in words(page(client, space))
    page(client, space, 1, status=404)


def test_many_versions_come_page_by_page_each_once(client, space, monkeypatch):
    monkeypatch.setattr(presented, "SIZE", 3)
    for each in range(6):
        adopted(space, {"prior_weight": 10 + each}, 10 + each)
    seen, where = list[str](), reverse("versions", args=[space.name])
    while where:
        shown = text(client, where)
        seen += re.findall(r"<strong>Version (\d+)</strong>", shown)
        further = re.search(r'rel="next" href="([^"]+)"', shown)
        where = further[1] if further else ""
    assert seen == [str(number) for number in range(9, 0, -1)]
    previous = re.search(r'rel="prev" href="([^"]+)"', shown)
    assert "Version 6</strong>" in text(client, previous[1]) and "Version 7</strong>" not in text(client, previous[1])
    page(client, space, status=400, after="99")


@pytest.mark.parametrize("script", SCRIPTS)
def test_authors_and_reasons_are_shown_letter_by_letter(client, space, script):
    adopted(space, {"prior_weight": 5}, 5, reason=script, by=script)
    for shown in (page(client, space), page(client, space, 4)):
        assert script not in shown or "<" not in script
        assert shown.count('translate="no"') > 2
        assert "&lt;" in shown or "<" not in script


# One of them


def test_a_version_says_what_it_changed_against_the_one_before_with_meaning_and_default(client, space):
    shown = page(client, space, 3)
    said = words(shown.split('id="diff"')[1].split("<form")[0])
    assert said.startswith("> ") or "What it changed, against the version before" in said
    assert re.search(r"prior_weight W: how much evidence outweighs the base rate 3 → 4 2", said)
    assert re.search(r"activation_midpoint .* −1\.7 → −3 −1\.7", said)
    assert "stale_threshold" not in said


def test_any_two_versions_are_set_against_each_other_both_ways(client, space):
    def differing(number: int, against: int) -> list[tuple[str, str, str]]:
        diff = page(client, space, number, against=str(against)).split('class="numbers differing"')[1]
        row = r'<b translate="no">([^<]+)</b>.*?<data value="([^"]+)".*?<data value="([^"]+)"'
        return re.findall(row, diff.split("</table>")[0], re.DOTALL)

    there, again = differing(3, 1), differing(1, 3)
    one, three = (flat(constants.found(space, number).constants) for number in (1, 3))
    assert there == [(name, str(one[name]), str(three[name])) for name in ("prior_weight", "activation_midpoint")]
    assert again == [(name, after, before) for name, before, after in there]
    shown = page(client, space, 3, against="1")
    assert '<option value="1" selected>' in shown and "What differs from version 1" in shown
    way = re.search(r'href="([^"]+)#diff">The other way round', shown)
    assert way and "What differs from version 3" in text(client, way[1])


def test_what_is_so_near_that_few_digits_hide_it_is_told_with_more(client, space):
    adopted(space, {"prior_weight": 4.000000001}, 3)
    assert "4 → 4.000000001" in words(page(client, space, 4))


def test_the_first_version_changed_nothing_and_is_set_against_any_other(client, space):
    assert "It is the first: nothing came before it." in words(page(client, space, 1))
    assert '<option value="2">' in page(client, space, 1)


@pytest.mark.parametrize("against", ["3", "9", "x"])
def test_a_version_is_not_set_against_itself_or_none(client, space, against):
    page(client, space, 3, status=400, against=against)


def test_all_constants_stand_as_they_were_then(client, space):
    shown = page(client, space, 2).split('id="all-title"')[1].split("</section>")[0]
    for name, number in flat(constants.found(space, 2).constants).items():
        assert f">{name.partition('.')[0]}<" in shown and f'value="{number:.15g}"' in shown


def test_what_went_by_a_version_is_counted_and_its_passes_are_a_step_away(client):
    lines = [fact("f"), change({"prior_weight": 3.0}, 10, version=2), change({"prior_weight": 4.0}, 20, version=3)]
    space = space_of(*lines, passes=daily(5, 28))
    found = constants.versions(space)
    under = list(zip(found, [*(each.since for each in found[1:]), None], strict=True))
    for each, until in under:
        count = sum(each.since <= at and (until is None or at < until) for at in _passes(space))
        shown = page(client, space, each.number)
        assert re.search(rf"Passes taken under it: {count} ·", words(shown))
        if until is not None and count:
            listed = text(client, re.search(r'class="num" href="([^"]+/passes/[^"]*)"', shown)[1])
            newest = max(at for at in _passes(space) if at < until)
            assert presented.when(newest, clock.now()).minute in listed


def _passes(space: Space) -> list[int]:
    return list(Pass.objects.filter(space=space, void=False).values_list("instant", flat=True))


def test_how_many_cases_were_opened_under_a_version_is_told(client, space):
    Case.objects.create(space=space, name="c", position=1, at=day(1), constants_version=2)
    assert "cases opened under it: 1" in words(page(client, space, 2))
    assert "cases opened under it: 0" in words(page(client, space, 3))


def test_two_versions_of_one_number_are_told_apart_by_name(client):
    lines = (
        change({"prior_weight": 3.0}, 3, version=2, id="one"),
        change({"prior_weight": 4.0}, 4, version=2, id="<other>"),
    )
    space = space_of(fact("f"), *lines)
    listed = page(client, space)
    assert '<code translate="no">one</code>' in listed and "&lt;other&gt;" in listed
    which = page(client, space, 2)
    assert "Which one?" in which
    for name, href in ((each.name, presented.href(space, each, constants.versions(space))) for each in _twins(space)):
        assert href.replace("&", "&amp;") in which
        shown = text(client, href)
        assert 'id="fingerprint"' in shown and fingerprint(constants.found(space, name).constants) in shown
    assert "· &lt;other&gt;</option>" in page(client, space, 1)
    assert client.post(reverse("roll-back", args=[space.name, 2]), {"reason": "x"}).status_code == 400
    page(client, space, 2, status=404, name="nobody")
    client.post(reverse("roll-back", args=[space.name, 2]) + "?name=one", {"reason": "x"})
    assert queries.constants(space).prior_weight == 3.0


def _twins(space: Space) -> list[constants.Version]:
    return [each for each in constants.versions(space) if each.number == 2]


def test_a_version_that_was_undone_says_so_with_who_when_why_and_leads_to_the_log(client, space):
    assert "Undone" not in words(page(client, space))
    act = Line.objects.get(name=constants.versions(space)[-1].name).act
    again = undo.undo(space, act, by="<ben>", now=LATER + 9, reason="Too fresh.")
    for shown in (page(client, space, 3), page(client, space).split('id="gone-title"')[1]):
        assert re.search(
            r"Version 3 undone came into force .* by ana .*Undone .* by < ?ben", words(shown).replace("&lt;", "<")
        )
        assert "“ Too fresh. ”" in words(shown)
        assert text(client, re.search(r'href="([^"]*/log/entries/[^"]+)"', shown)[1])
    undo.undo(space, again, by="ana", now=LATER + 10)
    assert "It was undone" not in words(page(client, space, 3)) and "Undone" not in words(page(client, space))


def test_a_version_that_went_with_its_import_says_so(client):
    space = space_of(fact("f"), change({"prior_weight": 3.0}, 3, version=2))
    line = Line.objects.get(space=space, name=constants.versions(space)[-1].name)
    undo.undo(space, line.imported, by="ana", now=LATER)
    assert "It was undone" in words(page(client, space, 2))


def test_a_version_that_never_was_has_no_page(client, space):
    page(client, space, 99, status=404)
    page(client, space, 2)


# Going back


def test_an_admin_rolls_back_to_a_version_which_comes_into_force_as_a_new_one_and_undoes_that(client, space):
    before = queries.constants(space)
    answer = back(client, space, 2)
    assert "In force again, as a new version." in answer.text
    assert queries.constants(space) == Constants(prior_weight=3.0)
    newest = constants.versions(space)[-1]
    assert (newest.number, newest.author, newest.reason) == (4, "owner", "It was better.")
    assert newest.figures["back_to"] == 2
    act = Line.objects.get(name=newest.name).act
    assert f'name="act" value="{act}"' in page(client, space) and "Undo version 4" in words(page(client, space))
    client.post(reverse("undo", args=[space.name]), {"act": act, "next": reverse("versions", args=[space.name])})
    assert queries.constants(space) == before and numbers(space) == [1, 2, 3]


def test_before_that_the_lab_shows_what_those_constants_would_do(client, space):
    href = re.search(r'href="([^"]*/what-if/\?[^"]*)"', page(client, space, 1))[1].replace("&amp;", "&")
    asked = {name: given[0] for name, given in parse_qs(urlparse(href).query).items()}
    assert trials.tried(queries.constants(space), asked).constants == Constants()
    assert "facts would change band" in words(text(client, href))


def test_without_a_reason_nobody_goes_back(client, space):
    answer = back(client, space, 2, reason=" ")
    assert answer.status_code == 400 and "Say why, for those who read the constants later." in answer.text
    assert numbers(space) == [1, 2, 3]


def test_to_what_is_in_force_nobody_goes_back(client, space):
    assert "Roll back" not in words(page(client, space, 3))
    assert "these values are in force already" in back(client, space, 3).text
    adopted(space, {"prior_weight": 3, "activation_midpoint": Constants().activation_midpoint}, 5)
    shown = words(page(client, space, 2))
    assert "These constants are in force, by a later version" in shown and "Roll back to version 2" not in shown
    assert numbers(space) == [1, 2, 3, 4]


@pytest.mark.parametrize("role", [Role.READER, Role.REVIEWER, Role.CURATOR])
def test_only_an_admin_goes_back_and_everybody_sees_all_else(client_of, member, space, role):
    client = client_of(member(space, role))
    shown = words(page(client, space, 2))
    assert "An admin of this space can roll back to it." in shown and "Roll back to version 2" not in shown
    assert "First see in the lab what they would do" in shown
    assert "Undo version" not in words(page(client, space))
    assert back(client, space, 2).status_code == 403
    assert numbers(space) == [1, 2, 3]


def test_who_has_no_role_here_sees_nothing(client_of, space):
    stranger = client_of(User.objects.create_user("stranger"))
    for name, of in (("versions", []), ("version", [2])):
        where = reverse(name, args=[space.name, *of])
        assert stranger.get(where).status_code == 404 and Client().get(where).status_code == 302


def test_the_same_form_twice_is_one_version(client, space):
    for _ in range(2):
        back(client, space, 2, click="one-of-its-kind")
    assert numbers(space) == [1, 2, 3, 4]


def test_in_a_large_space_a_worker_does_it_and_the_page_looks_until_it_is_done(client, space, monkeypatch):
    monkeypatch.setattr(calibration, "MOST_FOLDED", 10)
    assert "a worker does it, and it takes minutes" in words(page(client, space, 2))
    answer = back(client, space, 2)
    assert "It is being put in force" in answer.text and "Putting a version in force" in answer.text
    where = reverse("versions", args=[space.name])
    for each in (where, reverse("version", args=[space.name, 2])):
        assert "Putting a version in force" in text(client, each, **HTMX)
    assert numbers(space) == [1, 2, 3]
    work()
    assert client.get(where, headers=HTMX)["HX-Refresh"] == "true"
    newest = constants.versions(space)[-1]
    assert (newest.constants, newest.reason, newest.figures["back_to"]) == (
        constants.found(space, 2).constants, "It was better.", 2,
    )  # fmt: skip


def test_in_a_large_space_the_undo_of_a_version_is_a_job(client, space, monkeypatch):
    monkeypatch.setattr(calibration, "MOST_FOLDED", 10)
    shown = page(client, space)
    assert "it takes minutes" in words(shown)
    act = re.search(r'name="act" value="([^"]+)"', shown)[1]
    client.post(reverse("undo", args=[space.name]), {"act": act, "next": "/"})
    assert Job.objects.get(kind=jobs.UNDO).state == JobState.QUEUED


def test_a_version_in_force_that_came_by_a_file_goes_with_that_import_and_the_first_with_none(client):
    assert "Undo version" not in words(page(client, space_of(fact("f"), name="first")))
    space = space_of(fact("f"), change({"prior_weight": 3.0}, 3, version=2))
    shown = page(client, space)
    assert "It goes with the import that brought it." in words(shown) and "Undo version" not in words(shown)
    report = re.search(r'href="([^"]*/imports/[^"]+)"', shown)[1]
    assert text(client, report)


# Nothing else writes


def test_no_page_of_versions_changes_anything(client, space):
    before, lines = state_hash(space), Line.objects.count()
    for where in ("", "3/", "3/?against=1", "1/"):
        text(client, reverse("versions", args=[space.name]) + where)
    for where in ("", "3/"):
        assert client.post(reverse("versions", args=[space.name]) + where, {"reason": "Other."}).status_code == 405
    assert client.get(reverse("roll-back", args=[space.name, 2])).status_code == 405
    assert (state_hash(space), Line.objects.count()) == (before, lines)


def test_going_back_leaves_every_older_version_as_it_was(client, space):
    older = constants.versions(space)
    back(client, space, 1)
    assert constants.versions(space)[:3] == older


def test_the_settings_lead_to_the_versions_and_hold_no_copy(client, space):
    shown = text(client, reverse("constants", args=[space.name]))
    assert f'href="{reverse("versions", args=[space.name])}"' in shown and f'href="{address(space)}"' in shown
    assert "Version 3" not in shown and "Undo" not in words(shown)


# How much is asked of the database


def _queries(client: Client, where: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        text(client, where)
    return len(captured)


def test_however_many_versions_there_are_the_pages_ask_as_often(client, space):
    where = [reverse("versions", args=[space.name]), reverse("version", args=[space.name, 3])]
    asked = []
    for many in (10, 20):
        for each in range(len(numbers(space)), many):
            adopted(space, {"prior_weight": 10 + each}, 10 + each)
        asked.append([_queries(client, each) for each in where])
    assert asked[0] == asked[1]
    assert len(numbers(space)) == 20


def test_a_case_and_a_pass_lead_to_the_version_that_they_went_by(client):
    lines = [fact("f"), fact("g"), edge("g", "contradicts", "f", 3), change({"prior_weight": 3.0}, 4, version=1234)]
    space = space_of(*lines, passes=daily(5, 6))
    case = Case.objects.filter(space=space).earliest("pk")
    Case.objects.filter(pk=case.pk).update(constants_version=1234)
    report = reverse("pass", args=[space.name, to_text(Pass.objects.filter(space=space).latest("instant").instant)])
    for where in (reverse("case", args=[space.name, case.name]), report):
        assert f'href="{reverse("version", args=[space.name, 1234])}"' in text(client, where), where
