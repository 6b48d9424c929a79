"""A wrong argument of any public function gets an error of termnest that names it."""

import inspect
import io
import math
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import spacy

import termnest
from termnest import TermIndex, TermnestError, TermStore, terminology


class Shapeless:
    """A value of a class that nothing expects."""


WRONG: list[Any] = [
    None,
    True,
    0,
    -1,
    10**30,
    -(10**30),
    10**400,
    1.5,
    math.nan,
    -math.inf,
    "",
    "x",
    "a\0b",
    "\ud800",
    b"x",
    [],
    [1],
    ["a", 1],
    ["\ud800"],
    [None],
    (1, 2),
    {},
    {"a": "b"},
    range(3),
    Path("none") / "x",
    io.StringIO("a"),
    io.BytesIO(b"a b\na\n"),
    Shapeless(),
]
"""Each of them is wrong for most arguments. Where it is right, there is no error."""


class Call(NamedTuple):
    function: Callable[..., Any]
    arguments: dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "terms.tsv").write_text("term\tweight\nllc\t3\ngoogle llc\t1\n")
    (folder / "text.txt").write_text("A solar cell is a cell. Solar cells and a solar cell.")
    TermIndex(["llc", "google llc", "alphabet google llc"]).save(folder / "terms.nest")
    return folder


def calls(folder: Path) -> dict[str, Call]:
    """Every public function that has arguments, with right ones."""
    from termnest.server import Settings, create_app

    index = TermIndex.open(folder / "terms.nest")
    table = index.super_terms_batch(["llc"])
    ranked = index.ranking()
    phrase = {"term": "google llc"}
    many = {"terms": ["google llc"]}
    out = {"file": folder / "out"}
    # Each writer has a store of its own.
    store = TermStore.open(Path(tempfile.mkdtemp(dir=folder)) / "terms.store", create=True)
    store.add("google llc")
    found: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (TermIndex, {"terms": ["a", "a b"]}),
        (TermIndex.from_file, {"path": folder / "terms.tsv"}),
        (TermIndex.load, {"path": folder / "terms.tsv"}),
        (TermIndex.open, {"path": folder / "terms.nest"}),
        (TermIndex.from_bytes, {"content": index.to_bytes()}),
        (termnest.is_index, {"file": folder / "terms.nest"}),
        (TermIndex(["a"]).save, {"path": folder / "out"}),
        (index.super_terms, phrase),
        (index.nested_terms, phrase),
        (index.count_super_terms, phrase),
        (index.count_nested_terms, phrase),
        (index.super_terms_batch, many),
        (index.nested_terms_batch, many),
        (index.find, {"text": "google llc"}),
        (index.find_spans, {"text": "google llc"}),
        (index.replace, {"text": "google llc", "by": str}),
        (index.replace_stream, {"pieces": ["google llc"], "by": str}),
        (index.highlight, {"text": "google llc"}),
        (index.show, {"phrase": "llc"}),
        (index.variants, {}),
        (termnest.containment_join, {"left": {"a": ["x"]}, "right": {"a": ["x y"]}, "on": "a"}),
        (index.find_batch, {"texts": ["google llc"]}),
        (index.iter_batches, {"texts": ["google llc"]}),
        (index.token_finder, {}),
        (index.complete, {"prefix": "goo"}),
        (index.expansions, {"term": "llc", "side": "left"}),
        (index.pairs, {}),
        (index.scores, {}),
        (index.ranking, {}),
        (index.taxonomy, {}),
        (index.heads, {}),
        (index.stats, {}),
        (index.check, {}),
        (index.id, phrase),
        (index.ids, many),
        (index.lookup, {"phrase": "llc"}),
        (index.weight, phrase),
        (index.column, {"name": "id"}),
        (index.term_mask, {"where": {}}),
        (index.filtered, {}),
        (index.__getitem__, {"id": 0}),
        (index.json.super_terms, phrase),
        (index.json.nested_terms, phrase),
        (index.json.batch, {"ask": "super", **many}),
        (index.json.term, phrase),
        (index.json.complete, {"prefix": "goo"}),
        (index.json.expansions, {"term": "llc", "side": "left"}),
        (index.json.find, {"text": "google llc"}),
        (table.column, {"name": "id"}),
        (table.with_text, {"name": "a", "text": "b"}),
        (table.with_texts, {"name": "a", "texts": ["b"] * len(table)}),
        (table.__getitem__, {"row": 0}),
        (table.column("id").__getitem__, {"row": 0}),
        (index.find("google llc").__getitem__, {"row": 0}),
        (table.write_tsv, out),
        (table.write_csv, out),
        (table.write_jsonl, out),
        (terminology.ngrams, {"texts": ["a solar cell is a solar cell"]}),
        (terminology.rank, {"candidates": index}),
        (terminology.detect, {"sample": "a solar cell"}),
        (terminology.language, {"language": "en"}),
        (terminology.language("en").base_forms, {"words": ["cells"]}),
        (terminology.general_frequencies, {"language": "en"}),
        (terminology.read_reference, {"reference": folder / "text.txt", "language": "en"}),
        (terminology.taxonomy, {"index": index}),
        (terminology.neighbourhood_svg, {"index": index, **phrase}),
        (terminology.write_taxonomy, {"index": index, "path": folder / "out.ttl"}),
        (terminology.write_terms, {"table": ranked, "path": folder / "out.tsv"}),
        (terminology.extract, {"corpus": folder / "text.txt"}),
        (terminology.extract, {"corpus": folder / "terms.tsv", "candidates": "vocabulary"}),
        (terminology.noun_phrases, {"texts": [""], "nlp": spacy.blank("en")}),
        (terminology.Corpus, {"paths": folder / "text.txt"}),
        (terminology.Corpus(folder / "text.txt").holds_text, {"path": folder / "text.txt"}),
        (terminology.load_pipeline, {"name": "none"}),
        (termnest.is_store, {"path": folder / "terms.nest"}),
        (store.add, phrase),
        (store.add_many, many),
        (store.update, phrase),
        (store.remove, phrase),
        (store.remove_many, many),
        (Settings, {}),
        (create_app, {"index": index}),
    ]
    return {
        f"{function.__qualname__}({', '.join(arguments)})": Call(function, arguments)
        for function, arguments in found
    }


