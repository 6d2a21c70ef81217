"""One example of every figure, built by hand, with any names: plain ones and hostile ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from evalcore.values.model import Comparison
from evalcore.values.settings import Settings
from tests.toy import comparison_of, interval_of

NAN = float("nan")
MEANS = {"alpha": 0.7, "beta": 0.6, "gamma": 0.55, "delta": 0.2}
ALPHAS = (0.0, 0.5, 1.0)


class Example(NamedTuple):
    """A figure of a theme, and the same figure where there is nothing to show."""

    draw: Callable[[Theme], Any]
    empty: Callable[[Theme], Any]


def example(make: Callable[..., Any], *values: Any, empty: Sequence[Any], **how: Any) -> Example:
    """The figure of these values, and of the empty ones."""
    return Example(lambda t: make(*values, theme=t, **how), lambda t: make(*empty, theme=t, **how))


def undefined(pair: Comparison) -> Comparison:
    return replace(pair, difference=NAN, low=NAN, high=NAN, p=NAN, p_corrected=NAN, n_pairs=0)


def every_pair(names, metric="CUI@10"):
    """Each minus each below it; alpha and beta are not told apart, nor beta and gamma."""
    pairs = combinations(zip(names, MEANS.values(), strict=True), 2)
    return [
        replace(comparison_of(a, b, high - low, metric), p_corrected=0.2 if high - low <= 0.1 else 0.01)
        for (a, high), (b, low) in pairs
    ]


def overlaps_of(names) -> Overlaps:
    def overlap(a, b, value):
        return Overlap(a, b, interval_of(value), interval_of(value / 2, 0.1), 3)

    pairs = tuple(overlap(a, b, 0.1 * i) for i, (a, b) in enumerate(combinations(names, 2), start=1))
    return Overlaps(names, pairs, 50, 10, 0.9, 43)


def standing(order, means, lead=0.1, half=0.05, **settings) -> Standing:
    """The systems at a setting, with the lead's interval."""
    ends = (lead - half, lead + half)
    return Standing(
        "nnCUI@10", Settings(**settings), tuple(order), tuple(map(interval_of, means)), lead, *ends
    )


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
    means = {name: interval_of(0.2 + 0.1 * i) for i, name in enumerate(names)}
    lost = {name: interval_of(NAN, n=0) for name in names}
    pairs = [comparison_of(name, names[0], 0.1 * i, metric) for i, name in enumerate(names[1:])]
    everyone, ks = comparison_of(names[1], names[0], 0.05, metric), [1, 5, 10, 50]
    small = replace(everyone, difference=-0.2, low=-0.2, high=-0.2, p=0.5, p_corrected=1.0, n_pairs=1)
    groups = [
        systems.GroupRow(f"CT{text}", everyone, f"modality=CT{text}"),
        systems.GroupRow(f"PET{text}", small),
        systems.GroupRow(f"MRI{text}", undefined(everyone)),
    ]
    rows = [maps.MapRow(f"All{text}", 40, means), maps.MapRow(f"CT{text}", 3, means)]
    none = [maps.MapRow(f"PET{text}", 0, lost)]
    lines = {name: [interval_of(i.mean / (1 + 0.1 * k)) for k in ks] for name, i in means.items()}
    how, by, all_pairs = {"metric": metric, "systems": names}, f"modality{text}", every_pair(names, metric)
    alike = overlaps_of(names)
    apart = replace(alike, pairs=tuple(replace(pair, rbo=interval_of(NAN)) for pair in alike.pairs))
    cells, void = standings(names), [standing(names[:2], (NAN, NAN), lead=NAN, alpha=0.5)]

    def alpha_lines(theme: Theme, value: float) -> Any:
        series = [
            Line(
                name, [interval_of(value + 0.1 * i * a) for a in ALPHAS], style_of(name, names, theme), not i
            )
            for i, name in enumerate(names[:3])
        ]
        rings = [curves.Crossing(0.25, 0.41, f"{names[0]} overtakes {names[1]}")]
        look = {"title": f"Title{text}", "metric": metric, "theme": theme, "current": 0.5}
        return curves.alpha_lines(series, ALPHAS, crossings=rings, **look)

    return {
        "leaderboard_dots": example(
            systems.leaderboard_dots, means, empty=[lost], baseline=names[0], comparisons=pairs, **how
        ),
        "difference_dots": example(systems.difference_dots, pairs, empty=[[]], systems=names),
        "slice_forest": example(
            systems.slice_forest, everyone, groups, empty=[undefined(everyone), groups[2:]], by=by
        ),
        "slice_map": example(
            maps.slice_map, [*rows, *none], names, empty=[none, names], by=by, metric=metric
        ),
        "pair_matrix": example(
            maps.pair_matrix, all_pairs, empty=[[*map(undefined, all_pairs)]], metric=metric
        ),
        "overlap_matrix": example(maps.overlap_matrix, alike, empty=[apart]),
        "metric_curves": example(
            curves.metric_curves, lines, ks, empty=[{}, ks], baseline=names[0], current=10, **how
        ),
        "alpha_lines": Example(lambda t: alpha_lines(t, 0.4), lambda t: alpha_lines(t, NAN)),
        "leader_map": example(curves.leader_map, cells, empty=[void], current=(0.5, 1), **how),
    }


