"""Names in addresses: whatever a space or a fact is called, it is one piece of a path, and readable."""

import re
from urllib.parse import quote

_UNSAFE = re.compile(r"[^\w.,:@+=!$()*\-]|^\.+$")
_ESCAPED = re.compile(rb"~([0-9a-f]{2})")


class NameConverter:
    """Letters, digits and some signs stand for themselves, each byte of all else is `~` and two hexadecimal digits."""

    regex = "[^/]+"

    def to_python(self, text: str) -> str:
        """Raises ValueError for what no name is written as: there is no such address."""
        name = _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), text.encode()).decode()
        if "\0" in name or self.to_url(name) != text:
            raise ValueError("no name is written so")
        return name

    def to_url(self, name: str) -> str:
        return _UNSAFE.sub(lambda found: "".join(f"~{byte:02x}" for byte in found[0].encode()), name)


def quoted(name: str) -> str:
    """A name as it stands in an address; for rows, where `reverse` would take most of the time.

    >>> quoted("Ana's notes/1")
    'Ana~27s~20notes~2f1'
    """
    return quote(NameConverter().to_url(name), safe=",:@+=!$()*~")
