"""`trustmem space create|list|share`: the spaces of the database, and how much of what is found may be unreviewed."""

import argparse
import json

from trustmem.actions import spaces
from trustmem.explanations.text import visible
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.look import SOFT, STRONG, Page
from trustmem.intake.shell.times import clock, counted
from trustmem.store.models import Fact, Space
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(metavar="create|list|share", required=True)
    create = what.add_parser("create", description="Make an empty space.", allow_abbrev=False)
    create.add_argument("name", metavar="NAME", type=stored.identifier, help="its id, in files and after --space")
    create.add_argument("--title", metavar="T", default="", help="what people call it")
    create.set_defaults(do=_create)
    listing = what.add_parser("list", description="List all spaces.", allow_abbrev=False)
    listing.add_argument("--json", action="store_true", help="for machines: one JSON object a space")
    listing.set_defaults(do=_list)
    share = stored.command(what, "share", _share, "How much of what is found may come from sources nobody reviewed.")
    share.add_argument("percent", metavar="PERCENT", type=int, nargs="?", help="at most so much from now on (0 to 100)")


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        arguments.do(arguments)
    return 0


def _create(arguments: argparse.Namespace) -> None:
    space = spaces.create(arguments.name, title=arguments.title)
    print(f"Made {stored.called(space)}.")


def _list(arguments: argparse.Namespace) -> None:
    page = Page()
    for space in Space.objects.order_by("name"):
        facts = Fact.objects.filter(space=space).count()
        if arguments.json:
            about = {"name": space.name, "alias": space.alias, "title": space.title}
            print(json.dumps({**about, "facts": facts, "lines": space.head_position}))
        else:
            parts = [(visible(space.name), STRONG)]
            parts += [(f"also {visible(space.alias)}", SOFT)] if space.alias else []
            parts += [(counted(facts, "fact"), ""), (counted(space.head_position, "line"), SOFT)]
            page.flow([*parts, *([(visible(space.title), "")] if space.title else [])], 0)
    if not arguments.json and not Space.objects.exists():
        print("There is no space yet; the first import makes one.")


def _share(arguments: argparse.Namespace) -> None:
    space = stored.space(arguments)
    if arguments.percent is not None:
        spaces.change_unreviewed_share(space, arguments.percent, by=stored.user(), now=clock())
    print(f"Of what a search finds, at most {space.unreviewed_share} % come from sources that nobody has reviewed.")
