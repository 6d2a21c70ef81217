"""Whose results are alike? Rank-biased overlap and shared results of every two of the chosen systems."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.pairs import overlap
from evalcore.evaluate.seeds import about_lists
from evalcore.figures.many import overlap_matrix
from evalcore.figures.numbers import number, span, things
from evalcore.ui.compare import keys
from evalcore.ui.components import figure, select, table
from evalcore.ui.frame import cache
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.evaluate.pairs.overlap import Overlaps
    from evalcore.ui.frame.context import Context

DEPTHS = (10, 20, 50, 100, 200)
WIDTH = 220


def show(context: Context, *, clicked: Callable[[Sequence[str]], None]) -> None:
    """The choice of depth and persistence, the matrix, the table."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        depth = select.amount(
            "Results compared", DEPTHS, 1, overlap.MOST_DEPTH, keep=keys.DEPTH, first=overlap.DEPTH,
            width=WIDTH,
        )  # fmt: skip
        p = select.number(
            "Persistence p", 0.05, 0.99, keep=keys.PERSISTENCE, first=overlap.P, step=0.05, width=WIDTH,
            help="How likely a reader is to go on to the next result. With 0.9 the first ten results have "
            "86% of the weight.",
        )  # fmt: skip
    found = _found(context, depth, p)
    st.markdown(_in_words(found))
    for line in about_lists(context.study, context.choice.systems):
        st.caption(md_escape(line))
    figure.show(
        context, overlap_matrix(found, theme=context.theme), key=f"overlap-{context.study.digest}",
        file="overlap", clicked=clicked, square=True,
    )  # fmt: skip
    _table(context, found)


def _found(context: Context, depth: int, p: float) -> Overlaps:
    study, choice = context.study, context.choice
    k = min(choice.k, depth)
    return cache.remember(
        ("overlap", study.digest, repr(choice.settings), choice.systems, depth, k, p),
        lambda: overlap.overlaps(study, choice.systems, depth=depth, k=k, p=p, settings=choice.settings),
        spinner="Comparing the results of every two systems…",
    )


def _in_words(found: Overlaps) -> str:
    known = sorted((one for one in found.pairs if not isnan(one.rbo)), key=lambda one: one.rbo)
    if not known:
        return "No two systems answer the same query."
    most, least = known[-1], known[0]
    sentence = (
        f"The results of **{md_escape(most.a)}** and **{md_escape(most.b)}** are the most alike (overlap "
        f"**{number(most.rbo)}**, {span(most.rbo_low, most.rbo_high)}; {number(found.k * most.shared)} of "
        f"the first {found.k:,} shared)"
    )
    if least is most:
        return f"{sentence}."
    return (
        f"{sentence}, those of **{md_escape(least.a)}** and **{md_escape(least.b)}** the least "
        f"({number(least.rbo)}, {number(found.k * least.shared)} of {found.k:,})."
    )


def _table(context: Context, found: Overlaps) -> None:
    saved = pd.DataFrame(
        [
            {
                "a": one.a, "b": one.b, "rbo": one.rbo, "rbo_ci_low": one.rbo_low,
                "rbo_ci_high": one.rbo_high, "rbo_at_least": one.at_least, "rbo_at_most": one.at_most,
                "shared": one.shared, "shared_ci_low": one.shared_low, "shared_ci_high": one.shared_high,
                "n": one.n, "left_out": one.left_out, "depth": found.depth, "k": found.k, "p": found.p,
                "method": one.method, "seed": found.seed, "where": "; ".join(context.choice.where),
            }
            for one in found.pairs
        ]
    )  # fmt: skip
    level = f"{found.level:.0%}"
    shared = f"Shared of {found.k:,}"
    shown = pd.DataFrame(
        {
            "System": [plain(name, limit=60) for name in saved["a"]],
            "And": [plain(name, limit=60) for name in saved["b"]],
            "Overlap": saved["rbo"],
            f"{level} interval": [span(one.rbo_low, one.rbo_high) for one in found.pairs],
            "Bounds": [span(one.at_least, one.at_most) for one in found.pairs],
            shared: saved["shared"],
            f"{level} interval ": [span(one.shared_low, one.shared_high) for one in found.pairs],
            "Queries": saved["n"],
            "Left out": saved["left_out"],
        }
    )
    first = found.pairs[0]
    table.show(
        shown, key="overlap-table", file=context.stem("overlap"), saved=saved, placeholder="–",
        note=f"Rank-biased overlap, p = {found.p:g}, of the first {things(found.depth, 'result')}; bounds: "
        f"whatever comes below; left out: not answered by both; intervals: {md_escape(first.method)}, "
        f"{found.n_resamples:,} resamples, seed {found.seed}{context.chosen}.",
        alt=f"Table of the overlap of {things(len(found.pairs), 'pair')} of systems",
        columns=table.numbers("%.3f", "Overlap", shared),
    )  # fmt: skip
