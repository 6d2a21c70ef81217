"""Channels removed from one's own images, beside images that were saved without them; tolerances by share."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from evalcore.cli import run
from evalcore.features.synthetic.ablation import substitute_images
from evalcore.features.synthetic.evaluation.evaluate import evaluate
from evalcore.features.synthetic.evaluation.scores import WsiSettings
from evalcore.features.synthetic.features import table
from evalcore.features.synthetic.tolerance import bootstrap_bounds, tolerances
from evalcore.values.errors import SettingError

ARCHETYPES = np.array(
    [
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        [10, 12, 11, 13, 30, 12, 11, 10, 14, 12],
        [5, 5, 6, 5, 4, 5, 7, 5, 5, 5],
    ],
    float,
).T
"""Those of the specification, E.2: means 5.5, 13.5 and 5.2."""


def save(folder, images):
    folder.mkdir()
    for i, pixels in enumerate(images):
        Image.fromarray(np.rint(pixels * 255).astype(np.uint8)).save(folder / f"i{i:02d}.png")
    return str(folder)


def call(capsys, *words):
    code = run(["synthetic", *words, "--json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


def test_as_images_that_were_saved_without_the_channels(tmp_path, capsys):
    real, others = (substitute_images(24, seed=seed, side=48) for seed in (0, 1))
    folder, whole = save(tmp_path / "real", real), save(tmp_path / "others", others)
    found = call(capsys, "ablation", "--archetypes", folder, "--subjects", f"mine={whole}")
    assert found["group"] == "mine" and [step["without"] for step in found["steps"]] == [
        "",
        "red",
        "green",
        "blue",
        "red;green",
        "red;blue",
        "green;blue",
    ]
    for name, channels in (("green", [1]), ("red;blue", [0, 2])):
        without = others.copy()
        without[..., channels] = 0
        path = save(tmp_path / name.replace(";", "-"), without)
        (group,) = call(capsys, "score", "--archetypes", folder, "--subjects", f"x={path}")["groups"]
        (step,) = [one for one in found["steps"] if one["without"] == name]
        assert step["wsi"] == pytest.approx(group["mean"]) and step["n"] == 24
        assert step["ideal"] == pytest.approx(1 - len(channels) / 3)


def test_what_has_no_channels(tmp_path, capsys):
    grey = save(tmp_path / "grey", substitute_images(3, seed=0, side=32)[..., 0])
    assert run(["synthetic", "ablation", "--archetypes", grey]) == 2
    assert "one channel (grey)" in capsys.readouterr().err
    (tmp_path / "t.csv").write_text("ID,red.a,green.a\nx,1,2\ny,2,3\n")
    assert run(["synthetic", "ablation", "--archetypes", str(tmp_path / "t.csv")]) == 2
    assert "a feature table has none" in capsys.readouterr().err
    assert run(["synthetic", "ablation", "--side", "64"]) == 2
    assert "it goes with --archetypes" in capsys.readouterr().err


def test_tolerance_by_share_of_the_mean():
    """10% of 5.5, 13.5, 5.2: 4.95 to 6.05, 12.15 to 14.85, 4.68 to 5.72."""
    archetypes = table([f"a{i}" for i in range(10)], ["x", "y", "z"], ARCHETYPES)
    bounds = tolerances(archetypes, within=0.1)
    assert bounds.low == pytest.approx([4.95, 12.15, 4.68]) and bounds.high == pytest.approx(
        [6.05, 14.85, 5.72]
    )
    subjects = table(["s", "t"], ["x", "y", "z"], np.array([[5, 12, 5], [0, 13, 9.0]]))
    of = evaluate(archetypes, [subjects], settings=WsiSettings(within=0.1))
    assert of.groups[0].values == pytest.approx([2 / 3, 1 / 3])
    negative = tolerances(table(["a", "b"], ["x"], np.array([[-10.0], [-30.0]])), within=0.5)
    assert (negative.low[0], negative.high[0]) == (-30, -10)
    ends = bootstrap_bounds(archetypes, within=0.1, n_resamples=2_000)
    spread = ARCHETYPES[:, 0].std() / np.sqrt(10)  # of the mean, so of its low end 0.9 of it
    assert ends.low[:, 0] == pytest.approx(0.9 * (5.5 + 1.96 * spread * np.array([-1, 1])), rel=0.03)


@pytest.mark.parametrize("within", [0, -0.1, 1.5])
def test_shares_that_cannot_be(within):
    with pytest.raises(SettingError, match="above 0 and at most 1"):
        WsiSettings(within=within)


def test_command_takes_a_share(tmp_path, capsys):
    for name in ("a", "b"):
        rows = [f"{name}{i},{x:g},{y:g},{z:g}" for i, (x, y, z) in enumerate(ARCHETYPES)]
        (tmp_path / f"{name}.csv").write_text("ID,x,y,z\n" + "\n".join(rows) + "\n")
    words = ["--archetypes", str(tmp_path / "a.csv"), "--subjects", str(tmp_path / "b.csv")]
    found = call(capsys, "score", *words, "--quantiles", "10%", "--sensitivity")
    inside = (np.abs(ARCHETYPES - ARCHETYPES.mean(0)) <= 0.1 * ARCHETYPES.mean(0)).mean()
    assert found["settings"]["within"] == 0.1 and found["groups"][0]["mean"] == pytest.approx(inside)
    matter = found["sensitivity"]
    assert matter["shares"][0] == 0.05 and matter["by_share"][1][1] == pytest.approx(inside)
    assert run(["synthetic", "score", *words, "--quantiles", "ten%"]) == 2
    assert "no share such as 10%" in capsys.readouterr().err
    assert run(["synthetic", "score", *words, "--quantiles", "20%"]) == 0
    assert "Tolerance: +-0.2 of the mean of 10 archetype images" in capsys.readouterr().out
