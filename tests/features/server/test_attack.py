"""Nothing of one user of a server comes into the hands of another, or of somebody who is not signed in.

One server, in proxy mode, and its users without browsers: every request is written by hand.
"""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.source_util import page_icon_and_name
from streamlit.web.server.starlette.starlette_app import create_streamlit_routes
from websockets.exceptions import InvalidStatus

from evalcore.features.server.page_sessions import HEADER, is_welcome
from evalcore.ui.frame.pages import PAGES
from evalcore.values.account import Account
from tests.features.server.browserless import ELSEWHERE, PROXY, USER, opened, serving
from tests.ui.conftest import write_study

ADA, BOB, ROOT = "ada@example.org", "bob@example.org", "root@example.org"
ACCOUNT = f'{{"id": "{ADA}", "name": "Ada", "administrator": true}}'
SECRET = "Zymosan"
"""In the captions of Ada's study, and nowhere else."""
STUDY = "adas-private"
HOST = "lab.example.org"
MOST_PAGES = 4
SETTINGS = f"""
administrators = ["{ROOT}"]
allowed = ["*@example.org"]
[proxy]
trusted = ["127.0.0.1"]
[limits]
sessions_per_user = {MOST_PAGES}
"""
OPEN = {("/_stcore/health", "GET"), ("/_stcore/health", "HEAD")}
"""What is answered without a user."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    home = tmp_path_factory.mktemp("attack") / "home"
    captions = write_study(study_of_ada(home)) / "captions.csv"
    captions.write_text(captions.read_text().replace("Nodule in the chest", f"{SECRET} in the chest"))
    with serving(home, "--host", HOST, settings=SETTINGS) as running:
        yield running


@pytest.fixture(scope="module")
def of_ada(server):
    """Ada's own page, on the query whose caption has the word."""
    with opened(server, ADA) as page:
        assert SECRET in page.run("Queries", study=STUDY, q="q1")
        yield page


def study_of_ada(home: Path) -> Path:
    return home / "users" / Account(ADA, ADA).folder / "studies" / STUDY


# Without a user.


def routes() -> list[tuple[str, str]]:
    """Every route of Streamlit, and every method, with an id in place of each parameter."""
    words = {"{session_id}": "s", "{file_id}": "f", "{file_id:path}": "f.png", "{path:path}": "a/b.js"}
    known = [
        (re.sub(r"{.*?}", lambda parameter: words[parameter[0]], route.path), method)
        for route in create_streamlit_routes(MagicMock())
        for method in getattr(route, "methods", None) or ()
    ]
    pages = ("/", "/metrics", "/Data", "/Readers", "/nothing", "/static/js/index.js", "/index.html")
    methods = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE")
    return sorted({*known, *((page, method) for page in pages for method in methods)})


def test_every_route_is_closed_without_a_user(server):
    every = routes()
    assert len(every) > 40 and ("/media/f.png", "GET") in every
    assert ("/_stcore/upload_file/s/f", "PUT") in every
    answers = {route: server.ask(route[0], method=route[1]).status for route in every}
    assert {route for route, status in answers.items() if status not in {401, 404}} == OPEN


@pytest.mark.parametrize(
    ("headers", "source", "status"),
    [
        ([(USER, ADA)], ELSEWHERE, 403),
        ([], ELSEWHERE, 403),
        ([(USER, BOB), (USER, ADA)], PROXY, 401),
        ([(USER, ADA), (USER, ADA)], PROXY, 401),
        ([(USER, f"{BOB}, {ADA}")], PROXY, 401),
        ([(USER, "")], PROXY, 401),
        ([(USER, "a\tb@example.org")], PROXY, 401),
        ([(USER, "x" * 300 + "@example.org")], PROXY, 401),
        ([("X_Forwarded_User", ADA)], PROXY, 401),
        ([(HEADER, ACCOUNT)], PROXY, 401),
        ([("Cookie", "_streamlit_user=x")], PROXY, 401),
        ([("Authorization", "Basic YWRhOmFkYQ==")], PROXY, 401),
        ([(USER, "eve@example.org.evil.net")], PROXY, 403),
        ([(USER, ADA)], PROXY, 200),
        ([(USER, ADA), ("X-Forwarded-For", "10.0.0.9")], PROXY, 200),
        ([(USER, ADA), ("X-Forwarded-For", "127.0.0.1")], ELSEWHERE, 403),
    ],
)
def test_who_is_believed(server, headers, source, status):
    assert server.ask("/", headers=headers, source=source).status == status
    config = server.ask("/_stcore/host-config", headers=headers, source=source).status
    assert config == (200 if status == 200 else 401)


