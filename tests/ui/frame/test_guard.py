"""Pages of other people cannot use the running program: it refuses them at once, alone and without frames."""

from __future__ import annotations

import gzip
import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from starlette.responses import FileResponse
from streamlit.file_util import get_static_dir

from evalcore.features.review.page_desk import READ, YES
from evalcore.ui.frame.shell import SERVER
from tests.browser.conftest import ROOT, serve

FOREIGN = (
    "http://evil.example",
    "https://evil.example:8443",
    "null",
    "http://127.0.0.1",
    "http://localhost:3000",
)
"""The last two are pages of other programs on the same machine."""
FRIEND = "https://friend.example"
HOSTS = "localhost 127.0.0.1 lab.example *.clinic.example"
REFUSED, UPGRADED, MISDIRECTED = 403, 101, 421
PATHS = (
    "/",
    "/Data",
    "/_stcore/health",
    "/_stcore/host-config",
    "/media/nothing.png",
    "/app/static/nothing.png",
    "/component/cuiscope_desk/index.html",
    "/_stcore/bidi-components/x/y.js",
    "/static/nothing.js",
    "/no//such",
    "/_stcore/upload_file/a/b",
)


@contextmanager
def counting_proxy() -> Iterator[tuple[str, list[bytes]]]:
    """A proxy that notes every request and never answers: its address, and what it was asked."""
    asked: list[bytes] = []
    kept: list[socket.socket] = []

    def listen(door: socket.socket) -> None:
        while True:
            try:
                caller, _ = door.accept()
                asked.append(caller.recv(200))
                kept.append(caller)
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as door:
        Thread(target=listen, args=(door,), daemon=True).start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}", asked
    for caller in kept:
        caller.close()


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[bytes]]]:
    """The program behind a proxy: its address, and what left it for the internet."""
    with counting_proxy() as (proxy, asked):
        names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        through = dict.fromkeys((*names, *(name.lower() for name in names)), proxy)
        named = {"CORS_ALLOWED_ORIGINS": FRIEND, "ALLOWED_HOSTS": HOSTS}
        through |= {f"STREAMLIT_SERVER_{name}": value for name, value in named.items()}
        with serve(tmp_path_factory.mktemp("home"), **through, NO_PROXY="", no_proxy="") as url:
            yield url, asked


def knock(url: str, origin: str | None, host: str | None = None) -> int:
    """The status with which the program answers a page of that origin that wants a connection."""
    at = urlsplit(url).netloc
    connection = HTTPConnection(at, timeout=30)
    headers = {
        "Host": host or at,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    connection.request("GET", "/_stcore/stream", headers=headers | ({"Origin": origin} if origin else {}))
    status = connection.getresponse().status
    connection.close()
    return status


def test_foreign_pages_are_refused_at_once_and_nobody_outside_is_asked(
    watched: tuple[str, list[bytes]],
) -> None:
    url, asked = watched
    begun = time.monotonic()
    assert [knock(url, origin) for origin in FOREIGN] == [REFUSED] * len(FOREIGN)
    # Asked through a proxy that never answers, the address service alone costs two seconds each time.
    assert time.monotonic() - begun < len(FOREIGN)
    assert asked == []


def test_own_and_allowed_pages_are_let_in(watched: tuple[str, list[bytes]]) -> None:
    url, asked = watched
    assert knock(url, url) == UPGRADED
    assert knock(url, None) == UPGRADED, "a program, not a page"
    assert knock(url, FRIEND) == UPGRADED
    assert asked == []


def test_a_name_that_was_bound_to_this_machine_is_refused(watched: tuple[str, list[bytes]]) -> None:
    url, asked = watched
    assert knock(url, "http://evil.example", host="evil.example") == REFUSED
    assert knock(url, None, host="evil.example") == REFUSED
    assert asked == []


@pytest.mark.parametrize("path", ["/", "/Data", "/_stcore/host-config", "/media/nothing", "/no//such"])
def test_no_answer_may_stand_in_a_frame_or_take_messages(watched: tuple[str, list[bytes]], path: str) -> None:
    connection = HTTPConnection(urlsplit(watched[0]).netloc, timeout=30)
    connection.request("GET", path)
    response = connection.getresponse()
    assert response.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert response.headers["X-Frame-Options"] == "DENY"
    assert (b'"allowedOrigins":[]' in response.read()) == path.endswith("host-config")
    connection.close()


@pytest.mark.parametrize(
    ("page", "status"),
    [("http://localhost:{port}/Data", 200), (f"{FRIEND}/", 200), ("", 200), ("https://other.example/x", 421)],
)
def test_a_page_that_cannot_connect_is_told_why(
    watched: tuple[str, list[bytes]], page: str, status: int
) -> None:
    """Pages show the JSON that refuses what they ask for before they connect."""
    port = urlsplit(watched[0]).port
    connection = HTTPConnection("127.0.0.1", port or 0, timeout=30)
    referer = {"Referer": page.format(port=port)} if page else {}
    own = {"Host": f"localhost:{port}", **referer}
    connection.request("GET", "/_stcore/host-config", headers=own)
    reply = connection.getresponse()
    said = json.loads(reply.read())
    connection.close()
    assert reply.status == status
    if status != 200:
        assert "https://other.example" in said and "proxy_set_header Host $http_host" in said.replace(
            "\n", " "
        )
    assert knock(watched[0], page.format(port=port).rpartition("/")[0] or None, host=f"localhost:{port}") == (
        UPGRADED if status == 200 else REFUSED
    )


def answer(url: str, request: str) -> int:
    """The status of the answer to a request as it goes over the line."""
    with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port), timeout=30) as line:
        line.sendall(request.replace("\n", "\r\n").encode())
        return int(line.makefile("rb").readline().split()[1])


