"""What the library answers: results that a notebook shows as tables, and that become frames and figures.

    board = score(study)
    compare(board, "ckpt2", "ckpt1")
    slices(board, by="modality")
    sweep(study)

Every number is the one that the commands and pages show of the same question: columns are those of `results`,
figures those of `figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from evalcore.evaluate.analysis import Analysis, analyse
from evalcore.evaluate.analysis import Row as ScoreRow
from evalcore.evaluate.per_query import sort_queries
from evalcore.evaluate.sweep import (
    ALPHAS,
    THRESHOLDS,
    Grid,
    SweepRow,
    covered,
    grid_points,
    refuse_nothing_to_vary,
)
from evalcore.evaluate.systems import resolve_systems
from evalcore.evaluate.targets import metrics_of
from evalcore.graph import shortest_paths
from evalcore.ranking.metrics import Metric
from evalcore.report import verdicts
from evalcore.results.board import default_metrics
from evalcore.results.method import method_of, over_what
from evalcore.results.pairs import comparisons_table
from evalcore.results.paper import board_of
from evalcore.results.queries import queries_table
from evalcore.results.rows import Table
from evalcore.results.scores import scores_table, slice_means_table
from evalcore.results.sweeps import sweep_table
from evalcore.results.writers import Paper, frame, html, latex, markdown, on_paper, text_lines
from evalcore.study.naming import find_concept
from evalcore.values.errors import SettingError, UnknownName
from evalcore.values.model import Comparison, Interval, Scores, Study
from evalcore.values.progress import Progress, silent
from evalcore.values.settings import DROP, FLIPS, KEEP, Correction, Settings, View, as_list, settings_of

if TYPE_CHECKING:
    import pandas as pd

    from evalcore.figures.frame import Figure
    from evalcore.figures.theme import Theme
    from evalcore.graph.paths import Paths
    from evalcore.values.arrays import Ints
    from evalcore.values.model import Which
    from evalcore.values.settings import CountRule, SameGroup

Row = TypeVar("Row")
SHOWN = 12
"""Rows that a result is written with; a notebook shows `SHOWN_HTML`."""
SHOWN_HTML = 200


@dataclass(eq=False, repr=False)
class Result(Generic[Row], Sequence[Row]):
    """Rows of a result, and the same as text, as a table in a notebook, as a frame, LaTeX and Markdown.

    ``make_table``: gives the rows with their columns; ``remarks``: what has to be known to read them.
    """

    rows: tuple[Row, ...]
    make_table: Callable[[], Table]
    remarks: Sequence[str] = field(default=(), kw_only=True)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, at: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[at]

    @cached_property
    def table(self) -> Table:
        """The rows with their columns."""
        return self.make_table()

    def sentences(self) -> list[str]:
        """What has to be known to read the rows."""
        return list(self.remarks)

    def paper(self, rows: int | None = None) -> Paper:
        """The rows, or the first of them, as a table on paper."""
        return on_paper(self.table._replace(rows=self.table.rows[:rows]), " ".join(self.sentences()))

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame, its columns those of the command's JSON; numbers in full."""
        return frame(self.table)

    def to_latex(self, **how: Any) -> str:
        """The table on paper in LaTeX; it needs the package booktabs. ``how``: as of `paper`."""
        return latex(self.paper(**how))

    def to_markdown(self, **how: Any) -> str:
        """The table on paper in Markdown. ``how``: as of `paper`."""
        return markdown(self.paper(**how))

    def __repr__(self) -> str:
        lines = text_lines(*self.table._replace(rows=self.table.rows[:SHOWN]).cells())
        more = len(self) - SHOWN
        rest = [f"and {more:,} more rows: see to_frame()"] if more > 0 else []
        return "\n".join([*lines, *rest, *self.sentences()[:3]])

    def _repr_html_(self) -> str:
        return html(self.paper(SHOWN_HTML))


