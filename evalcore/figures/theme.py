"""The colours and the font of every figure: two themes, and the fixed look of each system.

Data colours are those of Okabe and Ito (2008), which stay apart under the common colour-vision
deficiencies, plus violet and wine. A shade that is too faint for its background keeps its fill and
gets a darker (or lighter) edge and line of the same hue, so marks reach 3:1 and text 4.5:1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath
from types import MappingProxyType
from typing import Literal
from zlib import crc32

from evalcore.relevance.registry import RELEVANCE

# Colour arithmetic: contrast as WCAG 2.2 defines it, and shades that reach it.

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


@lru_cache(maxsize=1024)
def readable(colour: str, surface: str, ratio: float) -> str:
    """The nearest shade of ``colour`` that reaches ``ratio`` against ``surface``.

    Towards black on a light surface, towards white on a dark one, in steps of 2%; the colour itself
    when it is readable already.
    """
    far = "#000000" if luminance(surface) > 0.18 else "#FFFFFF"
    shades = (blend(colour, far, step / 50) for step in range(51))
    return next((shade for shade in shades if contrast(shade, surface) >= ratio), far)


FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", "Segoe UI", system-ui, sans-serif'
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "pentagon", "star")
DASHES = ("solid", "7px,3px", "2px,3px", "9px,3px,2px,3px", "14px,4px", "5px,2px,2px,2px,2px,2px", "11px,2px")
VIRTUAL = ("@iou", "@nn-iou", *(f"@{name}" for name in RELEVANCE if name not in {"iou", "nn-iou"}))
"""Relevance measures used as systems; their looks never depend on the study's own systems."""
_VIRTUAL_PLACE, _OWN_RANKING, _UNKNOWN_PLACE = 69, 30, 49
"""Places in the palette: of ``@iou`` (the next ones before it), from a system to its ranking by vectors, and
of an unknown name."""


NARROW = 380
"""Pixels of width, as on a phone: below, names have no room beside their rows."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of one theme, all ``#rrggbb``.

    ``surface`` is the page the transparent figure lies on and ``raised`` a card on it; ``tile`` the
    near-black behind medical images, the same in both themes; ``up``, ``down`` and ``neutral`` the
    two directions of a difference and its zero; ``own`` the three data colours that are not
    Okabe and Ito's. ``width``: pixels that a figure has at least; it breaks titles, and where it is `narrow`
    names are written over their rows.
    """

    name: Literal["light", "dark"]
    surface: str
    raised: str
    ink: str
    muted: str
    grid: str
    accent: str
    tile: str
    up: str
    down: str
    neutral: str
    own: tuple[str, str, str]
    font: str = FONT
    width: int = 900
    reads: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    """What the systems of the study on view look at, by name; their order gives colours, see `style_of`."""
    places: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    """In the palette, from 0, of groups whose colours follow no order of names."""

    @property
    def narrow(self) -> bool:
        """Whether figures are as narrow as a phone."""
        return self.width < NARROW


LIGHT = Theme(
    name="light",
    surface="#FFFFFF",
    raised="#F4F7F8",
    ink="#17212B",
    muted="#56626D",
    grid="#E3E8EC",
    accent="#0B6E6E",
    tile="#0B0D10",
    up="#0072B2",
    down="#C06A00",
    neutral="#808B95",
    own=("#17212B", "#332288", "#882255"),
)
DARK = Theme(
    name="dark",
    surface="#0E1117",
    raised="#1A2029",
    ink="#E9EEF2",
    muted="#A5B0BA",
    grid="#2B333D",
    accent="#4DB6AC",
    tile="#0B0D10",
    up="#4FA3DC",
    down="#E69F00",
    neutral="#7A8691",
    own=("#F2F5F7", "#8866EE", "#AA4466"),
)
THEMES: Mapping[str, Theme] = MappingProxyType({"light": LIGHT, "dark": DARK})


# --------------------------------------------------------------------------- systems


@dataclass(frozen=True, slots=True)
class SystemStyle:
    """How one system looks: ``colour`` for lines, bars and edges of markers (3:1 against the page), ``fill``
    within them, ``text`` for its name (4.5:1), ``symbol`` and ``dash`` as the second cue."""

    name: str
    colour: str
    fill: str
    text: str
    symbol: str
    dash: str

    def line(self, width: float) -> dict[str, object]:
        """plotly's ``line`` of a trace."""
        return {"color": self.colour, "width": width, "dash": self.dash}

    def marker(self, size: int, edge: float = 1.5) -> dict[str, object]:
        """plotly's ``marker`` of a trace; ``edge``: how wide that is."""
        line = {"color": self.colour, "width": edge}
        return {"size": size, "color": self.fill, "symbol": self.symbol, "line": line}


def categorical(theme: Theme) -> tuple[str, ...]:
    """The ten data colours of a theme, as filled marks."""
    return OKABE_ITO + theme.own


def plain_style(name: str, colour: str, theme: Theme, symbol: str = "circle") -> SystemStyle:
    """The look of what is no system: a measure, a group, or a direction, in a colour of ours."""
    line, text = (readable(colour, theme.surface, ratio) for ratio in (MARK_CONTRAST, TEXT_CONTRAST))
    return SystemStyle(name, line, colour, text, symbol, DASHES[0])


def _position(name: str, real: Sequence[str], theme: Theme) -> int:
    """Place in the palette: of a system of the study, also of a file of its results, by the order of names
    among them all, unless the theme has another."""
    if name in theme.places:
        return theme.places[name]
    known = name if name in theme.reads else PurePath(name).stem
    if known in theme.reads:
        return sorted(theme.reads).index(known)
    if name in real:
        return real.index(name)
    if name in VIRTUAL:
        return (_VIRTUAL_PLACE - VIRTUAL.index(name)) % 90
    source = name.removeprefix("@cosine:")
    if source in real:
        return _position(source, real, theme) + _OWN_RANKING
    # A fused system, or a relevance with weights, has the same look in every study and company, and other
    # ones mostly another.
    place = crc32(name.encode("utf-8", "surrogatepass")) % 90
    of_its_own = (":" in name and name[0] != "@") or name.endswith("]")
    return place if of_its_own else _UNKNOWN_PLACE


def pair_of(a: str, b: str, theme: Theme) -> tuple[str, str]:
    """The colours of two systems that are compared: their own, as on every page; those of the two directions
    where the theme knows no systems, or both have the same. What is no system (a mean of others) is grey."""
    known = (*theme.reads, *theme.places)
    first, second = (
        theme.muted
        if name not in known and not name.startswith("@") and ":" not in name
        else style_of(name, known, theme).colour
        for name in (a, b)
    )
    return (theme.up, theme.down) if not known or first == second else (first, second)


def style_of(name: str, systems: Sequence[str], theme: Theme) -> SystemStyle:
    """The style of one system, whatever is selected: by the place that the theme has for it, else by its
    place among the study's systems.

    ``name``: a system of the study or a virtual one such as ``@iou``. ``systems``: all systems of the study;
    more than ten share colours but not colour and symbol.
    """
    real = sorted(s for s in systems if not s.startswith("@"))
    place = _position(name, real, theme)
    colours = categorical(theme)
    fill = colours[place % len(colours)]
    line = readable(fill, theme.surface, MARK_CONTRAST)
    return SystemStyle(
        name,
        line,
        fill,
        readable(fill, theme.surface, TEXT_CONTRAST),
        SYMBOLS[place % len(SYMBOLS)],
        DASHES[place % len(DASHES)],
    )
