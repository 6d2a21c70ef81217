"""How the engine's loops are compiled, and why each file of loops stands alone.

numba keeps compiled code on disk and notices changes of a function's own file only, so a compiled
function calls none that is compiled in another file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy.typing as npt
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])
Array = npt.NDArray[Any]
"""An array as the loops name it, of the kind that their callers give."""

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


class _Watch(event.Listener):  # type: ignore[misc]
    """Counts what numba is compiling right now (one function starts others, under one lock), and what cannot
    be kept."""

    def __init__(self) -> None:
        self.running = 0
        self.kept = True

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002
        self.running += 1

    def on_end(self, event: event.Event) -> None:  # noqa: ARG002
        self.running -= 1


_watch = _Watch()
event.register("numba:compile", _watch)  # type: ignore[no-untyped-call]


def what_is_compiled() -> str:
    """What to show a person who waits for the compiler; "" when it is not at work."""
    if not _watch.running:
        return ""
    if _watch.kept:
        return "compiling the loops, once on this machine (some 10 s)"
    return "compiling the loops; set NUMBA_CACHE_DIR to a folder you may write to, and it happens only once"


def compiled(function: Function) -> Function:
    """Compile on first call, without the interpreter lock; keep the result on disk where that is possible.

    Where neither the folder of the program nor the user's own cache folder can be written, numba refuses
    to keep anything; the loops are then compiled anew in every process, which takes some seconds.
    (``NUMBA_CACHE_DIR`` names another folder.)
    """
    return _compiled(function, _OPTIONS)


def inner(function: Function) -> Function:
    """The same for a function that only compiled ones of its file call: without what Python would call, it
    takes two thirds of the time to compile."""
    return _compiled(function, {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True})


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    try:
        kept: Any = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        _watch.kept = False
        kept = numba.njit(**options)(function)
    else:
        # numba reads what was kept of older code before it sees that it is older, and fails where a type of
        # that code is gone; what is kept by another version of numba it does not read.
        index = kept._cache._cache_file
        index._version = f"{index._version} {index._source_stamp}"
    result: Function = kept
    return result
