"""What the measures page says, in one sentence each, for both readers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalcore.evaluate.measures import (
    FEWEST_SYSTEMS,
    Agreement,
    MeasureScores,
    Power,
    TableCell,
    TableOne,
    places,
)
from evalcore.ranking.metrics import parse_metric
from evalcore.values.writing import listed, md_escape, number, percent, pluralize, pluralize_all

SAME = 1 - 1e-12
TIES_MATTER = 0.5
"""From this share of queries on, ties at the last counted place are mentioned with the finding."""
WHAT = {"results": "pairs of images", "queries": "queries", "systems": "systems"}


def bold(name: str) -> str:
    return f"**{md_escape(name)}**"


def agreement(result: Agreement, labels: Sequence[str], *, plain: bool) -> str:
    """Which two agree least, which order everything alike."""
    pairs = [
        (float(result.kendall[i, j]), j, i)
        for i in range(len(labels))
        for j in range(i)
        if np.isfinite(result.kendall[i, j])
    ]
    what = WHAT[result.level]
    if result.level == "systems" and result.n < FEWEST_SYSTEMS:
        return (
            f"{pluralize(result.n, 'system')} are too few to compare rankings: at least {FEWEST_SYSTEMS} are "
            "needed. Select more on the left."
        )
    if not pairs:
        return f"There are no two rankings of {what} to compare. Select two or more measures."
    low, i, j = min(pairs)
    twins = _twins([(a, b) for tau, a, b in pairs if tau >= SAME], labels)
    if low >= SAME:
        return f"All measures put the {result.n:,} {what} in exactly the same order."
    who = f"{bold(labels[i])} and {bold(labels[j])}"
    if not plain:
        return f"Lowest agreement on {result.n:,} {what}: {who}, Kendall’s τ {number(low)}.{twins}"
    return (
        f"{_how_alike(low)} {who} agree least: **{number(low, 2)}** over {result.n:,} {what}, where 1 "
        f"means the same order and 0 no relation.{twins}"
    )


def _how_alike(low: float) -> str:
    if low >= 0.8:
        return "The measures mostly agree."
    if low >= 0.4:
        return "It matters which measure is used."
    return "Some measures differ strongly."


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
    return "".join(f" {names} put them in exactly the same order." for names in alike)


def ranking(scores: MeasureScores, labels: Sequence[str]) -> str:
    """Whether the winner, and the whole order, is the same under every measure."""
    if len(scores.systems) < 2:
        return f"Only {bold(scores.systems[0])} is selected. Select at least two systems to rank them."
    if not len(scores.queries):
        return "No query has a value under every measure, so the systems cannot be ranked."
    order = places(scores.means)
    winners = [scores.systems[best] for best in np.argmin(order, axis=0)]
    over = f"over {pluralize(len(scores.queries), 'query')}"
    if len(labels) == 1:
        return (
            f"{bold(winners[0])} is best by {bold(labels[0])}, {over}. Select a second measure to "
            "see whether "
            "the winner depends on it."
        )
    if len(set(winners)) == 1:
        if (order == order[:, :1]).all():
            return (
                f"The choice does not matter here: {bold(winners[0])} is best under "
                f"**{pluralize_all(len(labels), 'measure')}**, {over}, and no two systems swap ranks."
            )
        every = pluralize_all(len(labels), "measure")
        return f"{bold(winners[0])} is best under **{every}**, {over}; others swap ranks."
    ordered = sorted(set(winners), key=lambda name: (-winners.count(name), name))
    won = [_won(name, winners, scores.measures) for name in ordered]
    return f"The winner depends on the measure: {listed(won)}, {over}."


def _won(name: str, winners: Sequence[str], measures: Sequence[str]) -> str:
    """Under how many measures a system wins, and whether the only one is its own."""
    under = [measure for winner, measure in zip(winners, measures, strict=True) if winner == name]
    own = " (its own)" if under == [f"cosine:{name}"] else ""
    return f"{bold(name)} under {len(under)} of {len(measures)}{own}"


def power(rows: Sequence[Power], labels: Sequence[str], *, plain: bool) -> str:
    """Which measure separates most pairs of systems."""
    best, worst = max(row.separated for row in rows), min(row.separated for row in rows)
    pairs, n = rows[0].pairs, len(rows[0].pairs)
    over = f"over {pluralize(pairs[0].n_pairs, 'query')}"
    if best == worst:
        return f"Every measure separates **{best} of {pluralize(n, 'pair')}** of systems {over}."
    top = [bold(name) for name, row in zip(labels, rows, strict=True) if row.separated == best]
    bottom = [bold(name) for name, row in zip(labels, rows, strict=True) if row.separated == worst]
    many = f"**{best} of {n}**" if plain else f"**{best} of {n}** ({percent(best, n)})"
    return (
        f"{listed(top, limit=3)} {'separates' if len(top) == 1 else 'separate'} the most pairs of systems: "
        f"{many} {over}; {listed(bottom, limit=3)} the fewest, {worst}."
    )


def search(table: TableOne, column: int, labels: Sequence[str], target: str) -> str:
    """Which measure finds most images with the same label, which do as well, and what ties decide."""
    cells = dict(zip(labels, (row[column] for row in table.cells), strict=True))
    best = [name for name, cell in cells.items() if cell.best]
    if not best:
        return "No query carries these labels, so the measures cannot be checked against them."
    first = cells[best[0]]
    close = [name for name, cell in cells.items() if cell.as_good]
    as_good = f" Not clearly worse: {listed([bold(name) for name in close])}." if close else ""
    depth = parse_metric(table.metrics[column]).cutoff
    return (
        f"Searching by {listed([bold(name) for name in best])} finds the most images with {target}: "
        f"**{percent(first.mean.mean, 1)}** of the first {depth}, over "
        f"{pluralize(first.mean.n, 'query')}."
        f"{as_good}{_ties(first)}"
    )


def _ties(best: TableCell) -> str:
    """A caution where ties decide which results are first."""
    n, tied = best.mean.n, best.scores.tied
    if not n or tied <= TIES_MATTER * n:
        return ""
    how = "averaged over all orders" if best.scores.settings.ties == "expected" else "ordered by image ID"
    return (
        f" Caution: for {percent(tied, n)} of the queries, more images are tied than ranks are counted; "
        f"they are {how}."
    )
