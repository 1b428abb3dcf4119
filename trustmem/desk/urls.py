"""Every address of the desk."""

from django.urls import URLPattern, URLResolver, include, path, register_converter

from trustmem.desk.converters import NameConverter
from trustmem.desk.views import (
    account,
    acts,
    cases,
    chains,
    dashboard,
    erasing,
    fact,
    facts,
    imports,
    log,
    pass_jobs,
    passes,
    patterns,
    reports,
    spaces,
    welcome,
)
from trustmem.desk.views import settings as settings_pages

register_converter(NameConverter, "name")

_of_a_space: list[URLPattern | URLResolver] = [
    path("", dashboard.show, name="dashboard"),
    path("bands.json", dashboard.bands, name="bands-figure"),
    path("facts/", facts.show, name="facts"),
    path("facts/<name:fact>/", fact.show, name="fact"),
    path("facts/<name:fact>/freshness.json", fact.freshness, name="freshness-figure"),
    path("facts/<name:fact>/accept/", acts.decide, {"decision": "accept"}, name="accept"),
    path("facts/<name:fact>/forget/", acts.decide, {"decision": "forget"}, name="forget"),
    path("facts/<name:fact>/correct/", acts.correct, name="correct"),
    path("facts/<name:fact>/restore/", acts.decide, {"decision": "restore"}, name="restore"),
    path("facts/<name:fact>/rule/", acts.rule, name="rule"),
    path("facts/<name:fact>/erase/", erasing.show, name="erase"),
    path("chains/", chains.show, name="chains"),
    path("chains/<name:fact>/", chains.chain, name="chain"),
    path("undo/", acts.undo, name="undo"),
    path("imports/", imports.show, name="imports"),
    path("imports/jobs/<int:job>/", imports.job, name="import-job"),
    path("imports/jobs/<int:job>/take/", imports.take, name="import-take"),
    path("imports/jobs/<int:job>/cancel/", imports.cancel, name="import-cancel"),
    path("imports/jobs/<int:job>/discard/", imports.discard, name="import-discard"),
    path("imports/<name:imported>/", reports.show, name="import-report"),
    path("imports/<name:imported>/report.json", reports.download, name="import-download"),
    path("cases/<name:case>/", cases.show, name="case"),
    path("cases/<name:case>/close/", cases.close, name="case-close"),
    path("passes/", passes.show, name="passes"),
    path("passes/run/", passes.run, name="pass-run"),
    path("passes/preview/", passes.preview, name="pass-preview"),
    path("passes/schedule/", passes.schedule, name="pass-schedule"),
    path("passes/jobs/<int:job>/", pass_jobs.show, name="pass-job"),
    path("passes/jobs/<int:job>/approve/", pass_jobs.approve, name="pass-approve"),
    path("passes/jobs/<int:job>/again/", pass_jobs.again, name="pass-again"),
    path("passes/<name:instant>/", passes.report, name="pass"),
    path("log/", log.show, name="log"),
    path("log/export.jsonl", log.export, {"format": "jsonl"}, name="log-jsonl"),
    path("log/export.csv", log.export, {"format": "csv"}, name="log-csv"),
    path("log/verify/", log.verify, name="log-verify"),
    path("log/reports/<int:job>.json", log.report, name="log-report"),
    path("log/entries/<name:of>/", log.entry, name="log-entry"),
    path("settings/", settings_pages.constants, name="constants"),
    path("settings/members/", settings_pages.members, name="members"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", welcome.show, name="welcome"),
    path("demo/", welcome.demo, name="demo"),
    path("sign-in/", account.SignIn.as_view(), name="sign-in"),
    path("sign-out/", account.sign_out, name="sign-out"),
    path("enter/<str:uid>/<str:token>/", account.enter, name="enter"),
    path("account/", account.show, name="account"),
    path("spaces/", spaces.show, name="spaces"),
    path("spaces/<name:space>/", include(_of_a_space)),
    path("patterns/", patterns.show, name="patterns"),
]
