"""The server: its answers, its limits, who may ask, and the real process over HTTP."""

import asyncio
import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from itertools import product
from pathlib import Path
from typing import Any, Literal

import fastapi
import httpx
import hypothesis
import pytest
import schemathesis
from schemathesis.generation import GenerationMode

from conftest import OVERLAPS, ROOT, WHERES
from oracle import WHITE_SPACE, Oracle, Row
from termnest import TermIndex, __version__
from termnest.errors import DamagedIndexError, InvalidOptionError
from termnest.server import Settings, create_app
from termnest.server.heavy_queue import cores
from termnest.server.security import is_loopback

Sort = Literal["weight", "left", "right", "length"]
SORTS: tuple[Sort, ...] = ("weight", "left", "right", "length")
COMPANIES = ["google", "google llc", "llc", "alphabet google llc"]
PROBLEM = "application/problem+json"


class Client:
    """Asks an application in this process."""

    def __init__(self, app: Any, **headers: str) -> None:
        self.app = app
        self.headers = headers

    def request(
        self, method: str, path: str, base: str = "http://localhost", **options: Any
    ) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=base) as client:
                headers = {**self.headers, **options.pop("headers", {})}
                return await client.request(method, path, headers=headers, **options)

        return asyncio.run(ask())

    def get(self, path: str, **parameters: Any) -> httpx.Response:
        return self.request("GET", path, params=parameters or None)

    def post(self, path: str, body: Any) -> httpx.Response:
        return self.request("POST", path, json=body)

    def json(self, path: str, **parameters: Any) -> Any:
        answer = self.get(path, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()


def client_of(terms: list[str], settings: Settings | None = None, **options: Any) -> Client:
    return Client(create_app(TermIndex(terms, **options), settings))


@pytest.fixture
def client() -> Client:
    return client_of(COMPANIES)


def assert_problem(answer: httpx.Response, status: int, *words: str) -> None:
    """The answer is a problem as RFC 9457 describes it, and says what is wrong."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    problem = answer.json()
    assert problem["status"] == status
    assert problem["type"] == "about:blank"
    assert problem["title"]
    for word in words:
        assert word in problem["detail"]
    assert "Traceback" not in answer.text


# --- the two questions ---


class Definitions(Oracle):
    """The oracle, with the orders and the places that the server adds."""

    def page_rows(
        self, ask: str, phrase: str, sort: Sort, lengths: tuple[int, int], **options: Any
    ) -> list[dict[str, Any]]:
        rows = (self.super_rows if ask == "super" else self.nested_rows)(phrase, **options)
        rows = [row for row in rows if lengths[0] <= row.length <= lengths[1]]
        inner = len(self._key(self._tokens_of_query(phrase)))

        def before(row: Row) -> list[str]:
            return list(self.keys[row.id][: row.start][::-1])

        def behind(row: Row) -> list[str]:
            return list(self.keys[row.id][row.start + inner :])

        orders: dict[Sort, Any] = {
            "weight": lambda row: (-row.weight, row.id),
            "left": lambda row: (before(row), behind(row), row.id),
            "right": lambda row: (behind(row), before(row), row.id),
            "length": lambda row: (row.length, -row.weight, row.id),
        }
        return [
            {**row._asdict(), "span": self.span(ask, phrase, row, inner)}
            for row in sorted(rows, key=orders[sort])
        ]

    def span(self, ask: str, phrase: str, row: Row, inner: int) -> list[int]:
        """Where the shorter stands in the longer, in characters."""
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
    words = ["a", "b", "A", "é", "e\u0301", "as", "🙂", "ש", "c,"]
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
def test_pages_put_together_are_the_whole_answer(sort: Sort, limit: int) -> None:
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


def test_a_cursor_is_good_for_its_own_question_and_index_only(client: Client) -> None:
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
        assert_problem(answer, 400, "cursor", "begin again without")


def test_the_same_vocabulary_has_the_same_cursors_and_versions_saved_or_not(tmp_path: Path) -> None:
    built = TermIndex(COMPANIES)
    built.save(tmp_path / "a.nest")
    saved = TermIndex.open(tmp_path / "a.nest")
    answers = [
        Client(create_app(index)).get("/v1/super", term="llc", limit=1) for index in (built, saved)
    ]
    assert answers[0].json() == answers[1].json()
    assert answers[0].headers["etag"] == answers[1].headers["etag"]


def test_parameters_without_a_value_are_as_if_left_out(client: Client) -> None:
    answer = client.get("/v1/super?term=google&limit=&where=&max_extra=&min_length=&cursor=&sort=")
    assert answer.json() == client.json("/v1/super", term="google")
    assert client.json("/v1/super", term="")["results"] == []
    assert client.json("/v1/complete", prefix="")["results"] == []


# --- the other questions ---


def test_term_tells_the_facts_of_a_phrase(client: Client) -> None:
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


def test_term_tells_in_which_form_its_tokens_are_matched() -> None:
    client = client_of(["cafe"], lowercase=True, normalize=lambda token: token.strip("."))
    tokens = client.json("/v1/term", term="Café. ... CAFE")["tokens"]
    assert [(token["text"], token["key"]) for token in tokens] == [
        ("Café.", "café"),
        ("CAFE", "cafe"),
    ]


def test_term_knows_a_phrase_that_is_matched_like_a_term() -> None:
    client = client_of(["New_York", "NEW_YORK"], weights=[3, 5], separator="_", lowercase=True)
    facts = client.json("/v1/term", term="new york")
    assert (facts["in_vocabulary"], facts["surface"], facts["weight"]) == (True, "New_York", 3)
    facts = client.json("/v1/term", term="NEW_YORK")
    assert (facts["in_vocabulary"], facts["surface"], facts["weight"]) == (True, "NEW_YORK", 5)


def test_complete_gives_what_the_index_gives() -> None:
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
def test_find_gives_the_terms_of_a_text_page_by_page(overlaps: str) -> None:
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
def test_a_batch_answers_like_its_phrases_one_by_one(ask: str) -> None:
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


def test_a_batch_of_nothing_is_answered_with_nothing(client: Client) -> None:
    assert client.post("/v1/batch", {"ask": "super", "terms": []}).json() == {"results": []}


def test_info_tells_the_facts_of_the_index_and_the_limits() -> None:
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


# --- hostile input ---

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    '"quoted" \\back\\slash',
    "null\x00byte and\x1fcontrol",
    "\u202eright to left\u202c",
    "שלום עולם",
    "e\u0301 e\u0301\u0301",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family",
    "${jndi:ldap://x} {{7*7}} %s %00",
    "' OR 1=1 --",
    "../../etc/passwd x",
    "line\u2028separator",
]


def test_hostile_terms_come_back_as_they_are() -> None:
    client = client_of(HOSTILE, tokenizer="chars")
    for id, term in enumerate(HOSTILE):
        facts = client.json("/v1/term", term=term)
        assert (facts["term"], facts["id"], facts["surface"]) == (term, id, term)
        middle = term[1:-1].strip()
        hits = client.json("/v1/super", term=middle)["results"]
        for hit in hits:
            start, end = hit["span"]
            assert hit["term"][start:end] == middle
        found = client.post("/v1/find", {"text": f"\n{term}\n", "overlaps": "longest"}).json()
        assert (term, id) in [(match["term"], match["id"]) for match in found["results"]]


def test_answers_are_never_taken_for_a_page(client: Client) -> None:
    answer = client.get("/v1/super", term="<script>alert(1)</script>")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "word"),
    [
        ("GET", "/nothing", None, 404, "/docs"),
        ("GET", "/v1", None, 404, "/docs"),
        ("GET", "/v1/super/", None, 404, "/docs"),
        ("GET", "/../pyproject.toml", None, 404, "/docs"),
        ("GET", "/static/../app.py", None, 404, "/docs"),
        ("POST", "/v1/super", b"{}", 405, "GET"),
        ("DELETE", "/v1/info", None, 405, "GET"),
        ("PUT", "/", b"x", 405, "GET"),
        ("GET", "/v1/batch", None, 405, "POST"),
        ("GET", "/v1/super", None, 422, "term"),
        ("GET", "/v1/super?term=a&term=b", None, 422, "more than once"),
        ("GET", "/v1/super?term=a&nope=1", None, 422, "nope"),
        ("GET", "/v1/super?term=a&limit=ten", None, 422, "limit"),
        ("GET", "/v1/super?term=a&limit=-1", None, 422, "limit"),
        ("GET", "/v1/super?term=a&where=nowhere", None, 422, "where"),
        ("GET", "/v1/super?term=a&direct=maybe", None, 422, "direct"),
        ("GET", "/v1/super?term=a&max_extra=-1", None, 422, "max_extra"),
        ("GET", f"/v1/super?term=a&max_extra={10**30}", None, 422, "max_extra"),
        ("GET", "/v1/super?term=%ff", None, 400, "UTF-8"),
        ("GET", "/v1/super?term=%ed%a0%80", None, 400, "UTF-8"),
        ("GET", "/v1/nested?term=a&max_extra=1", None, 422, "max_extra"),
        ("GET", "/v1/nested?term=a&sort=left", None, 422, "sort"),
        ("GET", "/v1/expansions?term=a", None, 422, "side"),
        ("POST", "/v1/find", b"", 400, "JSON"),
        ("POST", "/v1/find", b"{", 400, "JSON"),
        ("POST", "/v1/find", b"[]", 422, ""),
        ("POST", "/v1/find", b'{"text": 1}', 422, "text"),
        ("POST", "/v1/find", b'{"text": "\\ud800"}', 400, ""),
        ("POST", "/v1/find", b'{"text": "\xff"}', 400, ""),
        ("POST", "/v1/batch", b'{"ask": "super", "terms": "a"}', 422, "terms"),
        ("POST", "/v1/batch", b'{"ask": "all", "terms": []}', 422, "ask"),
        ("POST", "/v1/batch", b'{"ask": "nested", "terms": [], "sort": "left"}', 422, "sort"),
        ("POST", "/v1/batch", b"[" * 100_000, 400, ""),
    ],
)
def test_what_cannot_be_answered_is_a_problem(
    client: Client, method: str, path: str, content: bytes | None, status: int, word: str
) -> None:
    headers = {"content-type": "application/json"} if content is not None else {}
    answer = client.request(method, path, content=content, headers=headers)
    assert_problem(answer, status, word)
    if status == 405:
        assert word in answer.headers["allow"]


def test_a_body_that_is_not_said_to_be_json_is_refused(client: Client) -> None:
    # A form of another site could send it without asking.
    body = b'{"text": "google"}'
    for headers in ({}, {"content-type": "text/plain"}, {"content-type": "application/x"}):
        assert_problem(client.request("POST", "/v1/find", content=body, headers=headers), 415)
    said = {"content-type": "Application/JSON; charset=utf-8"}
    assert client.request("POST", "/v1/find", content=body, headers=said).status_code == 200


def test_a_failure_is_a_problem_that_tells_nothing_of_the_inside(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(token: str) -> str:
        if token == "bad":
            raise RuntimeError("a secret of the inside")
        return token

    client = client_of(COMPANIES, normalize=fails)
    answer = client.get("/v1/super", term="bad")
    assert_problem(answer, 500, "failed")
    assert "secret" not in answer.text
    assert "a secret of the inside" in caplog.text
    assert client.json("/v1/super", term="google")["total"] == 2


def test_a_damaged_index_is_a_problem_and_one_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(token: str) -> str:
        if token == "bad":
            raise DamagedIndexError("the index is damaged")
        return token

    assert_problem(client_of(COMPANIES, normalize=fails).get("/v1/super", term="bad"), 500)
    (record,) = caplog.records
    assert record.getMessage() == "a request failed: the index is damaged"
    assert record.exc_info is None


# --- limits, on both sides ---


def test_pages_are_limited(client: Client) -> None:
    for path, term in [("/v1/super", "term"), ("/v1/nested", "term"), ("/v1/complete", "prefix")]:
        assert client.get(path, **{term: "google"}, limit=1000).status_code == 200
        assert_problem(client.get(path, **{term: "google"}, limit=1001), 422, "limit", "1000")
        assert_problem(client.get(path, **{term: "google"}, limit=0), 422, "limit")
    small = client_of(COMPANIES, Settings(max_page=2))
    assert small.get("/v1/super", term="google", limit=2).status_code == 200
    assert_problem(small.get("/v1/super", term="google", limit=3), 422, "limit")


def test_phrases_are_limited(client: Client) -> None:
    for path, name in [("/v1/super", "term"), ("/v1/term", "term"), ("/v1/complete", "prefix")]:
        assert client.get(path, **{name: "é" * 10_000}).status_code == 200
        assert_problem(client.get(path, **{name: "é" * 10_001}), 422, name, "10000")
    small = client_of(COMPANIES, Settings(max_phrase=3))
    assert small.get("/v1/super", term="llc").status_code == 200
    assert_problem(small.get("/v1/super", term="llcs"), 422, "term")
    body: dict[str, Any] = {"ask": "super", "terms": ["llc"]}
    assert small.post("/v1/batch", body).status_code == 200
    body["terms"].append("llcs")
    assert_problem(small.post("/v1/batch", body), 422, "terms.1")


def test_batches_are_limited(client: Client) -> None:
    terms = ["google"] * 1000
    assert client.post("/v1/batch", {"ask": "super", "terms": terms}).status_code == 200
    terms.append("google")
    assert_problem(client.post("/v1/batch", {"ask": "super", "terms": terms}), 422, "1000")


def test_the_results_of_a_batch_are_limited(client: Client) -> None:
    body = {"ask": "super", "terms": ["google"] * 1000, "limit": 100}
    assert client.post("/v1/batch", body).status_code == 200
    assert_problem(client.post("/v1/batch", body | {"limit": 101}), 422, "100,000")


def body_of(size: int) -> bytes:
    """The body of a find request that has so many bytes."""
    frame = b'{"text": ""}'
    return frame[:-2] + b"a" * (size - len(frame)) + frame[-2:]


@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_are_limited_also_where_their_length_is_not_told(
    client: Client, chunked: bool
) -> None:
    async def parts(body: bytes) -> AsyncIterator[bytes]:
        for start in range(0, len(body), 100_000):
            yield body[start : start + 100_000]

    def post(client: Client, size: int) -> httpx.Response:
        body = body_of(size)
        content = parts(body) if chunked else body
        headers = {"content-type": "application/json"}
        return client.request("POST", "/v1/find", content=content, headers=headers)

    assert post(client, 2 * 1024 * 1024).status_code == 200
    assert_problem(post(client, 2 * 1024 * 1024 + 1), 413, "2,097,152")
    small = client_of(COMPANIES, Settings(max_body=100))
    assert post(small, 100).status_code == 200
    assert_problem(post(small, 101), 413, "100")


def test_bodies_must_arrive_in_time() -> None:
    async def slowly(seconds: float) -> AsyncIterator[bytes]:
        yield b'{"text": '
        await asyncio.sleep(seconds)
        yield b'"google"}'

    headers = {"content-type": "application/json"}
    client = client_of(COMPANIES, Settings(body_seconds=0.5))
    in_time = client.request("POST", "/v1/find", content=slowly(0), headers=headers)
    assert in_time.json()["total"] == 1
    late = client.request("POST", "/v1/find", content=slowly(30), headers=headers)
    assert_problem(late, 408, "0.5 seconds")


@pytest.mark.parametrize(
    "limit",
    [
        *("max_body", "max_phrase", "max_batch", "max_batch_results", "max_page", "max_waiting"),
        "body_seconds",
    ],
)
def test_limits_are_more_than_nothing(limit: str) -> None:
    nothing: dict[str, Any] = {limit: 0}
    with pytest.raises(InvalidOptionError, match=limit):
        Settings(**nothing)


@pytest.mark.parametrize("setting", ["allowed_hosts", "cors_origins"])
@pytest.mark.parametrize("name", ["https://a.example/", "a.example/x", "a b", ""])
def test_names_that_no_request_has_are_refused(setting: str, name: str) -> None:
    wrong: list[Any] = [(name,), "https://a.example"]
    wrong += [("a.example:80",), ("::1",)] if setting == "allowed_hosts" else [("a.example",)]
    for names in wrong:
        settings: dict[str, Any] = {setting: names}
        with pytest.raises(InvalidOptionError, match=setting):
            Settings(**settings)
    Settings(allowed_hosts=("a.example", "[::1]", "*"), cors_origins=("http://a.example:80", "*"))


def test_pages_are_never_larger_than_allowed_by_default() -> None:
    small = client_of(COMPANIES, Settings(max_page=1))
    assert len(small.json("/v1/super", term="google")["results"]) == 1
    assert len(small.json("/v1/nested", term="google llc")["results"]) == 1
    assert len(small.json("/v1/complete", prefix="g")["results"]) == 1
    assert len(small.json("/v1/expansions", term="google", side="right")["results"]) == 1
    for operations in small.json("/openapi.json")["paths"].values():
        for parameter in operations.get("get", {}).get("parameters", []):
            if parameter["name"] == "limit":
                assert parameter["schema"]["default"] == 1


def test_heavy_questions_wait_apart_and_not_too_many_of_them() -> None:
    go_on = threading.Event()

    def slowly(token: str) -> str:
        if token == "slow":
            go_on.wait(30)
        return token

    app = create_app(TermIndex(COMPANIES, normalize=slowly), Settings(max_waiting=2))

    async def ask() -> None:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            body = {"ask": "super", "terms": ["slow"]}
            heavy = [
                asyncio.create_task(client.post("/v1/batch", json=body)) for _ in range(cores() + 3)
            ]
            try:
                done, waiting = await asyncio.wait(heavy, return_when="FIRST_COMPLETED")
                (refused,) = [task.result() for task in done]
                assert_problem(refused, 503, "heavy")
                assert refused.headers["retry-after"] == "1"
                for path in ("super?term=google", "term?term=google", "complete?prefix=goo"):
                    assert (await client.get(f"/v1/{path}")).status_code == 200
            finally:
                go_on.set()
            assert [(await task).status_code for task in waiting] == [200] * (cores() + 2)
            assert (await client.post("/v1/batch", json=body)).status_code == 200

    asyncio.run(ask())


# --- who may ask ---

ROUTES = ["/", "/docs", "/healthz", "/v1/info", "/v1/super?term=a", "/nothing", "/openapi.json"]


@pytest.mark.parametrize("path", ROUTES)
def test_every_answer_is_safe_to_show(client: Client, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io"])
def test_other_names_than_its_own_are_refused(client: Client, path: str, host: str) -> None:
    assert_problem(client.request("GET", path, headers={"host": host}), 421, host)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]", "[::1]:8080"]
)
def test_the_names_of_this_machine_are_its_own(client: Client, host: str) -> None:
    assert client.request("GET", "/healthz", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["", "[::1", "::1", "localhost:80:80", "localhost@evil", "a b"])
def test_a_strange_host_is_refused(client: Client, host: str) -> None:
    assert_problem(client.request("GET", "/healthz", headers={"host": host}), 421)


def test_more_names_can_be_allowed() -> None:
    client = client_of(COMPANIES, Settings(allowed_hosts=("Terms.example",)))
    assert client.request("GET", "/", headers={"host": "terms.EXAMPLE:80"}).status_code == 200
    assert_problem(client.request("GET", "/", headers={"host": "localhost"}), 421)
    client = client_of(COMPANIES, Settings(allowed_hosts=("*",)))
    assert client.request("GET", "/", headers={"host": "any.example"}).status_code == 200


TOKEN = "correct-horse"


@pytest.fixture
def guarded() -> Any:
    return create_app(TermIndex(COMPANIES), Settings(token=TOKEN))


@pytest.mark.parametrize("path", ["/v1/info", "/v1/super?term=a", "/metrics", "/nothing"])
@pytest.mark.parametrize(
    "authorization",
    [
        *("", "Bearer", "Bearer ", "Bearer wrong", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}"),
        *(TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN} {TOKEN}", f"Bearer {TOKEN.upper()}"),
    ],
)
def test_without_the_token_nothing_is_told(guarded: Any, path: str, authorization: str) -> None:
    headers = {"authorization": authorization} if authorization else {}
    answer = Client(guarded).request("GET", path, headers=headers)
    assert_problem(answer, 401, "Authorization: Bearer")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert TOKEN not in answer.text


@pytest.mark.parametrize("authorization", [f"Bearer {TOKEN}", f"bearer {TOKEN}"])
def test_with_the_token_all_is_told(guarded: Any, authorization: str) -> None:
    client = Client(guarded, authorization=authorization)
    assert client.json("/v1/super", term="google")["total"] == 2
    assert client.get("/metrics").status_code == 200
    assert client.get("/nothing").status_code == 404


@pytest.mark.parametrize("path", ["/", "/index.html", "/docs", "/docs.js", "/healthz"])
def test_the_page_that_asks_for_the_token_needs_none(guarded: Any, path: str) -> None:
    assert Client(guarded).get(path).status_code == 200


def test_the_token_is_shown_nowhere(guarded: Any, caplog: pytest.LogCaptureFixture) -> None:
    client = Client(guarded, authorization=f"Bearer {TOKEN}")
    shown = [client.get(path).text for path in (*ROUTES, "/metrics")]
    shown += [repr(Settings(token=TOKEN)), caplog.text]
    assert TOKEN not in "".join(shown)
    assert client.json("/openapi.json")["security"] == [{"token": []}]


def test_several_tokens_are_as_good_as_none(guarded: Any) -> None:
    for other in (f"Bearer {TOKEN}", "Bearer x"):
        headers = [("authorization", other), ("authorization", f"Bearer {TOKEN}")]

        async def ask(headers: list[tuple[str, str]] = headers) -> httpx.Response:
            transport = httpx.ASGITransport(guarded)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as asker:
                return await asker.get("/v1/info", headers=headers)

        assert_problem(asyncio.run(ask()), 401)


@pytest.mark.parametrize(
    ("headers", "answer"),
    [
        ({"host": "localhost", "authorization": f"Bearer {TOKEN}"}, "websocket.accept"),
        ({"host": "localhost"}, "websocket.close"),
        ({"host": "evil.example", "authorization": f"Bearer {TOKEN}"}, "websocket.close"),
    ],
)
def test_web_sockets_of_added_routes_pass_the_same_gate(
    guarded: Any, headers: dict[str, str], answer: str
) -> None:
    async def own(websocket: fastapi.WebSocket) -> None:
        await websocket.accept()

    guarded.add_api_websocket_route("/own", own)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "websocket", "path": "/own", "headers": raw, "query_string": b""}
    asyncio.run(guarded(scope, receive, send))
    assert sent[0]["type"] == answer


def test_pages_of_other_sites_cannot_make_a_browser_ask(client: Client) -> None:
    def ask(client: Client, path: str, site: str) -> httpx.Response:
        return client.request("GET", path, headers={"sec-fetch-site": site})

    for path in ("/v1/super?term=google", "/v1/info", "/metrics", "/nothing"):
        assert_problem(ask(client, path, "cross-site"), 403, "another site")
    for path in ("/", "/docs", "/docs.js"):
        assert ask(client, path, "cross-site").status_code == 200
    for site in ("same-origin", "none"):
        assert ask(client, "/v1/super?term=google", site).status_code == 200
    allowing = client_of(COMPANIES, Settings(cors_origins=("https://page.example",)))
    assert ask(allowing, "/v1/super?term=google", "cross-site").status_code == 200


def test_a_name_is_this_machine_only_if_its_addresses_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [is_loopback(host) for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost")] == [
        True
    ] * 4
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "192.0.2.1", "2001:db8::1"))

    def resolve(*_: Any, **__: Any) -> list[Any]:
        return [(None, None, 0, "", (address, 0)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    addresses = ["192.0.2.1"]
    assert not is_loopback("127.example.com")
    addresses = ["127.0.0.1", "192.0.2.1"]
    assert not is_loopback("localhost")
    addresses = ["127.0.0.1"]
    assert is_loopback("here.example")


def test_a_token_may_not_be_empty() -> None:
    with pytest.raises(InvalidOptionError, match="empty"):
        Settings(token="")


def test_pages_of_other_origins_may_ask_only_if_allowed() -> None:
    allowed = "https://page.example"
    client = client_of(COMPANIES, Settings(cors_origins=(allowed,), token=TOKEN))
    preflight = {"access-control-request-method": "GET"}

    def ask(origin: str, method: str = "GET", **headers: str) -> httpx.Response:
        headers = {"origin": origin, **headers}
        return client.request(method, "/v1/info", headers=headers)

    answer = ask(allowed, authorization=f"Bearer {TOKEN}")
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == allowed
    assert answer.headers["vary"] == "origin"
    # What is refused can be read as well, so that the page can tell why.
    assert ask(allowed).headers["access-control-allow-origin"] == allowed
    before = ask(allowed, "OPTIONS", **preflight)
    assert before.status_code == 204
    assert before.headers["access-control-allow-origin"] == allowed
    assert "authorization" in before.headers["access-control-allow-headers"]
    for origin in ("https://evil.example", "null", f"{allowed}.evil.example"):
        assert "access-control-allow-origin" not in ask(origin).headers
        refused = ask(origin, "OPTIONS", **preflight)
        assert refused.status_code == 401
        assert "access-control-allow-origin" not in refused.headers


# --- versions of an answer ---


def test_an_answer_that_the_asker_has_is_not_sent_again(client: Client) -> None:
    for path in ("/v1/super?term=google", "/v1/complete?prefix=g", "/", "/docs.js"):
        answer = client.get(path)
        assert answer.status_code == 200
        etag = answer.headers["etag"]
        for given in (etag, f"W/{etag}", f'"x", {etag}', "*"):
            again = client.request("GET", path, headers={"if-none-match": given})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == etag
        other = client.request("GET", path, headers={"if-none-match": '"x"'})
        assert other.content == answer.content
    wrong = client.request("GET", "/v1/super?limit=0", headers={"if-none-match": "*"})
    assert_problem(wrong, 422)
    path = "/v1/super?term=google"
    wrong = client.request("GET", f"{path}&cursor=x", headers={"if-none-match": "*"})
    assert_problem(wrong, 400, "cursor")
    next_page = f"{path}&cursor={client.json(f'{path}&limit=1')['next']}"
    again = client.request("GET", next_page, headers={"if-none-match": "*"})
    assert (again.status_code, again.content) == (304, b"")
    other_index = client_of(["google", "llc"])
    assert other_index.get(path).headers["etag"] != client.get(path).headers["etag"]


def test_the_limits_are_told_anew_though_the_index_is_the_same(client: Client) -> None:
    answer = client.request("GET", "/v1/info", headers={"if-none-match": "*"})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert "etag" not in answer.headers


# --- the application in others ---


def test_the_application_can_be_mounted_in_another() -> None:
    outer = fastapi.FastAPI()

    @outer.get("/own")
    def own() -> str:
        return "own"

    outer.mount("/terms", create_app(TermIndex(COMPANIES), Settings(token=TOKEN)))
    client = Client(outer, authorization=f"Bearer {TOKEN}")
    assert client.json("/own") == "own"
    assert client.json("/terms/v1/super", term="google")["total"] == 2
    assert client.get("/terms/").headers["content-type"] == "text/html; charset=utf-8"
    assert client.get("/terms/healthz").status_code == 200
    assert client.json("/terms/openapi.json")["servers"] == [{"url": "/terms"}]
    assert_problem(client.get("/terms/nothing"), 404)
    assert_problem(Client(outer).get("/terms/v1/info"), 401)
    metrics = client.get("/terms/metrics").text
    assert 'termnest_requests_total{route="/v1/super",status="200"} 1' in metrics


def test_routes_of_ones_own_can_be_added() -> None:
    app = create_app(TermIndex(COMPANIES), Settings(token=TOKEN))

    @app.get("/own")
    def own() -> str:
        return "own"

    assert_problem(Client(app).get("/own"), 401)
    assert Client(app, authorization=f"Bearer {TOKEN}").json("/own") == "own"


def test_the_pages_have_the_types_that_browsers_want(client: Client) -> None:
    types = {
        "/": "text/html; charset=utf-8",
        "/docs": "text/html; charset=utf-8",
        "/docs.js": "text/javascript; charset=utf-8",
        "/docs.css": "text/css; charset=utf-8",
    }
    assert {path: client.get(path).headers["content-type"] for path in types} == types


def test_the_documentation_page_asks_nobody_else(client: Client) -> None:
    sources = "".join(client.get(path).text for path in ("/docs", "/docs.js", "/docs.css"))
    assert "openapi.json" in sources
    assert "//" not in sources.replace("// Shows openapi.json", "")


def test_every_route_is_described_and_documented() -> None:
    described = create_app(TermIndex(["a"])).openapi()["paths"]
    document = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    assert {"/v1/super", "/v1/batch", "/healthz", "/metrics"} <= set(described)
    assert [path for path in [*described, "/docs", "/openapi.json"] if path not in document] == []
    limits = [name for name in Settings.__annotations__ if f"`{name}`" not in document]
    assert limits == []


# --- the description of the API ---


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_random_requests_are_answered_as_the_description_says(mode: GenerationMode) -> None:
    """schemathesis makes requests from the description: right ones, and wrong ones."""
    app = create_app(TermIndex([*COMPANIES, "0", "a b"]), Settings(max_phrase=50, max_batch=5))
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers={"host": "localhost"})
    answered: dict[str, set[int]] = {}

    def ask(case: Any) -> None:
        # A cursor cannot be made up, and batches of nested terms take fewer options: both are 4xx.
        for options in (case.query, case.body):
            if mode == GenerationMode.POSITIVE and isinstance(options, dict):
                for option in ("cursor", "max_extra", "sort"):
                    options.pop(option, None)
        answer = case.call_and_validate(
            headers={"host": "localhost"},
            # A parameter without a value is as if left out.
            excluded_checks=[schemathesis.checks.negative_data_rejection],
        )
        answered.setdefault(case.path, set()).add(answer.status_code)

    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]
        if mode == GenerationMode.NEGATIVE and not (operation.query or operation.body):
            continue  # there is nothing to get wrong
        test = hypothesis.given(case=operation.as_strategy(generation_mode=mode))(ask)
        hypothesis.settings(
            max_examples=50,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )(test)()
    questions = {"/v1/super", "/v1/nested", "/v1/term", "/v1/find", "/v1/batch", "/v1/complete"}
    assert questions <= set(answered)
    for path in questions:
        if mode == GenerationMode.POSITIVE:
            assert answered[path] == {200}
        else:
            assert answered[path] & {400, 422}


# --- the real process ---


class Process:
    """A server as a process, and what it writes."""

    def __init__(self, command: list[str], wait_for: str, **environment: str) -> None:
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
            start_new_session=True,
        )
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        found = self.wait_for(wait_for)
        self.port = int(re.search(r":(\d+)", found)[1])  # type: ignore[index]

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.lines += iter(self.process.stderr.readline, "")

    def wait_for(self, text: str, times: int = 1) -> str:
        """The first line with this text, when there are so many."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            found = [line for line in list(self.lines) if text in line]
            if len(found) >= times:
                return found[0]
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        pytest.fail(f"the server did not say {text!r} but {self.lines}")

    def request(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, Any, dict[str, str]]:
        """The status, the JSON and the headers of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read()), dict(answer.getheaders())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        return self.request("GET", path, **headers)[:2]

    def socket(self, sent: bytes) -> socket.socket:
        """A connection over which something was sent."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        connection.sendall(sent)
        return connection

    def end(self) -> int:
        self.process.terminate()
        try:
            return self.process.wait(30)
        finally:
            # Its workers too.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.reader.join()
            assert self.process.stderr is not None
            self.process.stderr.close()


def read_all(connection: socket.socket) -> bytes:
    """What comes until the other side ends the connection."""
    with connection:
        parts = []
        while part := connection.recv(65_536):
            parts.append(part)
        return b"".join(parts)


@contextlib.contextmanager
def served(*arguments: str | Path, **environment: str) -> Iterator[Process]:
    command = ["-m", "termnest", "serve", *map(str, arguments), "--port", "0"]
    server = Process(command, "serving", **environment)
    try:
        yield server
    finally:
        code = server.end()
    assert code == 0
    assert not any("Traceback" in line for line in server.lines)


@pytest.fixture
def nest(tmp_path: Path) -> Path:
    """A saved index."""
    path = tmp_path / "terms.nest"
    TermIndex(COMPANIES).save(path)
    return path


UVICORN = """
import socket, sys, uvicorn
from termnest import TermIndex
from termnest.server import Settings, create_app

app = create_app(TermIndex.open(sys.argv[1]), Settings(body_seconds=1, max_body=1000))
uvicorn.run(app, port=0, log_level="info")
"""


@pytest.mark.parametrize("server", ["granian", "uvicorn"])
def test_both_servers_answer_and_keep_the_limits(server: str, nest: Path) -> None:
    if server == "granian":
        context: Any = served(nest, "--body-seconds", "1", "--max-body", "1000")
    else:
        context = contextlib.closing(Process(["-c", UVICORN, str(nest)], "running on"))
        context.thing.close = context.thing.end
    with context as process:
        wait_until_healthy(process)
        status, answer, headers = process.request("GET", "/v1/super?term=google")
        assert (status, answer["total"]) == (200, 2)
        assert headers["content-type"] == "application/json"
        assert "content-security-policy" in headers
        assert process.get("/v1/super?term=caf%C3%A9")[1]["term"] == "café"
        body = json.dumps({"text": "google llc"})
        status, answer, _ = process.request(
            "POST", "/v1/find", body, **{"content-type": "application/json"}
        )
        assert (status, answer["total"]) == (200, 3)
        assert process.get("/nothing")[0] == 404
        assert process.get("/healthz", host="evil.example")[0] == 421
        head = b"POST /v1/find HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        cases = {
            b"Content-Length: 1001\r\n\r\n": b" 413 ",
            b"Transfer-Encoding: chunked\r\n\r\n" + b"100\r\n" + b"a" * 256: b" 408 ",
            b"Transfer-Encoding: chunked\r\n\r\n" + b"3ea\r\n" + b"a" * 1002 + b"\r\n": b" 413 ",
            b"Content-Length: 1000\r\n\r\n{": b" 408 ",
        }
        for sent, status_line in cases.items():
            answered = read_all(process.socket(head + sent))
            assert status_line in answered.partition(b"\r\n")[0], sent
            assert b"application/problem+json" in answered