def test_the_page_of_somebody_who_is_not_admitted_says_so(server):
    answer = server.ask("/", "eve@evil.net", headers=[("Accept", "text/html")])
    assert answer.status == 403 and b"signed in as eve@evil.net, but are not admitted" in answer.body
    assert answer.headers["cache-control"] == "no-store" and b"<script" not in answer.body
    hostile = server.ask("/", '"><script>x</script>', headers=[("Accept", "text/html")])
    assert hostile.status == 403 and b"<script" not in hostile.body


AROUND = r"""
// //Data /%2e%2e/ /%2e%2e/%2e%2e/etc/passwd /static/../Data /_stcore/health/../host-config
/_stcore/health%2f..%2fhost-config /_stcore/health/ /_STCORE/health /_stcore/health%00 /_stcore/health;x
/x/_stcore/health /_stcore%2fhealth/../../Data /\_stcore\health http://localhost/Data /Data?/_stcore/health
/_stcore/agent/interact /app/static/x /sign-in /auth/login /auth/logout /oauth2callback
"""


def test_no_path_leads_around_the_gate(server):
    for path in AROUND.split():
        answer = server.ask(path)
        assert answer.status in {400, 401, 403, 404} and b"streamlit" not in answer.body.lower(), path


def test_the_server_answers_under_its_names_alone(server):
    for host in (HOST, HOST.upper(), f"{HOST}:443", f"localhost:{server.port}"):
        assert server.ask("/", ADA, host=host).status == 200
    for host in ("evil.example", f"x.{HOST}", f"{HOST}.evil.example", f"{HOST}@evil.example"):
        assert server.ask("/", ADA, host=host).status in {400, 421}


@pytest.mark.parametrize(
    ("user", "origin", "headers"),
    [
        ("", "", {}),
        ("eve@evil.net", "", {}),
        (ADA, "http://evil.example", {}),
        (ADA, "null", {}),
        (ADA, None, {}),
        ("", "", {"X_Cuiscope_Account": ACCOUNT}),
        ("", "", {"Cookie": "_streamlit_user=x"}),
    ],
)
def test_no_connection_without_a_user_or_from_another_page(server, user, origin, headers):
    with pytest.raises(InvalidStatus) as refused, opened(server, user, origin=origin, **headers):
        pass
    assert refused.value.response.status_code == 403


# One against the other.


NAMES = ["" if page.file == "app.py" else page_icon_and_name(Path(page.file))[1] for page in PAGES]


def test_a_page_and_its_parts_are_drawn_for_who_is_signed_in_alone(server, of_ada):
    with opened(server, ADA) as page:
        text = page.run("Robustness", study=STUDY)
        assert "exception {" not in text and "not signed in" not in text and "account_circle" in text
        text = page.run("Queries", study=STUDY, q="q1")
        parts = sorted(set(re.findall(r'fragment_id: "(\w+)"', text)))
        (script,) = set(re.findall(r'navigation \{.*?page_script_hash: "(\w+)"\n\}', text, flags=re.S))
        again = [page.run(script=script, fragment=part, study=STUDY, q="q1") for part in parts[:3]]
        assert again and not any("exception {" in text or "not signed in" in text for text in again)
    with opened(server, BOB) as page:
        page.run("Queries", study="sample", q="SYN_001")
        for part in {*parts, *re.findall(r'fragment_id: "(\w+)"', of_ada.text)}:
            assert SECRET not in page.run("Queries", fragment=part, study=STUDY, q="q1")


def test_what_a_page_shows_is_for_its_user(server, of_ada):
    with opened(server, ADA) as page:
        page.run("Data", study=STUDY)
        files = [page.download(file) for file in page.downloads]
        assert any(files)
        for file in [*filter(None, files), *of_ada.media, *page.media]:
            mine = server.ask(file, ADA)
            assert mine.status == 200 and mine.headers["cache-control"] == "private"
            assert server.ask(file, BOB).status == server.ask(file, ROOT).status == 404
            assert server.ask(file).status == 401
            assert server.ask(file, BOB, method="HEAD").status == 404
        with opened(server, BOB) as other:
            other.run("Data")
            for file in page.downloads:
                made = other.download(file)
                assert not made or server.ask(made, BOB).status == 404


