"""What the web server refuses before Streamlit sees it: foreign host names, foreign pages, and frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import fill
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import config
from streamlit.logger import get_logger

from evalcore.values.account import is_served, why_not_open

MISDIRECTED, POLICY_VIOLATION = 421, 1008
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{0,5})?")
_FOREIGN_HOST = (
    "This program does not answer under this host name. Open it as http://localhost with its port, or name "
    "the host when you start it: cuiscope serve --host, or --server.allowedHosts\n"
)
_OTHER_ADDRESS = (
    "This page was opened at {page:.200}, and the program was asked for {host:.200}. A proxy in between must "
    "pass the host on, with its port: in nginx, proxy_set_header Host $http_host."
)
NO_FRAMES = {"Content-Security-Policy": "frame-ancestors 'none'", "X-Frame-Options": "DENY"}


class Guard:
    """Refuses requests for hosts that are not in ``server.allowedHosts`` and connections from pages this
    server did not serve, and forbids showing its own in frames.

    Streamlit checks the host of connections alone: a name that was bound to this machine by a foreign page
    would get every file. It refuses foreign pages too, but only after asking an address service on the
    internet what the machine is called outside, every time, while everybody else waits.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_unframed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(NO_FRAMES)
            await send(message)

        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""
        if not is_allowed(host, config.get_option("server.allowedHosts")) and not _asks_for_health(
            scope, host
        ):
            if scope["type"] == "websocket":
                await WebSocketClose(POLICY_VIOLATION)(scope, receive, send)
            else:
                await PlainTextResponse(_FOREIGN_HOST, MISDIRECTED)(scope, receive, send_unframed)
            return
        if scope["type"] == "websocket":
            origin = headers.get("origin")
            if origin is not None and not is_own(origin, host):
                if origin not in config.get_option("server.corsAllowedOrigins"):
                    _refuse(origin, host)
                    await WebSocketClose(POLICY_VIOLATION)(scope, receive, send)
                    return
                # Allowed by whoever runs the program; Streamlit would ask the address service all the same.
                scope["headers"] = [header for header in scope["headers"] if header[0] != b"origin"]
        elif scope["path"].endswith("/_stcore/host-config") and (page := _foreign_page(headers, host)):
            # Every page asks for this before it connects, which would be refused; it shows this text.
            text = fill(_OTHER_ADDRESS.format(page=page, host=host), 50)  # shown line by line
            await JSONResponse(text, MISDIRECTED)(scope, receive, send_unframed)
            return
        await self.app(scope, receive, send_unframed if scope["type"] == "http" else send)


def check_address() -> None:
    """End the program where it would listen for other computers without being a server for several people."""
    why = "" if is_served() else why_not_open(config.get_option("server.address"))
    if why:
        raise SystemExit(why)


def is_allowed(host: str, allowed: Sequence[str]) -> bool:
    """Whether a request may be for this host, whatever the port; any may where ``allowed`` is empty.

    ``allowed``: names or addresses, ``*.`` and a domain for all names below it, or ``*`` for any name.

    >>> names = ("localhost", "127.0.0.1", "*.example.org")
    >>> [is_allowed(host, names) for host in ("LOCALHOST:8501", "a.example.org", "example.org", "a@b")]
    [True, True, False, False]
    """
    if not allowed:
        return True
    match = _HOST.fullmatch(host)
    if match is None:
        return False
    name = match["name"].lower().strip("[]").rstrip(".")
    patterns = [entry.strip().lower().strip("[]").rstrip(".") for entry in allowed]
    return any(
        pattern == "*" or name == pattern or (pattern.startswith("*.") and name.endswith(pattern[1:]))
        for pattern in patterns
    )


def is_own(origin: str, host: str) -> bool:
    """Whether a page of this origin came from the host it now connects to.

    >>> is_own("http://localhost:8501", "localhost:8501"), is_own("http://localhost:3000", "localhost:8501")
    (True, False)
    """
    return bool(host) and origin in {f"http://{host}", f"https://{host}"}


def _foreign_page(headers: Headers, host: str) -> str:
    """The origin of the page that asks, where a connection from it would be refused; "" for others."""
    parts = urlsplit(headers.get("referer", ""))
    origin = f"{parts.scheme}://{parts.netloc}"
    foreign = parts.netloc and not is_own(origin, host)
    return origin if foreign and origin not in config.get_option("server.corsAllowedOrigins") else ""


def _asks_for_health(scope: Scope, host: str) -> bool:
    """Whether a supervisor on this machine asks if the server is up: it knows no public name."""
    of_health = scope["type"] == "http" and scope["path"].endswith("/_stcore/health")
    return of_health and is_allowed(host, ("localhost", "127.0.0.1", "::1"))


def _refuse(origin: str, host: str) -> None:
    get_logger(__name__).warning(
        "Refused a connection that the page %.200r made to %.200r. If it is a page of yours, name it: "
        "--server.corsAllowedOrigins",
        origin,
        host,
    )


MIDDLEWARE = Middleware(Guard)
"""For ``st.App``; the first."""
