"""The texts of a corpus: files and folders of all kinds."""

from __future__ import annotations

import gzip
import json
import os
import random
import threading
from pathlib import Path
from typing import Any

import pytest
from samples import REPORT

from termnest import (
    FileAccessError,
    InvalidOptionError,
    InvalidTextError,
    MissingFileError,
)
from termnest.terminology import (
    Corpus,
    extract,
    ngrams,
    write_terms,
)


def test_texts_come_from_files_folders_and_json_lines(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    (folder / "b").mkdir(parents=True)
    (folder / "a.txt").write_text("one")
    (folder / "b" / "c.txt.gz").write_bytes(gzip.compress(b"two"))
    (folder / "d.jsonl").write_text('"three"\n\n{"text": "four", "n": 1}\n')
    (folder / ".hidden").write_text("no")
    (folder / ".git").mkdir()
    (folder / ".git" / "x").write_text("no")
    named = tmp_path / "e.md"
    named.write_text("\ufefffive")
    corpus = Corpus([folder, named])
    assert list(corpus) == ["one", "three", "four", "two", "five"]
    assert corpus.read == corpus.size
    assert corpus.skipped == []
    assert list(corpus) == list(corpus)  # it can be read again
    assert list(Corpus([named, folder, named])) == ["five", "one", "three", "four", "two"]
    assert list(Corpus([folder], exclude=[folder / "a.txt"])) == ["three", "four", "two"]


def test_json_lines_may_have_byte_order_marks_nulls_and_names_in_capitals(tmp_path: Path) -> None:
    rows = tmp_path / "ROWS.JSONL"
    rows.write_bytes(b'\xef\xbb\xbf{"text": "one"}\n{"text": null}\n"caf\xe9"\n')
    assert list(Corpus([rows], errors="replace")) == ["one", "caf\ufffd"]


def test_half_a_character_in_json_is_an_error_or_replaced(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('"x"\n"a \\ud800 cell"\n')
    with pytest.raises(InvalidTextError, match="line 2: the text contains half a character"):
        list(Corpus([rows]))
    assert list(Corpus([rows], errors="replace"))[1].startswith("a \ufffd")


def test_pipes_are_read_by_name_and_skipped_in_folders(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.txt").write_text("two")
    (tmp_path / "link").symlink_to(tmp_path / "below")
    corpus = Corpus([tmp_path])
    assert list(corpus) == ["one", "two"]
    assert {(Path(path).name, reason) for path, reason in corpus.skipped} == {
        ("pipe", "not a regular file"),
        ("link", "a link to a folder, not followed"),
    }
    content = gzip.compress(b"A solar cell.")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[content])
    writer.start()
    assert list(Corpus([tmp_path / "pipe"])) == ["A solar cell."]
    writer.join()


def test_an_unreadable_subfolder_is_skipped_and_an_unreadable_folder_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root may read everything, and the tests may be run by root.
    error = PermissionError(13, "Permission denied", "closed")

    def walk(path: str, onerror: Any) -> Any:
        onerror(error)
        return iter(())

    monkeypatch.setattr(os, "walk", walk)
    corpus = Corpus([tmp_path])
    assert list(corpus) == []
    assert corpus.skipped == [("closed", "Permission denied")]
    error.filename = str(tmp_path)
    with pytest.raises(FileAccessError, match="cannot read the folder"):
        Corpus([tmp_path])


def test_the_error_for_an_impossible_path_names_it() -> None:
    with pytest.raises(FileAccessError, match=r"cannot read x+: File name too long"):
        Corpus(["x" * 5000])


def test_an_invalid_gzip_file_is_skipped_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.gz").write_bytes(b"\x1f\x8bnonsense")
    corpus = Corpus([tmp_path])
    assert list(corpus) == ["one"]
    assert [reason for _, reason in corpus.skipped] == ["not a valid gzip file"]
    with pytest.raises(InvalidTextError, match=r"b\.gz is not a valid gzip file"):
        list(Corpus([tmp_path / "b.gz"]))


def test_a_field_of_json_lines_can_be_named(tmp_path: Path) -> None:
    rows = tmp_path / "rows.data"
    rows.write_text('{"body": "one"}\n')
    assert list(Corpus([rows], format="jsonl", field="body")) == ["one"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"body": "x"}', "line 2: there is no 'text' among 'body'"),
        ('{"text": 3}', "line 2: the text must be a string, not int"),
        ("{", "line 2 is not JSON"),
        ("[1]", "line 2: the text must be a string, not list"),
        ("[" * 200_000, "line 2 is not JSON"),
    ],
)
def test_the_error_for_a_bad_row_names_its_line(tmp_path: Path, row: str, message: str) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(f'"x"\n{row}\n')
    with pytest.raises(InvalidTextError, match=message):
        list(Corpus([rows]))


