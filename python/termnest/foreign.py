"""Vocabularies in the formats of other programs: TBX, SKOS, TMX and XLSX."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from termnest.arguments import text
from termnest.errors import InvalidOptionError, InvalidTextError, MissingExtraError
from termnest.options import Format

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_RDF_FORMATS = {".ttl": "turtle", ".rdf": "xml", ".nt": "nt", ".skos": "xml"}
# The first bytes of files that have no terms for us, or none that we can read.
_ZIP, _OLD_OFFICE, _PDF = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF-"
# Characters at the start of a file that show what it is.
_HEAD_BYTES = 4096


class Entry(NamedTuple):
    """A concept: its term, and other terms for it."""

    term: str
    aliases: list[str]
    concept: str
    """What the file calls the concept; empty if nothing."""


class Converted(NamedTuple):
    """The vocabulary of a file in a format that the core reads."""

    content: bytes
    format: Format | None
    aliases: list[tuple[str, str]]


def converted(
    name: str | None, content: bytes | None, encoding: str | None, format: Format | None
) -> Converted | None:
    """The vocabulary of a file in a format of another program; None if it has one of our own.

    A format that was given is one of ours.

    Raises:
        InvalidTextError: The file is of a kind without terms, or is damaged.
        MissingExtraError: A package that reads it is not installed.
    """
    if encoding is not None:
        text("encoding", encoding)
    kind = None if format is not None else _kind(name, content)
    if kind is None:
        if encoding is None:
            return None
        raw = content if content is not None else _read(name)
        return Converted(_decoded(raw, encoding, name).encode(), format, [])
    raw = content if content is not None else _read(name)
    shown = name or "the input"
    if kind == "xlsx":
        return Converted(_csv_of_workbook(raw, shown), "csv", [])
    entries = list(_READERS[kind](raw, shown))
    if not entries:
        raise InvalidTextError(f"{shown} has no term")
    # A term of two concepts is one entry, with the aliases of both; an alias that is a term of its
    # own leads to that term.
    terms = {entry.term for entry in entries}
    owner: dict[str, str] = {}
    for entry in entries:
        for alias in entry.aliases:
            if alias not in terms:
                owner.setdefault(alias, entry.term)
    rows = (
        json.dumps({"term": entry.term, "concept": entry.concept}, ensure_ascii=False)
        for entry in entries
    )
    aliases = [(term, alias) for alias, term in owner.items()]
    return Converted("\n".join(rows).encode("utf-8", "replace"), "jsonl", aliases)


def _kind(name: str | None, content: bytes | None) -> str | None:
    suffix = Path(name).suffix.lower() if name else ""
    head = content[:_HEAD_BYTES] if content is not None else _first_bytes(name)
    if head.startswith(_ZIP):
        if suffix in ("", ".xlsx", ".xlsm"):
            return "xlsx"
        raise InvalidTextError(f"{name} is {_NAMES.get(suffix, 'a zip archive')}")
    if head.startswith((_OLD_OFFICE, _PDF)):
        default = "a PDF" if head.startswith(_PDF) else "an old Office file: save it as .xlsx"
        raise InvalidTextError(f"{name or 'the input'} is {_NAMES.get(suffix, default)}")
    if suffix in _RDF_FORMATS:
        return "skos"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if suffix in (".tbx", ".tmx"):
        return suffix[1:]
    if start.startswith(b"<?xml") or suffix == ".xml":
        for tag, kind in (
            (b"<tbx", "tbx"),
            (b"<martif", "tbx"),
            (b"<tmx", "tmx"),
            (b"rdf:RDF", "skos"),
        ):
            if tag in head:
                return kind
    return None


_NAMES = {
    ".docx": "a Word document: save its terms as text, one on each line",
    ".doc": "an old Word document: save its terms as text, one on each line",
    ".xls": "an old Excel workbook: save it as .xlsx, or as CSV UTF-8",
    ".ods": "a LibreOffice spreadsheet: save it as .xlsx, or as CSV UTF-8",
    ".odt": "a LibreOffice document: save its terms as text, one on each line",
    ".pptx": "a presentation: save its terms as text, one on each line",
    ".pdf": "a PDF: save its terms as text, one on each line",
    ".zip": "a zip archive: unpack it first",
}


def _first_bytes(name: str | None) -> bytes:
    path = Path(name or "")
    try:
        # A pipe can be read only once, and a folder not at all.
        if not path.is_file():
            return b""
    except OSError:  # No file can have this name, which the core says.
        return b""
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES)


def _read(name: str | None) -> bytes:
    return Path(name or "").read_bytes()


def _decoded(raw: bytes, encoding: str, name: str | None) -> str:
    try:
        codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, UnicodeError, ValueError):
        raise InvalidOptionError(
            option="encoding",
            value=repr(encoding),
            expected="give the name of an encoding, such as utf-8, cp1252 or utf-16",
        ) from None
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InvalidTextError(
            f"{name or 'the input'}, line {line}: byte 0x{raw[error.start]:02x} is not {encoding}: "
            "give another encoding"
        ) from None


# --- XML ---


def _tree(raw: bytes, name: str, what: str) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(raw)
    except ElementTree.ParseError as error:
        raise InvalidTextError(f"{name} is not {what}: {error}") from None


def _local(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _all(root: ElementTree.Element, *names: str) -> Iterator[ElementTree.Element]:
    return (element for element in root.iter() if _local(element) in names)


def _text(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _lang(element: ElementTree.Element) -> str:
    return element.get(_XML_LANG) or element.get("lang") or ""


def read_tbx(raw: bytes, name: str) -> Iterator[Entry]:
    """The concepts of a termbase, in its main language: that of the file if it has terms in it,
    or else that of most terms.
    """
    root = _tree(raw, name, "TBX")
    entries = list(_all(root, "conceptEntry", "termEntry"))
    sections = [section for entry in entries for section in _all(entry, "langSec", "langSet")]
    counts = Counter(map(_lang, sections))
    if not counts:
        return
    main = _lang(root)
    if main not in counts:
        main = counts.most_common(1)[0][0]
    for entry in entries:
        ranked: list[tuple[bool, str]] = []
        for section in _all(entry, "langSec", "langSet"):
            if _lang(section) != main:
                continue
            for group in _all(section, "termSec", "tig", "ntig"):
                term = next((_text(term) for term in _all(group, "term")), "")
                notes = [_text(note) for note in _all(group, "termNote")]
                if term:
                    ranked.append(("preferredTerm-admn-sts" not in notes, term))
        # The preferred term first; the others stay in their order.
        ranked.sort(key=lambda one: one[0])
        terms = list(dict.fromkeys(term for _, term in ranked))
        if terms:
            yield Entry(terms[0], terms[1:], entry.get("id", ""))


def tmx_segments(raw: bytes, name: str) -> Iterator[str]:
    """The segments of a translation memory in its source language."""
    root = _tree(raw, name, "TMX")
    header = next(_all(root, "header"), None)
    source = "" if header is None else (header.get("srclang") or "")
    for unit in _all(root, "tu"):
        variants = list(_all(unit, "tuv"))
        wanted = (unit.get("srclang") or source).lower()
        chosen = [variant for variant in variants if _lang(variant).lower() == wanted] or [
            # "*all*", or a source "en" with texts in "en-GB".
            *(one for one in variants if wanted and _lang(one).lower().startswith(wanted)),
            *variants,
        ]
        for segment in _all(chosen[0], "seg") if chosen else ():
            if found := _text(segment):
                yield found


def _read_tmx(raw: bytes, name: str) -> Iterator[Entry]:
    return (Entry(segment, [], "") for segment in dict.fromkeys(tmx_segments(raw, name)))


# --- RDF ---


def read_skos(raw: bytes, name: str) -> Iterator[Entry]:
    """The concepts of a thesaurus in the language in which it has most labels."""
    try:
        import rdflib
    except ImportError as error:
        raise MissingExtraError(
            f"{name} is RDF, which rdflib reads: pip install 'termnest[skos]'"
        ) from error
    suffix = Path(name).suffix.lower()
    start = raw.lstrip()[:1]
    format = _RDF_FORMATS.get(suffix, "xml" if start == b"<" else "turtle")
    graph = rdflib.Graph()
    try:
        graph.parse(data=raw, format=format)
    except Exception as error:
        # Each parser of rdflib has errors of its own.
        line = " ".join(str(error).split())[:200]
        raise InvalidTextError(f"{name} is not RDF ({format}): {line}") from None
    preferred = list(graph.subject_objects(rdflib.URIRef(_SKOS + "prefLabel")))
    concept = rdflib.URIRef(_SKOS + "Concept")
    scheme = rdflib.URIRef(_SKOS + "ConceptScheme")
    is_of = rdflib.RDF.type
    preferred = [
        (subject, label)
        for subject, label in preferred
        if (subject, is_of, concept) in graph or (subject, is_of, scheme) not in graph
    ]
    languages = Counter(getattr(label, "language", None) for _, label in preferred)
    if not languages:
        return
    main = languages.most_common(1)[0][0]
    for subject, label in sorted(preferred, key=lambda pair: (str(pair[1]), str(pair[0]))):
        if getattr(label, "language", None) != main:
            continue
        others = [
            " ".join(str(other).split())
            for kind in ("altLabel", "hiddenLabel")
            for other in graph.objects(subject, rdflib.URIRef(_SKOS + kind))
            if getattr(other, "language", None) == main
        ]
        yield Entry(" ".join(str(label).split()), sorted(others), str(subject))


# --- spreadsheets ---


def _csv_of_workbook(raw: bytes, name: str) -> bytes:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingExtraError(
            f"{name} is an Excel workbook: pip install 'termnest[xlsx]', or save it as CSV UTF-8"
        ) from error
    try:
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        rows = list(book.worksheets[0].iter_rows(values_only=True))
    except Exception as error:
        # A damaged workbook raises errors of zip, XML and openpyxl.
        raise InvalidTextError(f"{name} is not an Excel workbook: {error}") from None
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    for row in rows:
        if any(cell is not None for cell in row):
            writer.writerow("" if cell is None else cell for cell in row)
    return lines.getvalue().encode()


_READERS: dict[str, Callable[[bytes, str], Any]] = {
    "tbx": read_tbx,
    "tmx": _read_tmx,
    "skos": read_skos,
}
