"""Constants change by a person's word, as a version that can be taken back."""

import json

import numpy as np
import pytest

from tests.actions.world import LATER, space_of
from tests.makers import constants as change
from tests.makers import event, fact
from trustmem.actions import constants, erasing, exports, imports, jobs, kinds, spaces, undo, what_if
from trustmem.actions.errors import Refusal
from trustmem.actions.verify import verify
from trustmem.core.constants import Constants, changed, fingerprint
from trustmem.core.nested import ByTier
from trustmem.core.scores import score
from trustmem.core.vocabulary import LIVE
from trustmem.store import queries
from trustmem.store.models import Adoption, ConstantsVersion, Job, JobState, Line

pytestmark = pytest.mark.django_db


def adopt(space, now=LATER, **values):
    return constants.adopt(space, values, by="ana", now=now, reason="They fit better.")


def numbers(space):
    return list(ConstantsVersion.objects.filter(space=space).order_by("since").values_list("number", flat=True))


def test_new_values_are_in_force_as_the_next_version():
    space = space_of(fact("tea"))
    adopt(space, prior_weight=3)
    adopt(space, runs_per_source=2, prior_weight=3.0)
    assert numbers(space) == [1, 2, 3]
    assert queries.constants(space) == Constants(prior_weight=3.0, runs_per_source=2)
    newest = ConstantsVersion.objects.get(space=space, number=3)
    assert (newest.values, newest.author, newest.reason) == ({"runs_per_source": 2}, "ana", "They fit better.")


def test_the_number_follows_the_highest_that_ever_was():
    space = space_of(fact("tea"), change({"prior_weight": 4.0}))
    act = adopt(space, prior_weight=3.0)
    undo.undo(space, act, by="ana", now=LATER + 1)
    assert queries.constants(space).prior_weight == 4.0
    adopt(space, LATER + 2, prior_weight=5.0)
    assert numbers(space) == [1, 2, 4]


def test_the_first_words_of_an_empty_space_hold():
    space = spaces.create("new")
    adopt(space, prior_weight=3.0)
    assert queries.constants(space).prior_weight == 3.0
    assert numbers(space) == [1, 2]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"prior_wait": 3}, '"prior_wait" is not a constant'),
        ({"prior_weight": 0}, '"prior_weight" must lie from 0.01 to 100, not 0'),
        ({"contradiction_max": 0.5}, '"contradiction_max" is fixed at 0.3, not 0.5'),
        ({"prior_weight": 2.0}, "these values are in force already"),
        ({"reconfirm_boost": 0.2}, "these values are in force already"),
        ({}, "these values are in force already"),
    ],
)
def test_what_is_unknown_fixed_out_of_bounds_or_nothing_new_is_refused(values, reason):
    space = space_of(fact("tea"))
    with pytest.raises(Refusal, match=f"^{reason}$"):
        adopt(space, **values)
    assert numbers(space) == [1]


def test_values_that_would_not_be_in_force_are_refused():
    space = space_of(fact("tea"))
    adopt(space, LATER + 5, prior_weight=3.0)
    with pytest.raises(Refusal, match=r"^other values were adopted later than .*, and stand$"):
        adopt(space, LATER, prior_weight=4.0)
    assert json.loads(Line.objects.filter(space=space, tag="constants").latest("position").body)["version"] == 2


def test_of_versions_that_arrive_at_once_the_later_one_decides_as_in_the_fold():
    late = change({"prior_weight": 4.0}, on=2, arrived=9, id="a")
    early = change({"prior_weight": 3.0}, on=1, arrived=9, id="b")
    space = space_of(fact("tea"), late, early)
    assert queries.constants(space).prior_weight == 4.0
    assert verify(space, rebuild=True) == []


def test_a_value_that_a_file_puts_in_force_in_times_to_come_would_stand_after_all():
    space = space_of(fact("tea"), change({"prior_weight": 4.0}, on=2, arrived=500))
    with pytest.raises(Refusal, match=r"^other values were adopted later than .*, and stand$"):
        adopt(space, prior_weight=3.0)


def bands(space, now):
    scores = score(queries.stored(space), now)
    return np.bincount(scores.band[scores.state == LIVE], minlength=5).tolist()


