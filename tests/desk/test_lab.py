"""The calibration lab: what is in force, every constant as a field, what is tried and what it would do, figures and
files; and saving a version, which is the only thing here that writes."""

import csv
import json
import re
from io import StringIO
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape

from tests.actions.world import space_of
from tests.desk.conftest import ClientOf
from tests.makers import constants as change
from tests.makers import day, event, fact
from trustmem.actions import constants as adopting
from trustmem.actions import jobs, kinds, spaces, what_if
from trustmem.core.calibration import fit_quartiles, fit_two_ages
from trustmem.core.constants import REGISTRY, Constants, changed, fingerprint, flat
from trustmem.core.freshness import freshness
from trustmem.core.histograms import SPANS
from trustmem.core.scores import score
from trustmem.core.vocabulary import BANDS
from trustmem.desk import charts_lab, clock
from trustmem.desk.presenters import bench
from trustmem.desk.presenters import what_if as presented
from trustmem.store import histograms, queries
from trustmem.store.models import Adoption, ConstantsVersion, Fact, Histogram, Job, Line, Role, Space, User
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]
HTMX = {"HX-Request": "true"}
#: By this every fact that was ever seen is as fresh as can be.
FRESH = {"c.activation_midpoint": "-10"}


@pytest.fixture
def space() -> Space:
    """Thirty facts of many ages, one of which nobody knows, some of them said by others, too."""
    facts = [fact(f"f{each:02}", at=day(each), source=f"s{each % 3}", at_known=each < 29) for each in range(30)]
    return space_of(*facts, *(event("corroborated", f"f{each:02}", at=day(60), source="ben") for each in range(5)))


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def address(space: Space, name: str = "calibration", **asked: str) -> str:
    return reverse(name, args=[space.name]) + (f"?{urlencode(asked)}" if asked else "")


def work() -> None:
    """What a worker does."""
    for pk in jobs.due(clock.now()):
        job = jobs.claim(pk, now=clock.now())
        assert job
        kinds.do(job, clock.now)


def counted(space: Space) -> Space:
    jobs.ask(space, jobs.HISTOGRAMS, by="ana", now=clock.now())
    work()
    return space


def text(client: Client, where: str, status: int = 200, **headers: str) -> str:
    answer = client.get(where, headers=headers)
    assert answer.status_code == status
    return str(answer.text)


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


# What is in force


def test_the_version_in_force_is_told_with_its_fingerprint_by_whom_and_why(client, space):
    adopting.adopt(space, {"prior_weight": 3}, by="ana", now=day(101), reason="<b>fewer</b> doubts")
    page = text(client, address(space))
    assert "Version 2" in words(page) and "&lt;b&gt;fewer&lt;/b&gt; doubts" in page
    assert fingerprint(Constants(prior_weight=3.0))[:12] in page
    assert "Undo version 2" in words(page)


def test_a_version_that_a_file_brought_goes_with_that_import_and_is_not_undone_alone(client):
    page = text(client, address(space_of(fact("f"), change({"prior_weight": 3.0}, 3, version=2))))
    assert "Undo version" not in words(page) and "It goes with the import that brought it." in words(page)
    assert text(client, re.search(r'href="([^"]*/imports/[^"]+)"', page.split("force-title")[2])[1])


def test_a_space_that_nobody_calibrated_says_so_until_somebody_does(client, space):
    assert "uncalibrated" in words(text(client, address(space)))
    adopting.adopt(space, {"activation_midpoint": -2.0}, by="ana", now=day(101), reason="")
    assert "uncalibrated" not in words(text(client, address(space)))


def test_an_empty_space_has_a_lab_as_well(client):
    page = words(text(client, address(spaces.create("empty"), **FRESH)))
    assert "The defaults: nothing has come into this space yet." in page


def test_histograms_are_counted_when_somebody_asks_and_once_at_a_time(client, space):
    Job.objects.all().delete()
    page = text(client, address(space))
    assert "No histogram was counted yet" in page
    assert "How the facts are spread is seen once a worker has counted them" in page and "Count histograms" in page
    for _ in range(2):
        assert client.post(address(space)).status_code == 302
    assert Job.objects.filter(kind=jobs.HISTOGRAMS).count() == 1
    assert "Counting histograms" in text(client, address(space))
    assert "Counting histograms" in text(client, address(space), **HTMX)
    work()
    page = client.get(address(space), headers=HTMX)
    assert page.headers["HX-Refresh"] == "true"
    assert "Histograms counted" in words(text(client, address(space)))


