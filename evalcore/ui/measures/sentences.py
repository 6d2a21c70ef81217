"""What the measures page finds, in one sentence each, for both readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate import system_orders
from evalcore.evaluate.agreement import FEWEST_SYSTEMS
from evalcore.figures.numbers import brief, count, listed, number, percent, things
from evalcore.ranking.metrics import parse_metric
from evalcore.ui.components.text import md_escape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.agreement import Agreement
    from evalcore.evaluate.discrimination import Power
    from evalcore.evaluate.system_orders import Swap
    from evalcore.evaluate.table_one import TableCell, TableOne
    from evalcore.evaluate.under_measures import MeasureScores

SAME = 1 - 1e-12
TIES_MATTER = 0.5
"""From this share of queries on, ties at the last counted place are mentioned with the finding."""
WHAT = {"results": "pairs of images", "queries": "queries", "systems": "systems"}


def bold(name: str) -> str:
    return f"**{md_escape(name)}**"


def agreement(found: Agreement, labels: Sequence[str], *, plain: bool) -> str:
    """Which two agree least, which order everything alike."""
    pairs = [
        (float(found.kendall[i, j]), j, i)
        for i in range(len(labels))
        for j in range(i)
        if np.isfinite(found.kendall[i, j])
    ]
    what = WHAT[found.level]
    if found.level == "systems" and found.n < FEWEST_SYSTEMS:
        return (
            f"{things(found.n, 'system')} cannot be put in an order that says much: agreement on systems "
            f"takes at least {FEWEST_SYSTEMS}. Choose more on the left."
        )
    if not pairs:
        return f"There is no order of {what} to compare: choose two measures or more that tell any apart."
    low, i, j = min(pairs)
    twins = _twins([(a, b) for tau, a, b in pairs if tau >= SAME], labels)
    if low >= SAME:
        return f"All measures put the {things(found.n, what[:-1], what)} in exactly the same order."
    who = f"{bold(labels[i])} and {bold(labels[j])}"
    if not plain:
        return f"Least alike on {count(found.n)} {what}: {who}, Kendall’s τ {number(low)}.{twins}"
    return (
        f"{_how_alike(low)} {who}: agreement **{brief(low)}**, where 1 is the same order and 0 no relation, "
        f"over {count(found.n)} {what}.{twins}"
    )


def _how_alike(low: float) -> str:
    if low >= 0.8:
        return "The measures mostly say the same. Least alike are"
    if low >= 0.4:
        return "It matters which measure is used. Least alike are"
    return "Some measures look at quite different things. Least alike are"


def _twins(same: Sequence[tuple[int, int]], labels: Sequence[str]) -> str:
    """Groups of measures between which every correlation is 1, each as a sentence."""
    groups: list[list[int]] = []
    for i in range(len(labels)):
        home = next((group for group in groups if (group[0], i) in same), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    alike = [listed([bold(labels[i]) for i in group], limit=4) for group in groups if len(group) > 1]
    return "".join(f" {names} order them exactly alike." for names in alike)


def places(scores: MeasureScores, swaps: Sequence[Swap], labels: Sequence[str], reference: str) -> str:
    """Whether the winner is the same under every measure, and how many pairs change places."""
    if len(scores.systems) < 2:
        return f"{bold(scores.systems[0])} is the only system on view; places take two. Choose more."
    if not len(scores.queries):
        return "No query has a value under every measure, so the systems have no places."
    winners = [scores.systems[best] for best in np.argmin(system_orders.places(scores.means), axis=0)]
    over = f"over {things(len(scores.queries), 'query', 'queries')}"
    moved = f"{_moved(len({(swap.above, swap.below) for swap in swaps}))} against {bold(reference)}."
    if len(set(winners)) == 1:
        return f"{bold(winners[0])} is best under **all {len(labels)} measures**, {over}. {moved}"
    ordered = sorted(set(winners), key=lambda name: (-winners.count(name), name))
    told = [_won(name, winners, scores.measures) for name in ordered]
    return f"The winner depends on the measure: {listed(told)}, {over}. {moved}"


def _moved(n: int) -> str:
    if not n:
        return "No two systems change places"
    return f"{things(n, 'pair')} of systems {'changes' if n == 1 else 'change'} places"


def _won(name: str, winners: Sequence[str], measures: Sequence[str]) -> str:
    """Under how many measures a system wins, and whether the only one is its own."""
    under = [measure for winner, measure in zip(winners, measures, strict=True) if winner == name]
    own = " (by its own eye)" if under == [f"cosine:{name}"] else ""
    return f"{bold(name)} under {len(under)} of {len(measures)}{own}"


def swap(one: Swap, label: str, reference: str, power: Mapping[str, Power]) -> str:
    """One crossing in words, and whether each of the two measures tells these systems apart."""
    sure = [
        name
        for name, measure in ((label, one.measure), (reference, one.reference))
        if apart(power[measure], one.above, one.below)
    ]
    only = f"only {md_escape(sure[0])} tells them apart" if sure else "neither tells them apart"
    return (
        f"Under {bold(label)}, {bold(one.above)} passes {bold(one.below)}: ahead by {number(one.gap)}, "
        f"behind by {number(one.reference_gap)} under {bold(reference)}; "
        f"{'both measures are sure of it' if len(sure) == 2 else only}"
    )


def apart(power: Power, a: str, b: str) -> bool:
    """Whether a measure separates two systems."""
    at = [set(pair) for pair in power.pairs].index({a, b})
    return bool(power.p_corrected[at] < power.level)


def power(rows: Sequence[Power], labels: Sequence[str], *, plain: bool) -> str:
    """Which measure separates most pairs of systems."""
    best, worst = max(row.separated for row in rows), min(row.separated for row in rows)
    first, n = rows[0], len(rows[0].pairs)
    over = f"over {things(first.n_queries, 'query', 'queries')}"
    if best == worst:
        return f"Every measure tells **{best} of {things(n, 'pair')}** of systems apart {over}."
    top = [bold(name) for name, row in zip(labels, rows, strict=True) if row.separated == best]
    bottom = [bold(name) for name, row in zip(labels, rows, strict=True) if row.separated == worst]
    many = f"**{best} of {n}**" if plain else f"**{best} of {n}** ({percent(best, n)})"
    verb = "tells" if len(top) == 1 else "tell"
    return (
        f"{listed(top, limit=3)} {verb} most pairs of systems apart: {many} {over}; "
        f"{listed(bottom, limit=3)} fewest, {worst}."
    )


def search(found: TableOne, column: int, labels: Sequence[str], target: str) -> str:
    """Which measure finds most images with the same label, which do as well, and what ties decide."""
    cells = dict(zip(labels, (row[column] for row in found.cells), strict=True))
    best = [name for name, cell in cells.items() if cell.best]
    if not best:
        return "No query carries these labels, so the measures cannot be tried on them."
    first = cells[best[0]]
    close = [name for name, cell in cells.items() if cell.as_good]
    told = f" Not told apart from it: {listed([bold(name) for name in close])}." if close else ""
    depth = parse_metric(found.metrics[column]).cutoff
    return (
        f"Searching by {listed([bold(name) for name in best])} brings back most images with {target}: "
        f"**{percent(first.interval.mean, 1)}** of the first {depth}, over "
        f"{things(first.interval.n, 'query', 'queries')}."
        f"{told}{_ties(first, found.ties)}"
    )


def _ties(best: TableCell, ties: str) -> str:
    """A word of care where equal values decide what the first places hold."""
    n = best.interval.n
    if not n or best.tied <= TIES_MATTER * n:
        return ""
    how = "averaged over all orders" if ties == "expected" else "taken in the order of their ids"
    return (
        f" With care: for {percent(best.tied, n)} of the queries more images are equally close than fit into "
        f"the places counted; they are {how}."
    )
