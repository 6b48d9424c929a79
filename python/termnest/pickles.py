"""What a pickle of an index calls to make it again, in this process or in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from termnest.errors import DamagedIndexError
from termnest.options import Normalize

if TYPE_CHECKING:
    from termnest.index import TermIndex

# A class of the user's own stays that class.
Kind = TypeVar("Kind", bound="TermIndex")


def reopened(
    cls: type[Kind], path: str, normalize: Normalize | None, mmap: bool, checksum: str
) -> Kind:
    """The index of a pickle that names a file."""
    index = cls.open(path, normalize=normalize, mmap=mmap)
    if index.checksum != checksum:
        raise DamagedIndexError(
            f"{path} has changed since the index was pickled: open the new version instead"
        )
    return index


def from_content(cls: type[Kind], content: bytes, normalize: Normalize | None) -> Kind:
    """The index of a pickle that holds it."""
    return cls.from_bytes(content, normalize=normalize)
