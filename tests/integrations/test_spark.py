"""termnest.spark on real Spark gives the answers of TermIndex."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from termnest import (
    FileAccessError,
    InvalidOptionError,
    InvalidTermError,
    MissingExtraError,
    MissingFileError,
    TermIndex,
    TermTypeError,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Spark itself uses what Python and pandas will remove.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::FutureWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

JAVA = shutil.which("java") or os.environ.get("JAVA_HOME")
if JAVA is None and not os.environ.get("TERMNEST_NEVER_SKIP"):
    pytest.skip("Spark needs Java 17, and none is installed", allow_module_level=True)


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        # The virtual machine lives for a minute: it compiles fast, not well.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )
    yield session
    session.stop()


def frame(spark: SparkSession, terms: list[str | None], partitions: int = 3) -> DataFrame:
    rows = [(term,) for term in terms]
    return spark.createDataFrame(rows, "term string").repartition(partitions)


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in frame.collect())


def pairs_of(index: TermIndex) -> list[tuple[str, str, int]]:
    found = index.pairs().to_pylist()
    return sorted((index[row["nested"]], index[row["super"]], row["start"]) for row in found)


def small_vocabulary(seed: int, words: list[str], joiner: str) -> list[str | None]:
    """Terms that nest, repeat and overlap; some twice, some without a token, some null."""
    choice = random.Random(seed)
    terms: list[str | None] = [None, "", joiner, " "]
    for _ in range(150):
        count = choice.choice([1, 1, 2, 2, 3, 4, 5, 20])
        terms.append(joiner.join(choice.choice(words) for _ in range(count)))
    return terms + choice.choices(terms, k=20)


@pytest.mark.parametrize(
    ("words", "joiner", "analysis"),
    [
        (["a", "b", "c"], " ", {}),
        (["a", "B", "b", "A"], "  ", {"lowercase": True}),
        (["a", "b", " ", "a b"], "_", {"separator": "_"}),
        (["é", "e", "É", "à la"], ", ", {"tokenizer": "words", "strip_accents": True}),
        (["ab", "ba", "한", "👍🏽"], "", {"tokenizer": "chars"}),
        (["cell", "cells", "s", "t"], " ", {"normalize": lambda token: token.rstrip("s")}),
    ],
    ids=["whitespace", "lowercase", "separator", "words", "chars", "normalize"],
)
def test_pairs_are_those_of_an_index(
    spark: SparkSession, words: list[str], joiner: str, analysis: dict[str, Any]
) -> None:
    from termnest.spark import containment_pairs

    terms = small_vocabulary(7, words, joiner)
    expected = pairs_of(TermIndex([term or "" for term in terms], **analysis))
    assert len(expected) > 100
    found = containment_pairs(frame(spark, terms), **analysis)
    assert found.columns == ["nested", "super", "start"]
    assert rows(found) == expected


@pytest.mark.parametrize("options", [{"filter_bytes": 0}, {"partitions": 1}, {"partitions": 7}])
def test_neither_the_filter_nor_the_partitions_change_the_pairs(
    spark: SparkSession, options: dict[str, Any]
) -> None:
    from termnest.spark import containment_pairs

    # More n-grams than are frequent, so that both kinds are joined.
    choice = random.Random(1)
    words = [f"w{i}" for i in range(300)]
    terms = [" ".join(choice.choices(words, k=choice.randint(1, 3))) for _ in range(3000)]
    found = containment_pairs(frame(spark, list(terms)), **options)
    assert rows(found) == pairs_of(TermIndex(terms))


@pytest.mark.parametrize("kind", ["int", "bigint", "string"])
def test_ids_have_their_type_and_equal_terms_the_least(spark: SparkSession, kind: str) -> None:
    from termnest.spark import containment_pairs

    entries = [(10, "b c"), (-3, "a"), (7, "b  c"), (4, "a b c"), (5, ""), (20, "a"), (6, "b")]
    vocabulary = spark.createDataFrame(entries, "key int, phrase string").repartition(3)
    vocabulary = vocabulary.withColumn("key", vocabulary["key"].cast(kind))
    found = containment_pairs(vocabulary, "phrase", "key")
    assert found.schema["nested"].dataType.simpleString() == kind
    # As texts, "10" comes before "7".
    both = 10 if kind == "string" else 7
    expected = [(-3, 4, 0), (both, 4, 1), (6, both, 0), (6, 4, 1)]
    assert sorted((int(a), int(b), start) for a, b, start in rows(found)) == sorted(expected)


def test_scores_are_those_of_an_index(spark: SparkSession) -> None:
    from termnest.spark import containment_scores

    terms = [term or "" for term in small_vocabulary(3, ["a", "b", "A"], " ")]
    weights = [float(i % 7) for i in range(len(terms))]
    vocabulary = spark.createDataFrame(list(zip(terms, weights, strict=True)), ["term", "f"])
    found = containment_scores(vocabulary, weight="f", lowercase=True)
    scored = TermIndex(terms, weights=weights, lowercase=True).scores(terms=True).to_pylist()
    expected = {row["term"]: row for row in scored}
    assert set(found.columns) - {"term"} <= set(scored[0])
    answers = [row.asDict() for row in found.collect()]
    assert {row["term"] for row in answers} == set(expected)
    assert len(answers) == len(expected) > 50
    for row in answers:
        wanted = expected[row["term"]]
        assert row == pytest.approx({name: wanted[name] for name in row})


def test_ids_that_are_equal_under_a_collation_stay_apart(spark: SparkSession) -> None:
    from termnest.spark import containment_scores

    terms = spark.createDataFrame(
        [("A", "x"), ("a", "x y"), ("b", "z x")], "id string collate UTF8_LCASE, term string"
    )
    scores = (
        containment_scores(terms, id="id", partitions=2).select("term", "super_count").collect()
    )
    assert sorted((row["term"], row["super_count"]) for row in scores) == [
        ("A", 2),
        ("a", 0),
        ("b", 0),
    ]


def test_scores_without_weights_count_each_term_once(spark: SparkSession) -> None:
    from termnest.spark import containment_scores

    found = containment_scores(frame(spark, ["a", "a b", "a", "c a b"])).select(
        "term", "frequency", "super_count", "super_frequency", "nested_count"
    )
    assert rows(found) == [
        ("a", 1.0, 2, 2.0, 0),
        ("a b", 1.0, 1, 1.0, 1),
        ("c a b", 1.0, 0, 0.0, 2),
    ]


@pytest.mark.parametrize("planted", ["the", "out of the way of"])
def test_a_term_that_half_of_the_terms_contain_does_not_pile_up(
    spark: SparkSession, planted: str
) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    from termnest.spark import containment_pairs

    terms = [f"a{i} {planted} b{i}" if i % 2 else f"a{i} b{i // 2}" for i in range(20_000)]
    terms += [planted, "b1", "a2"]
    found = containment_pairs(frame(spark, list(terms)), partitions=8)
    shares = [row["count"] for row in found.groupBy(F.spark_partition_id()).count().collect()]
    assert sum(shares) == len(TermIndex(terms).pairs())
    assert len(shares) == 8
    assert max(shares) < 2 * min(shares)


def test_spark_sends_each_partition_key_to_its_partition(spark: SparkSession) -> None:
    from termnest.spark.partitions import partition_keys

    keys = partition_keys(100)
    frame = spark.createDataFrame([(key,) for key in keys], "key int")
    sent = frame.selectExpr("key", "pmod(hash(key), 100) as partition").collect()
    assert sorted((row["partition"], row["key"]) for row in sent) == list(enumerate(keys))


def test_an_empty_vocabulary_has_no_pairs(spark: SparkSession) -> None:
    from termnest.spark import containment_pairs, containment_scores

    nothing = spark.createDataFrame([], "term string")
    assert rows(containment_pairs(nothing)) == []
    assert rows(containment_pairs(frame(spark, [None, " "]))) == []
    assert rows(containment_scores(nothing)) == []


# --- queries ---

TERMS = ["york", "new york", "new york city", "city", "york minster"]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    TermIndex(TERMS, weights=[5, 4, 3, 2, 1], lowercase=True).save(tmp_path / "cities.nest")
    return tmp_path / "cities.nest"


def test_queries_are_answered_as_by_the_index(spark: SparkSession, index: Path) -> None:
    from termnest.spark import nested_terms, super_terms

    phrases = ["York", "new york city hall", "nowhere", "", "city"]
    queries = [(i, phrase) for i, phrase in enumerate([*phrases, None])]
    asked = spark.createDataFrame(queries, "number int, query string").repartition(2)
    opened = TermIndex.open(index)
    tables = {
        "super": (
            super_terms(asked, index, keep=["number"], where="start", limit=2),
            opened.super_terms_batch(phrases, where="start", limit=2),
        ),
        "nested": (
            nested_terms(asked, index, keep=["number"], direct=True),
            opened.nested_terms_batch(phrases, direct=True),
        ),
    }
    for found, expected in tables.values():
        names = ["id", "term", "weight", "start", "length"]
        assert found.columns == ["query", "number", *names]
        wanted = [
            (phrases[row["query"]], row["query"], *(row[name] for name in names))
            for row in expected.to_pylist()
        ]
        assert rows(found) == sorted(wanted) != []


def test_terms_in_texts_are_found_as_by_the_index(spark: SparkSession, index: Path) -> None:
    from termnest.spark import find

    texts = ["In New York city, é york minster", "", "nothing", "York"]
    asked = spark.createDataFrame(list(enumerate([*texts, None])), "number int, text string")
    found = find(asked, index, keep=["number"], overlaps="longest")
    assert found.columns == ["number", "term", "id", "start", "end"]
    opened = TermIndex.open(index)
    wanted = [
        (number, *match)
        for number, text in enumerate(texts)
        for match in opened.find(text, overlaps="longest")
    ]
    assert rows(found) == sorted(wanted) != []


def test_found_terms_have_columns_and_are_chosen_by_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    from termnest.spark import find

    columns: dict[str, list[Any]] = {
        "label": ["place", "name", None],
        "n": [1, 2, 3],
        "x": [0.5, None, 2],
        "sure": [True, False, None],
        "tags": [["u"], [], None],
    }
    index = TermIndex(["york", "york", "new york"], columns=columns)
    index.save(tmp_path / "t.nest")
    texts = ["in new york", None, "york"]
    asked = spark.createDataFrame(list(enumerate(texts)), "number int, text string")
    names = [*columns]
    found = find(asked, tmp_path / "t.nest", keep=["number"], columns=names)
    assert dict(found.dtypes) | {"n": "bigint", "tags": "array<string>"} == dict(found.dtypes)
    expected = index.find_batch(texts, columns=names).to_pylist()
    order = ("row", "id", "start")
    assert [
        row.asDict() for row in sorted(found.collect(), key=lambda row: (row[0], row["id"], row[3]))
    ] == [
        {"number": row.pop("row"), **row}
        for row in sorted(expected, key=lambda row: tuple(row[name] for name in order))
    ]
    chosen = find(asked, tmp_path / "t.nest", where={"label": ["name", None], "n": [2, 3]})
    assert sorted(row["id"] for row in chosen.collect()) == [1, 1, 2]
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"columns": ["town"]}, InvalidOptionError, "columns cannot be 'town'"),
        ({"columns": "label"}, TermTypeError, "columns must be"),
        ({"where": {"town": 1}}, InvalidOptionError, "town"),
        ({"where": "label"}, TermTypeError, "where must be"),
    ]
    for options, error, message in wrong:
        with pytest.raises(error, match=message):
            find(asked, tmp_path / "t.nest", **options)
    with pytest.raises(MissingFileError, match="the driver sees no index"):
        find(asked, "/nowhere/t.nest", columns=["label"])


def test_an_index_that_was_sent_to_executors_is_found_there(
    spark: SparkSession, index: Path
) -> None:
    from termnest.spark import super_terms

    spark.sparkContext.addFile(str(index))
    asked = spark.createDataFrame([("minster",)], ["query"])
    found = super_terms(asked, "/nowhere/cities.nest").select("term")
    assert rows(found) == [("york minster",)]


def test_another_index_of_the_same_name_does_not_answer(
    spark: SparkSession, index: Path, tmp_path: Path
) -> None:
    from termnest.spark.saved_index import SavedIndex, saved_index

    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    sent, meant = tmp_path / "old" / "names.nest", tmp_path / "new" / "names.nest"
    TermIndex(["old york"]).save(sent)
    TermIndex(["new york"]).save(meant)
    spark.sparkContext.addFile(str(sent))
    known = saved_index(meant, None)
    assert list(known.open()) == ["new york"]
    meant.rename(tmp_path / "away.nest")  # as on an executor that does not see it
    with pytest.raises(InvalidOptionError, match=r"names\.nest that was sent .* is not "):
        known.open()
    assert list(SavedIndex(str(meant)).open()) == ["old york"]


def test_an_index_that_executors_do_not_see_is_reported_in_a_sentence(spark: SparkSession) -> None:
    from termnest.spark import super_terms

    asked = spark.createDataFrame([("york",)], ["query"])
    found = super_terms(asked, "/nowhere/at-all.nest")
    with pytest.raises(Exception, match=r"sees no index /nowhere/at-all.nest: put it on a file"):
        found.collect()


# --- bad input ---


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda t, s: s.containment_pairs(["a"]),
            TermTypeError,
            r"^df must be a Spark data frame, not \['a'\]$",
        ),
        (lambda t, s: s.containment_pairs(t, "word"), InvalidOptionError, "'word': no column has"),
        (lambda t, s: s.containment_pairs(t, id="key"), InvalidOptionError, "'key': no column has"),
        (
            lambda t, s: s.containment_pairs(t, "n"),
            TermTypeError,
            "strings, not 'n'.* of int",
        ),
        (
            lambda t, s: s.containment_pairs(t, id="f"),
            TermTypeError,
            "of integers or strings",
        ),
        (lambda t, s: s.containment_pairs(t, id="n"), InvalidTermError, "1 occurs 2 times"),
        (lambda t, s: s.containment_pairs(t, id="m"), InvalidTermError, "is null, and each entry"),
        (lambda t, s: s.containment_pairs(t, separator=""), InvalidOptionError, "separator"),
        (lambda t, s: s.containment_pairs(t, tokenizer="x"), InvalidOptionError, "tokenizer"),
        (lambda t, s: s.containment_pairs(t, partitions=0), InvalidOptionError, "s cannot be 0"),
        (
            lambda t, s: s.containment_scores(t, weight="term"),
            TermTypeError,
            "a column of numbers",
        ),
        (lambda t, s: s.containment_pairs(t, 5), TermTypeError, "^term must be the name of"),
        (lambda t, s: s.containment_pairs(t, partitions="x"), InvalidOptionError, "^partitions"),
        (
            lambda t, s: s.containment_pairs(t, filter_bytes=None),
            InvalidOptionError,
            "^filter_bytes cannot be None",
        ),
        (lambda t, s: s.find("text", "x"), TermTypeError, "^texts must be a Spark data frame"),
        (lambda t, s: s.nested_terms(None, "x"), TermTypeError, "^queries must be a Spark"),
        (lambda t, s: s.super_terms(t, 5), TermTypeError, "^index must be a str or PathLike"),
        (lambda t, s: s.super_terms(t, "x", normalize=5), TermTypeError, "^normalize must be"),
        (
            lambda t, s: s.super_terms(t, "x", column="term", keep=5),
            TermTypeError,
            "^keep must be a list of columns, not 5",
        ),
        (lambda t, s: s.super_terms(t, "x"), InvalidOptionError, "'query': no column has"),
        (
            lambda t, s: s.super_terms(t, "x", column="n"),
            TermTypeError,
            "a column of strings",
        ),
        (
            lambda t, s: s.super_terms(t, "x", column="term"),
            InvalidOptionError,
            "column cannot be 'term': answers have",
        ),
        (
            lambda t, s: s.super_terms(t, "x", column="term", where="no"),
            InvalidOptionError,
            "where cannot be",
        ),
        (lambda t, s: s.find(t, "x", column="term", overlaps="?"), InvalidOptionError, "overlaps"),
        (lambda t, s: s.find(t, "x", column="term", keep="n"), InvalidOptionError, r"\['n'\]"),
    ],
)
def test_impossible_options_are_refused_on_the_driver(
    spark: SparkSession,
    call: Callable[[DataFrame, Any], object],
    error: type[Exception],
    message: str,
) -> None:
    import termnest.spark

    entries = [("a", 1, 1, 0.5), ("b", 1, None, 1.5)]
    table = spark.createDataFrame(entries, "term string, n int, m int, f double")
    with pytest.raises(error, match=message):
        call(table, termnest.spark)


def test_a_term_that_is_too_long_is_reported_with_its_beginning(spark: SparkSession) -> None:
    from termnest.spark import containment_pairs

    with pytest.raises(InvalidTermError, match=r'term that begins with "long long .*5000 tokens'):
        containment_pairs(frame(spark, ["a", "long " * 5000]))


@pytest.mark.parametrize("weight", [-1.0, float("nan"), None])
def test_an_impossible_weight_is_reported_with_its_term(
    spark: SparkSession, weight: float | None
) -> None:
    from termnest.spark import containment_scores

    vocabulary = spark.createDataFrame([("a", 1.0), ("b c", weight)], "term string, f double")
    with pytest.raises(InvalidTermError, match=r"the weight of 'b c' is .*, and a weight must be"):
        containment_scores(vocabulary, weight="f")


def test_a_package_that_is_missing_or_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from termnest.spark.session import check_packages

    check_packages()
    monkeypatch.setitem(sys.modules, "pyspark", SimpleNamespace(__version__="3.5.1"))
    with pytest.raises(MissingExtraError, match=r"needs pyspark 4, and 3.5.1 is installed"):
        check_packages()
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'termnest\[spark\]'"):
        check_packages()


# --- the command ---


def command(*arguments: object) -> int:
    from termnest.spark.__main__ import main

    return main(["pairs", *map(str, arguments)])


@pytest.mark.parametrize("name", ["terms.txt", "terms.csv", "terms.tsv", "terms.parquet"])
def test_the_command_reads_each_format_and_writes_parquet(
    spark: SparkSession, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    terms = ["google", "google llc", 'the "llc"', "llc", ""]
    path = tmp_path / name
    match path.suffix:
        case ".txt":
            # A line ends at LF, CRLF or a CR alone.
            path.write_bytes(b'google\r\ngoogle llc\rthe "llc"\nllc\n')
        case ".csv":
            path.write_text('n,term\n1,google\n2,google llc\n3,"the ""llc"""\n4,llc\n5,\n')
        case ".tsv":
            path.write_text("term\tn\n" + "".join(f"{term}\t1\n" for term in terms))
        case ".parquet":
            pq.write_table(pa.table({"n": range(5), "term": terms}), path)
    out = tmp_path / "pairs.parquet"
    assert command(path, out, "--separator", " ") == 0
    assert rows(spark.read.parquet(str(out))) == pairs_of(TermIndex(terms, separator=" "))
    printed = capsys.readouterr().err
    # A last line end is not followed by an empty line.
    assert "1 without a token" in printed or path.suffix in (".txt", ".csv")
    assert "2 pairs in " in printed
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([name, "pairs.parquet"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("terms.csv", "google\ngoogle llc\n"),
        ("terms.tsv", "google\t1\ngoogle llc\t2\n"),
        ("terms.csv", "n;Term\n1;google\n2;google llc\n"),
        ("terms.csv", "Keyword,volume\ngoogle,1\ngoogle llc,2\n"),
        ("terms.tsv", "phrase\tcount\ngoogle\t1\ngoogle llc\t2\n"),
    ],
)
def test_the_command_finds_headers_like_the_index(
    spark: SparkSession, tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    out = tmp_path / "out"
    assert command(tmp_path / name, out) == 0
    assert rows(spark.read.parquet(str(out))) == [("google", "google llc", 0)]
    assert pairs_of(TermIndex.from_file(tmp_path / name)) == [("google", "google llc", 0)]


def test_an_output_that_cannot_be_replaced_stays_as_it_was(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from termnest.spark.output_folder import OutputFolder

    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("precious")
    folder = OutputFolder(spark, str(out))
    real = folder._system

    class Refusing:
        def rename(self, old: Any, new: Any) -> bool:
            # The old folder can be moved aside and back, the new one cannot take its name.
            is_new = old.getName().startswith(".termnest") and not old.getName().endswith("before")
            return False if is_new else real.rename(old, new)

        def __getattr__(self, name: str) -> Any:
            return getattr(real, name)

    folder._system = Refusing()
    with (
        pytest.raises(FileAccessError, match="cannot rename"),
        folder.replaced(overwrite=True) as place,
    ):
        Path(place).mkdir()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (out / "mine").read_text() == "precious"


def test_the_command_replaces_an_output_only_with_overwrite(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "terms.txt").write_text("a\nb a\n")
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("precious")
    assert command(tmp_path / "terms.txt", out) == 2
    assert "exists: choose another name, or use --overwrite" in capsys.readouterr().err
    assert (out / "mine").read_text() == "precious"
    assert command(tmp_path / "terms.txt", out, "--overwrite") == 0
    assert not (out / "mine").exists()
    assert rows(spark.read.parquet(str(out))) == [("a", "b a", 1)]


def test_a_job_that_fails_leaves_nothing_and_says_one_sentence(
    spark: SparkSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "terms.txt").write_text("a\nb a\n")
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("precious")
    before = sorted(tmp_path.rglob("*"))

    def fails(self: object, batches: Iterator[object]) -> Iterator[object]:
        raise InvalidTermError("the last step failed")

    # Pickled by value, so that executors have it too.
    fails.__module__ = "__main__"
    broken = type("Broken", (), {"__call__": fails, "__module__": "__main__"})
    monkeypatch.setattr("termnest.spark.join.PairsTask", lambda fields: broken())
    assert command(tmp_path / "terms.txt", out, "--overwrite") == 2
    assert capsys.readouterr().err.endswith("termnest: the last step failed\n")
    assert sorted(tmp_path.rglob("*")) == before
    assert (out / "mine").read_text() == "precious"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.txt", "out"], "cannot read nothing.txt: "),
        (["terms.txt", "out", "--column", "word"], "--column cannot be 'word': "),
        (["terms.csv", "out", "--column", "word"], "--column cannot be 'word': no column has this"),
        (["terms.csv", "out", "--id-column", "n"], "'1' occurs 2 times"),
        (["terms.txt", "out", "--separator", ""], "--separator cannot be "),
        (["latin1.txt", "out"], "the vocabulary has text that is not UTF-8"),
        (["terms.txt", "terms.txt/out"], "is not a directory"),
    ],
)
def test_the_command_says_what_is_wrong(
    spark: SparkSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "terms.txt").write_text("a\nb a\n")
    (tmp_path / "terms.csv").write_text("term,n\na,1\nb a,1\n")
    (tmp_path / "latin1.txt").write_bytes(b"caf\xe9\na\n")
    arguments[:2] = [str(tmp_path / name) for name in arguments[:2]]
    assert command(*arguments) == 2
    printed = capsys.readouterr().err
    assert message.replace("nothing.txt", str(tmp_path / "nothing.txt")) in printed
    assert "Traceback" not in printed
    assert len(printed.strip().splitlines()) <= 3
    assert not (tmp_path / "out").exists()


