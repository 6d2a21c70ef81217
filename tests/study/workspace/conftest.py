"""A program that serves several people."""

from collections.abc import Iterator

import pytest

from evalcore.values import account


@pytest.fixture
def server() -> Iterator[None]:
    """This process is a server to which no user has signed in."""
    account.serve(lambda: None)
    yield
    account.serve(None)
