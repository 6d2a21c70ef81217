"""All features of one image, and of the images of several groups as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evalcore.features.synthetic.features import FeatureTable, table
from evalcore.features.synthetic.images import intensity, objects, sharpness, texture
from evalcore.features.synthetic.images.settings import ImageSettings
from evalcore.values.arrays import Floats

GREY = ("grey",)
COLOURS = ("red", "green", "blue")
LUMINANCE = np.array([0.299, 0.587, 0.114])
"""Weights of red, green and blue (ITU-R BT.601)."""
NAMES = (*intensity.NAMES, *texture.NAMES, *objects.NAMES, *sharpness.NAMES)
"""The features of a channel, in the order of a table."""


def measured(pixels: Floats, *, settings: ImageSettings | None = None, declared: bool = False) -> Floats:
    """The features of an image, one row a channel in the order of ``NAMES``.

    pixels: intensities from 0 to 1, shape (height, width) for grey or (height, width, 3) for colour; three
    equal channels are grey. declared: shape (height, width, channels) of channels that are no colours: each
    is measured by itself, whatever the settings, and equal ones are not merged.
    """
    how = settings or ImageSettings()
    if declared:
        each = [np.ascontiguousarray(pixels[..., k]) for k in range(pixels.shape[2])]
        return np.array([list(_of_channel(one, how).values()) for one in each])
    channels = channels_of(pixels)
    if how.channels == "grey" and len(channels) > 1:
        channels = [pixels @ LUMINANCE]
    return np.array([list(_of_channel(one, how).values()) for one in channels])


def channels_of(pixels: Floats) -> list[Floats]:
    """The channels of an image: one when it is grey, however it is stored, else red, green and blue."""
    if pixels.ndim == 2:
        return [pixels]
    same = np.array_equal(pixels[..., 0], pixels[..., 1]) and np.array_equal(pixels[..., 0], pixels[..., 2])
    return [np.ascontiguousarray(pixels[..., k]) for k in range(1 if same else 3)]


def _of_channel(channel: Floats, how: ImageSettings) -> dict[str, float]:
    codes = texture.quantised(channel, how.levels)
    return {
        **intensity.intensity(channel),
        **texture.texture(codes, levels=how.levels, offsets=how.offsets, angles=how.angles),
        **objects.objects(channel),
        **sharpness.sharpness(channel),
    }


def is_colour(groups: Sequence[Mapping[str, Floats]]) -> bool:
    """Whether any image of any group has more than one channel."""
    return any(len(rows) > 1 for group in groups for rows in group.values())


def as_table(
    images: Mapping[str, Floats], *, colour: bool, name: str = "", declared: Sequence[str] = ()
) -> FeatureTable:
    """The table of a group of images, by id, as `measured` gives them.

    colour: with features of red, green and blue; a grey image has those of its one channel three times.
    declared: names of the channels instead, where all images have them.
    """
    channels = tuple(declared) or (COLOURS if colour else GREY)
    names = [f"{channel}.{feature}" for channel in channels for feature in NAMES]
    rows = [np.repeat(one, len(channels) // len(one), axis=0).reshape(-1) for one in images.values()]
    values = np.array(rows).reshape(len(rows), len(names))
    return table(list(images), names, values, name=name)
