"""The list of facts as the desk serves it: of a large space against a small one, and against its floor.

    python tests/bench/bench_desk.py [small] [large] [rounds]

The floor is what any page of 50 facts has to do: an ORM query that gets the rows, and their HTML, joined. It is taken
twice: bare, and as a view of the desk, which has to know who asks and whether they may. The desk's time is that of the
whole answer: that too, the page of the list, its count, and every word of the frame; that of a part is what htmx asks
for. All begin at the top of the list by trust. The database is the one that DATABASE_URL names, or a SQLite file that
is gone afterwards.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

GOAL = 1.5
ROWS = 50


def measure(small: int, large: int, rounds: int) -> dict[str, float]:
    """Milliseconds, medians, of what is compared."""
    from django.db import connection

    from tests.bench import spaces
    from tests.bench.turns import medians

    made = {size: spaces.build(str(size), size) for size in (small, large)}
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    answer = _desk()
    runs: dict[str, Callable[[], object]] = {}
    for size, space in made.items():
        runs[f"page {size}"] = lambda at=f"/spaces/{space.name}/facts/": answer(at)
        runs[f"part {size}"] = lambda at=f"/spaces/{space.name}/facts/": answer(at, HTTP_HX_REQUEST="true")
        runs[f"view {size}"] = lambda at=f"/floor/{space.name}/": answer(at)
        runs[f"floor {size}"] = lambda of=space: floor(of)
    medians(runs, 3)
    return medians(runs, rounds)


def view(request: Any, space: Any) -> Any:
    """The floor as a page of the desk."""
    from django.http import HttpResponse

    return HttpResponse(floor(space))


def _desk() -> Callable[..., bytes]:
    """Asks the desk as a web server does, as its owner."""
    from django.core.handlers.wsgi import WSGIHandler
    from django.test import Client
    from django.urls import path

    from trustmem import urls
    from trustmem.actions import access
    from trustmem.desk.access import in_space
    from trustmem.store.models import Role

    urls.urlpatterns.append(path("floor/<str:space>/", in_space(Role.READER)(view)))
    browser = Client()
    browser.force_login(access.owner())
    handler, cookie = WSGIHandler(), f"sessionid={browser.cookies['sessionid'].value}"

    def ask(path: str, **headers: str) -> bytes:
        environ: dict[str, Any] = {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": path,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "80",
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(),
            "HTTP_HOST": "127.0.0.1",
            "HTTP_COOKIE": cookie,
        }
        answered: list[str] = []
        body = b"".join(handler(environ | headers, lambda status, _: answered.append(status)))
        if answered != ["200 OK"]:
            raise SystemExit(f"{path} was answered {answered}")
        return body

    return ask


def floor(space: Any) -> str:
    """The same rows, by one query of the ORM and a join."""
    from django.utils.html import escape

    from trustmem.core.vocabulary import BANDS, LIVE
    from trustmem.store.models import Score

    found = Score.objects.filter(space=space, state=LIVE).order_by("-trust", "-fact").select_related("fact")[:ROWS]
    rows = "".join(
        f"<tr><td>{BANDS[each.band]} {each.trust:.2f}</td><td><a href='/facts/{escape(each.fact.name)}/'>"
        f"{escape(each.fact.text)}</a> <small>{escape(each.fact.source)}</small></td><td>{each.flags}</td>"
        f"<td>{each.fact.derived:.2f}</td><td>{each.fact.at}</td></tr>"
        for each in found
    )
    return f"<!doctype html><html><body><table>{rows}</table></body></html>"


def main(small: int, large: int, rounds: int) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        found = measure(small, large, rounds)
    print(f"{'milliseconds':14}{small:>10}{large:>10}     ratio")
    for what in ("page", "part", "view", "floor"):
        few, many = found[f"{what} {small}"], found[f"{what} {large}"]
        print(f"{what:14}{few:>10.2f}{many:>10.2f}{many / few:>10.2f}")
    for what, least in (("page", "view"), ("part", "view"), ("page", "floor"), ("part", "floor")):
        ratios = "".join(f"{found[f'{what} {size}'] / found[f'{least} {size}']:>10.2f}" for size in (small, large))
        print(f"{f'{what} / {least}':14}{ratios}")
    print(f"goals: a page at {large} at most {GOAL} times that at {small}, and at most {GOAL} times its floor")


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    main(*(given + [10_000, 1_000_000, 200][len(given) :]))