def test_what_came_since_histograms_were_counted_is_said(client, space):
    counted(space)
    adopting.adopt(space, {"prior_weight": 3}, by="ana", now=clock.now(), reason="")
    page = words(text(client, address(space)))
    assert "Another version is in force by now." in page and "Lines have come since." in page


# Fields


def test_every_constant_is_shown_with_what_it_means_and_where_it_comes_from(client, space):
    page = text(client, address(space))
    for name, meta in REGISTRY.items():
        assert f">{name}<" in page
        assert escape(meta.meaning) in page and escape(meta.origin) in page
    assert "chosen by judgement: nothing was measured" in page


def test_each_number_of_a_tunable_constant_has_one_field_and_a_fixed_one_none(client, space):
    page = text(client, address(space))
    fields = re.findall(r'name="c\.([^"]+)" value="([^"]*)" min="([^"]*)" max="([^"]*)"', page)
    tunable = {name for name, meta in REGISTRY.items() if meta.tunable} - {"candidate_overlap"}  # tried on its own page
    expected = {name: number for name, number in flat(Constants()).items() if name.split(".")[0] in tunable}
    assert {name: float(value) for name, value, _, _ in fields} == expected
    assert len(fields) == len(expected)
    assert all(float(low) == REGISTRY[name.split(".")[0]].low for name, _, low, _ in fields)
    assert all(float(high) == REGISTRY[name.split(".")[0]].high for name, _, _, high in fields)


def test_what_is_tried_is_marked_and_each_goes_back_by_itself(client, space):
    page = text(client, address(space, **FRESH, **{"c.base_rate.auto": "0.5"}))
    assert "2 numbers changed" in words(page)
    (back,) = re.findall(r'href="([^"]*)" data-back="c-base_rate-auto">', page)
    assert back == address(space, **FRESH)
    assert '<a class="back" href="' in page and 'data-back="c-base_rate-human" hidden' in page


def test_an_address_that_says_what_is_in_force_anyway_becomes_short(client, space):
    numbers = {f"c.{name}": f"{number:.15g}" for name, number in flat(Constants()).items()}
    tunable = {name: text for name, text in numbers.items() if REGISTRY[name.split(".")[1]].tunable}
    assert client.get(address(space, **tunable | FRESH))["Location"] == address(space, **FRESH)
    answer = client.get(address(space, "what-if", **tunable | FRESH))
    assert answer["Location"] == address(space, "what-if", **FRESH)


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("activation_scale", "0", "This must lie from 0.05 to 10."),
        ("activation_scale", "", "This must be a number from 0.05 to 10."),
        ("activation_scale", "wide", "This must be a number from 0.05 to 10."),
        ("activation_scale", "nan", "This must be a number from 0.05 to 10."),
        ("activation_scale", "1_0", "This must be a number from 0.05 to 10."),
        ("activation_scale", "٣", "This must be a number from 0.05 to 10."),
        ("activation_scale", "1e999", "This must be a number from 0.05 to 10."),
        ("neighbours", "1.5", "This must be a whole number."),
        ("base_rate.human", "2", "This must lie from 0.01 to 1."),
        ("band_edges.1", "0.1", "Each edge must be higher than the one before it."),
    ],
)
def test_what_is_wrong_with_a_number_is_said_at_its_field_in_one_sentence(client, space, name, given, says):
    asked, id = {f"c.{name}": given}, f"c-{name.replace('.', '-')}"
    for where in (address(space, **asked), address(space, "what-if", **asked)):
        page = text(client, where, 400 if "what-if" in where else 200)
        assert re.findall(rf'id="{id}-says" data-error>([^<]*)<', page) == [says]
    part = text(client, address(space, "what-if", **asked), 400, **HTMX)
    assert f'id="{id}-says"' in part and says in part
    assert "would change band" not in part


