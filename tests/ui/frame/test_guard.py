"""Pages of other people cannot use the running program: it refuses them at once, alone and without frames."""

from __future__ import annotations

import gzip
import json
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from select import select
from urllib.parse import urlsplit

import pytest
from starlette.responses import FileResponse
from streamlit.file_util import get_static_dir

from evalcore.features.review.page_desk import READ, YES
from evalcore.ui.frame.shell import SERVER
from tests.conftest import ROOT
from tests.running import serve

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


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The program behind a proxy that never answers and that nobody may ask: nothing is to leave."""
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        through = dict.fromkeys(names, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        through |= {name.lower(): value for name, value in through.items()}
        named = {"CORS_ALLOWED_ORIGINS": FRIEND, "ALLOWED_HOSTS": HOSTS}
        through |= {f"STREAMLIT_SERVER_{name}": value for name, value in named.items()}
        with serve(tmp_path_factory.mktemp("home"), **through, NO_PROXY="", no_proxy="") as address:
            yield address
        assert select([proxy], [], [], 0)[0] == [], "somebody asked the proxy"


@dataclass(frozen=True)
class Answer:
    """What the program answers to a request."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def ask(url: str, path: str = "/", method: str = "GET", **headers: str) -> Answer:
    """Of an upgrade, the body is that of a connection which stays open: it is not read."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
    connection.request(method, path, headers=headers)
    response = connection.getresponse()
    body = b"" if response.status == UPGRADED else response.read()
    connection.close()
    return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, body)


def knock(url: str, origin: str | None, host: str | None = None) -> int:
    """The status with which the program answers a page of that origin that wants a connection."""
    wanted = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    of_page = {"Origin": origin} if origin else {}
    return ask(url, "/_stcore/stream", **wanted, **of_page, Host=host or urlsplit(url).netloc).status


def test_own_and_allowed_pages_are_let_in_others_refused_at_once(url: str) -> None:
    begun = time.monotonic()
    assert [knock(url, origin) for origin in FOREIGN] == [REFUSED] * len(FOREIGN)
    # Asked through a proxy that never answers, the address service alone costs two seconds each time.
    assert time.monotonic() - begun < len(FOREIGN)
    a_program = None
    assert [knock(url, origin) for origin in (url, a_program, FRIEND)] == [UPGRADED] * 3
    for origin in ("http://evil.example", a_program):  # a name that was bound to this machine
        assert knock(url, origin, host="evil.example") == REFUSED


def test_no_answer_may_stand_in_a_frame_or_take_messages(url: str) -> None:
    for path in ("/", "/Data", "/_stcore/host-config", "/media/nothing", "/no//such"):
        answer = ask(url, path)
        assert answer.headers["content-security-policy"] == "frame-ancestors 'none'"
        assert answer.headers["x-frame-options"] == "DENY"
        assert (b'"allowedOrigins":[]' in answer.body) == path.endswith("host-config")


@pytest.mark.parametrize(
    ("page", "status"),
    [("http://localhost:{port}/Data", 200), (f"{FRIEND}/", 200), ("", 200), ("https://other.example/x", 421)],
)
def test_a_page_that_cannot_connect_is_told_why(url: str, page: str, status: int) -> None:
    """Pages show the JSON that refuses what they ask for before they connect."""
    port = urlsplit(url).port
    page, host = page.format(port=port), f"localhost:{port}"
    answer = ask(url, "/_stcore/host-config", Host=host, **({"Referer": page} if page else {}))
    assert answer.status == status
    if status != 200:
        why = json.loads(answer.body).replace("\n", " ")
        assert "https://other.example" in why and "proxy_set_header Host $http_host" in why
    let_in = knock(url, page.rpartition("/")[0] or None, host=host)
    assert let_in == (UPGRADED if status == 200 else REFUSED)


@pytest.mark.parametrize("path", PATHS)
def test_a_foreign_host_gets_no_file(url: str, path: str) -> None:
    for host in ("evil.example", "evil.example:8501", "localhost.evil.example", "127.0.0.1@evil.example", ""):
        assert ask(url, path, Host=host).status in (400, MISDIRECTED), host
    for method in ("HEAD", "POST", "PUT", "OPTIONS"):
        assert ask(url, path, method, Host="evil.example").status == MISDIRECTED, method
    with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port), timeout=30) as line:
        line.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        assert int(line.makefile("rb").readline().split()[1]) in (400, MISDIRECTED), "no host at all"


def test_hosts_of_this_machine_and_those_named_at_the_start_are_answered(url: str) -> None:
    for name in ("localhost", "127.0.0.1", "LOCALHOST", "localhost."):
        for host in (name, f"{name}:{urlsplit(url).port}"):
            assert ask(url, Host=host).status == ask(url, "/_stcore/health", Host=host).status == 200
    assert ask(url, "/media/nothing.png", Host="localhost").status == 404
    for host in ("lab.example", "pacs.clinic.example"):
        assert ask(url, Host=host).status == 200
    assert knock(url, None, host="lab.example") == UPGRADED
    assert ask(url, "/_stcore/health", Host="[::1]").status == 200
    assert ask(url, Host="[::1]").status == MISDIRECTED


SHEET = ROOT.joinpath("evalcore", "ui", "frame", "look.css").read_bytes()
INDEX = Path(get_static_dir(), "index.html")


def test_the_html_file_has_the_style_sheet(url: str) -> None:
    """However it is asked for, and nothing else of it differs."""
    kept = FileResponse(INDEX, stat_result=INDEX.stat()).headers["etag"]
    whole = ask(url)
    assert whole.status == 200
    assert whole.headers["content-type"].startswith("text/html")
    assert whole.headers["cache-control"] == "no-cache"
    assert whole.headers["x-frame-options"] == "DENY"
    assert not {"etag", "last-modified", "content-encoding"} & set(whole.headers)
    assert SERVER.encode() in whole.body
    head, style, rest = whole.body.replace(SERVER.encode(), b"").partition(b"<style>" + SHEET)
    assert style
    assert head + rest.partition(b"</style>")[2] == INDEX.read_bytes(), "nothing else differs"
    # What a browser keeps of the time before, parts, and compressed answers: the whole file each time.
    for headers in ({"If-None-Match": kept}, {"Range": "bytes=0-9"}, {"Accept-Encoding": "gzip"}):
        again = ask(url, "/Queries", **headers)
        assert (again.status, again.body) == (200, whole.body), headers
    bare = ask(url, "/Queries", "HEAD")
    assert (bare.status, bare.body, bare.headers["content-length"]) == (200, b"", str(len(whole.body)))
    assert b'<body class="no-sidebar"><style>' in ask(url, f"/Readers?{READ}={YES}&draw=1").body
    script = next(INDEX.parent.glob("static/js/index.*.js"))
    packed = ask(url, f"/static/js/{script.name}", **{"Accept-Encoding": "gzip"})
    is_packed = packed.headers.get("content-encoding") == "gzip"
    assert (gzip.decompress(packed.body) if is_packed else packed.body) == script.read_bytes()
    assert "immutable" in packed.headers["cache-control"]
