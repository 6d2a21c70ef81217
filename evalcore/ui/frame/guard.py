"""What the web server refuses before Streamlit sees it: connections made by other pages, and frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.websockets import WebSocketClose
from streamlit import config
from streamlit.logger import get_logger

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY_VIOLATION = 1008
NO_FRAMES = {"Content-Security-Policy": "frame-ancestors 'none'", "X-Frame-Options": "DENY"}


class Guard:
    """Refuses connections from pages this server did not serve, and forbids showing its own in frames.

    Streamlit refuses such connections too, but only after asking an address service on the internet what
    the machine is called outside, each time anew, while everybody else waits.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_unframed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(NO_FRAMES)
            await send(message)

        if scope["type"] == "websocket":
            headers = Headers(scope=scope)
            origin, host = headers.get("origin"), headers.get("host", "")
            if origin is not None and not is_own(origin, host):
                if origin not in config.get_option("server.corsAllowedOrigins"):
                    _refuse(origin, host)
                    await WebSocketClose(POLICY_VIOLATION)(scope, receive, send)
                    return
                # Allowed by whoever runs the program; Streamlit would ask the address service all the same.
                scope["headers"] = [one for one in scope["headers"] if one[0] != b"origin"]
        await self.app(scope, receive, send_unframed if scope["type"] == "http" else send)


def is_own(origin: str, host: str) -> bool:
    """Whether a page of this origin came from the host it now connects to.

    >>> is_own("http://localhost:8501", "localhost:8501"), is_own("http://localhost:3000", "localhost:8501")
    (True, False)
    """
    return bool(host) and origin in {f"http://{host}", f"https://{host}"}


def _refuse(origin: str, host: str) -> None:
    get_logger(__name__).warning(
        "Refused a connection that the page %.200r made to %.200r. If it is a page of yours, name it: "
        "--server.corsAllowedOrigins",
        origin, host,
    )  # fmt: skip


MIDDLEWARE = (Middleware(Guard),)
"""For ``st.App``."""
