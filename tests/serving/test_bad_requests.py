"""Hostile input, invalid requests and internal errors."""

import pytest

from serving.client import COMPANIES, Client, assert_problem, client_of
from termnest.errors import DamagedIndexError

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


def test_hostile_terms_come_back_unchanged() -> None:
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


def test_browsers_never_take_an_answer_for_a_page(client: Client) -> None:
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
def test_invalid_requests_are_answered_with_a_problem(
    client: Client, method: str, path: str, content: bytes | None, status: int, word: str
) -> None:
    headers = {"content-type": "application/json"} if content is not None else {}
    answer = client.request(method, path, content=content, headers=headers)
    assert_problem(answer, status, word)
    if status == 405:
        assert word in answer.headers["allow"]


def test_a_body_without_the_content_type_of_json_is_refused(client: Client) -> None:
    # A form of another site could send it without asking.
    body = b'{"text": "google"}'
    for headers in ({}, {"content-type": "text/plain"}, {"content-type": "application/x"}):
        assert_problem(client.request("POST", "/v1/find", content=body, headers=headers), 415)
    said = {"content-type": "Application/JSON; charset=utf-8"}
    assert client.request("POST", "/v1/find", content=body, headers=said).status_code == 200


def test_an_internal_error_is_logged_but_not_shown_to_the_client(
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
