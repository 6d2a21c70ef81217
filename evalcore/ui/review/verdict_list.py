"""What readers say of links and labels, as a table and a file; and the study without the senseless links."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.figures.numbers import things
from evalcore.markdown import plain
from evalcore.review.verdict_table import verdict_rows
from evalcore.ui.components import table, tidy
from evalcore.ui.review import on_links, votes

if TYPE_CHECKING:
    from evalcore.review.verdict_table import VerdictRow
    from evalcore.ui.frame.context import Context

KINDS = {"link": "Link", "label": "Label", "missing": "Missing label"}
SAID = {
    ("link", "right"): "Makes sense", ("link", "wrong"): "Does not make sense",
    ("label", "right"): "Right", ("label", "wrong"): "Wrong",
    ("missing", "right"): "Missing", ("missing", "wrong"): "Not missing",
}  # fmt: skip
HOW = (
    "In the drawer “Why?” of the page Query and on the page Concepts, readers say whether a link of the "
    "terminology makes sense, and whether a label of an image is right, wrong or missing."
)


def section(context: Context) -> None:
    """The table with the votes; where there are none, how to give some."""
    said = votes.said_in(context)
    rows = verdict_rows(said, names=context.study.names, graph=context.study.graph)
    st.header("Links and labels", anchor=False)
    if not rows:
        st.caption(f"{HOW} Nobody has judged one yet.")
        return
    shown = pd.DataFrame(
        {
            "What": [KINDS[one.kind] for one in rows],
            "Concept": [plain(one.concept_name or one.concept, limit=80) for one in rows],
            "Under, or of the image": [
                plain(one.image or one.parent_name or one.parent, limit=80) for one in rows
            ],
            "Readers say": [SAID.get((one.kind, one.verdict), "No majority") for one in rows],
            "Yes": [one.right for one in rows],
            "No": [one.wrong for one in rows],
            "Cannot say": [one.cannot_say for one in rows],
        }
    )
    table.show(
        shown, key="verdict-table", alt=f"{things(len(rows), 'verdict')} on links and labels",
        file=context.stem("verdicts"), saved=tidy.studied(context, pd.DataFrame(map(_tidy, rows))),
        note=f"{HOW} Each reader has one vote on a thing, the last.",
    )  # fmt: skip
    on_links.leave_out(context, said)


def _tidy(one: VerdictRow) -> dict[str, object]:
    """A link or label in the file."""
    return asdict(one) | {"readers": "; ".join(one.readers)}