def test_edges_that_rise_together_are_right_though_each_alone_is_not(client, space):
    edges = {f"c.band_edges.{place}": each for place, each in enumerate(("0.85", "0.9", "0.95", "0.99"))}
    assert "would change band" in text(client, address(space, "what-if", **edges))


@pytest.mark.parametrize("name", ["c.nonsense", "c.corroboration_max", "c.base_rate", "c.base_rate.nobody", "c."])
def test_a_constant_that_cannot_be_tried_is_no_address(client, space, name):
    for page in ("calibration", "what-if", "curve-figure"):
        text(client, address(space, page, **{name: "0.3"}), 400)


# Fits


def test_a_fit_by_quartiles_fills_the_fields_and_adopts_nothing(client, space):
    before = state_hash(space)
    activation = score(queries.stored(space), clock.now()).activation
    where = client.get(address(space, fit="quartiles"))["Location"]
    given = dict(re.findall(r"c\.(\w+)=([^&#]+)", where))
    fit = fit_quartiles(activation)._asdict()
    assert {name: float(each) for name, each in given.items()} == pytest.approx(fit, abs=1e-4)
    assert all(len(each.partition(".")[2]) <= 4 for each in given.values())
    assert state_hash(space) == before


def test_a_fit_by_two_ages_fills_the_fields(client, space):
    where = client.get(address(space, fit="ages", f_hi="0.8", age_hi="7", f_lo="0.25", age_lo="90"))["Location"]
    given = dict(re.findall(r"c\.(\w+)=([^&#]+)", where))
    fit = fit_two_ages(7, 0.8, 90, 0.25, Constants())
    assert {name: float(each) for name, each in given.items()} == pytest.approx(fit._asdict(), abs=1e-4)


def test_a_refused_fit_keeps_what_was_asked_and_its_address_says_only_what_differs(client, space):
    asked = {"f_hi": "0.2", "age_hi": "7", "f_lo": "0.25", "age_lo": "90", "measure": "trust", "by": "tier", "bins": ""}
    numbers = {
        f"c.{name}": f"{number:.15g}" for name, number in flat(Constants()).items() if name != "activation_scale"
    }
    tunable = {name: text for name, text in numbers.items() if REGISTRY[name.split(".")[1]].tunable}
    where = client.get(address(space, fit="ages", **tunable, **asked, **{"c.activation_scale": "0.6"}))["Location"]
    assert (
        where == address(space, **{"c.activation_scale": "0.6"}, fit="ages", by="tier", bins="", f_hi="0.2") + "#bench"
    )
    page = text(client, where.replace("bins=&", ""))
    assert "The two freshnesses must lie between 0 and" in page
    assert 'name="f_hi" value="0.2"' in page and 'name="c.activation_scale" value="0.6"' in page


def test_constants_are_shown_with_as_many_digits_as_tell_them_apart_and_what_is_shown_is_in_force(client, space):
    page = text(client, address(space, **{"c.activation_scale": "0.53"}))
    assert 'back to <span class="num">0.525</span>' in page
    adopting.adopt(space, {"activation_midpoint": -1.6853473298891}, by="ana", now=day(101), reason="")
    page = text(client, address(space))
    assert 'name="c.activation_midpoint" value="-1.6853"' in page
    assert '<data class="num" value="-1.6853473298891">−1.6853</data>' in page
    assert "nothing would change" in text(
        client, address(space, "what-if", **{"c.activation_midpoint": "-1.6853"}), **HTMX
    )


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (
            {"f_hi": "0.2", "age_hi": "7", "f_lo": "0.25", "age_lo": "90"},
            "The two freshnesses must lie between 0 and",
        ),
        ({"f_hi": "0.8", "age_hi": "", "f_lo": "0.25", "age_lo": "90"}, "This field is required"),
    ],
)
def test_two_ages_that_no_squash_meets_are_refused_beside_their_fields(client, space, asked, says):
    page = text(client, address(space, fit="ages", **asked))
    assert says in page and 'name="f_lo" value="0.25"' in page


def test_too_few_facts_are_not_fitted(client):
    page = text(client, address(space_of(fact("one")), fit="quartiles"))
    assert "A fit needs 20 facts with a known age; there are 1." in page


