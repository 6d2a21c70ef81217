"""Do readers agree with each other, and how much have they judged?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.features.review.page_people import sentences
from evalcore.ui.components import table, tidy
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from evalcore.features.review.readers.results import ReaderResults
    from evalcore.ui.frame.context import Context


def between(context: Context, found: ReaderResults) -> None:
    """The sentence on grades and on votes, and every two readers as a table."""
    st.header(f"Do {sentences.who(found)} agree with each other?", anchor=False)
    simple, simulated = context.choice.plain, sentences.all_simulated(found)
    kinds = (("grades", found.between), ("votes", found.between_votes))
    for what, one in kinds:
        if one.n_items:
            st.markdown(sentences.between(one, simulated, what, plain=simple))
    pairs = [(what, p, one.weights) for what, one in kinds for p in one.pairs if p.n]
    if not pairs:
        return
    kappa = "Agreement beyond chance" if simple else "Cohen’s κ"
    shown = pd.DataFrame(
        {
            "Readers": [plain(f"{p.a} and {p.b}") for _, p, _ in pairs],
            "On": [what for what, _, _ in pairs],
            "Judged by both": [p.n for _, p, _ in pairs],
            "Same answer": [100 * p.same for _, p, _ in pairs],
            kappa: [p.kappa for _, p, _ in pairs],
        }
        | ({} if simple else {"Weights": [weights for _, _, weights in pairs]})
    )  # fmt: skip
    saved = pd.DataFrame(
        [
            {"on": what, "a": p.a, "b": p.b, "n": p.n, "same": p.same, "cohen_kappa": p.kappa,
             "weights": weights}
            for what, p, weights in pairs
        ]
    )  # fmt: skip
    table.show(
        shown, key="reader-pairs", alt="Agreement of every two readers", file=context.stem("readers"),
        saved=tidy.counted(context, saved),
        columns=table.numbers("%.0f%%", "Same answer") | table.numbers("%.2f" if simple else "%.3f", kappa),
    )  # fmt: skip


def coverage(context: Context, found: ReaderResults) -> None:
    """The sentence on what was not judged, and every system as a table."""
    st.header("How much has been judged?", anchor=False)
    st.markdown(sentences.coverage(found.coverage, plain=context.choice.plain))
    rows, share = found.coverage, f"Judged of the first {found.coverage[0].k}"
    shown = pd.DataFrame(
        {
            "System": [plain(one.system) for one in rows],
            share: [100 * one.share for one in rows],
            "Judged": [one.judged for one in rows],
            "Cannot say": [one.cannot_say for one in rows],
            "Not judged": [one.unjudged for one in rows],
        }
    )
    saved = pd.DataFrame(
        [
            {"system": one.system, "k": one.k, "judged": one.judged, "cannot_say": one.cannot_say,
             "unjudged": one.unjudged, "queries": one.n_queries, "share": one.share}
            for one in rows
        ]
    )  # fmt: skip
    table.show(
        shown, key="judged-at-k", alt="Share of the first results of each system that was judged",
        file=context.stem("judged"), saved=tidy.counted(context, saved),
        columns={share: st.column_config.ProgressColumn(format="%.0f%%", min_value=0, max_value=100)},
    )  # fmt: skip
