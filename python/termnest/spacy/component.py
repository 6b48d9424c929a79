"""The component itself: `nlp.add_pipe("termnest")`."""

# No `from __future__ import annotations`: spaCy 3.7 reads the types of the factory at run time.
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self, get_args

from termnest.arguments import text
from termnest.errors import (
    DamagedIndexError,
    InvalidOptionError,
    MissingExtraError,
    file_error,
)
from termnest.files import path_name
from termnest.options import Overlaps, StrPath

try:
    import numpy as np
    from spacy.language import Language
    from spacy.tokens import Doc, Span
except ModuleNotFoundError as error:
    raise MissingExtraError("spaCy is not installed: pip install 'termnest[spacy]'") from error

from termnest.spacy.alignment import aligned, readings, without_overlaps
from termnest.spacy.indexes import checksum, load
from termnest.spacy.marks import Mark, set_extensions, set_mark

_INDEX_FILE = "index.json"

_CHOICES = {
    "overlaps": get_args(Overlaps),
    "alignment_mode": ("strict", "contract", "expand"),
}


class TermnestComponent:
    """Marks the terms of a vocabulary in Docs; `nlp.add_pipe("termnest")` makes one.

    The options are those of the config: see `help(termnest.spacy)`.

    A pickle contains the path and the checksum of the index. A process that loads it needs the
    index at that path.
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
                *most, last = map(repr, _CHOICES[option])
                raise InvalidOptionError(
                    option=option,
                    value=repr(value),
                    expected=f"it must be {', '.join(most)} or {last}",
                )
        for option, name_given in [("name", name), ("spans_key", spans_key), ("label", label)]:
            text(option, name_given)
        if taken := set_extensions():
            raise InvalidOptionError(
                f"{', '.join(taken)} is an extension of your own: remove it with "
                "remove_extension, or give it another name"
            )
        self.name = name
        self.overlaps = overlaps
        self.spans_key = spans_key
        self.label = label
        self.alignment_mode = alignment_mode
        # Absolute: the current folder may change before a Doc or another process opens it.
        self.path = str(Path(path_name("index", index)).absolute())
        self.checksum = checksum(self.path)
        self.index = load(self.path, self.checksum)

    def __call__(self, doc: Doc) -> Doc:
        """Marks the terms in the Doc and returns it."""
        terms = self._matches(doc)
        spans = set(without_overlaps({(start, end) for start, end, _ in terms}, self.overlaps))
        doc.spans[self.spans_key] = [
            Span(doc, start, end, label=self.label, span_id=self.index[id])
            for start, end, id in sorted(terms)
            if (start, end) in spans
        ]
        set_mark(doc, self.spans_key, Mark(self.path, self.checksum, self.label))
        return doc

    def _matches(self, doc: Doc) -> set[tuple[int, int, int]]:
        """The terms in the Doc: first token, token after the last, id."""
        matches: set[tuple[int, int, int]] = set()
        for reading in readings(doc, self.index):
            if not (found := self.index.find(reading.text)):
                continue
            _, ids, *places = zip(*found, strict=True)
            start, end = (reading.original(np.array(place, np.int64)) for place in places)
            first, last, kept = aligned(doc, start, end, self.alignment_mode)
            rows = (array[kept].tolist() for array in (first, last, np.array(ids)))
            matches.update(zip(*rows, strict=True))
        return matches

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "index"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.index = load(self.path, self.checksum)

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
        name=name,
        overlaps=overlaps,  # type: ignore[arg-type]  # __init__ checks it
        spans_key=spans_key,
        label=label,
        alignment_mode=alignment_mode,
    )
