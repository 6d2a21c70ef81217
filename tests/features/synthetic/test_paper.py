"""The page on redoing the evaluation by Tversky: its command on pictures, numbers beside numpy's."""

from __future__ import annotations

import csv
import re
import shlex
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from evalcore.cli import run

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "papers" / "tversky.md").read_text("utf-8")


def rows_of(name):
    return list(csv.DictReader(Path(f"paper/{name}.csv").read_text().splitlines()))


def test_from_pictures_to_every_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BROWSER_PATH", "no-browser")
    rng, brightness = np.random.default_rng(0), {}
    for name, n in (("real", 40), ("generated", 12)):
        Path(name).mkdir()
        pictures = [rng.integers(0, rng.integers(100, 256), (64, 64)).astype(np.uint8) for _ in range(n)]
        brightness[name] = np.array([picture.mean() / 255 for picture in pictures])
        for i, picture in enumerate(pictures):
            Image.fromarray(picture).save(f"{name}/{i:02}.png")
    ids = sorted(path.stem for path in Path("generated").iterdir())
    pairs = [f"{a},{b},{a},{rater}" for a, b in pairwise(ids) for rater in ("anna", "ben")]
    Path("people.csv").write_text("\n".join(["first,second,better,rater", *pairs]))
    (block,) = re.findall(r"^```sh\n(.*?)^```", TEXT, flags=re.S | re.M)
    assert run(shlex.split(block.replace("\\\n", " "))[1:]) == 0
    assert "BROWSER_PATH" in capsys.readouterr().err
    named = {*re.findall(r"`([\w-]+\.csv)`", TEXT)}
    assert {path.name for path in Path("paper").iterdir()} == named - {"people.csv", "channels.csv"}
    values = np.array([float(row["wsi"]) for row in rows_of("image-scores")])
    real, held_out, group = rows_of("scores")
    assert (real["name"], held_out["name"], group["name"]) == ("real", "real, held out", "gan")
    assert float(group["mean"]) == pytest.approx(values.mean()) and int(group["n"]) == len(ids)
    assert float(group["median"]) == pytest.approx(np.median(values))
    (wsi, *_), confusion = rows_of("pairs"), rows_of("confusion")[0]
    assert float(wsi["agreement"]) == pytest.approx(np.mean(values[:-1] > values[1:]), abs=1e-12)
    assert int(wsi["n"]) == len(pairs) == sum(int(confusion[name]) for name in ("first", "second", "tie"))
    (mean,) = [row for row in rows_of("features") if row["feature"] == "grey.mean"]
    low, high = np.quantile(brightness["real"], [0.05, 0.95])
    assert [float(mean["low"]), float(mean["high"])] == pytest.approx([low, high])
    share = np.mean((low <= brightness["generated"]) & (brightness["generated"] <= high))
    assert float(mean["share gan"]) == pytest.approx(share)
