"""Figures on a phone: names over their rows, under the plot and shortened beside cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalcore.figures.curves import metric_curves
from evalcore.figures.maps import MapRow, slice_map
from evalcore.figures.systems import leaderboard_dots
from evalcore.figures.theme import LIGHT
from tests.figures.conftest import interval

PHONE = replace(LIGHT, width=340)
NAMES = ("medclip_subset_of_images", "text_tfidf_svd")


def test_names_go_over_their_rows() -> None:
    fig = leaderboard_dots(
        {name: interval(0.5 - 0.1 * i) for i, name in enumerate(NAMES)},
        metric="m",
        systems=NAMES,
        theme=PHONE,
        baseline=NAMES[0],
    ).figure
    over = [note for note in fig.layout.annotations if note.x == 0]
    assert [note.text.split(" <span")[0] for note in over] == list(NAMES)
    assert [note.y for note in over] == [0, 1], "each over its own row"
    inside = fig.layout.height - fig.layout.margin.t - fig.layout.margin.b
    row = inside / (fig.layout.yaxis.range[0] - fig.layout.yaxis.range[1])
    for note in over:
        top, bottom = note.yshift + 13 / 2, note.yshift - 13 / 2
        assert bottom > 11 / 2, "above the mark"
        assert top < row - 11 / 2, "below the mark of the row before"
    assert not fig.layout.yaxis.showticklabels


def test_names_of_lines_are_a_legend() -> None:
    curves = {name: [interval(0.5), interval(0.4)] for name in NAMES}
    wide, phone = (
        metric_curves(curves, (1, 10), metric="m", systems=NAMES, theme=theme).figure
        for theme in (LIGHT, PHONE)
    )
    assert not wide.layout.showlegend and phone.layout.showlegend
    assert [trace.name for trace in phone.data if trace.showlegend] == list(NAMES)
    assert not phone.layout.annotations and len(wide.layout.annotations) == 2
    assert phone.layout.height > wide.layout.height, "the legend takes nothing from the plot"


def test_names_beside_cells_are_shortened_and_keep_their_numbers() -> None:
    rows = [MapRow("a group with a long name", 40, {"x": interval(0.5), "y": interval(0.4)})]
    fig = slice_map(rows, ("x", "y"), by="modality", metric="m", theme=PHONE).figure
    (tick,) = fig.layout.yaxis.ticktext
    head, rest = tick.split("<br>")
    assert len(head) <= 15 and "n = 40" in rest
    assert np.shape(fig.data[0].z) == (1, 2)
