"""The view to take home: a report as one file, and its figures for print."""

from __future__ import annotations

import io
import zipfile
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.arrays import digest_of
from evalcore.markdown import md_escape
from evalcore.report.document import report
from evalcore.report.files import figure_files, why_not
from evalcore.report.found import find
from evalcore.ui.components import download
from evalcore.ui.frame import jobs, state, studies
from evalcore.ui.frame.view import view_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.model import Study
    from evalcore.progress import Progress
    from evalcore.ui.frame.context import Context
    from evalcore.view import View

REPORT, FIGURES = "_report_of", "_figures_of"
"""What was asked for in this session: the keys of the jobs."""


def section(context: Context) -> None:
    """Two quiet buttons; what they make is made in the background."""
    st.header("Take it home", anchor=False)
    study, view = studies.opened(context.entry.path), view_of(context.choice)
    left, right = st.columns(2, gap="medium")
    with left.container(border=True, key="take-report"):
        st.markdown(
            "**Report.** One file with verdict, figures, tables, method, settings and the commands that give "
            "the same numbers; for mail, archive and print."
        )
        made = f"{date.today():%d %B %Y}"
        page = partial(_report, study, view, context.entry.path.name, made)
        data = _asked(context, view, REPORT, "Make the report", "report", page)
        if data is not None:
            download.file(
                f"Save report.html ({len(data) / 1e6:.1f} MB)", data, f"{context.stem('report')}.html",
                "text/html", key="save-report",
            )  # fmt: skip
    with right.container(border=True, key="take-figures"):
        st.markdown(
            "**Figures for print.** Light, as SVG and PDF, as wide as one column of a journal (85 mm) or "
            "two (180 mm)."
        )
        if reason := why_not():
            st.caption(md_escape(reason))
            return
        data = _asked(context, view, FIGURES, "Make the figures", "figures", partial(_figures, study, view))
        if data is not None:
            download.file(
                f"Save figures.zip ({len(data) / 1e6:.1f} MB)", data, f"{context.stem('figures')}.zip",
                "application/zip", key="save-figures",
            )  # fmt: skip


def _asked(
    context: Context, view: View, asked: str, label: str, what: str, work: Callable[[Progress], bytes]
) -> bytes | None:
    """The button, then the bar, then the file; another view begins with the button again."""
    key = f"{what}-{context.study.digest}-{digest_of(repr(view))}"
    if st.session_state.get(asked) != key:
        st.button(
            label, key=f"make-{what}", icon=":material/print:", on_click=state.set_plain, args=(asked, key)
        )
        return None
    return jobs.run(key, work, label=f"Making the {what}")


def _report(study: Study, view: View, folder: str, made: str, progress: Progress) -> bytes:
    return report(study, view, folder=folder, made=made, progress=progress).encode("utf-8", "replace")


def _figures(study: Study, view: View, progress: Progress) -> bytes:
    """All of them in a zip."""
    found = find(study, view, progress=lambda done, doing: progress(0.3 * done, doing))
    files = figure_files(
        found, formats=("svg", "pdf"), widths=("single", "double"),
        progress=lambda done, doing: progress(0.3 + 0.7 * done, doing),
    )  # fmt: skip
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in files:
            archive.writestr(zipfile.ZipInfo(one.file), one.data, zipfile.ZIP_DEFLATED)
    return out.getvalue()
