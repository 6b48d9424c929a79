"""The terms that the spaCy component finds in spaCy's tokens, beside PhraseMatcher and find."""

from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.matcher import PhraseMatcher
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from termnest import InvalidOptionError, TermIndex, TermTypeError
from termnest.spacy import TermnestComponent
from termnest.spacy.tokens import has_words

NLP = spacy.blank("en")
# Each example copies the tokenizer, which takes some ten milliseconds.
some = settings(max_examples=20, deadline=None)

# What spaCy splits, what it keeps, and what it joins to the words around it.
PIECES = [
    *[
        "nurse",
        "Nurse",
        "led",
        "do",
        "n't",
        "don't",
        "can",
        "not",
        "cannot",
        "'s",
        "’s",
        "U.S.",
        "IL",
    ],
    *[
        "-",
        "2",
        ".",
        ",",
        "/",
        "(",
        ")",
        "C++",
        "e-mail",
        "email",
        "Google's",
        "l'eau",
        "8am",
        ":)",
    ],
]
SPACES = st.sampled_from(["", "", " ", " ", "  ", "\n"])
texts = st.lists(st.tuples(st.sampled_from(PIECES), SPACES), min_size=1, max_size=10).map(
    lambda pairs: "".join(piece + space for piece, space in pairs)
)
terms = st.lists(
    st.lists(st.tuples(st.sampled_from(PIECES), SPACES), min_size=1, max_size=3).map(
        lambda pairs: "".join(piece + space for piece, space in pairs).strip()
    ),
    min_size=1,
    max_size=8,
)
ANALYSES: list[dict[str, Any]] = [
    {"tokenizer": "whitespace"},
    {"tokenizer": "whitespace", "lowercase": True},
    {"tokenizer": "text"},
    {"tokenizer": "text", "fold": True},
    {"tokenizer": "text", "language": "en", "hyphens": "both"},
    {"tokenizer": "text", "fold": True, "hyphens": "split"},
    {"tokenizer": "text", "fold": True, "case": "smart"},
    {"tokenizer": "words", "lowercase": True},
    {"separator": "/"},
]


def component(index: Path, nlp: Language | None = NLP, **config: Any) -> TermnestComponent:
    return TermnestComponent(index, nlp=nlp, **{"overlaps": "all", "variants": "all"} | config)


def marked(doc: Doc) -> set[tuple[int, int, str]]:
    return {(span.start, span.end, span.id_) for span in doc.spans["terms"]}


def places(found: set[tuple[int, int, str]]) -> set[tuple[int, int]]:
    return {(start, end) for start, end, _ in found}


def matched_by_spacy(doc: Doc, terms: list[str], attr: str) -> set[tuple[int, int]]:
    matcher = PhraseMatcher(NLP.vocab, attr=attr)
    matcher.add("T", [NLP.make_doc(term) for term in terms])
    return {(start, end) for _, start, end in matcher(doc)}


def found_in_text(doc: Doc, index: TermIndex) -> set[tuple[int, int, str]]:
    spans = set()
    for match in index.find(doc.text):
        span = doc.char_span(match.start, match.end)
        if span is not None:
            spans.add((span.start, span.end, match.term))
    return spans


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("indexes")


@pytest.mark.parametrize("analysis", ANALYSES, ids=str)
@some
@given(terms, texts)
def test_what_phrase_matcher_and_find_find_is_found(
    folder: Path, analysis: dict[str, Any], terms: list[str], text: str
) -> None:
    index = TermIndex(terms, **analysis)
    index.save(folder / "terms.nest")
    doc = NLP.make_doc(text)
    found = marked(component(folder / "terms.nest")(doc))
    assert found_in_text(doc, index) <= found
    if analysis.get("case") == "smart":
        return  # "US" does not match "us"
    folds = not {"lowercase", "fold", "language"}.isdisjoint(analysis)
    # Entries without a word are not terms.
    kept = list(index)
    if index.options.separator:
        kept = [term.replace(index.options.separator, " ") for term in kept]
    expected = matched_by_spacy(doc, kept, "LOWER" if folds else "ORTH")
    if not {"fold", "language"}.isdisjoint(analysis):
        expected = {place for place in (without_clitics(doc, *e) for e in expected) if place}
    assert expected <= places(found)


