"""The frame: download button, title, empty figure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evalcore.figures.frame import empty_figure, figure, modebar
from evalcore.figures.theme import DARK, LIGHT


def test_modebar_saves_svg_or_png() -> None:
    assert modebar()["toImageButtonOptions"]["format"] == "svg" and modebar()["displaylogo"] is False
    saved = modebar("wins", "png")["toImageButtonOptions"]
    assert saved == {"format": "png", "filename": "wins", "scale": 3}


def test_title_wraps_and_the_margin_grows_with_it() -> None:
    column = replace(LIGHT, width=400)
    one = figure(theme=column, height=100, title="Short")
    two = figure(theme=column, height=100, title="word " * 24, subtitle="below")
    assert "<br>" not in one.layout.title.text and two.layout.title.text.count("<br>") == 3
    screen = figure(theme=replace(LIGHT, width=1000), height=100, title="word " * 24, subtitle="below")
    assert screen.layout.title.text.count("<br>") == 1, "only between title and subtitle"
    assert two.layout.margin.t > one.layout.margin.t
    for fig in (one, two):
        assert fig.layout.height == 100 + fig.layout.margin.t + fig.layout.margin.b


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_empty_figure(theme) -> None:
    fig = empty_figure("No <run> & nothing else.", theme=theme, height=120)
    assert fig.layout.annotations[0].text == "No &lt;run&gt; &amp; nothing else."
    assert fig.layout.xaxis.visible is False
