"""Questions and answers of the API as pydantic models: they check requests and describe answers."""

# No `from __future__ import annotations`: the annotations of the questions contain the limits of a
# server, which are known at run time only.

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from termnest.options import Case, Hyphens, Overlaps, Tokenizer, Variants, Where
from termnest.server.settings import Settings

# A query string can leave a parameter out but cannot say null. So the description does not mention
# null, neither as a type nor as a default.
Count = Annotated[int, Field(ge=0, le=2**53)] | SkipJsonSchema[None]


def _without_null_defaults(schema: dict[str, Any]) -> None:
    """Removes the defaults that are null from the description of a question."""
    for field in schema["properties"].values():
        if "default" in field and field["default"] is None:
            del field["default"]


def _split(names: Any) -> Any:
    """A list of names; in a query string they have commas in between."""
    return [name for name in names.split(",") if name] if isinstance(names, str) else names


Value = str | int | float | bool | list[str] | None


class Questions(NamedTuple):
    """The models of the questions, with the limits of a server."""

    super: type[BaseModel]
    nested: type[BaseModel]
    term: type[BaseModel]
    complete: type[BaseModel]
    expansions: type[BaseModel]
    find: type[BaseModel]
    batch: type[BaseModel]
    add: type[BaseModel]
    remove: type[BaseModel]


def questions(settings: Settings) -> Questions:
    """The models of the questions of a server with these settings."""
    phrase = Annotated[
        str, Field(max_length=settings.max_phrase, description="The phrase; it need not be a term.")
    ]
    page_size = Annotated[
        int, Field(ge=1, le=settings.max_page, description="The most results to return.")
    ]

    def at_most(number: int) -> int:
        """A default number of results, or the server's limit if that is smaller."""
        return min(number, settings.max_page)

    page_cursor = Annotated[
        Annotated[str, Field(max_length=64)] | SkipJsonSchema[None],
        Field(description="The `next` of the previous page; leave it out for the first page."),
    ]

    column_names = Annotated[
        Annotated[list[str], Field(max_length=1024)],
        BeforeValidator(_split),
        Field(description="Columns of the index, with commas in between, that each result has."),
    ]

    value = str | int | float | bool | None
    conditions = (
        Annotated[dict[str, value | list[value]], Field(max_length=64)] | SkipJsonSchema[None]
    )

    class Question(BaseModel):
        model_config = ConfigDict(
            extra="forbid", frozen=True, json_schema_extra=_without_null_defaults
        )

    class Chosen(Question):
        """The options that super terms and nested terms have in common."""

        where: Where = Field(
            "anywhere",
            description="Where the shorter of phrase and answer must occur in the longer: "
            "anywhere, start, end, or inside (touching neither end).",
        )
        direct: bool = Field(False, description="Only answers with no other term in between.")
        min_length: Count = Field(None, description="Only answers of at least N tokens.")
        max_length: Count = Field(None, description="Only answers of at most N tokens.")
        columns: column_names = Field([])

    class Super(Chosen):
        term: phrase
        max_extra: Count = Field(
            None, description="Only answers with at most N tokens more than the phrase."
        )
        sort: Literal["weight", "left", "right", "length"] = Field(
            "weight",
            description="weight: heaviest first; left: by the words before the phrase, nearest "
            "first; right: by the words after it; length: fewest tokens first.",
        )
        limit: page_size = at_most(50)
        cursor: page_cursor = None

    class Nested(Chosen):
        term: phrase
        sort: Literal["weight", "length"] = Field(
            "weight", description="weight: heaviest first; length: fewest tokens first."
        )
        limit: page_size = at_most(50)
        cursor: page_cursor = None

    class Term(Question):
        term: phrase
        columns: column_names = Field([])

    class Complete(Question):
        prefix: Annotated[
            str,
            Field(
                max_length=settings.max_phrase,
                description="The beginning of a term; its last word may be unfinished.",
            ),
        ]
        limit: page_size = at_most(10)
        columns: column_names = Field([])

    class Expansions(Question):
        term: phrase
        side: Literal["left", "right"] = Field(
            description="Words before the phrase (left) or after it (right)."
        )
        limit: page_size = at_most(50)

    class Find(Question):
        text: str = Field(description="The text, as long as the body may be.")
        overlaps: Overlaps = Field("all", description="Which of overlapping matches to return.")
        variants: Variants = Field(
            "all", description="Of several terms in one place return all, or the first."
        )
        where: conditions = Field(
            None,
            description="Only terms with these values in these columns: a value for each "
            "column, or a list of which the term must have one.",
        )
        limit: page_size = settings.max_page
        cursor: page_cursor = None
        columns: column_names = Field([])

    class Batch(Chosen):
        ask: Literal["super", "nested"] = Field(description="Super terms or nested terms.")
        terms: list[phrase] = Field(max_length=settings.max_batch, description="The phrases.")
        max_extra: Count = Field(
            None, description="Only super terms with at most N tokens more than the phrase."
        )
        sort: Literal["weight", "left", "right", "length"] = Field(
            "weight", description="As for one phrase; left and right are for super terms only."
        )
        limit: page_size = at_most(10)

    class Addition(BaseModel):
        """A term to add; of a term that is there, what is given is changed."""

        model_config = ConfigDict(extra="forbid", strict=True)

        term: Annotated[str, Field(min_length=1, max_length=settings.max_phrase)]
        weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] | SkipJsonSchema[None] = None
        columns: dict[str, Value] | SkipJsonSchema[None] = Field(
            None, description="Values of the term, by the names of their columns."
        )
        aliases: list[str] | SkipJsonSchema[None] = Field(
            None, description="All other names of the term."
        )

    class Add(Question):
        terms: list[Addition] = Field(
            min_length=1, max_length=settings.max_batch, description="The terms to add."
        )

    class Remove(Question):
        terms: list[phrase] = Field(
            min_length=1, max_length=settings.max_batch, description="The terms to remove."
        )

    return Questions(Super, Nested, Term, Complete, Expansions, Find, Batch, Add, Remove)


