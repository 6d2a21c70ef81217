"""Near copies among pictures, and the altered copies of the demonstration."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from evalcore.features.synthetic.copies import ABOUT, ALTERATIONS, altered, near_copies
from evalcore.values.errors import InputError, UnknownName


def picture(seed):
    values = np.random.default_rng(seed).integers(0, 255, (9, 9)).astype(np.uint8)
    return Image.fromarray(values).resize((90, 90), Image.Resampling.BICUBIC)


def broken():
    raise InputError("no picture")


def test_copies_of_training_pictures_and_of_each_other():
    smaller = picture(1).resize((60, 60))
    pictures = [
        lambda: picture(1),
        lambda: picture(2),
        lambda: smaller,
        lambda: picture(3),
        lambda: picture(3),
        broken,
    ]
    found = near_copies(pictures, np.array([False, False, True, True, True, True]))
    assert {(one.first, one.second, one.of_training) for one in found.pairs} == {(2, 0, True), (3, 4, False)}
    assert (found.n_read, found.n) == (5, 6)


def test_training_pictures_alike_are_nobodys_copies():
    assert near_copies([lambda: picture(1)] * 2, np.array([False, False])).pairs == ()


@pytest.mark.parametrize("kind", ALTERATIONS)
def test_alterations_are_the_same_every_time_and_within_range(kind):
    pixels = np.random.default_rng(0).random((30, 20, 3))
    first, again = (altered(pixels, kind, image="a") for _ in range(2))
    assert np.array_equal(first, again) and first.shape == pixels.shape and not np.array_equal(first, pixels)
    assert first.min() >= 0 and first.max() <= 1 and kind in ABOUT


def test_what_each_takes_away():
    grey, colour = np.full((9, 9), 0.5), np.random.default_rng(0).random((9, 9, 3))
    assert altered(grey, "too dark", image="a")[0, 0] == pytest.approx(0.275)
    assert altered(grey, "blurred", image="a") == pytest.approx(grey)
    assert not altered(colour, "part missing", image="a")[..., 0].any()
    assert altered(grey, "part missing", image="a")[:6].all()
    one, two = (altered(grey, "noisy", image="a", copy=i) for i in range(2))
    assert not np.array_equal(one, two)
    with pytest.raises(UnknownName):
        altered(grey, "sepia", image="a")
