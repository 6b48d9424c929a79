"""The settings of a server: limits, access token, host names, origins."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from termnest.arguments import count, items, number, text
from termnest.errors import InvalidOptionError

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")

_HOST = re.compile(r"\*|\[[^]\s/]+\]|[^][:/@\s]+")
_HOST_FORM = "it must be a name without scheme, port and path, or an IPv6 address in brackets"
_ORIGIN = re.compile(r"\*|[a-z][a-z0-9+.-]*://[^/?#@\sA-Z]+")
_ORIGIN_FORM = (
    "it must be a scheme and a host, like https://example.org, in lower case and without a path"
)


@dataclass(frozen=True)
class Settings:
    """What a server allows, and whom it answers.

    >>> Settings(max_page=100).max_page
    100
    """

    token: str | None = field(default=None, repr=False)
    """The access token: requests must send `Authorization: Bearer TOKEN`. None: no token needed."""
    allowed_hosts: tuple[str, ...] = LOOPBACK_NAMES
    """The names that requests may use in their Host header; `"*"` allows all."""
    cors_origins: tuple[str, ...] = ()
    """The origins whose pages may ask, such as `https://example.org`; `"*"` allows all."""
    reload: bool = False
    """Watch the file of the index and switch to its new versions."""
    writable: bool = False
    """Let those who have the token add and remove terms of a store. It needs a `token`."""
    max_body: int = 2 * 1024 * 1024
    """The most bytes of a request body; a larger one is answered with 413."""
    max_phrase: int = 10_000
    """The most characters of a phrase; a longer one is answered with 422."""
    max_batch: int = 1_000
    """The most phrases in a batch; more are answered with 422."""
    max_batch_results: int = 100_000
    """The most results of a batch: its phrases times `limit`; more are answered with 422."""
    max_page: int = 1_000
    """The most results on a page; a larger `limit` is answered with 422."""
    max_waiting: int = 64
    """The most heavy questions that wait in the queue of a process; more are answered with 503."""
    body_seconds: float = 10.0
    """Seconds in which the body of a request must arrive; a slower one is answered with 408."""

    def __post_init__(self) -> None:
        for name, limit in self.limits().items():
            checked = number(name, limit) if name.endswith("_seconds") else count(name, limit)
            if not checked > 0:
                raise InvalidOptionError(
                    option=name, value=str(limit), expected="it must be more than 0"
                )
        _check_names("allowed_hosts", self.allowed_hosts, _HOST, _HOST_FORM)
        _check_names("cors_origins", self.cors_origins, _ORIGIN, _ORIGIN_FORM)
        if self.token is not None and not text("token", self.token):
            raise InvalidOptionError(
                option="token", value="empty", expected="leave it out to let everyone ask"
            )
        if self.writable and self.token is None:
            raise InvalidOptionError(
                option="writable", value="True", expected="only with a token: give one"
            )

    def limits(self) -> dict[str, float]:
        """The limits by name."""
        return {
            name: value
            for name, value in vars(self).items()
            if name.startswith("max_") or name.endswith("_seconds")
        }


def _check_names(option: str, names: Iterable[str], form: re.Pattern[str], expected: str) -> None:
    """Refuses names that no request could ever send.

    Raises:
        InvalidOptionError: One of the names is not a host or an origin.
    """
    for name in items(option, names, "a tuple of names"):
        if not form.fullmatch(text(f"each of {option}", name)):
            raise InvalidOptionError(option=option, value=repr(name), expected=expected)