@pytest.mark.parametrize("path", PATHS)
def test_a_foreign_host_gets_no_file(watched: tuple[str, list[bytes]], path: str) -> None:
    url, _ = watched
    for host in ("evil.example", "evil.example:8501", "localhost.evil.example", "127.0.0.1@evil.example", ""):
        asked = f"GET {path} HTTP/1.1\nHost: {host}\nConnection: close\n\n"
        assert answer(url, asked) in (400, MISDIRECTED), host
    for method in ("HEAD", "POST", "PUT", "OPTIONS"):
        asked = f"{method} {path} HTTP/1.1\nHost: evil.example\nContent-Length: 0\nConnection: close\n\n"
        assert answer(url, asked) == MISDIRECTED, method
    assert answer(url, f"GET {path} HTTP/1.0\n\n") in (400, MISDIRECTED), "no host at all"


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "LOCALHOST", "localhost."])
def test_the_hosts_of_this_machine_are_answered(watched: tuple[str, list[bytes]], name: str) -> None:
    url, _ = watched
    for path in ("/", "/_stcore/health"):
        for host in (name, f"{name}:{urlsplit(url).port}"):
            assert answer(url, f"GET {path} HTTP/1.1\nHost: {host}\nConnection: close\n\n") == 200
    assert answer(url, "GET /media/nothing.png HTTP/1.1\nHost: localhost\nConnection: close\n\n") == 404


def test_hosts_that_are_named_at_the_start_are_answered(watched: tuple[str, list[bytes]]) -> None:
    url, _ = watched
    for host in ("lab.example", "pacs.clinic.example"):
        assert answer(url, f"GET / HTTP/1.1\nHost: {host}\nConnection: close\n\n") == 200
    assert knock(url, None, host="lab.example") == UPGRADED
    assert answer(url, "GET /_stcore/health HTTP/1.1\nHost: [::1]\nConnection: close\n\n") == 200
    assert answer(url, "GET / HTTP/1.1\nHost: [::1]\nConnection: close\n\n") == MISDIRECTED


SHEET = ROOT.joinpath("evalcore", "ui", "frame", "look.css").read_bytes()
INDEX = Path(get_static_dir(), "index.html")


def test_the_html_file_has_the_style_sheet(watched: tuple[str, list[bytes]]) -> None:
    """However it is asked for, and nothing else of it differs."""
    kept = FileResponse(INDEX, stat_result=INDEX.stat()).headers["etag"]
    url, _ = watched

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
