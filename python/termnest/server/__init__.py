"""The HTTP server: a FastAPI application that answers from an index, and a way to run it.

`create_app` returns the application: any ASGI server can run it, and another application can mount
it. `termnest serve` runs it with Granian.
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
