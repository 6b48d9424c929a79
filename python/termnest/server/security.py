"""Who may ask, and what every answer carries."""

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

# Scripts, styles and requests of the page come from the server itself, and nothing else does.
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Headers = [
    (b"content-security-policy", _CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # Addresses hold phrases.
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
_OWN_PAGES_ONLY = (b"cross-origin-resource-policy", b"same-origin")


class Credentials(NamedTuple):
    """What the headers of a request tell of whom it comes from."""

    hosts: list[bytes]
    authorizations: list[bytes]
    origin: bytes | None
    site: bytes | None

    @classmethod
    def of(cls, scope: Scope) -> Credentials:
        """Those of a request."""
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
    """Lets requests through that the settings allow."""

    def __init__(self, settings: Settings) -> None:
        self._hosts = {host.lower() for host in settings.allowed_hosts}
        self._any_host = "*" in self._hosts
        self._token = settings.token.encode() if settings.token is not None else None
        self._origins = {origin.encode() for origin in settings.cors_origins}

    @property
    def asks_for_token(self) -> bool:
        """Whether requests must carry a token."""
        return self._token is not None

    def check_host(self, hosts: list[bytes]) -> None:
        """Refuses names that are not the server's: a page elsewhere may have pointed its own here.

        Raises:
            Problem: The request has no Host header, several, or one that is not allowed.
        """
        if self._any_host:
            return
        if len(hosts) != 1 or _without_port(hosts[0].decode("latin-1")) not in self._hosts:
            shown = ", ".join(host.decode("latin-1") for host in hosts) or "nothing"
            raise Problem(
                421,
                f"this server does not go by the name of {shown}: ask it by one of its own, or "
                "start it with --allowed-host",
            )

    def check_site(self, site: bytes | None) -> None:
        """Refuses what a browser sends for a page of another site, if no origin is allowed.

        The page could not read the answer, but it could keep the server busy.

        Raises:
            Problem: It is such a request.
        """
        if site == b"cross-site" and not self._origins:
            raise Problem(
                403,
                "a page of another site asks: open the address itself, or start the server with "
                "--cors-origin",
            )

    def check_token(self, authorizations: list[bytes]) -> None:
        """Refuses requests without the token, if there is one.

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
                "this server asks for a token: send it as `Authorization: Bearer TOKEN`",
                [(b"www-authenticate", b'Bearer realm="termnest"')],
            )

    def allows_origin(self, origin: bytes | None) -> bool:
        """Whether the pages of an origin may ask."""
        return origin is not None and (origin in self._origins or b"*" in self._origins)

    def origin_headers(self, origin: bytes | None) -> Headers:
        """What tells a browser whether a page of another origin may read an answer."""
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
    """What a browser wants to know before it lets a page of an allowed origin ask."""


def _without_port(host: str) -> str:
    """A Host header's name, in lower case; that of an IPv6 address is in brackets."""
    name, colon, port = host.lower().rpartition(":")
    if not colon or (not port.isdecimal() and port) or host.endswith("]"):
        return host.lower()
    return name


def is_loopback(host: str) -> bool:
    """Whether a server that is bound to this address can be reached from its own machine only.

    What a name looks like tells nothing, so all addresses that it stands for are looked at.
    """
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return False
    return all(ipaddress.ip_address(place[0]).is_loopback for *_, place in found)


def read_token(file: str | None) -> str | None:
    """The token that a file holds, or else the environment.

    Raises:
        FileAccessError: The file cannot be read.
        InvalidOptionError: Others may read the file, or there is no usable token in it.
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
                        f"others than its owner may use {file}, which holds the token: "
                        f"chmod 600 {file}"
                    )
                token = opened.read()
        except OSError as error:
            raise FileAccessError(f"cannot read {file}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise InvalidOptionError(f"{file} holds no token, as it is no text") from error
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidOptionError(
            f"{source} holds no usable token: it must be one line of printable ASCII characters "
            "without spaces"
        )
    return token
