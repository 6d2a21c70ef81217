"""Labels from concepts on the data page, of a typed table and of what is below a concept, as the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.cli import run
from evalcore.ui.frame import pages
from tests.ui.conftest import ROOT, said, table_with

Open = Callable[..., AppTest]
MAP = "column,label,cui\norgan,brain,C0006104\norgan,lung,C0024109\nmodality,CT,C0040405\n"
LINK = {"part": pages.COVERAGE, "labels_from_concepts": "open", "k": "5"}


def means(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[tuple[str, str], dict[str, float]]:
    assert run([*words, "--reach", "0,1,2,all", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    result: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        result.setdefault((row["system"], row["metric"]), {})[row["reach"]] = row["mean"]
    return result


def on_page(app: AppTest) -> dict[tuple[str, str], dict[str, float]]:
    heads = {"Those named": "0", "1 link below": "1", "2 links below": "2", "All below": "all"}
    rows = table_with(app, "Measure").rename(columns=heads).to_dict("records")
    return {(row["System"], row["Measure"]): {reach: row[reach] for reach in heads.values()} for row in rows}


def test_a_typed_table_gives_the_numbers_of_the_command(
    open_app: Open, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "map.csv").write_text(MAP)
    words = ["labels", str(ROOT / "data"), "--map", str(tmp_path / "map.csv")]
    named = ["P(organ)@5", "P(modality)@5", "P(organ&modality)@5"]
    expected = means([*words, *(word for name in named for word in ("--metric", name))], capsys)
    app = open_app("pages/5_Data.py", study=ROOT / "data", link=LINK)
    assert not any("Measure" in frame.value.columns for frame in app.dataframe)
    app.text_area(key="label-map-").input(MAP).run()
    assert not app.exception
    assert on_page(app) == expected
    images = table_with(app, "Label").set_index("Label")
    assert images.loc["lung", "Those named"] < images.loc["lung", "All below"]
    again = open_app("pages/5_Data.py", study=ROOT / "data", link=LINK)
    assert on_page(again) == expected, "the table is kept"


def test_what_is_below_a_concept(open_app: Open, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["labels", str(ROOT / "data"), "--map", "C0229962", "--metric", "P(Body regions)@5"]
    expected = means(words, capsys)
    app = open_app(
        "pages/5_Data.py", study=ROOT / "data", link=LINK | {"labels_by": "concept", "below": "C0229962"}
    )
    assert not app.exception
    assert on_page(app) == expected
    app = open_app(
        "pages/5_Data.py", study=ROOT / "data", link=LINK | {"labels_by": "concept", "below": "C0024485"}
    )
    assert "No image has a concept below" in said(app)
