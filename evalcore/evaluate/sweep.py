"""Many settings of nn-IoU at once: scores over a grid of them, and what they do to the order of systems.

How much do alpha, the threshold, the count rule and the direction decide? What a setting cannot change is
computed once (see `scoring.score_under`), and so are settings that amount to the same (see `effective`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from evalcore import engine
from evalcore.evaluate.common_pool import asked_of, limited
from evalcore.evaluate.comparison import paired_values
from evalcore.evaluate.scoring import score, score_under
from evalcore.evaluate.summary import N_BOOTSTRAP, intervals, summarise_all
from evalcore.evaluate.systems import is_swept, moves, resolve_systems
from evalcore.evaluate.targets import metric_of, metrics_of
from evalcore.graph.neighbour_lists import rule_of_dictionary
from evalcore.stats.correlation import kendall
from evalcore.stats.levels import SAME, best_first, difference
from evalcore.stats.sums import mean_of
from evalcore.values.arrays import digest_of
from evalcore.values.brief import brief
from evalcore.values.errors import InputError, SettingError
from evalcore.values.progress import part_of, silent
from evalcore.values.settings import MAX_THRESHOLD, CountRule, Settings
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.evaluate.scoring import Cell
    from evalcore.ranking.metrics import Metric
    from evalcore.values.arrays import Floats, Ints
    from evalcore.values.model import Interval, Scores, Study, Which
    from evalcore.values.progress import Progress
    from evalcore.values.settings import View


@brief
@dataclass(frozen=True, slots=True, eq=False)
class GridScores:
    """The scores of every system under every metric at every point of a grid."""

    points: tuple[Settings, ...]
    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    scores: Mapping[Cell, Scores]

    def at(self, point: Settings, system: str, metric: Metric) -> Scores:
        """One cell; points that amount to the same share it."""
        return self.scores[effective(point), system, metric]


def grid_points(
    settings: Settings,
    *,
    alphas: Sequence[float],
    thresholds: Sequence[int],
    count_rules: Sequence[CountRule] = (),
) -> tuple[Settings, ...]:
    """``settings`` at every point of the grid, each once: by count rule, threshold, alpha.

    No count rules: that of ``settings``. Raises SettingError outside their ranges.
    """
    return tuple(
        replace(settings, count_rule=rule, threshold=threshold, alpha=alpha)
        for rule in dict.fromkeys(count_rules or (settings.count_rule,))
        for threshold in dict.fromkeys(thresholds)
        for alpha in dict.fromkeys(alphas)
    )


def with_setting_in_use(
    alphas: Iterable[float], thresholds: Iterable[int], settings: Settings
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """The two axes of a grid that holds the alpha and threshold of ``settings`` too: each once, ascending."""
    return tuple(sorted({*alphas, settings.alpha})), tuple(sorted({*thresholds, settings.threshold}))


def covered(study: Study, thresholds: Iterable[int]) -> tuple[tuple[int, ...], str]:
    """The thresholds whose neighbours are known, and what to say of the others ("" for none).

    Those that no setting allows stay, for whoever checks settings. Raises SettingError when there are only
    others: a neighbour dictionary covers as many steps as it says.
    """
    wanted, most = tuple(dict.fromkeys(thresholds)), study.largest_threshold
    others = [threshold for threshold in wanted if most < threshold <= MAX_THRESHOLD]
    kept = tuple(threshold for threshold in wanted if threshold not in others)
    if not others:
        return kept, ""
    if not kept:
        raise SettingError("thresholds", rule_of_dictionary(most, min(others)), list(wanted))
    listed = ", ".join(map(str, others))
    which = f"Threshold {listed} is" if len(others) == 1 else f"Thresholds {listed} are"
    steps = f"{most} {'step' if most == 1 else 'steps'}"
    return kept, f"{which} left out: the neighbour dictionary lists neighbours up to {steps} apart."


def threshold_name(threshold: int) -> str:
    """ "0 steps = IoU", "1 step", "2 steps"."""
    return "0 steps = IoU" if threshold == 0 else pluralize(threshold, "step")


def effective(settings: Settings) -> Settings:
    """One setting for all that give the same values.

    Where no neighbours are counted (threshold 0, or alpha 0) neither alpha nor the count rule matters; up to
    one edge every step is both directed and undirected.
    """
    if settings.threshold == 0 or settings.alpha == 0:
        return replace(settings, alpha=0.0, threshold=0, count_rule="concepts", direction="undirected")
    return replace(settings, direction="undirected") if settings.threshold <= 1 else settings


def refuse_nothing_to_vary(study: Study) -> None:
    """InputError where the study knows no related concepts, so that no setting of nn-IoU changes a number."""
    if not study.knows_neighbours:
        raise InputError(
            "Nothing to vary: no related concepts in this study. Add a concept graph (graph/edges.csv) or a "
            "neighbour dictionary (neighbours.csv)."
        )


def score_grid(
    study: Study,
    points: Sequence[Settings],
    *,
    metrics: Sequence[str | Metric],
    systems: Sequence[str] | None = None,
    queries: Which | Ints | None = None,
    progress: Progress | None = None,
) -> GridScores:
    """Every system under every metric at every point.

    ``points``: settings that differ in alpha, threshold, count rule and direction only (see `grid_points`).
    All else, and what is raised, as for `scoring.score`; SettingError also for an empty grid.
    """
    wanted = metrics_of(study, metrics, points[0]) if points else ()
    if not points or not wanted:
        rule = "given at least one alpha, one threshold and one metric"
        raise SettingError("sweep", rule, (list(points), list(metrics)))
    study = limited(study, systems, queries=queries, settings=points[0])
    chosen, different = resolve_systems(study, systems), list(dict.fromkeys(map(effective, points)))
    cells = score_under(study, chosen, wanted, asked_of(study, queries), different, progress)
    return GridScores(tuple(points), tuple(system.name for system in chosen), wanted, cells)


# Scores over a grid, one row per setting.

Subset = Literal["all", "disagree"]
SUBSETS = get_args(Subset)


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One system under one metric at one setting: its mean, and how many queries have a value."""

    alpha: float
    threshold: int
    system: str
    metric: str
    interval: Interval
    n_scored: int
    count_rule: str
    direction: str


