"""Colour arithmetic: contrast as WCAG 2.2 defines it, and shades that reach it."""

from __future__ import annotations

TEXT_CONTRAST = 4.5
MARK_CONTRAST = 3.0
INKS = ("#10161C", "#FFFFFF")
"""For text on a filled cell, whatever the theme."""
CIVIDIS = ("#00224E", "#414D6B", "#666970", "#898778", "#B0A473", "#D9C55C", "#FEE838")
CIVIDIS_6 = ("#00224E", "#35456C", "#666970", "#948E77", "#C8B866", "#FEE838")
"""Seven and six steps of matplotlib's cividis (Nuñez, Anderton and Renslow 2018), dark to light."""


def rgb(colour: str) -> tuple[float, float, float]:
    """Red, green, blue (0 to 1) of a ``#rrggbb`` colour."""
    if len(colour) != 7 or colour[0] != "#":
        raise ValueError(f"`colour` must look like #0072B2. Got {colour!r}.")
    return int(colour[1:3], 16) / 255, int(colour[3:5], 16) / 255, int(colour[5:7], 16) / 255


def blend(colour: str, other: str, share: float) -> str:
    """``share`` (0 to 1) of ``other`` mixed into ``colour``, per sRGB channel."""
    mixed = (a + share * (b - a) for a, b in zip(rgb(colour), rgb(other), strict=True))
    return "#" + "".join(f"{round(255 * channel):02X}" for channel in mixed)


def faded(colour: str, opacity: float) -> str:
    """The colour as ``rgba(...)`` text, for fills that let the grid shine through."""
    red, green, blue = (round(255 * channel) for channel in rgb(colour))
    return f"rgba({red},{green},{blue},{opacity:g})"


def luminance(colour: str) -> float:
    """Relative luminance, 0 (black) to 1 (white): WCAG 2.2, "relative luminance"."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour: str, surface: str) -> float:
    """Contrast ratio of two colours, 1 (equal) to 21 (black on white).

    >>> contrast("#000000", "#FFFFFF")
    21.0
    """
    lighter, darker = sorted((luminance(colour), luminance(surface)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def ink_on(fill: str) -> str:
    """Which of the `INKS` stands out more on a fill."""
    return max(INKS, key=lambda ink: contrast(ink, fill))


def scale_of(*colours: str) -> list[list[object]]:
    """Colours at equal distances as plotly's ``colorscale``."""
    return [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]


def readable(colour: str, surface: str, ratio: float) -> str:
    """The nearest shade of ``colour`` that reaches ``ratio`` against ``surface``.

    Towards black on a light surface, towards white on a dark one, in steps of 2%; the colour itself
    when it is readable already.
    """
    far = "#000000" if luminance(surface) > 0.18 else "#FFFFFF"
    shades = (blend(colour, far, step / 50) for step in range(51))
    return next((shade for shade in shades if contrast(shade, surface) >= ratio), far)
