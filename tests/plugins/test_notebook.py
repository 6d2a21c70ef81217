"""The notebook of the tutorial runs, and shows what its cells return."""

import json
import re

import pytest

import evalcore as cs
from docs.run_notebook import NOTEBOOK, code_cells, run_cell, shown
from evalcore.values import plugins


@pytest.fixture(scope="module")
def cells():
    return code_cells(json.loads(NOTEBOOK.read_text("utf-8")))


def stored(cell: dict) -> tuple[str, str]:
    """What is kept of a cell: what it printed, and its value as text."""
    printed = [output["text"] for output in cell["outputs"] if output["output_type"] == "stream"]
    values = [output["data"]["text/plain"] for output in cell["outputs"] if "data" in output]
    return "".join("".join(part) for part in printed), "".join("".join(part) for part in values)


def without_version(text: str) -> str:
    return re.sub(r"CUIscope \d+\.\d+\.\d+", "CUIscope", text)


def test_every_cell_runs_and_shows_what_is_kept(cells, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    kinds = set()
    for cell in cells:
        printed, value = run_cell("".join(cell["source"]), names)
        if hasattr(value, "to_image"):  # drawing takes a browser
            assert value.data and "image/png" in cell["outputs"][0]["data"]
            continue
        text = "" if value is None else "".join(shown(value)["text/plain"])
        kept_printed, kept = stored(cell)
        assert without_version(printed) == without_version(kept_printed)
        assert text == kept, "run python -m docs.run_notebook"
        kinds.add(type(value))
    assert {cs.Study, cs.Board, cs.Differences} <= kinds
    assert {table: sorted(entries) for table, entries in plugins.specs.items() if entries} == {
        "metric": ["Balance"],
        "reader": ["run:knn"],
    }
    assert "epoch3" in cs.with_runs(names["study"], epoch3="epoch-3.knn").systems
