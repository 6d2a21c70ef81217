"""Contrast and colour-vision rules over every colour that a figure uses."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from evalcore.figures.theme import DARK, LIGHT, OKABE_ITO, blend, categorical, contrast, rgb, style_of

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])

# Machado, Oliveira and Fernandes (2009), severity 1.0, linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
# Ottosson (2020), OKLab.
TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def seen_as(colour: str, vision: str) -> np.ndarray:
    """OKLab coordinates of a colour under one kind of colour vision."""
    srgb = np.array(rgb(colour))
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return TO_LAB @ np.cbrt(TO_LMS @ np.clip(VISION[vision] @ linear, 0, 1))


def styles_of(systems, theme):
    """{name: style} of real systems and some virtual ones."""
    names = [*systems, "@iou", "@nn-iou", *(f"@cosine:{name}" for name in systems)]
    return {name: style_of(name, systems, theme) for name in names}


@THEMES
def test_text_reaches_a_contrast_of_4_5_and_marks_of_3(theme) -> None:
    for surface in (theme.surface, theme.raised):
        assert min(contrast(theme.ink, surface), contrast(theme.muted, surface)) >= 4.5
    assert contrast(theme.surface, theme.accent) >= 4.5, "digits on the dots of the match matrix"
    pale = blend(theme.accent, theme.surface, 0.3)
    for colour in (theme.accent, theme.up, theme.down, theme.neutral, pale):
        assert contrast(colour, theme.surface) >= 3
    for style in styles_of([f"s{i}" for i in range(10)], theme).values():
        assert contrast(style.text, theme.surface) >= 4.5 and contrast(style.colour, theme.surface) >= 3


@THEMES
def test_ten_colours_stay_apart_under_every_colour_vision(theme) -> None:
    """0.07 in OKLab is about 3.5 just noticeable differences (0.02 each)."""
    assert len(set(categorical(theme))) == 10 and categorical(theme)[:7] == OKABE_ITO
    for vision in VISION:
        assert np.linalg.norm(seen_as(theme.up, vision) - seen_as(theme.down, vision)) > 0.1, vision
        for a, b in combinations(categorical(theme), 2):
            assert np.linalg.norm(seen_as(a, vision) - seen_as(b, vision)) > 0.07, (vision, a, b)


def test_colour_follows_the_name_not_the_selection() -> None:
    study = ["hog", "cnn", "lbp", "text"]
    colours = {name: style.fill for name, style in styles_of(study, LIGHT).items()}
    # Sorted: cnn, hog, lbp, text take blue, orange, green, vermilion.
    assert [colours[name] for name in ("cnn", "hog", "lbp", "text")] == list(OKABE_ITO[:4])
    for name in ("cnn", "text", "@iou", "@nn-iou", "@cosine:hog"):
        assert style_of(name, list(reversed(study)), LIGHT) == styles_of(study, LIGHT)[name]
    # A virtual system neither takes a colour of a real one nor moves when another is chosen.
    assert style_of("hog", [*study, "@iou"], LIGHT) == style_of("hog", study, LIGHT)
    more = styles_of([*study, "aaa", "zzz"], LIGHT)
    assert all(more[name] == style_of(name, study, LIGHT) for name in ("@iou", "@nn-iou"))
    assert {colours["@iou"], colours["@nn-iou"]} == set(categorical(LIGHT)[-2:])


def test_a_file_of_a_systems_results_has_the_style_of_the_system() -> None:
    systems = ("caption-tfidf", "hog", "intensity-histogram", "pixel-pca", "texture")
    theme = replace(LIGHT, reads=dict.fromkeys(systems, ()))
    runs = ("caption-tfidf.csv", "damaged.csv", "hog.csv", "intensity-histogram.csv")
    for name in ("hog", "intensity-histogram"):
        system, run = style_of(name, systems, theme), style_of(f"{name}.csv", runs, theme)
        assert (run.colour, run.symbol) == (system.colour, system.symbol)
