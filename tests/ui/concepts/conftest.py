"""A study with two shortest paths between two concepts, and what the figures of a page hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PAGE = "pages/3_Concepts.py"
DEEP = (
    ("C0000001", "C0000009"),
    ("C0000002", "C0000009"),
    ("C0000002", "C0000008"),
    ("C0000003", "C0000008"),
    ("C0000001", "C0000007"),
    ("C0000002", "C0000007"),
)
"""1 and 2 have the parents 7 and 9 in common (two shortest paths); 3 is a sibling of 2."""


def figures(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def carried(figure: dict) -> list:
    """What the marks of a figure carry when they are selected."""
    return [one for trace in figure["data"] for one in trace.get("customdata") or ()]


@pytest.fixture
def deep_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "deep"
    (folder / "graph").mkdir(parents=True)
    (folder / "concepts.csv").write_text("ID,CUIs\na,C0000001;C0000003\nb,C0000002\nc,C0000002;C0000005\n")
    names = "".join(f"C000000{k},{name}\n" for k, name in enumerate(["zero", "one", "two", "three", "four"]))
    (folder / "names.csv").write_text(f"cui,name\n{names}C0000002,Second finding\nC0000009,Nine\n")
    rows = "".join(f"{a},{b},{'X' if b[-1] == '9' else 'Y'},isa\n" for a, b in DEEP)
    (folder / "graph" / "edges.csv").write_text(f"child,parent,source,rela\n{rows}")
    return folder
