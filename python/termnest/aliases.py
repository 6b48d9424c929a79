"""Other names of terms, in the forms in which they can be given."""

from __future__ import annotations

import os
from collections.abc import Mapping

from termnest import _core
from termnest.arguments import items
from termnest.errors import InvalidOptionError, TermTypeError
from termnest.files import named_content
from termnest.options import Aliases


def core_aliases(aliases: Aliases | None) -> tuple[bool, object] | None:
    """Aliases as the native core takes them: True and pairs of a term and an alias, or False and a
    column.
    """
    if aliases is None:
        return None
    if isinstance(aliases, str | os.PathLike):
        return True, _core.read_aliases(*named_content(aliases, "aliases"))
    if not isinstance(aliases, Mapping):
        return False, aliases
    pairs = []
    for term, names in aliases.items():
        if not isinstance(term, str):
            raise TermTypeError(option="aliases", value=repr(term), expected="a term is a str")
        owned = [names] if isinstance(names, str) else items(f"aliases[{term!r}]", names, _NAMES)
        for name in owned:
            if not isinstance(name, str):
                raise TermTypeError(option=f"aliases[{term!r}]", value=repr(name), expected=_NAMES)
            pairs.append((term, name))
    return True, pairs


def core_aliases_of_file(aliases: Aliases | None) -> tuple[bool, object] | None:
    """The same for the vocabulary of a file, whose rows a column of aliases has no place beside."""
    if aliases is not None and not isinstance(aliases, str | os.PathLike | Mapping):
        expected = "for a file, aliases are a mapping from terms or the name of another file"
        raise InvalidOptionError(option="aliases", value="a column", expected=expected)
    return core_aliases(aliases)


_NAMES = "a str or a list of str"
