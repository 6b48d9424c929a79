"""N-grams of texts: compared with the definition by brute force."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from oracle import _folded, _words_of_text
from termnest import InvalidOptionError, Table, TermIndex, TermTypeError, _core
from termnest.terminology import LANGUAGES, language, ngrams, rank

NO_BREAK = regex.compile(r"[\p{White_Space}\p{Cf}--[\v\f\u2029]]*", regex.VERSION1)

Run = tuple[str, ...]


def runs_of(text: str, fold: bool) -> list[Run]:
    """The runs of words that nothing interrupts; an elided word keeps its apostrophe."""
    runs: list[list[str]] = [[]]
    end = 0
    for token in _words_of_text(text, "keep"):
        gap = text[end : token.start]
        if not NO_BREAK.fullmatch(gap) or gap.count("\n") > 1:
            runs.append([])
        end = token.end
        folded = _folded(token.text)
        if not folded and token.text.endswith("'"):
            folded = token.text.lower()
        if len(token.text.encode()) > 255 or not folded or not any(map(str.isalnum, folded)):
            runs.append([])
        else:
            runs[-1].append(folded if fold else token.text)
    return [tuple(run) for run in runs]


def is_stop(word: str) -> bool:
    return _folded(word) in STOPS or word.endswith("'")


def segments_of(runs: list[Run]) -> list[Run]:
    """The parts of the runs between function words; a single connector connects."""
    segments: list[list[str]] = []
    for run in runs:
        segments.append([])
        connects = False
        for word in run:
            if not is_stop(word):
                segments[-1].append(word)
                connects = False
            elif connects or not segments[-1] or word.lower().rstrip("'") not in CONNECTORS:
                segments.append([])
                connects = False
            else:
                segments[-1].append(word)
                connects = True
    return [tuple(segment) for segment in segments]


def spans_of(segment: Run) -> list[tuple[int, int]]:
    return [
        (start, end)
        for start in range(len(segment))
        for end in range(start + 1, len(segment) + 1)
        if not is_stop(segment[start]) and not is_stop(segment[end - 1])
        if any(char.isalpha() for word in segment[start:end] for char in word)
    ]


def expected(
    texts: list[str], max_words: int, fold: bool, least: int
) -> dict[Run, tuple[int, bool, int]]:
    """Each candidate, its count, whether it is maximal, and the number of its documents."""
    segments = [
        (number, segment)
        for number, text in enumerate(texts)
        for segment in segments_of(runs_of(text, fold))
    ]
    counts = Counter(s[a:b] for _, s in segments for a, b in spans_of(s))
    outside = set()
    documents: dict[Run, set[int]] = {}
    for number, segment in segments:
        spans = spans_of(segment)
        for a, b in spans:
            term = segment[a:b]
            documents.setdefault(term, set()).add(number)
            # Longer ones count if they are repeated; for what occurs once, all of them.
            longer = [
                (c, d)
                for c, d in spans
                if c <= a and b <= d and (c, d) != (a, b)
                if counts[segment[c:d]] > 1 or counts[term] == 1
            ]
            if not longer:
                outside.add(term)
    return {
        term: (count, term in outside, len(documents[term]))
        for term, count in counts.items()
        if count >= least and len(term) <= max_words
    }


def as_counted(term: str, fold: bool) -> Run:
    """The words of a candidate as they are counted."""
    words = term.replace("'", "' ").split()
    return tuple((_folded(word) or word.lower()) if fold else word for word in words)


PIECES = [
    "a",
    "b",
    "A",
    "cell",
    "of",
    "Of",
    "the",
    "7",
    "x-ray",
    "B's",
    "3,5",
    "é",
    "straße",
    "Strasse",
    "d'eau",
    "C++",
    "+",
]

GAPS = [" ", " ", " ", "\n", "  ", "\n\n", ", ", ". ", " - ", "/", "\t", "\x0c", " ' ", "\u2029"]

STOPS = {"of", "the", "d"}
CONNECTORS = {"of", "d"}


@given(
    texts=st.lists(
        st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(GAPS)), max_size=12).map(
            lambda parts: "".join(word + gap for word, gap in parts)
        ),
        max_size=4,
    ),
    max_words=st.integers(1, 4),
    fold=st.booleans(),
    least=st.integers(0, 3),
    max_nodes=st.sampled_from([None, 1, 5]),
)
def test_ngrams_are_the_candidates_of_the_definition(
    texts: list[str], max_words: int, fold: bool, least: int, max_nodes: int | None
) -> None:
    # With a few nodes only, the rest goes through temporary files.
    function_words = [sorted(STOPS), sorted(CONNECTORS)]
    counter = _core.CandidateCounter(max_words, function_words, fold, False, max_nodes)
    for text in texts:
        counter.begin_document()
        counter.add(text)
    candidates = counter.finish(least, None, None, None)
    rows = Table(candidates.ranking("frequency", "all", None, None)).to_pylist()
    kept = Table(candidates.ranking("frequency", "maximal", None, None)).column("term")
    maximal = set(kept)
    assert {
        as_counted(row["term"], fold): (row["frequency"], row["term"] in maximal, row["documents"])
        for row in rows
    } == expected(texts, max_words, fold, least)
    terms = Table(candidates.table()).column("term").to_list()
    assert terms == sorted(terms, key=str.encode)
    # What is counted is found, and so are terms over punctuation, which are not counted.
    index = TermIndex(terms, fold=fold)
    matches = Counter(match.term for text in texts for match in index.find(text))
    if fold:
        assert all(matches[row["term"]] >= row["frequency"] for row in rows)
    assert candidates.total_words == sum(len(run) for text in texts for run in runs_of(text, fold))


def test_counting_in_temporary_files_gives_the_same_counts() -> None:
    rng = random.Random(5)
    words = [f"w{i}" for i in range(30)]
    text = " ".join(rng.choice(words) + rng.choice(["", "", "", "."]) for _ in range(5000))
    whole = ngrams([text], min_frequency=1, stop_words=[], language="en")
    counter = _core.CandidateCounter(5, [], True, True, 40)
    counter.add(text)
    counted = Table(counter.finish(1, None, None, None).table())
    frequencies = {row["term"]: row["frequency"] for row in counted}
    assert frequencies == {term: whole.index.weight(term) for term in whole.index}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("state-of-the-art systems", ["state-of-the-art", "systems"]),
        ("AT&T's R&D", ["at&t", "r&d"]),
        ("C++ and .NET", ["c++", "and", ".net"]),
        ("東京都", ["東", "京", "都"]),
        ("U.S. Army", ["u.s.", "army"]),
        ("well- known", ["well", "known"]),
        ("1,000.5 items,3", ["1,000.5", "items", "3"]),
        ("don’t_stop", ["don’t_stop"]),
        ("e\u0301te\u0301 \u0301x", ["e\u0301te\u0301", "x"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("(cell)", ["cell"]),
        ("--", []),
    ],
)
def test_a_text_is_split_into_these_words(text: str, words: list[str]) -> None:
    found = ngrams([text + " letters"], max_words=1, min_frequency=1, stop_words=[])
    with_letters = {word for word in words if any(map(str.isalpha, word))}
    assert {term.lower() for term in found.index} == with_letters | {"letters"}
    assert found.words == len(words) + 1


def test_a_word_has_at_most_255_bytes_and_a_longer_one_ends_the_run() -> None:
    longest = "x" * _core.MAX_WORD_BYTES
    assert f"a {longest} b" in ngrams([f"a {longest} b"], min_frequency=1, stop_words=[]).index
    found = ngrams([f"a {longest}x b"], min_frequency=1, stop_words=[])
    assert list(found.index) == ["a", "b"]
    assert found.words == 2


@pytest.mark.parametrize("max_words", [1, 20])
def test_a_candidate_has_up_to_20_words(max_words: int) -> None:
    text = " ".join(f"w{i}" for i in range(25))
    found = ngrams([text], max_words=max_words, min_frequency=1)
    assert max(term.count(" ") + 1 for term in found.index) == max_words


@pytest.mark.parametrize("max_words", [0, 21, -1])
def test_other_numbers_of_words_are_refused(max_words: int) -> None:
    with pytest.raises(InvalidOptionError, match="max_words"):
        ngrams(["a"], max_words=max_words)


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_candidate_starts_or_ends_with_a_function_word(code: str) -> None:
    known = language(code)
    assert len(known.stop_words) > 90
    assert all(word == word.lower() for word in known.stop_words | known.general)
    assert known.connectors <= known.stop_words
    assert not known.stop_words & {"cell", "xyzzy"}
    for word in known.stop_words:
        found = ngrams([f"{word} xyzzy {word}"], min_frequency=1, language=code)
        assert list(found.index) == ["xyzzy"], word


def test_stop_words_are_split_as_texts_are() -> None:
    text = "Cells, e.g. solar cells in 2020 and/or 'cause -- see fig. 7"
    stops = ["e.g.", "and/or", "'Cause", "2020", "(fig.)", "--", "", "IN"]
    found = ngrams([text], min_frequency=1, stop_words=stops, language="en").index
    assert set(found) == {"cells", "solar", "solar cells", "see"}


def test_one_str_instead_of_a_list_is_refused() -> None:
    with pytest.raises(
        TermTypeError, match="texts must be a list of texts or a Corpus of files, not one str"
    ):
        ngrams("solar cell")
    with pytest.raises(TermTypeError, match="entry 1 of texts must be a str, not 3"):
        ngrams(["solar cell", 3])  # type: ignore[list-item]
    with pytest.raises(
        TermTypeError, match="stop_words must be a list or a set of words, not the one str"
    ):
        ngrams(["solar cell"], stop_words="of the")
    with pytest.raises(TermTypeError, match="each of stop_words must be a str, not 3"):
        ngrams(["solar cell"], stop_words=[3])  # type: ignore[list-item]


def test_a_phrase_counts_each_time_that_it_occurs_in_another() -> None:
    counter = _core.CandidateCounter(1, [], True, False, None)
    for phrase in ["cell cell cell", "cell", "a cell b", "cell cell"]:
        counter.add_phrase(phrase)
    candidates = counter.finish(1, None, None, None)
    rows = Table(candidates.ranking("frequency", "maximal", None, None))
    assert {row["term"]: row["frequency"] for row in rows} == {
        "a cell b": 1,
        "cell": 7,
        "cell cell": 3,
        "cell cell cell": 1,
    }


# --- forms of one term ---


def forms_of(texts: list[str], code: str = "en") -> dict[str, dict[str, int]]:
    found = ngrams(texts, language=code, min_frequency=1)
    return {forms[0][0]: dict(forms) for forms in found.forms}


def test_inflected_forms_are_one_candidate() -> None:
    forms = forms_of(["A wind turbine. Two wind turbines. The wind turbines."])
    assert forms["wind turbines"] == {"wind turbines": 2, "wind turbine": 1}
    assert "wind turbine" not in forms


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [
        ("en", "policy", "policies"),
        ("en", "analysis", "analyses"),
        ("fr", "tribunal", "tribunaux"),
        ("fr", "marché public", "marchés publics"),
        ("nl", "stof", "stoffen"),
        ("nl", "taal", "talen"),
        ("nl", "brief", "brieven"),
        ("de", "Anlage", "Anlagen"),
        ("de", "Haus", "Häuser"),
        ("es", "corrupción", "corrupciones"),
        ("it", "corruzione", "corruzioni"),
        ("pt", "corrupção", "corrupções"),
        ("ru", "технология", "технологии"),
    ],
)
def test_forms_follow_the_rules_of_the_language(code: str, one: str, other: str) -> None:
    forms = forms_of([f"x, {one}, {one}, {other}."], code)
    assert forms[one] == {one: 2, other: 1}


def test_words_that_only_look_like_forms_stay_apart() -> None:
    forms = forms_of(["news, new; gas, ga; process, proces; physics, physic; wind winds"])
    assert {"news", "new", "gas", "process", "proces", "physics"} <= set(forms) | {"new"}


def test_hyphens_and_spaces_make_no_difference() -> None:
    forms = forms_of(["A data base; the data base, a data-base of databases and a database."])
    # "databases" has the base form "database", which is written like the others but for spaces.
    assert forms["data base"] == {"data base": 2, "data-base": 1, "database": 1, "databases": 1}


def test_a_term_is_shown_in_the_capitals_that_are_most_frequent() -> None:
    texts = ["The EU and the HFpEF. EU law. In Brussels, eu is rare.", "Law of the EU. Law."]
    forms = forms_of(texts)
    assert {"EU", "HFpEF", "Brussels", "law"} <= set(forms)
    # The capital at the start of a sentence does not count.
    assert "Law" not in forms


def test_frequencies_and_documents_are_those_of_all_forms() -> None:
    texts = ["A turbine. The turbines.", "Turbines, a turbine.", "nothing"]
    found = ngrams(texts, language="en")
    (row,) = rank(found, reference=False).to_pylist()
    assert (row["term"], row["frequency"], row["documents"]) == ("turbine", 4, 2)
    assert row["forms"] == "turbine (2) | turbines (2)"


def test_a_line_that_a_document_repeats_counts_three_times() -> None:
    page = "Annual wind energy report page {}\n" + "some other words\n" * 5
    text = "".join(page.format(number) for number in range(10))
    found = ngrams([text, "wind energy"], language="en").index
    assert found.weight("wind energy") == 4
    # A text of nothing but such lines has no pages.
    same = ["A sentence about wind energy.\n" * 9]
    assert ngrams(same, language="en").index.weight("wind energy") == 9
    # Short lines may be the items of a list.
    assert ngrams(["wind energy\n" * 9], language="en").index.weight("wind energy") == 9


def test_a_candidate_is_not_cut_off_by_max_words() -> None:
    text = "one two three four five six seven. " * 3
    found = ngrams([text], language="en", stop_words=[], max_words=3)
    assert len(rank(found, reference=False)) == 0
    assert len(rank(found, reference=False, keep="all")) == 7 + 6 + 5


def test_connectors_are_inside_of_candidates_one_at_a_time() -> None:
    text = "court of justice of the union. rule of law. rule of of law"
    found = set(ngrams([text], language="en", min_frequency=1).index)
    assert {"court of justice", "rule of law", "union"} <= found
    assert not any("the" in term.split() or "of of" in term for term in found)


def test_elided_articles_are_borders_and_elided_prepositions_connect() -> None:
    text = "Un conflit d'intérêts. L’Union européenne et l'avis de l'expert."
    found = set(ngrams([text], language="fr", min_frequency=1).index)
    assert {"conflit d'intérêts", "Union européenne", "avis", "expert"} <= found
    assert not any(term.startswith(("l'", "L’", "d'")) for term in found)
