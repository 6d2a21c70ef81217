"""Changed pictures look for themselves: changes by hand, ranks by hand, ties as in random order."""

from __future__ import annotations

import csv
import json
import time
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from evalcore.cli import run
from evalcore.features.encode import augmented as module
from evalcore.features.encode.augmented import LEVELS, AugmentedRow, augmented, changed
from evalcore.features.encode.baselines import baseline_encoder, baseline_named
from evalcore.features.encode.figures import change_curves
from evalcore.figures.theme import LIGHT
from evalcore.study import open_study
from evalcore.values.errors import InputError
from tests.cli.test_names import DATA
from tests.ui.conftest import table_with


def test_changes_by_hand():
    pixels = np.arange(100, dtype=np.uint8).reshape(10, 10)
    picture = Image.fromarray(pixels)
    assert np.asarray(changed(picture, "rotated", 90)).tolist() == np.rot90(pixels).tolist()
    assert np.asarray(changed(picture, "cropped", 0.2)).tolist() == pixels[1:-1, 1:-1].tolist()
    assert np.asarray(changed(picture, "darker", 0.5)).tolist() == np.round(pixels * 0.5).tolist()
    assert changed(picture, "cropped", 0.99).size == (1, 1)


def test_ranks_by_hand():
    """Of pictures 1 and 3 of four: one has a better and an equal one beside it, one is first."""
    similar = np.array([[0.9, 0.5, 0.5, 0.1], [0.2, 0.3, 0.3, 0.8]])
    row = module._row("x", "darker", 0.1, similar, np.array([1, 3]), np.random.default_rng(0))
    assert row.first == 0.5 and row.in_ten == 1
    assert row.reciprocal_rank == pytest.approx(((1 / 2 + 1 / 3) / 2 + 1) / 2)
    equal = module._row("x", "darker", 0.1, np.ones((1, 4)), np.array([2]), np.random.default_rng(0))
    assert equal.first == 0.25 and equal.reciprocal_rank == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert (equal.ci_low, equal.ci_high) == (0.25, 0.25)


def test_an_encoder_that_a_change_does_not_touch():
    """Brightness divided out: darker pictures find themselves; the mean alone tells nothing apart."""
    study = open_study(DATA)
    usual = baseline_encoder(baseline_named("hog"))

    def small(pictures):
        return [np.asarray(picture.convert("L").resize((16, 16)), float).ravel() for picture in pictures]

    robust = replace(usual, name="robust", encode=lambda pictures: np.array(small(pictures)))
    blind = replace(usual, name="blind", encode=lambda pictures: np.ones((len(pictures), 2)))
    of = {name: augmented(study, one, n_images=12) for name, one in (("r", robust), ("b", blind))}
    assert [(row.change, row.level) for row in of["r"]] == [(c, v) for c in LEVELS for v in LEVELS[c]]
    assert all(row.first > 0.9 for row in of["r"] if row.change == "darker" and row.level <= 0.4)
    assert [row.first for row in of["b"]] == pytest.approx([1 / 160] * 15) and of["b"][0].n_candidates == 160
    with pytest.raises(InputError, match="reads captions"):
        augmented(study, replace(usual, what="captions"))


def test_command(tmp_path, capsys):
    words = ["encode", str(DATA), "--augmented", "--model", "baseline:intensity-histogram", "--n-images", "4"]
    assert run([*words, "--csv", str(tmp_path / "a.csv")]) == 0
    assert "own picture comes back first" in capsys.readouterr().out
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert len(rows) == 15 and {row["n"] for row in rows} == {"4"}
    levels = [(row["change"], float(row["level"])) for row in rows]
    assert levels == [(change, level) for change in LEVELS for level in LEVELS[change]]
    assert all(0 <= float(row["ci_low"]) <= float(row["first"]) <= float(row["ci_high"]) <= 1 for row in rows)


def test_the_curve_of_a_change_goes_through_its_rows():
    rows = [
        AugmentedRow(system, "darker", level, first - level / 2, 0.1, 0.9, 1.0, 0.5, 20, 160)
        for system, first in (("a", 0.9), ("b", 0.7))
        for level in LEVELS["darker"]
    ]
    drawn = change_curves(rows, "darker", systems=["b", "a"], theme=LIGHT)
    lines = [trace for trace in drawn.figure.data if trace.mode == "lines+markers"]
    assert [list(trace.x) for trace in lines] == [list(LEVELS["darker"])] * 2
    assert [list(trace.y) for trace in lines] == [
        [r.first for r in rows if r.system == s] for s in ("a", "b")
    ]
    assert "a finds 0.500 of the pictures again, at 0.1 0.850" in drawn.alt


def test_the_page_shows_the_numbers_of_the_command(open_app, capsys):
    words = ["encode", str(DATA), "--augmented", "--model", "baseline:intensity-histogram", "--n-images", "4"]
    assert run([*words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    link = {
        "part": "Systems",
        "changed_pictures": "open",
        "n_changed": "4",
        "encoders": "intensity-histogram",
    }
    app = open_app("pages/1_Data.py", study=DATA, link=link)
    while any("Changing pictures" in text for text in (bar.proto.text for bar in app.get("progress"))):
        time.sleep(0.2)
        app.run()
    assert not app.exception
    shown = table_with(app, "Comes back first")
    assert shown["Comes back first"].tolist() == [row["first"] for row in rows]
    assert len(app.get("plotly_chart")) == 3
