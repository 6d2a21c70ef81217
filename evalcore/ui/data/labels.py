"""Labels from concepts on the data page: which concepts mean which label, and how scores depend on it."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from evalcore.evaluate.labels_from_concepts import (
    LabelChoice,
    in_words,
    label_choices,
    labels_below,
    map_below,
)
from evalcore.results.study import (
    below_text,
    by_choice_table,
    choices_table,
    images_table,
    label_rows,
    reach_text,
)
from evalcore.study.concepts.labels import LabelMap, parse_label_map
from evalcore.study.workspace import kept_files as workspace
from evalcore.ui.components import download, fold, messages, select, table, vocabulary
from evalcore.ui.frame import jobs, pages
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import Labels, Study
from evalcore.values.progress import Progress
from evalcore.values.settings import Settings
from evalcore.values.writing import md_escape

PART = "label_map"
TEMPLATE = b"column,label,cui\nmodality,CT,C0040405\nmodality,MRI,C0024485\norgan,brain,C0006104\n"
NOT_DONE = "label_map_not_done"
MAX_MB, MOST_TYPED = 20, 20_000
TABLE, CONCEPT = "table", "concept"
REACHES: tuple[int | None, ...] = (0, 1, 2, None)


def section(context: Context) -> None:
    """A part of the page, closed at first; nothing of a study whose images have no concepts."""
    if context.study.concepts.annotated.any():
        fold.section(
            "**Labels from concepts**: which concepts mean which label, and what P@k says then",
            _labels,
            context,
            keep=pages.LABELLING,
        )


def _labels(context: Context) -> None:
    study = context.study
    ways = {TABLE: "A table"} | ({CONCEPT: "What is below a concept"} if study.graph is not None else {})
    way = select.segments("Labels by", ways, keep=pages.LABELS_BY)
    if way == CONCEPT:
        cui = vocabulary.pick(study, "Concept", pages.BELOW, "")
        label_map = _below(context, cui) if cui else None
    else:
        label_map = _typed(context)
    if label_map is None:
        return
    types = tuple(label_map.types)
    columns = [*types, *(["&".join(types[:2])] if len(types) > 1 else [])]
    metrics = [f"P({name})@{context.choice.k}" for name in columns]
    settings = context.choice.settings
    result = jobs.run(
        f"labels-{digest_of(study.digest, repr((label_map.types, metrics, settings)))}",
        partial(_made, study, label_map, metrics, settings),
        label="Scoring under each choice of labels",
    )
    if result is not None:
        _result(context, *result)


def _below(context: Context, cui: str) -> LabelMap | None:
    """The labels one link below a concept; None, with the reason, where there are none."""
    try:
        return map_below(context.study, cui)
    except InputError as reason:
        st.info(md_escape(str(reason), limit=300))
        return None


def _typed(context: Context) -> LabelMap | None:
    """The table of the workspace, from a file or typed, and what could be read of it; None without one."""
    kept = workspace.kept_files().get(PART)
    download.uploader(
        PART,
        "Which concept means which label",
        kept,
        template=TEMPLATE,
        max_mb=MAX_MB,
        wrong=NOT_DONE,
        help="One row per concept: column (the type of label), label, cui.",
    )
    download.not_done(NOT_DONE)
    data = b"" if kept is None else workspace.content(kept)
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
    return label_map if label_map.types else None


def _write(widget: str) -> None:
    """Callback: keep what was typed."""
    data = str(st.session_state[widget]).encode()
    download.change(NOT_DONE, partial(workspace.keep_file, PART, "label_map.csv", data))


def _made(
    study: Study, label_map: LabelMap, metrics: list[str], settings: Settings, progress: Progress
) -> tuple[dict[int | None, Labels], tuple[LabelChoice, ...]]:
    """The labels under every choice that gives an image one, and what the systems score under each."""
    every: dict[int | None, Labels] = {}
    for reach in REACHES if study.graph is not None else (0,):
        try:
            every[reach] = labels_below(study, label_map, reach)
        except InputError:
            if reach is None or study.graph is None:
                raise
    rows = label_choices(
        study, label_map, reaches=list(every), metrics=metrics, settings=settings, progress=progress
    )
    return every, rows


def _result(context: Context, every: dict[int | None, Labels], rows: tuple[LabelChoice, ...]) -> None:
    st.markdown(md_escape(in_words(rows)))
    table.declared(
        context,
        by_choice_table(rows),
        key="labels-scores",
        file="labels-scores",
        note="A concept has the labels of the nearest concept of the table above it. The file has intervals.",
        alt="The measure of each system under each choice of labels",
        saved=choices_table(rows),
        height=320,
    )
    table.declared(
        context,
        images_table(every),
        key="labels-images",
        file="labels-images",
        note="Images that have each label.",
        alt="How many images have each label under each choice",
        height=320,
    )
    words = {reach_text(reach): below_text(reach) for reach in every}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = select.segments("Concepts that count in the file", words, keep=pages.REACH)
        labels = next(of for reach, of in every.items() if reach_text(reach) == chosen)
        download.csv(partial(_file, context.study, labels), "labels", label="labels.csv")


def _file(study: Study, labels: Labels) -> pd.DataFrame:
    header, rows = label_rows(study, labels)
    return pd.DataFrame(rows, columns=list(header))
