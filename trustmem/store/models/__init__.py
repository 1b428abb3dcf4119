"""The rows. All but Line and Text (and who may do what, and jobs) are folds: they can be dropped and made again."""

from trustmem.store.models.access import Answered, Key, Membership, Role, Served, Signature, Token, User
from trustmem.store.models.calibration import Adoption, Histogram, Outcome
from trustmem.store.models.cases import Case, CaseFact, CaseGroup, Closing, Queued, Tombstone
from trustmem.store.models.constants import ConstantsVersion
from trustmem.store.models.edges import Edge, Entity, Link
from trustmem.store.models.facts import Fact, Touch
from trustmem.store.models.finding import (
    Centrality,
    CoOccurrence,
    Detection,
    Pair,
    Place,
    SemanticEdge,
    Vector,
)
from trustmem.store.models.imports import Import, Reject
from trustmem.store.models.jobs import OPEN, BandCount, Job, JobState, Schedule, Stage, Upload
from trustmem.store.models.lines import Line
from trustmem.store.models.passes import DEEDS, Change, EarlyTurn, Pass
from trustmem.store.models.review import Click, Handout, SavedView, SetAside, Told
from trustmem.store.models.scores import Score
from trustmem.store.models.spaces import Space
from trustmem.store.models.statements import Ruling, Statement, Waiting
from trustmem.store.models.texts import Text
from trustmem.store.models.words import Mention, Words

__all__ = [
    "DEEDS",
    "OPEN",
    "Adoption",
    "Answered",
    "BandCount",
    "Case",
    "CaseFact",
    "CaseGroup",
    "Centrality",
    "Change",
    "Click",
    "Closing",
    "CoOccurrence",
    "ConstantsVersion",
    "Detection",
    "EarlyTurn",
    "Edge",
    "Entity",
    "Fact",
    "Handout",
    "Histogram",
    "Import",
    "Job",
    "JobState",
    "Key",
    "Line",
    "Link",
    "Membership",
    "Mention",
    "Outcome",
    "Pair",
    "Pass",
    "Place",
    "Queued",
    "Reject",
    "Role",
    "Ruling",
    "SavedView",
    "Schedule",
    "Score",
    "SemanticEdge",
    "Served",
    "SetAside",
    "Signature",
    "Space",
    "Stage",
    "Statement",
    "Text",
    "Token",
    "Told",
    "Tombstone",
    "Touch",
    "Upload",
    "User",
    "Vector",
    "Waiting",
    "Words",
]
