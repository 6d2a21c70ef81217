"""Labels from concepts on the data page: which concepts mean which label."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from evalcore.evaluate.labels_from_concepts import labels_below
from evalcore.results.study import below_text, images_table
from evalcore.study.parts.labels import LabelMap, label_rows, parse_label_map
from evalcore.study.workspace import kept_files as workspace
from evalcore.ui.components import download, fold, messages, select, table
from evalcore.ui.frame import pages
from evalcore.ui.frame.context import Context
from evalcore.values.errors import InputError
from evalcore.values.model import LabelColumn, Study
from evalcore.values.writing import md_escape

PART = "label_map"
TEMPLATE = b"column,label,cui\nmodality,CT,C0040405\nmodality,MRI,C0024485\norgan,brain,C0006104\n"
MOST_TYPED = 20_000
REACHES: tuple[int | None, ...] = (0, 1, 2, None)


def section(context: Context) -> None:
    """A part of the page, closed at first; nothing of a study whose images have no concepts."""
    if context.study.concepts.annotated.any():
        title = "Labels from concepts: which concepts mean which label"
        fold.section(title, _labels, context, param=pages.LABELLING)


def _labels(context: Context) -> None:
    study, label_map = context.study, _typed(context)
    if label_map is None:
        return
    reaches: dict[str, int | None] = {below_text(reach): reach for reach in REACHES}
    words = [*reaches] if study.graph is not None else [below_text(0)]
    reach = select.segments("Concepts that count", words, param=pages.REACH)
    try:
        labels = labels_below(study, label_map, reaches[reach])
    except InputError as reason:
        st.info(md_escape(str(reason), limit=300))
        return
    table.results_table(
        context,
        images_table(labels),
        key="labels-images",
        file="labels-images",
        note="A concept has the labels of the nearest concept of the table above it.",
        alt="How many images have each label",
        height=320,
    )
    download.csv(partial(_file, study, labels), "labels", label="labels.csv")


def _typed(context: Context) -> LabelMap | None:
    """The table of the workspace, from a file or typed, and what could be read of it; None without one."""
    about = "One row per concept: column (the type of label), label, cui."
    kept = download.uploader(PART, "Which concept means which label", template=TEMPLATE, help=about)
    data = b"" if kept is None else kept.content()
    if len(data) <= MOST_TYPED:
        widget = f"label-map-{'' if kept is None else kept.mark}"
        st.text_area(
            "Or type it",
            data.decode(errors="replace"),
            key=widget,
            height=160,
            max_chars=MOST_TYPED,
            placeholder=TEMPLATE.decode(),
            on_change=_write,
            args=(widget,),
        )
    if not data.strip():
        return None
    label_map, report = parse_label_map(data, file="the table", scheme=context.study.scheme)
    if report.problems:
        messages.problems(report, key="label-map")
    return label_map or None


def _write(widget: str) -> None:
    """Callback: keep what was typed."""
    data = str(st.session_state[widget]).encode()
    download.change(download.not_kept(PART), partial(workspace.keep_file, PART, "label_map.csv", data))


def _file(study: Study, labels: Mapping[str, LabelColumn]) -> pd.DataFrame:
    header, rows = label_rows(study, labels)
    return pd.DataFrame(rows, columns=list(header))
