"""Labels from concepts on the data page, of a typed table, as the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.cli import run
from evalcore.ui.frame import pages
from tests.ui.conftest import ROOT, table_with

Open = Callable[..., AppTest]
MAP = "column,label,cui\norgan,brain,C0006104\norgan,lung,C0024109\nmodality,CT,C0040405\n"
LINK = {"part": pages.COVERAGE, "labels_from_concepts": "open", "k": "5"}


def test_a_typed_table_gives_the_labels_of_the_command(
    open_app: Open, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "map.csv").write_text(MAP)
    words = ["labels", str(ROOT / "data"), "--map", str(tmp_path / "map.csv"), "--reach", "0", "--json"]
    assert run(words) == 0
    expected = {row["label"]: row["images"] for row in json.loads(capsys.readouterr().out)["labels"]}
    app = open_app("pages/5_Data.py", study=ROOT / "data", link=LINK)
    assert not any("Label" in frame.value.columns for frame in app.dataframe)
    app.text_area(key="label-map-").input(MAP).run()
    assert not app.exception
    assert table_with(app, "Label").set_index("Label")["Images"].to_dict() == expected
    again = open_app("pages/5_Data.py", study=ROOT / "data", link=LINK)
    assert table_with(again, "Label").set_index("Label")["Images"].to_dict() == expected, "the table is kept"
