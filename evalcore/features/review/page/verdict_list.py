"""What readers say of links and labels, as a table and a file, and what follows: senseless links and wrong
labels can be left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import streamlit as st

from evalcore.features.review.page import votes
from evalcore.features.review.verdicts import VerdictRow, by_image, carries, labels_judged_wrong, verdict_rows
from evalcore.study.left_out import in_words, pairs
from evalcore.study.workspace import workspace
from evalcore.ui.components import messages, table
from evalcore.ui.frame import permission
from evalcore.ui.frame.context import Context
from evalcore.values.markdown import md_escape, plain
from evalcore.values.model import Study
from evalcore.values.writing import count, things

KINDS = {"link": "Link", "label": "Label", "missing": "Missing label"}
SAID = {
    ("link", "right"): "Makes sense",
    ("link", "wrong"): "Does not make sense",
    ("label", "right"): "Right",
    ("label", "wrong"): "Wrong",
    ("missing", "right"): "Missing",
    ("missing", "wrong"): "Not missing",
}
HOW = (
    "In the “Why?” panel on the Query page and on the page Concepts, readers say whether a link of the "
    "terminology makes sense, and whether a label of an image is right, wrong or missing."
)
MOST = 12
"""Labels that are left out and have a button each."""
_OUTCOME = "labels_left_out"
_guarded = messages.guarded(_OUTCOME)


def section(context: Context) -> None:
    """The table with the votes; where there are none, how to give some."""
    said = votes.said_in(context)
    rows = verdict_rows(said, names=context.study.names, graph=context.study.graph)
    st.header("Links and labels", anchor=False)
    if not rows:
        st.caption(f"{HOW} No votes yet.")
        _wrong_labels(context, rows)
        return
    shown = pd.DataFrame(
        {
            "What": [KINDS[one.kind] for one in rows],
            "Concept": [plain(one.concept_name or one.concept, limit=80) for one in rows],
            "Under, or of the image": [
                plain(one.image or one.parent_name or one.parent, limit=80) for one in rows
            ],
            "Readers say": [SAID.get((one.kind, one.verdict), "No majority") for one in rows],
            "Counts": [_counts(context, one) for one in rows],
            "Yes": [one.right for one in rows],
            "No": [one.wrong for one in rows],
            "Cannot say": [one.cannot_say for one in rows],
        }
    )
    table.show(
        shown,
        key="verdict-table",
        alt=f"{things(len(rows), 'verdict')} on links and labels",
        file=context.stem("verdicts"),
        saved=table.studied(context, pd.DataFrame(map(_tidy, rows))),
        note=f"{HOW} Only a reader’s latest vote counts.",
    )
    votes.leave_out(context, said)
    _wrong_labels(context, rows)


def _counts(context: Context, one: VerdictRow) -> str:
    """What follows from a verdict so far: whether the link, or the label on its image, counts in scores."""
    if one.kind == "link":
        return "yes" if one.in_graph else "no"
    if one.concept in context.study.left_out.get(one.image, ()):
        return "left out"
    return "yes" if carries(context.study, one.image, one.concept) else "no"


def _tidy(one: VerdictRow) -> dict[str, object]:
    """A link or label in the file."""
    return asdict(one) | {"readers": "; ".join(one.readers)}


def _wrong_labels(context: Context, rows: Sequence[VerdictRow]) -> None:
    """The labels judged wrong that still count, and those left out, each with the way back."""
    study = context.study
    wrong = labels_judged_wrong(rows, study)
    messages.show(_OUTCOME)
    if not wrong and not study.left_out:
        return
    st.subheader("Labels judged wrong", anchor=False)
    may = permission.ask(context.entry, key="wrong-labels")
    if wrong:
        _still_counting(context, wrong, may=may)
    if study.left_out:
        _left_out(context, study, may=may)


def _still_counting(context: Context, wrong: Sequence[tuple[str, str]], *, may: bool) -> None:
    one = len(wrong) == 1
    with st.container(horizontal=True, vertical_alignment="center", key="wrong-labels"):
        st.markdown(
            f":material/rate_review: Readers judge {things(len(wrong), 'label')} wrong that still "
            f"{'counts' if one else 'count'} in every score.",
            width="content",
        )
        st.button(
            "Leave this label out" if one else "Leave these labels out",
            key="leave-labels-out",
            icon=":material/label_off:",
            disabled=not may,
            on_click=_leave_out,
            args=(context.entry.path, tuple(wrong)),
            help="All scores are then computed without it. Recorded in study.toml, can be undone.",
        )


def _left_out(context: Context, study: Study, *, may: bool) -> None:
    gone = pairs(study)
    st.markdown(f"{in_words(study)} Every score is computed without {'it' if len(gone) == 1 else 'them'}.")
    with st.container(horizontal=True, vertical_alignment="center", key="labels-left-out"):
        for image, label in gone[:MOST]:
            st.button(
                f"Use again: {md_escape(study.name_of(label), limit=40)} of {md_escape(image, limit=40)}",
                key=f"label-on-{image}-{label}",
                icon=":material/new_label:",
                disabled=not may,
                on_click=_use_again,
                args=(context.entry.path, ((image, label),)),
            )
        if len(gone) > MOST:
            st.markdown(f"and {count(len(gone) - MOST)} more", width="content")
        if len(gone) > 1:
            st.button(
                "Use all labels again",
                key="labels-all-on",
                type="tertiary",
                disabled=not may,
                on_click=_use_again,
                args=(context.entry.path, gone),
            )


@_guarded
def _leave_out(folder: Path, labels: Sequence[tuple[str, str]]) -> None:
    """Callback."""
    report = workspace.leave_out(folder, by_image(labels), in_place=permission.given(folder))
    n = len(labels)
    said = f"{things(n, 'label')} {'is' if n == 1 else 'are'} left out of every score now."
    messages.say(_OUTCOME, "good", said, report)


@_guarded
def _use_again(folder: Path, labels: Sequence[tuple[str, str]]) -> None:
    """Callback."""
    report = workspace.use_again(folder, by_image(labels), in_place=permission.given(folder))
    n = len(labels)
    messages.say(_OUTCOME, "good", f"{things(n, 'label')} {'counts' if n == 1 else 'count'} again.", report)
