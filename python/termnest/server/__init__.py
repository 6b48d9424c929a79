"""The HTTP server: an application that answers from an index, and what runs it.

`create_app` gives a FastAPI application, to be served by any ASGI server or mounted in one's own
application; `termnest serve` runs it with Granian.
"""

from termnest.errors import MissingExtraError
from termnest.server.settings import Settings

try:
    from termnest.server.app import create_app
except ModuleNotFoundError as error:
    raise MissingExtraError(
        f"the server needs {error.name}, which is not installed: pip install 'termnest[server]'"
    ) from error

__all__ = ["Settings", "create_app"]
