"""In front of the pages of a server: only users who are signed in pass, and only to what is theirs.

Addresses that are not listed here are not answered.
"""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from evalcore.features.server import page_sessions
from evalcore.features.server.identity import from_trusted, of_proxy, values_of
from evalcore.features.server.log import Log
from evalcore.features.server.read import VARIABLE, ServerSettings, read_settings
from evalcore.values import account as accounts
from evalcore.values import events
from evalcore.values.account import Account
from evalcore.values.bundled import bundled
from evalcore.values.writing import pluralize

_PATH = re.compile(r"(?:[A-Za-z0-9_~@+=,-][A-Za-z0-9._~@+=,-]*(?:/(?!$)|$))*")
"""Paths that are looked at: no empty parts, none of dots, no backslash, nothing encoded twice."""
_POLICY, _BUSY = 1008, 1013
READ, UPLOAD = ("GET", "HEAD"), ("PUT", "DELETE", "OPTIONS")
UPLOADS = "_stcore/upload_file/"
OF_USER, OF_ALL = 2, 8
"""How many files of the largest size pages hold in memory: those of a user, and of all."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused: status, title and text of the answer; ``retry`` after so many seconds."""

    status: int
    title: str
    text: str
    retry: int = 0


UNNAMED = Refusal(
    401,
    "You are not signed in",
    "The proxy in front of this server does not say who you are. Open CUIscope at the address that your "
    "administrator gave you, and sign in there.",
)
UNTRUSTED = Refusal(
    403,
    "This is not the way in",
    "This server takes requests from its proxy only. Open CUIscope at the address that your administrator "
    "gave you. For administrators: [proxy] trusted in server.toml names the addresses of proxies.",
)
TOO_MUCH = Refusal(
    413,
    "Too many files at once",
    "Add those that were uploaded, then upload the others, or open the page again.",
)
PROBED = ("/_stcore/health", "/_stcore/host-config")
"""Where a page looks for the server, also below its own address; not found there, it is not logged."""
NOTHING = Refusal(404, "Nothing is here", "There is no such page. Open the first page and go on from there.")


def not_admitted(account: Account) -> Refusal:
    """For a user who is signed in and may not enter."""
    text = f"You are signed in as {account.id}, but are not admitted to this server. Ask its administrator."
    return Refusal(403, "You are not admitted", text)


