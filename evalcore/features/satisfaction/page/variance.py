"""What varying relevance has to do with satisfaction, and with how well the measures agree with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.features.satisfaction.choices import SUBSETS, VARIANCE_ROWS
from evalcore.features.satisfaction.figures import Pair, paired_agreement, satisfaction_by_spread
from evalcore.features.satisfaction.page import keys as keys
from evalcore.features.satisfaction.page import words as words
from evalcore.features.satisfaction.page.found import gap, shows_published
from evalcore.features.satisfaction.published import SOURCE, find
from evalcore.features.satisfaction.variance import FEWEST, by_spread, by_spread_and_mean, split
from evalcore.figures.numbers import count, number, things
from evalcore.ui.components import figure, select, table
from evalcore.ui.frame import cache

if TYPE_CHECKING:
    from evalcore.features.satisfaction.choices import Resample
    from evalcore.features.satisfaction.cleansing import Clean
    from evalcore.features.satisfaction.data import Satisfaction
    from evalcore.features.satisfaction.variance import Point, Split
    from evalcore.ranking.grid import Reading
    from evalcore.ui.frame.context import Context


def section(
    context: Context, data: Satisfaction, clean: Clean, reading: Reading, depth: int, resample: Resample,
    key: tuple[object, ...], stem: str,
) -> None:  # fmt: skip
    """The split by variance, then satisfaction itself."""
    st.header("When relevance varies from image to image", anchor=False)
    rows = select.whole(
        "First rows whose relevance varies", 1, 20, keep=keys.VARIANCE, first=VARIANCE_ROWS, width=240,
        help="The paper looks at the first five rows.",
    )  # fmt: skip
    marked = "Simulated users · " if data.origin == "simulated" else ""

    def work() -> tuple[Split | None, tuple[Point, ...], tuple[Point, ...]]:
        halves = split(clean, reading=reading, rows=rows, depth=depth, resample=resample)
        of_all = by_spread(clean, rows=rows, resample=resample)
        return halves, of_all, by_spread_and_mean(clean, rows=rows, resample=resample)

    halves, all_points, within = cache.share(("satisfaction and variance", *key, rows, resample), work)
    if halves is None:
        st.info(
            f"Too few queries to split them: a quarter must hold {FEWEST} or more.", icon=":material/info:"
        )
    else:
        _split(context, halves, depth, marked, stem)
    per_person = clean.satisfaction.min() >= 0 and clean.satisfaction.max() <= 1
    side_by_side = st.grid(2, min_column_width=figure.NARROWEST, gap="medium")
    for name, title, points in (
        ("spread", "Satisfaction where relevance varies", all_points),
        ("spread-mean", "The same among lists of like mean", within),
    ):
        with side_by_side.container():
            drawn = satisfaction_by_spread(
                points, title=title, of=marked, rows=rows, per_person=bool(per_person), resample=resample,
                theme=context.theme,
            )  # fmt: skip
            figure.show(context, drawn, key=f"satisfaction-{name}", note=name == "spread")
    if all_points:
        table.beside(
            "After Figures 3 (a) and (b) of the paper, whose numbers are not published. The second drawing "
            "parts the queries into thirds by mean relevance, because a list whose images are all good or "
            "all poor has little room to vary.",
            _points([*all_points, *within]), f"{stem}-by-spread",
        )  # fmt: skip


def _split(context: Context, halves: Split, depth: int, marked: str, stem: str) -> None:
    rings = shows_published("1")
    pairs = [_pair(halves, metric, rings=rings) for metric in words.TITLES]
    better = sum(pair.second.spearman > pair.first.spearman for pair in pairs)
    st.markdown(
        f"On original gain, **{count(better)} of {count(len(pairs))}** measures agree better with "
        "satisfaction where relevance varies most than where it varies least."
    )
    drawn = paired_agreement(
        pairs, names=SUBSETS, title="Better where relevance varies?",
        subtitle=f"{marked}original gain, first {things(depth, 'row')} · "
        f"{things(halves.n, 'query', 'queries')} each",
        theme=context.theme,
    )  # fmt: skip
    figure.show(context, drawn, key="satisfaction-variance", file=f"{stem}-variance")
    table.beside(_note(halves), _saved(halves), f"{stem}-variance")


def _note(halves: Split) -> str:
    """Where the quarters begin and end, and what decides among equals."""
    tied = max(halves.tied)
    equals = (
        f" {things(halves.tied[0], 'query has', 'queries share')} the value at the lower border and "
        f"{count(halves.tied[1])} that at the upper one; among them the id decides."
        if tied > 1 else ""
    )  # fmt: skip
    return (
        f"Queries in the order of the standard deviation of relevance in the first "
        f"{things(halves.n_rows, 'row')}: the last {halves.share:.0%} (up to {number(halves.border[0])}) and "
        f"the first {halves.share:.0%} (from {number(halves.border[1])}).{equals} "
        f"Open marks, where chosen above: Table 2 of {SOURCE}, data set 1, 312 queries each."
    )


def _pair(halves: Split, metric: str, *, rings: bool) -> Pair:
    low, high = (halves.row(subset, metric, "original") for subset in SUBSETS)
    said = [find(metric, "original", low.depth, data_set=1, subset=subset) for subset in SUBSETS]
    known = [one.spearman if one is not None and rings else None for one in said]
    return Pair(metric, low, high, gap(high.spearman - low.spearman), "", (known[0], known[1]))


def _saved(halves: Split) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "subset": subset, "metric": one.metric, "gain": one.gain, "depth": one.depth,
                "spearman": one.spearman, "ci_low": one.ci_low, "ci_high": one.ci_high, "n_queries": halves.n,
                "variance_rows": halves.n_rows,
            }
            for subset, one in halves.rows
        ]
    )  # fmt: skip


def _points(points: list[Point]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "mean_relevance": one.among or "all", "standard_deviation": one.spread,
                "satisfaction": one.satisfaction, "ci_low": one.low, "ci_high": one.high, "n_queries": one.n,
            }
            for one in points
        ]
    )  # fmt: skip
