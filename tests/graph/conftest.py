"""The open graph beside the project, read once."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def real_edges(real_dir: Path) -> list[dict[str, str]]:
    with (real_dir / "kg/edges.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
