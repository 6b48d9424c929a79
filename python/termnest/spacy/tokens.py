"""The tokens of spaCy: how its tokenizer splits terms, and what of its tokens is compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.attrs import IDX, LEMMA, LENGTH, ORTH, SPACY
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from termnest import _core
from termnest.index import TermIndex

# For each value of `attr`: what the finder compares, and the columns of a Doc that it takes.
ATTRS = {
    None: ("text", [ORTH, SPACY]),
    "ORTH": ("exact", [ORTH]),
    "LOWER": ("lower", [ORTH]),
    "LEMMA": ("normal", [LEMMA]),
}


def finder(
    index: TermIndex,
    tokenizer: Callable[[str], Doc] | None,
    respelled: bytes | None,
    *,
    attr: str | None,
    **options: Any,
) -> _core.TokenFinder:
    """What finds the terms of an index in the Docs that a tokenizer makes."""
    options |= {"attr": ATTRS[attr][0], "respelled": respelled}
    if tokenizer is None or respelled is not None:
        return index.token_finder(**options)
    # A subclass may do anything, and rules for several words may span words of different terms.
    standard: Any = tokenizer if type(tokenizer) is Tokenizer else None
    if standard and not any(map(has_words, standard.rules or {})):
        words = without_vocabulary(standard)
        return index.token_finder(
            **options, tokenize=lambda text: words(text).to_array([IDX, LENGTH])
        )
    return index.token_finder(
        **options, tokenize=lambda text: [token.text for token in tokenizer(text)], whole=True
    )


def has_words(text: str) -> bool:
    """Whether a text has a word and white space."""
    return text.split() not in ([], [text])


def without_vocabulary(tokenizer: Tokenizer) -> Tokenizer:
    """A tokenizer of the same rules that adds what it sees to a vocabulary of its own.

    The words of a million terms would take hundreds of megabytes in the vocabulary of the pipeline.
    """
    rules = {
        name: getattr(tokenizer, name)
        for name in (
            *("rules", "prefix_search", "suffix_search", "infix_finditer"),
            *("token_match", "url_match", "faster_heuristics"),
        )
        if hasattr(tokenizer, name)
    }
    return Tokenizer(Vocab(), **rules)
