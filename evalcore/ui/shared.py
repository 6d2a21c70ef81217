"""Large values that all sessions share and nobody changes: one copy of each, bounded in bytes.

What is small, or changed by who gets it, belongs into ``st.cache_data`` (see `cache`), which copies.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import streamlit as st

from evalcore.stores import Store

if TYPE_CHECKING:
    from collections.abc import Callable

Given = ParamSpec("Given")
Returned = TypeVar("Returned")

ROOM = 1 << 30
"""Bytes of open studies, of what was made of their graphs, and of their texts and names to search in."""
_held: Store[Any] = Store(ROOM)


def shared(*, spinner: str = "") -> Callable[[Callable[Given, Returned]], Callable[Given, Returned]]:
    """Compute once for all sessions, until the room is needed; who waits sees the ``spinner``'s words.

    The arguments are the key, but for those whose names begin with "_".
    """

    def remembering(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
        named = signature(function)

        @wraps(function)
        def found(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
            given = named.bind(*args, **kwargs).arguments.items()
            key = (function.__module__, function.__qualname__, *(pair for pair in given if pair[0][0] != "_"))
            if key in _held:
                spinner_here: Any = nullcontext()
            else:
                spinner_here = st.spinner(spinner) if spinner else nullcontext()
            with spinner_here:
                return _held.once(key, lambda: function(*args, **kwargs))

        return found

    return remembering
