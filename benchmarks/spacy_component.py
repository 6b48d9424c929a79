"""The spaCy component beside PhraseMatcher with filter_spans, per Doc.

    make bench-spacy VOCABULARY=w2v.txt.gz SEPARATOR=_ TEXT=brown.txt.gz

The Docs have their tokens already; both sides mark a span group. Before the clock starts, the spans
must be equal. The component with the index's own analysis finds more: the term "and." is in every
"and". So it is measured on the terms of letters and digits alone, where both find about the same.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import spacy
from spacy.matcher import PhraseMatcher
from spacy.tokens import Doc
from spacy.util import filter_spans

from report import COLUMNS, Row, facts, write_csv, write_markdown
from run import race, say
from termnest import TermIndex
from termnest.spacy import TermnestComponent
from vocabulary import synthetic

WORDS = 100_000
"""Words of the text that are searched."""
WORDS_PER_DOCUMENT = 500


def main() -> None:
    """Measures, prints the results and writes them to files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("vocabulary", nargs="?", type=Path, help="one term per line; or synthetic")
    parser.add_argument("--separator", help="the separator of the vocabulary")
    parser.add_argument("--text", type=Path, help="a text to search, or synthetic")
    parser.add_argument("--terms", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--out", type=Path, default=Path("target/bench"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    nlp = spacy.blank("en")
    made = synthetic(max(options.terms))
    text = lines(options.text) if options.text else iter([made.text(WORDS)])
    words = list(islice((word for line in text for word in line.split()), WORDS))
    docs = {
        "documents": [nlp.make_doc(part) for part in cut(words, lambda: WORDS_PER_DOCUMENT)],
        "sentences": [nlp.make_doc(part) for part in cut(words, sentence_length())],
    }
    every = made.terms() if options.vocabulary is None else lines(options.vocabulary)
    terms = list(islice(every, max(options.terms)))
    if options.separator:
        terms = [term.replace(options.separator, " ") for term in terms]
    # PhraseMatcher looks for white space before a term, too.
    terms = list(dict.fromkeys(" ".join(term.split()) for term in terms))
    rows: list[Row] = []
    for count in options.terms:
        say(f"{count} terms")
        rows += compared(nlp, terms[:count], docs, options.repeat)
    conditions = facts(sys.argv, {})
    cells = [row.cells() for row in rows]
    write_csv(options.out / "spacy.csv", COLUMNS, cells, conditions)
    write_markdown(options.out / "spacy.md", "spaCy", COLUMNS, cells, conditions)
    print((options.out / "spacy.md").read_text())
    if any(row.met == "no" for row in rows):
        sys.exit("some measurements miss their limit")


def lines(path: Path) -> Iterator[str]:
    """The lines of a file."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for line in file:
            yield line.rstrip("\n")


def cut(words: list[str], length: Callable[[], int]) -> Iterator[str]:
    """Texts of some words each."""
    start = 0
    while start < len(words):
        end = start + length()
        yield " ".join(words[start:end])
        start = end


def sentence_length() -> Callable[[], int]:
    """Lengths as sentences have, 20 words on average."""
    lengths = random.Random(1)
    return lambda: lengths.randint(5, 35)


def compared(
    nlp: spacy.language.Language, terms: list[str], docs: dict[str, list[Doc]], repeat: int
) -> Iterator[Row]:
    """The rows for these terms."""
    clock = time.perf_counter()
    matcher = PhraseMatcher(nlp.vocab, attr="LOWER")
    tokenizer: Any = nlp.tokenizer
    matcher.add("TERM", list(tokenizer.pipe(terms)))
    of_matcher = time.perf_counter() - clock
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "terms.nest"
        clock = time.perf_counter()
        TermIndex(terms, lowercase=True).save(path)
        component = TermnestComponent(path, nlp=nlp, attr="LOWER", overlaps="leftmost")
        component(nlp.make_doc("text"))
        of_component = time.perf_counter() - clock
        size = f"{len(terms)} terms"
        yield Row(f"build, {size}", "PhraseMatcher", of_matcher, "s")
        yield Row(
            *(f"build, {size}", "termnest, LOWER", of_component, "s"),
            *(of_component / of_matcher, "PhraseMatcher", "<= 0.7x"),
        )
        every = TermnestComponent(path, nlp=nlp, attr="LOWER", overlaps="all")
        for some in docs.values():
            check(matcher, every, some)
        for kind, some in docs.items():
            engines = {"termnest, LOWER": component}
            yield from raced(f"{kind}, {size}", matcher, engines, some, repeat)
    plain = [term for term in terms if re.fullmatch(r"[^\W_]+( [^\W_]+)*", term)]
    matcher = PhraseMatcher(nlp.vocab, attr="LOWER")
    matcher.add("TERM", list(tokenizer.pipe(plain)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "terms.nest"
        TermIndex(plain, lowercase=True).save(path)
        own = TermnestComponent(path, nlp=nlp, overlaps="leftmost")
        for kind, some in docs.items():
            task = f"{kind}, {len(plain)} terms of letters and digits"
            yield from raced(task, matcher, {"termnest": own}, some, repeat)


def raced(
    task: str,
    matcher: PhraseMatcher,
    components: dict[str, TermnestComponent],
    docs: list[Doc],
    repeat: int,
) -> Iterator[Row]:
    """The times of PhraseMatcher and of some components."""

    def by_matcher() -> None:
        for doc in docs:
            doc.spans["matcher"] = filter_spans(matcher(doc, as_spans=True))

    def by(component: TermnestComponent) -> None:
        for doc in docs:
            component(doc)

    runners: dict[str, Callable[[], object]] = {"PhraseMatcher": by_matcher}
    runners |= {name: partial(by, component) for name, component in components.items()}
    best = race(runners, repeat)
    for engine, taken in best.items():
        is_peer = engine == "PhraseMatcher"
        runners[engine]()
        key = "matcher" if is_peer else "terms"
        spans = sum(len(doc.spans[key]) for doc in docs) / len(docs)
        yield Row(
            task=task,
            engine=engine,
            value=1e6 * taken / len(docs),
            unit="us/Doc",
            ratio=None if is_peer else taken / best["PhraseMatcher"],
            yardstick="" if is_peer else "PhraseMatcher",
            asked="" if is_peer else "<= 1.2x",
            repeats=repeat,
            notes=f"{spans:.2f} spans a Doc",
        )


def check(matcher: PhraseMatcher, component: TermnestComponent, docs: list[Doc]) -> None:
    """Ends the run if the two do not find the same spans."""
    for doc in docs:
        theirs = {(start, end) for _, start, end in matcher(doc)}
        ours = {(span.start, span.end) for span in component(doc).spans["terms"]}
        if different := theirs ^ ours:
            sys.exit(f"only one finds {[doc[start:end].text for start, end in different]}")


if __name__ == "__main__":
    main()