def sweep(
    study: Study,
    view: View,
    *,
    alphas: Sequence[float],
    thresholds: Sequence[int],
    count_rules: Sequence[CountRule] = (),
    subset: Subset = "all",
    grid: GridScores | None = None,
    progress: Progress | None = None,
) -> tuple[SweepRow, ...]:
    """The systems of a view under each of its metrics at every point of a grid.

    Parameters
    ----------
    alphas, thresholds, count_rules
        The grid, see `grid_points`. Thresholds beyond a neighbour dictionary are left out (see `covered`).
    subset
        "all" queries, or per metric only those on which the values of ``@iou`` and ``@nn-iou`` "disagree" at
        the settings of the view (see `isolated`). It conditions on the outcome: gains there overstate
        gains overall.
    grid
        Scores that hold every point, where they were computed before (see `score_grid`).

    Returns
    -------
    rows
        By count rule, threshold, alpha, system, metric, in the orders given; mean NaN where
        no query counts.

    Raises
    ------
    SettingError, UnknownName, InputError
        As `scoring.score`; also for an empty grid.
    """
    if subset not in SUBSETS:
        raise SettingError("subset", f"one of {', '.join(SUBSETS)}", subset)
    settings = view.settings
    refuse_nothing_to_vary(study)
    reach = covered(study, thresholds)[0]
    points = grid_points(settings, alphas=alphas, thresholds=reach, count_rules=count_rules)
    wanted = metrics_of(study, view.metrics, settings)
    kept, queries = dict.fromkeys(wanted, study.queries), study.queries
    if subset != "all":
        part = part_of(progress or silent, 0, len(points))
        kept = isolated(study, wanted, settings=settings, progress=part)
        queries = np.unique(np.concatenate(list(kept.values()))).astype(np.int32)
    if grid is None:
        how: Any = {"metrics": wanted, "systems": view.systems, "progress": progress or silent}
        grid = score_grid(study, points, queries=queries, **how)
    cells = {cell: grid.at(*cell) for cell in product(points, grid.systems, grid.metrics)}
    # Cells that amount to the same share one Scores, so each is cut down and summarised once.
    different = {id(scores): scores.among(kept[metric]) for (_, _, metric), scores in cells.items()}
    means = dict(zip(different, summarise_all(list(different.values()), settings=settings), strict=True))
    return tuple(
        SweepRow(
            point.alpha,
            point.threshold,
            name,
            str(metric),
            means[id(scores)],
            different[id(scores)].n_scored,
            point.count_rule,
            point.direction,
        )
        for (point, name, metric), scores in cells.items()
    )


