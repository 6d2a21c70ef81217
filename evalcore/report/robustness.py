"""Does the ranking depend on the settings of nn-IoU? The part of a report, and it in words; names are escaped
here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

from evalcore.evaluate.analysis import Analysis
from evalcore.evaluate.sweep import (
    ALPHAS,
    THRESHOLDS,
    Crossover,
    Stability,
    Standing,
    covered,
    grid_points,
    tau_of,
    threshold_name,
    with_setting_in_use,
)
from evalcore.evaluate.systems import any_swept, resolve_systems
from evalcore.figures.curves import Crossing, alpha_lines, leader_map
from evalcore.figures.frame import AccessibleFigure
from evalcore.figures.lines import Line
from evalcore.figures.theme import Theme, style_of
from evalcore.ranking.metrics import parse_metric
from evalcore.report.parts import Named, Section
from evalcore.report.verdicts import Words, in_terms
from evalcore.results.rows import Table, also, signed
from evalcore.results.rows import span as interval_of
from evalcore.results.sweeps import identical
from evalcore.values.settings import Settings
from evalcore.values.writing import md_escape, number, pluralize, pluralize_all

# In words.


def stable(stability: Stability, words: Words, settings: Settings) -> str:
    """Whether the winner and the order depend on the setting; ``settings``: those in use."""
    reference = stability.at(settings.alpha, settings.threshold)
    if reference is None or not reference.order or isnan(reference.means[0].mean):
        return "No query has a value under this measure, so there is nothing to compare."
    leader = f"**{md_escape(reference.order[0])}**"
    if len(reference.order) < 2:
        return f"Only {leader} is selected, so there is no order to change."
    different = stability.different
    n, noun = len(different), "different setting" if identical(*stability.tried) else "setting"
    every = pluralize_all(n, "setting") if n > 1 else "every setting"
    level = sum(each.level for each in different)
    if level == n:
        first = f"The first two systems are tied on {words.measure} at {every}."
    else:
        first_too = [standing for standing in different if standing.order[0] == reference.order[0]]
        leads, sure = sum(not each.level for each in first_too), sum(each.clear for each in first_too)
        at = every if leads == n else f"{leads:,} of {pluralize(n, noun)}"
        first = f"{leader} leads on {words.measure} at {at}"
        if leads:
            each = {1: "", 2: " at both"}.get(leads, " at every one of them")
            first += f", clearly{each}" if sure == leads else f", clearly at {sure:,}"
        first += f"; at {level:,} the first two are tied." if level else "."
    return f"{first} {_order(different, reference, noun, plain=words.plain)}".rstrip()


def _order(standings: Sequence[Standing], reference: Standing, noun: str, *, plain: bool) -> str:
    """How often the whole order is that of the setting in use."""
    known = [tau for standing in standings if not isnan(tau := tau_of(reference, standing))]
    same = sum(tau > 1 - 1e-12 for tau in known)
    if not known:
        return ""
    systems = pluralize_all(len(reference.order), "system")
    if same == len(known):
        where = "everywhere" if len(known) == len(standings) else "wherever they differ"
        return f"The ranking of {systems} is the same {where}."
    lowest = "" if plain else f" (lowest Kendall's τ {number(min(known))})"
    return f"The ranking of {systems} stays the same at {same:,} of {pluralize(len(known), noun)}{lowest}."


def leader_changes(standings: Sequence[Standing]) -> bool:
    """Whether another system leads at some setting, or whether the first is ahead clearly."""
    seen = {(each.order[0], each.level, each.clear) for each in standings if not isnan(each.means[0].mean)}
    return len(seen) > 1


def crossover(crossing: Crossover) -> str:
    """One overtaking: "hog overtakes lbp at α 0.350 (1 step; clear)"."""
    sure = "clear" if crossing.clear else "too close to call"
    between = f"between {crossing.between[0]:g} and {crossing.between[1]:g}"
    return (
        f"**{md_escape(crossing.winner)}** overtakes **{md_escape(crossing.loser)}** "
        f"at α {number(crossing.alpha)} "
        f"({between}, related within {threshold_name(crossing.threshold)}; {sure})"
    )


def readings(rules: Sequence[Standing], in_use: Standing) -> str:
    """How far the readings of Algorithm 1 move the systems, and whether the order changes."""
    moves = {
        name: max(abs(standing.mean(name).mean - in_use.mean(name).mean) for standing in rules)
        for name in in_use.order
    }
    known = {name: move for name, move in moves.items() if not isnan(move)}
    if not known:
        return "No query has a value under this measure."
    farthest = max(known, key=lambda name: (known[name], name))
    others = [standing for standing in rules if standing.order != in_use.order]
    put = "puts" if len(others) == 1 else "put"
    changed = (
        "the order of the systems is the same under every interpretation"
        if not others
        else f"{pluralize(len(others), 'interpretation')} {put} the systems in another order"
    )
    return (
        f"Another interpretation moves a score by at most **{number(known[farthest])}** "
        f"(**{md_escape(farthest)}**), and {changed}."
    )


# The part: the ranking over a grid of settings.


def stability(analysis: Analysis, metric: str) -> Stability:
    """The ranking over the usual grid, to which the setting in use is added."""
    study, view = analysis.study, analysis.view
    alphas, thresholds = with_setting_in_use(ALPHAS, covered(study, THRESHOLDS)[0], view.settings)
    points = grid_points(view.settings, alphas=alphas, thresholds=thresholds)

    def work() -> Stability:
        return analysis.grid(points, metrics=(metric,)).stability(metric)

    return analysis.kept("stability", work, metric)


def sweep(analysis: Analysis, metric: str) -> Section | None:
    """Whether the ranking depends on the setting: the systems in order at each alpha and maximum distance.

    Nothing where nothing varies: without related concepts, or under a measure that does not look at them.
    """
    study, settings = analysis.study, analysis.view.settings
    systems = resolve_systems(study, analysis.view.systems)
    if not study.knows_neighbours or not any_swept([parse_metric(metric)], systems):
        return None
    result = stability(analysis, metric)

    def order(standing: Standing) -> str:
        means = zip(standing.order, standing.means, strict=True)
        return ", ".join(f"{name} {number(mean.mean, 4)}" for name, mean in means)

    columns = (
        also("maximum distance", "settings.threshold"),
        also("\u03b1", "settings.alpha", "{:g}".format),
        also("order", order),
        also("lead", "lead", signed),
        interval_of(),
    )
    return Section(
        question="Does the ranking depend on how much related concepts count?",
        answer=stable(result, in_terms(metric), settings),
        figures=lambda theme: _figures(analysis, metric, result, theme),
        table=Table(result.standings, columns),
        caption=f"{metric} at other weights of related concepts: the systems in order of their mean, and the "
        "lead of the first over the second with its interval.",
    )


def _figures(analysis: Analysis, metric: str, result: Stability, theme: Theme) -> Iterator[Named]:
    """Who leads, and every system against alpha."""
    settings, systems = analysis.view.settings, analysis.study.systems
    if all(isnan(standing.means[0].mean) for standing in result.standings):
        return
    how: Any = {"metric": metric, "theme": theme}
    in_use = (settings.alpha, settings.threshold)
    leaders = leader_map(result.standings, systems=systems, current=in_use, **how)
    yield Named("leaders", leaders, wide=True)
    for threshold in sorted({standing.settings.threshold for standing in result.standings}):
        look = {"study": systems, "settings": settings, **how}
        yield Named(f"alpha-{threshold}", by_alpha(result, threshold, analysis.view.systems, **look))


def reach_of(threshold: int) -> str:
    """How far away concepts may be to count as related, as a title."""
    return f"Related within {threshold_name(threshold)}" if threshold else "Identical concepts only (IoU)"


def lines_at(
    result: Stability, threshold: int, names: Sequence[str], study: Sequence[str], theme: Theme, *, bold: bool
) -> list[Line]:
    """A line per system at one maximum distance; ``study``: all systems of it, which fix the colours."""
    return [
        Line(name, [standing.mean(name) for standing in _at(result, threshold)], style, bold=bold)
        for name in names
        for style in [style_of(name, study, theme)]
    ]


def _at(result: Stability, threshold: int) -> list[Standing]:
    """The standings at one maximum distance, by alpha."""
    here = [standing for standing in result.standings if standing.settings.threshold == threshold]
    return sorted(here, key=lambda standing: standing.settings.alpha)


def crossings_at(result: Stability, threshold: int) -> list[Crossing]:
    """Where two lines meet at one maximum distance, on the winner's."""
    crossings = []
    means = {standing.settings.alpha: standing for standing in _at(result, threshold)}
    for change in result.crossovers:
        if change.threshold == threshold:
            before, after = (means[end].mean(change.winner).mean for end in change.between)
            share = (change.alpha - change.between[0]) / (change.between[1] - change.between[0])
            words = f"{change.winner} overtakes {change.loser} at α {number(change.alpha)}"
            crossings.append(Crossing(change.alpha, before + share * (after - before), words))
    return crossings


def by_alpha(
    result: Stability,
    threshold: int,
    names: Sequence[str],
    *,
    study: Sequence[str],
    settings: Settings,
    metric: str,
    theme: Theme,
    reach: tuple[float, float] | None = None,
) -> AccessibleFigure:
    """Every system against alpha at one maximum distance.

    ``study``: as of `lines_at`; ``reach``: the axis, where figures share one.
    """
    return alpha_lines(
        lines_at(result, threshold, names, study, theme, bold=threshold == settings.threshold),
        [standing.settings.alpha for standing in _at(result, threshold)],
        title=reach_of(threshold),
        metric=metric,
        theme=theme,
        current=settings.alpha,
        crossings=crossings_at(result, threshold),
        zero=True,
        reach=reach,
    )
