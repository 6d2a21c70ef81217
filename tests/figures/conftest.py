"""One example of every figure, built by hand, with any names: plain ones and hostile ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest

from evalcore import extensions
from evalcore.evaluate.by_kind import FromKinds
from evalcore.evaluate.overlap import Overlap, Overlaps
from evalcore.evaluate.sweep import Standing
from evalcore.figures import curves, explain, graph, kinds, maps, measures, queries, systems, two_systems
from evalcore.figures.lines import Line
from evalcore.figures.theme import Theme, style_of
from evalcore.graph import Step
from evalcore.graph.neighbourhood import Near
from evalcore.relevance.explain import Explanation, NeighbourMatch
from evalcore.values.model import Comparison, Interval
from evalcore.values.settings import Settings

NAN = float("nan")
MEANS = {"alpha": 0.7, "beta": 0.6, "gamma": 0.55, "delta": 0.2}
ALPHAS = (0.0, 0.5, 1.0)


class Example(NamedTuple):
    """A figure of a theme, and the same figure where there is nothing to show."""

    draw: Callable[[Theme], Any]
    empty: Callable[[Theme], Any]


def interval(mean: float, half: float = 0.05, n: int = 40) -> Interval:
    return Interval(mean, mean - half, mean + half, 0.95, "percentile bootstrap", n, 2000, 0)


def comparison(system: str, baseline: str, difference: float = 0.1, metric: str = "CUI@10") -> Comparison:
    ends, test = (difference - 0.04, difference + 0.04), (0.01, 0.02, "holm", "paired permutation")
    return Comparison(
        *(baseline, system, metric, difference, *ends, 0.95, *test), 40, 2000, 0, *(22, 8, 10), 0.4
    )


def undefined(pair: Comparison) -> Comparison:
    return replace(pair, difference=NAN, low=NAN, high=NAN, p=NAN, p_corrected=NAN, n_pairs=0)


def every_pair(names, metric="CUI@10"):
    """Each minus each below it; alpha and beta are not told apart, nor beta and gamma."""
    pairs = combinations(zip(names, MEANS.values(), strict=True), 2)
    return [
        replace(comparison(a, b, high - low, metric), p_corrected=0.2 if high - low <= 0.1 else 0.01)
        for (a, high), (b, low) in pairs
    ]


def overlaps_of(names) -> Overlaps:
    def overlap(a, b, value):
        how = (0.95, "percentile bootstrap", 40, 2000, 0)
        rbo = Interval(value, value - 0.05, value + 0.05, *how)
        return Overlap(a, b, rbo, Interval(value / 2, value / 2 - 0.1, value / 2 + 0.1, *how), 3)

    pairs = tuple(overlap(a, b, 0.1 * i) for i, (a, b) in enumerate(combinations(names, 2), start=1))
    return Overlaps(names, pairs, 50, 10, 0.9, 43)


def standing(order, means, lead=0.1, half=0.05, **settings) -> Standing:
    """The systems at a setting, with the lead's interval."""
    ends = (lead - half, lead + half)
    return Standing(Settings(**settings), tuple(order), tuple(map(interval, means)), lead, *ends)


def standings(names) -> list[Standing]:
    """At alpha 1 the second system leads, too close to call; the third is always last."""
    a, b, c = names[:3]
    return [
        standing((a, b, c), (0.6, 0.5, 0.2), alpha=alpha, threshold=threshold)
        if alpha < 1
        else standing((b, a, c), (0.62, 0.6, 0.2), lead=0.02, alpha=alpha, threshold=threshold)
        for threshold in (0, 1)
        for alpha in ALPHAS
    ]


def explanation(a: str = "C1", b: str = "C2") -> Explanation:
    """Union of 7 concepts: two shared (1/7 each); C1-C2 near from both sides, C6-C7 from one (0.5/7 each)."""
    near = (
        NeighbourMatch("query", a, b, 1, (a, b), 0.5 / 7),
        NeighbourMatch("candidate", b, a, 1, (b, a), 0.5 / 7),
        NeighbourMatch("query", "C6", "C7", 2, ("C6", "C8", "C7"), 0.5 / 7),
    )
    unmatched = {"query": ("C5",), "candidate": ()}
    return Explanation("q", "c", ("C3", "C4"), 1 / 7, near, unmatched, {"iou": 2 / 7, "nn-iou": 3.5 / 7})


