"""``synthetic score|copies|distances``: numbers from files, what people and programs read, broken inputs."""

from __future__ import annotations

import csv
import json
import re
import shlex
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import tifffile

from evalcore.cli import run
from tests.conftest import ROOT
from tests.study.made import png, write


@pytest.fixture
def call(capsys):
    """Run ``synthetic score``: code, document and messages."""

    def call(*words):
        code = run(["synthetic", "score", *map(str, words), "--json"])
        out, err = capsys.readouterr()
        return code, json.loads(out) if code == 0 else None, err

    return call


def microscopy(folder, images, axes, **metadata):
    """Images as ImageJ writes them."""
    folder.mkdir()
    for i, values in enumerate(images):
        tifffile.imwrite(folder / f"{i}.tif", values, imagej=True, metadata={"axes": axes, **metadata})
    return folder


def test_channels_of_microscopy_are_removed_and_stacks_are_projected(call, tmp_path):
    stacks = np.random.default_rng(0).integers(0, 220, (24, 3, 3, 24, 24)).astype(np.uint8)
    real = microscopy(tmp_path / "real", stacks[:, 0], "CYX", Labels=["DAPI", "GFP", "RFP"])
    deep = microscopy(tmp_path / "deep", stacks[:4], "ZCYX")
    flat = microscopy(tmp_path / "flat", stacks[:4].max(1), "CYX")
    code, document, _ = call("--real", real, "--generated", f"made={real}", "--sensitivity", "--side", 24)
    steps = {step["without"]: step for step in document["channels"]}
    assert code == 0 and len(steps) == 7 and steps["DAPI;GFP"]["ideal"] == pytest.approx(1 / 3)
    code, _, err = call("--real", real, "--generated", deep)
    assert code == 2 and "channels are channel 1, channel 2, channel 3" in err and "DAPI, GFP, RFP" in err
    code, document, err = call("--real", flat, "--generated", deep)
    assert code == 0 and "4 images are stacks of planes; the largest value over the planes" in err
    assert document["scores"][1]["mean"] == document["scores"][0]["mean"]  # the same pictures


def test_images_and_rows_that_cannot_be_read_are_named_and_left_out(call, tmp_path):
    """As on the page; a group that is lost altogether is refused (see `refusals.csv`)."""
    pictures = np.random.default_rng(0).integers(0, 256, (3, 16, 16)).astype(np.uint8)
    for group in ("real", "made"):
        write(tmp_path / group, {f"{i}.png": png(picture) for i, picture in enumerate(pictures)})
    (tmp_path / "made" / "broken.png").write_bytes(b"no picture")
    code, document, err = call("--real", tmp_path / "real", "--generated", tmp_path / "made")
    assert (
        code == 0 and "made/broken.png: broken.png is not an image of a known format; it is left out" in err
    )
    assert [row["n"] for row in document["scores"]] == [3, 3]


def test_options_reach_the_index(call, tmp_path):
    """b in tolerance, a not: of weights 3 and 1 with beta 2 that is 1 / (1 + 2 * 3)."""
    files = {"real.csv": "ID,x.a,x.b\ni0,1,1\ni1,2,2\n", "made.csv": "ID,x.b,x.a\ni0,9,1.5\ni1,,\n"}
    write(tmp_path, files | {"w.csv": "feature,weight\nx.b,3\n"})
    common = ("--real", tmp_path / "real.csv", "--generated", tmp_path / "made.csv", "--quantiles", "0,1")
    _, document, _ = call(*common, "--feature-weights", tmp_path / "w.csv", "--wsi-beta", "2")
    assert [image["wsi"] for image in document["images"]] == [pytest.approx(1 / 7), None]
    assert document["scores"][1]["mean"] == pytest.approx(1 / 7)


# The page on redoing the evaluation by Tversky: its command on pictures, numbers beside numpy's.

TEXT = (ROOT / "docs" / "papers" / "tversky.md").read_text("utf-8")


def rows_of(name):
    return list(csv.DictReader(Path(f"paper/{name}.csv").read_text().splitlines()))


def test_from_pictures_to_every_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BROWSER_PATH", "no-browser")
    rng, brightness = np.random.default_rng(0), {}
    for name, n in (("real", 40), ("generated", 12)):
        pictures = [rng.integers(0, rng.integers(100, 256), (64, 64)).astype(np.uint8) for _ in range(n)]
        brightness[name] = np.array([picture.mean() / 255 for picture in pictures])
        write(Path(name), {f"{i:02}.png": png(picture) for i, picture in enumerate(pictures)})
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
