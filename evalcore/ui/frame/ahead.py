"""What the server does before the first visit: it gives free memory back to the system, draws the first page
once, and loads the code of others."""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pkgutil import walk_packages

import pyarrow as pa
import streamlit as st
from streamlit.logger import get_logger
from streamlit.runtime import Runtime

import evalcore.ui
from evalcore import extensions
from evalcore.values.account import is_served

AT_MOST = 60
"""How often drawing the first page is begun; Streamlit ends each after a minute, what was scored is kept."""

CALM = 2.0
"""Seconds after which the code of other pages is loaded: whoever came at once then looks at the first."""
PARTS = ("judging", "readers part", "data part", "data systems")
"""Where pages draw what features add."""


@asynccontextmanager
async def drawn_once(app: st.App) -> AsyncIterator[None]:  # noqa: ARG001
    """For ``st.App``: open the study, load the compiled loops and score the first board in the background.

    The server answers meanwhile, and whoever comes waits for what is left. Nothing that fails here ends the
    server: the log says so, and the first visitor sees why. A server for several people draws nothing for
    nobody.
    """
    trim_memory()
    if is_served():
        yield
        return
    task = asyncio.create_task(_draw())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def _draw() -> None:
    try:
        for _ in range(AT_MOST):
            drawn, why = await Runtime.instance().does_script_run_without_error()
            if drawn or why != "timeout":
                break
        if not drawn:
            get_logger(__name__).warning("The first page could not be drawn ahead of a visit: %s", why)
            return
        await asyncio.sleep(CALM)
        for name in code_of_pages():
            with suppress(Exception):  # whoever visits its page is told
                await asyncio.to_thread(import_module, name)
        gc.freeze()  # as in `cache.scores_by_k`: Streamlit collects after every run, and would walk all that
    except Exception:
        get_logger(__name__).warning("The first page could not be drawn ahead of a visit", exc_info=True)


def code_of_pages() -> Iterator[str]:
    """Modules of the pages and of what built-in features add to them, a page at a time."""
    for page in extensions.pages():
        yield page.show.partition(":")[0]
    for feature in extensions.features():
        yield from (feature.adds[part].partition(":")[0] for part in PARTS if part in feature.adds)
    yield from (module.name for module in walk_packages(evalcore.ui.__path__, "evalcore.ui."))


_TRIM, _MMAP, _ARENAS = -1, -3, -8
"""Numbers of glibc's ``mallopt``: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX."""
LARGE = 1 << 20
"""Arrays of so many bytes are taken from the system one by one, and given back as soon as they are free."""


def trim_memory() -> None:
    """Ask the C library to keep little that is free, where it is one that understands (glibc).

    glibc gives each of the many threads of a server an arena of its own and learns from the first large
    arrays to keep up to 64 MB that is free in each: 40 sessions on a study of 1,100 images held 1.3 GB,
    130 MB of it in use. Arrow keeps pages of its own for what it reads, 60 MB after a study of 1,100 images:
    it is sent to the same library.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    if all([mallopt(_ARENAS, 2), mallopt(_MMAP, LARGE), mallopt(_TRIM, 2 * LARGE)]):
        pa.set_memory_pool(pa.system_memory_pool())
