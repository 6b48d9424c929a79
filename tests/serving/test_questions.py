"""The answers to all questions, compared with the definitions and with the index."""

import random
from itertools import product
from pathlib import Path
from typing import Any, Literal

import pytest

from conftest import OVERLAPS, WHERES
from oracle import WHITE_SPACE, Oracle, Row
from serving.client import COMPANIES, Client, assert_problem, client_of
from termnest import TermIndex, __version__
from termnest.server import Settings, create_app

Sort = Literal["weight", "left", "right", "length"]

SORTS: tuple[Sort, ...] = ("weight", "left", "right", "length")


class Definitions(Oracle):
    """The oracle, with the sort orders and the spans of the server."""

    def page_rows(
        self, ask: str, phrase: str, sort: Sort, lengths: tuple[int, int], **options: Any
    ) -> list[dict[str, Any]]:
        ask_rows = self.super_rows if ask == "super" else self.nested_rows
        inner = len(self._key(self._tokens_of_query(phrase)))
        least, most = lengths
        rows = ask_rows(phrase, sort=sort, min_length=least, max_length=most, **options)
        return [{**row._asdict(), "span": self.span(ask, phrase, row, inner)} for row in rows]

    def span(self, ask: str, phrase: str, row: Row, inner: int) -> list[int]:
        """The place of the shorter in the longer, in characters."""
        if ask == "super":
            tokens, length = self._tokens_of_entry(row.term), inner
        else:
            tokens, length = self._tokens_of_query(phrase), row.length
        tokens = [token for token in tokens if self._normal(token.text)]
        # Characters are cut from the phrase without the white space around it.
        trimmed = phrase if ask == "nested" and self.tokenizer == "chars" else ""
        before = len(trimmed) - len(trimmed.lstrip(WHITE_SPACE))
        return [before + tokens[row.start].start, before + tokens[row.start + length - 1].end]


ANALYSES: list[dict[str, Any]] = [
    {},
    {"fold": True},
    {"tokenizer": "whitespace"},
    {"lowercase": True},
    {"lowercase": True, "strip_accents": True},
    {"lowercase": True, "tokenizer": "words"},
    {"tokenizer": "chars"},
    {"separator": "_"},
    {"normalize": lambda token: "" if token == "b" else token.rstrip("s")},
]


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda analysis: "-".join(analysis) or "plain")
def test_answers_are_those_of_the_definitions(analysis: dict[str, Any]) -> None:
    rng = random.Random(len(str(analysis)))
    words = ["a", "b", "A", "é", "e\u0301", "as", "ש", "c,"]
    if "whitespace" in analysis.values() or "separator" in analysis:
        words.append("🙂")  # the oracle has no words of symbols
    if analysis.get("tokenizer") == "words":
        words = ["a", "b", "A", "as", "(c)", "c,", "..."]
    joiner = analysis.get("separator", " ")
    terms = [joiner.join(rng.choices(words, k=rng.randint(1, 5))) for _ in range(120)]
    weights = [rng.choice([0.0, 1.0, 2.5, 7.0]) for _ in terms]
    oracle = Definitions(terms, weights=weights, **analysis)
    client = client_of(terms, weights=weights, **analysis)
    phrases = ["a", " a  b", words[3], "as A", "x", "", *rng.sample(terms, 6)]
    for phrase, ask, where, direct in product(phrases, ("super", "nested"), WHERES, (False, True)):
        sort: Sort = rng.choice(SORTS if ask == "super" else ("weight", "length"))
        lengths = rng.choice([(0, 100), (2, 3), (3, 100), (0, 2), (5, 4)])
        options: dict[str, Any] = {"where": where, "direct": direct}
        if ask == "super" and rng.random() < 0.3:
            options["max_extra"] = rng.randint(0, 2)
        expected = oracle.page_rows(ask, phrase, sort, lengths, **options)
        options |= {"sort": sort, "min_length": lengths[0], "max_length": lengths[1]}
        answer = client.json(f"/v1/{ask}", term=phrase, limit=1000, **options)
        assert answer == {
            "term": phrase,
            "total": len(expected),
            "results": expected,
            "next": None,
        }, (phrase, ask, options)


@pytest.mark.parametrize(("sort", "limit"), [*product(SORTS, (1, 7)), ("left", 1000)])
def test_the_pages_of_an_answer_add_up_to_the_whole_answer(sort: Sort, limit: int) -> None:
    rng = random.Random(limit)
    words = [f"w{i}" for i in range(30)]
    terms = [" ".join([*rng.choices(words, k=2), "x", rng.choice(words)]) for _ in range(60)]
    terms += [f"x {word}" for word in words]
    weights = [float(rng.randint(1, 5)) for _ in terms]
    client = client_of(terms, weights=weights)
    expected = Definitions(terms, weights=weights).page_rows("super", "x", sort, (0, 99))
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = client.json("/v1/super", term="x", sort=sort, limit=limit, **cursor)
        assert page["total"] == len(expected)
        found += page["results"]
        if page["next"] is None:
            break
        assert len(page["results"]) == limit
        cursor = {"cursor": page["next"]}
    assert found == expected