# How many settings of a grid are different? The others are identical by definition.
#
# Without related concepts nn-IoU is IoU: at distance 0 for every alpha, at alpha 0 for every distance, and
# wherever the terminology relates no two concepts of the study. A larger distance that relates no further
# concepts changes nothing either, and nothing changes a measure that does not look at related concepts.


class Tried(NamedTuple):
    """``n`` settings, of which so many are ``different``."""

    n: int
    different: int

    def facts(self) -> dict[str, int]:
        """For JSON."""
        return {"settings_tried": self.n, "settings_different": self.different}

    def in_words(self) -> str:
        """``63 settings, 41 of them different; the others are identical by definition.``"""
        settings = f"{self.n:,} {'setting' if self.n == 1 else 'settings'}"
        if self.different == self.n:
            return f"{settings}{', all different' if self.n > 1 else ''}."
        return f"{settings}, {self.different:,} of them different; {self.others()}."

    def others(self) -> str:
        """``the others are identical by definition``; "" where all are different."""
        rest = self.n - self.different
        return f"the other{'s are' if rest > 1 else ' is'} identical by definition" if rest else ""


def repeated(
    study: Study, points: Sequence[Settings], metrics: Sequence[Metric], systems: Sequence[str] | None = None
) -> tuple[bool, ...]:
    """For each point: does an earlier one give the same values by definition, whatever the systems return?

    Aligned with ``points``. ``systems``: names, None for all of the study.
    Raises UnknownName for a system that does not exist.
    """
    varies = any(is_swept(metric.relevance) for metric in metrics)
    varies = any(map(moves, resolve_systems(study, systems))) or varies

    def kind(point: Settings) -> object:
        """Equal for settings that give the same values: which concepts are related, and what that counts."""
        related = ""
        if varies and point.alpha and point.threshold:
            near = engine.neighbours_of(study, threshold=point.threshold, direction=point.direction)
            related = digest_of(near.indptr, near.indices) if len(near.indices) else ""
        return (point.alpha, point.count_rule, related) if related else None

    kinds = [kind(point) for point in points]
    return tuple(kinds.index(kind) < place for place, kind in enumerate(kinds))


def tried(
    study: Study, points: Sequence[Settings], metrics: Sequence[Metric], systems: Sequence[str] | None = None
) -> Tried:
    """How many of the points are different settings; as `repeated`."""
    return Tried(len(points), repeated(study, points, metrics, systems).count(False))


# The queries that IoU and nn-IoU serve differently: the "isolated subset" of arXiv 2506.13509.
#
# The paper runs its ablation "on an isolated subset of ROCOv2 where IoU and nn-IoU exhibit inconsistent
# performance" and does not say how it was drawn. It selects by outcome: what one relevance gains over the
# other there overstates what it gains over all queries.

BY_IOU, BY_NN_IOU = "@iou", "@nn-iou"


def isolated(
    study: Study, metrics: Sequence[Metric], *, settings: Settings, progress: Progress | None = None
) -> dict[Metric, Ints]:
    """Per metric the queries whose value differs between retrieval by IoU and by nn-IoU at these settings.

    {metric: image indices, ascending}; empty where the two agree everywhere.
    """
    pairs = zip(metrics, *outcomes(study, metrics, settings=settings, progress=progress), strict=True)
    return {m: a.queries[np.abs(difference(a.values, b.values)) > 0] for m, a, b in pairs}


def outcomes(
    study: Study, metrics: Sequence[Metric], *, settings: Settings, progress: Progress | None = None
) -> tuple[tuple[Scores, ...], tuple[Scores, ...]]:
    """The scores of retrieval by IoU and of retrieval by nn-IoU, per metric, over all queries."""
    both = score(study, metrics=metrics, systems=[BY_IOU, BY_NN_IOU], settings=settings, progress=progress)
    return both[: len(metrics)], both[len(metrics) :]


