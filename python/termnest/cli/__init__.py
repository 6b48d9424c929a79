"""The command line, `termnest`."""

from termnest.cli.app import cli, main

__all__ = ["cli", "main"]
