"""One example of every figure, built by hand, with any names: plain ones and hostile ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pytest

from evalcore import extensions
from evalcore.evaluate.by_kind import FromKinds
from evalcore.figures import counts, curves, explain, graph, maps, systems, two_systems
from evalcore.figures.maps import MapRow
from evalcore.figures.queries import query_map
from evalcore.figures.systems import GroupRow
from evalcore.figures.theme import Theme
from evalcore.graph import Step
from evalcore.graph.distances import DistanceCounts
from evalcore.graph.neighbourhood import Near
from evalcore.relevance.explain import Explanation, NeighbourMatch
from evalcore.values.model import Comparison, Interval
from tests.figures import ablation_examples, many_examples, measure_examples

SYSTEMS = ("alpha", "beta", "gamma", "delta")


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


def explanation(a: str = "C1", b: str = "C2") -> Explanation:
    """Union of 7 concepts: two shared (1/7 each); C1-C2 near from both sides, C6-C7 from one (0.5/7 each)."""
    near = (
        NeighbourMatch("query", a, b, 1, (a, b), 0.5 / 7),
        NeighbourMatch("candidate", b, a, 1, (b, a), 0.5 / 7),
        NeighbourMatch("query", "C6", "C7", 2, ("C6", "C8", "C7"), 0.5 / 7),
    )
    unmatched = {"query": ("C5",), "candidate": ()}
    return Explanation("q", "c", ("C3", "C4"), 1 / 7, near, unmatched, {"iou": 2 / 7, "nn-iou": 3.5 / 7})


def nothing() -> Explanation:
    return Explanation(
        "q", "c", (), 0.5, (), {"query": (), "candidate": ("C8",)}, {"iou": 0.0, "nn-iou": 0.0}
    )


def _boards(names: tuple[str, ...], metric: str) -> Mapping[str, Example]:
    means = {name: interval(0.2 + 0.1 * i) for i, name in enumerate(names)}
    lost = {names[0]: interval(float("nan"))}
    pairs = [comparison(name, names[0], 0.1 * i, metric) for i, name in enumerate(names[1:])]
    ks = [1, 5, 10, 50]
    lines = {name: [interval(i.mean / (1 + 0.1 * k)) for k in ks] for name, i in means.items()}
    return {
        "leaderboard_dots": Example(
            lambda t: systems.leaderboard_dots(
                means, metric=metric, systems=names, theme=t, baseline=names[0], comparisons=pairs
            ),
            lambda t: systems.leaderboard_dots(lost, metric=metric, systems=names, theme=t),
        ),
        "difference_dots": Example(
            lambda t: systems.difference_dots(pairs, systems=names, theme=t),
            lambda t: systems.difference_dots([], systems=names, theme=t),
        ),
        "metric_curves": Example(
            lambda t: curves.metric_curves(
                lines, ks, metric=metric, systems=names, theme=t, baseline=names[0], current=10
            ),
            lambda t: curves.metric_curves({}, ks, metric=metric, systems=names, theme=t),
        ),
    }


def _pairs(a: str, b: str, metric: str, ids: list[str]) -> Mapping[str, Example]:
    x, y = np.array([0.9, 0.2, 0.5, np.nan]), np.array([0.1, 0.6, 0.5, 0.3])
    void = np.full(4, np.nan)
    both = {"a": a, "b": b, "metric": metric}
    return {
        "delta_bars": Example(
            lambda t: two_systems.delta_bars(ids, x - y, theme=t, **both),
            lambda t: two_systems.delta_bars(ids, void, theme=t, **both),
        ),
        "score_scatter": Example(
            lambda t: two_systems.score_scatter(ids, x, y, good_at=0.5, theme=t, **both),
            lambda t: two_systems.score_scatter(ids, x, void, good_at=0.5, theme=t, **both),
        ),
    }


def _concepts(cui: str, name: str) -> Mapping[str, Example]:
    names = {cui: name, "C3": "Plain x-ray", "C5": name}
    why, no = explanation(a=cui), nothing()
    path = (cui, "C8", "C7")
    steps = (Step(cui, "C8", "up", name), Step("C8", "C7", "down", "MESH isa"))
    near = (Near("C3", cui, "up", 1, 4), Near("C9", cui, "down", 1, 0))
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
            lambda t: graph.path_figure(path, steps, names=names, theme=t, reading="technical", around=near),
            lambda t: graph.path_figure((), (), names=names, theme=t),
        ),
        "unknown_concepts": Example(
            lambda t: counts.unknown_concepts({cui: 7, "C9": 2}, names=names, theme=t),
            lambda t: counts.unknown_concepts({}, names=names, theme=t),
        ),
    }


def _coverage(name: str) -> Mapping[str, Example]:
    found = DistanceCounts(np.array([0, 3, 2]), np.array([0, 30, 8]), (1, 2), (4, 9), 5, 4, "undirected")
    none = DistanceCounts(np.array([0]), np.array([0]), (0, 0), (0, 0), 1, 1, "undirected")
    of_kinds = [
        FromKinds(
            *(name, "nn-iou", 10, {"finding": 0.1, "modality": 0.8, "unknown": 0.1}),
            *(9.0, 0.6, 0.5, 0.7, 0.3, 0.1, 20, 15, 200),
        ),
        FromKinds("other", "nn-iou", 10, {}, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 18, 15, 180),
    ]
    return {
        "distance_bars": Example(
            lambda t: counts.distance_bars(found, weighted=True, theme=t, threshold=1),
            lambda t: counts.distance_bars(none, weighted=False, theme=t),
        ),
        "kind_shares": Example(
            lambda t: counts.kind_shares(of_kinds, theme=t), lambda t: counts.kind_shares([], theme=t)
        ),
        "results_by_kind": Example(
            lambda t: counts.results_by_kind(of_kinds, theme=t), lambda t: counts.results_by_kind([], theme=t)
        ),
    }


def _slices(names: tuple[str, ...], metric: str, text: str) -> Mapping[str, Example]:
    everyone = comparison(names[1], names[0], 0.05, metric)
    none = replace(
        everyone, difference=np.nan, low=np.nan, high=np.nan, p=np.nan, p_corrected=np.nan, n_pairs=0
    )
    small = replace(everyone, difference=-0.2, low=-0.2, high=-0.2, p=0.5, p_corrected=1.0, n_pairs=1)
    rows = [
        GroupRow(f"CT{text}", everyone, f"modality=CT{text}"),
        GroupRow(f"PET{text}", small),
        GroupRow(f"MRI{text}", none),
    ]
    means = {name: interval(0.2 + 0.1 * i) for i, name in enumerate(names)}
    lost = {name: interval(float("nan"), n=0) for name in names}
    cells = [MapRow("All queries", 40, means), MapRow(f"CT{text}", 3, means), MapRow(f"PET{text}", 0, lost)]
    by = f"modality{text}"
    return {
        "slice_forest": Example(
            lambda t: systems.slice_forest(everyone, rows, by=by, theme=t),
            lambda t: systems.slice_forest(none, rows[2:], by=by, theme=t),
        ),
        "slice_map": Example(
            lambda t: maps.slice_map(cells, names, by=by, metric=metric, theme=t),
            lambda t: maps.slice_map(cells[2:], names, by=by, metric=metric, theme=t),
        ),
    }


def _holdings(label: str) -> Mapping[str, Example]:
    sizes, known = np.array([0, 1, 1, 3, 0]), np.array([True, True, True, True, False])
    rows = [counts.Coverage(label, 4, 5), counts.Coverage("Captions", 5, 5)]
    return {
        "concepts_per_image": Example(
            lambda t: counts.concepts_per_image(sizes, known, theme=t),
            lambda t: counts.concepts_per_image(sizes, ~known & False, theme=t),
        ),
        "coverage_bars": Example(
            lambda t: counts.coverage_bars(rows, theme=t), lambda t: counts.coverage_bars([], theme=t)
        ),
    }


def _queries(names: tuple[str, ...], metric: str, ids: list[str]) -> Mapping[str, Example]:
    values = np.array([[0.1, 0.1, 0.1, 0.9], [np.nan] * 4, [0.2, 0.3, 0.4, 0.5], [0.0] * 4])
    hard = np.array([False, False, False, True])
    rest = {"hard": hard, "metric": metric, "order": "hardest first"}
    void = np.full((4, 4), np.nan)
    return {
        "query_map": Example(
            lambda t: query_map(ids, names, values, theme=t, **rest),
            lambda t: query_map(ids, names, void, theme=t, **rest),
        )
    }


def _of_features(text: str) -> Mapping[str, Example]:
    """The examples that the tests of the features there are hold, each in ``figure_examples``."""
    found: dict[str, Example] = {}
    for feature in extensions.features():
        name = f"tests.features.{feature.name}.figure_examples"
        if find_spec(name) is not None:
            found |= import_module(name).examples_of(text, Example)
    return found


@pytest.fixture
def examples() -> Callable[..., Mapping[str, Example]]:
    """Every figure of the package; ``text`` is worked into every name, id, metric and label."""

    def build(text: str = "") -> Mapping[str, Example]:
        names = tuple(f"{name}{text}" for name in SYSTEMS)
        metric, ids = f"CUI@10{text}", [f"q{i}{text}" for i in range(4)]
        return {
            **_boards(names, metric),
            **_slices(names, metric, text),
            **_queries(names, metric, ids),
            **_pairs(names[0], names[1], metric, ids),
            **_concepts(f"C1{text}", f"Pneumonia{text}"),
            **_coverage(f"Pneumonia{text}"),
            **_holdings(f"Concepts{text}"),
            **measure_examples.examples_of(text, Example),
            **ablation_examples.examples_of(text, Example),
            **many_examples.examples_of(text, Example),
            **_of_features(text),
        }

    return build


@pytest.fixture
def make_interval() -> Callable[..., Interval]:
    return interval


@pytest.fixture
def make_comparison() -> Callable[..., Comparison]:
    return comparison


@pytest.fixture
def why() -> Explanation:
    return explanation()
