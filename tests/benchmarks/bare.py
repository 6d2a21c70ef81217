"""A bare Streamlit program with as much on every page as ours: what our times are compared with.

Its pages compute nothing. What a page of ours shows is read from it in the browser (`shape.js`), and the page
of the same name draws as many widgets, words and pictures, the same figures, and tables of the same size.
"""

from __future__ import annotations

import io
import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from PIL import Image

SHAPES = "BARE_SHAPES"
"""The environment variable that names the file of shapes by page."""
OPTIONS = {
    "server.headless": "true",
    "server.address": "127.0.0.1",
    "server.fileWatcherType": "none",
    "server.enableCORS": "false",
    "server.enableXsrfProtection": "false",
    "browser.gatherUsageStats": "false",
    "client.toolbarMode": "viewer",
}
"""Of our own settings those that cost or save time."""


def write(folder: Path, home: str, others: list[str]) -> list[str]:
    """Make the program in a folder: the page ``home`` and the others. The command that serves it."""
    (folder / "pages").mkdir(parents=True)
    script = "from tests.benchmarks.bare import draw\n\ndraw({!r})\n"
    (folder / "app.py").write_text(script.format(home))
    for k, title in enumerate(others, 1):
        (folder / "pages" / f"{k}_{title.replace(' ', '_')}.py").write_text(script.format(title))
    options = [word for name, value in OPTIONS.items() for word in (f"--{name}", value)]
    return [sys.executable, "-m", "streamlit", "run", "app.py", *options]


def draw(title: str) -> None:
    """One page; its figures and tables change with the slider."""
    shapes = Path(os.environ[SHAPES])
    shape: dict[str, Any] = (json.loads(shapes.read_text()) if shapes.exists() else {}).get(title, {})
    st.set_page_config(page_title=title, layout="wide")
    with st.sidebar:
        at = st.slider("Slider", 0.0, 1.0, 0.5)
        for k in range(shape.get("sidebar", 1) - 1):
            st.selectbox(f"Choice {k}", ["one", "two", "three"])
    st.title(title)
    st.markdown("word " * shape.get("words", 0))
    st.slider("Strength", 0.0, 1.0, 0.5) if shape.get("widgets") else None
    for k in range(shape.get("widgets", 0) - 1):
        st.button(f"Button {k}")
    for k, drawn in enumerate(shape.get("figures", [])):
        figure = json.loads(drawn)
        figure["layout"]["title"] = {"text": f"{title} at {at}"}
        st.plotly_chart(figure, theme=None, key=f"figure-{k}")
    for rows, columns in shape.get("tables", []):
        values = np.arange(rows * columns, dtype=float).reshape(rows, columns) * at
        st.dataframe(pd.DataFrame(values, columns=[f"column {k}" for k in range(columns)]))
    if n := shape.get("pictures", 0):
        st.image([_picture(k) for k in range(n)], width=128)


@cache
def _picture(number: int) -> bytes:
    pixels = np.random.default_rng(number).integers(0, 255, (128, 128), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG")
    return file.getvalue()