def wait_until_healthy(process: Process) -> None:
    """The workers listen a moment after the server says where."""
    end = time.monotonic() + 30
    while True:
        try:
            assert process.get("/healthz")[0] == 200
            return
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.02)


def test_silent_and_slow_heads_are_cut_off_and_others_answered(nest: Path) -> None:
    with served(nest, "--head-seconds", "1") as process:
        wait_until_healthy(process)
        heads = [b"", b"GET /healthz HTTP/1.1\r\nHost: loc"] * 100
        slow = [process.socket(head) for head in heads]
        for _ in range(20):
            assert process.get("/v1/super?term=google")[1]["total"] == 2
        for connection in slow:
            assert read_all(connection) == b""
        assert process.get("/healthz")[0] == 200


def test_more_connections_than_allowed_wait_for_their_turn(nest: Path) -> None:
    options = ("--max-connections", "4", "--head-seconds", "60", "--workers", "1")
    with served(nest, *options) as process:
        wait_until_healthy(process)
        silent = [process.socket(b"") for _ in range(4)]
        asked = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        with process.socket(asked) as waiting:
            waiting.settimeout(1)
            with pytest.raises(TimeoutError):
                waiting.recv(1)
            silent.pop().close()
            waiting.settimeout(30)
            assert read_all(waiting).startswith(b"HTTP/1.1 200 ")
        for connection in silent:
            connection.close()


