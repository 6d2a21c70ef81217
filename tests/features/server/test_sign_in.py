"""Who is signed in by the cookie of an identity provider, below a path of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from itsdangerous import TimestampSigner, URLSafeTimedSerializer
from websockets.exceptions import ConnectionClosed, InvalidStatus

from evalcore.features.server.identity import of_claims, of_proxy
from evalcore.features.server.read import ServerSettings, parse_settings
from evalcore.values.account import Account
from tests.features.server.browserless import Server, free_port, opened, serving
from tests.ui.conftest import write_study

ADA, SECRET, COOKIE = "ada@example.org", "s" * 40, "_streamlit_user"
HTML = ("Accept", "text/html")
BASE = "/lab"
WORD = "Zymosan"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("sign-in") / "home"
    study = home / "users" / Account(ADA, ADA).folder / "studies" / "private"
    write_study(study)
    for place in (home, study.parents[1]):
        (place / "cuiscope-workspace").touch()
    captions = study / "captions.csv"
    captions.write_text(captions.read_text().replace("Nodule in the chest", WORD))
    (study / "review").mkdir()
    (study / "review" / "first.toml").write_text(TASK)
    port = free_port()
    secrets = home.with_name("secrets.toml")
    secrets.write_text(
        f"""
[auth]
redirect_uri = "http://localhost:{port}{BASE}/oauth2callback"
cookie_secret = "{SECRET}"
client_id = "cuiscope"
client_secret = "x"
server_metadata_url = "http://127.0.0.1:9/.well-known/openid-configuration"
"""
    )
    options = ("--auth", "oidc", "--secrets", str(secrets))
    with serving(home, *options, settings='allowed = ["*@example.org"]', base=BASE, port=port) as running:
        yield running


TASK = """
title = "How useful is this image?"
form = "graded"
systems = ["alpha", "beta"]
queries = 2
depth = 2
scale = 5
seed = 1
"""


def signed(
    server: Server, *, secret: str = SECRET, salt: str = COOKIE, age: float = 0, **claims: object
) -> str:
    """The cookie that Streamlit sets after somebody signed in, made by hand."""

    class Then(TimestampSigner):
        def get_timestamp(self) -> int:
            return int(time.time() - age)

    said = {"origin": server.origin, "is_logged_in": True, "provider": "default", "email": ADA, **claims}
    serializer = URLSafeTimedSerializer(secret, salt=salt, signer=Then)
    return f"{COOKIE}={serializer.dumps(json.dumps(said))}"


DAY = 86400


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        pytest.param({}, 200, id="control"),
        pytest.param({"email_verified": True}, 200, id="verified"),
        pytest.param({"email_verified": False}, 401, id="not verified"),
        pytest.param({"email_verified": "false"}, 401, id="not verified, as a text"),
        pytest.param({"email": ""}, 401, id="no address"),
        pytest.param({"email": ["ada@example.org"]}, 401, id="a list"),
        pytest.param({"email": "eve@evil.net"}, 403, id="not admitted"),
        pytest.param({"email": "ada@example.org.evil.net"}, 403, id="not admitted, nearly"),
        pytest.param({"is_logged_in": False}, 401, id="signed out"),
        pytest.param({"is_logged_in": 1}, 401, id="a number"),
        pytest.param({"origin": "https://localhost"}, 401, id="signed for another address"),
        pytest.param({"origin": ""}, 401, id="for no address"),
        pytest.param({"secret": "t" * 40}, 401, id="forged"),
        pytest.param({"salt": "_streamlit_user_tokens"}, 401, id="another cookie of this server"),
        pytest.param({"age": 29 * DAY}, 200, id="a month"),
        pytest.param({"age": 32 * DAY}, 401, id="expired"),
    ],
)
def test_which_cookie_is_believed(server: Server, claims: dict[str, object], status: int) -> None:
    cookie = ("Cookie", signed(server, **claims))  # type: ignore[arg-type]
    assert server.ask(f"{BASE}/", headers=[cookie]).status == status
    assert server.ask(f"{BASE}/media/x.png", headers=[cookie]).status == (404 if status == 200 else status)
    if status != 200:
        with pytest.raises(InvalidStatus), opened(server, "", Cookie=cookie[1]):
            pass


def test_a_page_tries_the_paths_above_it_for_the_server(server: Server) -> None:
    """404 sends it on to the next; anything else would be shown as an error."""
    cookie = ("Cookie", signed(server))
    for path in ("Review/_stcore/health", "Review/_stcore/host-config"):
        assert server.ask(f"{BASE}/{path}", headers=[cookie]).status == 404
    assert server.ask(f"{BASE}/_stcore/host-config", headers=[cookie]).status == 200


def test_no_header_signs_anybody_in_here(server: Server) -> None:
    assert server.ask(f"{BASE}/", ADA).status == 401
    with pytest.raises(InvalidStatus), opened(server, ADA):
        pass


def test_the_page_without_a_user_leads_to_the_provider(server: Server) -> None:
    answer = server.ask(f"{BASE}/Data", headers=[HTML])
    assert answer.status == 401 and f'href="{BASE}/sign-in?next=%2Flab%2FData"'.encode() in answer.body
    there = server.ask(f"{BASE}/sign-in")
    assert there.status == 303 and "set-cookie" not in there.headers
    assert there.headers["location"].startswith(f"{BASE}/auth/login?provider=ey")
    not_in = server.ask(f"{BASE}/", headers=[HTML, ("Cookie", signed(server, email="eve@evil.net"))])
    assert f'href="{BASE}/auth/logout"'.encode() in not_in.body
    assert server.ask(f"{BASE}/_stcore/health").status == 200
    for path in ("/", "/_stcore/health", "/laboratory/", "/lab/lab/_stcore/health", "/lab//_stcore/health"):
        assert server.ask(path).status in {400, 401}, path


def test_signing_in_leads_back_to_the_page_that_was_asked_for(server: Server) -> None:
    user = signed(server)
    there = server.ask(f"{BASE}/sign-in?next=%2Flab%2FQuery%3Fstudy%3Dprivate%26q%3Dq1")
    cookie = there.headers["set-cookie"].partition(";")[0]
    back = server.ask(f"{BASE}/", headers=[("Cookie", f"{user}; {cookie}")])
    assert (back.status, back.headers["location"]) == (303, f"{BASE}/Query?study=private&q=q1")
    assert 'cuiscope_next=""' in back.headers["set-cookie"]
    assert server.ask(f"{BASE}/", headers=[("Cookie", cookie)]).status == 401


@pytest.mark.parametrize(
    "address",
    ["https://evil.example/", "//evil.example/lab/Data", "/lab//evil.example", "/lab/\\evil.example", "/Data",
     "/lab/../Data", "/lab/auth/logout", "javascript:alert(1)", "/lab/Data\r\nX: y"],
)  # fmt: skip
def test_signing_in_leads_to_pages_of_this_server_alone(server: Server, address: str) -> None:
    there = server.ask(f"{BASE}/sign-in?next={quote(address, safe='')}")
    assert there.status == 303 and "set-cookie" not in there.headers
    cookies = f"{signed(server)}; cuiscope_next={quote(address)}"
    back = server.ask(f"{BASE}/", headers=[("Cookie", cookies)])
    assert (back.status, back.headers["location"]) == (303, f"{BASE}/")


def test_signing_out_ends_the_other_pages_of_the_browser(server: Server) -> None:
    mine, elsewhere = signed(server), signed(server, iat=1)
    with opened(server, "", Cookie=mine) as page, opened(server, "", Cookie=elsewhere) as other:
        assert "Sign out" in page.run() and "Sign out" in other.run()
        answer = server.ask(f"{BASE}/auth/logout", headers=[("Cookie", mine)])
        assert answer.status in {302, 303, 307} and COOKIE in answer.headers["set-cookie"]
        with pytest.raises(ConnectionClosed):
            page.run()
        assert other.run()


# Without a server.


def scope(*headers: tuple[str, str], client: str = "127.0.0.1") -> dict[str, object]:
    given = [(name.lower().encode(), value.encode()) for name, value in headers]
    return {"type": "http", "client": (client, 1), "headers": given}


def test_an_account_of_a_proxy() -> None:
    toml = b"""
