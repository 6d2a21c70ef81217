"""Two systems and all at once on Results: the numbers of the library, in words, figures and tables."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from evalcore import evaluate
from evalcore.study import open_study
from evalcore.values.writing import number
from tests.studies import copied
from tests.ui.conftest import Open, said, write_study

PAGE = "app.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The tiny study with a third system."""
    return copied("three", write_study(tmp_path / "tiny", pictures=False))


def test_two_systems_have_no_such_part(open_app, study_folder):
    app = open_app(PAGE, study=study_folder, at_once="results")
    assert [tab.label for tab in app.tabs] == ["Two systems", "Groups of queries"]
    assert not app.exception and "**alpha** scores" in said(app)


@pytest.mark.parametrize("view", ["differences", "results"])
def test_queries_without_a_value(open_app, folder, view):
    """q6, without a label, has no concepts: nothing can be compared, and every view says so."""
    app = open_app(PAGE, study=folder, where="organ=", part="all", at_once=view)
    assert "nan" not in said(app).split()
    says = {"differences": "No two systems share a query with a value", "results": "of the first 10 shared"}
    assert says[view] in said(app)


PAIR = {"a": "alpha", "b": "beta"}


def test_swap_exchanges_the_systems(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, **PAIR)
    app.button(key="swap").click().run()
    assert (app.selectbox(key="a").value, app.selectbox(key="b").value) == ("beta", "alpha")
    assert "**alpha** scores" in said(app)


def test_the_verdict_names_the_difference_that_matters(open_app: Open, study_folder: Path) -> None:
    app = open_app(PAGE, study=study_folder, reading="Expert", smallest_difference="0.9", **PAIR)
    alpha, beta = evaluate.score(open_study(study_folder), metrics=["nnCUI@10"], systems=["alpha", "beta"])
    found = evaluate.compare(alpha, beta)
    assert found.high < 0.9
    assert "too small to matter: within **0.9** in either direction" in said(app)
    reach = (1.959963984540054 + 0.8416212335729143) * found.spread / np.sqrt(found.n_pairs)
    assert f"queries can detect a difference of {number(reach)} with 80% power; 0.9 needs" in said(app)
    plain = open_app(PAGE, study=study_folder, **PAIR)
    assert "power" not in said(plain) and "matters" not in said(plain)


@pytest.mark.parametrize(("reading", "shown"), [("Simple", False), ("Expert", True)])
def test_experts_read_how_p_was_corrected_over_groups(open_app: Open, reading: str, shown: bool) -> None:
    link = {"a": "hog", "b": "texture", "part": "groups", "by": "modality", "groups_table": "open"}
    app = open_app(PAGE, reading=reading, link=link)
    corrected = re.search(r"p corrected by Holm over all \d+ differences in slices; ", said(app))
    assert not app.exception and bool(corrected) == shown
