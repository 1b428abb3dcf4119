"""How many facts of a source were found right, as it stands beside its name; that does not enter trust."""

from collections.abc import Mapping

from django.utils.translation import ngettext

from trustmem.desk.numbers import whole


def beside(found: Mapping[str, tuple[int, int]], source: str) -> str:
    """What stands beside a name, by how many facts of which source were found right, and how many wrong; '': none."""
    if source not in found:
        return ""
    right, wrong = found[source]
    says = ngettext("{right} of {count} found right", "{right} of {count} found right", right + wrong)
    return says.format(right=whole(right), count=whole(right + wrong))
