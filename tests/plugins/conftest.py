"""A registry of their own for tests that register functions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from evalcore import open_study
from evalcore.values import plugins
from evalcore.values.model import Study

DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture(autouse=True)
def _own_registry() -> Iterator[None]:
    """Whatever a test registers is gone after it."""
    yield
    for table in plugins.specs:
        plugins._plugins[table].clear()
        plugins.specs[table].clear()
    plugins._files.clear()
    plugins._left_out.clear()


@pytest.fixture(scope="session")
def sample() -> Study:
    return open_study(DATA)
