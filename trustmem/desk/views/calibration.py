"""The calibration lab: how old the facts of a space are, how freshness spreads over them, and what other constants
would make of them. To look changes nothing; an admin puts what was tried in force, as a new version."""

from functools import partial
from typing import Any

from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh, push_url, replace_url

from trustmem.actions import calibration, jobs
from trustmem.actions import what_if as what_ifs
from trustmem.actions.errors import Refusal
from trustmem.core.calibration import CalibrationError, Fit, fit_two_ages, rounded
from trustmem.core.constants import Constants, fingerprint
from trustmem.core.histograms import BINS, BY, MEASURES, SPANS
from trustmem.desk import adoption, answers, charts_lab, clock
from trustmem.desk.access import DeskRequest, in_space, wants_part
from trustmem.desk.clicks import once
from trustmem.desk.forms import AdoptForm, AgesForm, ReasonForm, first_error
from trustmem.desk.presenters import bench, fits, lab, trials
from trustmem.desk.presenters import what_if as presented
from trustmem.desk.presenters.constants import origins
from trustmem.desk.presenters.tiles import tile
from trustmem.store import histograms, queries
from trustmem.store.models import OPEN, Histogram, Job, Role, Space
from trustmem.store.states import ALIVE, NOTHING, shows

#: How a version calls the fits that an address asks for.
_FITS = {"quartiles": "quartiles", "ages": "two-ages"}


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(NOTHING)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """The lab. Sent to it, a form asks that histograms be counted anew, as what only looks writes nothing."""
    now = clock.now()
    if request.method == "POST":
        once(request, lambda: _counting(space, by=request.user.username, now=now))
        return redirect(request.get_full_path())
    if wants_part(request):
        return _part(request, space, now)
    in_force = queries.constants(space)
    trial = trials.tried(in_force, request.GET.dict())
    kind, ages = request.GET.get("fit", ""), AgesForm(_ages(request))
    wrong = ""
    if kind:
        try:
            fit = _fit(space, trial.constants, ages, kind, now)
        except CalibrationError as error:
            wrong = str(error)
        else:
            signed = fits.signed(space, _FITS[kind], fit, now, ages.cleaned_data if kind == "ages" else {})
            fitted = trials.with_fit(in_force, trial, fit, signed)
            return redirect(f"{request.path}?{fitted.query(**_beside(request))}#bench")
    if _is_long(request, trial):  # a form says what is as it was, too
        asked = {"fit": kind} if wrong else {}
        return redirect(f"{request.path}?{trial.query(**asked, **_beside(request))}{'#bench' if wrong else ''}")
    return lab_page(request, space, trial, in_force, now, ages=ages, wrong={kind: wrong})


@transaction.atomic
def _counting(space: Space, *, by: str, now: int) -> str:
    """The key of the job that counts histograms: the one that is still to be done, if there is one."""
    open_one = Job.objects.filter(space=space, kind=jobs.HISTOGRAMS, state__in=OPEN).first()
    return str((open_one or jobs.ask(space, jobs.HISTOGRAMS, by=by, now=now)).pk)


def _is_long(request: DeskRequest, trial: trials.Trial) -> bool:
    """Whether an address says what is in force already."""
    return sum(name.startswith(trials.PREFIX) for name in request.GET) > len(trial.given)


def _ages(request: DeskRequest) -> dict[str, str]:
    """The two ages and freshnesses of an address, or those that a form begins with."""
    usual = {name: str(field.initial) for name, field in AgesForm.base_fields.items()}
    return {name: request.GET.get(name, text) for name, text in usual.items()}


def _beside(request: DeskRequest) -> dict[str, str]:
    """What an address asks for beside the trial, where that is not what is shown anyway."""
    usual = {"measure": "trust", "by": "", "bins": "linear"}
    usual |= {name: str(field.initial) for name, field in AgesForm.base_fields.items()}
    return {name: request.GET[name] for name, text in usual.items() if request.GET.get(name, text) != text}


def _part(request: DeskRequest, space: Space, now: int) -> HttpResponse:
    """What is worked on, until it is done; or other histograms."""
    if request.htmx.target == "spread":
        return render(request, "calibration/spread.html", _spreads(request, space))
    works = tile(now, lambda: lab.working(space, now))
    if works.shown and any(each.is_open for each in works.shown):
        return render(request, "calibration/work.html", {"works": works})
    return HttpResponseClientRefresh()


