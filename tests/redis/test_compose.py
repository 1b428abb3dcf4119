"""The services of docker-compose.yml: what a person relies on, and that their very commands work together."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

import pytest

from tests import ports
from tests.conftest import ROOT
from tests.intake.terminal import environment
from tests.redis.broker import Broker
from tests.work.test_worker import large_file
from tests.work.workers import PATIENCE, wait_for
from trustmem.store.models import Fact, Job, JobState

OURS = ("web", "mcp", "worker", "beat")
SECRETS = {"SECRET_KEY": "s" * 50, "INSTANCE_KEY": "k" * 42 + "g=", "POSTGRES_PASSWORD": "p@ss/word"}

# As Debian has docker-compose: in Python, which reads what it prints.
_AS_JSON = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"


def compose(**secrets: str) -> subprocess.CompletedProcess[str]:
    """What docker-compose makes of the file."""
    clean = {name: value for name, value in os.environ.items() if name not in SECRETS}
    asked = ("docker-compose", "--file", str(ROOT / "docker-compose.yml"), "config")
    return subprocess.run(asked, env=clean | secrets, cwd="/", capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    read = compose(**SECRETS)
    assert read.returncode == 0, read.stderr
    data = subprocess.run(
        ["/usr/bin/python3", "-c", _AS_JSON], input=read.stdout, capture_output=True, check=True, text=True
    )
    found: dict[str, Any] = json.loads(data.stdout)["services"]
    return found


def test_there_are_the_parts_of_the_desk_a_database_and_a_queue(services: dict[str, Any]) -> None:
    assert services.keys() == {*OURS, "postgres", "redis"}
    assert {name for name in services if services[name]["restart"] != "unless-stopped"} == set()


def test_no_secret_has_a_default() -> None:
    for missing in SECRETS:
        refused = compose(**{name: value for name, value in SECRETS.items() if name != missing})
        assert refused.returncode != 0
        assert missing in refused.stderr
    assert not re.search(r"(PASSWORD|SECRET|INSTANCE)\S*:-", (ROOT / "docker-compose.yml").read_text())


def test_the_database_has_checksums_and_the_queue_keeps_what_it_took(services: dict[str, Any]) -> None:
    assert "--data-checksums" in services["postgres"]["environment"]["POSTGRES_INITDB_ARGS"]
    assert services["postgres"]["image"].startswith("pgvector/pgvector:")
    options = services["redis"]["command"]
    assert "--maxmemory-policy noeviction" in options
    assert "--appendonly yes" in options
    volumes = [services[name]["volumes"][0].split(":")[0] for name in ("postgres", "redis")]
    assert volumes == ["postgres", "redis"]


def test_each_service_says_whether_it_is_well_and_ours_wait_for_those_they_need(services: dict[str, Any]) -> None:
    assert {name for name in services if not services[name].get("healthcheck")} == set()
    for name in OURS:
        needed = services[name]["depends_on"]
        assert {each: needed[each]["condition"] for each in needed} == dict.fromkeys(
            ("postgres", "redis"), "service_healthy"
        )


def test_only_the_pages_and_the_door_over_mcp_can_be_reached_and_from_this_machine_alone(
    services: dict[str, Any],
) -> None:
    assert {name for name in services if services[name].get("ports")} == {"web", "mcp"}
    for name in ("web", "mcp"):
        [port] = services[name]["ports"]
        assert port.startswith("127.0.0.1:")


def test_what_runs_is_no_root_and_has_no_rights_beyond_its_own(services: dict[str, Any]) -> None:
    stages = (ROOT / "Dockerfile").read_text().split("\nFROM ")
    assert re.search(r"^USER trustmem$", stages[-1], re.MULTILINE)
    assert all(services[name]["cap_drop"] == ["ALL"] for name in OURS)
    assert all(services[name]["security_opt"] == ["no-new-privileges:true"] for name in OURS)


def test_an_image_is_built_of_files_that_are_there_by_a_lock_with_digests() -> None:
    text = (ROOT / "Dockerfile").read_text()
    copied = [name for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE) for name in line.split()]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    let_in = set(re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    assert set(copied) == let_in
    assert "--require-hashes" in text


class Service:
    """The command of a service as a process, in a home of its own, with what there is here in place of its hosts."""

    def __init__(self, told: dict[str, Any], home: Path, here: dict[str, str]) -> None:
        self.told, self.here = told, here
        self.environment = environment(80) | self._put(told["environment"]) | {"TRUSTMEM_HOME": str(home)}

    def _put(self, values: dict[str, str]) -> dict[str, str]:
        return {name: self.here.get(value, value) for name, value in values.items()}

    def command(self, words: list[str]) -> list[str]:
        ours = {"trustmem": [sys.executable, "-m", "trustmem.cli"], "python": [sys.executable]}
        here = (word.replace("8000", self.here["port"]).replace("8001", self.here["door"]) for word in words)
        first, *rest = here
        return [*ours[first], *rest]

    def start(self) -> subprocess.Popen[bytes]:
        asked = self.command(shlex.split(self.told["command"]))
        return subprocess.Popen(asked, cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(list(words)), cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )

    def is_well(self) -> bool:
        kind, *words = self.told["healthcheck"]["test"]
        assert kind == "CMD"
        return self.run(*words).returncode == 0


@pytest.fixture
def ours(
    broker: Broker, database_url: str, services: dict[str, Any], tmp_path: Path
) -> Iterator[dict[str, tuple[Service, subprocess.Popen[bytes]]]]:
    """Web, the door over MCP, worker and beat, running."""
    port = ports.free()
    asked = services["web"]["environment"]
    here = {
        asked["DATABASE_URL"]: database_url,
        asked["BROKER_URL"]: broker.url,
        "port": str(port),
        "door": str(port + 1),
    }
    with ExitStack() as running:
        started = {}
        for name in OURS:
            service = Service(services[name], tmp_path / name, here)
            process = running.enter_context(service.start())
            running.callback(process.kill)
            started[name] = service, process
        yield started


@pytest.mark.django_db(transaction=True)
def test_the_services_come_up_take_a_file_in_and_end_when_asked_to(
    ours: dict[str, tuple[Service, subprocess.Popen[bytes]]],
) -> None:
    for service, _ in ours.values():
        wait_for(service.is_well)
    web = ours["web"][0]
    address = f"http://127.0.0.1:{web.here['port']}"
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    assert web.run("trustmem", "space", "create", "diary").returncode == 0
    link = web.run("trustmem", "link", "--address", address).stdout.strip()
    posted(browser, link, link)
    page = f"{address}/spaces/diary/imports/"
    posted(browser, page, page, file=b"".join(large_file(20)), source="mail")
    wait_for(lambda: Job.objects.filter(kind="judge", state=JobState.DONE).exists())
    job = f"{page}jobs/{Job.objects.get(kind='judge').pk}/"
    posted(browser, job, f"{job}take/")
    wait_for(lambda: Job.objects.filter(kind="import", state=JobState.DONE).exists())
    assert Fact.objects.filter(space__name="diary").count() == 20
    for _, process in ours.values():
        process.terminate()
    assert {name: process.wait(PATIENCE) for name, (_, process) in ours.items()} == dict.fromkeys(OURS, 0)


def posted(browser: OpenerDirector, page: str, address: str, file: bytes = b"", **fields: str) -> None:
    """Send the form that a page has."""
    text = browser.open(page, timeout=PATIENCE).read().decode()
    fields["csrfmiddlewaretoken"] = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text)[1]
    parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in fields.items()]
    if file:
        parts.append(b'name="file"; filename="file.jsonl"\r\n\r\n' + file)
    body = b"".join(b"--frontier\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts)
    request = Request(address, body + b"--frontier--\r\n", {"Content-Type": "multipart/form-data; boundary=frontier"})
    assert browser.open(request, timeout=PATIENCE).status == 200
