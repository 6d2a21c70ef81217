"""What the tabs of the ablation page share: all numbers behind a fold, and as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.figures.numbers import things
from evalcore.results.recorded import of_metric
from evalcore.ui.components import download, table, tidy
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.sweep.stability import Standing
    from evalcore.ui.frame.context import Context


def numbers(context: Context, rows: pd.DataFrame, name: str, *, saved: pd.DataFrame) -> None:
    """All numbers of a grid behind a fold, and as CSV, which holds ``saved``."""
    scores = table.numbers("%.4f", *rows.columns.intersection(["Score ↑", "From", "To"]))
    with st.container(horizontal=True, vertical_alignment="top"):
        with st.expander("All numbers", icon=":material/table:"):
            table.bare(
                rows, key=f"numbers-{name}", height=320, columns=scores,
                alt=f"Table of {things(len(rows), 'row')}",
            )  # fmt: skip
        download.csv(tidy.counted(context, saved), context.stem(name))


def standings(context: Context, found: Sequence[Standing], name: str, *, rules: bool = False) -> None:
    """The same of standings, one row per setting and system; ``rules``: with count rule and direction."""
    rows, saved = [], []
    for one in found:
        s = one.settings
        setting = {"Count rule": s.count_rule, "Direction": s.direction} if rules else {}
        for place, (system, mean) in enumerate(zip(one.order, one.means, strict=True), start=1):
            rows.append({
                **setting, "α": s.alpha, "Steps": s.threshold, "System": plain(system), "Rank": place,
                "Score ↑": mean.mean, "From": mean.low, "To": mean.high, "Queries": mean.n,
            })  # fmt: skip
            saved.append({
                "system": system, "place": place, **of_metric(context.choice.metric),
                **tidy.of_interval(mean), **s.as_dict(),
            })  # fmt: skip
    numbers(context, pd.DataFrame(rows), name, saved=pd.DataFrame(saved))