administrators = ["Ada@example.org"]
[proxy]
header = "Remote-User"
name_header = "Remote-Name"
trusted = ["10.1.0.0/16", "::1"]
"""
    settings, report = parse_settings(toml, file="server.toml")
    assert not report.problems
    user = ("Remote-User", "ADA@example.org")
    ada = Account("ada@example.org", "Ada Lovelace, née Byron", administrator=True)
    named = scope(user, ("Remote-Name", "Ada Lovelace, née Byron"), client="10.1.2.3")
    assert of_proxy(named, settings) == ada
    assert of_proxy(scope(user, client="::ffff:10.1.2.3"), settings) == Account(ada.id, ada.id, True)
    for client in ("127.0.0.1", "10.2.0.1", "testclient", "::ffff:10.2.0.1", ""):
        assert of_proxy(scope(user, client=client), settings) is None
    assert of_proxy({"type": "http", "client": None, "headers": []}, settings) is None
    assert of_proxy(scope(("Remote-User", "Ada"), client="::1"), settings) == Account("Ada", "Ada")


def test_an_account_by_another_claim() -> None:
    settings = ServerSettings(claim="sub")
    claims = {"sub": "aB3", "email": ADA, "email_verified": False, "name": "Ada"}
    assert of_claims(claims, settings) == Account("aB3", "Ada"), "upper and lower case tell subjects apart"
    assert of_claims({"email": ADA}, settings) is None