def test_a_phrase_in_very_many_terms_is_answered_and_paged() -> None:
    client = client_of([f"w{i % 997} x y{i}" for i in range(100_000)])
    first = client.json("/v1/super", term="x", sort="left", limit=1000)
    assert first["total"] == 100_000
    assert [hit["term"] for hit in first["results"][:2]] == ["w0 x y0", "w0 x y10967"]
    assert len({hit["id"] for hit in first["results"]}) == 1000
    second = client.json("/v1/super", term="x", sort="left", limit=2, cursor=first["next"])
    all_terms = sorted((f"w{i % 997}", f"y{i}") for i in range(100_000))
    assert [hit["term"] for hit in second["results"]] == [
        f"{left} x {right}" for left, right in all_terms[1000:1002]
    ]
    assert client.json("/v1/term", term="x")["super_count"] == 100_000


def test_a_cursor_works_only_with_its_own_question_and_index(client: Client) -> None:
    question = {"term": "llc", "limit": 1}
    cursor = client.json("/v1/super", **question)["next"]
    assert client.json("/v1/super", **question, cursor=cursor)["results"][0]["id"] == 3
    # The size of a page may change from one to the next.
    assert client.json("/v1/super", term="llc", limit=9, cursor=cursor)["next"] is None
    others = [
        client.get("/v1/super", term="google", limit=1, cursor=cursor),
        client.get("/v1/super", **question, cursor=cursor, sort="left"),
        client.get("/v1/super", **question, cursor=cursor, direct=True),
        client.get("/v1/nested", **question, cursor=cursor),
        client_of([*COMPANIES, "other"]).get("/v1/super", **question, cursor=cursor),
        *(
            client.get("/v1/super", **question, cursor=forged)
            for forged in (
                f"{cursor[:-1]}2",
                f"0{cursor[1:]}",
                cursor[:16],
                "x",
                "é" * 20,
                "0" * 64,
            )
        ),
    ]
    for answer in others:
        assert_problem(answer, 400, "cursor", "start again without")


def test_a_saved_index_has_the_same_cursors_and_etags_as_the_built_one(tmp_path: Path) -> None:
    built = TermIndex(COMPANIES)
    built.save(tmp_path / "a.nest")
    saved = TermIndex.open(tmp_path / "a.nest")
    answers = [
        Client(create_app(index)).get("/v1/super", term="llc", limit=1) for index in (built, saved)
    ]
    assert answers[0].json() == answers[1].json()
    assert answers[0].headers["etag"] == answers[1].headers["etag"]


def test_parameters_without_a_value_count_as_left_out(client: Client) -> None:
    answer = client.get("/v1/super?term=google&limit=&where=&max_extra=&min_length=&cursor=&sort=")
    assert answer.json() == client.json("/v1/super", term="google")
    assert client.json("/v1/super", term="")["results"] == []
    assert client.json("/v1/complete", prefix="")["results"] == []


def test_term_returns_the_facts_of_a_phrase(client: Client) -> None:
    assert client.json("/v1/term", term="google  llc") == {
        "term": "google  llc",
        "in_vocabulary": True,
        "id": 1,
        "surface": "google llc",
        "weight": 1.0,
        "super_count": 1,
        "nested_count": 2,
        "tokens": [
            {"text": "google", "key": "google", "span": [0, 6]},
            {"text": "llc", "key": "llc", "span": [8, 11]},
        ],
    }
    assert client.json("/v1/term", term="alphabet inc") == {
        "term": "alphabet inc",
        "in_vocabulary": False,
        "id": None,
        "surface": None,
        "weight": None,
        "super_count": 0,
        "nested_count": 0,
        "tokens": [
            {"text": "alphabet", "key": "alphabet", "span": [0, 8]},
            {"text": "inc", "key": "inc", "span": [9, 12]},
        ],
    }


def test_term_returns_the_form_in_which_each_token_is_matched() -> None:
    client = client_of(["cafe"], lowercase=True, normalize=lambda token: token.strip("o"))
    tokens = client.json("/v1/term", term="Caféo ooo (CAFE)")["tokens"]
    assert [(token["text"], token["key"]) for token in tokens] == [
        ("Caféo", "café"),
        ("CAFE", "cafe"),
    ]