class Gate:
    """ASGI middleware: identifies the user of each request, and passes on what that user may ask for."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self.app, self.settings = app, settings
        self.base, self.pages = page_sessions.base_path(), page_sessions.page_names()
        self.open: list[Account] = []
        """The users of the open pages, one for each page."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        name = page_sessions.HEADER.encode()
        scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0].lower() != name]}
        path = self._relative(scope["path"])
        if scope["type"] == "websocket":
            await self._socket(path, scope, receive, send)
            return
        method = scope["method"]
        if path == "_stcore/health" and method in READ:
            await self.app(scope, receive, send)
            return
        answer = self._answer(path, method, scope)
        if answer is not None:
            await answer(scope, receive, send)
        elif path is not None and path.startswith("media/"):
            await self.app(scope, receive, _private(send))
        else:
            await self.app(scope, receive, send)

    # Who.

    def visitor(self, scope: Mapping[str, Any]) -> Account | Refusal:
        """The user who sends a request, or why it is refused."""
        if not from_trusted(scope, self.settings):
            return UNTRUSTED
        account = of_proxy(scope, self.settings)
        if account is None:
            return UNNAMED
        return account if self.settings.admits(account.id) else not_admitted(account)

    # What.

    def _relative(self, path: str) -> str | None:
        """A path below that of the pages, without the first slash; None where nothing can be."""
        if self.base and path != self.base and not path.startswith(f"{self.base}/"):
            return None
        below = path[len(self.base) :].removeprefix("/")
        return below if _PATH.fullmatch(below) else None

    def _answer(self, path: str | None, method: str, scope: Scope) -> Response | None:
        """The answer to a request that is refused; None for one that goes to the pages."""
        who = self.visitor(scope)
        if isinstance(who, Refusal):
            return self._refused(who, scope)
        if path is None or not self.may(who, path, method):
            return self._refused(NOTHING, scope)
        if path in self.pages and (full := self._full(who)):
            return self._refused(full, scope)
        if path.startswith(UPLOADS) and method == "PUT" and self._too_much(who, scope):
            return self._refused(TOO_MUCH, scope)
        return None

    def may(self, who: Account, path: str, method: str) -> bool:
        """Whether an account may send this request, by its path below that of the pages."""
        if path.startswith(UPLOADS):
            parts = path.split("/")
            is_theirs = len(parts) == 4 and page_sessions.owner(parts[2]) == who.id
            return method in UPLOAD and is_theirs
        if method not in READ:
            return False
        if path in self.pages:
            return True
        if path.startswith("media/"):
            return page_sessions.is_shown(path.removeprefix("media/"), who)
        return path in FILES or path.startswith(FOLDERS)

    def _full(self, who: Account) -> Refusal | None:
        """Why a user cannot open another page; None where they can."""
        limits = self.settings.limits
        theirs = self._pages_of(who)
        if theirs >= limits.sessions_per_user:
            text = (
                f"You have {pluralize(theirs, 'page')} of CUIscope open, as many as this server allows. "
                "Close one; this page then opens by itself."
            )
            return Refusal(429, "Too many open pages", text, retry=5)
        if len(self.open) >= limits.sessions:
            text = (
                f"{pluralize(len(self.open), 'page')} of this server are open, as many as it can take. "
                "This page opens by itself as soon as another is closed."
            )
            return Refusal(503, "The server is full", text, retry=15)
        return None

    def _too_much(self, who: Account, scope: Scope) -> bool:
        """Whether a file is one too many of those that pages hold in memory until they are added."""
        limit = self.settings.limits.file_bytes
        length = "".join(values_of(scope["headers"], "content-length"))
        size = int(length) if length.isascii() and length.isdecimal() else limit
        of_user, of_all = page_sessions.held_uploads(who)
        return of_user + size > OF_USER * limit or of_all + size > OF_ALL * limit

    async def _socket(self, path: str | None, scope: Scope, receive: Receive, send: Send) -> None:
        who = self.visitor(scope) if path == "_stcore/stream" else NOTHING
        # Browsers always name the page that connects; the guard has compared it with the host.
        if isinstance(who, Refusal) or len(values_of(scope["headers"], "origin")) != 1:
            self._note(who if isinstance(who, Refusal) else NOTHING, scope)
            await WebSocketClose(_POLICY)(scope, receive, send)
            return
        if self._full(who) is not None:
            await WebSocketClose(_BUSY)(scope, receive, send)
            return
        page_sessions.name_header()
        page_sessions.watch_files()
        header = (page_sessions.HEADER.encode(), page_sessions.encoded(who).encode())
        self.open.append(who)
        if self._pages_of(who) == 1:
            with accounts.acting_as(who):
                events.record("signed in")
        try:
            headers = [*scope["headers"], header]
            await self.app({**scope, "headers": headers}, _welcome(receive), send)
        finally:
            self.open.remove(who)
            if not self._pages_of(who):
                with accounts.acting_as(who):
                    events.record("left")

    def _pages_of(self, who: Account) -> int:
        return sum(account.id == who.id for account in self.open)

    # Answers.

    def _refused(self, refusal: Refusal, scope: Scope) -> Response:
        headers = {"Cache-Control": "no-store"}
        self._note(refusal, scope)
        if scope["path"] == f"{self.base}/_stcore/host-config":
            # Asked for by an open page that connects again: it shows what is JSON, and not of status 403.
            text = fill(f"{refusal.title}. {refusal.text}", 50)
            return JSONResponse(text, 401, headers=headers)
        if not any("text/html" in value for value in values_of(scope["headers"], "accept")):
            text = f"{refusal.title}. {refusal.text}\n"
            return PlainTextResponse(text, refusal.status, headers=headers)
        first = f'<p><a href="{html.escape(self.base)}/">Open the first page</a></p>'
        return _page(refusal, first if refusal.status == 404 else "", headers)

    def _note(self, refusal: Refusal, scope: Scope) -> None:
        """Log what was refused, and the user that the request claims to come from."""
        if refusal is NOTHING and scope["path"].endswith(PROBED):
            return
        claimed = ", ".join(values_of(scope["headers"], self.settings.header))
        events.record("refused", route=scope["path"], reason=refusal.title, claimed=claimed or None)


def _welcome(receive: Receive) -> Receive:
    """The messages that a page may send; others are ignored."""

    async def received() -> Message:
        while True:
            message = await receive()
            data = message.get("bytes")
            if message["type"] != "websocket.receive" or data is None or page_sessions.is_welcome(data):
                return message

    return received


FILES = ("_stcore/host-config", "favicon.png", "manifest.json")
FOLDERS = ("static/", "component/", "_stcore/bidi-components/")
"""Files of the program, the same for all users."""


def _private(send: Send) -> Send:
    """Keep what a page shows out of caches that several users share."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)["cache-control"] = "private"
        await send(message)

    return sent


_STYLE = bundled(__package__, "refused.css")
_DIGEST = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def _page(refusal: Refusal, link: str, headers: Mapping[str, str]) -> Response:
    text = bundled(__package__, "refused.html").format(
        style=_STYLE,
        title=html.escape(refusal.title),
        text=html.escape(refusal.text),
        link=link,
        retry=f'<meta http-equiv="refresh" content="{refusal.retry}">' if refusal.retry else "",
    )
    policy = f"default-src 'none'; style-src 'sha256-{_DIGEST}'; frame-ancestors 'none'; form-action 'none'"
    return HTMLResponse(text, refusal.status, headers={**headers, "Content-Security-Policy": policy})


def middleware() -> list[Middleware]:
    """The gate, where this process is to serve several people; then it is a server from here on.

    Raises
    ------
    InputError
        ``server.toml`` cannot be read, or is wrong.
    """
    path = os.environ.get(VARIABLE, "")
    if not path:
        return []
    settings = read_settings(Path(path))
    accounts.serve(page_sessions.lookup, settings.limits)
    events.listen(Log())
    return [Middleware(Gate, settings=settings)]