def test_uploads_are_for_sessions_of_ones_own(server, of_ada):
    assert server.upload(of_ada.session, ADA) == 204
    assert server.upload(of_ada.session, ADA, xsrf=False) == 403
    for method in ("PUT", "DELETE"):
        assert server.upload(of_ada.session, BOB, method=method) == 404
        assert server.upload("0" * 36, BOB, method=method) == 404, "as for a session that is not there"
        assert server.upload(of_ada.session, "", method=method) == 401
    assert server.upload(f"{of_ada.session}/x", ADA) == 404
    assert server.upload(of_ada.session, ADA, method="DELETE") == 204


def test_the_session_of_another_is_not_taken_up(server, of_ada):
    with opened(server, ADA) as page:
        page.run("Queries", study=STUDY, q="q1")
        left = page.session
    for session in (of_ada.session, left):
        with opened(server, BOB, session=session) as other:
            assert SECRET not in other.run("Queries", study=STUDY, q="q1")
            assert other.session not in {of_ada.session, left}
    with opened(server, ADA, session=left) as again:
        assert SECRET in again.run("Queries", study=STUDY, q="q1")
        assert again.session == left, "Ada's own comes back"
    assert SECRET in of_ada.run("Queries", study=STUDY, q="q1"), "and her open page was left alone"


def test_no_name_or_path_opens_the_study_of_another(server, of_ada):
    digest, folder = of_ada.text.partition("study ")[2][:8], study_of_ada(server.home)
    up = f"../../{folder.parents[1].name}/studies/{STUDY}"
    names = (digest, STUDY, str(folder), up, f"file://{folder}", f"{STUDY} ({folder})", "users", server.home)
    with opened(server, BOB) as page:
        for name in map(str, names):
            assert SECRET not in page.run("Queries", study=name, q="q1")
        for where in NAMES:
            assert SECRET not in page.run(where, study=STUDY)


@pytest.mark.parametrize(
    "name", [name if name == "Data" else pytest.param(name, marks=pytest.mark.nightly) for name in NAMES]
)
def test_no_forged_widget_opens_the_study_of_another(server, name):
    """Every widget of the page is set to the name or path, and every button is selected."""
    captions = study_of_ada(server.home) / "captions.csv"
    before = captions.read_bytes()
    with opened(server, BOB) as page:
        text = page.run(name, study="sample", tab="Open or upload")
        ids = sorted(set(re.findall(r'id: "(\$\$[^"]+)"', text)))
        assert len(ids) > 5
        for value in (str(captions.parent), STUDY):
            data = json.dumps(dict.fromkeys(("study", "path", "open", "value"), value))
            selected = [WidgetState(id=widget_id, trigger_value=True) for widget_id in ids]
            for kind in (
                {"string_value": value},
                {"string_trigger_value": {"data": value}},
                {"string_array_value": {"data": [value]}},
                {"json_value": data},
                {"json_trigger_value": data},
            ):
                forged = [WidgetState(id=widget_id, **kind) for widget_id in ids]  # type: ignore[arg-type]
                assert SECRET not in page.run(name, [*forged, *selected], study=value, tab="Open or upload")
                assert SECRET not in page.run("Queries", forged, study=value, q="q1")
    assert captions.read_bytes() == before


def test_no_header_of_a_browser_names_another_account(server):
    with opened(server, BOB, X_Cuiscope_Account=ACCOUNT) as page:
        assert SECRET not in page.run("Queries", study=STUDY, q="q1")


def test_pages_do_not_clear_what_all_share_nor_change_the_server():
    welcome = ("stop_script", "app_heartbeat")
    refused = ("clear_cache", "set_run_on_save", "load_git_info", "debug_shutdown_runtime")
    for name in (*welcome, *refused):
        assert is_welcome(BackMsg(**{name: True}).SerializeToString()) == (name in welcome), name
    assert not is_welcome(BackMsg().SerializeToString())
    for name in ("deferred_file", "install_skills"):
        operation = BackMsg()
        getattr(operation.backend_operation_request, name).SetInParent()
        assert is_welcome(operation.SerializeToString()) == (name == "deferred_file")


def test_more_pages_than_agreed_are_refused_in_a_sentence(server):
    user = "many@example.org"
    with ExitStack() as lines:
        for _ in range(MOST_PAGES):
            lines.enter_context(opened(server, user))
        answer = server.ask("/", user, headers=[("Accept", "text/html")])
        assert answer.status == 429 and b"Close one" in answer.body and b'http-equiv="refresh"' in answer.body
        with pytest.raises(InvalidStatus), opened(server, user):
            pass
        assert server.ask("/", BOB).status == 200, "others are not affected"
    with opened(server, user) as page:
        assert page.run()