def test_term_finds_a_term_that_is_written_differently() -> None:
    client = client_of(["New_York", "NEW_YORK"], weights=[3, 5], separator="_", lowercase=True)
    facts = client.json("/v1/term", term="new york")
    assert (facts["in_vocabulary"], facts["surface"], facts["weight"]) == (True, "New_York", 3)
    facts = client.json("/v1/term", term="NEW_YORK")
    assert (facts["in_vocabulary"], facts["surface"], facts["weight"]) == (True, "NEW_YORK", 5)


def test_completions_are_those_of_the_index() -> None:
    terms = ["google", "google llc", "googleplex", "alphabet google llc", "go"]
    index = TermIndex(terms, weights=[1, 2, 3, 9, 5])
    client = Client(create_app(index))
    for prefix, limit in product(["g", "goog", "google", "google ", "x", "", "alphabet g"], (1, 3)):
        assert client.json("/v1/complete", prefix=prefix, limit=limit) == {
            "prefix": prefix,
            "results": [
                {"id": index.id(term), "term": term, "weight": index.weight(term)}
                for term in index.complete(prefix, limit=limit)
            ],
        }


def test_completions_in_any_order_are_those_of_the_index() -> None:
    index = TermIndex(["new york", "york", "new york city", "york new inn"])
    client = Client(create_app(index))
    rows = client.json("/v1/complete", prefix="york n", order="any")["results"]
    assert [row["term"] for row in rows] == index.complete("york n", order="any")
    assert [row["term"] for row in rows] == ["new york", "new york city", "york new inn"]


@pytest.mark.parametrize("side", ["left", "right"])
def test_expansions_are_those_of_the_index(side: Literal["left", "right"]) -> None:
    index = TermIndex(["a x b", "c x b", "x d", "a x", "x"], weights=[1, 2, 3, 4, 5])
    rows = index.expansions("x", side=side).to_pylist()
    client = Client(create_app(index))
    answer = {"term": "x", "side": side, "total": len(rows)}
    assert client.json("/v1/expansions", term="x", side=side) == answer | {"results": rows}
    limited = client.json("/v1/expansions", term="x", side=side, limit=1)
    assert limited == answer | {"results": rows[:1]}


@pytest.mark.parametrize("overlaps", OVERLAPS)
def test_find_returns_the_terms_of_a_text_page_by_page(overlaps: str) -> None:
    index = TermIndex(["new york", "york", "york city", "é"])
    client = Client(create_app(index))
    text = "🙂 new york city, é york é " * 40
    expected = [match._asdict() for match in index.find(text, overlaps=overlaps)]  # type: ignore[arg-type]
    body = {"text": text, "overlaps": overlaps}
    whole = client.post("/v1/find", body).json()
    assert whole == {"total": len(expected), "results": expected, "next": None}
    found: list[dict[str, Any]] = []
    cursor = None
    while len(found) < len(expected):
        page = client.post("/v1/find", {**body, "limit": 7, "cursor": cursor}).json()
        found += page["results"]
        cursor = page["next"]
    assert (found, cursor) == (expected, None)
    first = client.post("/v1/find", {**body, "limit": 7}).json()["next"]
    other = client.post("/v1/find", {"text": text + "x", "overlaps": overlaps, "cursor": first})
    assert_problem(other, 400, "cursor")


@pytest.mark.parametrize("ask", ["super", "nested"])
def test_a_batch_has_the_same_answers_as_single_questions(ask: str) -> None:
    rng = random.Random(5)
    terms = [" ".join(rng.choices("abcd", k=rng.randint(1, 5))) for _ in range(300)]
    client = client_of(terms, weights=[float(rng.randint(1, 9)) for _ in terms])
    phrases = rng.choices([*terms, "x", "", "a a"], k=1000)
    options = {"where": "start", "direct": True, "sort": "length", "limit": 3, "max_length": 4}
    answer = client.post("/v1/batch", {"ask": ask, "terms": phrases, **options})
    assert answer.status_code == 200
    singles = {phrase: client.json(f"/v1/{ask}", term=phrase, **options) for phrase in set(phrases)}
    for single in singles.values():
        del single["next"]
    assert answer.json() == {"results": [singles[phrase] for phrase in phrases]}


def test_an_empty_batch_has_an_empty_answer(client: Client) -> None:
    assert client.post("/v1/batch", {"ask": "super", "terms": []}).json() == {"results": []}


def test_info_returns_the_facts_of_the_index_and_the_limits() -> None:
    index = TermIndex(["New_York", "york"], separator="_", lowercase=True)
    info = Client(create_app(index, Settings(max_page=7))).json("/v1/info")
    assert info["version"] == __version__
    assert (info["terms"], info["tokens"], info["weights"]) == (2, 3, False)
    assert (info["tokenizer"], info["separator"], info["lowercase"]) == ("whitespace", "_", True)
    assert info["limits"]["max_page"] == 7
    assert info["limits"]["max_body"] == 2 * 1024 * 1024
    assert len(info["checksum"]) == 8


