"""`trustmem link`: prints a link by which somebody comes in to the desk, once."""

import argparse

from trustmem.actions import access
from trustmem.explanations.text import visible
from trustmem.intake.shell import Refusal, database, secret
from trustmem.store.models import User
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--username", metavar="NAME", help="whom it lets in (default: the owner)")
    parser.add_argument(
        "--address",
        metavar="URL",
        type=_address,
        default="http://127.0.0.1:8000/",
        help="where the desk is open (default: http://127.0.0.1:8000/)",
    )


def _address(text: str) -> str:
    """An argument that is an address of a desk."""
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f'"{visible(text)}" is no address, such as https://desk.example/')
    return f"{text.rstrip('/')}/"


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    database.make_home()
    secret.keep()
    with database.opened():
        print(to(_user(arguments.username), arguments.address))
    return 0


def to(user: User, address: str) -> str:
    """The link by which somebody comes in to the desk at an address."""
    uid, token = access.invitation(user)
    return f"{address}enter/{uid}/{token}/"


def _user(username: str | None) -> User:
    if username is None:
        return access.owner()
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise Refusal(f'nobody here is called "{visible(username)}"')
    return user
