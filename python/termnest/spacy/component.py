"""The spaCy component: marks the terms of a vocabulary in a `Doc`.

An entry point registers it, so that nothing of termnest need be imported:

>>> import spacy
>>> from termnest import TermIndex
>>> TermIndex(["google", "google llc", "llc", "alphabet google llc"], lowercase=True).save("c.nest")
>>> nlp = spacy.blank("en")
>>> _ = nlp.add_pipe("termnest", config={"index": "c.nest"})
>>> doc = nlp("Who owns Google LLC? (Google's staff does not.)")
>>> doc.spans["terms"]
[Google LLC, Google]
>>> [(span.start, span.end, span.label_, span.id_) for span in doc._.terms]
[(2, 4, 'TERM', 'google llc'), (6, 7, 'TERM', 'google')]
>>> doc[2:4]._.nested_terms, doc[2:4]._.super_terms
(['google', 'llc'], ['alphabet google llc'])

The config:

| name | default | what |
|---|---|---|
| `index` | | the path of an index, or of a plain vocabulary, which is indexed on the fly; a str |
| `overlaps` | `"longest"` | which of the spans that overlap to mark, as in `TermIndex.find` |
| `spans_key` | `"terms"` | the span group, which is replaced if the `Doc` has one of this name |
| `label` | `"TERM"` | the label of the spans |
| `alignment_mode` | `"strict"` | what to do with a match that cuts a token of spaCy, as in \
`Doc.char_span`: `"strict"` drops it, `"contract"` takes the tokens inside of it, `"expand"` all \
that it touches |

A relative path starts at the current folder, when the component is made and again when a saved
pipeline is loaded.

**Words.** spaCy splits a text in one way, the index in another. If the index splits at white space
or at a separator, the text is searched as it is ("Yahoo!"), then with the punctuation around words
set apart ("(Alzheimer's disease)"), then with clitics set apart too ("Google's"); what stands
inside of a word stays ("state-of-the-art"). So a term that ends with punctuation of its own is not
found where more follows ("Yahoo!)"). Matches are aligned with spaCy's tokens before overlaps are
looked at. Terms in lower case, as `termnest extract` writes them, are found in capitals only by an
index that was built with `lowercase` (`termnest build terms.tsv --lowercase`), not by the file.

**What a Doc carries.** Each term is a `Span` whose `id_` is its surface, as in the vocabulary. The
extensions ask the indexes of all termnest components that the `Doc` went through:

- `Doc._.terms`: the spans, a list.
- `Span._.nested_terms`, `Span._.super_terms`: surfaces, of any span of the `Doc`, term or not.

The `Doc` remembers the path and the checksum of its index in `Doc.user_data`, so that this also
works for a `Doc` that was sent by another process, pickled, or stored with its user data
(`DocBin(store_user_data=True)`). A process that makes no component must import `termnest.spacy`,
which sets the extensions. Asking a `Doc` that remembers no index raises `UnmarkedDocError`, as an
empty list would say that there are no terms.

**Saving.** `nlp.to_disk` writes the path of the index and its checksum, no copy. `spacy.load` opens
the path and refuses an index that is not the same. An index that has only moved is found with
`spacy.load(..., config={"components.termnest.index": path})`.
"""

# No `from __future__ import annotations`: spaCy 3.7 reads the types of the factory as they are.
import errno
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self, get_args

from termnest import _core
from termnest.errors import (
    DamagedIndexError,
    InvalidOptionError,
    MissingExtraError,
    UnmarkedDocError,
    file_error,
)
from termnest.index import Overlaps, StrPath, TermIndex

try:
    import numpy as np
    from numpy.typing import NDArray
    from spacy.attrs import IDX, LENGTH, ORTH, SPACY
    from spacy.language import Language
    from spacy.tokens import Doc, Span
except ModuleNotFoundError as error:
    raise MissingExtraError("spaCy is not installed: pip install 'termnest[spacy]'") from error

__all__ = ["TermnestComponent", "make_component"]

# Where a Doc remembers its indexes: a `_Mark` for each span group.
_USER_DATA = "termnest"
_INDEX_FILE = "index.json"

_CHOICES = {
    "overlaps": get_args(Overlaps),
    "alignment_mode": ("strict", "contract", "expand"),
}

Offsets = NDArray[np.int64]
Flags = NDArray[np.bool_]