def without_clitics(doc: Doc, start: int, end: int) -> tuple[int, int] | None:
    """A span without the tokens at its ends that folding ignores."""
    words = [token.i for token in doc[start:end] if token.lower_ not in ("'s", "’s")]
    return (words[0], words[-1] + 1) if words else None


@some
@given(terms, texts, st.booleans())
def test_exactly_the_terms_in_the_three_views_are_found(
    folder: Path, terms: list[str], text: str, lowercase: bool
) -> None:
    """By brute force, for an index that splits at white space."""
    index = TermIndex(terms, tokenizer="whitespace", lowercase=lowercase)
    index.save(folder / "terms.nest")
    doc = NLP.make_doc(text)
    tokens = [(token.i, token.lower_ if lowercase else token.text) for token in doc]
    tokens = [(i, token) for i, token in tokens if not token.isspace()]
    expected = found_in_text(doc, index)
    for term in index:
        cased = term.lower() if lowercase else term
        split = [token.lower_ if lowercase else token.text for token in NLP.make_doc(term)]
        for spelled in (cased.split(), [token for token in split if not token.isspace()]):
            for at in range(len(tokens) - len(spelled) + 1):
                run = tokens[at : at + len(spelled)]
                if [token for _, token in run] == spelled:
                    expected.add((run[0][0], run[-1][0] + 1, term))
    assert marked(component(folder / "terms.nest")(doc)) == expected


@pytest.mark.parametrize("attr", ["ORTH", "LOWER"])
@some
@given(terms, texts)
def test_an_attribute_finds_what_phrase_matcher_finds(
    folder: Path, attr: str, terms: list[str], text: str
) -> None:
    # Whatever the index makes of words.
    index = TermIndex(terms, tokenizer="text", fold=attr == "ORTH")
    index.save(folder / "terms.nest")
    # PhraseMatcher looks at white space too, if it is more than a single space.
    doc = NLP.make_doc(" ".join(text.split()))
    kept = [" ".join(term.split()) for term in index]
    found = places(marked(component(folder / "terms.nest", attr=attr)(doc)))
    assert found == matched_by_spacy(doc, kept, attr)


@some
@given(terms, texts, st.sampled_from(["longest", "leftmost"]))
def test_overlaps_apply_to_all_views_together(
    folder: Path, terms: list[str], text: str, overlaps: str
) -> None:
    TermIndex(terms, tokenizer="text", fold=True).save(folder / "terms.nest")
    every = places(marked(component(folder / "terms.nest")(NLP.make_doc(text))))
    kept = component(folder / "terms.nest", overlaps=overlaps)(NLP.make_doc(text))
    expected, covered = set(), 0
    for start, end in sorted(every, key=lambda place: (place[0], -place[1])):
        if end > covered if overlaps == "longest" else start >= covered:
            expected.add((start, end))
            covered = end
    assert places(marked(kept)) == expected


@pytest.mark.parametrize("text", ["aspirin/ibuprofen", "aspirin,ibuprofen", "aspirin.Ibuprofen"])
def test_words_that_spacy_splits_are_found(tmp_path: Path, text: str) -> None:
    TermIndex(["aspirin", "ibuprofen", "aspirin/ibuprofen"], fold=True, tokenizer="text").save(
        tmp_path / "i"
    )
    doc = component(tmp_path / "i")(NLP(text))
    assert {"aspirin", "ibuprofen"} <= {span.id_ for span in doc.spans["terms"]}


