"""Asks a server in this process, without a socket."""

import asyncio
from typing import Any

import httpx

from termnest import TermIndex
from termnest.server import Settings, create_app

COMPANIES = ["google", "google llc", "llc", "alphabet google llc"]

PROBLEM = "application/problem+json"

TOKEN = "correct-horse"


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
    """A client of an application that answers from an index of these terms."""
    return Client(create_app(TermIndex(terms, **options), settings))


def assert_problem(answer: httpx.Response, status: int, *words: str) -> None:
    """The answer is a problem (RFC 9457), and its detail contains these words."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    problem = answer.json()
    assert problem["status"] == status
    assert problem["type"] == "about:blank"
    assert problem["title"]
    for word in words:
        assert word in problem["detail"]
    assert "Traceback" not in answer.text
