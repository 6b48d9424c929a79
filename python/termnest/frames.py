"""Two data frames joined by containment: rows with a phrase, and rows with a text that has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

from termnest import _core
from termnest.arguments import function, items, text
from termnest.errors import InvalidOptionError, TermTypeError
from termnest.options import ArrowStream, Case, Hyphens, Normalize, Tokenizer, analysis_of
from termnest.table import Table

Frame = ArrowStream | Mapping[str, Any]
How = Literal["inner", "left", "anti"]
Side = Literal["left", "right"]

_ROWS = ("left_row", "right_row")
_FRAME = "a data frame (polars, pandas, pyarrow, DuckDB) or a dict of columns"


def containment_join(
    left: Frame,
    right: Frame,
    *,
    on: str | tuple[str, str],
    how: How = "inner",
    phrases: Side = "left",
    proper: bool = False,
    left_columns: Iterable[str] | None = None,
    right_columns: Iterable[str] | None = None,
    suffixes: tuple[str, str] = ("_left", "_right"),
    tokenizer: Tokenizer | None = None,
    separator: str | None = None,
    lowercase: bool = False,
    strip_accents: bool = False,
    fold: bool = False,
    language: str | None = None,
    hyphens: Hyphens = "keep",
    case: Case | None = None,
    normalize: Normalize | None = None,
    threads: int | None = None,
) -> Table:
    """Every row of one frame whose phrase occurs in the text of a row of another.

    >>> keywords = {"keyword": ["new york", "boston", "york"], "bid": [3, 5, 2]}
    >>> searches = {"search": ["hotel in new york", None, "york minster"]}
    >>> table = containment_join(keywords, searches, on=("keyword", "search"))
    >>> [(row["keyword"], row["bid"], row["search"]) for row in table]
    [('new york', 3, 'hotel in new york'), ('york', 2, 'hotel in new york'), \
('york', 2, 'york minster')]
    >>> containment_join(keywords, searches, on=("keyword", "search"), how="anti").to_pylist()
    [{'left_row': 1, 'keyword': 'boston', 'bid': 5}]

    The answer has one row for each pair of rows, however often the phrase occurs, ordered by left
    row, then by right row: `left_row` and `right_row`, the numbers of the rows from 0, then the
    columns of the left frame, then those of the right one. A null, and a phrase without a word,
    occurs nowhere; equal phrases in several rows all join.

    A phrase occurs in a text that equals it. So each row of a frame that is joined with itself has
    itself; with `proper=True` the answer has the pairs of `TermIndex.pairs` instead.

    Either frame may be the larger. Time grows with the size of both and with the number of pairs.

    Args:
        left: A data frame of polars (collected), pandas, pyarrow or DuckDB, any object with an
            Arrow stream, such as a `Table`, or a dict of columns.
        right: The other one.
        on: The column of the phrases or texts in both frames, or the two: that of the left frame,
            then that of the right one.
        how: `"inner"`, the rows that belong together; `"left"`, also the rows of the left frame
            that have no partner, with nulls; `"anti"`, only these.
        phrases: The frame that has the phrases; the other one has the texts. With
            `phrases="right"` and `how="left"` every text is in the answer.
        proper: A phrase does not occur in a text that matches it as a whole.
        left_columns: The columns of the left frame that the answer has; all by default.
        right_columns: The same of the right frame.
        suffixes: What is added to the names of columns that both frames have.

    The other arguments are those of `TermIndex`: how phrases and texts are split and matched, and
    the number of threads.

    Raises:
        InvalidOptionError: A frame has no such column, or a name would be there twice.
        TermTypeError: A frame is none, or the column of the phrases or texts is not of strings.
        InvalidTermError: A phrase has more than 4,096 tokens or 65,535 bytes; a text may be longer.
    """
    function("normalize", normalize)
    analysis = analysis_of(
        tokenizer=tokenizer,
        separator=separator,
        lowercase=lowercase,
        strip_accents=strip_accents,
        fold=fold,
        language=language,
        hyphens=hyphens,
        case=case,
        normalize=normalize,
        threads=threads,
    )
    for option, value, choices in [("how", how, How), ("phrases", phrases, Side)]:
        _choice(option, value, get_args(choices))
    both = _pair("on", on) if not isinstance(on, str) else (text("on", on), text("on", on))
    endings = _pair("suffixes", suffixes)
    frames = _frame("left", left), _frame("right", right)
    for frame, name, option in zip(frames, both, ("left", "right"), strict=True):
        _check_column("on", name, frame, option)
    shown = [
        _chosen("left_columns", left_columns, frames[0], "left"),
        _chosen("right_columns", right_columns, frames[1], "right"),
    ]
    if how == "anti":
        shown[1] = []
    names = _named(shown[0], shown[1], endings)
    return Table(
        _core.containment_join(*frames, both, how, phrases, proper, names[0], names[1], analysis)
    )


def _choice(option: str, value: object, choices: tuple[str, ...]) -> None:
    if text(option, value) not in choices:
        *first, last = map(repr, choices)
        expected = f"it must be {', '.join(first)} or {last}"
        raise InvalidOptionError(option=option, value=repr(value), expected=expected)


def _pair(option: str, value: object) -> tuple[str, str]:
    expected = "two str, for the left and for the right frame"
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TermTypeError(option=option, value=repr(value), expected=expected)
    first, second = (text(f"entry {i} of {option}", one) for i, one in enumerate(value))
    return first, second


def _frame(argument: str, frame: object) -> _core.Frame:
    if isinstance(frame, Mapping):
        named = [(text(f"a name of a column of {argument}", name), frame[name]) for name in frame]
        return _core.Frame.of_columns(argument, named)
    if not hasattr(frame, "__arrow_c_stream__"):
        expected = f"{_FRAME}: collect() it first" if hasattr(frame, "collect") else _FRAME
        raise TermTypeError(option=argument, value=type(frame).__name__, expected=expected)
    return _core.Frame.of_stream(argument, frame)


def _check_column(option: str, name: str, frame: _core.Frame, argument: str) -> None:
    if name not in frame.columns:
        has = ", ".join(map(repr, frame.columns))
        expected = f"the columns of {argument} are {has}" if has else f"{argument} has no columns"
        raise InvalidOptionError(option=option, value=repr(name), expected=expected)


def _chosen(
    option: str, columns: Iterable[str] | None, frame: _core.Frame, argument: str
) -> list[str]:
    if columns is None:
        return frame.columns
    names = items(option, columns, "a list of names of columns")
    for i, name in enumerate(names):
        _check_column(option, text(f"entry {i} of {option}", name), frame, argument)
    return list(dict.fromkeys(names))


def _named(
    left: list[str], right: list[str], suffixes: tuple[str, str]
) -> list[list[tuple[str, str]]]:
    """The columns of both frames with their names in the answer."""
    clashing = {*left} & {*right}
    named = [
        [(name, f"{name}{suffix}" if name in clashing else name) for name in names]
        for names, suffix in zip((left, right), suffixes, strict=True)
    ]
    taken = set(_ROWS)
    for argument, pairs in zip(("left", "right"), named, strict=True):
        for name, shown in pairs:
            if shown in taken:
                raise InvalidOptionError(
                    f"two columns of the answer would be named {shown!r} (one is {name!r} of "
                    f"{argument}): rename the column, leave it out with {argument}_columns=, or "
                    "give other suffixes="
                )
            taken.add(shown)
    return named
