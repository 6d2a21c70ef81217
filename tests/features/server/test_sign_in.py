"""Who is signed in by the header of a proxy, below a path of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evalcore.features.server.identity import of_proxy
from evalcore.features.server.read import parse_settings
from evalcore.values.account import Account
from tests.features.server.browserless import Server, serving
from tests.ui.conftest import write_study

ADA = "ada@example.org"
BASE = "/lab"
WORD = "Zymosan"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("sign-in") / "home"
    study = home / "users" / Account(ADA, ADA).folder / "studies" / "private"
    write_study(study)
    captions = study / "captions.csv"
    captions.write_text(captions.read_text().replace("Nodule in the chest", WORD))
    with serving(home, settings='allowed = ["*@example.org"]', base=BASE) as running:
        yield running


def test_only_what_is_below_the_path_is_answered(server: Server) -> None:
    assert server.ask(f"{BASE}/_stcore/health").status == server.ask(f"{BASE}/", ADA).status == 200
    for path in ("/", "/_stcore/health", "/laboratory/", "/lab/lab/_stcore/health", "/lab//_stcore/health"):
        assert server.ask(path).status in {400, 401}, path
        assert server.ask(path, ADA).status in {400, 404}, path


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
