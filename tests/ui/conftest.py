"""The tiny study, and the program as a test sees it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pandas as pd
import pytest
from google.protobuf import text_format
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from evalcore.figures import frame
from evalcore.ui.components import fold
from evalcore.ui.frame import jobs
from tests.studies import captions_of, copied, runs_of

Open = Callable[..., AppTest]
"""What the fixture `open_app` gives."""
ROOT = Path(__file__).resolve().parents[2]
CT, MR, CHEST, HEAD, NODULE, MASS, BLEED = (f"C000000{i}" for i in range(1, 8))
CAPTIONS, RUNS = captions_of("tiny"), runs_of("tiny")
HOSTILE = CAPTIONS["q6"]
HOSTILE_VALUES = {
    "digits": "9" * 5000,
    "nan": "nan",
    "infinite": "-1e999",
    "controls": "\x00\x1f\x7f\u202e\ufffd",
    "long": "x" * 5000,
    "markdown": "![x](http://evil.invalid) $a$ <b>",
    "many": ["x", "-1", "None"] * 3,
}
"""What no key of an address means."""


def write_study(folder: Path, *, pictures: bool = True, graph: bool = True, systems: bool = True) -> Path:
    """The tiny study in a folder."""
    there = {"images": pictures, "graph": graph, "systems": systems}
    return copied("tiny", folder, without=tuple(name for name, kept in there.items() if not kept))


@pytest.fixture
def study_folder(tmp_path: Path) -> Path:
    return write_study(tmp_path / "tiny")


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """open_app(address, study=folder, **query) -> the page after its first run, as a deep link would show it.

    No page ends in an exception, neither then nor after what the test does to it.

    ``address``: the file of a page and what its address says, as in "pages/5_Data.py?part=new". ``study`` is
    the folder the program is started with; ``link`` holds query parameters of that name.
    On Results the numbers of the board are open. ``more``: as after opening the panels of the sidebar.
    Work in the background is waited for: nothing looks again and again in a test.
    """
    monkeypatch.setattr(jobs, "PATIENCE", 60)
    monkeypatch.setattr(frame, "CHECKED", False)  # as in the program; the figures have tests of their own
    monkeypatch.chdir(ROOT)
    opened: list[AppTest] = []

    def go(
        address: str = "app.py",
        *,
        study: Path | None = None,
        link: Mapping[str, str | list[str]] | None = None,
        more: bool = False,
        **query: str | list[str],
    ) -> AppTest:
        if study is not None:
            monkeypatch.setenv("CUISCOPE_STUDY", str(study))
        else:
            monkeypatch.delenv("CUISCOPE_STUDY", raising=False)
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        opened.append(app)
        page, _, parameters = address.partition("?")
        if page == "app.py":
            query.setdefault("numbers", "open")
        for name, value in {**parse_qs(parameters, keep_blank_values=True), **query, **(link or {})}.items():
            app.query_params[name] = value[0] if len(value) == 1 else value
        if page != "app.py":
            app.switch_page(page)
        if more:
            app.session_state[fold.OPENED + "more"] = True
        app.run()
        assert not app.exception, app.exception[0].value
        return app

    yield go
    assert [app.exception[0].value for app in opened if app.exception] == []


@pytest.fixture
def open_tiny(open_app: Open, study_folder: Path) -> Open:
    """open_app of the tiny study."""
    return partial(open_app, study=study_folder)


def rows_of_table(name: str) -> list[dict[str, str]]:
    """The rows of a table beside this file."""
    return list(csv.DictReader((Path(__file__).parent / name).read_text("utf-8").splitlines()))


def page_text(app: AppTest) -> str:
    """Every sentence on the page, sidebar included."""
    kinds = ("title", "header", "subheader", "markdown", "caption", "info", "warning", "error", "success")
    return "\n".join(str(element.value) for kind in kinds for element in app.get(kind))


def plain(app: AppTest) -> str:
    """The same without the marks of Markdown."""
    return re.sub(r"\*\*|\\|\u2060", "", page_text(app))


def button(app: AppTest, label: str) -> Button:
    """The one button with this label."""
    (only,) = [each for each in app.button if each.label == label]
    return only


def figures(app: AppTest, title: str = "") -> list[dict[str, Any]]:
    """The figures of the page with this in their titles."""
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    return [spec for spec in specs if title in spec["layout"]["title"]["text"]]


def carried(figure: dict[str, Any]) -> list[Any]:
    """What the marks of a figure carry when they are selected."""
    return [mark for trace in figure["data"] for mark in trace.get("customdata") or ()]


def as_text(app: AppTest) -> str:
    """A page as lines: its sentences, its address, its widgets, rows of its tables, what its marks carry.

    ``?key=value`` of the address, ``key: value`` and ``key offers a / b`` of widgets, ``[label] off`` of a
    button that is disabled, ``a | b`` of a row, ``carries a, b`` of a figure, ``A · alpha: q2 ▲1`` of a list.
    """
    lines = [plain(app), *(f"?{key}={_said(app.query_params[key])}" for key in app.query_params)]
    for widget in (*(widget for kind in FIELDS for widget in app.get(kind)), *app.get("button_group")):
        lines += [f"{widget.key}: {_said(widget.value)}", *[f"{widget.key} (off)"] * widget.proto.disabled]
        lines.append(f"{widget.key} offers {' / '.join(map(str, getattr(widget, 'options', ())))}")
    lines += [f"[{each.label}]{' off' * each.disabled}" for each in app.button]
    lines += [f"{metric.label} = {metric.value}".replace("\\", "") for metric in app.metric]
    for link in [element.proto for element in app.get("page_link")]:
        lines.append(f"[{link.label}] to {link.page.rpartition('/')[2]}?{link.query_string}")
    lines.append("tabs: " + ", ".join(tab.label for tab in app.tabs))
    for table in [element.value for element in (*app.dataframe, *app.table)]:
        rows = [table.columns, *table.astype(object).where(table.notna(), "–").values]
        lines += [f"{len(table)} rows", *(" | ".join(map(str, row)) for row in rows)]
    for figure in figures(app):
        marks = ", ".join(map(str, carried(figure)))
        lines.append(f"{figure['layout']['title']['text']} carries {marks}")
    for query in [content["query"] for content in contents(app) if "lists" in content]:
        lines.append(f"query {query['id']}: {query['labels']} {query['none']}")
    for side in [side for content in contents(app) for side in content.get("lists", ())]:
        items = (f"{item['id']} {item['moved']}".strip() for item in side["items"])
        lines.append(f"{side['title']}: {', '.join(items)}")
    return "\n".join(lines)


FIELDS = ("selectbox", "multiselect", "number_input", "slider", "toggle", "text_input")


def _said(value: object) -> str:
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


def take(app: AppTest, step: str) -> None:
    """``key=value`` gives a widget a value (``a|b``: two); a name presses a button, ``again`` draws."""
    key, sign, value = step.partition("=")
    if sign:
        widget = app.get_by_key(key)
        kind = type(widget.value)
        read = {list: lambda text: text.split("|"), int: int, float: float, bool: "yes".__eq__}
        widget.set_value(read.get(kind, str)(value))
    elif step != "again":
        next(each for each in app.button if step in (each.key, each.label)).click()
    app.run()


def board(app: AppTest) -> dict[str, Any]:
    """What the query page sends to its board: the query, and the lists with their items."""
    return content_of(app, "lists")


def content_of(app: AppTest, key: str) -> dict[str, Any]:
    """What the page sends to the one component that is told this."""
    (content,) = [content for content in contents(app) if key in content]
    return content


def contents(app: AppTest) -> list[dict[str, Any]]:
    """What the page sends to its components."""
    return [json.loads(component.proto.json or "{}") for component in app.get("bidi_component")]


def sent(block: Any) -> Iterator[str]:
    """All that a page sends to the browser, element by element."""
    for child in block.children.values():
        if child.type == "plotly_chart":
            yield str(json.loads(child.proto.spec))
        elif getattr(child, "proto", None) is not None:
            yield text_format.MessageToString(child.proto, as_utf8=True)
        yield from sent(child) if hasattr(child, "children") else ()


def table_with(app: AppTest, column: str) -> pd.DataFrame:
    """The one table of the page that has this column."""
    (table,) = [element.value for element in [*app.dataframe, *app.table] if column in element.value.columns]
    return table


def widgets(app: AppTest) -> dict[str, object]:
    """What every widget of the page says."""
    kinds = (app.number_input, app.slider, app.selectbox, app.multiselect, app.toggle, app.text_input)
    groups = [(group.key, group.value) for group in app.get("button_group")]
    return {str(widget.key): widget.value for kind in kinds for widget in kind} | dict(groups)