def lab_page(
    request: DeskRequest,
    space: Space,
    trial: trials.Trial,
    in_force: Constants,
    now: int,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """The page around a trial; `more` is what it says beside."""
    shown = {
        "trial": trial,
        "changed": trials.many_changed(trial),
        "groups": trials.groups(in_force, trial),
        "origins": origins(),
        "handles": trials.fields(in_force, trial, *Fit._fields),
        "is_slow": calibration.is_slow(space),
        "version": tile(now, lambda: lab.version(space, in_force, now)),
        "works": tile(now, lambda: lab.working(space, now)),
        "counted": tile(now, lambda: lab.counted(space, now)),
        "benches": tile(now, lambda: lab.benches(space, trial)),
        "reach": f"{bench.REACH:.15g}",
        "curve": bench.curve_table(trial.constants),
        "reason": ReasonForm(auto_id="undo_%s"),
        "ages": AgesForm(),
    }
    return render(request, "calibration/lab.html", shown | _spreads(request, space) | more, status=status)


def _spreads(request: DeskRequest, space: Space) -> dict[str, Any]:
    chosen = _chosen(request)
    return {"spread": tile(clock.now(), lambda: lab.spread(space, *chosen)), "choices": lab.choices(*chosen)}


def _chosen(request: DeskRequest) -> tuple[str, str, str]:
    """The measure, by what facts are told apart, and the bins that an address asks for."""
    measure = request.GET.get("measure", "trust")
    by, bins = request.GET.get("by", ""), request.GET.get("bins", "linear")
    if measure not in MEASURES or by not in BY or bins not in BINS:
        raise BadRequest(gettext("There are no such histograms."))
    return measure, by, bins if measure in SPANS else "linear"


def _fit(space: Space, constants: Constants, ages: AgesForm, kind: str, now: int) -> Fit:
    """The squash by the quartiles of the facts, or by two ages. Raises CalibrationError where there is none."""
    if kind == "quartiles":
        return rounded(calibration.by_quartiles(space, constants, now))
    if kind != "ages":
        raise BadRequest(gettext("Freshness is fitted by quartiles or by two ages."))
    if not ages.is_valid():
        raise CalibrationError(first_error(ages))
    return rounded(fit_two_ages(**ages.cleaned_data, constants=constants))


@require_safe
@in_space(Role.READER)
@shows(ALIVE)
def what_if(request: DeskRequest, space: Space) -> HttpResponse:
    """What trial constants would make of the space: a part of the lab, whose address then says what is tried; or all of
    the lab with that in its place."""
    now, in_force = clock.now(), queries.constants(space)
    trial, view = trials.tried(in_force, request.GET.dict()), presented.View.of(request.GET.dict())
    status = 400 if trial.errors else 200
    shown: dict[str, Any] = {"what_if": None, "form": AdoptForm()}
    if trial.is_changed:
        shown |= _tried(space, trial, view, now)
    if not wants_part(request):
        if _is_long(request, trial):
            return redirect(f"{request.path}?{trial.query()}")
        return lab_page(request, space, trial, in_force, now, status, **shown)
    answer = render(request, "calibration/what_if.html", shown | {"trial": trial, "is_part": True}, status=status)
    return answer if trial.errors else _at(request, space, trial, answer)


def _tried(space: Space, trial: trials.Trial, view: presented.View, now: int) -> dict[str, Any]:
    """What a trial comes to, in words and as a figure, and whether it takes long to put it in force."""
    found = what_ifs.what_if(space, trial.constants, now)
    told = presented.told(space, found, trial, view, now)
    return {
        "what_if": told,
        "figure": charts_lab.bands_before_and_after(space, found.matrix, told.says),
        "is_slow": calibration.is_slow(space),
        "seen": fingerprint(queries.constants(space)),
    }


def _at(request: DeskRequest, space: Space, trial: trials.Trial, answer: HttpResponse) -> HttpResponse:
    """With the address of the lab that holds the trial: a step of its own, unless somebody still moves something."""
    address = reverse("calibration", args=[space.name]) + (f"?{trial.query()}" if trial.given else "")
    if request.htmx.current_url_abs_path == address:
        return answer
    return (replace_url if "Goes-On" in request.headers else push_url)(answer, address)


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def what_if_table(request: DeskRequest, space: Space) -> HttpResponse:
    """Bands before and after as a table for machines."""
    trial = trials.tried(queries.constants(space), request.GET.dict())
    if trial.errors:
        raise BadRequest(next(iter(trial.errors.values())))
    found = what_ifs.what_if(space, trial.constants, clock.now())
    return answers.table("bands-before-and-after", presented.matrix_table(found))


@require_POST
@in_space(Role.ADMIN)
def adopt(request: DeskRequest, space: Space) -> HttpResponse:
    """Put in force what was tried, as a new version with a reason; in a large space a job does it."""
    now, in_force = clock.now(), queries.constants(space)
    trial, form = trials.tried(in_force, request.POST.dict()), AdoptForm(request.POST)
    if trial.errors:
        raise BadRequest(next(iter(trial.errors.values())))
    if not form.is_valid():
        shown = _tried(space, trial, presented.View.of({}), now) if trial.is_changed else {}
        return lab_page(request, space, trial, in_force, now, 400, form=form, **shown)
    then = reverse("calibration", args=[space.name])
    says, back = gettext("In force from now on, as a new version."), f"{then}?{trial.query()}"
    put = partial(_adopted, request, space, form.cleaned_data["reason"])
    return adoption.answer(request, put, says=says, then=then, back=back)


def _adopted(request: DeskRequest, space: Space, reason: str) -> str:
    """The act by which it was done, or the key of the job that does it. What is tried is tried against what is in force
    by now, since somebody may have been quicker."""
    by, now, in_force = request.user.username, clock.now(), queries.constants(space)
    if request.POST.get("seen", fingerprint(in_force)) != fingerprint(in_force):
        says = gettext("Other constants have come into force since: see what these would do now, and save again.")
        raise Refusal(says)
    trial = trials.tried(in_force, request.POST.dict())
    values = trials.values(trial, in_force)
    figures = presented.figures(what_ifs.what_if(space, trial.constants, now))
    figures |= fits.behind(space, trial.fitted, fits.squash(in_force), fits.squash(trial.constants))
    told: dict[str, Any] = {"by": by, "now": now, "reason": reason, "figures": figures}
    return adoption.adopt(space, values, **told)


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def histogram(request: DeskRequest, space: Space) -> HttpResponse:
    """The figure of one histogram, with the squash over it where an address asks for that."""
    measure, _, bins = _chosen(request)
    in_force = queries.constants(space)
    squashed = trials.tried(in_force, request.GET.dict()).constants if "squash" in request.GET else None
    row = _row(request, space)
    if row is None and squashed is None:
        raise Http404(gettext("Nothing like this was counted yet."))
    return answers.figure(charts_lab.histogram(space, row, measure, in_force, squashed, bins))


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def histogram_table(request: DeskRequest, space: Space) -> HttpResponse:
    """A histogram as a table for machines."""
    row = _row(request, space)
    if row is None:
        raise Http404(gettext("Nothing like this was counted yet."))
    return answers.table(bench.file_name(row.measure, row.by, row.of, row.bins), bench.table_for_machines(row))


def _row(request: DeskRequest, space: Space) -> Histogram | None:
    measure, by, bins = _chosen(request)
    of = request.GET.get("of", "")
    return next((each for each in histograms.found(space, measure, by, bins) if each.of == of), None)


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def curve(request: DeskRequest, space: Space) -> HttpResponse:
    """The figure of freshness against age."""
    trial = trials.tried(queries.constants(space), request.GET.dict())
    return answers.figure(charts_lab.freshness_against_age(space, trial.constants))


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def curve_table(request: DeskRequest, space: Space) -> HttpResponse:
    """Freshness against age as a table for machines."""
    trial, ages = trials.tried(queries.constants(space), request.GET.dict()), bench.drawn_ages()
    columns = [bench.seen(ages, times, trial.constants) for times in bench.SEEN]
    head = ("age_seconds", *(f"freshness_seen_{times}" for times in bench.SEEN))
    return answers.table("freshness-against-age", [head, *zip(ages, *columns, strict=True)])