@dataclass(eq=False, repr=False)
class Board(Result[Scores]):
    """What `score` answers: a sequence of `Scores`, system by system and metric by metric, in a table.

    ``analysis``: everything else that can be asked of the same scores; `compare` and `slices` ask it.
    """

    analysis: Analysis

    @property
    def view(self) -> View:
        """Everything that was selected."""
        return self.analysis.view

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """The mean of each of the scores with its interval, aligned with them."""
        return self.analysis.means

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Every other system minus the baseline, or minus the leader of each metric; p corrected."""
        return self.analysis.comparisons

    def sentences(self) -> list[str]:
        """How the scores were counted and compared."""
        return list(method_of(self.analysis))

    def of(self, system: str, metric: str) -> Scores:
        """The values of one system under one metric, query by query.

        ``system``: a name or key; ``metric``: a label in any accepted spelling. Raises UnknownName for those
        that are not on the board.
        """
        name, label = resolve_systems(self.analysis.study, [system])[0].name, self._label(metric)
        if name not in self.view.systems:
            raise UnknownName("system on this board", name, self.view.systems)
        return self.analysis.scores_of(label)[self.view.systems.index(name)]

    def interval(self, system: str, metric: str) -> Interval:
        """The mean of one system under one metric with its interval.

        At the level and seed of the board's view; the mean is NaN where no query counts, the ends where fewer
        than two do. Raises UnknownName for a system or metric that is not on the board.
        """
        scores = self.of(system, metric)
        return self.analysis.means_of(scores.metric)[scores.system]

    def mean(self, system: str, metric: str) -> float:
        """The mean of one system under one metric; NaN where no query counts. Raises UnknownName."""
        return self.interval(system, metric).mean

    def verdict(self, metric: str | None = None) -> str:
        """Which system is best, and how sure is that? A sentence in plain text.

        ``metric``: the first of the board by default. The two highest means are compared over the queries
        both have, with p corrected as by `compare`. Raises UnknownName for a metric that is not on the board.
        """
        return verdicts.as_text(verdicts.of_board(self.analysis, self._label(metric)))

    def paper(self, rows: int | None = None, *, intervals: bool = True) -> Paper:  # noqa: ARG002 -- all fit
        """Systems x metrics as a table on paper, with its caption.

        Best in bold, marks of what differs from the baseline or the best of a column, and, unless
        ``intervals`` is False, the interval after each mean.
        """
        return board_of(self.analysis, intervals=intervals)

    def plot(self, metric: str | None = None) -> Figure:
        """Means and intervals under one metric, the first by default, as a plotly figure.

        Raises UnknownName for a metric that is not on the board.
        """
        from evalcore.report.parts import leaderboard

        return leaderboard(self.analysis, self._label(metric), _theme_of(self.analysis.study)).figure

    def _label(self, metric: str | None) -> str:
        """A metric of the board as it is labelled, the first for None."""
        if metric is None:
            return self.view.metrics[0]
        label = str(metrics_of(self.analysis.study, [metric], self.view.settings)[0])
        if label not in self.view.metrics:
            raise UnknownName("metric on this board", label, self.view.metrics)
        return label


def _theme_of(study: Study) -> Theme:
    """The light theme, systems in the colours that the study has for them."""
    from evalcore.figures.theme import LIGHT

    return replace(LIGHT, reads=study.reads)


def score(
    study: Study,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    *,
    systems: str | Sequence[str] | None = None,
    settings: Settings | None = None,
    queries: Which | Ints | list[int] | list[str] | None = None,
    same_group: SameGroup | None = None,
    baseline: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    correction: Correction = "holm",
    flips: int = FLIPS,
    progress: Progress = silent,
) -> Board:
    """How good is what each system returned, query by query, under each metric?

    As the command ``score`` answers it.

    Parameters
    ----------
    metrics
        Labels (see `ranking.metrics.parse_metric`) or metrics, each counted once; of one, its label will do.
        None: the first measures that the page Results offers for this study, those of ``score STUDY``.
    systems
        Names of systems, or ``@relevance``; of one, its name will do. None: all systems of the study.
    settings
        Relevance, ties, pools, gain, such as ``Settings(alpha=0.3)``; the defaults when None.
    queries
        What the systems are compared over: "all" queries, unanswered ones 0; "common" ones, which every
        system answers; "common-pool": these, and only candidates that every system searches. None decides as
        the command line and the pages do: "common-pool" where the systems search different images (and two
        in common), else "all". Or ids of images, or image indices, to ask about, with all candidates.
    same_group
        "drop" leaves candidates of the query's own group out, "keep" counts them; None: as the study does.
    baseline
        The system that the others are compared with; None: that of the study, else none.
    level, seed, correction, flips
        Of intervals and comparisons.
    progress
        Called with the share done (0 to 1) and what is being worked on; raise in it to cancel.

    Returns
    -------
    A sequence of `Scores`, system by system, metric by metric, that a notebook shows as a table.

    Raises
    ------
    UnknownName, InputError, SettingError
        A system, relevance, label column or image that is not there; no system, no metric, or one that
        cannot be parsed; no such choice of queries; a baseline that is no system.
    """
    if not isinstance(study, Study):
        raise SettingError("study", "what open_study or make_study returned", study)
    kept = study.groups is not None and not study.groups.left_out
    view = View(
        metrics=default_metrics(study) if metrics is None else tuple(map(str, as_list(metrics))),
        systems=() if systems is None else tuple(as_list(systems)),
        baseline=baseline or "",
        queries=queries if isinstance(queries, str) else "",
        where=study.where,
        same_group=same_group or (KEEP if kept else DROP),
        correction=correction,
        level=level,
        seed=seed,
        flips=flips,
        settings=settings_of(settings),
    )
    listed = None if queries is None or isinstance(queries, str) else _image_indices(study, queries)
    analysis = analyse(study, view, queries=listed, progress=progress)
    return Board(tuple(analysis.scores), lambda: scores_table(analysis, analysis.rows), analysis)


def _image_indices(study: Study, images: Ints | list[int] | list[str]) -> Ints:
    """Images by their ids, or by their indices, as indices."""
    indices = [study.concepts.index(image) if isinstance(image, str) else image for image in images]
    n = len(study.image_ids)
    for index in indices:
        if not (isinstance(index, (int, np.integer)) and 0 <= index < n):
            raise SettingError("queries", f"ids of images, or their indices from 0 to {n - 1:,}", index)
    return np.array(indices, np.int32)


def _check_board(board: object) -> None:
    """SettingError where something else takes the place of a board, such as a study."""
    if not isinstance(board, Board):
        raise SettingError("board", "what score returned", board)


# Differences.


@dataclass(eq=False, repr=False)
class Differences(Result[Comparison]):
    """One system minus another, metric by metric."""

    analysis: Analysis

    def verdict(self, metric: str | None = None) -> str:
        """The comparison under one metric, the first by default, as a sentence in plain text.

        ``metric``: its label as in the rows. Raises UnknownName for others.
        """
        for row in self.rows:
            if metric in (None, row.metric):
                return verdicts.as_text(verdicts.of_pair(self.analysis, row))
        raise UnknownName("metric here", str(metric), [row.metric for row in self.rows])

    def plot(self) -> Figure:
        """The differences with their intervals."""
        from evalcore.figures.systems import difference_dots

        study = self.analysis.study
        return difference_dots(self.rows, systems=study.systems, theme=_theme_of(study)).figure


def compare(board: Board, system: str, baseline: str, /, *, metric: str | None = None) -> Differences:
    """Is one system of a board better than another? The first minus the second, paired by query.

    Under each metric of the board, or one; level, seed and flips are the board's. p is corrected as commands
    and pages correct it (see `evaluate.analysis`): over the comparisons with the baseline where one of the
    two is the board's, else over all pairs of systems on the board. Who planned to compare just these two
    scores just these: ``score(study, systems=[a, b])``.

    Raises
    ------
    UnknownName
        A system or metric that is not on the board.
    SettingError
        The same system twice; no board.
    """
    _check_board(board)
    first, *others = (each.name for each in resolve_systems(board.analysis.study, [system, baseline]))
    if not others:
        raise SettingError("baseline", "another system than the one compared", baseline)
    chosen = board.view.metrics if metric is None else (board._label(metric),)
    analysis = board.analysis
    rows = tuple(analysis.comparison(first, others[0], label) for label in chosen)
    remarks = [f"{over_what(rows)}."]
    return Differences(rows, lambda: comparisons_table(analysis, rows), analysis, remarks=remarks)


# Every query.


def queries(board: Board, metric: str | None = None) -> Result[int]:
    """Which queries are hard, and which system is best on each? Every value, as the command ``queries``.

    Under one metric of the board, the first by default; rows are hardest first, and are places among the
    queries of the board. Raises UnknownName for a metric that is not on the board.
    """
    _check_board(board)
    values = board.analysis.queries(board._label(metric))
    places = sort_queries(values, "hardest")
    return Result(tuple(places.tolist()), lambda: queries_table(values, places, board.analysis.study))


# Slices of the queries, and settings of nn-IoU.


@dataclass(eq=False, repr=False)
class Slices(Result[ScoreRow]):
    """Every system under every metric in every slice of the queries, with the mean and, where the board has a
    baseline, ``against`` it.

    Its sentences say what has to be known of each way of slicing, such as queries without a label.
    """

    board: Board

    def plot(self, metric: str | None = None, by: str | None = None) -> Figure:
        """Slices down, systems across, under one metric, as a plotly figure.

        The first metric and way of slicing by default. Raises UnknownName for those that are not here.
        """
        from evalcore.report.parts import slice_means

        analysis, way = self.board.analysis, self.rows[0].by if by is None else by
        if way not in (ways := {row.by for row in self.rows}):
            raise UnknownName("way of slicing here", way, ways)
        return slice_means(analysis, self.board._label(metric), way, theme=_theme_of(analysis.study)).figure


def slices(board: Board, by: str | Sequence[str]) -> Slices:
    """For which queries is a system better? Every mean in every slice, as ``score --by``.

    ``by``: a label column, or several. Raises UnknownName for others.
    """
    _check_board(board)
    ways = as_list(by)
    if not ways:
        raise SettingError("by", "at least one way to slice the queries, such as modality", ways)
    rows = board.analysis.sliced(ways)
    remarks = [f"{by}: {remark}" for by in ways for remark in board.analysis.slicing(by).remarks]
    return Slices(rows, lambda: slice_means_table(rows), board, remarks=remarks)


@dataclass(eq=False, repr=False)
class Sweep(Result[SweepRow]):
    """Every system under every metric at every setting of nn-IoU.

    Its sentences say which thresholds are not in it, because the neighbour dictionary does not reach so far.
    """

    grid: Grid
    study: Study
    settings: Settings

    def plot(self, metric: str | None = None, threshold: int | None = None) -> Figure:
        """A line per system over alpha, at one distance of related concepts, as a plotly figure.

        ``metric``: the first by default; ``threshold``: that of the settings, else the smallest of the sweep.
        Of several count rules the first is drawn. Raises UnknownName for those that are not here.
        """
        from evalcore.report.robustness import by_alpha

        grid, settings = self.grid, self.settings
        label = grid.metrics[0] if metric is None else str(metrics_of(self.study, [metric], settings)[0])
        there = {point.threshold for point in grid.points}
        usual = settings.threshold if settings.threshold in there else min(there)
        chosen = usual if threshold is None else threshold
        if label not in grid.metrics or chosen not in there:
            known = {f"{row.metric} at threshold {row.settings.threshold}" for row in self.rows}
            raise UnknownName("part of this sweep", f"{label} at threshold {chosen}", known)
        rule = grid.points[0].count_rule
        stability = grid.among([each for each in grid.points if each.count_rule == rule]).stability(label)
        look: Any = {"study": self.study.systems, "settings": settings, "theme": _theme_of(self.study)}
        return by_alpha(stability, chosen, grid.systems, metric=label, **look).figure


def sweep(
    study: Study,
    *,
    alphas: float | Sequence[float] = ALPHAS,
    thresholds: int | Sequence[int] = THRESHOLDS,
    metrics: str | Metric | Sequence[str | Metric] = ("nnCUI@10",),
    systems: str | Sequence[str] | None = None,
    count_rules: CountRule | Sequence[CountRule] = (),
    settings: Settings | None = None,
    progress: Progress = silent,
) -> Sweep:
    """How much do the weight and the distance of related concepts decide? One row per setting.

    As the command ``sweep``, with its defaults; parameters and errors as of `evaluate.sweep.score_grid`.
    """
    if not isinstance(study, Study):
        raise SettingError("study", "what open_study or make_study returned", study)
    settings = settings_of(settings)
    named = () if systems is None else tuple(as_list(systems))
    view = View(metrics=tuple(map(str, as_list(metrics))), systems=named, settings=settings)
    refuse_nothing_to_vary(study)
    analysis = analyse(study, view)
    reach, left_out = covered(study, as_list(thresholds))
    points = grid_points(settings, alphas=as_list(alphas), thresholds=reach, count_rules=as_list(count_rules))
    grid = analysis.grid(points, progress=progress)
    rows, remarks = grid.rows(), [left_out] if left_out else []
    return Sweep(rows, lambda: sweep_table(rows), grid, study, settings, remarks=remarks)


# The graph.


def path(study: Study, start: str, end: str, *, limit: int = 5) -> Paths:
    """How are two concepts of a study connected? The shortest paths, as the command ``path``.

    ``start``, ``end``: ids or names; ``limit``: paths listed at most. Raises UnknownName, InputError for what
    is no concept, or several.
    """
    return shortest_paths(study.graph, find_concept(study, start), find_concept(study, end), limit=limit)