def test_a_version_keeps_the_bands_before_and_after_it_and_what_somebody_saw():
    space = space_of(fact("tea"), fact("cake", 90), event("forgotten", "cake", 91), fact("pie", 95))
    before = bands(space, LATER)
    values = {"activation_midpoint": -4.0}
    constants.adopt(space, values, by="ana", now=LATER, reason="Old.", figures={"fit": "quartiles"})
    [first, second] = constants.versions(space)
    assert first.figures is None
    figures = second.figures
    assert (figures["n"], figures["of"], figures["fit"]) == (2, 2, "quartiles")
    assert (figures["before"], figures["after"]) == (before, bands(space, LATER))
    assert before != bands(space, LATER)


def test_whatever_way_a_version_comes_to_be_it_keeps_how_many_facts_changed_band():
    space = space_of(*(fact(f"f{each:02}", each) for each in range(30)))
    found = what_if.what_if(space, changed(Constants(), {"activation_midpoint": -10.0}), LATER)
    adopt(space, activation_midpoint=-10.0)
    constants.roll_back(space, 1, by="ana", now=LATER, reason="Back.")
    there, back = (each.figures for each in constants.versions(space)[1:])
    assert there["changed"] == back["changed"] == len(found.changed) > 0
    assert there["matrix"] == found.matrix
    assert back["matrix"] == np.transpose(found.matrix).tolist()


def test_a_version_that_came_by_a_file_has_no_figures():
    space = space_of(fact("tea"))
    adopt(space, prior_weight=3.0)
    again = spaces.create("again")
    imports.import_lines(again, list(exports.export(space)), file="export", by="ana", now=LATER)
    assert [each.constants.prior_weight for each in constants.versions(again)] == [2.0, 3.0]
    assert [each.figures for each in constants.versions(again)] == [None, None]


def test_figures_go_with_their_version_where_it_is_undone_and_come_back_with_it():
    space = space_of(fact("tea"))
    act = adopt(space, prior_weight=3.0)
    undone = undo.undo(space, act, by="ana", now=LATER + 1)
    assert [each.figures for each in constants.versions(space)] == [None]
    undo.undo(space, undone, by="ana", now=LATER + 2)
    assert constants.versions(space)[-1].figures["n"] == 1