# What a right type with a wrong content is called, where that is not the name of the argument.
IN_OTHER_WORDS = re.compile(
    r"not a termnest index|is not in the vocabulary|no term has id|there is no row"
    r"|there is no file or folder|cannot (read|write|save|open) |one vocabulary at a time"
    r"|the name .* has none of the known extensions|the spaCy pipeline"
    r"|^.*the alias .* belongs to"
    r"|there is no \"alias\""
    r"|there is no column|column cannot be|the weight at line|weights: entry|^text contains"
)


def problem(call: Call, name: str, value: object) -> str:
    """What is wrong with the error of a call with this wrong argument; empty if nothing is."""
    shown = repr(value)[:30]
    try:
        call.function(**{**call.arguments, name: value})
    except TermnestError as error:
        message = str(error)
        named = error.option == name or re.search(rf"\b{name}\b", message)
        if not named and not IN_OTHER_WORDS.search(message):
            return f"{name}={shown}: {type(error).__name__} does not name it: {message}"
    except Exception as error:
        return f"{name}={shown}: {type(error).__name__}: {error}"
    return ""


def functions_with_arguments(module: ModuleType) -> set[str]:
    """The public functions of a module, and the methods that its public classes define."""
    found = set()
    for value in (getattr(module, name) for name in module.__all__):
        if not isinstance(value, type):
            members = [value]
        elif issubclass(value, BaseException):
            continue
        else:
            # The members of a tuple or of a Sequence are Python's.
            bases = [base for base in value.__mro__ if base.__module__.startswith("termnest")]
            names = {name for base in bases for name in vars(base) if not name.startswith("_")}
            members = [getattr(value, name) for name in names]
        # A property is called a routine if it keeps its value.
        for member in filter(callable, filter(inspect.isroutine, members)):
            if set(inspect.signature(member).parameters) - {"self"}:
                found.add(member.__name__)
    return found


def test_every_public_function_is_called_with_wrong_arguments(folder: Path) -> None:
    pytest.importorskip("fastapi")
    import termnest.server

    called = {call.function.__name__ for call in calls(folder).values()}
    for module in (termnest, terminology, termnest.server):
        assert functions_with_arguments(module) <= called


def test_a_wrong_argument_gets_an_error_of_termnest_that_names_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi")
    monkeypatch.chdir(folder)
    problems = []
    for title, call in calls(folder).items():
        for name in inspect.signature(call.function).parameters:
            if name not in ("self", "metrics_rows", "metrics_row"):  # the workers' own
                found = (problem(call, name, value) for value in WRONG)
                problems += [f"{title}: {text}" for text in found if text]
    assert problems == [], "\n".join(["", *problems])
