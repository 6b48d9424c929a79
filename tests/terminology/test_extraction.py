"""From text to a ranked terminology: candidates by brute force, files of all kinds, the command."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import click
import pyarrow.parquet
import pytest
import regex
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from termnest import (
    FileAccessError,
    InvalidOptionError,
    InvalidTermError,
    InvalidTextError,
    MissingExtraError,
    MissingFileError,
    Table,
    TermIndex,
    TermTypeError,
    _core,
)
from termnest.cli import app as cli_app
from termnest.cli import cli, main
from termnest.terminology import (
    ENGLISH,
    Corpus,
    candidates,
    extract,
    load_pipeline,
    ngrams,
    noun_phrases,
    rank,
    write_terms,
)
from termnest.terminology.extraction import Keep, Score

# --- the definition, by brute force ---

WORD = regex.compile(
    r"[\p{Alphabetic}\p{N}][\p{Alphabetic}\p{N}\p{M}]*"
    r"(?:(?:[-'’.&_\u2010\u2011\u00AD·\u200C\u200D](?=[\p{Alphabetic}\p{N}])|(?<=[0-9]),(?=[0-9]))"
    r"[\p{Alphabetic}\p{N}][\p{Alphabetic}\p{N}\p{M}]*)*"
)
NO_BREAK = regex.compile(r"[\p{White_Space}--[\v\f\u2029]]*", regex.VERSION1)

Run = tuple[str, ...]


def runs_of(text: str, lowercase: bool) -> list[Run]:
    """The stretches of words that nothing ends."""
    runs: list[list[str]] = [[]]
    behind = 0
    for word in WORD.finditer(text):
        gap = text[behind : word.start()]
        if not NO_BREAK.fullmatch(gap) or gap.count("\n") > 1:
            runs.append([])
        if len(word.group().encode()) > 255:
            runs.append([])
        else:
            runs[-1].append(word.group().lower() if lowercase else word.group())
        behind = word.end()
    return [tuple(run) for run in runs]


def occurrences(run: Run, max_words: int, stops: set[str]) -> list[tuple[int, int]]:
    return [
        (start, end)
        for start in range(len(run))
        for end in range(start + 1, min(start + max_words, len(run)) + 1)
        if run[start].lower() not in stops and run[end - 1].lower() not in stops
        if any(char.isalpha() for word in run[start:end] for char in word)
    ]


def expected(
    texts: list[str], max_words: int, stops: set[str], lowercase: bool, least: int
) -> dict[str, tuple[int, bool]]:
    """Each candidate, its count, and whether it occurs outside of all longer ones."""
    runs = [run for text in texts for run in runs_of(text, lowercase)]
    found = [(run, span) for run in runs for span in occurrences(run, max_words, stops)]
    counts = Counter(" ".join(run[start:end]) for run, (start, end) in found)
    counts = Counter({term: count for term, count in counts.items() if count >= least})
    outside = set()
    for run in runs:
        spans = [
            (start, end)
            for start, end in occurrences(run, max_words, stops)
            if " ".join(run[start:end]) in counts
        ]
        for a, b in spans:
            if not any(c <= a and b <= d and (c, d) != (a, b) for c, d in spans):
                outside.add(" ".join(run[a:b]))
    return {term: (count, term in outside) for term, count in counts.items()}


PIECES = ["a", "b", "A", "cell", "of", "Of", "the", "7", "x-ray", "B's", "3,5", "é", "straße"]
GAPS = [" ", " ", " ", "\n", "  ", "\n\n", ", ", ". ", "-", "/", "\t", "\x0c", " ' ", "\u2029"]
STOPS = {"of", "the"}


def index_of(native: _core.Table) -> TermIndex:
    counted = Table(native)
    return TermIndex(counted.column("term"), weights=counted.column("frequency"))


@given(
    texts=st.lists(
        st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), max_size=12).map(
            lambda parts: "".join(word + gap for word, gap in parts)
        ),
        max_size=4,
    ),
    max_words=st.integers(1, 4),
    lowercase=st.booleans(),
    least=st.integers(0, 3),
    max_nodes=st.sampled_from([None, 1, 5]),
)
def test_candidates_are_those_of_the_definition(
    texts: list[str], max_words: int, lowercase: bool, least: int, max_nodes: int | None
) -> None:
    # A few nodes at a time: the rest goes through temporary files.
    counter = _core.CandidateCounter(max_words, sorted(STOPS), lowercase, True, max_nodes)
    for text in texts:
        counter.add(text)
    native, maximal, words = counter.finish(least, None, None)
    index = index_of(native)
    assert maximal is not None
    found = {
        term: (int(index.weight(term)), bool(mark))
        for term, mark in zip(index, maximal, strict=True)
    }
    assert found == expected(texts, max_words, STOPS, lowercase, least)
    assert list(index) == sorted(index, key=str.encode)
    assert words == sum(len(run) for text in texts for run in runs_of(text, lowercase))


def test_counts_are_the_same_when_most_of_them_pass_through_many_temporary_files() -> None:
    rng = random.Random(5)
    words = [f"w{i}" for i in range(30)]
    text = " ".join(rng.choice(words) + rng.choice(["", "", "", "."]) for _ in range(5000))
    whole = ngrams([text], min_frequency=1, stop_words=[])
    counter = _core.CandidateCounter(5, [], True, False, 40)
    counter.add(text)
    native, _, _ = counter.finish(1, None, None)
    spilled = index_of(native)
    assert list(spilled) == list(whole.index)
    assert all(spilled.weight(term) == whole.index.weight(term) for term in spilled)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("state-of-the-art systems", ["state-of-the-art", "systems"]),
        ("AT&T's R&D", ["at&t's", "r&d"]),
        ("U.S. Army", ["u.s", "army"]),
        ("well- known", ["well", "known"]),
        ("1,000.5 items,3", ["1,000.5", "items", "3"]),
        ("don’t_stop", ["don’t_stop"]),
        ("e\u0301te\u0301 \u0301x", ["e\u0301te\u0301", "x"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("(cell)", ["cell"]),
        ("--", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    counter = _core.CandidateCounter(1, [], True, False, None)
    counter.add(text + " letters")
    native, _, count = counter.finish(1, None, None)
    with_letters = {word for word in words if any(map(str.isalpha, word))}
    assert set(index_of(native)) == with_letters | {"letters"}
    assert count == len(words) + 1


def test_a_word_of_255_bytes_is_one_and_a_longer_one_ends_the_run() -> None:
    longest = "x" * _core.MAX_WORD_BYTES
    assert f"a {longest} b" in ngrams([f"a {longest} b"], min_frequency=1, stop_words=[]).index
    found = ngrams([f"a {longest}x b"], min_frequency=1, stop_words=[])
    assert list(found.index) == ["a", "b"]
    assert found.words == 2


@pytest.mark.parametrize("max_words", [1, 20])
def test_runs_have_up_to_20_words(max_words: int) -> None:
    text = " ".join(f"w{i}" for i in range(25))
    found = ngrams([text], max_words=max_words, min_frequency=1)
    assert max(term.count(" ") + 1 for term in found.index) == max_words


@pytest.mark.parametrize("max_words", [0, 21, -1])
def test_other_numbers_of_words_are_refused(max_words: int) -> None:
    with pytest.raises(InvalidOptionError, match="max_words"):
        ngrams(["a"], max_words=max_words)


def test_no_default_stop_word_is_capital_and_all_of_them_are_words() -> None:
    assert all(word == word.lower() and WORD.fullmatch(word) for word in ENGLISH)
    assert {"the", "of", "don't", "don’t"} <= ENGLISH


def test_stop_words_are_cut_as_texts_are() -> None:
    text = "Cells, e.g. solar cells in 2020 and/or 'cause -- see fig. 7"
    stops = ["e.g.", "and/or", "'Cause", "2020", "(fig.)", "--", "", "IN"]
    found = ngrams([text], min_frequency=1, stop_words=stops).index
    for stop in ("e.g", "and", "or", "cause", "2020", "fig", "in"):
        assert not any(stop in (term.split()[0], term.split()[-1]) for term in found)
    assert set(found) == {"cells", "solar", "solar cells", "see"}


def test_one_text_instead_of_several_is_refused() -> None:
    with pytest.raises(TermTypeError, match="one str"):
        ngrams("solar cell")
    with pytest.raises(TermTypeError, match="text 1 is no str, but int"):
        ngrams(["solar cell", 3])  # type: ignore[list-item]
    with pytest.raises(TermTypeError, match="stop_words is one str"):
        ngrams(["solar cell"], stop_words="of the")
    with pytest.raises(TermTypeError, match="stop_words must all be str"):
        ngrams(["solar cell"], stop_words=[3])  # type: ignore[list-item]


# --- ranking ---


def test_keep_maximal_drops_what_only_occurs_inside_of_longer_terms() -> None:
    # "b c" occurs in "a b c" and in "b c d", and once for itself; by sums of frequencies, all of
    # its occurrences would be inside.
    texts = ["a b c. b c d. b c. a b c. b c d."]
    found = ngrams(texts, max_words=3, min_frequency=2, stop_words=[], maximal=True)
    kept = {row["term"] for row in rank(found, keep="maximal").to_pylist()}
    assert kept == {"a b c", "b c d", "b c"}
    without = ngrams(["a b c. b c d. a b c. b c d."], max_words=3, stop_words=[], maximal=True)
    assert {row["term"] for row in rank(without, keep="maximal").to_pylist()} == {"a b c", "b c d"}


def test_ranks_are_by_score_then_frequency_then_id() -> None:
    counts = {"z": 3, "c d": 5, "b": 3, "a b": 5, "a": 9}
    index = TermIndex(counts, weights=list(counts.values()))
    rows = rank(index, score="c-value").to_pylist()
    assert [row["term"] for row in rows] == ["c d", "a b", "a", "z", "b"]
    best = rank(index, score="frequency", top=2).to_pylist()
    assert [row["term"] for row in best] == ["a", "c d"]
    assert len(rank(index, top=0)) == 0
    assert len(rank(index, top=99)) == 5


@pytest.mark.parametrize(
    ("score", "column"),
    [
        ("c-value", "c_value"),
        ("c-value-plus-one", "c_value_plus_one"),
        ("c-value-jate", "c_value_jate"),
        ("basic", "basic"),
        ("combo-basic", "combo_basic"),
        ("independent", "independent"),
        ("frequency", "frequency"),
    ],
)
def test_the_score_of_a_rank_is_that_of_the_index(score: Any, column: str) -> None:
    rng = random.Random(1)
    terms = {
        " ".join(rng.choices("abc", k=rng.randint(1, 4))): rng.randint(1, 50) for _ in range(60)
    }
    index = TermIndex(terms, weights=list(terms.values()))
    figures = {row["term"]: row for row in index.scores(terms=True).to_pylist()}
    rows = rank(index, score=score).to_pylist()
    assert len(rows) == len(terms)
    for row in rows:
        of_term = figures[row["term"]]
        assert row["score"] == of_term[column]
        assert row["frequency"] == terms[row["term"]]
        assert row["super_count"] == of_term["super_count"]
        assert row["nested_count"] == of_term["nested_count"]
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)


def test_bad_options_of_a_rank_are_told() -> None:
    found = ngrams(["a b"], stop_words=[], min_frequency=1)
    with pytest.raises(InvalidOptionError, match="combo-basic"):
        rank(found, score="tfidf")  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="maximal=True"):
        rank(found, keep="maximal")
    with pytest.raises(InvalidOptionError, match="top"):
        rank(found, top=-1)
    with pytest.raises(TermTypeError, match="candidates is list: give an index"):
        rank([("a b", 1)])  # type: ignore[arg-type]


# --- noun phrases ---


def parsed(nlp: Language, words: str, heads: list[int], deps: str, pos: str) -> Doc:
    return Doc(nlp.vocab, words.split(), heads=heads, deps=deps.split(), pos=pos.split())


class Annotated:
    """A pipeline that knows the annotation of each text by heart, in the place of a model."""

    def __init__(self, docs: list[Doc]) -> None:
        self.docs = {doc.text.strip(): doc for doc in docs}
        self.max_length = 1_000_000

    def pipe(self, texts: Any, n_process: int = 1) -> Any:
        return (self.docs[text.strip()] for text in texts)


def annotated() -> Annotated:
    nlp = spacy.blank("en")
    first = parsed(
        nlp,
        "The basal cell carcinoma grows in a cell carcinoma .",
        [3, 2, 3, 4, 4, 4, 8, 8, 5, 4],
        "det compound compound nsubj ROOT prep det compound pobj punct",
        "DET NOUN NOUN NOUN VERB ADP DET NOUN NOUN PUNCT",
    )
    second = parsed(
        nlp,
        "It resembles Basal cell carcinoma",
        [1, 1, 4, 4, 1],
        "nsubj ROOT compound compound dobj",
        "PRON VERB NOUN NOUN NOUN",
    )
    return Annotated([first, second])


def test_noun_phrases_are_counted_inside_of_longer_ones_too() -> None:
    nlp: Any = annotated()
    found = noun_phrases(list(nlp.docs), nlp, min_frequency=1)
    assert {term: found.index.weight(term) for term in found.index} == {
        "basal cell carcinoma": 2,
        "cell carcinoma": 3,
    }
    # It occurs once for itself, and so stays.
    assert len(rank(found, keep="maximal")) == 2
    figures = found.index.scores(terms=True).to_pylist()
    assert {row["term"]: row["independent"] for row in figures} == {
        "basal cell carcinoma": 2,
        "cell carcinoma": 1,
    }


def test_noun_phrases_have_options() -> None:
    nlp: Any = annotated()
    texts = list(nlp.docs)
    kept = noun_phrases(texts, nlp, min_frequency=1, lowercase=False).index
    assert set(kept) == {"basal cell carcinoma", "Basal cell carcinoma", "cell carcinoma"}
    assert list(noun_phrases(texts, nlp, min_frequency=3).index) == ["cell carcinoma"]
    short = noun_phrases(texts, nlp, min_frequency=1, max_words=2).index
    # It still occurs in the longer one.
    assert {term: short.weight(term) for term in short} == {"cell carcinoma": 3}
    all_words = noun_phrases(texts, nlp, min_frequency=1, stop_words=[]).index
    assert "it" in all_words
    assert "the basal cell carcinoma" in all_words


def test_a_text_without_noun_phrases_has_none_that_are_maximal(
    parser: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nlp: Any = annotated()
    assert len(rank(noun_phrases([], nlp), keep="maximal")) == 0
    (tmp_path / "text.txt").write_text("It")
    arguments = ["extract", str(tmp_path), "--candidates", "noun-phrases", "--keep", "maximal"]
    assert main([*arguments, "--spacy-model", str(parser)]) == 1
    assert capsys.readouterr().err == "no term found among 0 candidates\n"


def test_a_phrase_occurs_as_often_as_it_stands_in_others() -> None:
    counter = _core.CandidateCounter(1, [], True, False, None)
    for phrase in ["cell cell cell", "cell", "a cell b", "cell cell"]:
        counter.add_phrase(phrase)
    native, maximal, _ = counter.finish(1, None, None)
    index = index_of(native)
    assert {term: index.weight(term) for term in index} == {
        "a cell b": 1,
        "cell": 7,
        "cell cell": 3,
        "cell cell cell": 1,
    }
    assert maximal == b"\1" * 4


@pytest.fixture(scope="session")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline of spaCy's own that has learnt two sentences by heart."""
    nlp = spacy.blank("en")
    nlp.add_pipe("morphologizer")
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    examples = []
    for doc in annotated().docs.values():
        examples.append(Example(nlp.make_doc(doc.text), doc))
    nlp.initialize(lambda: examples)
    for _ in range(60):
        nlp.update(examples)
    folder = tmp_path_factory.mktemp("pipeline")
    nlp.to_disk(folder)
    return folder


