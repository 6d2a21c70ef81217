"""Copies planted among real images: which detector finds them, and that honest groups are left alone."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from evalcore.features.synthetic.images import LUMINANCE, ImageSettings, measured
from evalcore.features.synthetic.planted import KINDS, planted, power_of_copies
from evalcore.features.synthetic.read.folders import intensities
from evalcore.values.errors import SettingError


def clouds(n, side=48):
    """Pictures of a few bright spots each."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[:side, :side]
    result = []
    for _ in range(n):
        spots = rng.uniform(0, side, (9, 2))
        result.append(
            np.clip(
                sum(np.exp(-((y - a) ** 2 + (x - b) ** 2) / 60) * rng.uniform(0.3, 1) for a, b in spots), 0, 1
            )
        )
    return result


def moments(pixels):
    """Four numbers that mirroring does not change."""
    return np.array([pixels.mean(), pixels.std(), np.quantile(pixels, 0.9), np.abs(np.diff(pixels)).mean()])


def test_copies_are_what_they_are_called():
    pixels = clouds(1)[0]
    rng = np.random.default_rng(0)
    assert planted(pixels, "exact", rng) is pixels
    assert np.array_equal(planted(pixels, "mirrored", rng)[:, ::-1], pixels)
    cut = planted(pixels, "cropped", rng)
    assert cut.shape == pixels.shape and not np.array_equal(cut, pixels)
    assert cut.min() >= 0 and cut.max() <= 1
    assert planted(np.dstack([pixels] * 3), "cropped", rng).shape == (48, 48, 3)


def test_power_and_false_alarms():
    """The hash finds every kind of copy; numbers that know nothing of the picture find none."""
    images = clouds(60)
    images[1] = images[0] * 0.9  # one picture twice: on one side of every division, or it would be an alarm
    rows = power_of_copies(images, moments, share=0.05, rounds=40)
    by = {(row.detector, row.kind): row for row in rows}
    assert [(row.copies, row.n + row.training) for row in rows] == [(2, 60)] * 9
    assert [by["hash", kind].power for kind in KINDS] == [1, 1, pytest.approx(1, abs=0.1)]
    assert by["cosine", "exact"].power == by["cosine", "mirrored"].power == 1
    assert all(row.alarms <= 0.2 and row.low <= row.power <= row.high for row in rows)
    blind = np.random.default_rng(0)
    unable = power_of_copies(images, lambda _: blind.normal(size=6), share=0.05, rounds=40)
    assert max(row.power for row in unable if row.detector == "cosine" and row.kind != "exact") < 0.3


def test_what_cannot_be_asked():
    with pytest.raises(SettingError, match="above 0 and below 1"):
        power_of_copies(clouds(2), moments, share=1)
    with pytest.raises(SettingError, match="at least 20"):
        power_of_copies(clouds(2), moments)


@pytest.mark.nightly
@pytest.mark.real
def test_one_percent_of_real_radiographs(real_dir):
    """The table of docs/results/generated-images.md: 381 X-rays, patients kept together."""
    folder = real_dir.parent / "images" / "covid"
    rows = list(csv.DictReader((folder / "metadata.csv").read_text("utf-8").splitlines()))
    rows = [row for row in rows if row["modality"] == "X-ray"]
    data = [intensities(Path(folder / row["file"]).read_bytes(), file=row["ID"], side=256) for row in rows]
    grey = [one.values if one.values.ndim == 2 else one.values @ LUMINANCE for one in data]
    how = ImageSettings(side=256)
    powers = power_of_copies(
        grey, lambda pixels: measured(pixels, settings=how)[0], groups=[r["group"] for r in rows]
    )
    by = {(row.detector, row.kind): row.power for row in powers}
    assert by["hash", "exact"] == by["hash", "mirrored"] == by["cosine", "exact"] == 1
    assert by["hash", "cropped"] > 0.8 > 0.1 > by["nearest", "exact"]
