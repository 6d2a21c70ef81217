"""No file uploaded to a server, and no zip that is unpacked there, is larger than allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evalcore.study.workspace import kept_files
from evalcore.study.workspace.home import home
from evalcore.study.workspace.uploads import add_first_part, add_study_zip
from evalcore.values import account
from evalcore.values.account import Account, Limits, acting, set_limits
from evalcore.values.errors import InputError
from tests.study.made import zipped

ADA = Account("ada@example.org", "Ada")
K = 4096
CONCEPTS = b"ID,CUIs\na,C0040405\nb,C0041618\n"


@pytest.fixture
def serve() -> Iterator[Callable[..., None]]:
    """serve(file_bytes=...) -> this process is a server with these limits."""

    def on(**limits: int) -> None:
        set_limits(Limits(**limits))
        account.serve(lambda: None)

    yield on
    account.serve(None)
    set_limits(Limits())


def test_a_zip_may_not_unpack_to_more_than_allowed(serve, tmp_path: Path) -> None:
    serve(unpacked_bytes=100_000)
    bomb = zipped(**{"concepts.csv": CONCEPTS, "zeros.csv": bytes(100_001)})
    with acting(ADA):
        folder, report = add_study_zip("bomb", bomb)
        assert folder is None and [entry.rule for entry in report.problems] == ["zip-bomb"]
        assert "unpack to 100 kB; at most 100 kB" in report.problems[0].message
        assert list((home() / "studies").iterdir()) == []
        assert add_study_zip("fits", zipped(**{"concepts.csv": CONCEPTS}))[0] is not None


def test_an_uploaded_file_may_not_be_larger_than_allowed(serve) -> None:
    serve(file_bytes=100)
    large = CONCEPTS * 10
    with acting(ADA):
        for add in (
            lambda: add_first_part("s", "concepts", "concepts.csv", large),
            lambda: add_study_zip("s", large),
            lambda: kept_files.keep_file("satisfaction", "s.csv", large),
        ):
            with pytest.raises(InputError, match="300 bytes; this server takes files of up to 100 bytes"):
                add()
        assert not home().exists()
        assert add_first_part("s", "concepts", "concepts.csv", CONCEPTS)[0] is not None
