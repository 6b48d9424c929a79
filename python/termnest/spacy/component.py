"""The component itself: `nlp.add_pipe("termnest")`."""

# No `from __future__ import annotations`: spaCy 3.7 reads the types of the factory at run time.
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, Self, get_args

from termnest.arguments import instance, text
from termnest.errors import (
    DamagedIndexError,
    InvalidOptionError,
    MissingExtraError,
    file_error,
)
from termnest.files import path_name
from termnest.options import Overlaps, StrPath

try:
    from spacy.language import Language
    from spacy.strings import StringStore
    from spacy.tokens import Doc, Span, SpanGroup
    from spacy.util import filter_spans
except ModuleNotFoundError as error:
    raise MissingExtraError("spaCy is not installed: pip install 'termnest[spacy]'") from error

from termnest import _core
from termnest.spacy.indexes import checksum, load
from termnest.spacy.marks import Mark, set_extensions, set_mark
from termnest.spacy.tokens import ATTRS, finder

_INDEX_FILE = "index.json"

_CHOICES = {
    "attr": tuple(ATTRS),
    "overlaps": get_args(Overlaps),
    "variants": ("first", "all"),
    "alignment_mode": ("strict", "contract", "expand"),
}
# What a component makes again from the rest, or may be large.
_NOT_PICKLED = ("index", "_nlp", "_columns", "_id_column", "_mark", "_finder", "_numbers")
# The types of the columns that a label or an id may come from.
_TEXT_TYPES = ("strings", "integers")


class Numbers(dict[int, tuple[int, int, int]]):
    """The label, `kb_id` and `id` of spans of terms, as numbers in the strings of a vocabulary.

    They are found out when a term is met for the first time.
    """

    def __init__(
        self, strings: StringStore, texts_of: Callable[[int], tuple[str, str, str]]
    ) -> None:
        self.strings = strings
        self.texts_of = texts_of

    def __missing__(self, term: int) -> tuple[int, int, int]:
        label, kb_id, span_id = map(self.strings.add, self.texts_of(term))
        self[term] = numbers = (label, kb_id, span_id)
        return numbers


