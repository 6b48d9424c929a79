"""The spaCy component, on Docs of blank pipelines and on Docs made by hand."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from conftest import OVERLAPS, apart
from oracle import Overlaps
from termnest import (
    DamagedIndexError,
    FileAccessError,
    InvalidOptionError,
    MissingExtraError,
    MissingFileError,
    TermIndex,
    TermStore,
    UnmarkedDocError,
)
from termnest.spacy import TermnestComponent, indexes

TERMS = ["cell", "cell carcinoma", "basal cell", "basal cell carcinoma", "carcinoma"]


def pipeline(index: Path | str, **config: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("termnest", config={"index": str(index), **config})
    return nlp


def saved(path: Path, terms: list[str] = TERMS, **options: Any) -> Path:
    TermIndex(terms, **{"tokenizer": "whitespace", **options}).save(path)
    return path


def found(doc: Doc, key: str = "terms") -> list[tuple[str, str]]:
    """The text of each span and the term that it is."""
    return [(span.text, span.id_) for span in doc.spans[key]]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return saved(tmp_path / "terms.nest")


@pytest.fixture
def nlp(index: Path) -> Language:
    return pipeline(index)


# --- what is marked ---


def test_terms_are_marked_as_a_span_group(nlp: Language) -> None:
    doc = nlp("A basal cell carcinoma is no cell.")
    spans = list(doc.spans["terms"])
    assert [(span.start, span.end, span.label_, span.id_) for span in spans] == [
        (1, 4, "TERM", "basal cell carcinoma"),
        (6, 7, "TERM", "cell"),
    ]
    assert doc._.terms == spans
    assert isinstance(doc._.terms, list)


def test_the_span_group_and_the_label_are_options(index: Path) -> None:
    doc = pipeline(index, spans_key="diseases", label="DISEASE")("a carcinoma")
    assert list(doc.spans) == ["diseases"]
    assert [(span.text, span.label_) for span in doc._.terms] == [("carcinoma", "DISEASE")]


def test_a_plain_vocabulary_is_indexed_on_the_fly(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("term\tfrequency\ncell\t3\nbasal cell\t2\n")
    doc = pipeline(path)("The basal cell.")
    assert found(doc) == [("basal cell", "basal cell")]
    assert doc[2:3]._.super_terms == ["basal cell"]


def test_the_terms_of_a_store_are_those_of_its_newest_generation(tmp_path: Path) -> None:
    path = tmp_path / "terms.store"
    with TermStore.open(path, create=True) as store:
        store.add_many(TERMS)
    old = pipeline(path)
    assert ("basal cell", "basal cell") in found(old("a basal cell"))
    with TermStore.open(path) as store:
        store.remove("basal cell")
    # A pipeline keeps the terms that it was made with.
    assert ("basal cell", "basal cell") in found(old("a basal cell"))
    assert found(pipeline(path)("a basal cell")) == [("cell", "cell")]


@pytest.mark.parametrize("overlaps", OVERLAPS)
def test_overlaps_mean_the_same_as_in_find(index: Path, overlaps: Overlaps) -> None:
    text = "a basal cell carcinoma basal cell cell carcinoma cell cell basal"
    matches = TermIndex.open(index).find(text, overlaps=overlaps)
    doc = pipeline(index, overlaps=overlaps)(text)
    assert [(span.id_, span.start_char, span.end_char) for span in doc._.terms] == [
        (match.term, match.start, match.end) for match in matches
    ]
    assert len(doc._.terms) > 3


words = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(" ".join)


@given(
    st.lists(words, min_size=1, max_size=8),
    st.lists(st.sampled_from("abc"), max_size=12),
    st.sampled_from(OVERLAPS),
)
def test_overlaps_mean_the_same_as_in_find_for_any_text(
    tmp_path_factory: pytest.TempPathFactory, terms: list[str], text: list[str], overlaps: Overlaps
) -> None:
    path = saved(tmp_path_factory.mktemp("index") / "terms.nest", terms)
    doc = TermnestComponent(path, overlaps=overlaps)(Doc(Vocab(), words=text))
    assert [(span.id_, span.start_char, span.end_char) for span in doc._.terms] == [
        (match.term, match.start, match.end)
        for match in TermIndex.open(path).find(" ".join(text), overlaps=overlaps)
    ]


@pytest.mark.parametrize("text", ["", " ", "\n\n", " \t \n "])
def test_a_doc_without_words_has_no_terms(nlp: Language, text: str) -> None:
    doc = nlp(text)
    assert doc._.terms == []
    assert doc[:]._.nested_terms == []


def test_any_white_space_separates_words(nlp: Language) -> None:
    doc = nlp("\n basal  cell\n\ncarcinoma\tcell ")
    assert [(span.text, span.id_) for span in doc._.terms] == [
        ("basal  cell\n\ncarcinoma", "basal cell carcinoma"),
        ("cell", "cell"),
    ]


def test_the_component_replaces_its_span_group(nlp: Language) -> None:
    doc = nlp("basal cell")
    assert found(nlp.get_pipe("termnest")(doc)) == [("basal cell", "basal cell")]


def test_one_variant_of_a_span_is_marked_or_all(tmp_path: Path) -> None:
    path = saved(tmp_path / "i", ["us", "US", "the US"], lowercase=True)
    assert found(pipeline(path, overlaps="all")("The Us")) == [("The Us", "the US"), ("Us", "us")]
    nlp = pipeline(path, overlaps="all", variants="all")
    assert found(nlp("The Us")) == [("The Us", "the US"), ("Us", "us"), ("Us", "US")]
    # The first of the vocabulary, as in `find`, whatever the weights are.
    saved(path, ["US", "us", "Us"], lowercase=True, weights=[1, 2, 3])
    assert found(pipeline(path)("us")) == [("us", "US")]
    [match] = TermIndex.open(path).find("us", variants="first")
    assert match.term == "US"


# --- the words of the index and those of spaCy ---


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("A basal cell.", ["basal cell"]),
        ("(basal cell)", ["basal cell"]),
        ('He said: "basal cell"...', ["basal cell"]),
        ("<basal cell>;", ["basal cell"]),
        ("the (U.S.), and U.S. it is", ["U.S.", "U.S."]),
        ("Google's cell's", ["Google", "cell"]),
        ("Google’s.", ["Google"]),
        ("Alzheimer's disease", ["Alzheimer's disease"]),
        ("(Alzheimer's disease), Alzheimer's", ["Alzheimer's disease", "Alzheimer"]),
        ("Yahoo! and C#", ["Yahoo!", "C#"]),
        ("(Yahoo!)", ["Yahoo!"]),
        ("a state-of-the-art cell", ["state-of-the-art", "cell"]),
        ("(state-of-the-art)", ["state-of-the-art"]),
        # spaCy splits some words, and punctuation between words separates them.
        ("state-of-cell-art", ["cell"]),
        ("state-of-cells-art", []),
        ("basal (cell)", ["cell"]),
        ("basal, cell", ["cell"]),
        ("cell:cell", ["cell", "cell"]),
        ("a cell.She", ["cell"]),
    ],
)
def test_terms_are_found_inside_punctuation_and_before_clitics(
    tmp_path: Path, text: str, terms: list[str]
) -> None:
    vocabulary = ["basal cell", "cell", "U.S.", "Google", "Alzheimer", "Alzheimer's disease"]
    path = saved(tmp_path / "i", [*vocabulary, "Yahoo!", "C#", "state-of-the-art"])
    doc = pipeline(path)(text)
    assert [(span.text, span.id_) for span in doc._.terms] == [(term, term) for term in terms]


def test_words_that_end_with_an_apostrophe_are_split_off(tmp_path: Path) -> None:
    path = saved(tmp_path / "i", ["eau", "jour"])
    words = ["de", "l'", "eau", "(", "d’", "eau", ")", "aujourd'", "hui"]
    spaces = [True, False, True, False, False, False, True, False, False]
    doc = TermnestComponent(path)(Doc(Vocab(), words=words, spaces=spaces))
    assert [span.start for span in doc._.terms] == [2, 5]


def test_a_vocabulary_in_treebank_style_matches_spacys_tokens(tmp_path: Path) -> None:
    doc = pipeline(saved(tmp_path / "i", ["Alzheimer 's disease", "disease"]))(
        "Is it Alzheimer's disease?"
    )
    assert found(doc) == [("Alzheimer's disease", "Alzheimer 's disease")]
    # The surface is queried, as the text of the span is split differently.
    assert doc._.terms[0]._.nested_terms == ["disease"]


@pytest.mark.parametrize("separator", ["_", "::"])
def test_a_separator_may_be_a_space_in_the_text(tmp_path: Path, separator: str) -> None:
    terms = [separator.join(["New", "York"]), "York"]
    doc = pipeline(saved(tmp_path / "i", terms, separator=separator))("In (New  York), York.")
    assert found(doc) == [("New  York", terms[0]), ("York", "York")]
    assert doc._.terms[1]._.super_terms == [terms[0]]


def test_a_separator_where_terms_contain_spaces(tmp_path: Path) -> None:
    path = saved(tmp_path / "i", ["New York::city hall", "city hall"], separator="::")
    term = "New York::city hall"
    nlp = pipeline(path)
    assert found(nlp(f"({term})")) == [(term, term)]
    assert found(nlp("city hall")) == [("city hall", "city hall")]
    assert found(nlp("New York city  hall")) == [("city  hall", "city hall")]


@pytest.mark.parametrize("tokenizer", ["words", "chars"])
def test_the_other_tokenizers_find_terms_inside_punctuation(tmp_path: Path, tokenizer: str) -> None:
    path = saved(tmp_path / "i", ["cell", "basal cell"], tokenizer=tokenizer)
    assert found(pipeline(path)("(basal cell) cell.")) == [
        ("basal cell", "basal cell"),
        ("cell", "cell"),
    ]


def test_a_match_that_cuts_a_token_is_dropped_before_overlaps_apply(
    tmp_path: Path,
) -> None:
    path = saved(tmp_path / "i", ["basal cell", "basal cells carc"], tokenizer="chars")
    words = ["basal", "cells", "carcinoma"]

    def terms(mode: str, overlaps: Overlaps = "longest") -> list[tuple[str, str]]:
        component = TermnestComponent(path, alignment_mode=mode, overlaps=overlaps)
        return found(component(Doc(Vocab(), words=words)))

    assert terms("strict") == []
    assert terms("contract") == [("basal cells", "basal cells carc")]
    assert terms("expand") == [("basal cells carcinoma", "basal cells carc")]
    assert terms("expand", "all") == [
        ("basal cells", "basal cell"),
        ("basal cells carcinoma", "basal cells carc"),
    ]
    words = ["basal", "cell", "s", "carcinoma"]
    component = TermnestComponent(path)
    doc = component(Doc(Vocab(), words=words, spaces=[True, False, True, False]))
    assert found(doc) == [("basal cell", "basal cell")]


@pytest.mark.parametrize("mode", ["strict", "contract", "expand"])
@given(st.text("ab ", max_size=8), st.data())
def test_alignment_means_the_same_as_in_char_span(
    tmp_path_factory: pytest.TempPathFactory, mode: Any, text: str, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "alignment.nest"
    if not path.exists():
        saved(path, ["a", "b", "ab", "ba", "a b", "aba", "b a", "ab a"], tokenizer="chars")
    pieces = re.findall(r"\S+| ", text)
    cut = [data.draw(st.integers(1, len(piece))) for piece in pieces]
    words = [
        part for piece, at in zip(pieces, cut, strict=True) for part in (piece[:at], piece[at:])
    ]
    doc = Doc(
        Vocab(), words=[word for word in words if word], spaces=[False] * sum(map(bool, words))
    )
    assert doc.text == text
    expected = set()
    for match in TermIndex.open(path).find(text):
        span = doc.char_span(match.start, match.end, alignment_mode=mode)
        if span is not None and len(span):
            expected.add((span.start, span.end, match.term))
    component = TermnestComponent(path, overlaps="all", variants="all", alignment_mode=mode)
    doc = component(doc)
    marked = [(span.start, span.end, span.id_) for span in doc._.terms]
    assert set(marked) == expected
    assert len(marked) == len(expected)


# --- nested and super terms ---


def test_any_span_has_nested_and_super_terms(nlp: Language) -> None:
    doc = nlp("An old basal cell carcinoma")
    assert doc[2:4]._.nested_terms == ["cell"]
    assert doc[2:4]._.super_terms == ["basal cell carcinoma"]
    assert doc[1:2]._.nested_terms == doc[1:2]._.super_terms == []
    assert doc[1:4]._.nested_terms == ["cell", "basal cell"]
    assert doc[2:2]._.nested_terms == []
    assert doc[:]._.nested_terms == TERMS


def test_nested_terms_are_found_inside_punctuation(nlp: Language) -> None:
    doc = nlp("Is it (basal cell)?")
    assert doc[:]._.nested_terms == ["cell", "basal cell"]
    assert doc[2:5]._.nested_terms == ["cell", "basal cell"]


def test_a_marked_term_is_queried_by_its_surface_not_by_its_text(tmp_path: Path) -> None:
    path = saved(tmp_path / "i", ["cell", "basal cell"], tokenizer="chars")
    nlp = pipeline(path, alignment_mode="expand", label="T")
    doc = nlp("two cells")
    assert doc._.terms[0].text == "cells"
    assert doc._.terms[0]._.super_terms == ["basal cell"]
    assert doc[1:2]._.super_terms == []
    # The id that another component set is not a surface.
    assert Span(doc, 0, 1, label="OTHER", span_id="cell")._.super_terms == []


def test_a_doc_that_no_component_has_processed_is_refused() -> None:
    doc = spacy.blank("en")("basal cell")
    for name, attributes in [
        ("terms", doc._),
        ("nested_terms", doc[:]._),
        ("super_terms", doc[:]._),
    ]:
        with pytest.raises(UnmarkedDocError, match="no termnest component has processed the Doc"):
            attributes.get(name)


def test_the_terms_of_a_doc_are_those_left_in_the_span_group(nlp: Language) -> None:
    doc = nlp("cell carcinoma cell")
    doc.spans["terms"] = [span for span in doc.spans["terms"] if len(span) > 1]
    assert [span.text for span in doc._.terms] == ["cell carcinoma"]
    del doc.spans["terms"]
    assert doc._.terms == []
    assert doc[:1]._.super_terms == ["cell carcinoma", "basal cell", "basal cell carcinoma"]


# --- several pipelines, several components ---


def test_two_pipelines_use_an_index_each(nlp: Language, tmp_path: Path) -> None:
    other = pipeline(saved(tmp_path / "other.nest", ["cell", "prison cell"]))
    text = "a cell"
    one, two = nlp(text), other(text)
    assert one[1:]._.super_terms == ["cell carcinoma", "basal cell", "basal cell carcinoma"]
    assert two[1:]._.super_terms == ["prison cell"]


def test_two_components_mark_two_groups_and_both_are_queried(nlp: Language, tmp_path: Path) -> None:
    path = saved(tmp_path / "other.nest", ["cell", "prison cell", "basal cell"])
    nlp.add_pipe("termnest", "more", config={"index": str(path), "spans_key": "more"})
    doc = nlp("a prison cell")
    assert found(doc) == [("cell", "cell")]
    assert found(doc, "more") == [("prison cell", "prison cell")]
    assert [span.text for span in doc._.terms] == ["cell", "prison cell"]
    assert doc[2:]._.super_terms == [
        *("cell carcinoma", "basal cell", "basal cell carcinoma"),
        "prison cell",
    ]


def test_two_components_cannot_mark_one_group(nlp: Language, index: Path) -> None:
    with pytest.raises(InvalidOptionError, match=r'"termnest" marks its terms as "terms"'):
        nlp.add_pipe("termnest", "more", config={"index": str(index)})


def test_an_index_that_is_replaced_stays_for_the_docs_of_its_pipeline(
    nlp: Language, index: Path
) -> None:
    doc = nlp("cell")
    saved(index, ["cell", "new cell"])
    assert pipeline(index)("cell")[:]._.super_terms == ["new cell"]
    old = ["cell carcinoma", "basal cell", "basal cell carcinoma"]
    assert doc[:]._.super_terms == nlp("cell")[:]._.super_terms == old


# --- extensions of others ---


@pytest.fixture
def own_extension() -> Iterator[str]:
    """An extension of the user's own, in the place of ours."""
    ours = Span.remove_extension("super_terms")
    Span.set_extension("super_terms", default="own")
    yield "super_terms"
    Span.remove_extension("super_terms")
    Span.set_extension("super_terms", getter=ours[2])


