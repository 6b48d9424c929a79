"""Checks of arguments in Python code: each error is a `TermnestError` that names the argument.

What is passed on to the native core is checked there, by the same rules (src/python/arguments.rs).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from numbers import Real
from operator import index as index_of
from typing import Any, TypeVar

from termnest.errors import InvalidOptionError, InvalidTextError, TermTypeError
from termnest.files import path_name
from termnest.options import StrPath

T = TypeVar("T")


def instance(argument: str, value: object, kind: type[T], expected: str) -> T:
    """An argument of a class; `expected` is what the error calls it."""
    if not isinstance(value, kind):
        raise TermTypeError(option=argument, value=repr(value), expected=expected)
    return value


def text(argument: str, value: object) -> str:
    """A str without half a character in it."""
    checked = instance(argument, value, str, "a str")
    try:
        checked.encode()
    except UnicodeEncodeError:
        raise InvalidTextError(option=argument) from None
    return checked


def count(argument: str, value: object) -> int:
    """A number of things, 0 or more."""
    try:
        number = index_of(value)  # type: ignore[arg-type]
    except TypeError:
        raise TermTypeError(option=argument, value=repr(value), expected="an int") from None
    if number < 0:
        raise InvalidOptionError(
            option=argument, value=str(number), expected="it must be 0 or more"
        )
    return number


def number(argument: str, value: object) -> float:
    """A number, infinity included."""
    if not isinstance(value, Real):
        raise TermTypeError(option=argument, value=repr(value), expected="a number")
    try:
        checked = float(value)
    except OverflowError:  # an int that is larger than all floats
        return math.inf if value > type(value)() else -math.inf
    if math.isnan(checked):
        raise InvalidOptionError(option=argument, value="nan", expected="it must be a number")
    return checked


def function(argument: str, value: Callable[..., Any] | None) -> None:
    """Refuses what cannot be called; None is no function."""
    if value is not None and not callable(value):
        raise TermTypeError(option=argument, value=repr(value), expected="a function or None")


def items(argument: str, value: object, expected: str) -> list[Any]:
    """The items of an iterable. A str or bytes is not meant as one."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return list(value)
    shown = f"the one str {value!r}" if isinstance(value, str) else repr(value)
    raise TermTypeError(option=argument, value=shown, expected=expected)


def paths(argument: str, value: Iterable[StrPath] | StrPath) -> list[str]:
    """One path, or the paths of an iterable."""
    if isinstance(value, str | os.PathLike):
        return [path_name(argument, value)]
    given = items(argument, value, "a path or an iterable of paths")
    return [path_name(f"entry {i} of {argument}", path) for i, path in enumerate(given)]
