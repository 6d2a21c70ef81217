"""What the server does before the first visit: it gives free memory back to the system, draws the first page,
loads the code of the others and draws them too, so that a visitor finds their numbers computed."""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pkgutil import walk_packages
from time import monotonic

import pyarrow as pa
import streamlit as st
from streamlit.logger import get_logger
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.session_manager import SessionClient

import evalcore.ui
from evalcore import extensions
from evalcore.ui.frame.pages import PAGES
from evalcore.values.account import is_served

CALM = 2.0
"""Seconds after which other pages are prepared: whoever came at once then looks at the first."""
SLOW = 2.0
"""Seconds that drawing a page takes on a large study; further pages then wait for who visits them."""
PARTS = ("judging", "readers part", "data part", "data systems")
"""Where pages draw what features add."""


@asynccontextmanager
async def drawn_once(app: st.App) -> AsyncIterator[None]:  # noqa: ARG001
    """For ``st.App``: open the study, load the compiled loops and draw the pages in the background.

    The server answers meanwhile, and whoever comes waits for what is left. Nothing that fails here ends the
    server: the log says so, and the first visitor sees why. A server for several people draws nothing
    ahead.
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


class Visitor(SessionClient):
    """Somebody without a browser, who looks at pages: what is drawn goes nowhere, what it took is cached."""

    client_context = None

    def __init__(self) -> None:
        self._drawn = asyncio.Event()
        self._runtime = Runtime.instance()
        self._session = self._runtime.connect_session(self, {})

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        if msg.WhichOneof("type") == "script_finished":
            self._drawn.set()

    async def visit(self, page: str) -> float:
        """Have a page drawn, by its name in the address; the seconds it took."""
        began, message = monotonic(), BackMsg()
        message.rerun_script.page_name = page
        self._drawn.clear()
        self._runtime.handle_backmsg(self._session, message)
        await self._drawn.wait()
        return monotonic() - began

    def leave(self) -> None:
        self._runtime.close_session(self._session)


async def _draw() -> None:
    try:
        visitor = Visitor()
        try:
            await visitor.visit("")
            await asyncio.sleep(CALM)
            for name in code_of_pages():
                with suppress(Exception):  # its page says so
                    await asyncio.to_thread(import_module, name)
            for page in PAGES:
                if page.address and page.ahead and await visitor.visit(page.address) > SLOW:
                    break
        finally:
            visitor.leave()
        gc.freeze()  # as in `cache.scores_by_k`: Streamlit collects after every run, and would walk all that
    except Exception:
        get_logger(__name__).warning("The pages could not be drawn ahead of a visit", exc_info=True)


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