# Does the winner depend on the setting? The order of systems at every point of a grid.
#
# At each point: the order of the systems and the lead of the first over the second with its paired
# interval. Between neighbouring alphas: which system overtakes which, and where. How alike two rankings
# are: Kendall's tau. The leader is chosen by the data its lead is measured on, so the interval describes
# the lead and is no test.

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Crossover:
    """``winner`` overtakes ``loser`` as alpha grows: linearly interpolated between two points of the grid.

    ``clear``: at some alpha before, ``loser`` was ahead by an interval without zero, and at some alpha
    after ``winner`` is; else the two are too close to call on one side at least.
    """

    threshold: int
    alpha: float
    between: tuple[float, float]
    winner: str
    loser: str
    clear: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """The systems at one setting, best first (equal means by name, those without a mean last).

    ``means`` are aligned with ``order``. ``lead`` is the first system's mean minus the second's over
    the queries both have a value for, with its paired bootstrap interval; NaN with fewer than two
    systems. ``repeats``: an earlier setting of the grid is the same by definition (see `repeated`), so this
    one is not counted.
    """

    settings: Settings
    order: tuple[str, ...]
    means: tuple[Interval, ...]
    lead: float
    low: float
    high: float
    repeats: bool = False

    @property
    def clear(self) -> bool:
        """Whether the interval of the lead leaves out zero."""
        return isfinite(self.low) and (self.low > 0 or self.high < 0)

    @property
    def level(self) -> bool:
        """Whether the first two score exactly alike, so that nobody leads."""
        return abs(self.lead) <= SAME

    def mean(self, system: str) -> Interval:
        """The mean of one of the systems."""
        return self.means[self.order.index(system)]


@dataclass(frozen=True, slots=True)
class Stability:
    """What alpha and threshold do to the ranking of systems under one metric.

    ``standings`` and ``crossovers`` by threshold, then alpha.
    """

    metric: str
    standings: tuple[Standing, ...]
    crossovers: tuple[Crossover, ...]

    @property
    def different(self) -> tuple[Standing, ...]:
        """The standings without those of settings that are identical by definition to an earlier one."""
        return tuple(standing for standing in self.standings if not standing.repeats)

    @property
    def tried(self) -> Tried:
        """How many settings, and how many of them are different."""
        return Tried(len(self.standings), len(self.different))

    def at(self, alpha: float, threshold: int) -> Standing | None:
        """The standing at one point of the grid; None where there is no such point."""
        points = {
            (standing.settings.alpha, standing.settings.threshold): standing for standing in self.standings
        }
        return points.get((alpha, threshold))


def stability(
    study: Study,
    view: View,
    metric: str,
    *,
    alphas: Sequence[float],
    thresholds: Sequence[int],
    grid: GridScores | None = None,
    progress: Progress | None = None,
) -> Stability:
    """How stable is the ranking of the systems of a view over alpha and threshold?

    ``metric``: one that does not look at nn-IoU moves only systems that rank by it. ``alphas``,
    ``thresholds``: the grid, taken in ascending order; all else as in the settings of the view. ``grid``,
    and what is raised, as of `sweep`.
    """
    systems, settings = view.systems, view.settings
    points = grid_points(settings, alphas=sorted(set(alphas)), thresholds=sorted(set(thresholds)))
    wanted, grid = _grid_of(study, view, metric, points, grid, progress)
    again = repeated(study, points, [wanted], systems)
    standings = zip(_standings(grid, wanted, settings), again, strict=True)
    return Stability(
        str(wanted),
        tuple(replace(standing, repeats=repeats) for standing, repeats in standings),
        _crossovers(grid, wanted, settings),
    )


def readings(
    study: Study, view: View, metric: str, *, grid: GridScores | None = None, progress: Progress | None = None
) -> tuple[Standing, ...]:
    """The standing under every count rule, all else as in the view.

    The published Algorithm 1 can be read in several ways (see `relevance.neighbour`): if they agree, it
    does not matter which one was meant. ``grid``, and what is raised, as of `sweep`.
    """
    wanted, grid = _grid_of(study, view, metric, reading_points(view.settings), grid, progress)
    return _standings(grid, wanted, view.settings)


def reading_points(settings: Settings) -> tuple[Settings, ...]:
    """The settings that `readings` compares: every count rule."""
    return tuple(replace(settings, count_rule=rule) for rule in get_args(CountRule))


def tau_of(reference: Standing, other: Standing) -> float:
    """Kendall's tau-b of the means of two settings over the systems that have both, -1 to 1.

    1: the same order. NaN with fewer than two such systems, or where all of one setting are equal.
    """
    pairs = [(reference.mean(name).mean, other.mean(name).mean) for name in reference.order]
    known = np.array([pair for pair in pairs if isfinite(pair[0]) and isfinite(pair[1])], float)
    return kendall(known[:, 0], known[:, 1]) if len(known) > 1 else nan


def _grid_of(
    study: Study,
    view: View,
    metric: str,
    points: Sequence[Settings],
    grid: GridScores | None,
    progress: Progress | None,
) -> tuple[Metric, GridScores]:
    refuse_nothing_to_vary(study)
    wanted = metric_of(study, metric, view.settings)
    if grid is not None:
        return wanted, replace(grid, points=tuple(points))
    return wanted, score_grid(study, points, metrics=[wanted], systems=view.systems, progress=progress)


