"""Which images does a system think alike? Every image as a mark in the plane, coloured by label or score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.figures.frame import Drawn, Parts, Reading, axis, figure, nothing
from evalcore.figures.marks import note, scatter
from evalcore.figures.theme import CIVIDIS, MARK_CONTRAST, SYMBOLS, Theme, categorical, readable, scale_of
from evalcore.values.arrays import Bools, Floats
from evalcore.values.writing import number, pluralize, safe, short

HOW_TO_READ = Reading(
    "Marks close together are images that look similar to the system. Draw around images to list them below.",
    "Vectors at length 1, as a ranking by cosines sees them, in two dimensions: distances are approximate, "
    "and what is close together here may differ in the other dimensions. Lasso or box selects images.",
)
MOST = 1_900
"""Marks at most: SVG stays fluid, and each can be chosen."""
VALUES = 8
"""Values of a label with a look of their own, the most frequent ones."""
SIDE, KEY, NAME = 460, 150, 18
GLYPHS = dict(zip(SYMBOLS, "●■◆▲▼✚✖⬟★", strict=True))
NO_VALUE, OTHERS, SEVERAL = "no value", "other values", "several values"


def image_map(
    ids: Sequence[str],
    places: Floats,
    *,
    by: str,
    labels: Sequence[Sequence[str]] | None = None,
    values: Floats | None = None,
    system: str,
    axes: tuple[str, str],
    note: str = "",
    theme: Theme,
) -> Drawn:
    """Images in the plane; a mark carries the image's id.

    ``ids``, ``places``: aligned, at most `MOST` of them; shape (n, 2). ``by``: what the colour stands for: a
    label column or a measure. ``labels``, ``values``: one of the two, aligned: values of the label, none to
    many per image; or scores, NaN for none. ``axes``: their titles. ``note``: of the subtitle: how many
    images are drawn, and how many cannot be.
    """
    if not len(ids):
        return nothing(f"No image has a vector of {system}.", HOW_TO_READ, theme=theme)
    if values is not None:
        traces, key, take_away = _by_score(ids, places, values, by, theme)
    else:
        traces, key, take_away = _by_label(ids, places, labels or [()] * len(ids), by, theme)
    blank: Parts = {"showticklabels": False, "automargin": False, "nticks": 6}
    drawn = figure(
        theme=theme,
        height=SIDE,
        title=f"Images by {short(system, 30)}, coloured by {short(by, 30)}",
        subtitle=note,
        dragmode="lasso",
        left=30,
        right=8 if theme.narrow else KEY,
        bottom=36 + (20 * len(key) if theme.narrow else 0),
        traces=traces,
        notes=key,
        x=axis(theme, title=safe(axes[0]), **blank),
        y=axis(theme, title=safe(axes[1]), **blank),
    )
    return Drawn(
        drawn, f"{pluralize(len(ids), 'image')} by the vectors of {system}, {take_away}.", HOW_TO_READ
    )


def _by_score(
    ids: Sequence[str], places: Floats, values: Floats, by: str, theme: Theme
) -> tuple[list[Parts], list[Parts], str]:
    """From blue for the lowest to yellow for the highest score; grey and open without one."""
    known = np.isfinite(values)
    traces, text = [], f"coloured by {by}: none has a value"
    if known.any():
        low, high = float(values[known].min()), float(values[known].max())
        hover = [
            f"{safe(ids[i])}<br>{safe(by)} {number(float(values[i]))}" for i in np.flatnonzero(known).tolist()
        ]
        bar = {
            "title": {"text": safe(short(by, NAME)), "font": {"size": 12, "color": theme.muted}},
            "thickness": 12,
            "len": 0.6,
            "outlinewidth": 0,
            "tickfont": {"color": theme.muted},
            "nticks": 5,
        }
        look = {
            "color": values[known],
            "colorscale": scale_of(*CIVIDIS),
            "cmin": low,
            "cmax": max(high, low + 1e-9),
            "colorbar": bar,
            "size": 8,
            "line": {"color": theme.surface, "width": 0.75},
        }
        traces.append(_marks(ids, places, known, hover, look))
        text = f"coloured by {by} from {number(low)} to {number(high)}"
    if not known.all():
        traces.append(
            _marks(ids, places, ~known, [safe(ids[i]) for i in np.flatnonzero(~known).tolist()], _open(theme))
        )
        text += f", {int((~known).sum()):,} without a value"
    return traces, [], text


def _by_label(
    ids: Sequence[str], places: Floats, labels: Sequence[Sequence[str]], by: str, theme: Theme
) -> tuple[list[Parts], list[Parts], str]:
    """A colour and a shape per value, the most frequent first; the key stands beside the plot."""
    of = np.array([label[0] if len(label) == 1 else "" for label in labels], object)
    names, amounts = np.unique([name for name in of if name], return_counts=True)
    first = [str(names[i]) for i in np.lexsort((names, -amounts))][:VALUES]
    sizes = np.array([len(label) for label in labels])
    kinds = [(name, of == name) for name in first]
    kinds += [
        (OTHERS, (sizes == 1) & ~np.isin(of.astype(str), first)),
        (SEVERAL, sizes > 1),
        (NO_VALUE, sizes == 0),
    ]
    traces: list[Parts] = []
    key: list[Parts] = []
    for place, (name, rows) in enumerate(kinds):
        if not rows.any():
            continue
        own = place < len(first)
        look = _open(theme) if not own else _look(place, theme)
        which: list[int] = np.flatnonzero(rows).tolist()
        said_of = [", ".join(labels[i]) or NO_VALUE for i in which]
        hover = [f"{safe(ids[i])}<br>{safe(text)}" for i, text in zip(which, said_of, strict=True)]
        traces.append(_marks(ids, places, rows, hover, look))
        glyph, colour = (GLYPHS[look["symbol"]], look["line"]["color"]) if own else ("○", theme.muted)
        key.append(_key(f"{short(name, NAME)} ({len(which):,})", glyph, colour, len(key), theme))
    top = f"{first[0]} is the most frequent value" if first else "none has a single value"
    return traces, key, f"coloured by {by}: {top}"


def _look(place: int, theme: Theme) -> Parts:
    fill = categorical(theme)[place]
    edge = readable(fill, theme.surface, MARK_CONTRAST)
    return {"color": fill, "symbol": SYMBOLS[place], "size": 8, "line": {"color": edge, "width": 1}}


def _open(theme: Theme) -> Parts:
    line = {"color": theme.neutral, "width": 1}
    return {"color": theme.surface, "symbol": "circle", "size": 6, "line": line}


def _marks(ids: Sequence[str], places: Floats, rows: Bools, hover: Sequence[str], look: Parts) -> Parts:
    """Coordinates with five digits: a figure of some thousand marks stays small."""
    x, y = np.round(places[rows], 5).T
    return scatter(
        x,
        y,
        "markers",
        list(hover),
        marker=look,
        customdata=[ids[i] for i in np.flatnonzero(rows).tolist()],
        cliponaxis=False,
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0.25}},
    )


def _key(text: str, glyph: str, colour: str, row: int, theme: Theme) -> Parts:
    return note(
        f'<span style="color:{colour}">{glyph}</span> {safe(text)}',
        0 if theme.narrow else 1,
        0 if theme.narrow else 1,
        theme.ink,
        xref="paper",
        yref="paper",
        xanchor="left",
        xshift=0 if theme.narrow else 10,
        yanchor="top",
        yshift=-20 * row - 30 * theme.narrow,
        align="left",
    )
