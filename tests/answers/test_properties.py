"""TermIndex against the brute-force oracle, on random vocabularies.

The vocabularies have only a few words. So terms nest, repeat and overlap, which terms of random
words almost never do.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle import WHITE_SPACE, Oracle, Overlaps, Row, Sort, Variants, Where
from termnest import TermIndex

settings.register_profile(
    "termnest",
    derandomize=True,
    deadline=None,
    max_examples=300,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("termnest")

WHERES: tuple[Where, ...] = get_args(Where)
OVERLAPS: tuple[Overlaps, ...] = get_args(Overlaps)
VARIANTS: tuple[Variants, ...] = get_args(Variants)


def first_letter(token: str) -> str:
    return token[0]


def without_the(token: str) -> str:
    return "" if token == "the" else token


@dataclass(frozen=True)
class Analysis:
    """Options of an index, and the pieces of which its terms, queries and texts are made."""

    options: dict[str, Any]
    pieces: tuple[str, ...]
    joints: tuple[str, ...] = (" ",)
    query_joints: tuple[str, ...] = (" ",)
    aliases: bool = False


ANALYSES = {
    "default": Analysis({}, ("a", "b", "c"), (" ", "  ", "\u3000"), (" ", "\t\n")),
    "whitespace": Analysis({"tokenizer": "whitespace"}, ("a", "b\x1c", "a\x1cb")),
    "lowercase": Analysis({"lowercase": True}, ("a", "A", "b", "B")),
    "accents": Analysis({"strip_accents": True}, ("e", "é", "e\u0301", "b", "\u0301")),
    "folded": Analysis(
        {"lowercase": True, "strip_accents": True}, ("i", "İ", "i\u0307", "É", "e", "\u0301")
    ),
    "separator": Analysis({"separator": "_"}, ("a", "b", "c"), ("_", "__"), ("_", " ", " _ ")),
    "separator and spaces": Analysis(
        {"separator": "_"}, ("a", "b c", "b", " "), ("_", "__"), ("_", " ", " _ ")
    ),
    "separator and other spaces": Analysis(
        {"separator": "_"}, ("a", "b\u2028c", "b", "\u0085"), ("_",), ("_", " ", "\u2028", " _\n")
    ),
    "long separator": Analysis(
        {"separator": "::", "lowercase": True}, ("a", "B", ":", "b"), ("::",), ("::", " ", ":")
    ),
    "chars": Analysis({"tokenizer": "chars"}, ("a", "b", " "), ("",), ("",)),
    "folded chars": Analysis(
        {"tokenizer": "chars", "lowercase": True, "strip_accents": True},
        ("a", "Á", "\u0301", "İ", "i", " "),
        ("",),
        ("",),
    ),
    "joined chars": Analysis(
        {"tokenizer": "chars"}, ("e", "\u0301", "👩", "\u200d", "🇫", "\r", "\n"), ("",), ("",)
    ),
    "words": Analysis(
        {"tokenizer": "words"},
        ("a", "b", "1a"),
        (" ", ", ", "-", " ("),
        (" ", "! ", "/"),
    ),
    "folded words": Analysis(
        {"tokenizer": "words", "lowercase": True, "strip_accents": True},
        ("a", "A", "b", "."),
        (" ", ", "),
        (" ", "; "),
    ),
    "text": Analysis(
        {"tokenizer": "text"},
        ("a", "b", "a-b", "l'a", "A.B.", ".NET", "C++", "a's", "c#"),
        (" ", ", ", " (", "'", "’", "-", "."),
        (" ", "! ", "/", "&"),
    ),
    "folded text": Analysis(
        {"tokenizer": "text", "fold": True},
        ("a", "A", "ß", "SS", "a's", "l'", "ﬁ", "a\u00ad", "u.s.", "é", "e\u0301"),
        (" ", ", ", "'", "‑"),
        (" ", "; ", "-"),
    ),
    "folded words at white space": Analysis(
        {"fold": True, "strip_accents": True}, ("a", "A", "é", "й", "Σ", "ς", "'s", "l’a", "a'S")
    ),
    "aliases": Analysis({}, ("a", "b", "c"), aliases=True),
    "aliases of chars": Analysis({"tokenizer": "chars"}, ("a", "b"), ("",), ("",), aliases=True),
    "smart case": Analysis(
        {"lowercase": True, "case": "smart"}, ("it", "IT", "a", "It", "ITs", "A", "b")
    ),
    "smart case and aliases": Analysis(
        {"tokenizer": "text", "fold": True, "case": "smart"},
        ("it", "IT", "a", "US", "us", "A"),
        (" ", ", "),
        aliases=True,
    ),
    "either reading of hyphens": Analysis(
        {"tokenizer": "text", "fold": True, "hyphens": "both"},
        ("a", "b", "ab", "a-b", "b-a-b", "B"),
        (" ", "-", "‑"),
        (" ", "-", ", "),
    ),
    "either reading, aliases and smart case": Analysis(
        {"tokenizer": "text", "fold": True, "hyphens": "both", "case": "smart"},
        ("a", "ab", "AB", "a-b", "A-B", "C", "c"),
        (" ", "-"),
        (" ", "-"),
        aliases=True,
    ),
    "split hyphens": Analysis(
        {"tokenizer": "text", "hyphens": "split"}, ("a", "b", "a-b"), (" ", "-"), (" ", "-")
    ),
    "stems": Analysis({"normalize": first_letter}, ("a", "ab", "b", "ba")),
    "dropped word": Analysis({"normalize": without_the}, ("a", "the", "b")),
    "dropped word in any case": Analysis(
        {"normalize": without_the, "lowercase": True, "separator": "_"},
        ("a", "The", "the", "A"),
        ("_",),
        ("_", " "),
    ),
}


@dataclass(frozen=True)
class Vocabulary:
    """What an index is built from."""

    terms: list[str]
    weights: list[int] | None
    options: dict[str, Any]
    aliases: tuple[tuple[str, str], ...] = ()
    columns: dict[str, list[Any]] | None = None

    def index(self, threads: int | None = None) -> TermIndex:
        names: dict[str, list[str]] = {}
        for term, alias in self.aliases:
            names.setdefault(term, []).append(alias)
        return TermIndex(
            self.terms,
            weights=self.weights,
            columns=self.columns,
            aliases=names,
            threads=threads,
            **self.options,
        )

    def oracle(self) -> Oracle:
        # In the order in which `index` gives them.
        order = list(dict.fromkeys(term for term, _ in self.aliases))
        aliases = sorted(self.aliases, key=lambda pair: order.index(pair[0]))
        return Oracle(
            self.terms,
            weights=self.weights,
            columns=self.columns,
            aliases=aliases,
            **self.options,
        )


@dataclass(frozen=True)
class Situation:
    """A vocabulary and phrases to ask it about."""

    vocabulary: Vocabulary
    phrases: list[str]


@dataclass(frozen=True)
class Page:
    """The part of an answer to return, and its order."""

    max_extra: int | None
    min_length: int | None
    max_length: int | None
    sort: Sort
    limit: int | None
    offset: int

    def of_nested_terms(self) -> dict[str, Any]:
        """The options that go with nested terms: no words surround them but those of the phrase."""
        options = {name: value for name, value in vars(self).items() if name != "max_extra"}
        return {**options, "sort": "length" if self.sort in ("left", "length") else "weight"}


PAGES = st.builds(
    Page,
    max_extra=st.none() | st.integers(0, 4),
    min_length=st.none() | st.integers(0, 4),
    max_length=st.none() | st.integers(0, 6),
    sort=st.sampled_from(("weight", "left", "right", "length")),
    limit=st.none() | st.integers(0, 6),
    offset=st.integers(0, 3),
)


def joined(pieces: tuple[str, ...], joints: tuple[str, ...], most: int) -> st.SearchStrategy[str]:
    """Up to `most` pieces with a joint between them, and sometimes around them."""

    def join(chosen: list[str], joint: str, before: bool, after: bool) -> str:
        return joint * before + joint.join(chosen) + joint * after

    several = st.integers(0, most).flatmap(
        lambda number: st.lists(st.sampled_from(pieces), min_size=number, max_size=number)
    )
    rarely = st.sampled_from((False, False, False, True))
    return st.builds(join, several, st.sampled_from(joints), rarely, rarely)


@st.composite
def situations(
    draw: st.DrawFn, analysis: Analysis | None = None, longest_phrase: int = 9
) -> Situation:
    """A vocabulary under some analysis, and phrases: some are its terms, some are not."""
    if analysis is None:
        analysis = ANALYSES[draw(st.sampled_from(sorted(ANALYSES)))]
    pieces = analysis.pieces[: draw(st.integers(1, len(analysis.pieces)))]
    # The number first: lists of any size would mostly be short.
    number = draw(st.integers(0, 25))
    terms = draw(st.lists(joined(pieces, analysis.joints, 6), min_size=number, max_size=number))
    weights = None
    if draw(st.booleans()):
        weights = draw(st.lists(st.integers(0, 3), min_size=number, max_size=number))
    columns: dict[str, list[Any]] | None = None
    if draw(st.sampled_from((False, False, True))):
        labels = st.sampled_from(("x", "y", None))
        columns = {"label": draw(st.lists(labels, min_size=number, max_size=number))}
    aliases: list[tuple[str, str]] = []
    if analysis.aliases and terms:
        pair = st.tuples(st.sampled_from(terms), joined(pieces, analysis.joints, 4))
        aliases = possible_aliases(
            terms, draw(st.lists(pair, max_size=6)), analysis.options, columns
        )
    # "z" occurs in no term.
    phrase = joined((*pieces, *pieces, "z"), analysis.query_joints, longest_phrase)
    phrases = draw(st.lists(phrase, min_size=1, max_size=3))
    if terms:
        phrases.append(draw(st.sampled_from(terms)))
    if aliases:
        phrases.append(draw(st.sampled_from(aliases))[1])
    vocabulary = Vocabulary(terms, weights, analysis.options, tuple(aliases), columns)
    return Situation(vocabulary, phrases)


def possible_aliases(
    terms: list[str],
    aliases: list[tuple[str, str]],
    options: dict[str, Any],
    columns: dict[str, list[Any]] | None = None,
) -> list[tuple[str, str]]:
    """The aliases that belong to a term and do not match like another term."""
    oracle = Oracle(terms, columns=columns, **options)
    owners: dict[tuple[str, ...], set[int]] = {}
    for name in oracle.names[: len(oracle.surfaces)]:
        owners.setdefault(name.key, set()).add(name.owner)
    possible = []
    for term, alias in aliases:
        if oracle.key(term) and owners.get(oracle.key(alias), set()) <= set(oracle.ids(term)):
            possible.append((term, alias))
    return possible


def table_rows(rows_of_phrases: list[list[Row]]) -> list[dict[str, Any]]:
    """The rows of a batch: those of each phrase in turn, with its number."""
    return [
        {"query": query, **row._asdict()}
        for query, rows in enumerate(rows_of_phrases)
        for row in rows
    ]


@given(situations(), PAGES)
def test_super_terms_are_those_of_the_definition(situation: Situation, page: Page) -> None:
    index, oracle = situation.vocabulary.index(), situation.vocabulary.oracle()
    for phrase, where, direct in product(situation.phrases, WHERES, (False, True)):
        expected = oracle.super_terms(phrase, where=where, direct=direct)
        assert index.super_terms(phrase, where=where, direct=direct) == expected
        assert index.count_super_terms(phrase, where=where, direct=direct) == len(expected)

        options: dict[str, Any] = {"where": where, "direct": direct, **vars(page)}
        some = oracle.super_terms(phrase, **options)
        assert index.super_terms(phrase, **options) == some
        del options["sort"]
        assert index.count_super_terms(phrase, **options) == len(some)


@given(situations(longest_phrase=14), PAGES)
def test_nested_terms_are_those_of_the_definition(situation: Situation, page: Page) -> None:
    index, oracle = situation.vocabulary.index(), situation.vocabulary.oracle()
    for phrase, where, direct in product(situation.phrases, WHERES, (False, True)):
        expected = oracle.nested_terms(phrase, where=where, direct=direct)
        assert index.nested_terms(phrase, where=where, direct=direct) == expected
        assert index.count_nested_terms(phrase, where=where, direct=direct) == len(expected)

        options = {"where": where, "direct": direct, **page.of_nested_terms()}
        some = oracle.nested_terms(phrase, **options)
        assert index.nested_terms(phrase, **options) == some
        del options["sort"]
        assert index.count_nested_terms(phrase, **options) == len(some)


@given(situations(), PAGES)
def test_the_rows_of_batches_are_those_of_the_definition(situation: Situation, page: Page) -> None:
    index, oracle = situation.vocabulary.index(), situation.vocabulary.oracle()
    phrases = situation.phrases
    for where, direct in product(WHERES, (False, True)):
        options = {"where": where, "direct": direct, **page.of_nested_terms()}
        nested = [oracle.nested_rows(phrase, **options) for phrase in phrases]
        assert index.nested_terms_batch(phrases, **options).to_pylist() == table_rows(nested)

        options = {"where": where, "direct": direct, **vars(page)}
        super_ = [oracle.super_rows(phrase, **options) for phrase in phrases]
        assert index.super_terms_batch(phrases, **options).to_pylist() == table_rows(super_)


@given(situations())
def test_columns_are_those_of_the_definition(situation: Situation) -> None:
    index, oracle = situation.vocabulary.index(), situation.vocabulary.oracle()
    assert list(index) == oracle.surfaces
    for number, name in enumerate(situation.vocabulary.columns or {}):
        values = [row[number] for row in oracle.rows]
        assert index.column(name).to_list() == values
        for text in situation.phrases:
            found = index.find(text, columns=[name])
            assert [match.label for match in found] == [values[match.id] for match in found]
            assert found.table.column(name).to_list() == [match.label for match in found]
            table = index.super_terms_batch([text], columns=[name])
            assert table.column(name).to_list() == [values[id] for id in table.column("id")]


@given(situations())
def test_looked_up_terms_are_those_of_the_definition(situation: Situation) -> None:
    index, oracle = situation.vocabulary.index(), situation.vocabulary.oracle()
    for phrase in situation.phrases:
        assert index.lookup(phrase) == oracle.lookup(phrase)


@st.composite
def find_options(draw: st.DrawFn, oracle: Oracle) -> dict[str, Any]:
    """Options of `find`, for an index of these terms."""
    options: dict[str, Any] = {}
    if draw(st.booleans()):
        options["variants"] = draw(st.sampled_from(VARIANTS))
    if len(oracle.columns) > 0 and draw(st.booleans()):
        label = st.sampled_from(("x", "y", None))
        wanted: st.SearchStrategy[Any] = st.one_of(label, st.lists(label, max_size=2))
        options["where"] = {"label": draw(wanted)}
    elif draw(st.booleans()):
        terms = len(oracle.surfaces)
        options["where"] = draw(st.lists(st.booleans(), min_size=terms, max_size=terms))
    return options


@given(situations(longest_phrase=20), st.data())
def test_found_terms_are_those_of_the_definition(situation: Situation, data: st.DataObject) -> None:
    index, oracle = situation.vocabulary.index(), situation.vocabulary.oracle()
    options = data.draw(find_options(oracle))
    for text, overlaps in product(situation.phrases, OVERLAPS):
        expected = oracle.find(text, overlaps=overlaps, **options)
        matches = index.find(text, overlaps=overlaps, **options)
        assert [(m.term, m.id, m.start, m.end) for m in matches] == expected
        spans = index.find_spans(text, overlaps=overlaps, **options)
        columns = [(found.id, found.start, found.end) for found in expected]
        assert list(zip(*(numbers.tolist() for numbers in spans), strict=True)) == columns


@given(situations(longest_phrase=12), st.data())
def test_terms_found_in_many_texts_are_those_of_the_definition(
    situation: Situation, data: st.DataObject
) -> None:
    index, oracle = situation.vocabulary.index(), situation.vocabulary.oracle()
    options = data.draw(find_options(oracle))
    texts = data.draw(st.lists(st.none() | st.sampled_from(situation.phrases), max_size=12))
    for overlaps in OVERLAPS:
        expected = [
            {"row": row, "id": found.id, "start": found.start, "end": found.end, "term": found.term}
            | dict(zip(oracle.columns, oracle.rows[found.id], strict=True))
            for row, found in oracle.find_batch(texts, overlaps=overlaps, **options)
        ]
        asked = {"overlaps": overlaps, "columns": oracle.columns, **options}
        assert index.find_batch(texts, **asked).to_pylist() == expected
        batches = index.iter_batches(iter(texts), rows=5, **asked)
        assert [row for batch in batches for row in batch] == expected


@given(situations(), st.data())
def test_completions_are_those_of_the_definition(situation: Situation, data: st.DataObject) -> None:
    index, oracle = situation.vocabulary.index(), situation.vocabulary.oracle()
    limit = data.draw(st.none() | st.integers(0, 6))
    for phrase in situation.phrases:
        prefix = phrase[: data.draw(st.integers(0, len(phrase)))]
        for tried in (phrase, prefix, phrase + " "):
            assert index.complete(tried) == oracle.complete(tried)
            assert index.complete(tried, limit=limit) == oracle.complete(tried, limit=limit)
            found = index.complete(tried, limit=limit, order="any")
            assert found == oracle.complete(tried, limit=limit, order="any")


@given(situations())
def test_pairs_are_those_of_the_definition(situation: Situation) -> None:
    index, oracle = situation.vocabulary.index(), situation.vocabulary.oracle()
    for direct in (False, True):
        expected = [pair._asdict() for pair in oracle.pairs(direct=direct)]
        assert index.pairs(direct=direct).to_pylist() == expected


@given(situations())
def test_the_vocabulary_is_that_of_the_definition(situation: Situation) -> None:
    index, oracle = situation.vocabulary.index(), situation.vocabulary.oracle()
    assert len(index) == len(oracle.surfaces)
    assert list(index) == oracle.surfaces
    assert [index[id_] for id_ in range(len(index))] == oracle.surfaces
    firsts = [oracle.weights[oracle.id(surface)] for surface in oracle.surfaces]
    assert [index.weight(surface) for surface in oracle.surfaces] == firsts
    assert index.stats().skipped == oracle.skipped
    assert index.stats().duplicates == oracle.duplicates

    strings = situation.vocabulary.terms + situation.phrases
    ids: list[int | None] = []
    for string in strings:
        try:
            ids.append(oracle.id(string))
        except KeyError:
            ids.append(None)
    assert list(index.ids(strings)) == ids
    for string, id_ in zip(strings, ids, strict=True):
        assert (string in index) == (id_ is not None)
        if id_ is None:
            with pytest.raises(KeyError):
                index.id(string)
            with pytest.raises(KeyError):
                index.weight(string)
        else:
            assert index.id(string) == id_
            assert index.weight(string) == oracle.weights[id_]


@settings(max_examples=60)
@given(situation=situations())
def test_threads_and_files_change_nothing(
    situation: Situation, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("nest")
    vocabulary = situation.vocabulary
    built = vocabulary.index(threads=1)
    saved = [folder / name for name in ("one.nest", "two.nest", "again.nest")]
    built.save(saved[0])
    vocabulary.index(threads=2).save(saved[1])
    normalize: Callable[[str], str] | None = vocabulary.options.get("normalize")
    mapped = TermIndex.open(saved[1], normalize=normalize)
    mapped.check()
    mapped.save(saved[2])
    assert len({path.read_bytes() for path in saved}) == 1

    read = TermIndex.open(saved[0], normalize=normalize, mmap=False)
    for index in (mapped, read):
        assert list(index) == list(built)
        assert index.stats().skipped == built.stats().skipped
        assert index.stats().duplicates == built.stats().duplicates
        assert index.pairs().to_pylist() == built.pairs().to_pylist()
        for phrase in situation.phrases:
            assert index.super_terms(phrase) == built.super_terms(phrase)
            assert index.nested_terms(phrase) == built.nested_terms(phrase)
            assert index.complete(phrase) == built.complete(phrase)
            assert list(index.find(phrase)) == list(built.find(phrase))
    assert [index.weight(term) for term in mapped] == [built.weight(term) for term in built]


@pytest.mark.parametrize("name", sorted(ANALYSES))
def test_a_large_vocabulary_is_that_of_the_definition(name: str, tmp_path: Path) -> None:
    """Small vocabularies are built by one thread and small batches are not divided."""
    analysis = ANALYSES[name]
    source = random.Random(29)

    def phrase(joints: tuple[str, ...], most: int) -> str:
        pieces = source.choices(analysis.pieces, k=source.randint(0, most))
        return source.choice(joints).join(pieces)

    terms = [phrase(analysis.joints, 7) for _ in range(5_000)]
    weights = [source.randint(0, 50) for _ in terms]
    columns: dict[str, list[Any]] | None = None
    if len(name) % 2:
        columns = {"label": [["x", "y", None][number % 3] for number in range(len(terms))]}
    aliases: list[tuple[str, str]] = []
    if analysis.aliases:
        some = [(source.choice(terms), phrase(analysis.joints, 7)) for _ in range(400)]
        aliases = possible_aliases(terms, some, analysis.options, columns)
    vocabulary = Vocabulary(terms, weights, analysis.options, tuple(aliases), columns)
    files = []
    for threads in (1, 2, 5, None):
        path = tmp_path / f"{threads}.nest"
        vocabulary.index(threads).save(path)
        files.append(path.read_bytes())
    assert len(set(files)) == 1

    index, oracle = vocabulary.index(threads=2), vocabulary.oracle()
    assert list(index) == oracle.surfaces
    assert index.scores().column("frequency").to_list() == oracle.weights
    assert (index.stats().skipped, index.stats().duplicates) == (oracle.skipped, oracle.duplicates)

    phrases = [phrase(analysis.query_joints, most) for most in (1, 2, 3, 4, 9, 14)]
    asked = source.choices(phrases, k=9_000)
    supers = {phrase: oracle.super_rows(phrase, limit=2) for phrase in phrases}
    nested = {phrase: oracle.nested_rows(phrase, limit=2) for phrase in phrases}
    expected = table_rows([supers[phrase] for phrase in asked])
    assert index.super_terms_batch(asked, limit=2).to_pylist() == expected
    expected = table_rows([nested[phrase] for phrase in asked])
    assert index.nested_terms_batch(asked, limit=2).to_pylist() == expected


def test_threads_change_nothing_in_a_vocabulary_of_repetitions(tmp_path: Path) -> None:
    source = random.Random(29)
    words = [f"w{number}" for number in range(400)] + ["a"] * 100
    terms = [" ".join(source.choices(words, k=source.randint(1, 6))) for _ in range(30_000)]
    terms += ["a " * source.randint(1, 300) for _ in range(200)]
    files = []
    for threads in (1, 2, 5, None):
        path = tmp_path / f"{threads}.nest"
        TermIndex(terms, threads=threads).save(path)
        files.append(path.read_bytes())
    assert len(set(files)) == 1


@dataclass(frozen=True)
class LongSituation:
    """A long, almost periodic phrase of one or two words, and terms of which many occur in it."""

    vocabulary: Vocabulary
    phrase: str


@st.composite
def long_situations(draw: st.DrawFn, longest_term: int) -> LongSituation:
    """Terms and a phrase of 200 to 2,000 tokens, words or characters."""
    chars = draw(st.booleans())
    joint, options = ("", {"tokenizer": "chars"}) if chars else (" ", {})
    period = draw(st.lists(st.sampled_from("ab"), min_size=1, max_size=4))
    length = draw(st.integers(200, 2_000))
    tokens = (period * length)[:length]
    for place in draw(st.lists(st.integers(0, length - 1), max_size=3)):
        tokens[place] = draw(st.sampled_from("abz"))

    terms = draw(st.lists(joined(("a", "b"), (joint,), 6), max_size=4))
    cuts = st.tuples(st.integers(0, length - 1), st.integers(1, longest_term))
    for start, size in draw(st.lists(cuts, min_size=1, max_size=5)):
        terms.append(joint.join(tokens[start : start + size]))
    return LongSituation(Vocabulary(terms, None, options), joint.join(tokens))


@settings(max_examples=50)
@given(long_situations(longest_term=300))
def test_nested_terms_of_a_long_phrase_are_those_of_the_definition(long: LongSituation) -> None:
    index, oracle = long.vocabulary.index(), long.vocabulary.oracle()
    for where, direct in product(WHERES, (False, True)):
        expected = oracle.nested_rows(long.phrase, where=where, direct=direct)
        terms = [row.term for row in expected]
        assert index.nested_terms(long.phrase, where=where, direct=direct) == terms
        table = index.nested_terms_batch([long.phrase], where=where, direct=direct)
        assert table.to_pylist() == table_rows([expected])


@settings(max_examples=50)
@given(long_situations(longest_term=1_000), st.data())
def test_super_terms_of_a_long_phrase_are_those_of_the_definition(
    long: LongSituation, data: st.DataObject
) -> None:
    index, oracle = long.vocabulary.index(), long.vocabulary.oracle()
    phrase = data.draw(st.sampled_from([*long.vocabulary.terms, long.phrase]))
    tokens = list(phrase) if "tokenizer" in long.vocabulary.options else phrase.split(" ")
    joint = "" if "tokenizer" in long.vocabulary.options else " "
    first = data.draw(st.integers(0, len(tokens)))
    last = data.draw(st.integers(first, len(tokens)))
    phrase = joint.join(tokens[first:last])
    for where, direct in product(WHERES, (False, True)):
        expected = oracle.super_rows(phrase, where=where, direct=direct)
        terms = [row.term for row in expected]
        assert index.super_terms(phrase, where=where, direct=direct) == terms
        table = index.super_terms_batch([phrase], where=where, direct=direct)
        assert table.to_pylist() == table_rows([expected])
    assert index.complete(phrase) == oracle.complete(phrase)


@settings(max_examples=50)
@given(long_situations(longest_term=300))
def test_terms_in_a_long_text_are_those_of_the_definition(long: LongSituation) -> None:
    index, oracle = long.vocabulary.index(), long.vocabulary.oracle()
    for overlaps in OVERLAPS:
        found = [(m.term, m.id, m.start, m.end) for m in index.find(long.phrase, overlaps=overlaps)]
        assert found == oracle.find(long.phrase, overlaps=overlaps)


@settings(max_examples=50)
@given(long_situations(longest_term=300))
def test_pairs_of_long_terms_are_those_of_the_definition(long: LongSituation) -> None:
    vocabulary = Vocabulary([long.phrase, *long.vocabulary.terms], None, long.vocabulary.options)
    index, oracle = vocabulary.index(), vocabulary.oracle()
    for direct in (False, True):
        expected = [pair._asdict() for pair in oracle.pairs(direct=direct)]
        assert index.pairs(direct=direct).to_pylist() == expected


@settings(max_examples=40)
@given(st.text(alphabet=[*WHITE_SPACE, "\x1c", "\x1f", "\u200b", "a", "b"], max_size=40))
def test_white_space_is_the_unicode_property(text: str) -> None:
    index, oracle = TermIndex(["a", "b", "a b"]), Oracle(["a", "b", "a b"])
    found = [(match.term, match.id, match.start, match.end) for match in index.find(text)]
    assert found == oracle.find(text)
    assert list(TermIndex([text])) == Oracle([text]).surfaces


@pytest.mark.parametrize("name", sorted(ANALYSES))
def test_every_analysis_gives_answers(name: str) -> None:
    """The random situations are useful: with each analysis some terms nest."""
    nesting = 0

    @settings(max_examples=30)
    @given(situations(ANALYSES[name]))
    def count(situation: Situation) -> None:
        nonlocal nesting
        nesting += len(situation.vocabulary.oracle().pairs())

    count()
    assert nesting > 0