def _standings(grid: GridScores, metric: Metric, settings: Settings) -> tuple[Standing, ...]:
    """The standing at every point; points that amount to the same are computed once."""
    different, names = list(dict.fromkeys(map(effective, grid.points))), grid.systems
    flat = summarise_all([grid.at(p, name, metric) for p in different for name in names], settings=settings)
    means = [flat[i * len(names) : (i + 1) * len(names)] for i in range(len(different))]
    orders = [best_first(names, [interval.merit for interval in row]) for row in means]
    leads: list[tuple[Floats, Ints | None]] = [
        _difference(grid, metric, point, *(names[i] for i in order[:2]), settings=settings)
        if len(order) > 1
        else (np.empty(0), None)
        for point, order in zip(different, orders, strict=True)
    ]
    rows = zip(different, orders, means, leads, _ends(leads, settings), strict=True)
    result = {
        point: Standing(
            point, tuple(names[i] for i in order), tuple(row[i] for i in order), mean_of(lead), *end
        )
        for point, order, row, (lead, _), end in rows
    }
    return tuple(replace(result[effective(point)], settings=point) for point in grid.points)


def _difference(
    grid: GridScores, metric: Metric, point: Settings, a: str, b: str, *, settings: Settings
) -> tuple[Floats, Ints | None]:
    """System a minus system b, query by query, and the group of each."""
    return paired_values(grid.at(point, b, metric), grid.at(point, a, metric), settings)[2:]


def _ends(columns: Sequence[tuple[Floats, Ints | None]], settings: Settings) -> list[tuple[float, float]]:
    """The intervals of the means of differences."""
    values, groups = [column for column, _ in columns], [group for _, group in columns]
    return intervals(values, groups, settings=settings, level=LEVEL, n_resamples=N_BOOTSTRAP, seed=0)


def _crossovers(grid: GridScores, metric: Metric, settings: Settings) -> tuple[Crossover, ...]:
    """Every overtaking along alpha at each threshold.

    Scores are known at the alphas of the grid only; between two of them the difference is taken as linear.
    (The gain of a list is linear in alpha, the ideal it is divided by is not quite: the place is a little
    inexact.)
    """
    crossovers = []
    for threshold in dict.fromkeys(point.threshold for point in grid.points):
        along = [point for point in grid.points if point.threshold == threshold]
        alphas = [point.alpha for point in along]
        for a, b in combinations(grid.systems, 2):
            paired = [_difference(grid, metric, point, a, b, settings=settings) for point in along]
            if not (crossings := sign_changes(alphas, [mean_of(column) for column, _ in paired])):
                continue
            # The sign of each difference whose interval leaves out zero, else 0.
            signs = [(low > 0) - (high < 0) for low, high in _ends(paired, settings)]
            for at, (before, after), sign in crossings:
                sure_before = -sign in signs[: alphas.index(before) + 1]
                sure_after = sign in signs[alphas.index(after) :]
                pair, clear = (a, b) if sign > 0 else (b, a), sure_before and sure_after
                crossovers.append(Crossover(threshold, at, (before, after), *pair, clear))
    return tuple(
        sorted(crossovers, key=lambda crossover: (crossover.threshold, crossover.alpha, crossover.winner))
    )


def sign_changes(
    alphas: Sequence[float], gaps: Sequence[float]
) -> list[tuple[float, tuple[float, float], int]]:
    """Where a difference changes its sign: (alpha, the alphas around it, sign afterwards).

    Linear between the last alpha with the one sign and the first with the other; where the
    difference is 0 in between, the middle of that stretch. NaN and what is level with 0 have no sign.

    >>> sign_changes([0, 0.5, 1], [0.1, 0.1, -0.3])
    [(0.625, (0.5, 1), -1)]
    """
    result = []
    signed = [j for j, gap in enumerate(gaps) if isfinite(gap) and abs(gap) > SAME]
    for last, j in pairwise(signed):
        if (gaps[last] > 0) == (gaps[j] > 0):
            continue
        before, after = alphas[last], alphas[j]
        at = (alphas[last + 1] + alphas[j - 1]) / 2
        if j == last + 1:
            at = before + (after - before) * gaps[last] / (gaps[last] - gaps[j])
        result.append((at, (before, after), 1 if gaps[j] > 0 else -1))
    return result
