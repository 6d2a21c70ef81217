"""What the net looks at on the pages: the numbers and words on them.

Numbers are recorded as facts, wherever they are drawn: ``(question, setting) -> label, numbers``, where the
label is the system, measure, query or group that the numbers are of. A golden fact that no figure and no
table of the page has any more is a difference; where it is drawn, and what else is there, is not.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl

import numpy as np
from streamlit.testing.v1 import AppTest

from evalcore.study import open_study
from tests.net import studies
from tests.net.cases import Case
from tests.net.record import NUMBER, digest, leaves, shortened
from tests.net.spelling import PAGES, PARAMETERS, VALUES
from tests.ui.conftest import page_text

CARD = re.compile(r"(?<![\w.])\d*\.\d+(?![\w.])")
"""A score as a text."""


def _array(value: Any) -> list[Any]:
    if isinstance(value, dict) and "bdata" in value:
        values = np.frombuffer(base64.b64decode(value["bdata"]), dtype=np.dtype(value["dtype"]))
        return [_known(x) for x in values.tolist()]
    if isinstance(value, list) and value and isinstance(value[0], list):
        return [x for row in value for x in row]
    return value if isinstance(value, list) else []


def _known(value: Any) -> Any:
    """A plain value, None for none."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and np.isnan(value) else value


def _numbers(values: list[Any]) -> list[Any] | None:
    known = [x for x in values if x is not None]
    plain = known and all(isinstance(x, int | float) and not isinstance(x, bool) for x in known)
    return values if plain else None


def _traces(app: AppTest) -> Iterator[list[Any]]:
    for trace in [t for chart in app.get("plotly_chart") for t in json.loads(chart.proto.spec)["data"]]:
        marks = _array(trace.get("customdata"))
        label = str(marks[0]) if marks and len(set(map(str, marks))) == 1 else str(trace.get("name", ""))
        axes = {axis: _numbers(_array(trace.get(axis))) for axis in ("x", "y", "z", "values")}
        if len(marks) == 3 and axes["x"] and len(axes["x"]) == 3 and marks.count(marks[0]) == 3:
            yield [label, *axes["x"]]  # low, mean and high of a row with its interval
            continue
        for axis, numbers in axes.items():
            if numbers and numbers != list(range(len(numbers))) and len(set(numbers)) > 1:
                yield [label, axis, shortened(numbers)]


def _tables(app: AppTest) -> Iterator[list[Any]]:
    for frame in [table.value for table in [*app.dataframe, *app.table]]:
        texts = [name for name in frame.columns if frame[name].map(lambda x: isinstance(x, str)).all()]
        rows = digest("\n".join(map(str, frame[texts[0]]))) if texts and len(frame) else ""
        for name in frame.columns:
            values = [_known(x) for x in frame[name].tolist()]
            if numbers := _numbers(values):
                yield [rows, shortened([None if x is None else float(x) for x in numbers])]
            elif texts and name != texts[0] and (inside := _within(values, NUMBER)):
                yield [rows, shortened(inside)]


def _within(values: list[Any], pattern: re.Pattern[str]) -> list[Any]:
    """The numbers in texts."""
    texts = "\n".join(text for text in values if isinstance(text, str))
    return [float(number.replace(",", "")) for number in pattern.findall(texts)]


def _boards(app: AppTest) -> Iterator[list[Any]]:
    for part in app.get("bidi_component"):
        columns: dict[str, list[Any]] = {}
        for place, value in leaves(json.loads(part.proto.json or "{}"), ""):
            columns.setdefault(place, []).append(value)
        for values in columns.values():
            numbers = _numbers(values)
            if numbers is None:  # scores on the cards are texts
                numbers = _within(values, CARD)
            if len(set(numbers)) > 1 and any(isinstance(x, float) for x in numbers):
                yield ["board", shortened(numbers)]


def _words(app: AppTest) -> list[str]:
    alternatives = [
        str(getattr(part.proto, "alt", ""))
        for kind in ("plotly_chart", "imgs", "arrow_data_frame")
        for part in app.get(kind)
    ]
    return [page_text(app), *alternatives]


def _first_query(folder: Path) -> str:
    study = open_study(folder)
    return study.image_ids[study.queries[0]] if len(study.queries) else ""


def record(case: Case, folder: Path) -> dict[str, Any]:
    """Open a page as a link would and record what is on it."""
    app = AppTest.from_file(str(studies.ROOT / "app.py"), default_timeout=120)
    file, _, part = PAGES[case.target].partition("?")
    for key, value in [*parse_qsl(part), *case.options.items()]:
        key, value = VALUES.get((key, value), (PARAMETERS.get(key, key), value))
        app.query_params[key] = _first_query(folder) if value == "@first" else value
    if file != "app.py":
        app.switch_page(file)
    with patch.dict(os.environ, CUISCOPE_STUDY=str(folder)):
        app.run()
    if app.exception:
        raise AssertionError(f"{case.name}: {app.exception[0].value}")
    facts = [*_traces(app), *_tables(app), *_boards(app)]
    if case.real:
        facts = [[digest(label), *rest] for label, *rest in facts]
    values = {"errors": len(app.error), "figures": len(app.get("plotly_chart"))}
    return {
        "code": 0,
        "problems": [],
        "ids": {},
        "values": values,
        "facts": sorted(facts, key=json.dumps),
        "words": digest("\n".join(_words(app))),
    }