def test_metrics_count_requests_by_route_and_status(client: Client) -> None:
    for term in ("google", "llc", "x"):
        client.json("/v1/super", term=term)
    client.get("/v1/super", limit=0)
    client.get("/secret/path")
    client.request("POST", "/v1/find", content=b"{}")
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    assert 'termnest_requests_total{route="/v1/super",status="200"} 3' in lines
    assert 'termnest_requests_total{route="/v1/super",status="422"} 1' in lines
    assert 'termnest_requests_total{route="other",status="404"} 1' in lines
    assert 'termnest_requests_total{route="/v1/find",status="415"} 1' in lines
    assert 'termnest_request_seconds_count{route="/v1/super"} 4' in lines
    assert 'termnest_request_seconds_bucket{route="/v1/super",le="+Inf"} 4' in lines
    assert "termnest_index_terms 4" in lines
    assert "secret" not in answer.text


def test_answers_have_the_columns_asked_for() -> None:
    columns: dict[str, list[Any]] = {
        "label": ["place", "name", None],
        "rate": [0.5, None, 2.0],
        "tags": [["x", "y"], [], None],
    }
    client = client_of(["york", "york", "new york"], columns=columns, ids=["C1", "C2", "C3"])
    of_york = [
        {"label": "place", "rate": 0.5, "tags": ["x", "y"]},
        {"label": "name", "rate": None, "tags": []},
    ]
    term = client.json("/v1/term", term="york", columns="label,rate,tags")
    assert term["id"] == "C1"
    assert term["columns"] == of_york[0]
    assert [(row["id"], row["columns"]) for row in term["terms"]] == [
        ("C1", of_york[0]),
        ("C2", of_york[1]),
    ]
    assert "columns" not in client.json("/v1/term", term="york")
    [row] = client.json("/v1/super", term="york", columns="label")["results"]
    assert (row["id"], row["columns"]) == ("C3", {"label": None})
    rows = client.json("/v1/nested", term="new york", columns="tags")["results"]
    assert [row["columns"] for row in rows] == [{"tags": ["x", "y"]}, {"tags": []}]
    rows = client.json("/v1/complete", prefix="new y", columns="rate")["results"]
    assert [row["columns"] for row in rows] == [{"rate": 2.0}]
    found = client.post("/v1/find", {"text": "york", "columns": ["label"]}).json()["results"]
    assert [(row["id"], row["columns"]["label"]) for row in found] == [
        ("C1", "place"),
        ("C2", "name"),
    ]
    batch = client.post("/v1/batch", {"ask": "super", "terms": ["york"], "columns": ["rate"]})
    assert batch.json()["results"][0]["results"][0]["columns"] == {"rate": 2.0}
    info = client.json("/v1/info")
    assert info["ids"] == "strings"
    assert info["columns"] == {"label": "strings", "rate": "floats", "tags": "lists of strings"}
    assert_problem(client.get("/v1/term", term="york", columns="zzz"), 400, "zzz", "label")


def test_find_looks_for_terms_with_values_in_columns() -> None:
    columns: dict[str, list[Any]] = {"label": ["place", "name", None], "n": [1, 2, 3]}
    client = client_of(["york", "york", "new york"], columns=columns)

    def ids(**options: Any) -> list[int]:
        answer = client.post("/v1/find", {"text": "new york", **options})
        return [row["id"] for row in answer.json()["results"]]

    assert ids() == [2, 0, 1]
    assert ids(variants="first") == [2, 0]
    assert ids(where={"label": "name"}) == [1]
    assert ids(where={"label": ["name", None]}) == [2, 1]
    assert ids(where={"label": ["name", None], "n": 3}) == [2]
    assert ids(where={}) == ids(where=None) == [2, 0, 1]
    body = {"text": "new york", "where": {"n": [1, 2]}, "limit": 1}
    first = client.post("/v1/find", body).json()
    assert first["total"] == 2
    second = client.post("/v1/find", {**body, "cursor": first["next"]}).json()
    assert [row["id"] for row in second["results"]] == [1]
    # A cursor is that of one question.
    other = {**body, "where": {"n": [1, 3]}, "cursor": first["next"]}
    assert_problem(client.post("/v1/find", other), 400, "cursor")
    for where, status, problem in [
        ({"town": "x"}, 400, "town"),
        ({"n": "x"}, 400, "integers"),
        ({"n": {"a": 1}}, 422, "where"),
        ("label", 422, "where"),
    ]:
        answer = client.post("/v1/find", {"text": "york", "where": where})
        assert_problem(answer, status, problem)