def test_a_request_cannot_forge_a_line_of_the_access_log(nest: Path) -> None:
    with served(nest, "--access-log", "--workers", "1") as process:
        wait_until_healthy(process)
        assert process.get("/a%0Aforged%1B%5B31m%C2%85%E2%80%AE")[0] == 404
        assert r"/a\nforged\x1b[31m\x85\u202e" in process.wait_for("forged")


def test_heads_are_limited(nest: Path) -> None:
    with served(nest, "--workers", "1") as process:
        wait_until_healthy(process)

        def status(size: int) -> bytes:
            head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            try:
                connection = process.socket(head + b"X: " + b"a" * size + b"\r\n\r\n")
                return read_all(connection)[9:12]
            except ConnectionError:
                # It ends before all is read, and the answer may be lost with it.
                return b"431"

        assert (status(50_000), status(200_000)) == (b"200", b"431")


def workers_of(process: Process) -> list[int]:
    """The processes that a server started."""
    children = Path(f"/proc/{process.process.pid}/task/{process.process.pid}/children")
    return [int(child) for child in children.read_text().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="the workers are looked up in /proc")
def test_a_worker_that_dies_is_replaced_and_what_it_counted_stays(nest: Path) -> None:
    with served(nest, "--workers", "1") as process:
        wait_until_healthy(process)
        assert process.get("/v1/super?term=google")[1]["total"] == 2
        (worker,) = workers_of(process)
        os.kill(worker, signal.SIGKILL)
        process.wait_for("Unexpected exit")
        wait_until_healthy(process)
        assert process.get("/v1/super?term=google")[1]["total"] == 2
        assert worker not in workers_of(process)
        metrics = read_all(process.socket(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n"))
        assert b'termnest_requests_total{route="/v1/super",status="200"} 2' in metrics


@pytest.mark.skipif(sys.platform != "linux", reason="the workers are looked up in /proc")
def test_a_server_whose_workers_die_again_and_again_fails(nest: Path) -> None:
    command = ["-m", "termnest", "serve", str(nest), "--workers", "1", "--port", "0"]
    process = Process(command, "serving")
    try:
        end = time.monotonic() + 30
        while process.process.poll() is None:
            assert time.monotonic() < end
            with contextlib.suppress(OSError):
                for worker in workers_of(process):
                    os.kill(worker, signal.SIGKILL)
            time.sleep(0.05)
        assert process.process.returncode == 1
    finally:
        process.end()


def test_a_plain_vocabulary_is_served_too_by_several_workers(tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("\n".join(COMPANIES))
    with served(tmp_path / "terms.txt", "--lowercase", "--workers", "2") as process:
        wait_until_healthy(process)
        for _ in range(40):
            assert process.get("/v1/super?term=GOOGLE")[1]["total"] == 2
        connection = http.client.HTTPConnection("127.0.0.1", process.port, timeout=30)
        connection.request("GET", "/metrics")
        metrics = connection.getresponse().read().decode()
        connection.close()
        # Whichever worker tells, it counts what all have answered.
        assert 'termnest_requests_total{route="/v1/super",status="200"} 40' in metrics


@pytest.mark.parametrize("how", ["--reload", "SIGHUP"])
def test_a_new_version_is_taken_up_and_no_request_is_lost(nest: Path, how: str) -> None:
    options = ("--reload",) if how == "--reload" else ()
    with served(nest, "--workers", "2", *options) as process:
        wait_until_healthy(process)
        first = process.get("/v1/info")[1]["checksum"]
        totals: list[int] = []
        done = threading.Event()

        def ask() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", process.port, timeout=30)
            while not done.is_set():
                connection.request("GET", "/v1/super?term=google")
                answer = connection.getresponse()
                totals.append(json.loads(answer.read())["total"] if answer.status == 200 else -1)
            connection.close()

        askers = [threading.Thread(target=ask) for _ in range(8)]
        for asker in askers:
            asker.start()
        TermIndex([*COMPANIES, "google inc"]).save(nest)
        if how == "SIGHUP":
            process.process.send_signal(signal.SIGHUP)
        process.wait_for("took up a new version", times=2)
        before = len(totals)
        while len(totals) < before + 100:
            time.sleep(0.01)
        done.set()
        for asker in askers:
            asker.join()
        assert set(totals) <= {2, 3}
        assert totals[-1] == 3
        assert process.get("/v1/info")[1]["checksum"] != first


def test_a_version_that_came_between_opening_and_serving_is_taken_up(nest: Path) -> None:
    index = TermIndex.open(nest)
    TermIndex([*COMPANIES, "google inc"]).save(nest)
    client = Client(create_app(index, Settings(reload=True)))
    end = time.monotonic() + 30
    while client.json("/v1/super", term="google")["total"] != 3:
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("damage", ["cut", "flipped", "other"])
def test_a_damaged_new_version_is_told_and_not_taken(nest: Path, damage: str) -> None:
    with served(nest, "--reload", "--workers", "1") as process:
        wait_until_healthy(process)
        TermIndex([*COMPANIES, "google inc"]).save(nest.with_name("new"))
        content = nest.with_name("new").read_bytes()
        flipped = content[:-70] + bytes([content[-70] ^ 1]) + content[-69:]
        damaged = {"cut": content[:-1], "flipped": flipped, "other": b"google\n"}[damage]
        nest.with_name("new").write_bytes(damaged)
        nest.with_name("new").replace(nest)
        assert str(nest) in process.wait_for("not taken up")
        assert process.get("/v1/super?term=google")[1]["total"] == 2
        # What is mended is taken up.
        nest.with_name("new").write_bytes(content)
        nest.with_name("new").replace(nest)
        process.wait_for("took up a new version")
        assert process.get("/v1/super?term=google")[1]["total"] == 3


def test_the_token_of_a_file_or_of_the_environment_is_asked_for(nest: Path) -> None:
    token_file = nest.with_name("token")
    token_file.write_text(f"{TOKEN}\n")
    token_file.chmod(0o600)
    for options, environment in [
        (("--token-file", token_file), {}),
        ((), {"TERMNEST_TOKEN": TOKEN}),
    ]:
        with served(nest, "--access-log", *options, **environment) as process:
            wait_until_healthy(process)
            assert process.get("/v1/info")[0] == 401
            assert process.get("/v1/info", authorization=f"Bearer {TOKEN}")[0] == 200
            process.wait_for("/v1/info")
        assert TOKEN not in "".join(process.lines)


def refused(*arguments: str | Path, **environment: str) -> tuple[int, str]:
    """The exit code and the message of a server that does not start."""
    ran = subprocess.run(
        [sys.executable, "-m", "termnest", "serve", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | environment,
        check=False,
    )
    assert ran.stdout == ""
    assert "Traceback" not in ran.stderr
    return ran.returncode, ran.stderr


def test_bad_input_is_told_in_a_sentence_before_anything_is_served(nest: Path) -> None:
    folder = nest.parent
    damaged = folder / "damaged.nest"
    content = nest.read_bytes()
    damaged.write_bytes(content[:-1])
    changed = folder / "changed.nest"
    changed.write_bytes(content[:-70] + bytes([content[-70] ^ 1]) + content[-69:])
    vocabulary = folder / "terms.txt"
    vocabulary.write_text("google\n")
    token = folder / "token"
    token.write_text("secret")
    token.chmod(0o644)
    empty = folder / "empty"
    empty.write_text(" \n")
    empty.chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        cases = [
            (refused(folder / "none.nest"), 2, "there is no file"),
            (refused(damaged), 3, "damaged"),
            (refused(changed, "--port", "0"), 3, str(changed)),
            (refused(nest, "--port", port), 2, "in use"),
            (refused(nest, "--port", "0", "--token-file", token), 2, "chmod 600"),
            (refused(nest, "--port", "0", "--token-file", empty), 2, "no usable token"),
            (refused(nest, "--port", "0", "--token-file", folder / "none"), 2, "cannot read"),
            (refused(nest, "--port", "0", "--host", "0.0.0.0"), 2, "--token-file"),
            (refused(nest, "--host", "192.0.2.1", TERMNEST_TOKEN="x"), 2, "no such address"),
            (refused(nest, "--host", "no.such.invalid", TERMNEST_TOKEN="x"), 2, "cannot listen"),
            (refused(nest, TERMNEST_TOKEN="with space"), 2, "no usable token"),
            (refused(vocabulary, "--reload"), 2, "termnest build"),
            (refused(nest, "--lowercase"), 2, "--lowercase"),
            (refused(nest, "--port", "99999"), 2, "--port"),
        ]
    for (code, message), expected, words in cases:
        assert (code, words in message) == (expected, True), message
        assert "secret" not in message


@pytest.mark.parametrize("package", ["fastapi", "granian"])
def test_without_the_extra_the_command_tells_how_to_install_it(nest: Path, package: str) -> None:
    program = (
        f"import sys; sys.modules['{package}'] = None\n"
        "from termnest.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "serve", str(nest)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"termnest: the server needs {package}, which is not installed: "
        "pip install 'termnest[server]'\n"
    )