def test_a_large_file_is_read_in_pieces_that_end_with_a_sentence(tmp_path: Path) -> None:
    sentence = "The basal cell carcinoma of Mr Smith, ärztlich gesehen.\n"
    text = sentence * 20_000
    large = tmp_path / "large.txt"
    large.write_text(text)
    pieces = list(Corpus([large]))
    assert len(pieces) > 3
    assert "".join(pieces) == text
    assert all(piece.endswith(".\n") for piece in pieces)
    assert ngrams(pieces).index.weight("basal cell carcinoma") == 20_000


def test_a_file_without_sentences_is_cut_only_when_it_is_very_long(
    tmp_path: Path,
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("cell\n" * 200_000)
    assert len(list(Corpus([words]))) == 1
    # A comma ends a run, and no word is cut.
    words.write_text("solar," * 3_000_000)
    assert {piece[-1] for piece in Corpus([words])} == {","}
    words.write_text("cells " * 3_500_000)
    pieces = list(Corpus([words]))
    assert len(pieces) == 2
    assert sum(map(len, pieces)) == 21_000_000
    assert pieces[0].endswith(" ")


def test_binary_files_in_a_folder_are_skipped_and_listed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3")
    (tmp_path / "d.zst").write_bytes(b"\x28\xb5\x2f\xfd\x20\x01")
    corpus = Corpus([tmp_path])
    assert list(corpus) == ["one"]
    assert [Path(path).name for path, _ in corpus.skipped] == ["b.png", "c.pdf", "d.zst"]
    assert {reason for _, reason in corpus.skipped} == {
        "binary, not text",
        "a PDF: convert it to text",
        "compressed with zstd: decompress it first",
    }
    with pytest.raises(InvalidTextError, match=r"b\.png is binary"):
        list(Corpus([tmp_path / "b.png"]))


def test_noise_is_binary_but_text_in_another_encoding_is_an_error(tmp_path: Path) -> None:
    noise = bytes(byte for byte in random.Random(3).randbytes(20_000) if byte)
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.dat").write_bytes(noise)
    (tmp_path / "c.gz").write_bytes(gzip.compress(noise))
    # A character that is cut after 8 KB is text, and so are control characters in UTF-8.
    (tmp_path / "d.txt").write_text("x" * 8191 + "é")
    (tmp_path / "e.txt").write_text("\x1b[1mé\x01\x02\x03")
    corpus = Corpus([tmp_path])
    assert list(corpus) == ["one", "x" * 8191 + "é", "\x1b[1mé\x01\x02\x03"]
    assert [(Path(path).name, reason) for path, reason in corpus.skipped] == [
        ("b.dat", "binary, not text"),
        ("c.gz", "binary, not text"),
    ]
    with pytest.raises(InvalidTextError, match=r"b\.dat, line 1: byte 0x.. is not UTF-8"):
        list(Corpus([tmp_path / "b.dat"]))
    # A text in another encoding is skipped in a folder, and can be read by its encoding.
    latin = tmp_path / "f.txt"
    latin.write_bytes("\x1b[1mune cellule photovoltaïque\x0c".encode("latin-1"))
    assert len(list(corpus := Corpus([tmp_path]))) == 3
    reason = "not read from here on: line 1: byte 0xef is not UTF-8: convert the file"
    assert (str(latin), reason) in corpus.skipped
    with pytest.raises(InvalidTextError, match=r"f\.txt, line 1: byte 0xef is not UTF-8"):
        list(Corpus([latin]))
    assert "photovoltaïque" in "".join(Corpus([latin], encoding="latin-1"))


def test_the_output_of_extract_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(REPORT)
    terms = tmp_path / "terms.jsonl"
    write_terms(extract(tmp_path).table, terms)
    corpus = Corpus([tmp_path])
    assert list(corpus) == [REPORT]
    assert [Path(path).name for path, _ in corpus.skipped] == ["terms.jsonl"]
    assert corpus.skipped[0].reason.startswith("a table of terms, not running text")
    with pytest.raises(InvalidTextError, match=r"terms\.jsonl is a table of terms"):
        list(Corpus(terms))
    assert "carcinoma" in list(Corpus(terms, field="term"))
    # A row with a text is text all the same.
    row = {"text": "one", "term": "x", "frequency": 1, "score": 2}
    terms.write_text(json.dumps(row) + "\n")
    assert list(Corpus([terms])) == ["one"]


def test_a_table_is_not_running_text_unless_its_format_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Basal cell.")
    (tmp_path / "b.tsv").write_text("term\tfrequency\nbasal cell\t3\n")
    corpus = Corpus([tmp_path])
    assert list(corpus) == ["Basal cell."]
    assert [Path(path).name for path, _ in corpus.skipped] == ["b.tsv"]
    with pytest.raises(
        InvalidTextError, match=r'b\.tsv is a table.* give candidates="vocabulary" to'
    ):
        list(Corpus(tmp_path / "b.tsv"))
    assert "basal cell\t3" in "".join(Corpus(tmp_path / "b.tsv", format="text"))


def test_a_file_that_has_gone_is_skipped_in_a_folder_and_an_error_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("two")
    folder, named = Corpus([tmp_path]), Corpus([tmp_path / "b.txt"])
    (tmp_path / "b.txt").unlink()
    assert list(folder) == ["one"]
    assert [(Path(path).name, reason) for path, reason in folder.skipped] == [
        ("b.txt", "No such file or directory")
    ]
    with pytest.raises(FileAccessError, match="No such file"):
        list(named)
    with pytest.raises(MissingFileError, match="there is no file or folder"):
        Corpus([tmp_path / "b.txt"])


def test_a_file_that_is_cut_short_is_an_error(tmp_path: Path) -> None:
    whole = gzip.compress(os.urandom(100_000).hex().encode())
    (tmp_path / "a.txt.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileAccessError, match=r"cannot read .*a\.txt\.gz to its end"):
        list(Corpus([tmp_path]))


@pytest.mark.parametrize("padding", [0, 300_000])
def test_bytes_that_are_not_utf_8_are_an_error_with_their_line_or_replaced(
    tmp_path: Path, padding: int
) -> None:
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"x. " * (padding // 3) + b"one\ntwo caf\xe9 three.")
    with pytest.raises(InvalidTextError, match=r"broken\.txt, line 2: byte 0xe9 is not UTF-8"):
        list(Corpus([broken]))
    assert "".join(Corpus([tmp_path], errors="replace")).endswith("two caf� three.")
    broken.write_bytes("one".encode("utf-16"))
    with pytest.raises(InvalidTextError, match="is UTF-16, not UTF-8"):
        list(Corpus([broken]))
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(b'"x"\n"caf\xe9"\n')
    with pytest.raises(InvalidTextError, match="line 2: byte 0xe9"):
        list(Corpus([rows]))


def test_a_corpus_refuses_bad_options(tmp_path: Path) -> None:
    with pytest.raises(InvalidOptionError, match="format"):
        Corpus([tmp_path], format="xml")  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="errors"):
        Corpus([tmp_path], errors="ignore")  # type: ignore[arg-type]
