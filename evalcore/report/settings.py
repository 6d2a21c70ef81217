"""The part about other settings of nn-IoU: the ranking over a grid of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.sweep import Stability, Standing, covered, threshold_name, with_setting_in_use
from evalcore.evaluate.systems import is_swept, moves, resolve_lists
from evalcore.figures.ablation import alpha_lines, leader_map, tau_map
from evalcore.figures.lines import Line
from evalcore.figures.theme import Theme, style_of
from evalcore.ranking.metrics import parse_metric
from evalcore.report.part import Named, Part
from evalcore.report.robustness import stable
from evalcore.report.verdicts import Choice, in_terms
from evalcore.results.rows import Table, also, signed
from evalcore.results.rows import span as interval_of
from evalcore.values.writing import fixed

ALPHAS = tuple(step / 10 for step in range(11))
THRESHOLDS = (0, 1, 2)
"""The grid, to which the setting in use is added."""


def stability(analysis: Analysis, metric: str) -> Stability:
    """The ranking over the usual grid, with the setting in use."""
    study, view = analysis.study, analysis.view
    alphas, thresholds = with_setting_in_use(ALPHAS, covered(study, THRESHOLDS)[0], view.settings)
    key = ("stability", study.digest, metric, view.systems, repr(view.settings))
    result: Stability = analysis.cached(
        key, lambda: analysis.stability(metric, alphas=alphas, thresholds=thresholds)
    )
    return result


def _nothing_varies(analysis: Analysis, metric: str) -> str:
    if not analysis.study.knows_neighbours:
        return "Nothing to vary: this study has no related concepts."
    systems = resolve_lists(analysis.study, analysis.view.systems)
    if is_swept(parse_metric(metric).relevance) or any(map(moves, systems)):
        return ""
    return "This measure does not look at related concepts."


def _stable(analysis: Analysis, metric: str, *, words: Choice | None = None) -> str:
    return stable(stability(analysis, metric), words or in_terms(metric), analysis.view.settings)


def _settings(analysis: Analysis, metric: str, *, theme: Theme) -> Iterator[Named]:
    """Who leads, how similar the order is, and every system against alpha."""
    settings, systems, of = analysis.view.settings, analysis.study.systems, stability(analysis, metric)
    reference = of.at(settings.alpha, settings.threshold)
    assert reference is not None, "the setting in use is in the grid"
    if isnan(reference.means[0].mean):
        return
    in_use = (settings.alpha, settings.threshold)
    leaders = leader_map(of.standings, metric=metric, systems=systems, theme=theme, current=in_use)
    yield Named("leaders", leaders, wide=True)
    yield Named("order", tau_map(of.standings, reference, metric=metric, theme=theme))
    alphas = sorted({standing.settings.alpha for standing in of.standings})
    for threshold in sorted({standing.settings.threshold for standing in of.standings}):
        at = [standing for standing in of.standings if standing.settings.threshold == threshold]
        lines = [
            Line(
                name,
                [standing.mean(name) for standing in at],
                style_of(name, systems, theme),
                bold=threshold == settings.threshold,
            )
            for name in analysis.view.systems
        ]
        drawn = alpha_lines(
            lines,
            alphas,
            title=reach_of(threshold),
            metric=metric,
            theme=theme,
            current=settings.alpha,
            zero=True,
        )
        yield Named(f"alpha-{threshold}", drawn)


def reach_of(threshold: int) -> str:
    """How far away concepts may be to count as related, as a title."""
    return f"Related within {threshold_name(threshold)}" if threshold else "Identical concepts only (IoU)"


def _standings(analysis: Analysis, metric: str) -> Table:
    """The order of the systems at each alpha and maximum distance."""

    def order(standing: Standing) -> str:
        return ", ".join(
            f"{name} {fixed(mean.mean)}" for name, mean in zip(standing.order, standing.means, strict=True)
        )

    columns = (
        also("maximum distance", "settings.threshold"),
        also("\u03b1", "settings.alpha", "{:g}".format),
        also("order", order),
        also("lead", "lead", signed),
        interval_of(),
    )
    return Table(stability(analysis, metric).standings, columns)


def _of_standings(_analysis: Analysis, metric: str) -> str:
    return (
        f"{metric} at other weights of related concepts: the systems in order of their mean, and the lead of "
        "the first over the second with its interval."
    )


SWEEP = Part(
    key="standings",
    question="Does the ranking depend on how much related concepts count?",
    answer=_stable,
    figures=_settings,
    table=_standings,
    caption=_of_standings,
    missing=_nothing_varies,
)
