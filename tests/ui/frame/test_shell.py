"""The HTML file of the program comes with the style sheet in it, however it is asked for."""

from __future__ import annotations

import gzip
import re
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from starlette.responses import FileResponse
from streamlit.file_util import get_static_dir

from evalcore.features.review.page_desk import READ, YES
from evalcore.ui.frame.shell import SERVER
from tests.browser.conftest import ROOT, serve

SHEET = ROOT.joinpath("evalcore", "ui", "frame", "look.css").read_bytes()
INDEX = Path(get_static_dir(), "index.html")


def test_the_html_file_has_the_style_sheet(tmp_path: Path) -> None:
    kept = FileResponse(INDEX, stat_result=INDEX.stat()).headers["etag"]
    with serve(tmp_path / "home") as url:

        def ask(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
            connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body

        status, headers, html = ask("/")
        assert status == 200
        assert headers["content-type"].startswith("text/html")
        assert headers["cache-control"] == "no-cache"
        assert headers["x-frame-options"] == "DENY"
        assert not {"etag", "last-modified", "content-encoding"} & set(headers)
        assert SERVER.encode() in html
        head, style, rest = html.replace(SERVER.encode(), b"").partition(b"<style>" + SHEET)
        assert style
        assert head + rest.partition(b"</style>")[2] == INDEX.read_bytes(), "nothing else differs"
        # What a browser keeps of the time before, parts, and compressed answers: the whole file each time.
        for given in ({"If-None-Match": kept}, {"Range": "bytes=0-9"}, {"Accept-Encoding": "gzip"}):
            assert ask("/Queries", **given)[::2] == (200, html), given
        assert ask("/Queries", "HEAD")[0::2] == (200, b"")
        assert ask("/Queries", "HEAD")[1]["content-length"] == str(len(html))
        assert b'<body class="no-sidebar"><style>' in ask(f"/Readers?{READ}={YES}&draw=1")[2]
        script = next(INDEX.parent.glob("static/js/index.*.js"))
        _, headers, body = ask(f"/static/js/{script.name}", **{"Accept-Encoding": "gzip"})
        packed = headers.get("content-encoding") == "gzip"
        assert (gzip.decompress(body) if packed else body) == script.read_bytes()
        assert "immutable" in headers["cache-control"]


def test_no_rule_for_every_page_asks_what_the_whole_of_it_has() -> None:
    """Else each change anywhere on a page has all its elements styled anew."""
    whole = r"(html|body|#root|\.stApp|\[data-testid=\"?stAppViewContainer\"?\])"
    asks = re.compile(rf"{whole}(:not\()?:has\(")
    assert asks.search(".x, .stApp:has(.y) .z {}") and asks.search("html:not(:has(b)) {}")
    assert not asks.search(SHEET.decode())
