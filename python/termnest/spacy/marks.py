"""What a Doc remembers of the components that processed it, and the extensions that use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from spacy.tokens import Doc, Span

from termnest.errors import UnmarkedDocError
from termnest.index import TermIndex
from termnest.spacy.indexes import labels, load

# The key of `Doc.user_data` with a `Mark` for each span group.
_USER_DATA = "termnest"


class Mark(NamedTuple):
    """The facts about a component that a Doc remembers."""

    path: str
    """The path of the index or vocabulary."""
    checksum: str
    label: str
    """The label of the spans."""
    label_column: str | None = None
    """The column of the index that has the labels of some or all spans."""


def set_mark(doc: Doc, mark: dict[str, list[str | None]]) -> None:
    """Remembers the component that marked a span group.

    `mark` has a `Mark` as a list, which `Doc.to_bytes` can store, and which pickles without a
    reference to this module.
    """
    data = doc.user_data
    # A new dict: copies of the Doc may share the old one.
    data[_USER_DATA] = {**data[_USER_DATA], **mark} if _USER_DATA in data else mark


def _marks(doc: Doc) -> dict[str, Mark]:
    marks = doc.user_data.get(_USER_DATA)
    if marks is None:
        raise UnmarkedDocError(
            "no termnest component has processed the Doc, or it was stored without its user data: "
            "run the pipeline on it, or store it with DocBin(store_user_data=True)"
        )
    return {spans_key: Mark(*mark) for spans_key, mark in marks.items()}


def _terms(doc: Doc) -> list[Span]:
    return [span for key in _marks(doc) if key in doc.spans for span in doc.spans[key]]


def _nested_terms(span: Span) -> list[str]:
    return _answers(span, TermIndex.nested_terms)


def _super_terms(span: Span) -> list[str]:
    return _answers(span, TermIndex.super_terms)


def _answers(span: Span, ask: Callable[[TermIndex, str], list[str]]) -> list[str]:
    found: dict[str, None] = {}
    for mark in _marks(span.doc).values():
        index = load(mark.path, mark.checksum)
        # Other components set ids too, so the label must be ours.
        if _has_label_of(span, mark) and span.id_ in index:
            phrases = [span.id_]
        else:
            # As the index splits the text, and as spaCy does.
            joiner = index.options.separator or " "
            phrases = [span.text, joiner.join(token.text for token in span)]
        for phrase in phrases:
            found.update(dict.fromkeys(ask(index, phrase)))
    return list(found)


def _has_label_of(span: Span, mark: Mark) -> bool:
    if span.label_ == mark.label or mark.label_column is None:
        return bool(span.label_ == mark.label)
    return span.label_ in labels(mark.path, mark.checksum, mark.label_column)


def set_extensions() -> list[str]:
    """Sets the extensions, and returns the names that are taken by extensions of others."""
    extensions: list[tuple[type[Doc] | type[Span], str, Callable[[Any], Any]]] = [
        (Doc, "terms", _terms),
        (Span, "nested_terms", _nested_terms),
        (Span, "super_terms", _super_terms),
    ]
    taken = []
    for owner, name, getter in extensions:
        if not owner.has_extension(name):
            owner.set_extension(name, getter=getter)
        elif owner.get_extension(name)[2] is not getter:
            taken.append(f"{owner.__name__}._.{name}")
    return taken


# On import, for Docs from other processes. That a name is taken does not matter until a component
# is made: spaCy may import this module for a user who makes none.
set_extensions()
