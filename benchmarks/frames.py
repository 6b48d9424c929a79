"""Terms in many short texts, in one text as a list, in a tweet, on Spark, and in long texts.

    make bench-frames TEXT=brown.txt VOCABULARY=w2v.txt SEPARATOR=_ COUNTS=brown.tsv

Short texts are runs of 5 to 14 words of TEXT, terms are a random sample of VOCABULARY and, for half
of them, of the phrases in COUNTS, both in lower case. polars and ahocorasick_rs find substrings:
they get every text and every term with a blank before and after it, so that borders of words are
the same everywhere. Every engine must find the same terms in the same texts before it is timed;
engines take turns, and the best of the runs counts. --spark (which needs Java 17) measures
termnest.spark.find instead, --join a join of VOCABULARY with itself, --large 3.6 million names in
long texts.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ahocorasick_rs
import numpy as np
import polars as pl
import pyarrow as pa

from report import COLUMNS, Row, facts, write_csv, write_markdown
from run import say
from termnest import TermIndex, containment_join

TERMS = {2_000: "<= 1.0x", 50_000: "<= 1.0x", 400_000: "<= 0.4x"}
TWEET = "the fulton county grand jury said friday an investigation of the primary election"


def main() -> None:
    """Measures, prints the results and writes them to files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--text", type=Path, help="a corpus")
    parser.add_argument("--vocabulary", type=Path, help="a large vocabulary")
    parser.add_argument("--separator", help="the separator of the vocabulary")
    parser.add_argument("--counts", type=Path, help="phrases of the corpus")
    parser.add_argument("--texts", type=int, default=500_000, help="number of short texts")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--spark", action="store_true", help="measure termnest.spark.find instead")
    parser.add_argument("--join", action="store_true", help="measure containment_join instead")
    parser.add_argument("--large", action="store_true", help="and 3.6 million names in long texts")
    parser.add_argument("--out", type=Path, default=Path("target/bench"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    if options.join and options.vocabulary:
        rows += joined(options.vocabulary, options.separator, options.repeat)
    elif options.text and options.vocabulary:
        rows += in_texts_of(options)
    if options.large:
        rows.append(in_long_texts())
    if not rows:
        parser.error("give --text and --vocabulary, --join and --vocabulary, or --large")
    conditions = facts(sys.argv, {})
    cells = [row.cells() for row in rows]
    write_csv(options.out / "frames.csv", COLUMNS, cells, conditions)
    write_markdown(options.out / "frames.md", "Terms in texts", COLUMNS, cells, conditions)
    print((options.out / "frames.md").read_text())
    if any(row.met == "no" for row in rows):
        sys.exit("a value is not within its limit")


def in_texts_of(options: argparse.Namespace) -> list[Row]:
    """All that is measured on a corpus and a vocabulary."""
    random.seed(1)
    words = re.findall("[a-z0-9]+", options.text.read_text("utf-8", "replace").lower())
    texts = list(short_texts(words, options.texts))
    terms = list(terms_of(options.vocabulary, options.separator))
    random.shuffle(terms)
    phrases = list(terms_of(options.counts, None)) if options.counts else []
    random.shuffle(phrases)
    if options.spark:
        return on_spark(texts, chosen(50_000, phrases, terms), options.repeat)
    rows: list[Row] = []
    for count, asked in TERMS.items():
        rows += in_short_texts(texts, chosen(count, phrases, terms), asked, options.repeat)
    text = " ".join(texts)[:90_000]
    for count in (100, 1_000, 10_000, 100_000):
        rows += as_a_list(text, chosen(count, phrases, terms), options.repeat)
    return rows + in_a_tweet(chosen(400_000, phrases, terms), options.repeat)


def short_texts(words: list[str], count: int) -> Iterator[str]:
    """Runs of words, from the start again where the words end."""
    start = 0
    for _ in range(count):
        length = random.randint(5, 14)
        if start + length > len(words):
            start = random.randint(0, 20)
        yield " ".join(words[start : start + length])
        start += length


def terms_of(path: Path, separator: str | None) -> Iterator[str]:
    """The terms of a vocabulary that are ASCII words, in lower case."""
    for term in TermIndex.from_file(path, separator=separator):
        words = term.lower().replace(separator or " ", " ")
        if len(words) > 3 and re.fullmatch("[a-z0-9]+( [a-z0-9]+)*", words):
            yield words


def chosen(count: int, phrases: list[str], terms: list[str]) -> list[str]:
    """This many terms: up to half of them phrases."""
    some = list(dict.fromkeys(phrases[: min(count // 2, 50_000)] + terms[:count]))[:count]
    if len(some) < count:
        sys.exit(f"{count:,} terms are needed, and the vocabulary has {len(some):,}")
    return some


def race(repeat: int, **engines: Callable[[], Any]) -> dict[str, float]:
    """The best seconds of each engine; they take turns."""
    best = dict.fromkeys(engines, float("inf"))
    for _ in range(repeat):
        for name, work in engines.items():
            started = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def in_short_texts(texts: list[str], terms: list[str], asked: str, repeat: int) -> list[Row]:
    """find_batch beside polars and ahocorasick_rs; the answers must be equal."""
    task = f"{len(texts):,} short texts, {len(terms):,} terms"
    say(task)
    index = TermIndex(terms, tokenizer="whitespace")
    column = pl.Series("text", texts)
    padded = pl.DataFrame({"text": [f" {text} " for text in texts]})
    patterns = pl.Series([f" {term} " for term in terms])
    automaton = ahocorasick_rs.AhoCorasick(list(patterns), store_patterns=False)

    def with_polars() -> pl.DataFrame:
        found = pl.col("text").str.extract_many(patterns.implode(), overlapping=True)
        return padded.select(found)

    def with_ahocorasick() -> list[Any]:
        find = automaton.find_matches_as_indexes
        return [find(text, overlapping=True) for text in padded["text"]]

    table = index.find_batch(column).to_polars()
    ours = table.select("row", "term").sort("row", "term")
    theirs = with_polars().with_row_index("row").explode("text").drop_nulls()
    theirs = theirs.select(
        pl.col("row").cast(pl.UInt64), pl.col("text").str.strip_chars().alias("term")
    )
    places = [
        (row, id, start, end - 2)
        for row, found in enumerate(with_ahocorasick())
        for id, start, end in found
    ]
    if not ours.equals(theirs.sort("row", "term")) or sorted(places) != sorted(
        table.select("row", "id", "start", "end").iter_rows()
    ):
        sys.exit(f"{task}: the answers differ")
    seconds = race(
        repeat,
        termnest=lambda: index.find_batch(column),
        polars=with_polars,
        ahocorasick_rs=with_ahocorasick,
    )
    return rows_of(task, seconds, "polars", asked, repeat, f"{len(ours):,} matches")


def as_a_list(text: str, terms: list[str], repeat: int) -> list[Row]:
    """The list of matches in one text beside ahocorasick_rs."""
    task = f"find as a list, {len(text):,} bytes, {len(terms):,} terms"
    say(task)
    index = TermIndex(terms, tokenizer="whitespace")
    automaton = ahocorasick_rs.AhoCorasick([f" {term} " for term in terms], store_patterns=False)
    padded = f" {text} "

    def theirs() -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = automaton.find_matches_as_indexes(
            padded, overlapping=True
        )
        return found

    ours = [(match.id, match.start, match.end) for match in index.find(text)]
    if sorted(ours) != sorted((id, start, end - 2) for id, start, end in theirs()):
        sys.exit(f"{task}: the answers differ")
    engines = {"termnest": lambda: list(index.find(text)), "ahocorasick_rs": theirs}
    seconds = race(20 * repeat, **engines)
    notes = f"{len(ours):,} matches"
    return rows_of(task, seconds, "ahocorasick_rs", "<= 1.5x", 20 * repeat, notes)


def in_a_tweet(terms: list[str], repeat: int) -> list[Row]:
    """What a small call costs, by what is made of its answer."""
    say("a tweet")
    index = TermIndex(terms)

    def many(ask: Callable[[], Any]) -> Callable[[], None]:
        def work() -> None:
            for _ in range(1_000):
                ask()

        return work

    seconds = race(
        10 * repeat,
        find=many(lambda: index.find(TWEET)),
        table=many(lambda: index.find(TWEET).table),
        list=many(lambda: list(index.find(TWEET))),
        spans=many(lambda: index.find_spans(TWEET)),
    )
    task = "1,000 tweets, one by one"
    rows = rows_of(task, seconds, "find", "", 10 * repeat, f"{len(index.find(TWEET))} matches")
    rows[1].asked = "<= 3x"
    return rows


def on_spark(texts: list[str], terms: list[str], repeat: int) -> list[Row]:
    """termnest.spark.find beside a loop over batches written by hand."""
    from pyspark.sql import SparkSession

    from termnest.spark import find

    say("Spark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", False).getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "terms.nest")
        TermIndex(terms, tokenizer="whitespace").save(file)
        source = str(Path(folder) / "texts.parquet")
        numbered = pl.DataFrame({"number": np.arange(len(texts)), "text": texts})
        numbered.write_parquet(source, row_group_size=len(texts) // 8)
        frame = spark.read.parquet(source)

        def by_hand(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            index = TermIndex.open(file)
            for batch in batches:
                table = index.find_batch(batch["text"], threads=1).to_arrow()
                yield pa.RecordBatch.from_pydict({
                    "number": batch["number"].take(table["row"]).combine_chunks(),
                    "term": table["term"].cast(pa.string()).combine_chunks(),
                    "id": table["id"].cast(pa.int64()).combine_chunks(),
                    "start": table["start"].cast(pa.int64()).combine_chunks(),
                    "end": table["end"].cast(pa.int64()).combine_chunks(),
                })  # fmt: skip

        schema = "number bigint, term string, id bigint, start bigint, `end` bigint"
        ours = find(frame, file, keep=["number"])
        hand = frame.mapInArrow(by_hand, schema)
        if ours.count() != hand.count() or ours.exceptAll(hand).count():
            sys.exit("Spark: the answers differ")
        work = {
            "termnest.spark.find": lambda: ours.write.format("noop").mode("overwrite").save(),
            "mapInArrow": lambda: hand.write.format("noop").mode("overwrite").save(),
        }
        seconds = race(repeat, **work)
    return rows_of(f"Spark, {len(texts):,} texts", seconds, "mapInArrow", "<= 1.2x", repeat, "")


def joined(path: Path, separator: str | None, repeat: int) -> list[Row]:
    """A vocabulary joined with itself, beside the index and its pairs."""
    terms = list(TermIndex.from_file(path, separator=separator))
    say(f"a join of {len(terms):,} terms")
    frame = pl.DataFrame({"term": terms})
    options: Any = {"on": "term", "separator": separator, "proper": True}
    rows_only: Any = {"left_columns": [], "right_columns": []}
    index = TermIndex(frame["term"], separator=separator)
    pairs = index.pairs().to_polars()
    ours = containment_join(frame, frame, **options, **rows_only).to_polars()
    if not pairs.select(left_row="nested", right_row="super").equals(ours):
        sys.exit("the join and the pairs differ")

    def build_and_pairs(with_terms: bool) -> None:
        TermIndex(frame["term"], separator=separator).pairs(terms=with_terms)

    notes = f"{len(pairs):,} pairs"
    task = f"{len(terms):,} terms joined with themselves"
    seconds = race(
        repeat,
        **{
            "containment_join, no columns": lambda: containment_join(
                frame, frame, **options, **rows_only
            ),
            "build and pairs()": lambda: build_and_pairs(False),
            "pairs() of an index": index.pairs,
        },
    )
    rows = rows_of(task, seconds, "build and pairs()", "<= 1.5x", repeat, notes)
    seconds = race(
        repeat,
        **{
            "containment_join": lambda: containment_join(frame, frame, **options),
            "build and pairs(terms=True)": lambda: build_and_pairs(True),
            "pairs(terms=True) of an index": lambda: index.pairs(terms=True),
        },
    )
    task = f"{task}, with their columns"
    return rows + rows_of(task, seconds, "build and pairs(terms=True)", "<= 1.5x", repeat, notes)


def in_long_texts() -> Row:
    """3.6 million names in 11,000 texts of 4,000 words: build and find."""
    say("long texts")
    numbers = np.random.default_rng(1)
    words = np.array([f"w{number}" for number in range(300_000)], dtype=object)

    def some(count: int) -> Any:
        # Like the words of a language: the n-th is about 1/n as frequent as the first.
        return words[np.minimum(numbers.zipf(1.1, count) - 1, len(words) - 1)]

    lengths = numbers.integers(1, 5, 3_600_000)
    ends = np.cumsum(lengths)
    pool = words[numbers.integers(0, len(words), ends[-1])]
    names = [" ".join(pool[end - length : end]) for end, length in zip(ends, lengths, strict=True)]
    texts = [" ".join(some(4_000)) for _ in range(11_000)]
    started = time.perf_counter()
    index = TermIndex(names)
    built = time.perf_counter() - started
    found = index.find_batch(texts)
    total = time.perf_counter() - started
    notes = f"build {built:.1f} s; {len(index):,} terms, {len(found):,} matches"
    task = "3,600,000 names, 11,000 texts of 4,000 words"
    return Row(task, "termnest", total, "s", asked="<= 60", notes=notes)


def rows_of(
    task: str, seconds: dict[str, float], yardstick: str, asked: str, repeat: int, notes: str
) -> list[Row]:
    """The rows of a race; the limit is that of the first engine."""
    rows = []
    for engine, value in seconds.items():
        ratio = value / seconds[yardstick]
        rows.append(Row(task, engine, value, "s", ratio, yardstick, "", repeat))
    rows[0].asked, rows[0].notes = asked, notes
    return rows


if __name__ == "__main__":
    main()
