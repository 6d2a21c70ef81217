"""The page on redoing the evaluation by Tversky, from folders of real radiographs to its files."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from evalcore.cli import run

PAGE = Path(__file__).resolve().parents[3] / "docs" / "papers" / "tversky.md"
ENDINGS = re.compile(r"`([\w-]+)(\.csv|\.svg)`(, `\.svg`)?")


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.mark.real
def test_from_radiographs_to_every_table(images_dir, tmp_path, monkeypatch, capsys):
    """Chest X-rays of some patients as real images, of others as generated ones; numbers beside numpy's."""
    folder = images_dir / "covid"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BROWSER_PATH", "no-browser")
    monkeypatch.setenv("CUISCOPE_HOME", str(tmp_path / "home"))
    rows = [row for row in rows_of(folder / "metadata.csv") if row["modality"] == "X-ray"]
    patients = sorted({row["group"] for row in rows})
    for name, some in (("real", patients[::4]), ("generated", patients[1::4])):
        Path(name).mkdir()
        for row in [row for row in rows if row["group"] in set(some)][:36]:
            shutil.copy(folder / row["file"], name)
    text = PAGE.read_text("utf-8")
    ids = sorted(path.stem for path in Path("generated").iterdir())
    pairs = [f"{a},{b},{a},{rater}" for a, b in pairwise(ids) for rater in ("anna", "ben")]
    Path("people.csv").write_text("\n".join(["first,second,better,rater", *pairs]))
    for block in re.findall(r"^```sh\n(.*?)^```", text, flags=re.S | re.M):
        for line in block.replace("\\\n", " ").splitlines():
            assert run(shlex.split(line)[1:]) == 0, line
    printed = capsys.readouterr()
    assert "BROWSER_PATH" in printed.err and "Traceback" not in printed.err
    named = {f"{stem}.csv" for stem, end, _ in ENDINGS.findall(text) if end == ".csv"}
    assert {path.name for path in Path("paper").iterdir()} == named - {"people.csv", "channels.csv"}

    values = np.array([float(row["wsi"]) for row in rows_of(Path("paper/image-scores.csv"))])
    real, held_out, group = rows_of(Path("paper/scores.csv"))
    assert (real["name"], held_out["name"], group["name"]) == ("real", "real, held out", "gan")
    assert float(group["mean"]) == pytest.approx(values.mean()) and int(group["n"]) == len(ids)
    assert float(group["median"]) == pytest.approx(np.median(values))
    assert float(real["mean"]) > float(held_out["mean"])
    (wsi, *_), confusion = rows_of(Path("paper/pairs.csv")), rows_of(Path("paper/confusion.csv"))
    assert float(wsi["agreement"]) == pytest.approx(np.mean(values[:-1] > values[1:]), abs=1e-12)
    assert int(wsi["n"]) == len(pairs) == sum(int(confusion[0][name]) for name in ("first", "second", "tie"))

    # One feature from the pictures themselves: their mean brightness, which scaling hardly changes.
    real, own = (
        np.array([np.asarray(Image.open(path).convert("L")).mean() / 255 for path in Path(name).iterdir()])
        for name in ("real", "generated")
    )
    (mean,) = [row for row in rows_of(Path("paper/features.csv")) if row["feature"] == "grey.mean"]
    low, high = np.quantile(real, [0.05, 0.95])
    assert [float(mean["low"]), float(mean["high"])] == pytest.approx([low, high], abs=0.005)
    assert float(mean["share gan"]) == pytest.approx(
        np.mean((low <= own) & (own <= high)), abs=2.5 / len(ids)
    )
    settings = [row for row in rows_of(Path("paper/sensitivity.csv")) if row["what"] == "share of the mean"]
    means = [float(row["mean gan"]) for row in sorted(settings, key=lambda row: float(row["setting"]))]
    assert means == sorted(means), "wider tolerances, higher scores"
