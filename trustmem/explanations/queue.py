"""Open cases as people read them: which claims are at stake, why each stands where it does, and who is at it."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from trustmem.actions.queue import served_lately
from trustmem.core.vocabulary import BANDS, LIVE, STATES
from trustmem.explanations import candidates
from trustmem.explanations.candidates import Why
from trustmem.explanations.cases import stakes
from trustmem.explanations.words import counted, say
from trustmem.store import aside, at_stake
from trustmem.store.at_stake import Claim
from trustmem.store.cases import BULK_CHANGE, CANDIDATE, SAMPLE
from trustmem.store.models import Queued, Space
from trustmem.store.states import KEPT

#: So many claims of a case are shown, and so many are looked at for what is at stake.
_SHOWN, _WEIGHED = 2, 20


class AtStake(NamedTuple):
    """A claim that a case is about: its text (None: erased), whom or what it is about, and its `state` ('': it is
    live). `band` is '' until it is scored, and where the case is blind."""

    name: str
    text: str | None
    subject: str
    state: str
    band: str
    trust: float


class Told(NamedTuple):
    """An open case, of a `kind` or, where a file brought it, of what that calls it (`given`): the first claims at stake
    and how many `more` there are, why it stands where it does, who alone brought it ('': several, or nobody knows) and
    when, who has it in hand ('': nobody), and until when it is put aside for everybody (None: it is not).
    `is_blind`: whoever is asked is not to know what the claims are worth."""

    name: str
    kind: str
    given: str
    claims: list[AtStake]
    is_blind: bool
    more: int
    stakes: str
    found: Why | None
    source: str
    at: int
    in_hand: str
    snoozed_until: int | None


def told(space: Space, rows: Sequence[Queued], now: int) -> list[Told]:
    """Cases of the queue, in their order; as many queries for many as for one."""
    cases = [row.case.name for row in rows]
    claims = at_stake.claims(space, sorted({name for row in rows for name in _facts(row)}))
    served = served_lately(space, [claim.pk for claim in claims.values()], now)
    hands, snoozed = aside.in_hand(space, cases, now), aside.snoozed(space, cases, now)
    return [_told(row, claims, served, hands, snoozed) for row in rows]


def _facts(row: Queued) -> list[str]:
    """Of a bulk change nobody wants to see one by one what stands on its page."""
    return [] if row.kind == BULK_CHANGE else row.case.facts[:_WEIGHED]


def _told(
    row: Queued,
    claims: Mapping[str, Claim],
    served: Mapping[int, int],
    hands: Mapping[str, str],
    snoozed: Mapping[str, int],
) -> Told:
    name = row.case.name
    shown = [claims[each] for each in _facts(row) if each in claims]
    return Told(
        name,
        row.kind,
        row.case.kind if row.kind == "" else "",
        [_at_stake(claim, is_blind=row.kind == SAMPLE) for claim in shown[:_SHOWN]],
        row.kind == SAMPLE,
        0 if row.kind == BULK_CHANGE else max(len(row.case.facts) - _SHOWN, 0),
        _why_there(row, shown, served),
        _found(row, shown),
        row.source,
        row.case.at,
        hands.get(name, ""),
        snoozed.get(name),
    )


def _at_stake(claim: Claim, *, is_blind: bool) -> AtStake:
    return AtStake(
        claim.name,
        KEPT.told(claim.text, claim.state),
        KEPT.told(claim.subject, claim.state) or "",
        "" if claim.state == LIVE else STATES[claim.state],
        "" if is_blind or claim.band is None else BANDS[claim.band],
        0.0 if is_blind else claim.trust or 0.0,
    )


def _why_there(row: Queued, shown: Sequence[Claim], served: Mapping[int, int]) -> str:
    if row.kind == SAMPLE:
        return say("drawn at random")
    return _harms(row) if row.kind == BULK_CHANGE else _stakes(shown, served)


def _found(row: Queued, shown: Sequence[Claim]) -> Why | None:
    """What is exchanged is told where both claims are: it is what they say."""
    if row.kind != CANDIDATE:
        return None
    is_told = len(shown) == _SHOWN and all(KEPT.told(claim.text, claim.state) for claim in shown)
    return candidates.why(json.loads(row.case.factors), row.case.facts, is_told=is_told)


def _harms(row: Queued) -> str:
    """What a bulk change speaks against. (Nobody but us has made its factors.)"""
    harmed = json.loads(row.case.factors).get("harmed")
    count = harmed if isinstance(harmed, int) else len(row.case.facts)
    return counted(count, "against {count} fact", "against {count} facts")


def _stakes(claims: Sequence[Claim], served: Mapping[int, int]) -> str:
    """As the consequence goes: of the fact that is trusted most, of those that are live."""
    live = [claim for claim in claims if claim.state == LIVE]
    top = max(live, key=lambda claim: (claim.trust or 0.0, claim.r, claim.s), default=None)
    used = sum(served.get(claim.pk, 0) for claim in live)
    return stakes(used, top.r if top else 0, top.s if top else 0)
