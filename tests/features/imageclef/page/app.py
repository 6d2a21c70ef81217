"""Steps of a reader on the challenge page."""

from __future__ import annotations

import re

import pandas as pd
from streamlit.testing.v1 import AppTest

from evalcore.features.imageclef.page import files as keys
from evalcore.values.writing import md_escape

PAGE = "pages/6_Challenge.py"
TRUTH = b"ID,CUIs\nq1,C0000001;C0000003\nq2,C0000001\n"
GOOD = b"ID,CUIs\nq1,C0000001\nq2,C0000001\n"
HALF = b"ID,CUIs\nq1,C0000009\nq2,C0000001\n"
"""F1 of q1 and q2: GOOD 2/3 and 1, HALF 0 and 1."""
CAPTION = b"ID,Caption\nq1,Nodule\n"


def given(app: AppTest, truth: bytes, runs: dict[str, bytes]) -> AppTest:
    """The page after these files were uploaded together."""
    return bring(app, [("truth.csv", truth), *runs.items()])


def bring(app: AppTest, files: list[tuple[str, bytes]]) -> AppTest:
    """The page after more files were uploaded."""
    (widget,) = [one for one in app.file_uploader if re.fullmatch(r"upload-files(-\d+)?", str(one.key))]
    widget.set_value([(name, data, "application/octet-stream") for name, data in files])
    return settled(app.run())


def use_as(app: AppTest, name: str, role: str) -> AppTest:
    """The page after the reader said what a file is for."""
    (widget,) = [box for box in app.selectbox if box.label == f"What {md_escape(name)} is for"]
    return settled(widget.set_value(role).run())


def settled(app: AppTest) -> AppTest:
    """The page once nothing computes in the background any more."""
    for _ in range(100):
        if not any(button.label == "Cancel" for button in app.button):
            return app
        app.run()
    raise AssertionError("still computing")


def opened(app: AppTest, fold: str = keys.DETAILS) -> AppTest:
    """The page with a part open that was closed."""
    app.query_params[fold] = "open"
    return settled(app.run())


def linked(app: AppTest, **link: str) -> AppTest:
    """The page after its address was changed."""
    for name, value in link.items():
        app.query_params[name] = value
    return settled(app.run())


def board(app: AppTest) -> pd.DataFrame:
    """The table of all runs, by run."""
    (found,) = [one.value for one in app.dataframe if "Official script" in one.value and "Run" in one.value]
    return found.set_index("Run")


def text(value: object) -> str:
    """Markdown as the reader sees it, without the backslashes."""
    return str(value).replace("\\", "")
