"""A synthetic vocabulary of any size, with natural word frequencies; the seed determines it.

It is made for about two tokens a term, three distinct tokens for ten terms, and one and a half to
two (nested, super) pairs a term. The word2vec vocabulary of Google News has 1.96 tokens and 1.84
pairs a term.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import gcd
from pathlib import Path

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]

# How many of ten terms have one word, and how long the others are. Most words are terms themselves,
# and give most of the pairs.
_ONE_WORD = 0.28
_WORDS_PER_TERM = 0.32
_LENGTHS = {2: 0.68, 3: 0.22, 4: 0.07, 5: 0.02, 6: 0.01}

# The part of the longer terms that extend a shorter one by a word; the others are random words.
_EXTENDED = 0.5

# Zipf-Mandelbrot: the frequency of the word of rank r is proportional to 1 / (r + 2.7).
_SHIFT = 2.7

_ONSETS = [
    "b",
    "d",
    "f",
    "g",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "w",
    "z",
    "ch",
    "sh",
    "st",
    "tr",
]
_NUCLEI = ["a", "e", "i", "o", "u", "ea", "ou", "ie"]
_CODAS = ["", "n", "s", "r", "t", "l"]
_SYLLABLES = [onset + nucleus for onset in _ONSETS for nucleus in _NUCLEI]


def word(rank: int) -> str:
    """The word of a rank, from 0; frequent words are short. Every rank has a word of its own.

    A word is syllables of consonants and vowels, then perhaps a consonant: it can be taken apart in
    one way only, so different numbers give different words.
    """
    count, size = 1, len(_SYLLABLES) * len(_CODAS)
    while rank >= size:
        rank -= size
        count += 1
        size *= len(_SYLLABLES)
    # Neighbours in rank should not be neighbours in the alphabet.
    step = size * 618 // 1000
    while gcd(step, size) != 1:
        step += 1
    number, coda = divmod(rank * step % size, len(_CODAS))
    syllables = []
    for _ in range(count):
        number, digit = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[digit])
    return "".join(syllables) + _CODAS[coda]


@dataclass
class Vocabulary:
    """Distinct terms, as runs of word numbers."""

    words: list[str]
    """The words by rank, the most frequent one first."""
    tokens: Ids
    """The words of all terms, term after term."""
    starts: npt.NDArray[np.int64]
    """Where each term begins in `tokens`; one more than there are terms."""
    seed: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def terms(self) -> Iterator[str]:
        """Yields the terms, with spaces between their words."""
        words = self.words
        for first in range(0, len(self), 100_000):
            starts = self.starts[first : first + 100_001].tolist()
            run = self.tokens[starts[0] : starts[-1]].tolist()
            begin = starts[0]
            for start, end in pairwise(starts):
                yield " ".join([words[i] for i in run[start - begin : end - begin]])

    def write(self, path: Path) -> None:
        """Writes the terms to a text file, one per line."""
        with path.open("w", encoding="utf-8") as file:
            file.writelines(term + "\n" for term in self.terms())

    def text(self, words: int) -> str:
        """A running text of about this many of the same words; one run of words in 5 is a term."""
        random = np.random.default_rng([self.seed, 1])
        runs = int(words / 1.2)
        is_term = random.random(runs) < 0.2
        chosen = random.integers(0, len(self), runs).tolist()
        ranks = _zipf(random, len(self.words), runs).tolist()
        names, starts = self.words, self.starts
        parts: list[str] = []
        for term, one, rank in zip(is_term.tolist(), chosen, ranks, strict=True):
            if term:
                parts.extend(names[i] for i in self.tokens[starts[one] : starts[one + 1]].tolist())
            else:
                parts.append(names[rank])
        return " ".join(parts)


def synthetic(terms: int, seed: int = 1) -> Vocabulary:
    """A vocabulary of this many distinct terms."""
    random = np.random.default_rng([seed, 0])
    word_count = max(16, int(terms * _WORDS_PER_TERM))
    singles = min(int(terms * _ONE_WORD), word_count)
    by_length: dict[int, Ids] = {
        # The words that are terms; which ones are not is left to chance.
        1: random.permutation(word_count)[:singles].astype(np.int32)[:, None]
    }
    left = terms - singles
    for length, share in _LENGTHS.items():
        last = length == max(_LENGTHS)
        wanted = left - sum(map(len, list(by_length.values())[1:])) if last else int(left * share)
        by_length[length] = _distinct(random, length, wanted, word_count, by_length[length - 1])
    lengths = np.concatenate([np.full(len(rows), n) for n, rows in by_length.items()])
    order = random.permutation(len(lengths))
    lengths = lengths[order]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    tokens = np.empty(starts[-1], dtype=np.int32)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = 0
    for length, rows in by_length.items():
        begins = starts[place[first : first + len(rows)]]
        for i in range(length):
            tokens[begins + i] = rows[:, i]
        first += len(rows)
    return Vocabulary([word(rank) for rank in range(word_count)], tokens, starts, seed)


def _distinct(
    random: np.random.Generator, length: int, wanted: int, word_count: int, shorter: Ids
) -> Ids:
    """Distinct rows of this many words; some are shorter rows with a word before or after."""
    found = np.empty((0, length), dtype=np.int32)
    while len(found) < wanted:
        missing = wanted - len(found)
        extra = missing + missing // 4 + 16
        rows = _zipf(random, word_count, extra * length).reshape(extra, length)
        # Two words make a compound of their own; only longer terms are built on terms.
        if length > 2 and len(shorter):
            extended = random.random(extra) < _EXTENDED
            before = random.random(extra) < 0.7
            base = shorter[random.integers(0, len(shorter), extra)]
            rows[extended & before, 1:] = base[extended & before]
            rows[extended & ~before, :-1] = base[extended & ~before]
        found = np.concatenate([found, rows])
        # Equal rows have equal hashes. A few other rows do too: they are lost, and replaced.
        keys = np.zeros(len(found), dtype=np.uint64)
        for i in range(length):
            keys = (keys ^ found[:, i].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            keys ^= keys >> np.uint64(29)
        _, first = np.unique(keys, return_index=True)
        found = found[np.sort(first)]
    return found[:wanted]


def _zipf(random: np.random.Generator, word_count: int, draws: int) -> Ids:
    """Ranks, from 0, drawn with the frequencies of natural words."""
    sums = np.cumsum(1 / (np.arange(word_count) + 1 + _SHIFT))
    ranks = np.empty(draws, dtype=np.int32)
    for first in range(0, draws, 1_000_000):  # the numbers between are eight bytes each
        chunk = ranks[first : first + 1_000_000]
        chunk[:] = np.searchsorted(sums, random.random(len(chunk)) * sums[-1])
    return np.minimum(ranks, word_count - 1)
