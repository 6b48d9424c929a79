"""Who may ask (host names, origins, access token), and the security headers of every answer."""

from __future__ import annotations

import hmac
import ipaddress
import os
import socket
import stat
from pathlib import Path
from typing import ClassVar, NamedTuple

from termnest.errors import FileAccessError, InvalidOptionError
from termnest.server.http import Headers, Problem, Scope
from termnest.server.settings import Settings

TOKEN_VARIABLE = "TERMNEST_TOKEN"

# The page loads scripts and styles from its own server only, and asks no other.
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Headers = [
    (b"content-security-policy", _CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # Addresses contain phrases, which are nobody else's business.
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
_OWN_PAGES_ONLY = (b"cross-origin-resource-policy", b"same-origin")


class Credentials(NamedTuple):
    """The headers of a request that decide whether it is answered."""

    hosts: list[bytes]
    authorizations: list[bytes]
    origin: bytes | None
    site: bytes | None

    @classmethod
    def of(cls, scope: Scope) -> Credentials:
        """The credentials of a request."""
        hosts: list[bytes] = []
        authorizations: list[bytes] = []
        origin = site = None
        for name, value in scope["headers"]:
            if name == b"host":
                hosts.append(value)
            elif name == b"authorization":
                authorizations.append(value)
            elif name == b"origin":
                origin = value
            elif name == b"sec-fetch-site":
                site = value
        return cls(hosts, authorizations, origin, site)


class Gate:
    """Refuses the requests that the settings do not allow."""

    def __init__(self, settings: Settings) -> None:
        self._hosts = {host.lower() for host in settings.allowed_hosts}
        self._any_host = "*" in self._hosts
        self._token = settings.token.encode() if settings.token is not None else None
        self._origins = {origin.encode() for origin in settings.cors_origins}

    @property
    def requires_token(self) -> bool:
        """Whether requests must send a token."""
        return self._token is not None

    def check_host(self, hosts: list[bytes]) -> None:
        """Refuses names that are not the server's.

        A hostile site can point its own name at this machine (DNS rebinding), and would then be
        the same origin as the server.

        Raises:
            Problem: The request has no Host header, several, or one that is not allowed.
        """
        if self._any_host:
            return
        if len(hosts) != 1 or not hosts[0]:
            raise Problem(421, "a request must name the server in one Host header")
        name = _without_port(hosts[0].decode("latin-1"))
        if name not in self._hosts:
            raise Problem(
                421,
                f"host {name} is not allowed: use one of the server's names, or start it with "
                f"--allowed-host {name}",
            )

    def check_site(self, site: bytes | None) -> None:
        """Refuses requests from pages of other sites, unless origins are allowed.

        Such a page could not read the answer, but it could keep the server busy.

        Raises:
            Problem: The browser says that a page of another site sent the request.
        """
        if site == b"cross-site" and not self._origins:
            raise Problem(
                403,
                "a page of another site sent this request: open the address itself, or start the "
                "server with --cors-origin",
            )

    def check_token(self, authorizations: list[bytes]) -> None:
        """Refuses requests without the token, if the server has one.

        Raises:
            Problem: The token is missing or wrong, or there are several.
        """
        if self._token is None:
            return
        authorization = authorizations[0] if len(authorizations) == 1 else b""
        scheme, _, given = authorization.partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._token):
            raise Problem(
                401,
                "this server requires an access token: send it as `Authorization: Bearer TOKEN`",
                [(b"www-authenticate", b'Bearer realm="termnest"')],
            )

    def allows_origin(self, origin: bytes | None) -> bool:
        """Whether the pages of an origin may ask."""
        return origin is not None and (origin in self._origins or b"*" in self._origins)

    def origin_headers(self, origin: bytes | None) -> Headers:
        """The headers by which a browser lets a page of another origin read an answer, or not."""
        if not self._origins:
            return [_OWN_PAGES_ONLY]
        headers = [(b"vary", b"origin")]
        if origin is not None and self.allows_origin(origin):
            headers += [
                (b"access-control-allow-origin", origin),
                (b"access-control-expose-headers", b"etag"),
            ]
        return headers

    preflight_headers: ClassVar[Headers] = [
        (b"access-control-allow-methods", b"GET, POST"),
        (b"access-control-allow-headers", b"authorization, content-type, if-none-match"),
        (b"access-control-max-age", b"600"),
    ]
    """The answer to the browser's question whether a page of an allowed origin may ask."""


def _without_port(host: str) -> str:
    """The name of a Host header in lower case; an IPv6 address keeps its brackets."""
    name, colon, port = host.lower().rpartition(":")
    if not colon or (not port.isdecimal() and port) or host.endswith("]"):
        return host.lower()
    return name


def is_loopback(host: str) -> bool:
    """Whether a server that listens at this host can be reached from its own machine only.

    All addresses of a name count: what a name looks like proves nothing.
    """
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return False
    return all(ipaddress.ip_address(place[0]).is_loopback for *_, place in found)


def read_token(file: str | None) -> str | None:
    """The token in a file, or in the environment if there is no file.

    Raises:
        FileAccessError: The file cannot be read.
        InvalidOptionError: Others may read the file, or it does not contain a usable token.
    """
    if file is None:
        token = os.environ.get(TOKEN_VARIABLE)
        source = f"the environment variable {TOKEN_VARIABLE}"
        if token is None:
            return None
    else:
        source = file
        try:
            with Path(file).open(encoding="utf-8") as opened:
                if os.name == "posix" and os.fstat(opened.fileno()).st_mode & (
                    stat.S_IRWXG | stat.S_IRWXO
                ):
                    raise InvalidOptionError(
                        f"users other than its owner can read the token in {file}: chmod 600 {file}"
                    )
                token = opened.read()
        except OSError as error:
            raise FileAccessError(f"cannot read {file}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InvalidOptionError(f"{file} does not contain a token: it is not text") from error
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidOptionError(
            f"{source} does not contain a usable token: a token is one line of printable ASCII "
            "characters without spaces"
        )
    return token
