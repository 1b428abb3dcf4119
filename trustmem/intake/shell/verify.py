"""`trustmem verify`: proves that no line was changed, and that all else follows from the lines; and checks what was
proved before."""

import argparse
import re
import sys
from base64 import b64decode

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from trustmem.actions import attest, instance
from trustmem.actions.attest import Found, Report
from trustmem.core.instants import to_text
from trustmem.explanations.text import visible
from trustmem.formats.strict_json import quoted
from trustmem.intake.shell import Refusal, database, files, stored
from trustmem.intake.shell.exports import write_whole
from trustmem.intake.shell.look import working
from trustmem.intake.shell.times import clock, counted
from trustmem.store.models import Space
from trustmem.store.states import NOTHING, shows

_MOST_FINDINGS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("--rebuild", action="store_true", help="fold all lines anew too, and compare what is stored")
    parser.add_argument("--report", metavar="FILE", help="write there what was found, signed by this instance")
    parser.add_argument("--since", metavar="FILE", help="prove too that the space goes on from what that report saw")
    parser.add_argument("--check", metavar="FILE", help="check a report, without a database")
    parser.add_argument(
        "--key", metavar="K", help="whose report it has to be: the fingerprint of a key, or a file with the public key"
    )


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    if arguments.check is not None:
        if arguments.space or arguments.rebuild or arguments.report or arguments.since:
            raise Refusal("--check looks at a report alone: beside it stands --key at most")
        return _check(arguments.check, arguments.key)
    if arguments.key and not arguments.since:
        raise Refusal("--key goes with --check and --since: it says whose report that has to be")
    since = _read(arguments.since, arguments.key) if arguments.since else None
    with database.opened():
        space = stored.space(arguments)
        with working(f"verifying {space.head_position} lines"):
            found, report = _verified(space, arguments, since)
    _tell(found, since)
    if report is not None:
        write_whole(arguments.report, [report])
        print(f"report written to {visible(arguments.report)}, signed by the key {attest.check(report).fingerprint}")
    sys.stdout.flush()
    return 1 if found.findings else 0


def _verified(space: Space, arguments: argparse.Namespace, since: Report | None) -> tuple[Found, bytes | None]:
    if arguments.report:
        return attest.attest(space, now=clock(), rebuild=arguments.rebuild, since=since)
    return attest.look(space, rebuild=arguments.rebuild, since=since), None


def _tell(found: Found, since: Report | None) -> None:
    for finding in found.findings[:_MOST_FINDINGS]:
        print(visible(finding))
    if len(found.findings) > _MOST_FINDINGS:
        print(f"and {len(found.findings) - _MOST_FINDINGS} more")
    if not found.findings:
        print(f"{counted(found.position, 'line')}, and each is as it was written.")
        if attest.FOLDS in found.checked:
            print("What is stored beside them is what they come to.")
        if since:
            print(f"They go on from the head that was attested at {to_text(since.at)}.")
    print(f"head {found.digest} at {found.position}: keep it elsewhere, and whoever cuts the end off is found")


def _check(file: str, key: str | None) -> int:
    """Say whether a report holds, and what it says."""
    report = _read(file, key)
    space, at = visible(report.space), to_text(report.at)
    upto = f'up to the head {report.digest} of "{space}", at {at}'
    by = f"signed by the key {report.fingerprint}"
    if report.problems:
        print(f"{files.shown(file)}: the report holds, and tells of {counted(report.problems, 'problem')} {upto}; {by}")
        for finding in report.found[:_MOST_FINDINGS]:
            print(f"  {visible(finding)}")
        return 1
    lines = counted(report.lines, "line")
    print(f"{files.shown(file)}: the report holds: {lines} {upto}, each as it was written; {by}")
    if key is None:
        print("notice: whose key that is, a report cannot say: --key K asks for one that you know", file=sys.stderr)
    return 0


def _read(file: str, key: str | None) -> Report:
    """A report that holds, and is by that key where one is named. Raises Refusal."""
    try:
        report = attest.check(b"".join(files.raw_lines(file)))
    except attest.NoReport as error:
        raise Refusal(f"{files.shown(file)}: {error}") from None
    if key is not None and report.fingerprint != _fingerprint(key):
        raise Refusal(f"{files.shown(file)}: it is signed by another key, {report.fingerprint}")
    return report


def _fingerprint(key: str) -> str:
    """That of a key: as it is written, or of the public key in a file, in PEM or base64."""
    written = key.replace(":", "").replace(" ", "").lower()
    if re.fullmatch("[0-9a-f]{64}", written):
        return written
    raw = b"".join(files.raw_lines(key)).strip()
    try:
        read = load_pem_public_key if raw.startswith(b"-----") else _raw_key
        public = read(raw)
    except (ValueError, UnsupportedAlgorithm):
        public = None
    if not isinstance(public, Ed25519PublicKey):
        raise Refusal(f"{quoted(key)} is neither a fingerprint of 64 hexadecimal digits nor a file with a public key")
    return instance.fingerprint(public.public_bytes_raw())


def _raw_key(raw: bytes) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(b64decode(raw, validate=True))
