"""Many settings of nn-IoU at once: scores over a grid of them, and what they do to the order of systems.

How much do alpha, the threshold, the count rule and the direction decide? What a setting cannot change is
computed once (see `scoring.score_under`), and so are settings that are identical by definition: without
related concepts nn-IoU is IoU, at distance 0 for every alpha, at alpha 0 for every distance, and a larger
distance that relates no further concepts changes nothing either.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations, pairwise, product
from math import isfinite, nan
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from evalcore import engine
from evalcore.evaluate.comparison import paired_values
from evalcore.evaluate.scoring import score_under
from evalcore.evaluate.summary import intervals, summarise_all
from evalcore.evaluate.systems import any_swept, resolve_systems
from evalcore.evaluate.targets import metrics_of
from evalcore.graph.neighbour_lists import rule_of_dictionary
from evalcore.stats.correlation import kendall
from evalcore.stats.levels import SAME, best_first, difference
from evalcore.stats.sums import means_of
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError, SettingError
from evalcore.values.progress import part_of, silent
from evalcore.values.settings import MAX_THRESHOLD, CountRule, Settings
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.evaluate.comparison import Paired
    from evalcore.evaluate.systems import System
    from evalcore.ranking.metrics import Metric
    from evalcore.values.model import Interval, Scores, Study
    from evalcore.values.progress import Progress
    from evalcore.values.settings import Direction, View

# The points of a grid.

ALPHAS, THRESHOLDS = tuple(step / 10 for step in range(11)), (0, 1, 2)
"""The grid, unless another is chosen."""


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
    reach = pluralize(most, "step")
    return kept, f"{which} left out: the neighbour dictionary lists neighbours up to {reach} apart."


def threshold_name(threshold: int) -> str:
    """ "0 steps = IoU", "1 step", "2 steps"."""
    return "0 steps = IoU" if threshold == 0 else pluralize(threshold, "step")


def refuse_nothing_to_vary(study: Study) -> None:
    """InputError where the study knows no related concepts, so that no setting of nn-IoU changes a number."""
    if not study.knows_neighbours:
        raise InputError(
            "Nothing to vary: no related concepts in this study. Add a concept graph (graph/edges.csv) or a "
            "neighbour dictionary (neighbours.csv)."
        )


def reading_points(settings: Settings) -> tuple[Settings, ...]:
    """The settings under every count rule.

    The published Algorithm 1 can be read in several ways (see `relevance.neighbour`): if they agree, it does
    not matter which one was meant.
    """
    return tuple(replace(settings, count_rule=rule) for rule in get_args(CountRule))


# What is said of a grid.

LEVEL = 0.95


class SweepRow(NamedTuple):
    """One system under one metric at one setting: its mean, and how many queries have a value."""

    settings: Settings
    system: str
    metric: str
    interval: Interval
    n_scored: int


@dataclass(frozen=True, slots=True)
class Standing:
    """The systems at one setting under one metric, best first (equal means by name, those without last).

    ``means`` are aligned with ``order``. ``lead`` is the first system's mean minus the second's over
    the queries both have a value for, with its paired bootstrap interval; NaN with fewer than two
    systems. The leader is chosen by the data its lead is measured on, so the interval describes the lead and
    is no test. ``repeats``: an earlier setting of the grid is the same by definition, so this one is not
    counted.
    """

    metric: str
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
class Stability:
    """What alpha and threshold do to the ranking of systems under one metric, point by point of a grid."""

    metric: str
    standings: tuple[Standing, ...]
    crossovers: tuple[Crossover, ...]

    @property
    def different(self) -> tuple[Standing, ...]:
        """The standings without those of settings that are identical by definition to an earlier one."""
        return tuple(standing for standing in self.standings if not standing.repeats)

    @property
    def tried(self) -> tuple[int, int]:
        """How many settings, and how many of them are different."""
        return len(self.standings), len(self.different)

    def at(self, alpha: float, threshold: int) -> Standing | None:
        """The standing at one point of the grid; None where there is no such point."""
        points = {
            (standing.settings.alpha, standing.settings.threshold): standing for standing in self.standings
        }
        return points.get((alpha, threshold))


def tau_of(reference: Standing, other: Standing) -> float:
    """Kendall's tau-b of the means of two settings over the systems that have both, -1 to 1.

    1: the same order. NaN with fewer than two such systems, or where all of one setting are equal.
    """
    pairs = [(reference.mean(name).mean, other.mean(name).mean) for name in reference.order]
    known = np.array([pair for pair in pairs if isfinite(pair[0]) and isfinite(pair[1])], float)
    return kendall(known[:, 0], known[:, 1]) if len(known) > 1 else nan


@dataclass(frozen=True, eq=False)
class Grid:
    """The scores of every system under every metric at every point of a grid.

    Points that are identical by definition share their `Scores`: the same objects, summarised once.
    """

    points: tuple[Settings, ...]
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    scores: Mapping[tuple[Settings, str, str], Scores]

    def among(self, points: Sequence[Settings]) -> Grid:
        """The same at some of the points only."""
        return replace(self, points=tuple(dict.fromkeys(points)))

    @cached_property
    def _means(self) -> dict[Scores, Interval]:
        cells = product(self.points, self.systems, self.metrics)
        different = list(dict.fromkeys(self.scores[cell] for cell in cells))
        return dict(zip(different, summarise_all(different), strict=True))

    def rows(self) -> tuple[SweepRow, ...]:
        """Every mean, by point, system and metric; NaN where no query counts."""
        return tuple(
            SweepRow(point, name, metric, self._means[scores], scores.n_scored)
            for point, name, metric in product(self.points, self.systems, self.metrics)
            for scores in [self.scores[point, name, metric]]
        )

    @property
    def tried(self) -> tuple[int, int]:
        """How many points, and how many of them are different; the others are identical by definition."""
        cells = [
            tuple(self.scores[point, name, metric] for name, metric in product(self.systems, self.metrics))
            for point in self.points
        ]
        return len(cells), len(set(cells))

    def standings(self, metric: str) -> tuple[Standing, ...]:
        """The order of the systems at every point."""
        at = {
            point: tuple(self.scores[point, name, metric] for name in self.systems) for point in self.points
        }
        different = list(dict.fromkeys(at.values()))
        orders = [
            [row[i] for i in best_first(self.systems, [self._means[scores].merit for scores in row])]
            for row in different
        ]
        leads = [paired_values(*order[1::-1]) if len(order) > 1 else None for order in orders]
        some = [lead for lead in leads if lead is not None]
        means = means_of([lead.differences for lead in some])
        led_by = iter([(mean, low, high) for mean, (low, high) in zip(means, self._ends(some), strict=True)])
        known = {
            row: (
                tuple(scores.system for scores in order),
                tuple(self._means[scores] for scores in order),
                *((nan, nan, nan) if lead is None else next(led_by)),
            )
            for row, order, lead in zip(different, orders, leads, strict=True)
        }
        seen: set[tuple[Scores, ...]] = set()
        result = []
        for point, row in at.items():
            result.append(Standing(metric, point, *known[row], repeats=row in seen))
            seen.add(row)
        return tuple(result)

    def _ends(self, paired: Sequence[Paired]) -> list[tuple[float, float]]:
        """The intervals of the means of differences."""
        columns, groups = [pair.differences for pair in paired], [pair.groups for pair in paired]
        settings = next(iter(self.scores.values())).settings
        return intervals(columns, groups, settings=settings, level=LEVEL, seed=0)

    def stability(self, metric: str) -> Stability:
        """How stable is the ranking of the systems over alpha and threshold?"""
        return Stability(metric, self.standings(metric), self._crossovers(metric))

    def _crossovers(self, metric: str) -> tuple[Crossover, ...]:
        """Every overtaking along alpha at each threshold.

        Scores are known at the alphas of the grid only; between two of them the difference is taken as
        linear. (The gain of a list is linear in alpha, the ideal it is divided by is not quite: the place is
        a little inexact.)
        """
        crossovers = []
        for threshold in dict.fromkeys(point.threshold for point in self.points):
            along = [point for point in self.points if point.threshold == threshold]
            alphas = [point.alpha for point in along]
            for a, b in combinations(self.systems, 2):
                cells = [(self.scores[point, b, metric], self.scores[point, a, metric]) for point in along]
                known = {cell: paired_values(*cell) for cell in dict.fromkeys(cells)}
                paired = [known[cell] for cell in cells]
                if not (crossings := sign_changes(alphas, means_of([pair.differences for pair in paired]))):
                    continue
                # The sign of each difference whose interval leaves out zero, else 0.
                signs = [(low > 0) - (high < 0) for low, high in self._ends(paired)]
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

    >>> sign_changes([0, 0.5, 1], [0.1, 0.0, -0.3]), sign_changes([0, 0.5, 1], [0.1, 0.0, 0.1])
    ([(0.5, (0, 1), -1)], [])
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


# The scores of a grid.

Subset = Literal["all", "disagree"]
BY_IOU, BY_NN_IOU = "@iou", "@nn-iou"


def score_grid(
    study: Study,
    view: View,
    points: Sequence[Settings],
    *,
    metrics: Sequence[str] = (),
    subset: Subset = "all",
    progress: Progress = silent,
) -> Grid:
    """The systems of a view under each of its metrics at every point of a grid.

    Parameters
    ----------
    study
        Limited to what is compared.
    points
        Settings that differ in alpha, threshold, count rule and direction only (see `grid_points`); each
        counts once.
    metrics
        Some of those of the view; () for all. One that does not look at nn-IoU moves only systems that rank
        by it.
    subset
        "all" queries, or per metric only those on which the values of ``@iou`` and ``@nn-iou`` "disagree" at
        the settings of the view: the "isolated subset" of arXiv 2506.13509, which does not say how it was
        drawn. It conditions on the outcome: gains there overstate gains overall.

    Raises
    ------
    SettingError, UnknownName, InputError
        As `analysis.analyse`; an empty grid, a study without related concepts.
    """
    if subset not in get_args(Subset):
        raise SettingError("subset", f"one of {', '.join(get_args(Subset))}", subset)
    refuse_nothing_to_vary(study)
    points, wanted = tuple(dict.fromkeys(points)), metrics_of(study, metrics or view.metrics, view.settings)
    if not points or not wanted:
        rule = "given at least one alpha, one threshold and one metric"
        raise SettingError("sweep", rule, (list(points), list(map(str, wanted))))
    assert study.over is not None, "limiting a study decides"
    chosen, queries, kept = resolve_systems(study, view.systems), study.over.queries, None
    if subset == "disagree":
        both = outcomes(study, wanted, settings=view.settings, progress=part_of(progress, 0, len(points)))
        kept = {
            metric: by_iou.queries[np.abs(difference(by_iou.values, by_nn_iou.values)) > 0]
            for metric, by_iou, by_nn_iou in zip(wanted, *both, strict=True)
        }
        queries = np.unique(np.concatenate(list(kept.values()))).astype(np.int32)
    first = _first_alike(study, points, wanted, chosen)
    cells = score_under(study, chosen, wanted, queries, list(dict.fromkeys(first.values())), progress)
    if kept is not None:
        some = {scores: scores.among(kept[metric]) for (_, _, metric), scores in cells.items()}
        cells = {cell: some[scores] for cell, scores in cells.items()}
    names = tuple(system.name for system in chosen)
    scores = {
        (point, name, str(metric)): cells[first[point], name, metric]
        for point, name, metric in product(points, names, wanted)
    }
    return Grid(points, names, tuple(map(str, wanted)), scores)


def _first_alike(
    study: Study, points: Sequence[Settings], metrics: Sequence[Metric], systems: Sequence[System]
) -> dict[Settings, Settings]:
    """For each point the first that gives the same values by definition, whatever the systems return.

    By which concepts are related, and what that counts; all points where nothing looks at related concepts.
    """
    varies = any_swept(metrics, systems)

    @cache
    def related(threshold: int, direction: Direction) -> str:
        near = engine.neighbours_of(study, threshold=threshold, direction=direction)
        return digest_of(near.indptr, near.indices) if len(near.indices) else ""

    def kind(point: Settings) -> object:
        if not (varies and point.alpha and point.threshold):
            return None
        same = related(point.threshold, point.direction)
        return (point.alpha, point.count_rule, same) if same else None

    of_kind: dict[object, Settings] = {}
    return {point: of_kind.setdefault(kind(point), point) for point in points}


def outcomes(
    study: Study, metrics: Sequence[Metric], *, settings: Settings, progress: Progress = silent
) -> tuple[tuple[Scores, ...], tuple[Scores, ...]]:
    """The scores of retrieval by IoU and of retrieval by nn-IoU, per metric, over all queries."""
    systems = resolve_systems(study, [BY_IOU, BY_NN_IOU])
    both = tuple(score_under(study, systems, metrics, study.queries, [settings], progress).values())
    return both[: len(metrics)], both[len(metrics) :]
