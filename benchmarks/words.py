"""Words as people write them: matches beside flashtext; what folding and stems cost.

    make bench-words VOCABULARY=w2v.txt SEPARATOR=_ TEXT=brown.txt GAZETTEER=phrases.tsv

flashtext finds 88,000 terms of GAZETTEER (VOCABULARY if it is not given) in TEXT, in lower case,
and so does termnest with `fold=True`. A match of flashtext is missed if none of ours has its place,
without a possessive and a period at its end. Every one that is missed is counted by its kind;
flashtext finds letters of abbreviations and of contracted words ("t" in "don't", "p" in "p.m."),
which no reader would mark. A text that is split into tokens (Brown, Penn Treebank) is written as
running text first. The rest is measured on VOCABULARY, with blanks for its separator, against the
same index without folding, in the same run.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from flashtext import KeywordProcessor

from report import COLUMNS, Row, facts, write_csv, write_markdown
from termnest import TermIndex

# The terms that are looked for beside flashtext.
GAZETTEER_TERMS = 88_000
# Differences shown of each kind.
EXAMPLES = 6
# Queries whose time is measured one by one.
QUERIES = 20_000
TEXT: dict[str, Any] = {"tokenizer": "text"}
FOLD: dict[str, Any] = {**TEXT, "fold": True}
ENGLISH: dict[str, Any] = {**TEXT, "language": "en"}
WHITESPACE: dict[str, Any] = {"tokenizer": "whitespace"}
ABBREVIATION = re.compile(r"(?:\w\w?\.)+\w{,2}\.?")
NUMBER = re.compile(r"[$+-]?\d[\d.,:/]*\d")
# A word as termnest sees it, with its apostrophes and periods.
WORD = re.compile(r"[\w'’.,&@:/*+-]+")
# Kinds of differences that nobody wants to be a match.
CONTRACTED = "a part of a word with an apostrophe, such as don't or 'em"
ABBREVIATED = "a part of an abbreviation"
CLOSING = re.compile(r"(['’]s?|\W)+\Z")


def say(text: str) -> None:
    """Prints a line at once."""
    print(text, flush=True)


def lines(path: Path) -> Iterator[str]:
    """The lines of a file, which may be compressed."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as file:
        for line in file:
            yield line.rstrip("\n")


def gazetteer(path: Path, separator: str | None) -> list[str]:
    """Distinct terms of one to four words, in lower case, in the order of the file."""
    found: dict[str, None] = {}
    for line in lines(path):
        term = line.partition("\t")[0].lower()
        words = term.replace(separator, " ").split() if separator else term.split()
        if 1 <= len(words) <= 4 and re.search(r"\w", term):
            found[" ".join(words)] = None
    return list(islice(found, GAZETTEER_TERMS))


def running_text(path: Path) -> str:
    """A text as it would be printed: no space before punctuation, quotes and clitics attached."""
    text = "\n".join(lines(path))
    text = re.sub(r"`` ?", "“", text)
    text = re.sub(r" ?''", "”", text)
    text = re.sub(r" (n't\b|'(?:s|re|ll|ve|d|m)\b)", r"\1", text, flags=re.IGNORECASE)
    text = re.sub(r" ([,.;:?!)\]%])", r"\1", text)
    return re.sub(r"([(\[$]) ", r"\1", text)


def kind(text: str, start: int, end: int) -> str:
    """Why a match of flashtext is not one of ours: the word that it is a part of."""
    before = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    # Not from an opening sign, as in “ or (.
    found = WORD.search(text, before)
    word, at = (found[0], found.start()) if found else ("", start)
    part = text[start:end]
    if re.search("['’]", text[max(0, start - 1) : end + 1]):
        return CONTRACTED
    if len(part.split()) == 1:
        for parts in re.finditer(r"[^-–]+", word):
            if at + parts.start() <= start and end <= at + parts.end():
                if ABBREVIATION.match(parts[0]):
                    return ABBREVIATED
                if NUMBER.match(parts[0]):
                    return "a part of a number"
    if text[start - 1 : start] == "-" or text[end : end + 1] == "-":
        return "a part of a word with hyphens"
    return "other"