def _of_systems(names: tuple[str, ...], metric: str, text: str) -> Mapping[str, Example]:
    means = {name: interval(0.2 + 0.1 * i) for i, name in enumerate(names)}
    lost = {name: interval(NAN, n=0) for name in names}
    pairs = [comparison(name, names[0], 0.1 * i, metric) for i, name in enumerate(names[1:])]
    everyone, ks = comparison(names[1], names[0], 0.05, metric), [1, 5, 10, 50]
    small = replace(everyone, difference=-0.2, low=-0.2, high=-0.2, p=0.5, p_corrected=1.0, n_pairs=1)
    groups = [
        systems.GroupRow(f"CT{text}", everyone, f"modality=CT{text}"),
        systems.GroupRow(f"PET{text}", small),
        systems.GroupRow(f"MRI{text}", undefined(everyone)),
    ]
    rows = [
        maps.MapRow(f"{name}{text}", n, values) for name, n, values in (("All", 40, means), ("CT", 3, means))
    ]
    none = [maps.MapRow(f"PET{text}", 0, lost)]
    lines = {name: [interval(i.mean / (1 + 0.1 * k)) for k in ks] for name, i in means.items()}
    how, by, all_pairs = {"metric": metric, "systems": names}, f"modality{text}", every_pair(names, metric)
    alike = overlaps_of(names)
    apart = replace(alike, pairs=tuple(replace(pair, rbo=interval(NAN)) for pair in alike.pairs))
    cells, void = standings(names), [standing(names[:2], (NAN, NAN), lead=NAN, alpha=0.5)]

    def alpha_lines(theme: Theme, value: float) -> Any:
        series = [
            Line(name, [interval(value + 0.1 * i * a) for a in ALPHAS], style_of(name, names, theme), not i)
            for i, name in enumerate(names[:3])
        ]
        rings = [curves.Crossing(0.25, 0.41, f"{names[0]} overtakes {names[1]}")]
        look = {"title": f"Title{text}", "metric": metric, "theme": theme, "current": 0.5}
        return curves.alpha_lines(series, ALPHAS, crossings=rings, **look)

    return {
        "leaderboard_dots": Example(
            lambda t: systems.leaderboard_dots(means, theme=t, baseline=names[0], comparisons=pairs, **how),
            lambda t: systems.leaderboard_dots(lost, theme=t, **how),
        ),
        "difference_dots": Example(
            lambda t: systems.difference_dots(pairs, systems=names, theme=t),
            lambda t: systems.difference_dots([], systems=names, theme=t),
        ),
        "slice_forest": Example(
            lambda t: systems.slice_forest(everyone, groups, by=by, theme=t),
            lambda t: systems.slice_forest(undefined(everyone), groups[2:], by=by, theme=t),
        ),
        "slice_map": Example(
            lambda t: maps.slice_map([*rows, *none], names, by=by, metric=metric, theme=t),
            lambda t: maps.slice_map(none, names, by=by, metric=metric, theme=t),
        ),
        "pair_matrix": Example(
            lambda t: maps.pair_matrix(all_pairs, metric=metric, theme=t),
            lambda t: maps.pair_matrix(list(map(undefined, all_pairs)), metric=metric, theme=t),
        ),
        "overlap_matrix": Example(
            lambda t: maps.overlap_matrix(alike, theme=t), lambda t: maps.overlap_matrix(apart, theme=t)
        ),
        "metric_curves": Example(
            lambda t: curves.metric_curves(lines, ks, theme=t, baseline=names[0], current=10, **how),
            lambda t: curves.metric_curves({}, ks, theme=t, **how),
        ),
        "alpha_lines": Example(lambda t: alpha_lines(t, 0.4), lambda t: alpha_lines(t, NAN)),
        "leader_map": Example(
            lambda t: curves.leader_map(cells, theme=t, current=(0.5, 1), **how),
            lambda t: curves.leader_map(void, theme=t, **how),
        ),
    }


def _of_queries(names: tuple[str, ...], metric: str, text: str) -> Mapping[str, Example]:
    ids = [f"q{i}{text}" for i in range(4)]
    x, y, void = np.array([0.9, 0.2, 0.5, NAN]), np.array([0.1, 0.6, 0.5, 0.3]), np.full(4, NAN)
    both = {"a": names[0], "b": names[1], "metric": metric}
    values = np.array([[0.1, 0.1, 0.1, 0.9], [NAN] * 4, [0.2, 0.3, 0.4, 0.5], [0.0] * 4])
    rest = {"hard": np.array([False, False, False, True]), "metric": metric, "order": "hardest first"}
    return {
        "delta_bars": Example(
            lambda t: two_systems.delta_bars(ids, x - y, theme=t, **both),
            lambda t: two_systems.delta_bars(ids, void, theme=t, **both),
        ),
        "score_scatter": Example(
            lambda t: two_systems.score_scatter(ids, x, y, good_at=0.5, theme=t, **both),
            lambda t: two_systems.score_scatter(ids, x, void, good_at=0.5, theme=t, **both),
        ),
        "query_map": Example(
            lambda t: queries.query_map(ids, names, values, theme=t, **rest),
            lambda t: queries.query_map(ids, names, values * NAN, theme=t, **rest),
        ),
    }


