"""The view as files: a report as one file, and its figures for print."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from evalcore.evaluate import slices as slicing
from evalcore.figures.printed import why_unavailable
from evalcore.report.content import compute_report, figure_files
from evalcore.report.document import report
from evalcore.ui.components import download, fold, select
from evalcore.ui.frame import jobs, measures, state, studies
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.model import Study
from evalcore.values.progress import Progress
from evalcore.values.settings import View
from evalcore.values.writing import md_escape

MOST_WAYS = 5
"""Ways to slice the queries in a report."""


EXPORT = Key("export")
MEASURES, BY = Key("report", of_study=True), Key("report_by", of_study=True)
SWEEP = Key("report_sweep")
"""What a report and its figures hold: measures, slices, other settings of related concepts."""


def folded(context: Context) -> None:
    """The part of the page that makes files."""
    fold.section("Export: a report as one file, figures for print", section, context, param=EXPORT)


def section(context: Context) -> None:
    """What is to be in it, and two quiet buttons; what they make is made in the background."""
    study = studies.opened(context.entry.path)
    view, more = _wanted(context)
    left, right = st.columns(2, gap="medium")
    with left.container(border=True, key="take-report"):
        st.markdown(
            "**Report.** One file with verdict, figures, tables, method, settings and the commands that give "
            "the same numbers; to email, archive or print."
        )
        folder = context.entry.path.name

        def page(progress: Progress) -> bytes:
            return report(study, view, folder=folder, progress=progress, **more)

        _file(context, (view, more), "Make the report", "report.html", "text/html", page)
    with right.container(border=True, key="take-figures"):
        st.markdown(
            "**Figures for print.** Every figure of the comparison on a white background, as SVG and PDF, "
            "one or two journal columns wide (85 or 180 mm)."
        )
        if reason := why_unavailable():
            st.caption(md_escape(reason))
            return
        make = partial(_figures, study, view, more)
        _file(context, (view, more), "Make the figures", "figures.zip", "application/zip", make)


def _wanted(context: Context) -> tuple[View, dict[str, Any]]:
    """The measures, the slices and whether other settings are in the report and the figures."""
    choice, view = context.choice, context.choice.view
    offered = measures.selectable(context.study, choice.measure)
    names = {family: measure.shown(plain=choice.plain) for family, measure in offered.items()}
    state.follow_default(MEASURES)
    first, second, third = st.columns(3, gap="medium", vertical_alignment="bottom")
    with first:
        chosen = select.multiselect("Measures in it", names, param=MEASURES, first=list(names)[:1])
    with second:
        ways = select.several(
            "Queries by",
            slicing.offered(context.study),
            param=BY,
            first=(),
            most=MOST_WAYS,
            placeholder="All together",
        )
    with third:
        sweep = context.study.knows_neighbours and select.switch(
            "Other weights of related concepts", param=SWEEP
        )
    metrics = tuple(offered[family].label(choice.k) for family in chosen)
    return replace(view, metrics=metrics), {"by": tuple(ways), "sweep": sweep}


def _file(
    context: Context,
    wanted: tuple[View, dict[str, Any]],
    label: str,
    file: str,
    mime: str,
    work: Callable[[Progress], bytes],
) -> None:
    """The button, then the bar, then the file; another view begins with the button again."""
    # The study's name and description are in it too, which the digest does not cover.
    source, (what, _, ending) = str(context.entry.path), file.partition(".")
    requested = f"_{what}_of"
    key = f"{what}-{context.study.digest}-{digest_of(repr(wanted), source)}"
    if st.session_state.get(requested) != key:
        st.button(
            label,
            key=f"make-{what}",
            icon=":material/print:",
            on_click=state.set_plain,
            args=(requested, key),
        )
        return
    data = jobs.run(key, work, label=f"Making the {what}")
    if data is not None:
        size = f"{len(data) / 1e6:.1f} MB"
        download.file(
            f"Save {file} ({size})", data, f"{context.stem(what)}.{ending}", mime, key=f"save-{what}"
        )


def _figures(study: Study, view: View, more: dict[str, Any], progress: Progress) -> bytes:
    """All of them in a zip."""
    result = compute_report(study, view, **more, progress=lambda done, doing: progress(0.3 * done, doing))
    files = figure_files(
        result,
        formats=("svg", "pdf"),
        widths=("single", "double"),
        progress=lambda done, doing: progress(0.3 + 0.7 * done, doing),
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.writestr(zipfile.ZipInfo(file.file), file.data, zipfile.ZIP_DEFLATED)
    return out.getvalue()