def beside_flashtext(terms: list[str], text: str, repeat: int) -> list[Row]:
    """The matches of termnest and flashtext in a text."""
    processor = KeywordProcessor()
    for term in terms:
        processor.add_keyword(term)
    began = time.perf_counter()
    theirs = [tuple(found) for found in processor.extract_keywords(text, span_info=True)]
    peer = time.perf_counter() - began
    say(f"flashtext: {len(theirs):,} matches of {len(terms):,} terms in {peer:.1f} s")
    rows = []
    for name, options in (("fold", FOLD), ("fold, hyphens keep", FOLD | {"hyphens": "keep"})):
        index = TermIndex(terms, **options)
        ours = index.find(text, overlaps="leftmost")
        places = {(match.start, match.end) for match in index.find(text)}
        took = best(partial(index.find, text, overlaps="leftmost"), repeat)
        missed: Counter[str] = Counter()
        examples: dict[str, list[str]] = {}
        for _, start, end in theirs:
            # A last period and a possessive are not part of our matches: Jan., Department's.
            bare = start + len(CLOSING.sub("", text[start:end]))
            if places.isdisjoint(((start, end), (start, bare))):
                reason = kind(text, start, end)
                missed[reason] += 1
                shown = " ".join(text[max(0, start - 15) : end + 15].split())
                examples.setdefault(reason, []).append(f"{text[start:end]} in {shown}")
        known = {(start, end) for _, start, end in theirs}
        wrong = [match for match in ours if not same(match.term, text[match.start : match.end])]
        more = sum((match.start, match.end) not in known for match in ours)
        share = 100 * sum(missed.values()) / len(theirs)
        notes = "; ".join(f"{reason}: {count:,}" for reason, count in missed.most_common())
        say(f"{name}: {len(ours):,} matches, {share:.2f} % of flashtext's missed ({notes})")
        for reason, all_examples in examples.items():
            for example in random.Random(1).sample(all_examples, min(EXAMPLES, len(all_examples))):
                say(f"  {reason}: {example}")
        wanted = sum(missed.values()) - missed[CONTRACTED] - missed[ABBREVIATED]
        rows += [
            Row(
                *("flashtext's matches missed", f"termnest, {name}", share, "%"),
                asked="<= 0.5 %",
                notes=notes,
            ),
            Row(
                *("the same, without letters of don't and p.m.", f"termnest, {name}"),
                *(100 * wanted / len(theirs), "%"),
                asked="<= 0.5 %",
            ),
            Row(
                *("matches that are wrong", f"termnest, {name}", len(wrong), "matches"),
                asked="<= 0 matches",
                notes="; ".join(text[m.start : m.end] for m in wrong[:5]),
            ),
            Row(*("matches that flashtext lacks", f"termnest, {name}", more, "matches")),
            Row(
                *("find beside flashtext", f"termnest, {name}", took, "s"),
                ratio=took / peer,
                yardstick="flashtext",
                repeats=repeat,
            ),
        ]
    return rows


def same(term: str, found: str) -> bool:
    """Whether the words of a match are those of its term, but for case, signs, 's, l' and d'."""

    def plain(text: str) -> list[str]:
        return re.findall(r"\w+", re.sub(r"['’]s\b|\b[ld]['’](?=[aeiouh])", "", text.casefold()))

    return "".join(plain(term)) == "".join(plain(found))


def answers_of(ask: Callable[..., list[str]], queries: list[str]) -> list[list[str]]:
    """The first answers of a question to each query."""
    return [ask(query, limit=10) for query in queries]


def best(call: Callable[[], Any], repeat: int) -> float:
    """The shortest time of a call, in seconds."""
    taken = []
    for _ in range(repeat):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return min(taken)


