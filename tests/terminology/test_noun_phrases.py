"""Noun phrases as candidates, found by spaCy pipelines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from termnest import (
    InvalidOptionError,
    MissingExtraError,
)
from termnest.cli import main
from termnest.terminology import (
    candidates,
    load_pipeline,
    noun_phrases,
    rank,
)


def parsed(nlp: Language, words: str, heads: list[int], deps: str, pos: str) -> Doc:
    return Doc(nlp.vocab, words.split(), heads=heads, deps=deps.split(), pos=pos.split())


class Annotated:
    """A pipeline that returns the given annotation of each text, instead of a model."""

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


@pytest.fixture(scope="session")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real spaCy pipeline, trained on two sentences."""
    nlp = spacy.blank("en")
    nlp.add_pipe("morphologizer")
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    examples = []
    for doc in annotated().docs.values():
        examples.append(Example(nlp.make_doc(doc.text), doc))
    nlp.initialize(lambda: examples)
    for _ in range(25):
        nlp.update(examples)
    folder = tmp_path_factory.mktemp("pipeline")
    nlp.to_disk(folder)
    return folder


def test_noun_phrases_also_count_inside_of_longer_ones() -> None:
    nlp: Any = annotated()
    found = noun_phrases(list(nlp.docs), nlp, min_frequency=1)
    assert {term: found.index.weight(term) for term in found.index} == {
        "basal cell carcinoma": 2,
        "cell carcinoma": 3,
    }
    # It also occurs on its own, so it is maximal.
    assert len(rank(found, keep="maximal")) == 2
    figures = found.index.scores(terms=True).to_pylist()
    assert {row["term"]: row["independent"] for row in figures} == {
        "basal cell carcinoma": 2,
        "cell carcinoma": 1,
    }


def test_the_options_of_noun_phrases_select_candidates() -> None:
    nlp: Any = annotated()
    texts = list(nlp.docs)
    kept = noun_phrases(texts, nlp, min_frequency=1, fold=False).index
    assert set(kept) == {"basal cell carcinoma", "Basal cell carcinoma", "cell carcinoma"}
    assert list(noun_phrases(texts, nlp, min_frequency=3).index) == ["cell carcinoma"]
    short = noun_phrases(texts, nlp, min_frequency=1, max_words=2).index
    # It still counts inside of the longer one.
    assert {term: short.weight(term) for term in short} == {"cell carcinoma": 3}
    all_words = noun_phrases(texts, nlp, min_frequency=1, stop_words=[]).index
    assert "It" in all_words
    assert "The basal cell carcinoma" in all_words


def test_a_text_without_noun_phrases_has_no_maximal_terms(
    parser: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nlp: Any = annotated()
    assert len(rank(noun_phrases([], nlp), keep="maximal")) == 0
    (tmp_path / "text.txt").write_text("It")
    arguments = ["extract", str(tmp_path), "--candidates", "noun-phrases", "--keep", "maximal"]
    assert main([*arguments, "--spacy-model", str(parser)]) == 1
    assert capsys.readouterr().err == "no term found among 0 candidates\n"


def test_punctuation_around_noun_phrases_and_overlong_ones_are_left_out() -> None:
    vocab = spacy.blank("en").vocab
    words = ["(", "-", "basal", "cell", ")", "."]
    doc = Doc(vocab, words, spaces=[False, False, True, False, False, False])
    assert candidates._phrase(doc[0:6], frozenset()) == "basal cell"
    assert candidates._phrase(doc[0:2], frozenset()) == ""
    assert candidates._phrase(Doc(vocab, ["x" * 1_000])[0:1], frozenset()) == "x" * 1_000
    assert candidates._phrase(Doc(vocab, ["x" * 1_001])[0:1], frozenset()) == ""


def test_a_damaged_pipeline_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.cfg").write_text("[nlp]\nlang = en\npipeline = [")
    (tmp_path / "meta.json").write_text("{}")
    with pytest.raises(InvalidOptionError, match="cannot load the spaCy pipeline"):
        load_pipeline(str(tmp_path))


def test_a_pipeline_without_a_parser_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="use one with a parser"):
        noun_phrases(["A cell."], spacy.blank("en"))


def test_the_error_for_a_missing_pipeline_has_the_command_that_installs_it() -> None:
    with pytest.raises(MissingExtraError, match="python -m spacy download en_no_such_model"):
        load_pipeline("en_no_such_model")


@pytest.mark.parametrize("name", ["./nope", "no/such", "", "en-core", "folder"])
def test_a_path_without_a_pipeline_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(MissingExtraError) as caught:
        load_pipeline(name)
    assert str(caught.value) == (
        f"there is no spaCy pipeline at {name!r}: give the path of a folder that nlp.to_disk "
        "wrote, or the name of an installed pipeline"
    )


def test_the_error_for_a_missing_spacy_has_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'termnest\[spacy\]'"):
        load_pipeline("en_core_web_sm")


def test_a_text_that_is_too_long_for_a_pipeline_is_cut_at_white_space() -> None:
    seen = []

    class Short:
        max_length = 10

        def pipe(self, texts: Any, n_process: int = 1) -> Any:
            seen.extend(texts)
            return iter(())

    nlp: Any = Short()
    noun_phrases(["one two three four", "xxxxxxxxxxxxxxx"], nlp)
    assert seen == ["one two ", "three four", "xxxxxxxxxx", "xxxxx"]


@pytest.mark.parametrize("processes", ["1", "2"])
def test_the_command_counts_the_noun_phrases_of_a_spacy_pipeline(
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
        "cell carcinoma\t3\t3\t2\t1\t0\t\tfold hyphens=keep",
        "basal cell carcinoma\t2\t2\t2\t0\t1\t\tfold hyphens=keep",
    ]
    assert b"1 file, 15 words" in err


def test_the_command_needs_a_pipeline_with_a_parser(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("solar cell. solar cell.")
    pipeline = spacy.blank("en")
    pipeline.to_disk(tmp_path / "pipeline")
    arguments = ["extract", str(text), "--candidates", "noun-phrases"]
    assert main([*arguments, "--spacy-model", str(tmp_path / "pipeline")]) == 2
    assert "use one with a parser" in capsys.readouterr().err
    assert main(arguments) == 2
    assert "or give --spacy-model en_core_web_sm to use that pipeline" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "code", "message"), [(signal.SIGINT, 130, b"interrupted"), (signal.SIGHUP, 129, b"")]
)
def test_the_processes_of_spacy_end_silently_at_a_signal(
    parser: Path, tmp_path: Path, number: signal.Signals, code: int, message: bytes
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
    assert (process.returncode, out, err.strip()) == (code, b"", message)