def test_nothing_is_kept_of_what_was_not_adopted(monkeypatch):
    space = space_of(fact("tea"))
    monkeypatch.setattr(constants.acts, "write", lambda *given, **more: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        adopt(space, prior_weight=3.0)
    assert not Adoption.objects.exists()


def test_versions_say_what_they_changed_and_all_that_was_in_force():
    space = space_of(fact("tea"))
    adopt(space, prior_weight=3.0)
    adopt(space, LATER + 1, base_rate={"auto": 0.5, "human": 0.85, "signed": 0.95})
    first, second, third = constants.versions(space)
    assert (first.number, first.changed, first.constants) == (1, {}, Constants())
    assert (second.number, second.changed) == (2, {"prior_weight": 3.0})
    assert third.constants == Constants(prior_weight=3.0, base_rate=ByTier(0.5, 0.85, 0.95))
    assert third.fingerprint == fingerprint(third.constants) != second.fingerprint
    assert (third.author, third.reason, third.since) == ("ana", "They fit better.", LATER + 1)
    assert constants.diff(first.constants, third.constants) == {
        "prior_weight": (2.0, 3.0),
        "base_rate.auto": (0.6, 0.5),
    }
    assert constants.diff(third.constants, third.constants) == {}


def test_who_goes_back_puts_the_constants_of_an_older_version_in_force_as_a_new_one():
    space = space_of(fact("tea"))
    adopt(space, prior_weight=3.0, activation_scale=1.0)
    adopt(space, LATER + 1, prior_weight=4.0, runs_per_source=2)
    act = constants.roll_back(space, 2, by="ben", now=LATER + 2, reason="It was better.")
    newest = constants.versions(space)[-1]
    assert newest.constants == constants.found(space, 2).constants == queries.constants(space)
    assert (newest.number, newest.author, newest.changed) == (4, "ben", {"prior_weight": 3.0, "runs_per_source": 1})
    assert newest.figures["back_to"] == 2
    undo.undo(space, act, by="ana", now=LATER + 3)
    assert queries.constants(space).prior_weight == 4.0
    constants.roll_back(space, newest_name(space, 1), by="ben", now=LATER + 4, reason="")
    assert queries.constants(space) == Constants()
    assert not constants.is_calibrated(space)


def newest_name(space, number):
    return constants.found(space, number).name


def test_who_cannot_go_back_is_told_why():
    space = space_of(fact("tea"), change({"prior_weight": 3.0}, on=1), change({"prior_weight": 4.0}, on=2, id="other"))
    for version, reason in (
        (9, "there is no version 9 of the constants; there are 1, 2, 2"),
        ("other", "these values are in force already"),
    ):
        with pytest.raises(Refusal) as refused:
            constants.roll_back(space, version, by="ana", now=LATER, reason="")
        assert str(refused.value) == reason
    with pytest.raises(Refusal, match=r"^2 versions have the number 2; name the one that is meant: l[0-9]+, other$"):
        constants.roll_back(space, 2, by="ana", now=LATER, reason="")


def test_a_space_is_calibrated_once_other_constants_are_in_force_than_all_begin_with():
    space = space_of(fact("tea"))
    assert not constants.is_calibrated(space)
    adopt(space, activation_midpoint=-3.0)
    assert constants.is_calibrated(space)


def test_a_worker_adopts_what_takes_long_and_the_reason_stands_in_the_line_alone():
    space = space_of(fact("tea"))
    told = {"by": "ana", "reason": "They fit better.", "figures": {"fit": "two ages"}}
    job = constants.adopt_later(space, {"prior_weight": 3, "reconfirm_boost": 1}, now=LATER, **told)
    assert (job.kind, queries.constants(space)) == (jobs.ADOPTION, Constants())
    kinds.do(jobs.claim(job.pk, now=LATER), lambda: LATER + 5)
    done = Job.objects.get(pk=job.pk)
    assert done.state == JobState.DONE
    newest = constants.versions(space)[-1]
    assert kinds.result(done) == {"act": newest.name.rpartition(":")[0]}
    assert (newest.since, newest.reason, newest.figures["fit"]) == (LATER + 5, "They fit better.", "two ages")
    assert "better" not in json.dumps(done.asked)


def test_what_is_refused_is_refused_at_once_and_what_came_to_be_in_force_meanwhile_later():
    space = space_of(fact("tea"))
    told = {"by": "ana", "now": LATER, "reason": ""}
    with pytest.raises(Refusal, match="is not a constant"):
        constants.adopt_later(space, {"prior_wait": 3}, **told)
    assert not Job.objects.exists()
    job = constants.adopt_later(space, {"prior_weight": 3}, **told)
    adopt(space, prior_weight=3.0)
    kinds.do(jobs.claim(job.pk, now=LATER), lambda: LATER)
    assert "other constants have come into force since" in Job.objects.get(pk=job.pk).error
    assert numbers(space) == [1, 2]


def test_of_two_that_wait_for_a_worker_the_second_takes_nothing_back_of_the_first():
    space = space_of(fact("tea"))
    both = [{"base_rate": {"auto": 0.3, "human": 0.85, "signed": 0.95}}, {"base_rate": {**RATES, "human": 0.5}}]
    asked = [constants.adopt_later(space, each, by="ana", now=LATER, reason="") for each in both]
    for job in asked:
        kinds.do(jobs.claim(job.pk, now=LATER), lambda: LATER)
    assert [Job.objects.get(pk=job.pk).state for job in asked] == [JobState.DONE, JobState.FAILED]
    assert queries.constants(space).base_rate == ByTier(auto=0.3, human=0.85, signed=0.95)


RATES = {"auto": 0.6, "human": 0.85, "signed": 0.95}


def test_a_worker_goes_back_to_what_an_older_version_was_whatever_was_adopted_meanwhile():
    space = space_of(fact("tea"))
    adopt(space, prior_weight=3.0)
    job = constants.roll_back_later(space, 1, by="ana", now=LATER, reason="As it was.")
    adopt(space, activation_midpoint=-3.0)
    kinds.do(jobs.claim(job.pk, now=LATER), lambda: LATER + 5)
    assert Job.objects.get(pk=job.pk).state == JobState.DONE
    assert queries.constants(space) == Constants()
    newest = constants.versions(space)[-1]
    assert (newest.number, newest.reason, newest.figures["back_to"]) == (4, "As it was.", 1)
    with pytest.raises(Refusal, match="in force already"):
        constants.roll_back_later(space, 1, by="ana", now=LATER + 6, reason="")


def test_the_reason_of_what_is_still_to_be_adopted_goes_where_a_fact_is_erased():
    space = space_of(fact("tea"))
    job = constants.adopt_later(space, {"prior_weight": 3}, by="ana", now=LATER, reason="What tea says.")
    erasing.erase(space, "tea", by="ana", now=LATER, reason="")
    assert Job.objects.get(pk=job.pk).asked["reason"] == ""