# What if


def test_what_would_change_is_told_by_the_very_function_that_scores(client, space):
    trial = changed(Constants(), {"activation_midpoint": -10.0})
    found = what_if.what_if(space, trial, clock.now())
    page = text(client, address(space, "what-if", **FRESH))
    assert len(found.changed) > 10
    assert f"{len(found.changed)} of 30 facts would change band." in words(page)
    assert "All live facts were scored anew. Nothing was written." in words(page)
    table = page[page.index('class="matrix"') :]
    rows = [re.findall(r'<td class="num[^"]*">(\d+)</td>', row) for row in table.split("<tr>")[2:7]]
    assert [[int(each) for each in row[:5]] for row in rows] == found.matrix


def test_to_look_writes_nothing(client, space):
    counted(space)
    before, lines = state_hash(space), Line.objects.count()
    for name in ("calibration", "what-if", "curve-figure", "what-if-csv"):
        text(client, address(space, name, **FRESH))
    assert (state_hash(space), Line.objects.count(), Adoption.objects.count()) == (before, lines, 0)


def test_a_part_says_in_its_answer_which_address_holds_the_trial(client, space):
    where = address(space, "what-if", **FRESH)
    from_the_lab = {**HTMX, "HX-Current-URL": f"http://testserver{address(space)}"}
    first = client.get(where, headers=from_the_lab)
    assert first["HX-Push-Url"] == address(space, **FRESH)
    still = client.get(where, headers={**from_the_lab, "Goes-On": "yes"})
    assert still["HX-Replace-Url"] == address(space, **FRESH) and "HX-Push-Url" not in still
    there = client.get(where, headers={**HTMX, "HX-Current-URL": f"http://testserver{address(space, **FRESH)}"})
    assert "HX-Push-Url" not in there
    assert "<html" not in first.text and "<html" in text(client, where)


def test_facts_that_change_band_are_sorted_and_come_page_by_page(client, space, monkeypatch):
    monkeypatch.setattr(presented, "SIZE", 7)
    asked = {**FRESH, "sort": "name"}
    every = what_if.what_if(space, changed(Constants(), {"activation_midpoint": -10.0}), clock.now()).changed.names
    seen, where = list[str](), address(space, "what-if", **asked)
    while where:
        page = text(client, where, **HTMX)
        falls = page[page.index('class="falls"') :]
        seen += re.findall(r'href="[^"]*/facts/([^/"]+)/"', falls)
        further = re.search(r'rel="next" href="([^"]+)"', falls)
        where = further[1].replace("&amp;", "&") if further else ""
    assert seen == every
    assert 'aria-sort="ascending"' in falls
    text(client, address(space, "what-if", **FRESH, sort="colour"), 400)


def test_what_moves_most_comes_first_whichever_way_and_says_how_far(client, space):
    for midpoint, sign in ((-4.0, "+"), (-1.7, "−")):
        page = text(client, address(space, "what-if", **{"c.activation_midpoint": str(midpoint)}))
        moves = re.findall(r'<span class="num">([+−])(0\.\d\d)</span>', page[page.index('class="falls"') :])
        sizes = [float(size) for _, size in moves]
        assert len(sizes) == 20 and sizes == sorted(sizes, reverse=True) and sizes[0] > sizes[-1]
        assert {each for each, _ in moves} == {sign}
        adopting.adopt(space, {"activation_midpoint": midpoint}, by="ana", now=clock.now(), reason="")


def test_what_the_next_pass_would_do_is_told_before_and_after(client):
    space = space_of(*(fact(f"f{each}", prior=0.1 * each) for each in range(1, 6)))
    page = words(text(client, address(space, "what-if", **{"c.prune_threshold": "0.9"})))
    assert re.search(r"pruned: 0 → 5", page)


def test_constants_that_are_in_force_change_nothing(client, space):
    part = text(client, address(space, "what-if"), **HTMX)
    assert "nothing would change" in part


# Figures and files


