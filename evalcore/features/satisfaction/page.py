"""Satisfaction on the page Readers: which measure agrees with satisfied users, does the gain help?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from evalcore.features.satisfaction.agreement import Choices, Evaluation, too_narrow
from evalcore.features.satisfaction.data import (
    LISTS_TEMPLATE,
    RATINGS_TEMPLATE,
    Satisfaction,
    cleanse,
    parse_scale,
    read_study,
    usual_depths,
)
from evalcore.features.satisfaction.parts import PARTS, agreement
from evalcore.report.parts import Section
from evalcore.study.workspace import kept_files as workspace
from evalcore.study.workspace.kept_files import Kept
from evalcore.ui.components import download, figure, fold, messages, select, table
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.errors import CuiscopeError
from evalcore.values.writing import pluralize

SCALE, DEPTHS, WINDOW = Key("relevance_scale"), Key("rows"), Key("window")
FOLDED = {file: Key(file.replace("-", "_")) for file in PARTS}
"""What is closed at first."""
MAX_MB = 100
OFFERED = (1, 3, 5, 10, 15, 20)
RESAMPLES_OF_WINDOWS = 200
AUTOMATIC = "auto"
SCALES = {AUTOMATIC: "0 to the highest in the file"} | {
    f"{low}:{high}": f"{low} to {high}" for low, high in ((0, 1), (0, 2), (0, 3), (0, 4), (1, 5), (0, 100))
}
FILES = {
    "relevance": (
        "Relevance of what was shown",
        LISTS_TEMPLATE,
        "One row per image: query, its position and its row on the page, both counted from 1, and how "
        "relevant it is. −1 or −2: could not be judged. In a column `worker`: who judged, one row each.",
    ),
    "satisfaction": (
        "Satisfaction",
        RATINGS_TEMPLATE,
        "One row per query and person: query, user, satisfaction (any scale, higher is better); `session` or "
        "`task` if known.",
    ),
}
"""The files, with what is asked for, an example and what is in it."""


def show(context: Context) -> None:
    """The files, the answer with its figure, then every part of the paper."""
    data = _data()
    if data is None:
        return
    place = st.container()
    choices = _choices(context, data)
    try:
        clean = cleanse(data, depth=choices.depths[-1])
    except CuiscopeError as error:
        messages.failed(error, key="satisfaction-cleansed")
        return
    key = ("satisfaction", data.digest, repr(choices))
    evaluation = cache.cached(key, lambda: Evaluation(data, clean, choices))
    with place, st.spinner("Comparing the measures with satisfaction…"):
        agreed = agreement(evaluation, plain=context.choice.plain)
        messages.headline(agreed.answer)
        _figures(context, agreed)
        if few := too_narrow(evaluation):
            st.caption(f":material/warning: {few}")
        windows = replace(choices, windows=tuple(range(1, 21)), n_resamples=RESAMPLES_OF_WINDOWS)
        by_window = cache.cached((*key, "windows"), lambda: Evaluation(data, clean, windows))
        fold.section(PARTS["table-3"].title, _table, context, "table-3", agreed, param=FOLDED["table-3"])
        for file, about in (
            ("windows", by_window),
            *((file, evaluation) for file in ("table-2", "figure-3", "table-1")),
        ):
            fold.section(PARTS[file].title, _part, context, file, about, param=FOLDED[file])


def _part(context: Context, file: str, evaluation: Evaluation) -> None:
    """The answer, the figures and the table with its method."""
    with st.spinner("Computing…"):
        section = PARTS[file].section(evaluation)
        if section.answer:
            st.markdown(section.answer)
        _figures(context, section)
        _table(context, file, section)


def _figures(context: Context, section: Section) -> None:
    for name, drawn, _ in section.figures(context.theme):
        figure.show(context, drawn, key=f"satisfaction-{name}", file=f"satisfaction-{name}")


def _table(context: Context, file: str, section: Section) -> None:
    assert section.table is not None, "every part has one"
    name, rows, note = f"satisfaction-{file}", section.table, section.method
    alt = f"{PARTS[file].title}: {pluralize(len(rows.rows), 'row')}"
    table.results_table(context, rows, key=name, stem=name, alt=alt, note=note, height=480)


def _data() -> Satisfaction | None:
    """The ratings in the files kept; None, with what is missing, while there are none."""
    kept = workspace.kept_files()
    columns = st.columns(2, gap="medium")
    for column, (kind, (label, template, help)) in zip(columns, FILES.items(), strict=True):
        with column:
            download.uploader(kind, label, template=template, max_mb=MAX_MB, help=help)
    help = "The lowest and the highest relevance there can be. Values off this scale are reported."
    scale = select.selectbox("Relevance scale", SCALES, param=SCALE, width=260, help=help)
    if kept.keys() >= FILES.keys():
        return _read(kept, scale)
    with st.container(border=True, key="empty-satisfaction"):
        st.markdown("**Upload both files.**")
        st.caption(
            "Nothing is sent anywhere: files stay in the workspace of this program until you remove them. "
            "Every problem is listed with its line."
        )
    return None


def _read(kept: Mapping[str, Kept], scale: str) -> Satisfaction | None:
    """What could be read, with every problem; the rest of the page uses what is sound."""
    lists, rated = (kept[part] for part in FILES)
    ends = None if scale == AUTOMATIC else parse_scale(scale)
    names = (lists.name, rated.name)
    try:
        data, report = cache.cached(
            ("satisfaction files", lists.mark, rated.mark, scale),
            lambda: read_study(lists.content(), rated.content(), names=names, scale=ends),
        )
    except CuiscopeError as error:
        messages.failed(error, key="satisfaction-unread")
        return None
    if errors := report.total("error"):
        left_out = "Nothing can be used." if data is None else "The rows concerned are left out."
        st.error(f"{pluralize(errors, 'problem')} in the files. {left_out}", icon=":material/error:")
    messages.problems(report, key="satisfaction-problems")
    if data is None and not errors:
        st.info("No query has both a list and a rating.", icon=":material/info:")
    return data


def _choices(context: Context, data: Satisfaction) -> Choices:
    """Rows counted and, at Expert, the window of the gain."""
    usual, window = usual_depths(data), Choices().window
    state.follow_default(DEPTHS)
    with select.row():
        depths = select.multiselect(
            "Result rows counted",
            [str(depth) for depth in sorted({*OFFERED, *usual})],
            param=DEPTHS,
            width=280,
            first=[str(depth) for depth in usual],
            help="Only the first rows count. Several depths are compared side by side.",
        )
        if not context.choice.plain:
            window = select.integer("Window", 1, 100, param=WINDOW, first=window, width=110)
    return Choices(depths=tuple(map(int, depths)), window=window)
