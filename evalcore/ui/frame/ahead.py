"""What the server does before the first visit: it draws the first page once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import streamlit as st
from streamlit.logger import get_logger
from streamlit.runtime import Runtime

from evalcore.values.account import is_served

AT_MOST = 60
"""How often drawing the first page is begun; Streamlit ends each after a minute, what was scored is kept."""


@asynccontextmanager
async def drawn_once(app: st.App) -> AsyncIterator[None]:  # noqa: ARG001
    """For ``st.App``: open the study, load the compiled loops and score the first board in the background.

    The server answers meanwhile, and whoever comes waits for what is left. Nothing that fails here ends the
    server: the log says so, and the first visitor sees why. A server for several people draws nothing for
    nobody.
    """
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
    except Exception:
        get_logger(__name__).warning("The first page could not be drawn ahead of a visit", exc_info=True)
