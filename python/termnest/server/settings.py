"""What a server allows."""

from __future__ import annotations

from dataclasses import dataclass, field

from termnest.errors import InvalidOptionError

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


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
    body_seconds: float = 10.0
    """Time for the body of a request to arrive; later it is answered with 408."""

    def __post_init__(self) -> None:
        for name, limit in self.limits().items():
            if not limit > 0:
                raise InvalidOptionError(f"{name} must be more than 0, not {limit}")
        if self.token is not None and not self.token:
            raise InvalidOptionError("the token is empty: leave it out to let everyone ask")

    def limits(self) -> dict[str, float]:
        """The limits by their names."""
        return {
            name: value
            for name, value in vars(self).items()
            if name.startswith("max_") or name.endswith("_seconds")
        }