Id = int | str
Columns = Annotated[
    dict[str, Value] | SkipJsonSchema[None],
    Field(description="The values of the term in the columns that were asked for."),
]

Span = Annotated[
    list[int],
    Field(min_length=2, max_length=2, description="Start and end, in Unicode code points."),
]


class Result(BaseModel):
    """A term."""

    id: Id
    term: str
    weight: float
    columns: Columns = None


class Hit(Result):
    """A super term or a nested term of the phrase."""

    start: int = Field(description="The token of the longer at which the shorter begins, from 0.")
    length: int = Field(description="The number of tokens of the term.")
    span: Span = Field(description="The place of the shorter in the text of the longer.")


class Hits(BaseModel):
    """The answers for one phrase of a batch."""

    term: str
    total: int
    results: list[Hit]


class Page(Hits):
    """A page of answers."""

    next: str | None = Field(description="The cursor of the next page; null on the last.")


class Hitlists(BaseModel):
    """The answers to a batch."""

    results: list[Hits]


class Token(BaseModel):
    """A token of a phrase."""

    text: str
    key: str = Field(description="The form in which it is matched.")
    span: Span


class TermFacts(BaseModel):
    """The facts of a phrase."""

    term: str
    in_vocabulary: bool
    id: Id | None
    surface: str | None = Field(description="The term as the vocabulary writes it.")
    weight: float | None
    super_count: int
    nested_count: int
    tokens: list[Token]
    columns: Columns = None
    terms: list[Result] | SkipJsonSchema[None] = Field(
        None, description="With columns: all terms that the phrase matches."
    )


class Completions(BaseModel):
    """Terms that complete a prefix."""

    prefix: str
    results: list[Result]


class Expansion(BaseModel):
    """A word next to a phrase."""

    word: str
    terms: int
    weight: float


class ExpansionList(BaseModel):
    """The words next to a phrase, on one side."""

    term: str
    side: Literal["left", "right"]
    total: int
    results: list[Expansion]


class Match(BaseModel):
    """A term in a text."""

    term: str
    id: Id
    start: int
    end: int
    columns: Columns = None


class MatchList(BaseModel):
    """A page of the terms in a text."""

    total: int
    results: list[Match]
    next: str | None


class Added(BaseModel):
    """Terms were added or changed, and that is durable."""

    generation: int = Field(description="The generation of the store that has them.")
    ids: list[int] = Field(description="The id of each term of the request.")


class Removed(BaseModel):
    """Terms were removed, and that is durable."""

    generation: int = Field(description="The generation of the store that does not have them.")
    removed: int = Field(description="The number of terms.")


class Info(BaseModel):
    """The facts of the index or the store, and the limits of the server."""

    version: str
    checksum: str
    terms: int
    tokens: int | SkipJsonSchema[None] = Field(None, description="Of an index only.")
    distinct_tokens: int | SkipJsonSchema[None] = Field(None, description="Of an index only.")
    longest_term: int | SkipJsonSchema[None] = Field(None, description="Of an index only.")
    generation: int | SkipJsonSchema[None] = Field(None, description="Of a store only.")
    writable: bool | SkipJsonSchema[None] = Field(
        None, description="Whether terms can be added and removed; of a store only."
    )
    file_bytes: int
    weights: bool
    tokenizer: Tokenizer
    separator: str | None
    lowercase: bool
    strip_accents: bool
    fold: bool
    language: str | None
    hyphens: Hyphens
    case: Case | None
    normalize: bool
    ids: str | None = Field(description="The type of the index's own ids, if it has some.")
    columns: dict[str, str] = Field(description="The types of the columns by their names.")
    limits: dict[str, float]


class Health(BaseModel):
    """The server answers."""

    status: Literal["ok"]


class ProblemAnswer(BaseModel):
    """A problem (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[dict[str, Any]] | None = None
