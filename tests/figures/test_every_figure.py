"""Laws that hold for every figure: both themes, no markup from data, a title, few marks, a description."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
from dataclasses import replace

import numpy as np
import pytest
from plotly.io import to_json

import evalcore.features
import evalcore.figures
from evalcore.figures import frame
from evalcore.figures.theme import DARK, LIGHT

FAMILIES = {"interval_rows", "matrix", "lines", "bar_rows", "columns", "cloud", "nothing"}
"""What draws them; each is tried by the figures that are calls of it."""


def _figures() -> list[str]:
    """Every function of the package that returns a figure, but for the families they are calls of."""
    names = set()
    own = pkgutil.walk_packages(evalcore.figures.__path__, "evalcore.figures.")
    added = pkgutil.walk_packages(evalcore.features.__path__, "evalcore.features.")
    for info in (*own, *(feature for feature in added if ".figures" in feature.name)):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            made = getattr(value, "__annotations__", {}).get("return") if inspect.isfunction(value) else None
            if made == "AccessibleFigure" and name not in FAMILIES and not name.startswith("_"):
                names.add(name)
    return sorted(names)


FIGURES = _figures()


HOSTILE = '<img src=http://evil.example/x onerror=alert(1)><a href="http://evil.example">&amp;%{y}</a>'
OWN_MARKUP = re.compile(r"</?b>|<br>|<span style=\"[-a-z0-9#:;]*\">|</span>|<extra></extra>", re.IGNORECASE)


def texts_of(node: object, key: str = "") -> list[str]:
    """Every string plotly may show or interpret, except the ids a click carries."""
    if key == "customdata":
        return []
    if isinstance(node, dict):
        return [text for name, value in node.items() for text in texts_of(value, name)]
    if isinstance(node, (list, tuple, np.ndarray)):
        return [text for value in node for text in texts_of(value, key)]
    return [node] if isinstance(node, str) else []


def marks_of(fig: object) -> int:
    """Upper bound of the SVG marks: points of marker and bar traces, one per line or filled area."""
    count = 0
    for trace in fig.data:
        lines_only = trace.type == "scatter" and trace.mode == "lines"
        count += 1 if lines_only else len(trace.x)
    return count + len(fig.layout.annotations) + len(fig.layout.shapes)


def test_the_examples_cover_every_figure(examples) -> None:
    assert set(examples()) == set(FIGURES)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", FIGURES)
def test_own_look(examples, name: str, theme) -> None:
    drawn, empty = (draw(theme) for draw in examples()[name])
    fig, (plain, technical) = drawn.figure, drawn.how_to_read
    assert fig.layout.paper_bgcolor == theme.surface, "a saved picture is legible on any slide"
    assert fig.layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert fig.layout.font.family == theme.font and fig.layout.font.color == theme.ink
    assert fig.layout.title.text.startswith("<b>") and len(fig.layout.title.text) > 10
    assert fig.layout.height > 0 and fig.layout.width is None
    assert fig.layout.showlegend is False and marks_of(fig) <= 2_000
    assert drawn.alt.endswith(".") and len(drawn.alt) > 30 and "nan" not in drawn.alt.lower()
    assert plain != technical and plain.endswith(".") and technical.endswith(".")
    assert len(empty.figure.data) == 0
    (note,) = empty.figure.layout.annotations
    assert len(note.text) > 20 and note.font.color == theme.muted, "it says why it is empty"


SCROLLED = {"agreement_matrix", "overlap_matrix", "pair_matrix"}
"""Too wide for a phone, whose pages scroll them."""


@pytest.mark.parametrize("name", FIGURES)
def test_on_a_phone_titles_are_broken_and_the_plot_keeps_its_room(examples, monkeypatch, name: str) -> None:
    """340 of 390 pixels are left for a figure; 12-pixel letters of the page's font are about 5.4 wide.

    Pages have plotly check nothing, for speed; what it checks and corrects here is the same figure.
    """
    wide, narrow = (replace(LIGHT, width=width) for width in (1040, 340))
    example = examples()[name]
    phone = example.draw(narrow).figure
    lines = re.sub("<(?!br>)[^>]*>", "", phone.layout.title.text).split("<br>")
    assert max(map(len, lines)) <= 66
    assert name in SCROLLED or phone.layout.margin.l + phone.layout.margin.r <= 200
    assert len(phone.data) == len(example.draw(wide).figure.data), "the same marks"
    checked = [draw(theme).figure for draw in example for theme in (wide, narrow)]
    monkeypatch.setattr(frame, "CHECKED", False)
    unchecked = [draw(theme).figure for draw in example for theme in (wide, narrow)]
    for figure, sent in zip(checked, unchecked, strict=True):
        sent = json.loads(to_json(sent, validate=False))
        sent["layout"] = {key: value for key, value in sent["layout"].items() if value != []}
        assert sent == json.loads(figure.to_json())


@pytest.mark.parametrize("name", FIGURES)
def test_data_is_text_and_neither_markup_nor_a_placeholder(examples, name: str) -> None:
    """Hover templates are ours: data enters them only through the fields they name."""
    drawn = examples(HOSTILE)[name].draw(LIGHT)
    for text in texts_of(drawn.figure.to_plotly_json()):
        assert "<" not in OWN_MARKUP.sub("", text), text
    assert "<br>" not in drawn.alt and "&lt;" not in drawn.alt
    for trace in examples("%{x}")[name].draw(LIGHT).figure.data:
        template = trace.hovertemplate or ""
        assert "%{x}" not in template.replace("%{meta[0]}: %{x:.3g}", "")