def test_the_figure_of_activation_has_the_bars_that_were_counted_and_the_squash_over_them(client, space):
    counted(space)
    figure = json.loads(text(client, address(space, "histogram-figure", measure="activation", squash="1", **FRESH)))
    bars, squash = figure["data"]
    (row,) = histograms.found(space, "activation")
    assert bars["y"] == row.counts
    trial = changed(Constants(), {"activation_midpoint": -10.0})
    assert squash["y"] == pytest.approx(freshness(squash["x"], trial).tolist())
    assert len(figure["layout"]["shapes"]) == 3
    assert sum(int(each[2]) for each in figure["layout"]["meta"]["rows"]) == 30


def test_the_bench_is_drawn_though_nothing_was_counted(client, space):
    figure = json.loads(text(client, address(space, "histogram-figure", measure="age", bins="log", squash="1")))
    assert [each["type"] for each in figure["data"]] == ["scatter"]
    text(client, address(space, "histogram-figure", measure="age", bins="log"), 404)


def test_freshness_against_age_is_that_of_two_ages(client, space):
    fit = fit_two_ages(7, 0.8, 90, 0.25, Constants())
    asked = {f"c.{name}": f"{value:.15g}" for name, value in fit._asdict().items()}
    rows = list(csv.reader(StringIO(text(client, address(space, "curve-csv", **asked)).removeprefix("\ufeff"))))
    ages, once = ([float(row[column]) / (86_400 if column == 0 else 1) for row in rows[1:]] for column in (0, 1))
    near = {age: min(zip(ages, once, strict=True), key=lambda pair: abs(pair[0] - age))[1] for age in (7, 90)}
    assert near == pytest.approx({7: 0.8, 90: 0.25}, abs=0.03)
    assert all(one < three < ten for one, three, ten in ((row[1], row[2], row[3]) for row in rows[1:]))
    figure = json.loads(text(client, address(space, "curve-figure", **asked)))
    assert [each["line"]["dash"] for each in figure["data"]] == ["solid", "dash", "dot"]


@pytest.mark.parametrize("measure", ["age", "since confirmed", "gap", "activation", "trust", "weight"])
@pytest.mark.parametrize("by", ["", "scope", "producer", "source", "tier"])
def test_histograms_of_every_measure_and_group_are_shown_with_all_that_is_in_no_bin(client, space, measure, by):
    counted(space)
    part = text(client, address(space, measure=measure, by=by), **{"HX-Request": "true", "HX-Target": "spread"})
    rows = histograms.found(space, measure, by)
    assert rows
    for row in rows:
        n, drawn = sum(row.counts) + row.below + row.above + row.unknown, sum(row.counts)
        what = "gap" if measure == "gap" else "fact"
        says = ", all of them drawn" if n == drawn else f": {drawn} drawn"
        assert f"{n} {what}{'' if n == 1 else 's'}{says}" in words(part)
        if row.quartiles:
            known = n - row.unknown - (row.below if measure in SPANS else 0)
            assert f"quartiles of the {known}:" in words(part)
    assert ("of unknown age" in part) == any(row.unknown for row in rows)


def test_facts_that_are_dated_in_the_future_are_told_of_and_count_as_now(client, space):
    counted(space)
    Histogram.objects.filter(space=space, measure="age", by="").update(below=2)
    page = words(text(client, address(space)))
    assert "32 facts: 29 drawn, 1 of unknown age, 2 in the future quartiles of the 29:" in page
    assert "2 facts are dated in the future, which counts as now." in page


def test_the_table_for_machines_names_unit_and_what_is_in_no_bin_and_sums_to_n(client, space):
    counted(space)
    answer = client.get(address(space, "histogram-csv", measure="age", bins="log"))
    rows = list(csv.reader(StringIO(answer.text[1:])))
    assert rows[0] == ["from_seconds", "to_seconds", "count"]
    assert [row[:2] for row in rows[-3:]] == [[name, name] for name in ("unknown", "in the future", "above")]
    assert sum(int(row[2]) for row in rows[1:]) == 30
    assert 'filename="age-log.csv"' in answer["Content-Disposition"]
    answer = client.get(address(space, "histogram-csv", measure="trust", by="source", of="s1"))
    assert (
        answer.text[1:].startswith("from,to,count")
        and 'filename="trust-by-source-s1.csv"' in answer["Content-Disposition"]
    )


