"""The figures of a report as files of their own."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple, cast

from evalcore.figures.printed import WIDTHS, Wanted, printed, why_not
from evalcore.report.figures import every_figure
from evalcore.values.progress import silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.figures.printed import Format, Width
    from evalcore.report.found import Found
    from evalcore.values.progress import Progress

__all__ = ["FigureFile", "figure_files", "why_not"]


class FigureFile(NamedTuple):
    """A file: its name, how wide it is on paper, what it shows in a sentence, its content."""

    file: str
    width_mm: float
    alt: str
    data: bytes


def figure_files(
    found: Found, *, formats: Sequence[str], widths: Sequence[str], progress: Progress = silent
) -> list[FigureFile]:
    """Every figure in every format and width; InputError where they cannot be drawn (`why_not`).

    Those that one column is too narrow for are as wide as two.
    """
    drawn = every_figure(found)
    wanted = [
        (f"{one.name}-{width}.{kind}", Wanted(one.drawn, cast("Format", kind), cast("Width", width)))
        for one in drawn
        for width, kind in product(["double"] if one.wide else dict.fromkeys(widths), dict.fromkeys(formats))
    ]
    data = printed([one for _, one in wanted], progress=progress)
    return [
        FigureFile(name, WIDTHS[one.width], one.drawn.alt, content)
        for (name, one), content in zip(wanted, data, strict=True)
    ]
