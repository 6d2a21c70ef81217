"""How the engine's loops are compiled, and why each file of loops stands alone.

numba keeps compiled code on disk and notices changes of a function's own file only, so a compiled
function calls none that is compiled in another file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., Any]")


_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def compiled(function: Function) -> Function:
    """Compile on first call, without the interpreter lock; keep the result on disk where that is possible.

    Where neither the folder of the program nor the user's own cache folder can be written, numba refuses
    to keep anything; the loops are then compiled anew in every process, which takes some seconds.
    (``NUMBA_CACHE_DIR`` names another folder.)
    """
    try:
        kept: Function = numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:
        kept = numba.njit(**_OPTIONS)(function)
    return kept
