"""What stands in the drawer adds up: the numbers are read off the page, and by command they are the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.conftest import CHEST, CT, MASS, NODULE, Open, page_text

PAGE = "pages/1_Queries.py?q=q1"


def figure(app: AppTest, title: str) -> dict[str, Any]:
    """The layout of the figure with this title."""
    specs = [json.loads(chart.proto.spec)["layout"] for chart in app.get("plotly_chart")]
    (layout,) = [spec for spec in specs if title in spec["title"]["text"]]
    return dict(layout)


def drawer(open_app: Open, folder: Path, by: str) -> AppTest:
    kinds = {CT: "modality", CHEST: "anatomy", NODULE: "finding", MASS: "finding"}
    rows = "".join(f"{cui},{kind}\n" for cui, kind in kinds.items())
    (folder / "kinds.csv").write_text(f"cui,kind\n{rows}")
    return open_app(PAGE, study=folder, q="q1", why="q2", why_by=by)


@pytest.mark.parametrize(
    ("by", "value", "parts"),
    [
        # q1 has CT, chest and nodule, q2 CT, chest and mass; nodule and mass are one step apart, alpha is .5.
        ("nn-iou[finding]", 1 / 2, {"Nodule": ("Mass", 1 / 2)}),
        (
            "nn-iou[finding=3,anatomy=1]",
            (1 + 0.5 * 6) / 7,
            {"Chest": ("the same", 1 / 7), "Nodule": ("Mass", 3 / 7)},
        ),
    ],
)
def test_what_each_pair_adds_is_listed_once(
    open_app: Open, study_folder: Path, by: str, value: float, parts
) -> None:
    app = drawer(open_app, study_folder, by)
    (table,) = [frame.value for frame in app.dataframe if "Adds" in frame.value.columns]
    rows = {row["Query"]: (row["Result"], row["Adds"]) for _, row in table.iterrows()}
    assert {name: with_ for name, (with_, _) in rows.items()} == {name: w for name, (w, _) in parts.items()}
    for name, (_, adds) in parts.items():
        assert rows[name][1] == pytest.approx(adds)
    assert f"**{value:.3f}**" in page_text(app) and f"add up to {value:.3f}" in page_text(app)


def test_nothing_of_the_kind_is_said_so(open_app: Open, study_folder: Path) -> None:
    app = drawer(open_app, study_folder, "nn-iou[finding]")
    app = open_app(PAGE, study=study_folder, q="q1", why="q5", why_by="nn-iou[finding]")
    assert "No concept that counts here is on both images" in page_text(app)