def test_the_command_runs_by_itself_and_without_java_says_so(tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("a\nb a\n")
    run = [sys.executable, "-m", "termnest.spark", "pairs", "terms.txt", "out"]
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment["PATH"] = str(tmp_path)
    broken = subprocess.run(
        run, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert broken.returncode == 2
    assert "termnest: Spark needs Java 17 or newer" in broken.stderr
    assert "Traceback" not in broken.stderr
    helped = subprocess.run(
        [*run[:3], "pairs", "--help"], capture_output=True, text=True, timeout=60
    )
    assert helped.returncode == 0
    assert "--overwrite" in helped.stdout


# --- executors ---


def test_only_rows_of_files_have_a_stable_order(spark: SparkSession, tmp_path: Path) -> None:
    from termnest.spark.partitions import has_stable_order

    (tmp_path / "terms.txt").write_text("a\nb a\n")
    read = spark.read.text(str(tmp_path / "terms.txt"))
    assert has_stable_order(read.selectExpr("upper(value) as term"))
    exchanged = [read.distinct(), read.repartition(2), read.groupBy("value").count(), read.cache()]
    exchanged.append(spark.createDataFrame(read.rdd.repartition(2)))
    exchanged.append(read.join(read.distinct(), "value"))
    for frame in exchanged:
        assert not has_stable_order(frame)
    read.unpersist()
