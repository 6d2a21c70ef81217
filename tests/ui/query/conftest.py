"""The query page of the tiny study, with its two systems side by side."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.ui.conftest import CHEST, CT, MASS, NODULE, Open


@pytest.fixture
def open_query(open_tiny: Open) -> Open:
    """The page at its first query, or at another: ``q``."""
    return partial(open_tiny, "pages/1_Queries.py?q=q1", a="alpha", b="beta")


@pytest.fixture
def kinds(study_folder: Path) -> Path:
    """The tiny study with kinds of all concepts of q1 and q2, which are shown then."""
    of = {CT: "modality", CHEST: "anatomy", NODULE: "finding", MASS: "finding"}
    rows = "".join(f"{cui},{kind}\n" for cui, kind in of.items())
    (study_folder / "kinds.csv").write_text(f"cui,kind\n{rows}")
    return study_folder