def test_a_figure_says_of_itself_what_it_is_of_and_how_many_it_does_not_draw(client, space):
    counted(space)
    asked = {"measure": "age", "by": "source", "of": "s1", "bins": "log"}
    meta = json.loads(text(client, address(space, "histogram-figure", **asked)))["layout"]["meta"]
    [row] = [each for each in histograms.found(space, "age", "source", "log") if each.of == "s1"]
    assert meta["file"] == "age-by-source-s1-log"
    assert meta["caption"] == [f"Age · s1 · {space.name}", bench.says(row)]
    asked = {"measure": "activation", "squash": "1", "c.activation_scale": "0.6"}
    meta = json.loads(text(client, address(space, "histogram-figure", **asked)))["layout"]["meta"]
    assert meta["caption"][-1] == "B0 −1.7, σ 0.6"


def test_names_of_groups_are_text_in_figures_and_harmless_in_names_of_files(client):
    space = counted(space_of(fact("a", source="../<b>x</b>/" + "long" * 40)))
    of = histograms.found(space, "trust", "source")[0].of
    meta = json.loads(text(client, address(space, "histogram-figure", measure="trust", by="source", of=of)))
    meta = meta["layout"]["meta"]
    assert re.fullmatch(r"trust-by-source-[a-z-]{1,60}", meta["file"]) and "&lt;b&gt;x" in meta["caption"][0]


