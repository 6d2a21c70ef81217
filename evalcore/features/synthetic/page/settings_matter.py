"""Sensitivity: the mean score of a group under other settings, and without each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.synthetic.figures import dropped_bars, settings_map
from evalcore.features.synthetic.page import scores, words, work
from evalcore.features.synthetic.weights import CHANNELS, UNIFORM
from evalcore.figures.numbers import all_things, number, things
from evalcore.stats.levels import SAME
from evalcore.ui.components import figure, messages, table
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.synthetic.evaluation.evaluate import Evaluation
    from evalcore.features.synthetic.evaluation.sensitivity import Sensitivity
    from evalcore.features.synthetic.page.choose import Chosen
    from evalcore.features.synthetic.read.material import Material
    from evalcore.ui.frame.context import Context
    from evalcore.values.arrays import Floats

WEIGHTINGS = {UNIFORM: "features alike", CHANNELS: "channels alike"}


def section(context: Context, of: Material, found: Evaluation, chosen: Chosen) -> None:
    """Sentence over all groups, then maps and bars of one."""
    matter = work.settings_matter(of, found, chosen)
    if matter is None:
        return
    messages.lead(_lead(matter))
    group = scores.group_of(found)
    k = matter.groups.index(group.name)
    how = found.settings
    now = None
    if how.beta in matter.betas and how.alpha in matter.alphas:
        now = matter.betas.index(how.beta), matter.alphas.index(how.alpha)
    drawn = settings_map(
        _texts(matter.alphas), _texts(matter.betas), matter.sides[k].T, group=group.name, now=now,
        theme=context.theme, axes=("weight of what is extra (alpha)", "weight of what is missing (beta)"),
    )  # fmt: skip
    figure.show(context, drawn, key="sides")
    if how.archetype == "tolerance":
        st.caption(
            "Compared with one archetype with every feature, alpha changes nothing: an image cannot have "
            "more than all."
        )
    _levels(context, matter, k, found)
    names = [words.feature(name, plain=context.choice.plain) for name in matter.names]
    change = matter.without[k] - group.distribution.mean
    figure.show(context, dropped_bars(names, change, group=group.name, theme=context.theme), key="dropped")
    rows = rows_of(matter)
    table.show(
        rows, key="synthetic-sensitivity", height=320, alt=f"Table of {things(len(rows), 'setting')}",
        file=context.stem("synthetic-sensitivity"), note=scores.method(found),
        columns=table.numbers("%.4f", "mean"),
    )  # fmt: skip


def _levels(context: Context, matter: Sensitivity, k: int, found: Evaluation) -> None:
    """Shares of the real images that a tolerance holds, by the two ways to weigh features."""
    if matter.by_level is None:
        return
    values = matter.by_level[k][np.newaxis]
    now = round(found.settings.quantiles[1] - found.settings.quantiles[0], 6)
    at = [j for j, level in enumerate(matter.levels) if abs(level - now) < 1e-9]
    drawn = settings_map(
        [f"{level:.0%}" for level in matter.levels], ["mean score"], values,
        axes=("middle share of the real images counted as within", ""), group=matter.groups[k],
        now=(0, at[0]) if at else None, theme=context.theme, what="how wide the tolerance is",
    )  # fmt: skip
    figure.show(context, drawn, key="levels", note=False)
    weighed = ", ".join(
        f"{WEIGHTINGS.get(name, name)} **{number(float(value))}**"
        for name, value in zip(matter.weightings, matter.by_weights[k], strict=True)
    )
    st.markdown(f"Weights: {weighed}.")


def _lead(matter: Sensitivity) -> str:
    """Do the settings change which group is best or worst?"""
    names, groups = matter.groups[1:], matter.sides[1:]
    known = np.isfinite(groups).all(axis=0)
    if len(names) < 2 or not known.any():
        low, high = (float(f(groups)) for f in (np.nanmin, np.nanmax)) if known.any() else (np.nan, np.nan)
        name = md_escape(names[0])
        return f"The mean score of **{name}** lies between **{number(low)}** and **{number(high)}**."
    rest = groups[:, known]
    apart = np.ptp(rest, axis=0) > SAME
    if not apart.any():
        return "Under every pair of alpha and beta, all groups are equally close to the real images."
    winners, counts = np.unique(rest[:, apart].argmax(axis=0), return_counts=True)
    first, n = names[int(winners[counts.argmax()])], int(apart.sum())
    if len(winners) == 1:
        level = f" (under {int((~apart).sum())} more all groups are level)" if not apart.all() else ""
        tell = "tells" if n == 1 else "tell"
        return (
            f"**{md_escape(first)}** is most like the real images under {all_things(n, 'pair')} of alpha and "
            f"beta that {tell} groups apart{level}."
        )
    return (
        f"**{md_escape(first)}** is most like the real images under {int(counts.max())} of {n} pairs of "
        "alpha and beta; under the others it is another group."
    )


def rows_of(matter: Sensitivity) -> pd.DataFrame:
    """One row a group and setting."""
    rows = []
    for k, group in enumerate(matter.groups):
        both = [f"{alpha:g}, {beta:g}" for alpha in matter.alphas for beta in matter.betas]
        rows += _rows(group, "alpha, beta", both, matter.sides[k].ravel())
        if matter.by_level is not None:
            rows += _rows(group, "level", _texts(matter.levels), matter.by_level[k])
        rows += _rows(group, "weights", matter.weightings, matter.by_weights[k])
        rows += _rows(group, "without", matter.names, matter.without[k])
    return pd.DataFrame(rows)


def _rows(group: str, what: str, settings: Sequence[str], values: Floats) -> list[dict[str, object]]:
    return [
        {"group": group, "what": what, "setting": one, "mean": value}
        for one, value in zip(settings, values.tolist(), strict=True)
    ]


def _texts(values: tuple[float, ...]) -> list[str]:
    return [f"{one:g}" for one in values]
