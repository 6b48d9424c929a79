"""The size of the filter of the join: which n-grams may be terms.

The Bloom filter itself is in src/join/term_filter.rs.
"""

from __future__ import annotations

from dataclasses import dataclass

from termnest import _core

# The default limit of the filter, in bytes: 256 MB, enough for 134 million terms at the best size.
FILTER_BYTES = 256 << 20
# Bits for each entry, if there is room: 4 of 1,000 n-grams that are not terms pass.
_BITS = 16
# With fewer bits for each entry than this, more than a fifth of these n-grams would pass.
_LEAST_BITS = 4
# Words of a slice, of eight bytes: 16 MB are made by one task.
_SLICE_WORDS = 1 << 21


@dataclass(frozen=True)
class FilterShape:
    """The size of a filter. No slices: no filter."""

    slices: int
    slice_words: int
    bits: int
    """How many bits an entry sets."""

    def words(self, slice: int, entries: list[bytes]) -> bytes:
        """The words of a slice with these entries."""
        return _core.TermFilter.slice(slice, self.slices, self.slice_words, self.bits, entries)


def filter_shape(entries: int, filter_bytes: int) -> FilterShape:
    """The best filter for a number of entries that has at most this size."""
    bits_per_entry = filter_bytes * 8 / max(entries, 1)
    if bits_per_entry < _LEAST_BITS:
        return FilterShape(0, 0, 1)
    bits = min(bits_per_entry, _BITS)
    words = int(entries * bits) // 64 + 1
    slices = -(-words // _SLICE_WORDS)
    return FilterShape(slices, -(-words // slices), _core.TermFilter.best_bits(bits))
