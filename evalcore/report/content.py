"""What a report is about: an analysis, the parts that are asked about it, and their figures as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple, cast

from evalcore.evaluate.analysis import Analysis, analyse
from evalcore.evaluate.conditions import select
from evalcore.evaluate.slices import offered
from evalcore.figures.printed import PAPER, WIDTHS, Format, Wanted, Width, printed
from evalcore.figures.theme import Theme
from evalcore.report.comparisons import (
    EVERY_PAIR,
    EVERY_QUERY,
    OVERLAP,
    QUERY_DIFFERENCES,
    RANKS,
    SLICE_DIFFERENCES,
    SLICES,
    TWO,
)
from evalcore.report.part import Asked, Named, Part
from evalcore.report.results import (
    CEILINGS,
    CURVE,
    DIFFERENCES,
    KINDS,
    OWN_GROUP,
    PRECISION_RECALL,
    SIZES,
    SYSTEMS,
    UNDEFINED,
)
from evalcore.report.robustness import SWEEP
from evalcore.values.model import Study
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.settings import View

PARTS: tuple[Part, ...] = (
    *(SYSTEMS, DIFFERENCES, SIZES, QUERY_DIFFERENCES, SLICES, SLICE_DIFFERENCES, SWEEP),
    *(CEILINGS, OWN_GROUP, UNDEFINED, CURVE, TWO, EVERY_PAIR, RANKS, EVERY_QUERY),
    *(PRECISION_RECALL, OVERLAP, KINDS),
)
"""Every question about a comparison, in the order of a report."""
DOUBLE = 760
"""Pixels of a title in a report, two columns wide, in the widest font."""


@dataclass(frozen=True, slots=True)
class More:
    """What is asked beside the view. by: ways to slice the queries, None for all on offer. sweep: other
    settings of nn-IoU."""

    by: tuple[str, ...] | None = ()
    sweep: bool = False

    def options(self) -> list[str]:
        """The same as options of ``report``.

        >>> More(("organ",), sweep=True).options()
        ['--by', 'organ', '--sweep']
        """
        ways = [word for by in self.by or () for word in ("--by", by)]
        return [*ways, *(["--sweep"] if self.sweep else [])]


NOTHING_MORE = More()


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """What a report is about.

    ``whole``: the study as its files hold it; that of the analysis is limited to what is compared, and its
    view is carried out: names as the program writes them, nothing left to the usual.
    """

    whole: Study
    analysis: Analysis
    more: More = NOTHING_MORE

    def asked(self, *, every: bool = False) -> Iterator[Asked]:
        """The parts of a report, in its order; ``every``: those too that only pages and files hold."""
        ways = offered(self.analysis.study) if self.more.by is None else self.more.by
        for part in PARTS:
            if part is SWEEP:
                yield from part.asked(self.analysis) if self.more.sweep else ()
            elif part in (SLICES, SLICE_DIFFERENCES):
                for by in ways:
                    yield from part.asked(self.analysis, by=by)
            elif part.in_report or every:
                yield from part.asked(self.analysis)

    def figures(self, *, every: bool = False, paper: Theme = PAPER) -> Iterator[Named]:
        """Their figures, light and in a font for print."""
        theme = replace(paper, looks=self.whole.looks)
        for asked in self.asked(every=every):
            yield from asked.figures(theme)


def find(study: Study, view: View, *, more: More = NOTHING_MORE, progress: Progress = silent) -> Content:
    """Score and compare what the view asks for.

    ``study``: as its files hold it: filter, groups and common candidates are those of the view. ``more``:
    what is asked besides, slice by slice and under other settings. ``view``: without metrics: nnCUI@10, or
    CUI@10 where the study knows no neighbours. Without systems: all of the study, or the relevances as
    systems where there are none. Without a baseline: that of the study.

    Raises
    ------
    UnknownName, SettingError, InputError
        A system, label, way of slicing or relevance that is not there; a condition no query meets.
    """
    neighbours = study.knows_neighbours
    systems = [*map(study.called, view.systems)] or [*study.systems] or ["@iou", "@nn-iou"][: 1 + neighbours]
    fixed = study.called(view.baseline) if view.baseline else study.baseline
    systems.sort(key=lambda name: name != fixed)  # the baseline first
    metrics = view.metrics or ("nnCUI@10" if neighbours else "CUI@10",)
    view = replace(view, metrics=metrics, systems=tuple(systems))
    analysis = analyse(select(study, view.where), view, progress=progress)
    which = analysis.over.which
    decided = replace(analysis.view, queries="" if which == "given" else which)
    return Content(study, replace(analysis, view=decided, cached=_memory()), more)


def _memory() -> Callable[[tuple[object, ...], Callable[[], Any]], Any]:
    """What keeps the answers of one analysis, as several parts ask for the same."""
    kept: dict[tuple[object, ...], Any] = {}

    def cached(key: tuple[object, ...], work: Callable[[], Any]) -> Any:
        if key not in kept:
            kept[key] = work()
        return kept[key]

    return cached


class FigureFile(NamedTuple):
    """A file: its name, how wide it is on paper, what it shows in a sentence, its content."""

    file: str
    width_mm: float
    alt: str
    data: bytes


def figure_files(
    result: Content, *, formats: Sequence[str], widths: Sequence[str], progress: Progress = silent
) -> list[FigureFile]:
    """Every figure in every format and width; InputError where they cannot be drawn (`printed.why_not`).

    Maps of constant values are left out: the report has a sentence for each.
    Those that one column is too narrow for are as wide as two.
    """
    drawn = [named for named in result.figures(every=True) if not named.drawn.constant]
    progress(0.4, "figures")
    wanted = [
        (f"{named.name}-{width}.{kind}", Wanted(named.drawn, cast("Format", kind), cast("Width", width)))
        for named in drawn
        for width, kind in product(
            ["double"] if named.wide else dict.fromkeys(widths), dict.fromkeys(formats)
        )
    ]
    data = printed([figure for _, figure in wanted], progress=part_of(progress, 1, 2))
    return [
        FigureFile(name, WIDTHS[figure.width], figure.drawn.alt, content)
        for (name, figure), content in zip(wanted, data, strict=True)
    ]
