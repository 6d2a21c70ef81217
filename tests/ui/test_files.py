"""The files of every page: one row per thing, numbers as numbers, and what decides them beside them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from evalcore import __version__, score
from evalcore.evaluate import summary
from evalcore.study import open_study
from evalcore.ui.components import download
from tests.ui.conftest import ROOT, Open, rows_of_table

STUDY = {"study", "digest", "version", "where", "same_group"}
SCORED = STUDY | {"alpha", "threshold", "ties", "undefined", "gain", "pool", "interval", "queries"}
MEASURED = SCORED | {"metric", "k"}
TESTED = {"seed", "n", "p_corrected", "correction"}
SETS = {"STUDY": STUDY, "SCORED": SCORED, "MEASURED": MEASURED, "TESTED": TESTED}
WRITTEN = re.compile(r"[<>+−-]? ?[\d.,]+( (to|–) [+−-]?[\d.,]+| ?%)?|\d+ of \d+")
"""What a number looks like that was made for the eye."""


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], pd.DataFrame]:
    """saved(name) -> the rows of the one file so called of the page that was opened."""
    tables: dict[str, pd.DataFrame] = {}
    kept = download.csv

    def record(table: pd.DataFrame | Callable[[], pd.DataFrame], name: str, **look: object) -> None:
        tables[name] = table() if callable(table) else table
        kept(table, name, **look)

    def named(name: str) -> pd.DataFrame:
        (rows,) = [rows for file, rows in tables.items() if file.startswith(name)]
        return rows

    monkeypatch.setattr(download, "csv", record)
    return named


@pytest.mark.parametrize("row", rows_of_table("files.csv"), ids=lambda row: row["file"])
def test_a_file_says_how_its_numbers_were_counted(
    row: dict[str, str], open_app: Open, study_folder: Path, saved: Callable[[str], pd.DataFrame]
) -> None:
    columns = set[str]().union(*(SETS.get(name, {name}) for name in row["columns"].split()))
    folder = ROOT / "data" if row["file"] == "slices" else study_folder  # groups are of five queries or more
    open_app(row["address"], study=folder, where="organ!=")
    rows = saved(row["file"])
    assert len(rows) and columns <= set(rows.columns)
    for column, value in (
        ("digest", open_study(folder).digest),
        ("version", __version__),
        ("where", "organ!="),
    ):
        assert set(rows[column]) == {value}
    texts = rows.select_dtypes(exclude="number").drop(columns=["version"])
    for name in texts:
        written = [cell for cell in texts[name] if isinstance(cell, str) and WRITTEN.fullmatch(cell)]
        assert written == [], name


def test_csv_is_no_formula_in_its_header_and_in_full_width_either() -> None:
    table = pd.DataFrame({"=A": ["＝1+1", "-0.5", "−0.5"], "B": ["+0.1 to +0.2", None, "x"]})
    lines = download.csv_safe(table).decode().splitlines()
    assert lines == ["'=A,B", "'＝1+1,'+0.1 to +0.2", "-0.5,", "−0.5,x"]


def test_the_leaderboard_holds_every_digit(
    open_tiny: Open, study_folder: Path, saved: Callable[[str], pd.DataFrame]
) -> None:
    open_tiny()
    rows = saved("leaderboard").set_index("system")
    for scores in score(open_study(study_folder), metrics=["nnCUI@10"], systems=["alpha", "beta"]):
        mean, row = summary.summarise(scores), rows.loc[scores.system]
        assert (row["mean"], row["ci_low"], row["n"]) == (mean.mean, mean.low, mean.n)
        assert (row["k"], row["seed"], row["ci_method"]) == (10, 0, "percentile bootstrap")


def test_the_table_for_a_paper_shows_what_its_files_hold(
    open_tiny: Open, saved: Callable[[str], pd.DataFrame]
) -> None:
    app = open_tiny(closer="open", look="paper", table=["CUI", "AP(organ)"], intervals="no")
    (shown,) = [element.value for element in app.table if "System" in element.value.columns]
    means = saved("table").pivot(index="system", columns="metric", values="mean")
    cells = shown.iloc[:2, [1, 2]].map(lambda cell: re.sub(r"[*†‡]", "", str(cell)))
    expected = means.loc[["alpha", "beta"], ["CUI@10", "AP(organ)"]].map("{:.3f}".format)
    assert cells.values.tolist() == expected.values.tolist()
    labels = [button.proto.label for button in app.get("download_button")]
    assert {"LaTeX", "Markdown"} <= set(labels)