def _of_measures(text: str) -> Mapping[str, Example]:
    labels, names = [f"iou{text}", f"nn-iou{text}"], tuple(f"{s}{text}" for s in "abcd")
    places = np.array([[1, 2], [2, 1], [3, 4], [4, 3]])
    means = np.array([[0.6, 0.5], [0.5, 0.7], [0.4, 0.1], [0.1, 0.2]])
    matrix, x, y = np.array([[1.0, 0.8], [0.8, 1.0]]), np.array([0.0, 0.0, 0.5]), np.array([0.0, 0.3, 0.5])
    marked = [measures.Marked(0.0, 0.3, f"q{text}\tc{text}", f"1: q{text} and c{text}")]
    rated = [
        measures.RatedRow(labels[0], False, 0.5, 0.3, 0.7, 107),
        measures.RatedRow(labels[1], True, 0.4, 0.2, 0.6, 90),
        measures.RatedRow(f"cs1{text}", False, NAN, NAN, NAN, 107),
    ]
    axes = {"a": labels[0], "b": labels[1]}

    def slopes(theme: Theme, n: int) -> Any:
        how = {"names": names[:n], "labels": labels, "systems": names, "theme": theme}
        return measures.rank_slopes(places[:n], means[:n], sample="40 queries", **how)

    return {
        "agreement_matrix": Example(
            lambda t: measures.agreement_matrix(labels, matrix, matrix, sample=f"pairs{text}", theme=t),
            lambda t: measures.agreement_matrix(labels, matrix * NAN, matrix * NAN, sample="none", theme=t),
        ),
        "measure_cloud": Example(
            lambda t: measures.measure_cloud(
                x, y, theme=t, marked=marked, sample=f"4{text}", rho=0.9, **axes
            ),
            lambda t: measures.measure_cloud(x[:0], y[:0], theme=t, marked=(), sample="", rho=NAN, **axes),
        ),
        "rank_slopes": Example(lambda t: slopes(t, 4), lambda t: slopes(t, 1)),
        "rated_concepts": Example(
            lambda t: measures.rated_concepts(rated, ratings=f"ratings{text}", level=0.95, theme=t),
            lambda t: measures.rated_concepts(rated[2:], ratings="r.csv", level=0.95, theme=t),
        ),
    }


def _of_concepts(text: str) -> Mapping[str, Example]:
    cui, name = f"C1{text}", f"Pneumonia{text}"
    names, why = {cui: name, "C3": "Plain x-ray", "C5": name}, explanation(a=cui)
    unmatched = {"query": (), "candidate": ("C8",)}
    no = Explanation("q", "c", (), 0.5, (), unmatched, {"iou": 0.0, "nn-iou": 0.0})
    steps = (Step(cui, "C8", "up", name), Step("C8", "C7", "down", "MESH isa"))
    near = (Near("C3", cui, "up", 1, 4), Near("C9", cui, "down", 1, 0))
    shares = [
        FromKinds(
            *(name, "nn-iou", 10, {"finding": 0.1, "modality": 0.8, "unknown": 0.1}),
            *(9.0, 0.6, 0.5, 0.7, 0.3, 0.1, 20, 15, 200),
        ),
        FromKinds("other", "nn-iou", 10, {}, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 18, 15, 180),
    ]
    look: dict[str, Any] = {"names": names, "reading": "technical", "around": near}
    return {
        "match_matrix": Example(
            lambda t: explain.match_matrix(why, names=names, theme=t),
            lambda t: explain.match_matrix(no, names=names, theme=t),
        ),
        "contribution_bars": Example(
            lambda t: explain.contribution_bars(why, names=names, theme=t),
            lambda t: explain.contribution_bars(no, names=names, theme=t),
        ),
        "path_figure": Example(
            lambda t: graph.path_figure((cui, "C8", "C7"), steps, theme=t, **look),
            lambda t: graph.path_figure((), (), names=names, theme=t),
        ),
        "kind_shares": Example(
            lambda t: kinds.kind_shares(shares, theme=t), lambda t: kinds.kind_shares([], theme=t)
        ),
    }


def _of_features(text: str) -> Mapping[str, Example]:
    """The examples that the tests of the features there are hold, each in ``figure_examples``."""
    examples: dict[str, Example] = {}
    for feature in extensions.features():
        name = f"tests.features.{feature.name}.figure_examples"
        if find_spec(name) is not None:
            examples |= import_module(name).examples_of(text, Example)
    return examples


@pytest.fixture
def examples() -> Callable[..., Mapping[str, Example]]:
    """Every figure of the package; ``text`` is worked into every name, id, metric and label."""

    def build(text: str = "") -> Mapping[str, Example]:
        names, metric = tuple(f"{name}{text}" for name in MEANS), f"CUI@10{text}"
        return {
            **_of_systems(names, metric, text),
            **_of_queries(names, metric, text),
            **_of_measures(text),
            **_of_concepts(text),
            **_of_features(text),
        }

    return build