class TermnestComponent:
    """Marks the terms of a vocabulary in Docs; `nlp.add_pipe("termnest")` makes one.

    The options are those of the config: see `help(termnest.spacy)`. `nlp` is the pipeline that
    makes the Docs: with its tokenizer, the component finds out how spaCy splits the terms.

    A pickle contains the path and the checksum of the index, and the terms that spaCy splits
    otherwise than the index. A process that loads it needs the index at that path.
    """

    def __init__(
        self,
        index: StrPath,
        *,
        nlp: Language | None = None,
        name: str = "termnest",
        attr: str | None = None,
        overlaps: Overlaps = "longest",
        variants: Literal["first", "all"] = "first",
        spans_key: str = "terms",
        label: str = "TERM",
        label_column: str | None = None,
        id_column: str | None = None,
        annotate_ents: bool = False,
        alignment_mode: str = "strict",
    ) -> None:
        for option, value in [
            ("attr", attr),
            ("overlaps", overlaps),
            ("variants", variants),
            ("alignment_mode", alignment_mode),
        ]:
            if value not in _CHOICES[option]:
                *most, last = map(repr, _CHOICES[option])
                raise InvalidOptionError(
                    option=option,
                    value=repr(value),
                    expected=f"it must be {', '.join(most)} or {last}",
                )
        for option, name_given in [("name", name), ("spans_key", spans_key), ("label", label)]:
            text(option, name_given)
        instance("annotate_ents", annotate_ents, bool, "True or False")
        if taken := set_extensions():
            raise InvalidOptionError(
                f"{', '.join(taken)} is an extension of your own: remove it with "
                "remove_extension, or give it another name"
            )
        self.name = name
        self.attr = attr
        self.overlaps = overlaps
        self.variants = variants
        self.spans_key = spans_key
        self.label = label
        self.label_column = label_column
        self.id_column = id_column
        self.annotate_ents = annotate_ents
        self.alignment_mode = alignment_mode
        # Absolute: the current folder may change before a Doc or another process opens it.
        self.path = str(Path(path_name("index", index)).absolute())
        self.checksum = checksum(self.path)
        self._nlp = nlp
        self._respelled: bytes | None = None
        self._set_up()
        for option, column in [("label_column", label_column), ("id_column", id_column)]:
            if column is not None:
                self._check_column(option, column)

    def _check_column(self, option: str, column: str) -> None:
        """Refuses a column that is not there, or that labels and ids cannot come from."""
        types = self.index.column_types
        kind = types.get(text(option, column))
        if kind in _TEXT_TYPES:
            return
        if kind is not None:
            expected = f"the column has {kind}: give one of strings or integers"
        elif types:
            expected = f"the columns of the index are {', '.join(types)}"
        else:
            expected = (
                "the index has no columns: build it with columns= or termnest build --columns"
            )
        raise InvalidOptionError(option=option, value=repr(column), expected=expected)

    def _set_up(self) -> None:
        """Sets what is not pickled."""
        self.index = load(self.path, self.checksum)
        # The ids of one's own are those of a knowledge base.
        own_ids = "id" if "id" in self.index.column_types else None
        self._id_column = self.id_column or own_ids
        self._columns = ATTRS[self.attr][1]
        mark = Mark(self.path, self.checksum, self.label, self.label_column)
        self._mark: dict[str, list[str | None]] = {self.spans_key: [*mark]}
        # Made at the first Doc, as a pipeline may get another tokenizer after its components.
        self._finder: _core.TokenFinder | None = None
        # The labels and the ids of spans, as numbers in the strings of a vocabulary.
        self._numbers: Numbers | None = None

    def __call__(self, doc: Doc) -> Doc:
        """Marks the terms in the Doc and returns it."""
        strings = doc.vocab.strings
        numbers = self._numbers
        if numbers is None or numbers.strings is not strings:
            numbers = self._numbers = Numbers(strings, self._texts_of)
        if self.attr == "LEMMA" and not doc.has_annotation("LEMMA"):
            raise InvalidOptionError(
                'attr="LEMMA" needs a Doc with lemmas: put a lemmatizer before the component'
            )
        found = (self._finder or self._make_finder()).find(doc.to_array(self._columns), strings)
        # By position: keywords would take a tenth of the time.
        spans = [
            Span(doc, start, end, label, None, None, kb_id, span_id)
            for start, end, term in found
            for label, kb_id, span_id in (numbers[term],)
        ]
        # What `doc.spans[...] = spans` does, without its checks.
        doc.spans.data[self.spans_key] = SpanGroup(doc, name=self.spans_key, spans=spans)
        set_mark(doc, self._mark)
        if self.annotate_ents and spans:
            entities = {token for entity in doc.ents for token in range(entity.start, entity.end)}
            free = [span for span in spans if entities.isdisjoint(range(span.start, span.end))]
            doc.set_ents(filter_spans(free), default="unmodified")
        return doc

    def _make_finder(self) -> _core.TokenFinder:
        self._finder = finder(
            self.index,
            self._nlp.tokenizer if self._nlp else None,
            self._respelled,
            attr=self.attr,
            alignment_mode=self.alignment_mode,
            overlaps=self.overlaps,
            variants=self.variants,
        )
        return self._finder

    def _texts_of(self, term: int) -> tuple[str, str, str]:
        """The `label_`, the `kb_id_` and the `id_` of the spans of a term, by its number."""
        finder = self._finder or self._make_finder()

        def value(column: str | None, default: str) -> str:
            own = None if column is None else finder.value(term, column)
            return default if own is None else str(own)

        return (
            value(self.label_column, self.label),
            value(self._id_column, ""),
            finder.term(term),
        )

    def __getstate__(self) -> dict[str, Any]:
        # With what the tokenizer makes of the terms, so that no other process need find it out.
        respelled = (self._finder or self._make_finder()).respelled()
        own = {name: value for name, value in vars(self).items() if name not in _NOT_PICKLED}
        return {**own, "_respelled": respelled}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._nlp = None
        self._set_up()

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The path and the checksum of the index; the config of the pipeline has the rest."""
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
                "the data is damaged or does not come from a termnest component: save the "
                "pipeline again"
            ) from error
        if checksum != self.checksum:
            changed = "has changed since" if path == self.path else f"is not {path}, with which"
            raise DamagedIndexError(
                f"{self.path} {changed} the pipeline was saved: restore the old index, or load "
                f'the pipeline with exclude=["{self.name}"], add the component again and save it'
            )
        return self

    def to_disk(self, path: StrPath, *, exclude: Iterable[str] = ()) -> None:
        """Writes the path and the checksum of the index into a folder."""
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
        "attr": None,
        "overlaps": "longest",
        "variants": "first",
        "spans_key": "terms",
        "label": "TERM",
        "label_column": None,
        "id_column": None,
        "annotate_ents": False,
        "alignment_mode": "strict",
    },
    assigns=["doc.spans", "doc._.terms", "span._.nested_terms", "span._.super_terms"],
)
def make_component(
    nlp: Language,
    name: str,
    index: str | None,
    attr: str | None,
    overlaps: str,
    variants: str,
    spans_key: str,
    label: str,
    label_column: str | None,
    id_column: str | None,
    annotate_ents: bool,
    alignment_mode: str,
) -> TermnestComponent:
    """Makes the component of `nlp.add_pipe("termnest")`; see `help(termnest.spacy)`."""
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
        nlp=nlp,
        name=name,
        attr=attr,
        overlaps=overlaps,  # type: ignore[arg-type]  # __init__ checks these
        variants=variants,  # type: ignore[arg-type]
        spans_key=spans_key,
        label=label,
        label_column=label_column,
        id_column=id_column,
        annotate_ents=annotate_ents,
        alignment_mode=alignment_mode,
    )