def test_an_extension_of_another_is_not_overwritten(index: Path, own_extension: str) -> None:
    with pytest.raises(InvalidOptionError, match=r"Span\._\.super_terms is an extension of your"):
        pipeline(index)
    assert spacy.blank("en")("a")[:]._.get(own_extension) == "own"
    # A removed extension is set again.
    Span.remove_extension(own_extension)
    assert pipeline(index)("basal cell")[1:]._.super_terms[0] == "cell carcinoma"


# --- other processes, bytes, pickles ---


def ask_in_processes(index: str, method: str) -> list[tuple[list[tuple[str, str]], list[str]]]:
    multiprocessing.set_start_method(method, force=True)
    texts = ["a basal cell.", "", "cell carcinoma", "none"] * 3
    docs = pipeline(index).pipe(texts, n_process=2, batch_size=2)
    return [(found(doc), doc[-1:]._.super_terms if len(doc) else []) for doc in docs]


@pytest.mark.parametrize(("method", "file"), [("fork", "terms.nest"), ("spawn", "terms.txt")])
def test_processes_of_pipe_mark_the_same_terms(index: Path, method: str, file: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    (index.parent / "terms.txt").write_text("\n".join(TERMS))
    assert (
        apart(ask_in_processes, str(index.parent / file), method)
        == [
            ([("basal cell", "basal cell")], []),
            ([], []),
            ([("cell carcinoma", "cell carcinoma")], ["cell carcinoma", "basal cell carcinoma"]),
            ([], []),
        ]
        * 3
    )


def test_pipe_gives_what_single_calls_give(nlp: Language) -> None:
    texts = ["a basal cell.", "", "cell carcinoma"]
    assert [found(doc) for doc in nlp.pipe(texts)] == [found(nlp(text)) for text in texts]


def docs_elsewhere(doc: bytes, doc_bin: bytes, pickled: bytes) -> list[list[str]]:
    import termnest.spacy  # noqa: F401  # sets the extensions

    vocab = spacy.blank("en").vocab
    docs = [
        Doc(vocab).from_bytes(doc),
        *DocBin(store_user_data=True).from_bytes(doc_bin).get_docs(vocab),
        pickle.loads(pickled),
    ]
    return [[doc._.terms[0].id_, *doc._.terms[0]._.super_terms] for doc in docs]


def test_stored_docs_have_their_terms_in_another_process(nlp: Language) -> None:
    doc = nlp("a basal cell")
    doc_bin = DocBin(store_user_data=True, docs=[doc])
    answers = apart(docs_elsewhere, doc.to_bytes(), doc_bin.to_bytes(), pickle.dumps(doc))
    assert answers == [["basal cell", "basal cell carcinoma"]] * 3


def test_a_stored_doc_without_user_data_keeps_its_spans_only(nlp: Language) -> None:
    doc_bin = DocBin(docs=[nlp("a basal cell")])
    (doc,) = doc_bin.get_docs(nlp.vocab)
    assert found(doc) == [("basal cell", "basal cell")]
    with pytest.raises(UnmarkedDocError, match="store_user_data=True"):
        _ = doc._.terms


def errors_elsewhere(docs: list[bytes]) -> list[str]:
    import termnest.spacy  # noqa: F401  # sets the extensions

    errors = []
    for doc in docs:
        with pytest.raises((DamagedIndexError, MissingFileError)) as caught:
            _ = Doc(Vocab()).from_bytes(doc)[:]._.nested_terms
        errors.append(f"{caught.type.__name__}: {caught.value}")
    return errors


def test_a_stored_doc_whose_index_has_changed_or_gone_is_refused(tmp_path: Path) -> None:
    indexes = [saved(tmp_path / "changed.nest"), saved(tmp_path / "gone.nest")]
    docs = [pipeline(index)("a basal cell").to_bytes() for index in indexes]
    saved(indexes[0], ["cell"])
    indexes[1].unlink()
    changed, gone = apart(errors_elsewhere, docs)
    assert changed.startswith(f"DamagedIndexError: {indexes[0]} has changed")
    assert gone.startswith(f"MissingFileError: there is no index at {indexes[1]}")


def test_a_copy_of_a_doc_is_independent(nlp: Language, tmp_path: Path) -> None:
    doc = nlp("basal cell")
    copy = doc[:].as_doc(copy_user_data=True)
    other = TermnestComponent(saved(tmp_path / "other.nest", ["cell", "new cell"]), spans_key="x")
    other(copy)
    assert "new cell" in copy[1:]._.super_terms
    assert "new cell" not in doc[1:]._.super_terms


def test_the_pickle_of_a_component_is_a_path_and_a_checksum(tmp_path: Path) -> None:
    vocabulary = tmp_path / "terms.txt"
    vocabulary.write_text("\n".join(f"term {number}" for number in range(10_000)))
    component = TermnestComponent(vocabulary, label="X")
    pickled = pickle.dumps(component)
    assert len(pickled) < 1_000
    doc = pickle.loads(pickled)(Doc(Vocab(), words=["term", "77"]))
    assert [(span.label_, span.id_) for span in doc._.terms] == [("X", "term 77")]
    vocabulary.write_text("term 1")
    indexes.load.cache_clear()  # as in another process
    with pytest.raises(DamagedIndexError, match="has changed"):
        pickle.loads(pickled)


# --- saving ---


def test_a_saved_pipeline_is_loaded_by_a_new_process_without_an_import(
    index: Path, tmp_path: Path
) -> None:
    (tmp_path / "terms.txt").write_text("\n".join(TERMS))
    for number, file in enumerate([index.name, "terms.txt"]):
        pipeline(tmp_path / file, overlaps="all", label="X").to_disk(tmp_path / f"pipeline{number}")
    program = (
        "import spacy\n"
        "for number in (0, 1):\n"
        "  doc = spacy.load(f'pipeline{number}')('(basal cell)')\n"
        "  print([(s.id_, s.label_) for s in doc._.terms], doc._.terms[0]._.super_terms)"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.stderr == ""
    line = "[('basal cell', 'X'), ('cell', 'X')] ['basal cell carcinoma']\n"
    assert ran.stdout == line * 2


def test_a_saved_pipeline_has_the_path_and_checksum_of_the_index_not_a_copy(tmp_path: Path) -> None:
    index = saved(tmp_path / "terms.nest", [f"term {number}" for number in range(10_000)])
    nlp = pipeline(index)
    nlp.to_disk(tmp_path / "pipeline")
    files = list((tmp_path / "pipeline" / "termnest").iterdir())
    assert [file.name for file in files] == ["index.json"]
    stored = json.loads(files[0].read_text())
    assert stored == {"path": str(index), "checksum": TermnestComponent(index).checksum}
    assert len(nlp.to_bytes()) == len(pipeline(saved(index, ["a"])).to_bytes())


def test_the_bytes_of_a_pipeline_need_the_same_index(nlp: Language, index: Path) -> None:
    content = nlp.to_bytes()
    assert found(pipeline(index).from_bytes(content)("cell")) == [("cell", "cell")]
    saved(index, ["cell"])
    with pytest.raises(
        DamagedIndexError, match=f"{index} has changed since the pipeline was saved"
    ):
        pipeline(index).from_bytes(content)


@pytest.mark.parametrize("file", ["terms.nest", "terms.txt"])
def test_a_pipeline_whose_index_has_changed_is_not_loaded(
    index: Path, tmp_path: Path, file: str
) -> None:
    (tmp_path / "terms.txt").write_text("\n".join(TERMS))
    folder = tmp_path / "pipeline"
    pipeline(tmp_path / file).to_disk(folder)
    if file == "terms.nest":
        saved(index, [*TERMS, "new"])
    else:
        (tmp_path / file).write_text("\n".join([*TERMS, "new"]))
    with pytest.raises(DamagedIndexError, match=r'exclude=\["termnest"\]') as raised:
        spacy.load(folder)
    assert str(raised.value).startswith(f"{tmp_path / file} has changed since the pipeline was")
    # Do what the message says.
    nlp = spacy.load(folder, exclude=["termnest"])
    nlp.add_pipe("termnest", config={"index": str(tmp_path / file)})
    nlp.to_disk(folder)
    assert found(spacy.load(folder)("new")) == [("new", "new")]


def test_a_pipeline_whose_index_has_moved_is_loaded_with_the_new_path(
    nlp: Language, index: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "pipeline"
    nlp.to_disk(folder)
    moved = index.rename(tmp_path / "moved.nest")
    with pytest.raises(
        MissingFileError, match=r"there is no index at .*components\.termnest\.index"
    ):
        spacy.load(folder)
    config = {"components.termnest.index": str(moved)}
    assert found(spacy.load(folder, config=config)("cell")) == [("cell", "cell")]
    saved(moved, ["other"])
    with pytest.raises(DamagedIndexError, match=f"{moved} is not {index}, with which"):
        spacy.load(folder, config=config)


def test_a_relative_path_is_resolved_against_the_current_folder(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nlp = pipeline("terms.nest")
    nlp.to_disk("pipeline")
    (tmp_path / "elsewhere").mkdir()
    os.chdir("elsewhere")
    # An open index does not depend on the current folder.
    assert nlp("basal cell")[1:]._.super_terms[0] == "cell carcinoma"
    assert pickle.loads(pickle.dumps(nlp.get_pipe("termnest"))).path == str(index)
    with pytest.raises(MissingFileError, match=r"there is no index at .*elsewhere/terms\.nest"):
        spacy.load(tmp_path / "pipeline")


def test_a_damaged_folder_of_a_pipeline_is_refused(nlp: Language, tmp_path: Path) -> None:
    folder = tmp_path / "pipeline"
    nlp.to_disk(folder)
    for content in (b"", b"[]", b"{}", b"\xff"):
        (folder / "termnest" / "index.json").write_bytes(content)
        with pytest.raises(DamagedIndexError, match="save the pipeline again"):
            spacy.load(folder)
    (folder / "termnest" / "index.json").unlink()
    with pytest.raises(MissingFileError, match="save the pipeline again"):
        spacy.load(folder)


# --- what is refused ---


def test_an_index_must_be_given() -> None:
    with pytest.raises(
        InvalidOptionError, match=r'needs an index: nlp\.add_pipe\("termnest", conf'
    ):
        spacy.blank("en").add_pipe("termnest")


@pytest.mark.parametrize(
    ("option", "choices"),
    [
        ("overlaps", "'all', 'longest' or 'leftmost'"),
        ("variants", "'first' or 'all'"),
        ("alignment_mode", "'strict', 'contract' or 'expand'"),
        ("attr", "None, 'ORTH', 'LOWER' or 'LEMMA'"),
    ],
)
def test_an_unknown_value_of_an_option_is_refused(index: Path, option: str, choices: str) -> None:
    with pytest.raises(
        InvalidOptionError, match=f"{option} cannot be 'none': it must be {choices}"
    ):
        pipeline(index, **{option: "none"})


def test_missing_and_damaged_indexes_are_refused(index: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=f"there is no index at {tmp_path / 'none'}"):
        pipeline(tmp_path / "none")
    with pytest.raises(FileAccessError, match=f"cannot read the index {tmp_path}"):
        pipeline(tmp_path)
    index.write_bytes(index.read_bytes()[:-100])
    with pytest.raises(DamagedIndexError, match="damaged"):
        pipeline(index)


def test_an_index_with_a_normalize_function_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "i", ["A"], normalize=str.lower)
    with pytest.raises(InvalidOptionError, match="built with a normalize function in Python"):
        pipeline(path)


def test_the_error_for_a_missing_spacy_has_the_command_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in list(sys.modules):
        if name.startswith("termnest.spacy"):
            monkeypatch.delitem(sys.modules, name)
        elif name.split(".")[0] == "spacy":
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match="spaCy is not installed: pip install"):
        __import__("termnest.spacy")