# --- indexes, by path and checksum ---


def _is_index(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return _core.is_index(file.read(8))
    except OSError as error:
        message = f"cannot read the index {path}: {error.strerror}"
        if error.errno == errno.ENOENT:
            message = (
                f"there is no index at {path}: build it there, or tell where it is, by the "
                'config {"index": ...} of add_pipe or {"components.termnest.index": ...} of '
                "spacy.load"
            )
        raise file_error(message, error.errno, path) from error


def _open(path: str) -> TermIndex:
    try:
        return TermIndex.open(path)
    except InvalidOptionError as error:
        raise InvalidOptionError(
            f"{path} was built with a normalize function in Python, which a spaCy pipeline cannot "
            "store: build the index without one"
        ) from error


def _checksum(path: str) -> str:
    """Tells one content of the file from another: the checksum of an index is that of its head,
    which has the checksums of all the rest."""
    if _is_index(path):
        return f"{_open(path)._index.checksum:08x}"
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


# A cache, as a Doc knows only path and checksum. An index that was replaced stays for the Docs that
# were marked with it.
@lru_cache(maxsize=32)
def _load(path: str, checksum: str) -> TermIndex:
    """The index of a file, or of the vocabulary that it holds, if it has this checksum."""
    if _checksum(path) != checksum:
        raise DamagedIndexError(
            f"{path} has changed since the Doc or the pipeline was made with it: bring the old "
            "file back, or make them anew"
        )
    return _open(path) if _is_index(path) else TermIndex.from_file(path)


# --- the words of the index and those of spaCy ---

_WORD, _SPACE, _PUNCTUATION, _LEFT_CLITIC, _RIGHT_CLITIC = range(5)
_APOSTROPHES = ("'", "’")


def _kind(token: str) -> int:
    if token.isalnum():
        return _WORD
    if token.isspace():
        return _SPACE
    if not any(map(str.isalnum, token)):
        return _PUNCTUATION
    if token.startswith(_APOSTROPHES):
        return _RIGHT_CLITIC
    return _LEFT_CLITIC if token.endswith(_APOSTROPHES) else _WORD


class _Reading(NamedTuple):
    """A text to search: that of a Doc, with a separator put in at some places."""

    text: str
    separators: Offsets
    """Where the separators begin, in the text."""
    width: int
    """The characters of a separator."""

    def original(self, offsets: Offsets) -> Offsets:
        """The offsets in the Doc of these in the text."""
        return offsets - self.width * np.searchsorted(self.separators, offsets)


def _readings(words: Doc | Span, index: TermIndex) -> Iterator[_Reading]:
    """The texts in which to look for the terms of an index, from the least cut to the most."""
    tokenizer, separator, *_ = index._index.options()
    text = words.text
    yield _Reading(text, np.empty(0, np.int64), 0)
    if tokenizer != "whitespace" or not len(words):
        return  # the words are found whatever stands around them
    columns = words.to_array([IDX, SPACY, ORTH])  # type: ignore[union-attr]  # no stub has it
    starts = columns[:, 0].astype(np.int64) - int(columns[0, 0])
    distinct, place = np.unique(columns[:, 2], return_inverse=True)
    strings = words.doc.vocab.strings
    kinds = np.array([_kind(strings[int(orth)]) for orth in distinct])[place]
    is_space = kinds == _SPACE
    # Whether white space, or the beginning, stands before a token.
    opens = np.ones(len(kinds), np.bool_)
    opens[1:] = (columns[:-1, 1] != 0) | is_space[:-1] | is_space[1:]
    closes = np.append(opens[1:], True)

    separator = separator or " "
    punctuation = kinds == _PUNCTUATION
    cuts_before = 0
    for left, right in [
        (punctuation, punctuation),
        (punctuation | (kinds == _LEFT_CLITIC), punctuation | (kinds == _RIGHT_CLITIC)),
    ]:
        leading = _runs(left, opens)
        trailing = _runs(right[::-1], closes[::-1])[::-1]
        cuts = starts[1:][~opens[1:] & (leading[:-1] | trailing[1:])]
        # The second reading has the cuts of the first.
        if len(cuts) > cuts_before:
            cuts_before = len(cuts)
            pieces = zip([0, *cuts.tolist()], [*cuts.tolist(), len(text)], strict=True)
            yield _Reading(
                separator.join(text[start:end] for start, end in pieces),
                cuts + len(separator) * np.arange(len(cuts)),
                len(separator),
            )


def _runs(flags: Flags, opens: Flags) -> Flags:
    """Where this flag and all before it are set, counted anew wherever a word opens."""
    unset = np.cumsum(~flags)
    before_word = np.maximum.accumulate(np.where(opens, unset - ~flags, 0))
    return np.asarray(unset == before_word)


def _tokens(doc: Doc, start: Offsets, end: Offsets, mode: str) -> tuple[Offsets, Offsets, Flags]:
    """The first token of each match, the one behind its last, and whether the match is kept."""
    columns = doc.to_array([IDX, LENGTH]).astype(np.int64)
    token_start, token_end = columns[:, 0], columns[:, 0] + columns[:, 1]
    if mode == "expand":
        first = np.searchsorted(token_end, start, side="right")
        last = np.searchsorted(token_start, end, side="left")
    else:
        first = np.searchsorted(token_start, start, side="left")
        last = np.searchsorted(token_end, end, side="right")
    kept = first < last
    if mode == "strict":
        kept[kept] = (token_start[first[kept]] == start[kept]) & (
            token_end[last[kept] - 1] == end[kept]
        )
    return first, last, kept


def _without_overlaps(
    spans: Iterable[tuple[int, int]], overlaps: Overlaps
) -> Iterator[tuple[int, int]]:
    """The spans that stay, by start."""
    reach = 0
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if overlaps == "all" or (end > reach if overlaps == "longest" else start >= reach):
            reach = end
            yield start, end


# --- the extensions ---


class _Mark(NamedTuple):
    """What a Doc remembers of a component."""

    path: str
    checksum: str
    label: str


def _marks(doc: Doc) -> dict[str, _Mark]:
    marks = doc.user_data.get(_USER_DATA)
    if marks is None:
        raise UnmarkedDocError(
            "the Doc has not gone through a termnest component, or was stored without its user "
            "data: run the pipeline on it, or store it by DocBin(store_user_data=True)"
        )
    return {spans_key: _Mark(*mark) for spans_key, mark in marks.items()}


def _terms(doc: Doc) -> list[Span]:
    return [span for key in _marks(doc) if key in doc.spans for span in doc.spans[key]]


def _nested_terms(span: Span) -> list[str]:
    return _answers(span, TermIndex.nested_terms)


def _super_terms(span: Span) -> list[str]:
    return _answers(span, TermIndex.super_terms)


def _answers(span: Span, question: Callable[[TermIndex, str], list[str]]) -> list[str]:
    found: dict[str, None] = {}
    for mark in _marks(span.doc).values():
        index = _load(mark.path, mark.checksum)
        # Other components give ids too, so that the label must be ours.
        if span.label_ == mark.label and span.id_ in index:
            phrases = [span.id_]
        else:
            phrases = [reading.text for reading in _readings(span, index)]
        for phrase in phrases:
            found.update(dict.fromkeys(question(index, phrase)))
    return list(found)


def _set_extensions() -> list[str]:
    """Sets the extensions, but those whose names others have taken, which it tells."""
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


# For Docs that come from elsewhere. Names that are taken are no matter until a component is made:
# spaCy may import this module for a user who makes none.
_set_extensions()


# --- the component ---


class TermnestComponent:
    """Marks the terms of a vocabulary in Docs; `nlp.add_pipe("termnest")` makes one.

    It is pickled as the path of its index and its checksum; the index must be there in processes
    that take it.
    """

    def __init__(
        self,
        index: StrPath,
        *,
        name: str = "termnest",
        overlaps: Overlaps = "longest",
        spans_key: str = "terms",
        label: str = "TERM",
        alignment_mode: str = "strict",
    ) -> None:
        for option, value in [("overlaps", overlaps), ("alignment_mode", alignment_mode)]:
            if value not in _CHOICES[option]:
                *most, last = (f'"{choice}"' for choice in _CHOICES[option])
                raise InvalidOptionError(
                    f"{option} is {value!r}, and it must be {', '.join(most)} or {last}"
                )
        if taken := _set_extensions():
            raise InvalidOptionError(
                f"{', '.join(taken)} is an extension of your own: remove it, by remove_extension, "
                "or give it another name"
            )
        self.name = name
        self.overlaps = overlaps
        self.spans_key = spans_key
        self.label = label
        self.alignment_mode = alignment_mode
        # Absolute now: the folder may have changed when a Doc or another process opens it.
        self.path = str(Path(index).absolute())
        self.checksum = _checksum(self.path)
        self._index = _load(self.path, self.checksum)

    def __call__(self, doc: Doc) -> Doc:
        """Marks the terms in the Doc, and gives it back."""
        terms = self._matches(doc)
        spans = set(_without_overlaps({(start, end) for start, end, _ in terms}, self.overlaps))
        doc.spans[self.spans_key] = [
            Span(doc, start, end, label=self.label, span_id=self._index[id])
            for start, end, id in sorted(terms)
            if (start, end) in spans
        ]
        # A new dict: copies of the Doc may share the old one.
        marks = dict(doc.user_data.get(_USER_DATA, {}))
        # A list, which Doc.to_bytes can store, and a pickle without a reference to this module.
        marks[self.spans_key] = [*_Mark(self.path, self.checksum, self.label)]
        doc.user_data[_USER_DATA] = marks
        return doc

    def _matches(self, doc: Doc) -> set[tuple[int, int, int]]:
        """The terms that stand in the Doc: first token, token behind the last, id."""
        matches: set[tuple[int, int, int]] = set()
        for reading in _readings(doc, self._index):
            if not (found := self._index.find(reading.text)):
                continue
            _, ids, *places = zip(*found, strict=True)
            start, end = (reading.original(np.array(place, np.int64)) for place in places)
            first, last, kept = _tokens(doc, start, end, self.alignment_mode)
            rows = (array[kept].tolist() for array in (first, last, np.array(ids)))
            matches.update(zip(*rows, strict=True))
        return matches

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_index"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._index = _load(self.path, self.checksum)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The path of the index and its checksum; the config of the pipeline has the rest."""
        return json.dumps({"path": self.path, "checksum": self.checksum}).encode()

    def from_bytes(self, content: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Compares the index of the component with the one that was saved.

        Raises:
            DamagedIndexError: It is another index, or it has changed.
        """
        try:
            saved = json.loads(content)
            path, checksum = saved["path"], saved["checksum"]
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedIndexError(
                "the component was not saved by to_disk or to_bytes of termnest, or the file was "
                "damaged: save the pipeline again"
            ) from error
        if checksum != self.checksum:
            changed = "has changed since" if path == self.path else f"is not {path}, with which"
            raise DamagedIndexError(
                f"{self.path} {changed} the pipeline was saved: bring the old index back, or load "
                f'the pipeline with exclude=["{self.name}"], add the component again and save it'
            )
        return self

    def to_disk(self, path: StrPath, *, exclude: Iterable[str] = ()) -> None:
        """Writes the path of the index and its checksum into a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _INDEX_FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: StrPath, *, exclude: Iterable[str] = ()) -> Self:
        """Compares the index of the component with the one that was saved; see `from_bytes`."""
        file = Path(path) / _INDEX_FILE
        try:
            content = file.read_bytes()
        except OSError as error:
            message = f"cannot read {file}: {error.strerror}; save the pipeline again"
            raise file_error(message, error.errno, file) from error
        return self.from_bytes(content)


@Language.factory(
    "termnest",
    default_config={
        "index": None,
        "overlaps": "longest",
        "spans_key": "terms",
        "label": "TERM",
        "alignment_mode": "strict",
    },
    assigns=["doc.spans", "doc._.terms", "span._.nested_terms", "span._.super_terms"],
)
def make_component(
    nlp: Language,
    name: str,
    index: str | None,
    overlaps: str,
    spans_key: str,
    label: str,
    alignment_mode: str,
) -> TermnestComponent:
    """The component of `nlp.add_pipe("termnest")`."""
    if not index:
        raise InvalidOptionError(
            'the component needs an index: nlp.add_pipe("termnest", config={"index": path})'
        )
    for other, component in nlp.pipeline:
        if isinstance(component, TermnestComponent) and component.spans_key == spans_key:
            raise InvalidOptionError(
                f'the component "{other}" marks its terms as "{spans_key}": give this one another '
                "spans_key"
            )
    return TermnestComponent(
        index,
        name=name,
        overlaps=overlaps,  # type: ignore[arg-type]  # checked there
        spans_key=spans_key,
        label=label,
        alignment_mode=alignment_mode,
    )