def test_terms_are_split_as_the_pipeline_splits(tmp_path: Path) -> None:
    TermIndex(["do n't", "IL-2", "New York"], hyphens="keep").save(tmp_path / "i")

    def found(nlp: Language, text: str) -> list[str]:
        doc = component(tmp_path / "i", nlp)(nlp(text))
        return [span.text for span in doc.spans["terms"]]

    assert found(NLP, "I don't IL - 2") == ["don't"]
    # Rules of the user's own, of one word and of two.
    nlp = spacy.blank("en")
    tokenizer: Any = nlp.tokenizer
    tokenizer.add_special_case("IL-2", [{"ORTH": "IL"}, {"ORTH": "-2"}])
    assert found(nlp, "IL-2 (IL-2) New York") == ["IL-2", "IL-2", "New York"]
    tokenizer.add_special_case("New York", [{"ORTH": "New York"}])
    assert found(nlp, "IL-2 (New York)") == ["IL-2", "New York"]

    class Joined(Tokenizer):  # type: ignore[misc]  # spaCy has no stubs for it
        def __call__(self, text: str) -> Doc:
            words = text.replace("New York", "New_York").split()
            return Doc(self.vocab, words=[word.replace("_", " ") for word in words])

    nlp.tokenizer = Joined(nlp.vocab)
    assert found(nlp, "in New York") == ["New York"]


def test_the_vocabulary_of_the_pipeline_does_not_grow_with_the_terms(tmp_path: Path) -> None:
    TermIndex([f"wonderful-{number}" for number in range(1000)]).save(tmp_path / "i")
    nlp = spacy.blank("en")
    before = len(nlp.vocab)
    component(tmp_path / "i", nlp)(nlp("a word"))
    assert len(nlp.vocab) < before + 10


def test_a_pickle_knows_how_terms_are_split(tmp_path: Path) -> None:
    TermIndex(["nurse-led", "nurse"], hyphens="keep").save(tmp_path / "i")
    doc = NLP("a nurse - led ward")
    assert marked(component(tmp_path / "i")(doc)) == {(1, 4, "nurse-led"), (1, 2, "nurse")}
    copy = pickle.loads(pickle.dumps(component(tmp_path / "i")))
    assert marked(copy(NLP("a nurse - led ward"))) == marked(doc)
    # Without a pipeline the component knows only how the index splits.
    doc = component(tmp_path / "i", None)(NLP("a nurse - led ward"))
    assert marked(doc) == {(1, 2, "nurse")}


def test_lemmas_are_matched_with_terms(tmp_path: Path) -> None:
    TermIndex(["basal cell", "US"], lowercase=True).save(tmp_path / "i")
    finder = component(tmp_path / "i", attr="LEMMA")
    words = ["Basal", "cells", "give", "us"]
    lemmas = ["basal", "cell", "give", "we"]
    assert marked(finder(Doc(NLP.vocab, words=words, lemmas=lemmas))) == {(0, 2, "basal cell")}
    with pytest.raises(InvalidOptionError, match="put a lemmatizer before the component"):
        finder(Doc(NLP.vocab, words=words))


def test_entities_are_annotated_where_there_are_none(tmp_path: Path) -> None:
    TermIndex(["New York", "York", "New York Times", "Times Square"]).save(tmp_path / "i")
    mark = component(tmp_path / "i", annotate_ents=True, label="PLACE")
    doc = mark(NLP("New York Times Square York"))
    assert [(e.text, e.label_, e.ent_id_) for e in doc.ents] == [
        ("New York Times", "PLACE", "New York Times"),
        ("York", "PLACE", "York"),
    ]
    doc = NLP("in York, New York")
    doc.ents = [Span(doc, 3, 4, label="NEW")]
    expected = [("York", "PLACE"), ("New", "NEW"), ("York", "PLACE")]
    assert [(entity.text, entity.label_) for entity in mark(doc).ents] == expected
    assert component(tmp_path / "i")(NLP("York")).ents == ()
    with pytest.raises(TermTypeError, match="annotate_ents must be True or False, not 'yes'"):
        component(tmp_path / "i", annotate_ents="yes")


@pytest.mark.parametrize("analysis", [{"tokenizer": "text"}, {"tokenizer": "words"}], ids=str)
def test_long_documents_are_searched_like_short_ones(
    tmp_path: Path, analysis: dict[str, Any]
) -> None:
    TermIndex(["a a", "a b", "nurse-led"], **analysis).save(tmp_path / "i")
    text = "a a b nurse-led. "
    short = marked(component(tmp_path / "i")(NLP(text)))
    step = len(NLP(text))
    doc = component(tmp_path / "i")(NLP(text * 2_000))
    expected = {
        (start + step * i, end + step * i, term) for i in range(2_000) for start, end, term in short
    }
    assert marked(doc) == expected


