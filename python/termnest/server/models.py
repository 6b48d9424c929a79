"""The questions and the answers, as the API describes them."""

# No `from __future__ import annotations`: the limits of the questions are known at run time only.

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from termnest.index import Overlaps, Tokenizer, Where
from termnest.server.settings import Settings

# What is left out is not null in a query string, so the description does not speak of null.
Count = Annotated[int, Field(ge=0, le=2**53)] | SkipJsonSchema[None]


class Questions(NamedTuple):
    """The questions that a server with certain settings takes."""

    super: type[BaseModel]
    nested: type[BaseModel]
    term: type[BaseModel]
    complete: type[BaseModel]
    expansions: type[BaseModel]
    find: type[BaseModel]
    batch: type[BaseModel]


def questions(settings: Settings) -> Questions:
    """The questions, with their limits."""
    phrase = Annotated[
        str, Field(max_length=settings.max_phrase, description="The phrase; it need not be a term.")
    ]
    page_size = Annotated[
        int, Field(ge=1, le=settings.max_page, description="At most so many results.")
    ]

    def at_most(number: int) -> int:
        """A number of results, as far as it is allowed."""
        return min(number, settings.max_page)

    page_cursor = Annotated[
        Annotated[str, Field(max_length=64)] | SkipJsonSchema[None],
        Field(description="The `next` of the page before; leave it out at first."),
    ]

    class Question(BaseModel):
        model_config = ConfigDict(extra="forbid", frozen=True)

    class Chosen(Question):
        """What the two questions have in common."""

        where: Where = Field(
            "anywhere", description="Where the shorter of phrase and answer stands in the longer."
        )
        direct: bool = Field(False, description="Only answers with no other term in between.")
        min_length: Count = Field(None, description="Answers of so many tokens or more.")
        max_length: Count = Field(None, description="Answers of so many tokens or fewer.")

    class Super(Chosen):
        term: phrase
        max_extra: Count = Field(
            None, description="Answers with at most so many tokens more than the phrase."
        )
        sort: Literal["weight", "left", "right", "length"] = Field(
            "weight",
            description="Heaviest first; by the words before the phrase, nearest first; by the "
            "words behind it; or fewest tokens first.",
        )
        limit: page_size = at_most(50)
        cursor: page_cursor = None

    class Nested(Chosen):
        term: phrase
        sort: Literal["weight", "length"] = Field(
            "weight", description="Heaviest first, or fewest tokens first."
        )
        limit: page_size = at_most(50)
        cursor: page_cursor = None

    class Term(Question):
        term: phrase

    class Complete(Question):
        prefix: phrase
        limit: page_size = at_most(10)

    class Expansions(Question):
        term: phrase
        side: Literal["left", "right"] = Field(description="Before the phrase, or behind it.")
        limit: page_size = at_most(50)

    class Find(Question):
        text: str = Field(description="The text; its length is limited by that of the body.")
        overlaps: Overlaps = Field("all", description="Which of the spans that overlap to report.")
        limit: page_size = settings.max_page
        cursor: page_cursor = None

    class Batch(Chosen):
        ask: Literal["super", "nested"] = Field(description="Which question.")
        terms: list[phrase] = Field(max_length=settings.max_batch, description="The phrases.")
        max_extra: Count = Field(
            None, description="Super terms with at most so many tokens more than the phrase."
        )
        sort: Literal["weight", "left", "right", "length"] = "weight"
        limit: page_size = at_most(10)

    return Questions(Super, Nested, Term, Complete, Expansions, Find, Batch)


Span = Annotated[
    list[int],
    Field(min_length=2, max_length=2, description="Start and end, in Unicode code points."),
]


class Result(BaseModel):
    """A term."""

    id: int
    term: str
    weight: float


class Hit(Result):
    """A term that contains the phrase, or that it contains."""

    start: int = Field(description="Where the shorter stands in the longer, in tokens.")
    length: int = Field(description="The tokens of the term.")
    span: Span = Field(description="Where the shorter stands in the text of the longer.")


class Hits(BaseModel):
    """The answers about one phrase of a batch."""

    term: str
    total: int
    results: list[Hit]


class Page(Hits):
    """A page of answers."""

    next: str | None = Field(description="The cursor of the next page.")


class Hitlists(BaseModel):
    """The answers to a batch."""

    results: list[Hits]


class Token(BaseModel):
    """A token of a phrase."""

    text: str
    key: str = Field(description="The form in which it is matched.")
    span: Span


class TermFacts(BaseModel):
    """What there is to say about a phrase."""

    term: str
    in_vocabulary: bool
    id: int | None
    surface: str | None = Field(description="The term as it stands in the vocabulary.")
    weight: float | None
    super_count: int
    nested_count: int
    tokens: list[Token]


class Completions(BaseModel):
    """Terms in which a phrase goes on."""

    prefix: str
    results: list[Result]


class Expansion(BaseModel):
    """A word beside a phrase."""

    word: str
    terms: int
    weight: float


class ExpansionList(BaseModel):
    """The words beside a phrase."""

    term: str
    side: Literal["left", "right"]
    total: int
    results: list[Expansion]


class Match(BaseModel):
    """A term in a text."""

    term: str
    id: int
    start: int
    end: int


class MatchList(BaseModel):
    """A page of the terms in a text."""

    total: int
    results: list[Match]
    next: str | None


class Info(BaseModel):
    """The facts of the index and the limits of the server."""

    version: str
    checksum: str
    terms: int
    tokens: int
    distinct_tokens: int
    longest_term: int
    file_bytes: int
    weights: bool
    tokenizer: Tokenizer
    separator: str | None
    lowercase: bool
    strip_accents: bool
    normalize: bool
    limits: dict[str, float]


class Health(BaseModel):
    """The server answers."""

    status: Literal["ok"]


class ProblemAnswer(BaseModel):
    """A problem, as RFC 9457 describes it."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[dict[str, Any]] | None = None
