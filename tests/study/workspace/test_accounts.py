"""Who is at work decides whose workspace is used, and nobody's work reaches any."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from evalcore.study.workspace.home import home, make_folder, server_home
from evalcore.values import account
from evalcore.values.account import Account, NotAllowed, NotSignedIn

ADA, EVE = Account("ada@example.org", "Ada", administrator=True), Account("eve@example.org", "Eve")


def test_one_person_has_one_workspace_and_no_account() -> None:
    assert account.current() is None
    assert home() == server_home()
    account.check_unrestricted("Opening folders")


def test_a_server_gives_each_account_a_workspace_of_its_own(server: None) -> None:
    with account.acting_as(ADA):
        of_ada = home()
        account.check_unrestricted("Opening folders")
    with account.acting_as(EVE):
        make_folder(home() / "studies")
        assert of_ada != home()
        assert home().parent == of_ada.parent == server_home() / "users"
        with pytest.raises(NotAllowed, match="Opening folders is for administrators"):
            account.check_unrestricted("Opening folders")
    assert not of_ada.exists()


def test_nobody_has_no_workspace_and_a_thread_inherits_nobody(server: None) -> None:
    with pytest.raises(NotSignedIn):
        home()
    with account.acting_as(ADA), ThreadPoolExecutor(1) as threads:
        home()
        with pytest.raises(NotSignedIn):
            threads.submit(home).result()
