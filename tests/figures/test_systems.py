"""Means, differences, groups, pairs and curves: order, values, marks, colours, and their look on a phone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore.figures.curves import leader_map, metric_curves
from evalcore.figures.lines import GAP
from evalcore.figures.maps import MapRow, pair_matrix, slice_map
from evalcore.figures.systems import GroupRow, difference_dots, leaderboard_dots, slice_forest
from evalcore.figures.theme import DARK, LIGHT, TEXT_CONTRAST, contrast, luminance, style_of
from tests.figures.conftest import MEANS, every_pair, standings, undefined
from tests.toy import comparison_of, interval_of

SYSTEMS = ["cnn", "hog", "lbp"]
BOARD = {"hog": interval_of(0.3, 0.02), "cnn": interval_of(0.5, 0.03), "lbp": interval_of(0.4, 0.01, n=12)}
PHONE = replace(LIGHT, width=340)
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def board(means=BOARD, theme=LIGHT, **more):
    return leaderboard_dots(means, metric="CUI@10", systems=list(means), theme=theme, **more).figure


def dots_of(fig) -> dict[str, tuple[float, float]]:
    """The mark in the middle of each interval."""
    return {t.name: (t.x[1], t.y[1]) for t in fig.data if t.marker.size[1] > 0}


# Means and differences.


def test_best_first_on_their_intervals_with_the_baseline_marked() -> None:
    fig = board(baseline="hog")
    assert dots_of(fig) == {"cnn": (0.5, 0), "lbp": (0.4, 1), "hog": (0.3, 2)}
    assert {t.name: (t.x[0], t.x[2]) for t in fig.data} == {n: (i.low, i.high) for n, i in BOARD.items()}
    assert fig.layout.yaxis.ticktext[2].startswith("hog<br>") and "baseline" in fig.layout.yaxis.ticktext[2]
    assert fig.layout.yaxis.range == (2.5, -0.5)
    assert fig.layout.shapes[0].x0 == fig.layout.shapes[0].x1 == 0.3 and not board().layout.shapes
    first = fig.layout.annotations[0].text
    assert first.startswith("<b>0.500</b>") and "0.470 – 0.530" in first


def test_differences() -> None:
    shown = [comparison_of("cnn", "hog", 0.1), comparison_of("lbp", "hog", -0.02)]
    fig = difference_dots(shown, systems=SYSTEMS, theme=LIGHT).figure
    assert dots_of(fig) == {"cnn": (0.1, 0), "lbp": (-0.02, 1)} and fig.layout.shapes[0].x0 == 0
    assert fig.layout.xaxis.title.text == "difference (right of 0: better than hog) · n = 40 pairs"
    assert fig.layout.xaxis.range[0] == -fig.layout.xaxis.range[1]
    assert "p = 0.020" in fig.layout.annotations[0].text and "<b>+0.100</b>" in fig.layout.annotations[0].text
    assert difference_dots(shown[:1], systems=SYSTEMS, theme=LIGHT).alt == (
        "Difference from hog, CUI@10 · mean paired difference and its 95% interval: cnn +0.100 (p = 0.020)."
    )


# Groups of queries.


def test_forest_marks_what_chance_may_explain_and_what_is_small() -> None:
    """Fewer than five queries are few; a p of .05 is not clear."""
    clear = comparison_of("cnn", "hog", 0.3)
    chance = replace(clear, p=0.03, p_corrected=0.3)
    groups = {
        "modality=CT": replace(clear, n_pairs=5),
        "modality=MRI": replace(clear, difference=-0.3, low=-0.4, high=-0.2),
        "PET": chance,
        "limit": replace(clear, p_corrected=0.05),
        "US": replace(chance, n_pairs=4),
        "none": undefined(clear),
    }
    rows = [GroupRow(name, pair, name if "=" in name else "") for name, pair in groups.items()]
    fig = slice_forest(clear, rows, by="modality", theme=LIGHT).figure
    grey, few = LIGHT.neutral, LIGHT.surface
    assert [t.marker.color for t in fig.data] == [LIGHT.up, LIGHT.up, LIGHT.down, grey, grey, few]
    assert [t.y[0] for t in fig.data] == [0, 1, 2, 3, 4, 5]
    assert [t.customdata[0] for t in fig.data] == ["", "modality=CT", "modality=MRI", "", "", ""]
    ticks = fig.layout.yaxis.ticktext
    assert ["few" in tick for tick in ticks] == [False] * 5 + [True, True] and "n = 4 · few" in ticks[5]
    beside = [note.text for note in fig.layout.annotations]
    # All queries are one test, the slices are several: their p is corrected.
    assert "p = 0.010" in beside[0] and "p = 0.020" in beside[1] and "p = 0.300" in beside[3]
    assert "+0.300" in beside[0] and "no value" in beside[6]
    untested = slice_forest(clear, rows, by="modality", theme=LIGHT, tested=False).figure.layout.annotations
    assert "−0.400 to −0.200" in untested[2].text and not any("p = " in note.text for note in untested)


def test_map_frames_what_is_clearly_better() -> None:
    """PET has a higher mean under b, too, but nothing says that the difference is clear."""
    rows = [
        MapRow("All queries", 40, {"a": interval_of(0.5), "b": interval_of(0.4)}, "a"),
        MapRow("CT", 9, {"a": interval_of(0.2), "b": interval_of(0.3)}, "b"),
        MapRow("PET", 4, {"a": interval_of(0.1), "b": interval_of(0.2)}),
    ]
    drawn = slice_map(rows, ("a", "b"), by="modality", metric="CUI@10", theme=DARK)
    frames = [shape for shape in drawn.figure.layout.shapes if shape.type == "rect"]
    assert [(round(s.x0 + 0.46), round(s.y0 + 0.42)) for s in frames] == [(0, 0), (1, 1)]
    assert (drawn.figure.data[0].zmin, drawn.figure.data[0].zmax) == (0.1, 0.5)
    assert "n = 4 · few" in drawn.figure.layout.yaxis.ticktext[2]
    assert drawn.alt == "Each system, by modality: highest All queries and a 0.500; lowest PET and a 0.100."


# Every two systems.


def test_squares_are_row_minus_column() -> None:
    figure = pair_matrix(every_pair(tuple(MEANS)), metric="m", theme=LIGHT).figure
    means = np.array(list(MEANS.values()))
    expected = means[:, None] - means[None, :]
    np.fill_diagonal(expected, np.nan)
    assert np.array(figure.data[0].z, float) == pytest.approx(expected, nan_ok=True)
    assert (figure.data[0].zmin, figure.data[0].zmax) == pytest.approx((-0.5, 0.5)), "0 in the middle"
    texts = {
        (x, y): text
        for trace in figure.data
        if trace.type == "scatter" and trace.mode == "text"
        for x, y, text in zip(trace.x, trace.y, trace.text, strict=True)
    }
    # a star where the corrected p is below .05: not for alpha and beta, nor beta and gamma
    assert (texts[1, 0], texts[0, 1], texts[2, 1]) == ("+.100", "−.100", "+.050")
    assert (texts[3, 0], texts[0, 3], len(texts)) == ("+.500*", "−.500*", 12)


@pytest.mark.parametrize("tested", [True, False])
def test_squares_show_p_only_where_tested(tested: bool) -> None:
    figure = pair_matrix(every_pair(tuple(MEANS)), metric="m", theme=LIGHT, tested=tested).figure
    words = figure.to_json()
    assert ("corrected p" in words, ", corrected " in words) == (tested, tested)


# Curves over k, and who leads at which setting.

KS = [1, 5, 10]
CURVES = {
    "cnn": [interval_of(m) for m in (0.6, 0.5, 0.41)],
    "hog": [interval_of(m) for m in (0.7, 0.5, 0.40)],
}


def draw(theme=DARK, lines=CURVES, **options):
    return metric_curves(lines, KS, metric="P(organ)@k", systems=[*lines], theme=theme, **options).figure


def test_lines_and_bands_with_names_at_their_ends_that_do_not_overlap() -> None:
    fig = draw(baseline="hog")
    assert len(fig.data) == 4
    for band, line in zip(fig.data[::2], fig.data[1::2], strict=True):
        row, style = CURVES[line.name], style_of(line.name, [*CURVES], DARK)
        assert list(line.x) == KS and list(line.y) == [i.mean for i in row]
        assert (line.line.color, line.line.dash) == (style.colour, style.dash)
        assert list(band.x) == [1, 5, 10, 10, 5, 1]
        assert list(band.y) == [i.high for i in row] + [i.low for i in reversed(row)]
    notes = {note.text: note for note in fig.layout.annotations}
    assert set(notes) == {"cnn", "<b>hog</b>"} and (notes["cnn"].x, notes["cnn"].y) == (10, 0.41)
    plot = fig.layout.height - fig.layout.margin.t - fig.layout.margin.b
    at = [plot / fig.layout.yaxis.range[1] * note.y - note.ay for note in fig.layout.annotations]
    assert abs(at[0] - at[1]) >= GAP - 1e-9


@THEMES
def test_a_lead_too_close_to_call_is_pale_and_text_stays_legible(theme) -> None:
    cells = standings(SYSTEMS)
    fig = leader_map(cells, metric="m", systems=SYSTEMS, theme=theme, current=(0.5, 1)).figure
    fills = [shape.fillcolor for shape in fig.layout.shapes[: len(cells)]]
    away = [abs(luminance(fill) - luminance(theme.surface)) for fill in fills]
    assert max(away[2], away[5]) < min(away[0], away[1], away[3], away[4])
    for fill, ink in zip(fills, fig.data[0].textfont.color, strict=True):
        assert contrast(fill, ink) >= TEXT_CONTRAST
    assert list(fig.data[0].text)[1:3] == ["<b>A</b><br>+.100", "<b>B</b><br>+.020"]
    frame = fig.layout.shapes[-1]
    assert fig.layout.shapes[-2].line.color != frame.line.color  # one of them shows on any cell
    assert (frame.x0, frame.x1, frame.y0) == (0.54, 1.46, 0.56)


# On a phone: names over their rows, under the plot, and shortened beside cells.


LONG = ("medclip_subset_of_images", "text_tfidf_svd")


def test_names_go_over_their_rows() -> None:
    means = {name: interval_of(0.5 - 0.1 * i) for i, name in enumerate(LONG)}
    fig = board(means, PHONE, baseline=LONG[0])
    over = [note for note in fig.layout.annotations if note.x == 0]
    assert [note.text.split(" <span")[0] for note in over] == list(LONG)
    assert [note.y for note in over] == [0, 1], "each over its own row"
    inside = fig.layout.height - fig.layout.margin.t - fig.layout.margin.b
    row = inside / (fig.layout.yaxis.range[0] - fig.layout.yaxis.range[1])
    assert all((11 + 13) / 2 < note.yshift < row - (11 + 13) / 2 for note in over), "between two marks"
    assert not fig.layout.yaxis.showticklabels


def test_names_of_lines_are_a_legend_and_those_beside_cells_are_short() -> None:
    lines = dict(zip(LONG, CURVES.values(), strict=True))
    wide, phone = draw(LIGHT, lines), draw(PHONE, lines)
    assert not wide.layout.showlegend and phone.layout.showlegend
    assert [trace.name for trace in phone.data if trace.showlegend] == list(LONG)
    assert not phone.layout.annotations and len(wide.layout.annotations) == 2
    assert phone.layout.height > wide.layout.height, "the legend takes nothing from the plot"
    rows = [MapRow("a group with a long name", 40, {"x": interval_of(0.5), "y": interval_of(0.4)})]
    fig = slice_map(rows, ("x", "y"), by="modality", metric="m", theme=PHONE).figure
    head, rest = fig.layout.yaxis.ticktext[0].split("<br>")
    assert len(head) <= 15 and "n = 40" in rest
