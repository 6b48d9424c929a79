"""Vocabularies and texts in the formats of other programs."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import rdflib

from termnest import InvalidTextError, TermIndex
from termnest.cli import main
from termnest.terminology import Corpus, extract, write_taxonomy, write_terms
from termnest.terminology.markup import html_text, markdown_text

TBX_2 = """<?xml version="1.0"?><!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><text><body>
<termEntry id="c1"><langSet xml:lang="de"><tig><term>Sonnenzelle</term></tig></langSet>
<langSet xml:lang="en"><ntig><termGrp><term>photovoltaic cell</term></termGrp></ntig>
<tig><term>solar  cell</term>
<termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig></langSet></termEntry>
<termEntry id="c2"><langSet xml:lang="en"><tig><term>wind turbine</term></tig></langSet></termEntry>
</body></text></martif>"""
TBX_3 = """<?xml version="1.0"?><tbx type="TBX-Basic" style="dca" xml:lang="fr"
xmlns="urn:iso:std:iso:30042:ed-2"><text><body><conceptEntry id="a"><langSec xml:lang="fr">
<termSec><term>cellule solaire</term></termSec></langSec></conceptEntry></body></text></tbx>"""
TMX = """<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="de"><seg>Die Solarzelle altert.</seg></tuv>
<tuv xml:lang="en-GB"><seg>The solar <bpt i="1">b</bpt> cell ages.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Solar cells.</seg></tuv></tu></body></tmx>"""
SKOS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://a/> .
:s a skos:ConceptScheme ; skos:prefLabel "Energy"@en .
:1 a skos:Concept ; skos:prefLabel "solar cell"@en, "Solarzelle"@de ;
   skos:altLabel "photovoltaic cell"@en ; skos:hiddenLabel "solarcell"@en .
:2 a skos:Concept ; skos:prefLabel "wind turbine"@en ."""


def workbook(*rows: list[Any]) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.create_sheet("Terms", 0)
    for row in rows:
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def as_xml(turtle: str) -> str:
    return rdflib.Graph().parse(data=turtle, format="turtle").serialize(format="xml")


