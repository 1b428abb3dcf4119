"""`trustmem erase FACT`: empties the texts of a fact for good, once a person has said so twice, and tells what is left
that was made from it.

No case asks about what is left: an orphan is what a fact had superseded.
"""

import argparse
import sys
from collections.abc import Collection

from trustmem.actions import erasing
from trustmem.actions.erasing import Repeating
from trustmem.explanations.text import shortened, visible
from trustmem.intake.shell import Refusal, database, stored
from trustmem.intake.shell.times import clock
from trustmem.store.models import Fact, Line, Space
from trustmem.store.states import KEPT, shows

_SHORT = 60
#: So many facts are named at most that are left.
_MOST = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("fact", metavar="FACT", help="the whole id of a fact")
    parser.add_argument(
        "--also",
        metavar="FACT",
        action="append",
        default=[],
        help="another one, such as was made from it; may be repeated",
    )
    stored.add_reason(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")


@shows(KEPT)
def run(arguments: argparse.Namespace) -> int:
    names = list(dict.fromkeys([arguments.fact, *arguments.also]))
    with database.opened():
        space = stored.space(arguments)
        for name in names:
            _ask_for_the_whole_id(space, name)
        left = _left(space, names)
        if not (arguments.yes or _is_sure(space, names, left)):
            print("Nothing was erased.")
            return 0
        erasing.erase(
            space, arguments.fact, by=stored.user(), now=clock(), reason=arguments.reason, also=arguments.also
        )
    print(f"The texts of {_named(names)} are gone.")
    _tell("What was made from it or says the same is left; trustmem erase empties that, too:", left)
    return 0


def _left(space: Space, names: Collection[str]) -> list[Repeating]:
    """What was made from facts, or says the same, and is none of them; by what says most of that."""
    found = [each for name in names for each in erasing.repeating(space, name) if each.fact.name not in names]
    by_name = {each.fact.name: each for each in sorted(found, key=_how_near)}
    return sorted(by_name.values(), key=_how_near, reverse=True)


def _how_near(found: Repeating) -> tuple[bool, bool]:
    return found.is_derived, bool(found.spans)


def _tell(heading: str, left: Collection[Repeating]) -> None:
    if left:
        print(heading)
    for each in list(left)[:_MOST]:
        print(f'  "{visible(each.fact.name)}" {_because(each)}')
    if len(left) > _MOST:
        print(f"  and {len(left) - _MOST} more")


def _because(found: Repeating) -> str:
    if not found.is_derived:
        return "repeats it, though nothing says that it was made from it"
    return "was made from it, and repeats it" if found.spans else "was made from it, and repeats none of it"


def _named(names: Collection[str]) -> str:
    return ", ".join(f'"{visible(name)}"' for name in names)


def _ask_for_the_whole_id(space: Space, id: str) -> None:
    """A fact whose act was undone has texts too, so that this asks for its line. Raises Refusal."""
    if not Line.objects.filter(space=space, name=id, tag="fact").exists():
        begun = stored.fact(space, id).name
        raise Refusal(f'there is no fact "{visible(id)}"; to erase "{visible(begun)}", give its whole id')


def _is_sure(space: Space, names: Collection[str], left: Collection[Repeating]) -> bool:
    if not sys.stdin.isatty():
        raise Refusal("what is erased cannot be brought back: say --yes where nobody can be asked")
    _tell("What was made from it or says the same stays, but for what --also names:", left)
    claims = [each for name in names for each in _claimed(space, name)]
    claimed = ", ".join(claims) + ("," if len(claims) > 1 else "")
    print(f"Empty the texts of {claimed} for good? Nothing brings them back. [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _claimed(space: Space, id: str) -> list[str]:
    text = Fact.objects.filter(space=space, name=id).values_list("text", flat=True).first()
    return [_named([id]), *([f"“{shortened(text, _SHORT)}”"] if text else [])]