def test_what_stands_in_the_cells_of_bands_is_read_in_either_theme():
    matrix = [[0, 1, 2, 0, 400], [3, 9, 40, 0, 0], [0] * 5, [90, 0, 0, 0, 30], [0] * 5]
    heat, written = json.loads(charts_lab.bands_before_and_after(Space(name="s"), matrix, ""))["data"]
    most = max(map(max, heat["z"]))
    stops = heat["colorscale"]
    for place, ink in enumerate(written["textfont"]["color"]):
        share = heat["z"][place // 5][place % 5] / most
        low, high = (stops[0], stops[1]) if share < stops[1][0] else (stops[2], stops[3])
        for theme in (0, 1):
            worst = min(contrast(token(ink, theme), token(each[1], theme)) for each in (low, high))
            assert worst >= 4.5, (share, ink, theme)


def token(name: str, theme: int) -> list[float]:
    """What a colour comes to in the light theme (0) or the dark one (1): its parts, from 0 to 1."""
    tokens = (ROOT / "static/css/tokens.css").read_text()
    found = re.search(rf"{name[4:-1]}: light-dark\(#(\w+), #(\w+)\)", tokens)
    return [int(found[theme + 1][at : at + 2], 16) / 255 for at in (0, 2, 4)]


def contrast(one: list[float], other: list[float]) -> float:
    """As WCAG reckons it."""
    parts = (
        [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in rgb] for rgb in (one, other)
    )
    light = sorted(0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05 for red, green, blue in parts)
    return light[1] / light[0]


def test_the_table_of_bands_is_the_matrix(client, space):
    found = what_if.what_if(space, changed(Constants(), {"activation_midpoint": -10.0}), clock.now())
    rows = list(csv.reader(StringIO(text(client, address(space, "what-if-csv", **FRESH))[1:])))
    assert rows[0][1:] == list(BANDS)
    assert [[int(each) for each in row[1:]] for row in rows[1:]] == found.matrix


@pytest.mark.parametrize("asked", [{"measure": "luck"}, {"by": "colour"}, {"bins": "round"}])
def test_histograms_that_there_are_not_are_no_address(client, space, asked):
    text(client, address(space, **asked), 400)


def test_sources_are_shown_letter_by_letter(client):
    space = counted(space_of(fact("a", source="<script>alert(1)</script>")))
    page = text(client, address(space, measure="trust", by="source"))
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page


# Saving a version


def save(client: Client, space: Space, reason: str = "It fits us.", **asked: str) -> object:
    return client.post(address(space, "adopt"), {**(asked or FRESH), "reason": reason}, follow=True)


def test_a_version_is_saved_with_a_reason_and_the_figures_that_were_seen_and_undone_by_its_act(client, space):
    before = queries.constants(space)
    seen = what_if.what_if(space, changed(before, {"activation_midpoint": -10.0}), clock.now())
    page = save(client, space)
    assert "In force from now on, as a new version." in page.text
    assert queries.constants(space).activation_midpoint == -10.0
    version = ConstantsVersion.objects.latest("since")
    assert version.reason == "It fits us."
    figures = Adoption.objects.get(version=version.name).figures
    assert (figures["changed"], figures["matrix"]) == (len(seen.changed), seen.matrix)
    act = Line.objects.get(name=version.name).act
    client.post(reverse("undo", args=[space.name]), {"act": act, "next": address(space)})
    assert queries.constants(space) == before


def test_a_version_without_a_reason_is_not_saved_and_what_was_tried_is_still_there(client, space):
    page = save(client, space, reason=" ")
    assert page.status_code == 400
    assert "Say why, for those who read the constants later." in page.text
    assert 'name="c.activation_midpoint" value="-10"' in page.text and "would change band" in page.text
    assert queries.constants(space) == Constants()


def test_why_is_asked_for_and_not_said_to_be_optional(client, space):
    form = text(client, address(space, "what-if", **FRESH)).split('id="adopt-title"')[1].split("</form>")[0]
    assert "Why" in words(form) and "(optional)" not in words(form)


@pytest.mark.parametrize("role", [Role.READER, Role.REVIEWER, Role.CURATOR])
def test_only_an_admin_saves_and_everybody_sees_all_else(client_of, member, space, role):
    client = client_of(member(space, role))
    page = text(client, address(space, "what-if", **FRESH))
    assert "would change band" in page and "An admin of this space can put this in force." in page
    assert 'action="' + address(space, "adopt") not in page
    assert client.post(address(space, "adopt"), {**FRESH, "reason": "Mine."}).status_code == 403


def test_the_same_form_twice_is_one_version(client, space):
    for _ in range(2):
        save(client, space, click="one-of-its-kind", **FRESH)
    assert ConstantsVersion.objects.filter(number=2).count() == 1
    assert not ConstantsVersion.objects.filter(number=3).exists()


def test_what_was_tried_against_other_constants_is_refused_and_seen_anew(client, space):
    form = client.get(address(space, "what-if"), FRESH).text
    (seen,) = re.findall(r'name="seen" value="(\w+)"', form)
    assert seen == fingerprint(queries.constants(space))
    adopting.adopt(space, {"prior_weight": 3.0}, by="ben", now=clock.now(), reason="")
    page = save(client, space, **FRESH, seen=seen)
    assert "Other constants have come into force since" in page.text
    assert queries.constants(space).activation_midpoint != -10.0
    assert 'value="-10"' in page.text  # what was tried is still there


def test_what_somebody_else_put_in_force_meanwhile_stays_where_another_constant_is_saved(client, space):
    adopting.adopt(space, {"prior_weight": 3.0}, by="ben", now=clock.now(), reason="")
    save(client, space)
    in_force = queries.constants(space)
    assert (in_force.prior_weight, in_force.activation_midpoint) == (3.0, -10.0)


def test_what_is_in_force_already_is_refused(client, space):
    save(client, space)
    page = save(client, space)
    assert "these values are in force already" in page.text


def test_in_a_large_space_a_worker_puts_it_in_force(client, space, monkeypatch):
    monkeypatch.setattr("trustmem.actions.calibration.MOST_FOLDED", 10)
    page = save(client, space)
    assert "It is being put in force" in page.text and "Putting a version in force" in page.text
    assert queries.constants(space) == Constants()
    work()
    assert queries.constants(space).activation_midpoint == -10.0
    assert ConstantsVersion.objects.latest("since").reason == "It fits us."


# How much is asked of the database


def _queries(client: Client, where: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        text(client, where)
    return len(captured)


def test_however_many_facts_there_are_the_lab_asks_as_often(client):
    spaces_of = [
        counted(space_of(*(fact(f"f{each}", at=day(each % 90)) for each in range(many)), name=f"of {many}"))
        for many in (25, 150)
    ]
    for name in ("calibration", "what-if"):
        few, many = (_queries(client, address(each, name, **FRESH)) for each in spaces_of)
        assert few == many, name
    assert Fact.objects.count() == 175
