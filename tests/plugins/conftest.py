"""The sample study, which no test changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalcore import open_study
from evalcore.values.model import Study

DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture(scope="session")
def sample() -> Study:
    return open_study(DATA)
