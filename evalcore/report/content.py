"""What a report is about: an analysis, the parts that are asked about it, and their figures as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple, cast

from evalcore.evaluate.analysis import Analysis, analyse
from evalcore.evaluate.conditions import select
from evalcore.evaluate.slices import offered
from evalcore.figures.frame import AccessibleFigure, Reading
from evalcore.figures.printed import PAPER, WIDTHS, Format, Wanted, Width, printed
from evalcore.figures.theme import Theme
from evalcore.report import parts
from evalcore.report.parts import Named, Section
from evalcore.report.robustness import sweep
from evalcore.values.model import Study
from evalcore.values.progress import Progress, part_of, silent
from evalcore.values.settings import View
from evalcore.values.stores import Store

DOUBLE = 760
"""Pixels of a title in a report, two columns wide, in the widest font."""
KEPT = 256 << 20
"""Bytes of answers of one report, as several parts ask for the same."""


@dataclass(frozen=True, slots=True, eq=False)
class ReportData:
    """What a report is about.

    ``whole``: the study as its files hold it; that of the analysis is limited to what is compared, and its
    view is carried out: names as the program writes them, nothing left to the usual. ``by``: ways to slice
    the queries. ``sweep``: whether other settings of nn-IoU are tried.
    """

    whole: Study
    analysis: Analysis
    by: Sequence[str] = ()
    sweep: bool = False

    def sections(self, *, every: bool = False) -> Iterator[Section]:
        """Those of a report, in its order; ``every``: those too that only pages draw."""
        yield from self._each(parts.systems, parts.differences, parts.query_differences)
        for part in (parts.slices, parts.slice_differences):
            for by in self.by:
                yield from self._each(part, by=by)
        yield from self._each(sweep) if self.sweep else ()
        if every:
            yield from self._each(
                parts.curve, parts.both_scores, parts.every_pair, parts.every_query, parts.kinds
            )
            if (section := parts.overlap(self.analysis)) is not None:
                yield self._finished(section, "")

    def figures(self) -> Iterator[Named]:
        """The figures of every section, light and in a font for print."""
        theme = replace(PAPER, reads=self.whole.reads)
        for section in self.sections(every=True):
            yield from section.figures(theme)

    def _each(self, *those: Callable[..., Section | None], **params: str) -> Iterator[Section]:
        """Each part about each metric."""
        for part in those:
            for number, metric in enumerate(self.analysis.view.metrics, start=1):
                if (section := part(self.analysis, metric, **params)) is not None:
                    yield self._finished(section, f"-{number}")

    def _finished(self, section: Section, end: str) -> Section:
        """The same, its figures called by the number of their metric, and saying by which groups they are."""

        def figures(theme: Theme) -> Iterator[Named]:
            for named in section.figures(theme):
                drawn = _by_groups(self.analysis, named.drawn)
                yield named._replace(name=f"{named.name}{end}", drawn=drawn)

        return replace(section, figures=figures)


def _by_groups(analysis: Analysis, drawn: AccessibleFigure) -> AccessibleFigure:
    """The figure with a line that names the groups of its intervals and tests, where it has any."""
    groups, (plain, technical) = analysis.scores[0].grouped_by, drawn.how_to_read
    if not groups or "interval" not in technical:
        return drawn
    line = f" All intervals and tests are by {groups}: queries of one {groups} are drawn together."
    technical = technical.replace("interval over queries", f"interval over {groups}s")
    return replace(drawn, how_to_read=Reading(plain + line, technical + line))


def compute_report(
    study: Study,
    view: View,
    *,
    by: Sequence[str] | None = (),
    sweep: bool = False,
    progress: Progress = silent,
) -> ReportData:
    """Score and compare what the view asks for.

    ``study``: as its files hold it: filter, groups and common candidates are those of the view. ``by``: ways
    to slice the queries, None for all on offer. ``sweep``: also other settings of nn-IoU. ``view``: without
    metrics: nnCUI@10, or CUI@10 where the study knows no neighbours. Without systems: all of the study, or
    the relevances as systems where there are none. Without a baseline: that of the study.

    Raises
    ------
    UnknownName, SettingError, InputError
        A system, label, way of slicing or relevance that is not there; a condition no query meets.
    """
    neighbours = study.knows_neighbours
    systems = [*view.systems] or [*study.systems] or ["@iou", "@nn-iou"][: 1 + neighbours]
    fixed = view.baseline or study.baseline
    systems.sort(key=lambda name: name != fixed)  # the baseline first
    metrics = view.metrics or ("nnCUI@10" if neighbours else "CUI@10",)
    view = replace(view, metrics=metrics, systems=tuple(systems))
    analysis = analyse(select(study, view.where), view, progress=progress)
    which = analysis.over.which
    decided = replace(analysis.view, queries="" if which == "given" else which)
    ways = offered(analysis.study) if by is None else tuple(dict.fromkeys(by))
    return ReportData(
        study, replace(analysis, view=decided, cached=Store[Any](KEPT).get_or_compute), ways, sweep
    )


class FigureFile(NamedTuple):
    """A file: its name, how wide it is on paper, what it shows in a sentence, its content."""

    file: str
    width_mm: float
    alt: str
    data: bytes


def figure_files(
    result: ReportData, *, formats: Sequence[str], widths: Sequence[str], progress: Progress = silent
) -> list[FigureFile]:
    """Every figure in every format and width; InputError where they cannot be drawn (`printed.why_not`).

    Maps of constant values are left out: the report has a sentence for each.
    Those that one column is too narrow for are as wide as two.
    """
    drawn = [named for named in result.figures() if not named.drawn.constant]
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
