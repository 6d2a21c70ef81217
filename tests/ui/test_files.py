"""The files of every page: one row per thing, numbers as numbers, and what decides them beside them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from evalcore import __version__
from evalcore.evaluate import scoring, summary
from evalcore.study import open_study
from evalcore.ui.components import download
from tests.ui.conftest import ROOT, Open, rows_of_table

STUDY = {"study", "digest", "version", "where", "same_group"}
SCORED = STUDY | {"alpha", "threshold", "ties", "undefined", "gain", "pool", "interval", "queries"}
MEASURED = SCORED | {"metric", "k"}
WRITTEN = re.compile(r"[<>+−-]? ?[\d.,]+( (to|–) [+−-]?[\d.,]+| ?%)?|\d+ of \d+")
"""What a number looks like that was made for the eye."""
TESTED = {"seed", "n", "p_corrected", "correction"}
SETS = {"STUDY": STUDY, "SCORED": SCORED, "MEASURED": MEASURED, "TESTED": TESTED}


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> dict[str, pd.DataFrame]:
    """{name of the file: its rows} of the page that is opened."""
    tables: dict[str, pd.DataFrame] = {}
    kept = download.csv

    def record(table: pd.DataFrame | Callable[[], pd.DataFrame], name: str, **look: object) -> None:
        tables[name] = table() if callable(table) else table
        kept(table, name, **look)

    monkeypatch.setattr(download, "csv", record)
    return tables


def named(saved: dict[str, pd.DataFrame], name: str) -> pd.DataFrame:
    (rows,) = [rows for file, rows in saved.items() if file.startswith(name)]
    return rows


@pytest.mark.parametrize("row", rows_of_table("files.csv"), ids=lambda row: row["file"])
def test_a_file_says_how_its_numbers_were_counted(
    row: dict[str, str], open_app: Open, study_folder: Path, saved: dict[str, pd.DataFrame]
) -> None:
    file = row["file"]
    columns = set[str]().union(*(SETS.get(name, {name}) for name in row["columns"].split()))
    folder = ROOT / "data" if file == "slices" else study_folder  # groups are of five queries or more
    open_app(row["address"], study=folder, where="organ!=")
    rows = named(saved, file)
    assert len(rows) and columns <= set(rows.columns)
    study = open_study(folder)
    assert set(rows["digest"]) == {study.digest} and set(rows["version"]) == {__version__}
    assert set(rows["where"]) == {"organ!="}
    texts = rows.select_dtypes(exclude="number").drop(columns=["version"])
    for name in texts:
        written = [cell for cell in texts[name] if isinstance(cell, str) and WRITTEN.fullmatch(cell)]
        assert written == [], name


def test_the_leaderboard_holds_every_digit(
    open_tiny: Open, study_folder: Path, saved: dict[str, pd.DataFrame]
) -> None:
    open_tiny()
    rows = named(saved, "leaderboard").set_index("system")
    for scores in scoring.score(open_study(study_folder), metrics=["nnCUI@10"], systems=["alpha", "beta"]):
        mean = summary.summarise(scores)
        row = rows.loc[scores.system]
        assert (row["mean"], row["ci_low"], row["n"]) == (mean.mean, mean.low, mean.n)
        assert (row["k"], row["seed"], row["ci_method"]) == (10, 0, "percentile bootstrap")


def test_the_table_for_a_paper_shows_what_its_files_hold(
    open_tiny: Open, saved: dict[str, pd.DataFrame]
) -> None:
    app = open_tiny(closer="open", look="paper", table=["CUI", "AP(organ)"], intervals="no")
    (shown,) = [element.value for element in app.table if "System" in element.value.columns]
    rows = named(saved, "table").set_index(["system", "metric"])
    assert len(rows) == 4
    for place, system in enumerate(["alpha", "beta"]):
        for column, metric in ((1, "CUI@10"), (2, "AP(organ)")):
            cell = re.sub(r"[*†‡]", "", str(shown.iloc[place, column]))
            assert cell == f"{rows.loc[(system, metric), 'mean']:.3f}"
    labels = [button.proto.label for button in app.get("download_button")]
    assert {"LaTeX", "Markdown"} <= set(labels)
