"""What the web server refuses before Streamlit sees it: foreign host names, foreign pages, and frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import config
from streamlit.logger import get_logger

from evalcore.values.account import is_served

MISDIRECTED, POLICY_VIOLATION = 421, 1008
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{0,5})?")
_FOREIGN_HOST = (
    "This program does not answer under this host name. Open it as http://localhost with its port, or name "
    "the host when you start it: --server.allowedHosts\n"
)
NO_FRAMES = {"Content-Security-Policy": "frame-ancestors 'none'", "X-Frame-Options": "DENY"}


class Guard:
    """Refuses requests for hosts that are not in ``server.allowedHosts`` and connections from pages this
    server did not serve, and forbids showing its own in frames.

    Streamlit checks the host of connections alone: a name that was bound to this machine by a foreign page
    would get every file. It refuses foreign pages too, but only after asking an address service on the
    internet what the machine is called outside, each time anew, while everybody else waits.
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
        if not is_allowed(host, config.get_option("server.allowedHosts")):
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
                scope["headers"] = [one for one in scope["headers"] if one[0] != b"origin"]
        await self.app(scope, receive, send_unframed if scope["type"] == "http" else send)


def check_address() -> None:
    """End the program where it would listen for other computers without being a server for several people."""
    address = config.get_option("server.address")
    if is_served() or is_loopback(address):
        return
    where = address or "every address of this machine"
    raise SystemExit(
        f"The dashboard has no users and no passwords, so it is not opened to other computers ({where}). "
        "For several people, start it with sign-in: cuiscope serve --auth oidc or --auth proxy. "
        "For yourself, keep --server.address 127.0.0.1 and use an SSH tunnel."
    )


def is_loopback(address: str | None) -> bool:
    """Whether a server that listens here can be reached from this machine only.

    >>> [is_loopback(address) for address in ("127.0.0.1", "::1", "LOCALHOST", "0.0.0.0", "lab", None)]
    [True, True, True, False, False, False]
    """
    address = (address or "").strip().casefold()
    if address == "localhost" or address.startswith("unix:"):
        return True
    try:
        return ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False


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
    patterns = [one.strip().lower().strip("[]").rstrip(".") for one in allowed]
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


def _refuse(origin: str, host: str) -> None:
    get_logger(__name__).warning(
        "Refused a connection that the page %.200r made to %.200r. If it is a page of yours, name it: "
        "--server.corsAllowedOrigins",
        origin,
        host,
    )


MIDDLEWARE = Middleware(Guard)
"""For ``st.App``; the first."""
