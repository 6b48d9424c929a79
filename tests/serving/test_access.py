"""Who may ask: host names, origins, the access token; and the security headers of answers."""

import asyncio
import socket
from typing import Any

import fastapi
import httpx
import pytest

from serving.client import COMPANIES, TOKEN, Client, assert_problem, client_of
from termnest import TermIndex
from termnest.errors import InvalidOptionError, TermTypeError
from termnest.server import Settings, create_app
from termnest.server.security import is_loopback

ROUTES = ["/", "/docs", "/healthz", "/v1/info", "/v1/super?term=a", "/nothing", "/openapi.json"]


@pytest.mark.parametrize("path", ROUTES)
def test_every_answer_has_security_headers(client: Client, path: str) -> None:
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
def test_foreign_host_names_are_refused(client: Client, path: str, host: str) -> None:
    assert_problem(client.request("GET", path, headers={"host": host}), 421, host)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]", "[::1]:8080"]
)
def test_the_names_of_this_machine_are_allowed(client: Client, host: str) -> None:
    assert client.request("GET", "/healthz", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["", "[::1", "::1", "localhost:80:80", "localhost@evil", "a b"])
def test_a_malformed_host_is_refused(client: Client, host: str) -> None:
    assert_problem(client.request("GET", "/healthz", headers={"host": host}), 421)


def test_more_names_can_be_allowed() -> None:
    client = client_of(COMPANIES, Settings(allowed_hosts=("Terms.example",)))
    assert client.request("GET", "/", headers={"host": "terms.EXAMPLE:80"}).status_code == 200
    assert_problem(client.request("GET", "/", headers={"host": "localhost"}), 421)
    client = client_of(COMPANIES, Settings(allowed_hosts=("*",)))
    assert client.request("GET", "/", headers={"host": "any.example"}).status_code == 200


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
def test_without_the_token_nothing_is_answered(guarded: Any, path: str, authorization: str) -> None:
    headers = {"authorization": authorization} if authorization else {}
    answer = Client(guarded).request("GET", path, headers=headers)
    assert_problem(answer, 401, "Authorization: Bearer")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert TOKEN not in answer.text


@pytest.mark.parametrize("authorization", [f"Bearer {TOKEN}", f"bearer {TOKEN}"])
def test_with_the_token_everything_is_answered(guarded: Any, authorization: str) -> None:
    client = Client(guarded, authorization=authorization)
    assert client.json("/v1/super", term="google")["total"] == 2
    assert client.get("/metrics").status_code == 200
    assert client.get("/nothing").status_code == 404


@pytest.mark.parametrize("path", ["/", "/index.html", "/docs", "/docs.js", "/healthz"])
def test_the_page_that_asks_for_the_token_needs_none(guarded: Any, path: str) -> None:
    assert Client(guarded).get(path).status_code == 200


def test_the_token_is_never_shown(guarded: Any, caplog: pytest.LogCaptureFixture) -> None:
    client = Client(guarded, authorization=f"Bearer {TOKEN}")
    shown = [client.get(path).text for path in (*ROUTES, "/metrics")]
    shown += [repr(Settings(token=TOKEN)), caplog.text]
    assert TOKEN not in "".join(shown)
    assert client.json("/openapi.json")["security"] == [{"token": []}]


def test_a_request_with_two_tokens_is_refused(guarded: Any) -> None:
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


def test_a_name_is_loopback_only_if_all_its_addresses_are(monkeypatch: pytest.MonkeyPatch) -> None:
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
    # The page can read a refusal too, and show its reason.
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


@pytest.mark.parametrize("setting", ["allowed_hosts", "cors_origins"])
@pytest.mark.parametrize("name", ["https://a.example/", "a.example/x", "a b", ""])
def test_settings_refuse_names_that_no_request_can_have(setting: str, name: str) -> None:
    wrong: list[tuple[str, ...]] = [(name,)]
    wrong += [("a.example:80",), ("::1",)] if setting == "allowed_hosts" else [("a.example",)]
    for names in wrong:
        settings: dict[str, Any] = {setting: names}
        with pytest.raises(InvalidOptionError, match=setting):
            Settings(**settings)
    settings = {setting: "https://a.example"}
    with pytest.raises(TermTypeError, match=f"{setting} must be a tuple of names"):
        Settings(**settings)
    Settings(allowed_hosts=("a.example", "[::1]", "*"), cors_origins=("http://a.example:80", "*"))
