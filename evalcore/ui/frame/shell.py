"""The one HTML file of the program, Streamlit's, sent with our style sheet in it.

Drawn as an element of the page, the sheet would come after the first of what it styles, and move that.
"""

from __future__ import annotations

import json
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import FileResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.file_util import get_static_dir

from evalcore.ui.frame import pages
from evalcore.values.bundled import bundled

STYLE = f"<style>{bundled(__package__, 'look.css')}</style>"
BLIND = """<style>
.no-sidebar :not(:has(.st-key-heading)) > [data-testid="stSidebar"] {display: none !important;}
</style>"""
"""For blind reading only: the rule asks what the whole page has, at every change."""
PAGES = sorted(page.address for page in pages.PAGES if page.address)
SERVER = """<script>{
const path = location.pathname.replace(/\\/+$/, ""), cut = path.lastIndexOf("/");
const root = PAGES.includes(path.slice(cut + 1)) ? path.slice(0, cut) : path;
window.__streamlit = { BACKEND_BASE_URL: location.origin + root };
}</script>""".replace("PAGES", json.dumps(PAGES))
"""Says where the server is, which Streamlit else finds by trying: two requests that fail for each visit of a
page by its address."""
NO_SIDEBAR = b"read=yes"
"""In addresses of blind reading, which hides the sidebar. No room is kept for it there."""
_sends = False


def is_sent() -> bool:
    """Whether this process sends the style sheet with the HTML file; where not, pages draw it.

    The same from the start to the end: a page that is open while the server starts again keeps its elements.
    """
    return _sends


def styled(html: str, *, sidebar: bool = True) -> bytes:
    """An HTML file whose body begins with the style sheet: after those that scripts add to its head.

    ``sidebar``: keep room for it until it is drawn.

    >>> sheet = f"{STYLE}{BLIND}".encode()
    >>> styled("<body><p></p></body>", sidebar=False).replace(sheet, b"(styles)"), styled("no HTML")
    (b'<body class="no-sidebar">(styles)<p></p></body>', b'no HTML')
    """
    start = f"<body>{STYLE}" if sidebar else f'<body class="no-sidebar">{STYLE}{BLIND}'
    return html.replace("<head>", f"<head>{SERVER}", 1).replace("<body>", start, 1).encode()


class Shell:
    """Answers with the styled file whatever Streamlit answers with its own, also "not modified" (304).

    That answer is known by its ETag. What is sent instead has none, so browsers ask for it each time.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        index = Path(get_static_dir(), "index.html")
        plain = bundled("streamlit", "static/index.html")
        self.bodies = {sidebar: styled(plain, sidebar=sidebar) for sidebar in (True, False)}
        self.etag = ""
        if self.bodies[True] != plain.encode():
            global _sends
            self.etag, _sends = FileResponse(index, stat_result=index.stat()).headers["etag"], True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self.etag:
            await self.app(scope, receive, send)
            return
        body = self.bodies[NO_SIDEBAR not in scope["query_string"]]
        replaced = False

        async def send_styled(message: Message) -> None:
            nonlocal replaced
            if replaced:
                return
            if message["type"] != "http.response.start" or (
                (headers := MutableHeaders(scope=message)).get("etag") != self.etag
            ):
                await send(message)
                return
            replaced = True
            for name in ("etag", "last-modified", "accept-ranges", "content-range", "content-encoding"):
                del headers[name]
            headers["cache-control"] = "no-cache"
            headers["content-type"] = "text/html; charset=utf-8"
            headers["content-length"] = str(len(body))
            await send({**message, "status": 200})
            await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

        await self.app(scope, receive, send_styled)


MIDDLEWARE = Middleware(Shell)