def costs(terms: list[str], looked_for: list[str], text: str | None, repeat: int) -> list[Row]:
    """Size and time of indexes that fold or stem, against those that do not."""
    rows = []
    lower = sorted({term.lower() for term in terms})
    with tempfile.TemporaryDirectory() as folder:

        def size(terms: list[str], **options: Any) -> int:
            path = Path(folder, "index.nest")
            TermIndex(terms, **options).save(path)
            return path.stat().st_size

        sizes = [
            ("size with lowercase", terms, WHITESPACE, {"lowercase": True}, "<= 1.08x"),
            ("size with fold", terms, TEXT, {"fold": True}, "<= 1.08x"),
            (
                *("size with lowercase, small letters", lower, WHITESPACE),
                *({"lowercase": True}, "<= 1.02x"),
            ),
            ("size with fold, small letters", lower, TEXT, {"fold": True}, "<= 1.02x"),
        ]
        for task, vocabulary, options, more, asked in sizes:
            plain = size(vocabulary, **options)
            folded = size(vocabulary, **options, **more)
            rows.append(
                Row(
                    *(task, "termnest", folded / 1e6, "MB"),
                    ratio=folded / plain,
                    yardstick="the index without",
                    asked=asked,
                )
            )
            say(f"{task}: {folded / plain:.3f} x")
    indexes = {}
    kinds = [
        ("whitespace", WHITESPACE, ""),
        ("text", TEXT, "<= 1.25x"),
        ("text, fold", FOLD, "<= 1.5x"),
        ("text, language en", ENGLISH, "<= 1.8x"),
    ]
    # One after the other in each round, so that all see the same machine.
    taken: dict[str, list[float]] = {name: [] for name, _, _ in kinds}
    for _ in range(repeat):
        for name, options, _ in kinds:
            began = time.perf_counter()
            indexes[name] = TermIndex(terms, **options)
            taken[name].append(time.perf_counter() - began)
    rows += against("build", kinds, taken, repeat)
    if text is not None:
        # Under folding, a vocabulary in all spellings has a match for each; a gazetteer has one.
        small = {name: TermIndex(looked_for, **options) for name, options, _ in kinds}
        for task, searched, asked in [
            ("find in the text", indexes, "<= 1.8x"),
            ("find a gazetteer in the text", small, ""),
        ]:
            taken = {name: [] for name, _, _ in kinds}
            for _ in range(repeat):
                for name, _, _ in kinds:
                    taken[name].append(best(partial(searched[name].find, text), 1))
            own = [(name, options, asked if "fold" in name else "") for name, options, _ in kinds]
            rows += against(task, own, taken, repeat)
    queries = random.Random(1).sample(terms, min(QUERIES, len(terms)))
    for question in ("super_terms", "nested_terms"):
        taken = {name: [] for name, _, _ in kinds[:3]}
        for _ in range(repeat):
            for name in taken:
                ask = getattr(indexes[name], question)
                taken[name].append(best(partial(answers_of, ask, queries), 1))
        kinds = [("text", TEXT, ""), ("text, fold", FOLD, "<= 1.3x")]
        rows += against(f"{question}, single queries", kinds, taken, repeat)
    answers = indexes["text, language en"].count_super_terms("stem cell")
    say(f'super_terms("stem cell") with language="en": {answers}')
    rows.append(
        Row(
            *('super_terms("stem cell")', "termnest, text, language en", answers, "answers"),
            asked=">= 200 answers",
        )
    )
    return rows


def against(
    task: str, kinds: list[tuple[str, Any, str]], taken: dict[str, list[float]], repeat: int
) -> list[Row]:
    """The best times, and their ratios to that of the first kind."""
    yardstick = kinds[0][0]
    rows = []
    for name, _, asked in kinds:
        ratio = min(taken[name]) / min(taken[yardstick])
        say(f"{task}, {name}: {min(taken[name]):.3f} s, {ratio:.2f} x")
        rows.append(
            Row(
                *(task, f"termnest, {name}", min(taken[name]), "s"),
                ratio=ratio,
                yardstick=yardstick,
                asked=asked,
                repeats=repeat,
            )
        )
    return rows


def main() -> None:
    """Measures, prints and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("vocabulary", type=Path, help="a large vocabulary, a term in each line")
    parser.add_argument("--separator", help="the separator of the vocabulary")
    parser.add_argument("--text", type=Path, help="a text")
    parser.add_argument("--gazetteer", type=Path, help="the terms that flashtext looks for too")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", choices=["flashtext", "costs"], help="measure this part only")
    parser.add_argument("--out", type=Path, default=Path("target/bench"), help="the folder")
    options = parser.parse_args()
    rows: list[Row] = []
    text = running_text(options.text) if options.text else None
    if text is not None and options.only != "costs":
        separator = None if options.gazetteer else options.separator
        terms = gazetteer(options.gazetteer or options.vocabulary, separator)
        rows += beside_flashtext(terms, text, options.repeat)
    if options.only != "flashtext":
        joint = options.separator
        entries = list(lines(options.vocabulary))
        if joint:
            entries = [" ".join(entry.split(joint)) for entry in entries]
        source = options.gazetteer or options.vocabulary
        looked_for = gazetteer(source, None if options.gazetteer else joint)
        rows += costs(entries, looked_for, text, options.repeat)
    options.out.mkdir(parents=True, exist_ok=True)
    conditions = facts(sys.argv, {})
    cells = [row.cells() for row in rows]
    write_csv(options.out / "words.csv", COLUMNS, cells, conditions)
    write_markdown(options.out / "words.md", "Words", COLUMNS, cells, conditions)


if __name__ == "__main__":
    main()
