"""The limits of a server: one test of what is still allowed, and of what is not."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from serving.client import COMPANIES, Client, assert_problem, client_of
from termnest import TermIndex
from termnest.errors import InvalidOptionError
from termnest.server import Settings, create_app
from termnest.server.heavy_queue import cores


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
    """The body of a find request, with `size` bytes."""
    frame = b'{"text": ""}'
    return frame[:-2] + b"a" * (size - len(frame)) + frame[-2:]


@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_are_limited_with_and_without_a_content_length(
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
def test_limits_must_be_positive(limit: str) -> None:
    nothing: dict[str, Any] = {limit: 0}
    with pytest.raises(InvalidOptionError, match=limit):
        Settings(**nothing)


def test_default_page_sizes_respect_the_limit() -> None:
    small = client_of(COMPANIES, Settings(max_page=1))
    assert len(small.json("/v1/super", term="google")["results"]) == 1
    assert len(small.json("/v1/nested", term="google llc")["results"]) == 1
    assert len(small.json("/v1/complete", prefix="g")["results"]) == 1
    assert len(small.json("/v1/expansions", term="google", side="right")["results"]) == 1
    for operations in small.json("/openapi.json")["paths"].values():
        for parameter in operations.get("get", {}).get("parameters", []):
            if parameter["name"] == "limit":
                assert parameter["schema"]["default"] == 1


def test_heavy_questions_wait_in_a_queue_of_their_own_that_has_a_limit() -> None:
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
