"""Words of the vocabulary as people read them in their language: one for each, on every page and button."""

from functools import lru_cache

from django.utils.translation import get_language, pgettext_lazy

from trustmem.core.vocabulary import FLAGS, NOTICES
from trustmem.explanations.advice import by_flag, by_state

#: All that is shown as a chip beside a band.
OF_FLAGS = (*FLAGS, *NOTICES)

_WORDS = {
    "very low": pgettext_lazy("band", "very low"),
    "low": pgettext_lazy("band", "low"),
    "moderate": pgettext_lazy("band", "moderate"),
    "high": pgettext_lazy("band", "high"),
    "very high": pgettext_lazy("band", "very high"),
    "superseded": pgettext_lazy("flag", "superseded"),
    "disputed": pgettext_lazy("flag", "disputed"),
    "challenged": pgettext_lazy("flag", "challenged"),
    "stale": pgettext_lazy("flag", "stale"),
    "use-only": pgettext_lazy("flag", "use-only"),
    "age-unknown": pgettext_lazy("flag", "age-unknown"),
    "uncertain": pgettext_lazy("flag", "uncertain"),
    "settled": pgettext_lazy("flag", "settled"),
    "bad-signature": pgettext_lazy("notice", "bad-signature"),
    "future-time": pgettext_lazy("notice", "future-time"),
    "live": pgettext_lazy("state", "live"),
    "pruned": pgettext_lazy("state", "pruned"),
    "forgotten": pgettext_lazy("state", "forgotten"),
    "erased": pgettext_lazy("state", "erased"),
    "auto": pgettext_lazy("tier", "auto"),
    "human": pgettext_lazy("tier", "human"),
    "signed": pgettext_lazy("tier", "signed"),
    "session": pgettext_lazy("scope", "session"),
    "global": pgettext_lazy("scope", "global"),
    "unknown": pgettext_lazy("producer", "unknown"),
    "document": pgettext_lazy("producer", "document"),
    "inference": pgettext_lazy("producer", "inference"),
    "user": pgettext_lazy("producer", "user"),
    "reader": pgettext_lazy("role", "reader"),
    "reviewer": pgettext_lazy("role", "reviewer"),
    "curator": pgettext_lazy("role", "curator"),
    "admin": pgettext_lazy("role", "admin"),
    "confidence": pgettext_lazy("factor", "confidence"),
    "freshness": pgettext_lazy("factor", "freshness"),
    "supersession": pgettext_lazy("factor", "supersession"),
    "provenance": pgettext_lazy("factor", "provenance"),
    "negation": pgettext_lazy("rule", "negation"),
    "number": pgettext_lazy("rule", "number"),
    "name": pgettext_lazy("rule", "name"),
    "order": pgettext_lazy("rule", "order"),
    "antonym": pgettext_lazy("rule", "antonym"),
    "word": pgettext_lazy("rule", "word"),
    "slot": pgettext_lazy("rule", "slot"),
    "change": pgettext_lazy("rule", "change"),
}


def word(name: str) -> str:
    """A word of the vocabulary in the reader's language."""
    return _word(get_language(), name)


@lru_cache(1024)
def _word(_language: str, name: str) -> str:
    return str(_WORDS[name])


def advice_on(name: str) -> str:
    """What to do about a flag or a state; '' where there is nothing to say."""
    return by_flag().get(name) or by_state().get(name, "")


_ROLES = {
    "reader": pgettext_lazy("role", "reader: sees everything"),
    "reviewer": pgettext_lazy("role", "reviewer: and decides about facts"),
    "curator": pgettext_lazy("role", "curator: and takes files in, runs passes and decides many cases at once"),
    "admin": pgettext_lazy("role", "admin: and sets constants and members"),
}


def role_title(role: str) -> str:
    """A role with what it may do beside what those before it may."""
    return str(_ROLES[role])


def roles() -> list[tuple[str, str]]:
    """The roles that can be given, as the choices of a form."""
    return [(role, role_title(role)) for role in _ROLES]