@pytest.mark.parametrize("processes", ["1", "2"])
def test_noun_phrases_by_a_pipeline_of_spacy(
    parser: Path, tmp_path: Path, processes: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    rows = tmp_path / "rows.jsonl"
    texts = [doc.text for doc in annotated().docs.values()]
    rows.write_text("".join(json.dumps({"body": text}) + "\n" for text in texts))
    arguments = ["extract", str(rows), "--field", "body", "--candidates", "noun-phrases"]
    arguments += ["--spacy-model", str(parser), "--processes", processes]
    assert main([*arguments, "--score", "frequency"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.decode().splitlines()[1:] == [
        "cell carcinoma\t3\t3\t1\t0",
        "basal cell carcinoma\t2\t2\t0\t1",
    ]
    assert b"1 file, 15 words" in err


def test_punctuation_around_a_noun_phrase_and_overlong_ones_are_left_out() -> None:
    vocab = spacy.blank("en").vocab
    words = ["(", "-", "basal", "cell", ")", "."]
    doc = Doc(vocab, words, spaces=[False, False, True, False, False, False])
    assert candidates._phrase(doc[0:6], frozenset()) == "basal cell"
    assert candidates._phrase(doc[0:2], frozenset()) == ""
    assert candidates._phrase(Doc(vocab, ["x" * 1_000])[0:1], frozenset()) == "x" * 1_000
    assert candidates._phrase(Doc(vocab, ["x" * 1_001])[0:1], frozenset()) == ""


def test_a_damaged_pipeline_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.cfg").write_text("[nlp]\nlang = en\npipeline = [")
    (tmp_path / "meta.json").write_text("{}")
    with pytest.raises(InvalidOptionError, match="cannot load the spaCy pipeline"):
        load_pipeline(str(tmp_path))


def test_a_pipeline_without_a_parser_is_told() -> None:
    with pytest.raises(InvalidOptionError, match="needs a parser"):
        noun_phrases(["A cell."], spacy.blank("en"))


def test_a_pipeline_that_is_not_installed_is_told_with_the_command() -> None:
    with pytest.raises(MissingExtraError, match="python -m spacy download en_no_such_model"):
        load_pipeline("en_no_such_model")


@pytest.mark.parametrize("name", ["./nope", "no/such", "", "en-core", "folder"])
def test_a_path_without_a_pipeline_is_told(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(MissingExtraError) as caught:
        load_pipeline(name)
    assert str(caught.value) == (
        f"there is no spaCy pipeline at {name!r}: give the path of a folder that nlp.to_disk "
        "wrote, or the name of a pipeline that is installed"
    )


def test_a_missing_spacy_is_told_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'termnest\[spacy\]'"):
        load_pipeline("en_core_web_sm")


def test_a_text_longer_than_a_pipeline_takes_is_cut_at_white_space() -> None:
    seen = []

    class Short:
        max_length = 10

        def pipe(self, texts: Any, n_process: int = 1) -> Any:
            seen.extend(texts)
            return iter(())

    nlp: Any = Short()
    noun_phrases(["one two three four", "xxxxxxxxxxxxxxx"], nlp)
    assert seen == ["one two ", "three four", "xxxxxxxxxx", "xxxxx"]


def test_the_command_asks_for_a_pipeline_and_for_one_that_parses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("solar cell. solar cell.")
    pipeline = spacy.blank("en")
    pipeline.to_disk(tmp_path / "pipeline")
    arguments = ["extract", str(text), "--candidates", "noun-phrases"]
    assert main([*arguments, "--spacy-model", str(tmp_path / "pipeline")]) == 2
    assert "needs a parser" in capsys.readouterr().err
    assert main(arguments) == 2
    assert "name one (--spacy-model en_core_web_sm, for instance)" in capsys.readouterr().err


# --- files ---


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


def test_json_lines_have_byte_order_marks_nulls_and_names_in_capitals(tmp_path: Path) -> None:
    rows = tmp_path / "ROWS.JSONL"
    rows.write_bytes(b'\xef\xbb\xbf{"text": "one"}\n{"text": null}\n"caf\xe9"\n')
    assert list(Corpus([rows], errors="replace")) == ["one", "caf\ufffd"]


def test_half_a_character_of_json_is_told_or_replaced(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('"x"\n"a \\ud800 cell"\n')
    with pytest.raises(InvalidTextError, match="line 2: the text holds half a character"):
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


def test_a_folder_that_cannot_be_listed_is_told(
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


def test_a_path_that_cannot_be_looked_at_is_named() -> None:
    with pytest.raises(FileAccessError, match=r"cannot read x+: File name too long"):
        Corpus(["x" * 5000])


def test_an_unsound_gzip_file_is_skipped_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.gz").write_bytes(b"\x1f\x8bnonsense")
    corpus = Corpus([tmp_path])
    assert list(corpus) == ["one"]
    assert [reason for _, reason in corpus.skipped] == ["no sound gzip file"]
    with pytest.raises(InvalidTextError, match=r"b\.gz is no sound gzip file"):
        list(Corpus([tmp_path / "b.gz"]))


def test_a_field_of_json_lines_can_be_named(tmp_path: Path) -> None:
    rows = tmp_path / "rows.data"
    rows.write_text('{"body": "one"}\n')
    assert list(Corpus([rows], format="jsonl", field="body")) == ["one"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"body": "x"}', "line 2: there is no 'text' among 'body'"),
        ('{"text": 3}', "line 2: the text is no string"),
        ("{", "line 2: no JSON"),
        ("[1]", "line 2: the text is no string"),
        ("[" * 200_000, "line 2: no JSON"),
    ],
)
def test_a_bad_row_is_told_with_its_line(tmp_path: Path, row: str, message: str) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(f'"x"\n{row}\n')
    with pytest.raises(InvalidTextError, match=message):
        list(Corpus([rows]))


def test_a_large_file_is_cut_at_the_ends_of_sentences_and_nothing_is_lost(tmp_path: Path) -> None:
    sentence = "The basal cell carcinoma of Mr Smith, ärztlich gesehen.\n"
    text = sentence * 20_000
    large = tmp_path / "large.txt"
    large.write_text(text)
    pieces = list(Corpus([large]))
    assert len(pieces) > 3
    assert "".join(pieces) == text
    assert all(piece.endswith(".\n") for piece in pieces)
    assert ngrams(pieces).index.weight("basal cell carcinoma") == 20_000


def test_a_file_without_the_end_of_a_sentence_is_cut_only_when_it_is_very_long(
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


def test_binary_files_of_a_folder_are_skipped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3")
    (tmp_path / "d.zst").write_bytes(b"\x28\xb5\x2f\xfd\x20\x01")
    corpus = Corpus([tmp_path])
    assert list(corpus) == ["one"]
    assert [Path(path).name for path, _ in corpus.skipped] == ["b.png", "c.pdf", "d.zst"]
    assert {reason for _, reason in corpus.skipped} == {
        "binary, not text",
        "compressed by zstd: decompress it first",
    }
    with pytest.raises(InvalidTextError, match=r"b\.png is binary"):
        list(Corpus([tmp_path / "b.png"]))


def test_bytes_that_are_no_text_in_any_encoding_are_binary_in_a_folder(tmp_path: Path) -> None:
    noise = bytes(byte for byte in random.Random(3).randbytes(20_000) if byte)
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.dat").write_bytes(noise)
    (tmp_path / "c.gz").write_bytes(gzip.compress(noise))
    # Neither is a character that is cut after 8 KB, nor colour, nor what UTF-8 has of its own.
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
    # A text in another encoding is to be converted.
    (tmp_path / "f.txt").write_bytes("\x1b[1mune cellule photovoltaïque\x0c".encode("latin-1"))
    with pytest.raises(InvalidTextError, match=r"f\.txt, line 1: byte 0xef is not UTF-8"):
        list(Corpus([tmp_path]))


def test_terms_that_were_extracted_before_are_no_text(tmp_path: Path) -> None:
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
    # What has a text is one.
    row = {"text": "one", "term": "x", "frequency": 1, "score": 2}
    terms.write_text(json.dumps(row) + "\n")
    assert list(Corpus([terms])) == ["one"]


def test_tables_are_no_running_text_unless_told_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Basal cell.")
    (tmp_path / "b.tsv").write_text("term\tfrequency\nbasal cell\t3\n")
    corpus = Corpus([tmp_path])
    assert list(corpus) == ["Basal cell."]
    assert [Path(path).name for path, _ in corpus.skipped] == ["b.tsv"]
    with pytest.raises(InvalidTextError, match=r"b\.tsv is a table.*--candidates vocabulary"):
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


def test_a_file_that_breaks_off_is_an_error(tmp_path: Path) -> None:
    whole = gzip.compress(os.urandom(100_000).hex().encode())
    (tmp_path / "a.txt.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileAccessError, match=r"cannot read .*a\.txt\.gz to its end"):
        list(Corpus([tmp_path]))


@pytest.mark.parametrize("padding", [0, 300_000])
def test_broken_encodings_are_told_with_their_place_or_replaced(
    tmp_path: Path, padding: int
) -> None:
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"x. " * (padding // 3) + b"one\ntwo caf\xe9 three.")
    with pytest.raises(InvalidTextError, match=r"broken\.txt, line 2: byte 0xe9 is not UTF-8"):
        list(Corpus([tmp_path]))
    assert "".join(Corpus([tmp_path], errors="replace")).endswith("two caf� three.")
    broken.write_bytes("one".encode("utf-16"))
    with pytest.raises(InvalidTextError, match="is UTF-16, not UTF-8"):
        list(Corpus([broken]))
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes(b'"x"\n"caf\xe9"\n')
    with pytest.raises(InvalidTextError, match="line 2: byte 0xe9"):
        list(Corpus([rows]))


def test_bad_options_of_a_corpus_are_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidOptionError, match="format"):
        Corpus([tmp_path], format="xml")  # type: ignore[arg-type]
    with pytest.raises(InvalidOptionError, match="errors"):
        Corpus([tmp_path], errors="ignore")  # type: ignore[arg-type]


# --- the command ---

REPORT = (
    "A basal cell carcinoma is a carcinoma of the skin. The basal cell carcinoma, unlike other "
    "carcinomas, grows slowly. Basal cell carcinoma cells form nests, and the squamous cell "
    'carcinoma, another carcinoma, forms none: the "squamous cell carcinoma" grows fast.\n'
)


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "one.txt").write_text(REPORT)
    return folder


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet"])
def test_the_result_opens_with_the_library_and_the_other_commands(
    reports: Path, tmp_path: Path, suffix: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    output = tmp_path / f"terms.{suffix}"
    assert main(["extract", str(reports), "-o", str(output)]) == 0
    out, err = capfdbinary.readouterr()
    assert out == b""
    assert b"candidates; 1 file, 40 words" in err
    index = TermIndex.from_file(output)
    assert list(index)[:2] == ["basal cell carcinoma", "squamous cell carcinoma"]
    assert index.weight("basal cell carcinoma") == 3
    assert index.weight("cell carcinoma") == 5
    assert TermIndex.load(output).super_terms("cell") == index.super_terms("cell")
    for command in (["super", str(output), "cell carcinoma"], ["info", str(output)]):
        assert main(command) == 0
    assert b"basal cell carcinoma\nsquamous cell carcinoma\n" in capfdbinary.readouterr().out


def test_the_columns_are_those_that_are_promised(
    reports: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["extract", str(reports), "--top", "2"]) == 0
    printed = capfdbinary.readouterr().out.decode().splitlines()
    assert printed[0].split("\t") == ["term", "frequency", "score", "super_count", "nested_count"]
    assert printed[1].split("\t")[0:2] == ["basal cell carcinoma", "3"]
    assert float(printed[1].split("\t")[2]) == pytest.approx(3 * 1.58496, abs=1e-4)
    assert printed[1].split("\t")[3:] == ["0", "5"]
    assert len(printed) == 3
    assert main(["extract", str(reports), "-o", str(tmp_path / "t.parquet")]) == 0
    table = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert table.column_names == printed[0].split("\t")
    assert table["score"][0].as_py() == 3 * 1.584962500721156
    assert main(["extract", str(reports), "-o", str(tmp_path / "t.jsonl")]) == 0
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert [row["term"] for row in rows] == table["term"].to_pylist()


def test_quotes_and_commas_survive_csv(tmp_path: Path) -> None:
    terms = ['say "cell"', "a, b", "plain"]
    write_terms(rank(TermIndex(terms, weights=[3, 2, 1])), tmp_path / "terms.csv")
    assert set(TermIndex.from_file(tmp_path / "terms.csv")) == set(terms)


def test_options_of_the_command_do_what_they_say(
    reports: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def terms(*options: str) -> list[str]:
        assert main(["extract", str(reports), *options]) == 0
        return [
            line.split("\t")[0] for line in capfdbinary.readouterr().out.decode().splitlines()[1:]
        ]

    assert "cell carcinoma" in terms()
    maximal = terms("--keep", "maximal")
    assert "cell carcinoma" not in maximal
    assert "carcinoma" in maximal
    assert all(" " not in term for term in terms("--max-words", "1"))
    assert terms("--min-frequency", "5", "--score", "frequency") == [
        "carcinoma",
        "cell",
        "cell carcinoma",
    ]
    assert "Basal cell" in terms("--keep-case", "--min-frequency", "1")
    stops = tmp_path / "stops.txt"
    stops.write_text("cell\ncarcinoma\n")
    others = terms("--stop-words", str(stops), "--min-frequency", "1")
    assert "the basal" in others
    assert all(term.split()[0] != "cell" != term.split()[-1] for term in others)
    stops.write_bytes(b"cell caf\xe9 carcinoma")
    assert main(["extract", str(reports), "--stop-words", str(stops)]) == 2
    assert b"line 1 of" in capfdbinary.readouterr().err
    assert "cell" not in terms("--stop-words", str(stops), "--errors", "replace")
    assert main(["extract", str(reports), "-", "--stop-words", "-"]) == 2
    assert b"standard input is the corpus already" in capfdbinary.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"caf\xe9", "have such bytes replaced (--errors replace)"),
        ("a.jsonl", b'"\\ud800"', "have it replaced (--errors replace)"),
        ("a.jsonl", b"{}", "name the field of the text (--field body, for instance)"),
        ("a.tsv", b"a", "takes the terms of a table, and --format text reads it as it is"),
    ],
)
def test_messages_of_the_command_name_its_options(
    tmp_path: Path, name: str, content: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    assert main(["extract", str(tmp_path / name)]) == 2
    assert capsys.readouterr().err.endswith(message + "\n")
    (tmp_path / "b.txt").write_text("A cell. A cell.")
    main(["extract", str(tmp_path)])
    assert message in capsys.readouterr().err


def test_a_vocabulary_with_counts_is_ranked_as_it_is(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    counts = tmp_path / "counts.tsv"
    counts.write_text(
        "term\tfrequency\nbasal cell carcinoma\t984\ncystic basal cell carcinoma\t11\n"
    )
    arguments = ["extract", str(counts), "--candidates", "vocabulary"]
    assert main(arguments) == 0
    out, err = capfdbinary.readouterr()
    assert b"cystic basal cell carcinoma\t11\t22\t0\t1\n" in out
    assert b"2 terms of 2 candidates; 1 file;" in err
    assert main([*arguments, "--min-frequency", "12", "--score", "frequency"]) == 0
    assert capfdbinary.readouterr().out.endswith(b"\nbasal cell carcinoma\t984\t984\t0\t0\n")
    assert main([*arguments, "--max-words", "3"]) == 0
    assert b"cystic" not in capfdbinary.readouterr().out
    assert main(["build", str(counts), "-o", str(tmp_path / "counts.nest")]) == 0
    capfdbinary.readouterr()
    assert main(["extract", str(tmp_path / "counts.nest"), "--candidates", "vocabulary"]) == 0
    assert capfdbinary.readouterr().out == out
    assert main([*arguments, str(counts)]) == 2
    assert b"give one vocabulary, not 2" in capfdbinary.readouterr().err
    assert main([*arguments, "--stop-words", "x", "--field", "y"]) == 2
    assert b"--field, --stop-words does not go with" in capfdbinary.readouterr().err


def test_the_columns_of_a_vocabulary_are_told_and_missing_weights_are_noted(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    counts = tmp_path / "counts.tsv"
    counts.write_text("984\tbasal_cell\n20\tcell\n")
    arguments = ["extract", str(counts), "--candidates", "vocabulary", "--separator", "_"]
    assert main([*arguments, "--column", "1", "--weight-column", "0"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.splitlines()[1] == b"basal_cell\t984\t984\t0\t1"
    assert b"there are no weights" not in err
    assert main([*arguments, "--column", "1"]) == 0
    out, err = capfdbinary.readouterr()
    assert out.splitlines()[1] == b"basal_cell\t1\t1\t0\t1"
    assert b"there are no weights: every frequency is 1 (--weight-column" in err


def test_the_output_never_is_the_corpus(
    reports: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    corpus = tmp_path / "corpus.tsv"
    corpus.write_text(REPORT)
    assert main(["extract", str(corpus), "-o", str(corpus)]) == 2
    assert b"is the corpus itself" in capfdbinary.readouterr().err
    assert corpus.read_text() == REPORT
    output = reports / "terms.tsv"
    assert main(["extract", str(reports), "-o", str(output)]) == 0
    first = output.read_bytes()
    assert main(["extract", str(reports), "-o", str(output)]) == 0
    assert output.read_bytes() == first
    capfdbinary.readouterr()
    assert main(["extract", str(reports), "-o", "-"]) == 2
    assert b"leave -o out" in capfdbinary.readouterr().err


ROWS = json.dumps({"text": REPORT}) + "\n"


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("corpus.jsonl", ROWS, []),
        ("corpus.jsonl", gzip.compress(ROWS.encode(), mtime=0), []),
        ("corpus.jsonl", ROWS.replace('"text"', '"body"'), ["--field", "body"]),
        ("corpus.jsonl", ROWS.replace("{", '{"term": 1, "frequency": 2, "score": 3, '), []),
        ("corpus.tsv", REPORT, ["--format", "text"]),
        ("corpus.parquet", REPORT, []),
    ],
)
def test_a_text_of_a_folder_is_never_replaced(
    tmp_path: Path,
    name: str,
    content: str | bytes,
    options: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = tmp_path / name
    content = content if isinstance(content, bytes) else content.encode()
    text.write_bytes(content)
    (tmp_path / "link").symlink_to(tmp_path)
    for output in (text, tmp_path / "link" / name):
        assert main(["extract", str(tmp_path), "-o", str(output), *options]) == 2
        assert f"{output} is part of the corpus: write the" in capsys.readouterr().err
    assert text.read_bytes() == content


@pytest.mark.parametrize("options", [[], ["--format", "text"]])
@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet"])
def test_what_an_earlier_run_wrote_into_the_folder_is_replaced(
    reports: Path, suffix: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    output = reports / f"terms.{suffix}"
    output.touch()  # nothing is lost with an empty file
    assert main(["extract", str(reports), *options, "-o", str(output)]) == 0
    first = output.read_bytes()
    output.write_bytes(first + b"\n")
    assert main(["extract", str(reports), *options, "-o", str(output)]) == 0
    assert output.read_bytes() == first
    assert "skipped" not in capsys.readouterr().err
    if not options:
        assert main(["extract", str(reports)]) == 0
        assert "1 file (1 skipped)" in capsys.readouterr().err


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(" ".join(f"w{i}" for i in range(20_000)))
    command = f"{sys.executable} -m termnest extract {text} --min-frequency 1 | head -1"
    done = subprocess.run(
        ["bash", "-c", command + "; echo ${PIPESTATUS[0]}"], capture_output=True, check=True
    )
    assert done.stdout.splitlines()[1:] == [b"0"]
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("closing", [">&-", "2>&-", "<&-"])
def test_streams_may_be_closed(reports: Path, tmp_path: Path, closing: str) -> None:
    output = tmp_path / "terms.tsv"
    command = f"{sys.executable} -m termnest extract {reports} -o {output} {closing}"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 0
    assert output.exists()


def test_progress_is_told(reports: Path) -> None:
    told: list[tuple[str, float | None]] = []
    extract([reports], progress=lambda stage, share: told.append((stage, share)))
    assert told[0] == ("counting candidates", 1.0)
    for i in range(5):
        (reports / f"{i}.txt").write_text(REPORT)
    told.clear()
    extract([reports], progress=lambda stage, share: told.append((stage, share)))
    shares = [share for stage, share in told if stage == "counting candidates"]
    assert shares == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1])


def test_the_share_is_told_only_where_the_size_is_known(
    reports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shares(*paths: Path | str) -> list[float | None]:
        told: list[tuple[str, float | None]] = []
        extract(paths, progress=lambda stage, share: told.append((stage, share)))
        return [share for stage, share in told if stage == "counting candidates"]

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=[REPORT])
    writer.start()
    assert shares(reports, pipe) == [None, None]
    writer.join()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(REPORT.encode())))
    assert shares("-", reports) == [None, None]
    # In a folder, a pipe is not read.
    os.mkfifo(reports / "pipe")
    assert shares(reports) == [1.0]
    growing = Corpus([reports])
    (reports / "one.txt").write_text(REPORT * 3)
    monkeypatch.setattr("termnest.terminology.extraction.Corpus", lambda *_, **__: growing)
    assert shares(reports) == [1.0]


def test_progress_without_a_share_is_shown_without_a_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    times = iter([0.0, 1.0, 2.0])
    monkeypatch.setattr("time.monotonic", lambda: next(times))
    with cli_app._progress() as show:
        assert show is not None
        show("counting candidates", None)
        assert capsys.readouterr().err.endswith("\x1b[Kcounting candidates   ")
        show("counting candidates", 0.5)
        assert "[###############               ]  50%" in capsys.readouterr().err


def test_errors_and_field_reach_the_corpus(tmp_path: Path) -> None:
    broken = tmp_path / "a.jsonl"
    broken.write_bytes(b'{"body": "solar cell\xe9. solar cell."}\n')
    found = extract([broken], field="body", errors="replace", min_frequency=1)
    assert "solar" in found.table.to_polars()["term"].to_list()


def test_standard_input_is_a_corpus() -> None:
    command = [sys.executable, "-m", "termnest", "extract", "-"]
    done = subprocess.run(command, input=REPORT.encode(), capture_output=True, check=True)
    assert b"basal cell carcinoma\t3" in done.stdout
    rows = json.dumps({"text": REPORT}).encode()
    done = subprocess.run(
        [*command, "--format", "jsonl"], input=rows, capture_output=True, check=True
    )
    assert b"basal cell carcinoma\t3" in done.stdout


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (lambda folder: None, [], "there is no word in the corpus (0 files)"),
        (lambda folder: (folder / "a.txt").write_text(""), [], "no word in the corpus (1 file)"),
        (lambda folder: (folder / "a").write_bytes(b"\0"), [], "1 of them skipped"),
        (lambda folder: (folder / "a").write_bytes(b"\xff"), [], "not UTF-8"),
        (lambda folder: (folder / "a").write_text("a b"), ["--max-words", "21"], "1 to 20"),
        (lambda folder: (folder / "a").write_text("a"), ["--spacy-model", "x"], "--spacy-model"),
        (lambda folder: (folder / "a").write_text("a"), ["--weight-column", "1"], "--candidates"),
        (lambda folder: (folder / "a").write_text("a"), ["--format", "csv"], "--format jsonl"),
        (lambda folder: (folder / "a").write_text("a"), ["--stop-words", "no"], "cannot read no"),
    ],
)
def test_bad_input_is_told_in_a_sentence_and_nothing_is_written(
    tmp_path: Path, make: Any, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    make(folder)
    output = tmp_path / "out" / "terms.tsv"
    output.parent.mkdir()
    assert main(["extract", str(folder), "-o", str(output), *options]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err
    assert list(output.parent.iterdir()) == []


def test_a_corpus_that_does_not_exist_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", "no-such-folder"]) == 2
    assert "there is no file or folder 'no-such-folder'" in capsys.readouterr().err
    assert main(["extract", ""]) == 2
    assert "there is no file or folder ''" in capsys.readouterr().err


def test_nothing_frequent_enough_is_no_error_and_leaves_an_older_file(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "terms.tsv"
    output.write_text("older")
    assert main(["extract", str(reports), "--min-frequency", "99", "-o", str(output)]) == 1
    assert "no term found among 0 candidates" in capsys.readouterr().err
    assert output.read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["reports", "terms.tsv"]


def test_skipped_files_are_named_and_counted(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for i in range(12):
        (reports / f"{i:02}.bin").write_bytes(b"\0")
    assert main(["extract", str(reports)]) == 0
    err = capsys.readouterr().err
    assert err.count("binary, not text") == 10
    assert "skipped 2 files more" in err
    assert "1 file (12 skipped)" in err


def test_names_of_files_do_nothing_to_a_terminal(
    reports: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    # A colour, a byte that is not UTF-8, the end of a line, a letter.
    hostile = os.fsdecode(b"\x1b[31m\xff\n\xc3\xa9")
    (reports / hostile).write_bytes(b"\0")
    assert main(["extract", str(reports)]) == 0
    err = capfdbinary.readouterr().err.decode()
    assert f"skipped {reports}/\\x1b[31m\\xff\\né: binary, not text\n" in err
    (reports / hostile).write_bytes(b"caf\xe9")
    assert main(["extract", str(reports)]) == 2
    err = capfdbinary.readouterr().err.decode()
    assert f"termnest: {reports}/\\x1b[31m\\xff\né, line 1: byte 0xe9 is not UTF-8" in err


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("terms.xlsx", "the name must end with .tsv, .csv, .jsonl, .parquet"),
        ("no-folder/terms.tsv", "there is no folder"),
        ("folder.tsv", "it is a folder"),
    ],
)
def test_an_output_that_cannot_be_written_is_told_before_the_work(
    reports: Path,
    tmp_path: Path,
    output: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "folder.tsv").mkdir()
    monkeypatch.setattr("termnest.terminology.extract", lambda *_, **__: pytest.fail("worked"))
    assert main(["extract", str(reports), "-o", str(tmp_path / output)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "code", "told"),
    [
        (signal.SIGINT, 130, b"interrupted"),
        (signal.SIGTERM, 143, b""),
        (signal.SIGHUP, 129, b""),
    ],
)
def test_a_signal_leaves_nothing_behind(
    tmp_path: Path, number: signal.Signals, code: int, told: bytes
) -> None:
    output = tmp_path / "out" / "terms.tsv"
    output.parent.mkdir()
    command = [sys.executable, "-m", "termnest", "extract", "-", "-o", str(output)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(REPORT.encode() * 1000)
    process.stdin.flush()
    while not list(output.parent.iterdir()):
        assert process.poll() is None
        time.sleep(0.01)  # it has opened its output, and waits for more text
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == code
    assert err.strip() == told
    assert list(output.parent.iterdir()) == []


def test_a_signal_that_is_ignored_ends_nothing(reports: Path) -> None:
    # As nohup has it.
    script = (
        "import os, signal, sys; from termnest import cli; signal.signal(signal.SIGHUP, "
        "signal.SIG_IGN); cli._warn_of_skipped = lambda found: "
        f"os.kill(os.getpid(), signal.SIGHUP); sys.exit(cli.main(['extract', {str(reports)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, b"basal cell carcinoma" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("number", "code", "told"), [(signal.SIGINT, 130, b"interrupted"), (signal.SIGHUP, 129, b"")]
)
def test_processes_of_spacy_end_without_a_word(
    parser: Path, tmp_path: Path, number: signal.Signals, code: int, told: bytes
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text((json.dumps(next(iter(annotated().docs))) + "\n") * 200_000)
    command = [sys.executable, "-m", "termnest", "extract", str(rows), "--processes", "2"]
    command += ["--candidates", "noun-phrases", "--spacy-model", str(parser)]
    # A terminal sends the signal to all processes of its group.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(children.read_text().split()) < 2:
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)  # they are at work
    os.killpg(process.pid, number)
    out, err = process.communicate()
    assert (process.returncode, out, err.strip()) == (code, b"", told)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("room", [0, 50_000])
def test_output_that_is_cut_is_an_error(tmp_path: Path, unbuffered: str, room: int) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n".join(f"w{i}\nw{i} x" for i in range(10_000)))
    printed = tmp_path / "printed"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    for command in (["extract", "--min-frequency", "1"], ["pairs"], ["super"]):
        with printed.open("wb") as file:
            done = subprocess.run(
                [sys.executable, "-m", "termnest", command[0], str(text), *command[1:]],
                input=text.read_bytes(),
                stdout=file,
                stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
                preexec_fn=limit,
                check=False,
            )
        assert done.returncode == 2
        assert b"File too large" in done.stderr
        assert printed.stat().st_size <= room


# --- Parquet as a vocabulary ---


def test_the_columns_of_parquet_are_chosen_by_name_or_number(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    columns = {"n": [1, 2], "label": ["llc", "google llc"], "count": [5, 7]}
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    index = TermIndex.from_file(path, column="label", weight_column=2)
    assert index.super_terms("llc") == ["google llc"]
    assert index.weight("google llc") == 7
    assert TermIndex.from_file(path, column=1).weight("google llc") == 1
    with pytest.raises(InvalidOptionError, match="no column 'term'; it has 'n', 'label', 'count'"):
        TermIndex.from_file(path, column="term")
    with pytest.raises(InvalidOptionError, match="no column 3"):
        TermIndex.from_file(path, column=3)
    with pytest.raises(TermTypeError, match="not of strings"):
        TermIndex.from_file(path)
    pyarrow.parquet.write_table(pyarrow.table({}), path)
    with pytest.raises(InvalidTermError, match="has no column"):
        TermIndex.from_file(path)
    twice = pyarrow.Table.from_arrays([pyarrow.array(["a"])] * 2, names=["term", "term"])
    pyarrow.parquet.write_table(twice, path)
    with pytest.raises(InvalidTermError, match="two columns of one name"):
        TermIndex.from_file(path)


def test_what_is_no_parquet_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.parquet"
    path.write_text("llc\n")
    with pytest.raises(InvalidTermError, match="is no Parquet file"):
        TermIndex.from_file(path)
    with pytest.raises(FileAccessError):
        TermIndex.from_file(tmp_path / "none.parquet")
    assert main(["super", str(path), "llc"]) == 2
    assert "no Parquet" in capsys.readouterr().err


def test_the_three_lines_of_an_engineer(reports: Path) -> None:
    found = extract([reports], score="c-value", top=3)
    frame = found.table.to_polars()
    assert frame["term"].to_list()[0] == "basal cell carcinoma"


def test_the_command_line_knows_the_scores_and_what_to_keep_as_the_library_does() -> None:
    options = {option.name: option.type for option in cli.commands["extract"].params}
    for name, choices in [("score", Score), ("keep", Keep)]:
        option = options[name]
        assert isinstance(option, click.Choice)
        assert tuple(option.choices) == get_args(choices)
