"""A study with two shortest paths, and what the figures of a page hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.studies import HERE

PAGE = "pages/3_Concepts.py"


def figures(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def carried(figure: dict) -> list:
    """What the marks of a figure carry when they are selected."""
    return [mark for trace in figure["data"] for mark in trace.get("customdata") or ()]


@pytest.fixture
def deep_folder() -> Path:
    """Where there are two shortest paths between two concepts."""
    return HERE / "deep"
