"""Features: what the real images allow, which groups keep within it, and what to mind about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.synthetic.features import channel_of
from evalcore.features.synthetic.figures import presence_map, tolerance_rows
from evalcore.features.synthetic.figures.features import ToleranceRow
from evalcore.features.synthetic.page import keys, words
from evalcore.figures.numbers import listed, share, things
from evalcore.ui.components import figure, messages, select, table
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from evalcore.features.synthetic.evaluation.evaluate import Evaluation
    from evalcore.features.synthetic.read.material import Material
    from evalcore.ui.frame.context import Context

REMARKS = 12
MOST_DRAWN, MOST_CHANNELS = 60, 8


def section(context: Context, of: Material, found: Evaluation) -> None:
    """Sentence, remarks, the intervals, the shares, and both as one table."""
    plain_words = context.choice.plain
    names = [words.feature(name, plain=plain_words) for name in found.names]
    messages.lead(_lead(found, names))
    _remarks(found)
    kept = _kept(found)
    if found.bounds is not None and found.intervals is not None:
        groups = [one.name for one in of.groups]
        rows = [
            ToleranceRow(
                name, float(found.bounds.low[j]), float(found.bounds.high[j]),
                (float(found.intervals.low[0, j]), float(found.intervals.low[1, j])),
                (float(found.intervals.high[0, j]), float(found.intervals.high[1, j])),
                [pd.Series(one.table.values[:, j]).median() for one in of.groups],
            )
            for j, name in enumerate(names)
            if j in kept
        ]  # fmt: skip
        low, high = found.bounds.quantiles
        what = (
            f"from the {low:.0%} to the {high:.0%} quantile of {things(found.bounds.n_images, 'real image')}"
        )
        figure.show(context, tolerance_rows(rows, groups, of=what, theme=context.theme), key="tolerances")
        _legend(groups, context)
    shares = np.column_stack([one.share for one in found.everyone])
    everyone = [one.name for one in found.everyone]
    drawn = presence_map([names[j] for j in kept], everyone, shares[kept], theme=context.theme)
    figure.show(context, drawn, key="presence")
    _table(context, found)


def _kept(found: Evaluation) -> list[int]:
    """The features drawn: those of one channel where there are several, and where still too many, those that
    most often lie outside."""
    channels = list(dict.fromkeys(channel_of(name) for name in found.names))
    kept = list(range(len(found.names)))
    if 1 < len(channels) <= MOST_CHANNELS and len(kept) > MOST_DRAWN // 2:
        channel = select.segments("Channel", channels, keep=keys.CHANNEL, width="content")
        kept = [j for j in kept if channel_of(found.names[j]) == channel]
    if len(kept) > MOST_DRAWN:
        least = np.min([np.nan_to_num(one.share, nan=1.0) for one in found.groups], axis=0)
        st.caption(f"Drawn: the {MOST_DRAWN} of {things(len(kept), 'feature')} most often outside the range.")
        kept = sorted(sorted(kept, key=lambda j: least[j])[:MOST_DRAWN])
    return kept


def _legend(groups: list[str], context: Context) -> None:
    """Which mark is which group: shapes in words, since colour alone says nothing to some."""
    from evalcore.figures.theme import style_of

    shown = [
        f"**{md_escape(one)}** {style_of(one, groups, context.theme).symbol.replace('-', ' ')}"
        for one in groups
    ]
    st.caption(f"Marks: {', '.join(shown)}.")


def _lead(found: Evaluation, names: list[str]) -> str:
    lost = []
    for one in found.groups:
        gone = np.flatnonzero(one.share < 0.5)
        if len(gone):
            worst = gone[np.argsort(one.share[gone], kind="stable")][:3]
            what = listed([f"{names[j]} ({share(1 - float(one.share[j]))})" for j in worst])
            lost.append(
                f"**{md_escape(one.name)}**: {things(len(gone), 'feature')} outside the range in most "
                f"images, most often {md_escape(what)}"
            )
    if not lost:
        return (
            "In every group, every feature is within the range of real images in at least half of the images."
        )
    more = len(lost) - 2
    others = f"; {things(more, 'more group')} likewise" if more > 0 else ""
    return f"{'; '.join(lost[:2])}{others}."


def _remarks(found: Evaluation) -> None:
    """What the reader of the tolerances should know."""
    if not found.remarks.problems:
        return
    n = len(found.remarks.problems)
    with st.expander(f"{things(n, 'remark')} on the features", icon=":material/info:"):
        for one in found.remarks.problems[:REMARKS]:
            st.markdown(
                f"- **{md_escape(one.file)}**: {md_escape(one.message, limit=400)} {md_escape(one.remedy)}"
            )


def rows_of(found: Evaluation) -> pd.DataFrame:
    """One row a feature: weight, interval with the intervals of its ends, and the share of every group."""
    rows = pd.DataFrame({"feature": found.names, "weight": found.weights})
    if found.bounds is not None and found.intervals is not None:
        rows["low"], rows["high"] = found.bounds.low, found.bounds.high
        rows["low_from"], rows["low_to"] = found.intervals.low
        rows["high_from"], rows["high_to"] = found.intervals.high
        rows["n"], rows["constant"] = found.bounds.n, found.bounds.constant
    for one in found.everyone:
        rows[f"share {one.name}"] = one.share
    return rows


def _table(context: Context, found: Evaluation) -> None:
    rows = rows_of(found)
    shown = rows.rename(columns={
        "feature": "Feature", "weight": "Weight", "low": "Lower end", "high": "Upper end",
        "low_from": "Lower end from", "low_to": "Lower end to", "high_from": "Upper end from",
        "high_to": "Upper end to", "n": "Real images", "constant": "One value only",
        **{f"share {one.name}": plain(one.name) for one in found.everyone},
    })  # fmt: skip
    plain_words = context.choice.plain
    shown["Feature"] = [plain(words.feature(name, plain=plain_words)) for name in found.names]
    if plain_words:
        shown = shown.drop(columns=[one for one in shown.columns if one.endswith((" from", " to"))])
    numbers = [one for one in shown.columns if shown[one].dtype.kind == "f"]
    interval = ""
    if found.intervals is not None:
        interval = (
            f"Intervals of the ends: {found.intervals.level:.0%} percentile bootstrap over real images, "
            f"{things(found.intervals.n_resamples, 'resample')}, seed {found.intervals.seed}."
        )
    table.show(
        shown, key="synthetic-features", height=420, alt=f"Table of {things(len(rows), 'feature')}",
        file=context.stem("synthetic-features"), note=interval, saved=rows,
        columns={"Feature": st.column_config.TextColumn(pinned=True), **table.numbers("%.3g", *numbers)},
    )  # fmt: skip
