"""TBX-Basic (ISO 30042:2019): an entry for each term, with its forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from termnest.terminology.export.skos import concept_name
from termnest.terminology.xml import xml_text

UNDETERMINED = "und"
"""The code of a language that is not known."""

_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<tbx type="TBX-Basic" style="dca" xml:lang="{language}" xmlns="urn:iso:std:iso:30042:ed-2">
<tbxHeader>
<fileDesc>
<titleStmt><title>{title}</title></titleStmt>
<sourceDesc><p>Terms found with termnest</p></sourceDesc>
</fileDesc>
<encodingDesc><p type="XCSURI">TBXXCS.xcs</p></encodingDesc>
</tbxHeader>
<text>
<body>
"""
_TAIL = "</body>\n</text>\n</tbx>\n"


def tbx(
    entries: Iterable[tuple[str, str, Iterable[str], str | None]],
    language: str | None,
    title: str,
) -> Iterator[str]:
    """A termbase, in pieces.

    Args:
        entries: For each concept what names it for ever, its term, the other forms of the term, and
            a sentence that contains it.
        language: The code of their language.
        title: The title of the termbase.
    """
    code = xml_text(language or UNDETERMINED)
    yield _HEAD.format(language=code, title=xml_text(title))
    for key, term, forms, context in entries:
        yield f'<conceptEntry id="{_id(key)}"><langSec xml:lang="{code}">'
        yield _term(term, "preferredTerm-admn-sts", context)
        for form in forms:
            if form != term:
                yield _term(form, "admittedTerm-admn-sts", None)
        yield "</langSec></conceptEntry>\n"
    yield _TAIL


def _term(term: str, status: str, context: str | None) -> str:
    note = f'<termNote type="administrativeStatus">{status}</termNote>'
    if context:
        note += f'<descrip type="context">{xml_text(context)}</descrip>'
    return f"<termSec><term>{xml_text(term)}</term>{note}</termSec>"


def _id(key: str) -> str:
    """An id of XML, which has letters, digits, hyphens, periods and underscores only."""
    name = concept_name(key).replace(".", "%2E")
    return "c-" + name.replace("%", ".")