@pytest.mark.parametrize(
    ("name", "content", "terms"),
    [
        ("a.tbx", TBX_2, ["solar cell", "wind turbine"]),
        ("a.xml", TBX_2, ["solar cell", "wind turbine"]),
        ("a.tbx", TBX_3, ["cellule solaire"]),
        ("a.tmx", TMX, ["The solar b cell ages.", "Solar cells."]),
        ("a.ttl", SKOS, ["solar cell", "wind turbine"]),
        ("a.rdf", as_xml(SKOS), ["solar cell", "wind turbine"]),
        ("a.xlsx", workbook(["term", "count"], ["solar cell", 3], ["cell", 9]), None),
        ("a.csv", "term;count\nsolar cell;3\ncell;9\n", None),
        ("a.csv", "solar cell;3\ncell;9\n", None),
    ],
)
def test_a_vocabulary_of_another_program_is_read(
    tmp_path: Path, name: str, content: str | bytes, terms: list[str] | None
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    index = TermIndex.from_file(path, weight_column=None)
    assert list(index) == (terms or ["solar cell", "cell"])
    # The same from a file object, which has the name of its file.
    with path.open("rb") as file:
        assert list(TermIndex.from_file(file)) == list(index)
    assert main(["super", str(path), "cell"]) in (0, 1)
    if terms is None:
        assert index.weighted
        assert index.weight("cell") == 9


def test_other_labels_of_a_concept_are_aliases(tmp_path: Path) -> None:
    for name, content, aliases in [
        ("a.tbx", TBX_2, ["photovoltaic cell"]),
        ("a.ttl", SKOS, ["photovoltaic cell", "solarcell"]),
    ]:
        (tmp_path / name).write_text(content)
        index = TermIndex.from_file(tmp_path / name, columns=["concept"])
        assert sorted(row["alias"] for row in index.aliases()) == aliases
        assert index.column("concept")[0] in ("c1", "http://a/1")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.xls", b"\xd0\xcf\x11\xe0\0", "an old Excel workbook: save it as .xlsx, or as CSV"),
        ("a.docx", b"PK\x03\x04\0", "a Word document: save its terms as text, one on each line"),
        ("a.ods", b"PK\x03\x04\0", "a LibreOffice spreadsheet: save it as .xlsx, or as CSV"),
        ("a.pdf", b"%PDF-1.4", "a PDF: save its terms as text, one on each line"),
        ("a.zip", b"PK\x03\x04\0", "a zip archive: unpack it first"),
        ("a.xlsx", b"PK\x03\x04\0", "is not an Excel workbook: "),
        ("a.tbx", b"<tbx><broken>", "is not TBX: no element found"),
        ("a.tmx", b"nothing", "is not TMX: syntax error"),
        ("a.ttl", b"@prefix :", "is not RDF (turtle): "),
        ("a.tbx", b"<tbx xml:lang='en'/>", "has no term"),
        ("a.ttl", b"<a:b> <a:c> <a:d> .", "has no term"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_to_do(
    tmp_path: Path,
    name: str,
    content: bytes,
    sentence: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InvalidTextError) as caught:
        TermIndex.from_file(path)
    assert str(path) in str(caught.value)
    assert sentence in str(caught.value)
    assert main(["super", str(path), "cell"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("termnest: ")
    assert sentence in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("a.xlsx", "openpyxl", "xlsx"), ("a.ttl", "rdflib", "skos")]
)
def test_a_missing_package_is_named_with_its_command(
    tmp_path: Path, name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04" if extra == "xlsx" else b"")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"pip install 'termnest\[{extra}\]'"):
        TermIndex.from_file(tmp_path / name)


def test_the_encoding_of_a_vocabulary_is_an_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "terms.csv"
    path.write_bytes("term;count\ncafé;3\n".encode("cp1252"))
    assert list(TermIndex.from_file(path, encoding="cp1252")) == ["café"]
    path.write_bytes("term;count\ncafé;3\n".encode("utf-16"))
    assert list(TermIndex.from_file(path, encoding="utf-16")) == ["café"]
    assert main(["super", str(path), "x", "--encoding", "nope"]) == 2
    assert "--encoding cannot be 'nope': give the name of an encoding" in capsys.readouterr().err
    assert main(["super", str(path), "x", "--encoding", "ascii"]) == 2
    assert "terms.csv, line 1: byte 0xff is not ascii" in capsys.readouterr().err


# --- and out ---


def test_what_is_written_as_tbx_and_xlsx_is_read_again(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("The solar cell. Two solar cells, = solar cells. A <wind> turbine, a turbine.")
    found = extract(text, language="en", reference=False, contexts=1)
    terms = found.table.column("term").to_list()
    assert "solar cells" in terms
    for name in ("terms.tbx", "terms.xlsx"):
        write_terms(found.table, tmp_path / name, language="en", title='a "<b>"')
        index = TermIndex.from_file(tmp_path / name)
        assert list(index) == terms
        assert {row["alias"] for row in index.aliases()} >= {"solar cell"}
    tbx = (tmp_path / "terms.tbx").read_text()
    assert 'xml:lang="en"' in tbx
    assert "<title>a &quot;&lt;b&gt;&quot;</title>" in tbx or '<title>a "&lt;b&gt;"</title>' in tbx
    assert '<descrip type="context">' in tbx


@pytest.mark.parametrize("suffix", [".ttl", ".tbx"])
def test_one_more_term_changes_no_name_of_another(tmp_path: Path, suffix: str) -> None:
    terms = ["solar cell", "cell", "snake_case", "é è", 'a "b"', "100%", "a~b", "C++", "a/b#c"]

    def names(given: list[str]) -> set[str]:
        path = tmp_path / f"terms{suffix}"
        index = TermIndex(given)
        write_taxonomy(
            index, path, language="en", base_uri="http://a/" if suffix == ".ttl" else None
        )
        text = path.read_text()
        if suffix == ".tbx":
            return {line.split('"')[1] for line in text.splitlines() if "<conceptEntry" in line}
        return {line.split(">")[0] for line in text.splitlines() if " a skos:Concept ;" in line}

    before, after = names(terms), names(["aaa", *reversed(terms), "zzz"])
    assert len(before) == len(terms)
    assert before < after
    assert len(after) == len(before) + 2


def test_own_ids_name_concepts_and_labels_have_their_language(tmp_path: Path) -> None:
    index = TermIndex(
        ["cell", "solar cell"], ids=["Q1", "Q2"], aliases={"solar cell": ["photovoltaic cell"]}
    )
    write_taxonomy(index, tmp_path / "t.ttl", language="en", base_uri="http://a/", title="Energy")
    graph = rdflib.Graph().parse(tmp_path / "t.ttl")
    label = rdflib.Literal("photovoltaic cell", lang="en")
    alternative = rdflib.namespace.SKOS.altLabel
    assert (rdflib.URIRef("http://a/Q2"), alternative, label) in graph
    title = rdflib.Literal("Energy", lang="en")
    assert (rdflib.URIRef("http://a/~scheme"), rdflib.namespace.DCTERMS.title, title) in graph


# --- texts ---


def test_markup_is_not_text() -> None:
    page = "<html><head><title>x</title></head><body><p>A <b>solar</b>&nbsp;cell.<br>B</p><li>C"
    assert html_text(page).split("\n\n") == ["A solar\xa0cell.", "B", "C"]
    source = (
        '---\ntitle: x\n---\n# Solar **cells** #\n\n- an _item_\n- [link](http://a/b_c_d "t")\n\n'
        "```python\ncode = 1\n```\n\n| a | b |\n|---|---|\n| c | `d` |\n\n> a_b <b>x</b> \\* y"
    )
    text = markdown_text(source)
    assert text.split("\n\n") == [
        *("Solar cells", "an item", "link", "a", "b", "c", "d", "a_b x * y"),
    ]


def test_files_of_a_folder_are_read_by_their_formats_and_bad_ones_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.html").write_text("<p>A solar <i>cell</i>.</p><script>solar cell</script>")
    (tmp_path / "b.md").write_text("# Solar cell\n[solar cell](http://solar/cell)\n")
    (tmp_path / "c.tmx").write_text(TMX.replace('<bpt i="1">b</bpt>', ""))
    (tmp_path / "d.txt").write_bytes(b"caf\xe9")
    (tmp_path / "e.jsonl").write_text('{"text": "solar cell"}\n{broken\n')
    (tmp_path / "f.tmx").write_text("<broken")
    (tmp_path / "g.txt").write_bytes("solar cell".encode("utf-16"))
    with zipfile.ZipFile(tmp_path / "h.docx", "w") as file:
        file.writestr("word/document.xml", "<x/>")
    (tmp_path / "i.tbx").write_text(TBX_3)
    assert main(["extract", str(tmp_path), "--language", "en", "--reference", "none"]) == 0
    out, err = capsys.readouterr()
    # Once in the page, twice in Markdown, twice in the memory, once in the first row.
    assert out.splitlines()[1].split("\t")[:2] == ["solar cell", "6"]
    reasons = dict(
        line.removeprefix(f"skipped {tmp_path}/").split(": ", 1)
        for line in err.splitlines()
        if line.startswith("skipped")
    )
    assert set(reasons) == {"d.txt", "e.jsonl", "f.tmx", "g.txt", "h.docx", "i.tbx"}
    assert reasons["d.txt"].startswith("not read from here on: line 1: byte 0xe9 is not UTF-8")
    assert reasons["e.jsonl"].startswith("not read from here on: line 2 is not JSON")
    assert "is not TMX" in reasons["f.tmx"]
    assert reasons["g.txt"] == "UTF-16, not UTF-8: give its encoding, utf-16"
    assert reasons["h.docx"] == "a Word document: save it as text"
    assert reasons["i.tbx"] == "a termbase, not running text"


def test_the_encoding_of_a_corpus_is_an_option(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Une café. ".encode("utf-16"))
    (tmp_path / "b.txt").write_bytes("café".encode("utf-16"))
    assert list(Corpus(tmp_path, encoding="utf-16")) == ["Une café. ", "café"]
