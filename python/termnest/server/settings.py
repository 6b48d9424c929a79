"""What a server allows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from termnest.errors import InvalidOptionError

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")

_HOST = re.compile(r"\*|\[[^]\s/]+\]|[^][:/@\s]+")
_HOST_HINT = "give a name without scheme, port and path, an IPv6 address in brackets"
_ORIGIN = re.compile(r"\*|[a-z][a-z0-9+.-]*://[^/?#@\sA-Z]+")
_ORIGIN_HINT = "give scheme and host, like https://example.org, in lower case and without a path"


@dataclass(frozen=True)
class Settings:
    """What a server allows, and to whom.

    >>> Settings(max_page=100).max_page
    100
    """

    token: str | None = field(default=None, repr=False)
    """What requests must carry as `Authorization: Bearer ...`; None lets everyone ask."""
    allowed_hosts: tuple[str, ...] = LOOPBACK_NAMES
    """The names that a request may have in its Host header; `"*"` allows all."""
    cors_origins: tuple[str, ...] = ()
    """The origins whose pages may ask, `https://example.org` for instance; `"*"` allows all."""
    reload: bool = False
    """Watch the file of the index, and take up a new version of it."""
    max_body: int = 2 * 1024 * 1024
    """Bytes of a request's body; more is answered with 413."""
    max_phrase: int = 10_000
    """Characters of a phrase; more is answered with 422."""
    max_batch: int = 1_000
    """Phrases of a batch; more is answered with 422."""
    max_batch_results: int = 100_000
    """Phrases of a batch times the results for each; more is answered with 422."""
    max_page: int = 1_000
    """Results of a page; more is answered with 422."""
    max_waiting: int = 64
    """Heavy questions that wait for their turn, in each process; more are answered with 503."""
    body_seconds: float = 10.0
    """Time for the body of a request to arrive; later it is answered with 408."""

    def __post_init__(self) -> None:
        for name, limit in self.limits().items():
            if not limit > 0:
                raise InvalidOptionError(f"{name} must be more than 0, not {limit}")
        _check_names("allowed_hosts", self.allowed_hosts, _HOST, _HOST_HINT)
        _check_names("cors_origins", self.cors_origins, _ORIGIN, _ORIGIN_HINT)
        if self.token is not None and not self.token:
            raise InvalidOptionError("the token is empty: leave it out to let everyone ask")

    def limits(self) -> dict[str, float]:
        """The limits by their names."""
        return {
            name: value
            for name, value in vars(self).items()
            if name.startswith("max_") or name.endswith("_seconds")
        }


def _check_names(option: str, names: Iterable[str], form: re.Pattern[str], hint: str) -> None:
    """Refuses names that no request could ever have.

    Raises:
        InvalidOptionError: One is such.
    """
    if isinstance(names, str):
        raise InvalidOptionError(f"{option} must be a tuple of names, not the text {names!r}")
    for name in names:
        if not form.fullmatch(name):
            raise InvalidOptionError(f"{option} cannot have {name!r}: {hint}")
