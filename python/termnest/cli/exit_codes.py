"""The exit codes of every command."""

FOUND = 0
NOTHING_FOUND = 1
BAD_INPUT = 2
DAMAGED_INDEX = 3
INTERRUPTED = 130
"""Ctrl-C, as shells have it: 128 and the number of the signal."""

SERVER_FAILED = 1
"""A server that ended although nobody stopped it."""


def exit_code(found: bool) -> int:
    """The exit code of a question that was answered."""
    return FOUND if found else NOTHING_FOUND