def test_a_document_that_repeats_itself_takes_no_quadratic_time(tmp_path: Path) -> None:
    TermIndex([" ".join("a" * n) for n in (1, 1000)]).save(tmp_path / "i")
    doc = Doc(Vocab(), words=["a"] * 50_000)
    doc = component(tmp_path / "i", overlaps="longest")(doc)
    spans = [(span.start, span.end) for span in doc.spans["terms"]]
    assert len(spans) == 49_001
    assert all(one[1] < other[1] for one, other in pairwise(spans))


@pytest.mark.parametrize(
    ("text", "expected"), [("a", False), ("a b", True), ("a\n", True), (" ", False), ("", False)]
)
def test_rules_with_white_space(text: str, expected: bool) -> None:
    assert has_words(text) == expected


# --- columns of the index ---

ROWS = {
    "label": ["DRUG", "BRAND", None, "GENE"],
    "concept": [4057, 18216, 7, None],
    "tags": [["x"], [], None, ["y"]],
}
ROW_TERMS = ["aspirin", "aspirin", "new york", "TP53"]


def annotated(mark: Language, text: str) -> list[tuple[str, str, str, str]]:
    doc = mark(text)
    return [(s.text, s.label_, s.kb_id_, s.id_) for s in doc.spans["terms"]]


def with_component(index: Path, **config: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("termnest", config={"index": str(index), **config})
    return nlp


def test_labels_and_ids_of_spans_come_from_columns(tmp_path: Path) -> None:
    path = tmp_path / "i.nest"
    TermIndex(ROW_TERMS, columns=ROWS, ids=["D1", "D2", "P1", "G1"]).save(path)
    text = "aspirin in new york, TP53"
    columns = {"label_column": "label", "id_column": "concept"}
    assert annotated(with_component(path, **columns), text) == [
        ("aspirin", "DRUG", "4057", "aspirin"),
        ("new york", "TERM", "7", "new york"),
        ("TP53", "GENE", "", "TP53"),
    ]
    # The ids of one's own without a column of ids; rows with the same term each have a span.
    nlp = with_component(path, variants="all", annotate_ents=True)
    assert annotated(nlp, text)[:2] == [
        ("aspirin", "TERM", "D1", "aspirin"),
        ("aspirin", "TERM", "D2", "aspirin"),
    ]
    assert [entity.kb_id_ for entity in nlp(text).ents] == ["D1", "P1", "G1"]
    component = pickle.loads(pickle.dumps(with_component(path, **columns).get_pipe("termnest")))
    doc = component(NLP.make_doc(text))
    assert [(s.label_, s.kb_id_) for s in doc._.terms][-1] == ("GENE", "")


def test_spans_with_labels_of_a_column_are_terms(tmp_path: Path) -> None:
    path = tmp_path / "i.nest"
    TermIndex(["cell", "red cell"], columns={"label": ["A", "B"]}, ids=[7, 8]).save(path)
    doc = with_component(path, label_column="label")("a cell.")
    # They are looked up as they are written in the vocabulary, spans of others by their text.
    assert Span(doc, 0, 1, label="B", span_id="cell")._.super_terms == ["red cell"]
    assert Span(doc, 0, 1, label="C", span_id="cell")._.super_terms == []
    assert doc._.terms[0].kb_id_ == "7"


@pytest.mark.parametrize("option", ["label_column", "id_column"])
def test_a_column_that_cannot_be_a_label_is_refused(option: str, tmp_path: Path) -> None:
    TermIndex(ROW_TERMS, columns=ROWS).save(tmp_path / "i.nest")
    TermIndex(ROW_TERMS).save(tmp_path / "plain.nest")
    for index, column, message in [
        ("i.nest", "zzz", f"{option} cannot be 'zzz': the columns of the index are label, concept"),
        ("i.nest", "tags", f"{option} cannot be 'tags': the column has lists of strings"),
        ("plain.nest", "label", f"{option} cannot be 'label': the index has no columns"),
    ]:
        with pytest.raises(InvalidOptionError, match=message):
            with_component(tmp_path / index, **{option: column})
    with pytest.raises(TermTypeError, match=option):
        TermnestComponent(tmp_path / "i.nest", **{option: 1})  # type: ignore[arg-type]