def _of_queries(names: tuple[str, ...], metric: str, text: str) -> Mapping[str, Example]:
    ids = [f"q{i}{text}" for i in range(4)]
    x, y, void = np.array([0.9, 0.2, 0.5, NAN]), np.array([0.1, 0.6, 0.5, 0.3]), np.full(4, NAN)
    both = {"a": names[0], "b": names[1], "metric": metric}
    values = np.array([[0.1, 0.1, 0.1, 0.9], [NAN] * 4, [0.2, 0.3, 0.4, 0.5], [0.0] * 4])
    rest = {"hard": np.array([False, False, False, True]), "metric": metric, "order": "hardest first"}
    return {
        "delta_bars": example(two_systems.delta_bars, ids, x - y, empty=[ids, void], **both),
        "score_scatter": example(
            two_systems.score_scatter, ids, x, y, empty=[ids, x, void], good_at=0.5, **both
        ),
        "query_map": example(queries.query_map, ids, names, values, empty=[ids, names, values * NAN], **rest),
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
        "agreement_matrix": example(
            measures.agreement_matrix,
            *(labels, matrix, matrix),
            empty=[labels, matrix * NAN, matrix * NAN],
            sample=f"pairs{text}",
        ),
        "measure_cloud": Example(
            lambda t: measures.measure_cloud(
                x, y, theme=t, marked=marked, sample=f"4{text}", rho=0.9, **axes
            ),
            lambda t: measures.measure_cloud(x[:0], y[:0], theme=t, marked=(), sample="", rho=NAN, **axes),
        ),
        "rank_slopes": Example(lambda t: slopes(t, 4), lambda t: slopes(t, 1)),
        "rated_concepts": example(
            measures.rated_concepts, rated, empty=[rated[2:]], ratings=f"ratings{text}", level=0.95
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
    return {
        "match_matrix": example(explain.match_matrix, why, empty=[no], names=names),
        "contribution_bars": example(explain.contribution_bars, why, empty=[no], names=names),
        "path_figure": example(
            graph.path_figure, (cui, "C8", "C7"), steps, empty=[(), ()], names=names, reading="technical"
        ),
        "around_figure": example(graph.around_figure, cui, near, empty=["C7", ()], names=names),
        "kind_shares": example(kinds.kind_shares, shares, empty=[[]]),
    }


def _of_features(text: str) -> Mapping[str, Example]:
    """The examples that the tests of the features there are hold, each in ``figure_examples``."""
    examples: dict[str, Example] = {}
    for feature in extensions.features():
        name = f"tests.features.{feature.name}.figure_examples"
        if find_spec(name) is not None:
            examples |= import_module(name).examples_of(text, example)
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
