"""The ablation figures say what they are given: pale cells, frames, rings, names apart."""

from __future__ import annotations

import pytest

from evalcore.figures.curves import leader_map, tau_map, threshold_style
from evalcore.figures.lines import Line
from evalcore.figures.theme import DARK, LIGHT, MARK_CONTRAST, TEXT_CONTRAST, contrast, luminance
from tests.figures.ablation_examples import interval, standing, standings

NAMES = ("amber", "birch", "cedar")


def lines(theme, means=(0.4, 0.5, 0.45)):
    return [Line("1 step", [interval(m) for m in means], threshold_style(1, theme), bold=True)]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_thresholds_stay_apart_and_legible(theme):
    styles = [threshold_style(n, theme) for n in range(5)]
    assert all(contrast(s.colour, theme.surface) >= MARK_CONTRAST for s in styles)
    assert all(contrast(s.text, theme.surface) >= TEXT_CONTRAST for s in styles)
    for field in ("name", "colour", "symbol", "dash"):
        assert len({getattr(s, field) for s in styles}) == 5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_lead_too_close_to_call_is_pale_and_text_stays_legible(theme):
    cells = standings(NAMES)
    fig = leader_map(cells, metric="m", systems=NAMES, theme=theme, current=(0.5, 1)).figure
    fills = [shape.fillcolor for shape in fig.layout.shapes[: len(cells)]]
    away = [abs(luminance(fill) - luminance(theme.surface)) for fill in fills]
    assert max(away[2], away[5]) < min(away[0], away[1], away[3], away[4])
    for fill, ink in zip(fills, fig.data[0].textfont.color, strict=True):
        assert contrast(fill, ink) >= TEXT_CONTRAST
    assert list(fig.data[0].text)[1:3] == ["<b>A</b><br>+.100", "<b>B</b><br>+.020"]
    frame = fig.layout.shapes[-1]
    assert fig.layout.shapes[-2].line.color != frame.line.color  # one of them shows on any cell
    assert (frame.x0, frame.x1, frame.y0) == (0.54, 1.46, 0.56)


def test_a_map_of_one_value_is_a_sentence():
    cells = standings(NAMES)
    assert not tau_map(cells, cells[0], metric="m", theme=LIGHT).constant
    same = [cell for cell in cells if cell.order == cells[0].order]
    drawn = tau_map(same, cells[0], metric="m", theme=LIGHT)
    assert drawn.constant and drawn.alt == "m: the ranking is the same at all 4 settings."


def test_nobody_leads_where_the_first_two_are_level():
    cells = [standing(NAMES, (0.5, 0.5, 0.2), lead=0.0, half=0.0, alpha=0.0), standings(NAMES)[1]]
    fig = leader_map(cells, metric="m", systems=NAMES, theme=LIGHT).figure
    assert fig.data[0].text[0] == "<b>=</b>" and fig.layout.shapes[0].fillcolor == LIGHT.raised
    assert "=: tied" in fig.layout.title.text
    assert leader_map(cells, metric="m", systems=NAMES, theme=LIGHT).alt == (
        "m over 2 settings: amber leads at 1, the first two are tied at 1; 0 of them too close to call."
    )
