"""The tiny study, and the program as a test sees it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pandas as pd
import pytest
from google.protobuf import text_format
from streamlit.testing.v1 import AppTest

from evalcore.figures import frame
from evalcore.ui.components import fold
from evalcore.ui.frame import jobs
from tests.studies import captions_of, copied, runs_of

Open = Callable[..., AppTest]
"""What the fixture `open_app` gives."""
ROOT = Path(__file__).resolve().parents[2]
PANELS = ("more",)
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
def open_app(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """open_app(page, study=folder, **query) -> the page after its first run, as a deep link would show it.

    No page ends in an exception.

    ``page``: its file, and what its address says, as in "pages/5_Data.py?part=new". ``study`` is the folder
    the program is started with; ``link`` holds query parameters of that name.
    On Results the numbers of the board are open. ``more``: as after opening the panels of the sidebar.
    Work in the background is waited for: nothing looks again and again in a test.
    """
    monkeypatch.setattr(jobs, "PATIENCE", 60)
    monkeypatch.setattr(frame, "CHECKED", False)  # as in the program; the figures have tests of their own

    def go(
        page: str = "app.py",
        *,
        study: Path | None = None,
        link: dict[str, str] | None = None,
        more: bool = False,
        **query: str,
    ) -> AppTest:
        monkeypatch.chdir(ROOT)
        if study is not None:
            monkeypatch.setenv("CUISCOPE_STUDY", str(study))
        else:
            monkeypatch.delenv("CUISCOPE_STUDY", raising=False)
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        page, _, parameters = page.partition("?")
        if page == "app.py":
            query.setdefault("numbers", "open")
        for name, value in {**dict(parse_qsl(parameters)), **query, **(link or {})}.items():
            app.query_params[name] = value
        if page != "app.py":
            app.switch_page(page)
        for panel in PANELS if more else ():
            app.session_state[fold.OPENED + panel] = True
        app.run()
        assert not app.exception, app.exception[0].value
        return app

    return go


def rows_of_table(name: str) -> list[dict[str, str]]:
    """The rows of a table beside this file."""
    return list(csv.DictReader((Path(__file__).parent / name).read_text("utf-8").splitlines()))


def page_text(app: AppTest) -> str:
    """Every sentence on the page, sidebar included."""
    kinds = (
        app.title,
        app.header,
        app.subheader,
        app.markdown,
        app.caption,
        app.info,
        app.warning,
        app.error,
        app.success,
    )
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def board(app: AppTest) -> dict[str, Any]:
    """What the query page sends to its board: the query, and the lists with their items."""
    contents = [
        json.loads(component.proto.json) for component in app.get("bidi_component") if component.proto.json
    ]
    (board,) = [content for content in contents if "lists" in content]
    return board


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
