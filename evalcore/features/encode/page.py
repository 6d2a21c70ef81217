"""First systems for a study, made here out of its own images and captions, in the background."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from evalcore.features.encode.baselines import BASELINES
from evalcore.features.encode.encoding import encodable, make_system
from evalcore.study.tables.problems import Problems
from evalcore.study.workspace.home import without_home
from evalcore.ui.components import intake
from evalcore.ui.components.messages import Kind
from evalcore.ui.frame import jobs, pages, state, studies
from evalcore.ui.frame.context import Context
from evalcore.values.errors import InputError, Report
from evalcore.values.model import Study
from evalcore.values.progress import Progress, part_of
from evalcore.values.writing import listed, md_escape

TITLE = "Make first systems from the images and captions"


class Request(NamedTuple):
    """Which baselines are wanted of a folder, and the study as it was then."""

    folder: Path
    names: tuple[str, ...]
    digest: str

    @property
    def key(self) -> str:
        """Of the job."""
        return f"encode {self.folder} {self.digest} {self.names}"


def section(context: Context, may: bool) -> None:
    """What can be made, the button, and how far it is; ``may``: the study may be changed."""
    study, reads = context.study, encodable(context.study)
    st.header(TITLE, anchor="first-systems")
    if not reads:
        st.info(
            "This study has neither pictures nor captions. Add one of them under “Open or upload” to make "
            "first systems here.",
            icon=":material/image:",
        )
        return
    names = tuple(name for name, baseline in BASELINES.items() if baseline.what in reads)
    wanted = Request(context.entry.path, names, study.digest)
    st.markdown(
        "The program can make simple search systems by itself. They compare brightness, texture and shape, "
        "or the words of the captions, and do not understand the image. Any useful system should beat them. "
        "Annotations are not needed."
    )
    titles = listed([BASELINES[name].title for name in names], limit=len(names))
    st.caption(f"{titles}. Existing ones are updated.")
    request: Request | None = state.get(pages.ENCODING)
    st.button(
        "Make these systems",
        key="make-systems",
        icon=":material/auto_awesome:",
        type="primary" if may else "secondary",
        disabled=not may or (request == wanted and jobs.began(wanted.key)),
        on_click=_ask,
        args=(wanted,),
    )
    if request is not None and request.folder == context.entry.path:
        _work(context, request)


def _ask(request: Request) -> None:
    """Callback: begin, anew where it was stopped before."""
    jobs.forget(request.key)
    state.set_plain(pages.ENCODING, request)


def _work(context: Context, request: Request) -> None:
    """The job; when it is over, what came of it stands above the page and the study is read again."""
    result = jobs.run(request.key, _job(context.study, request), label="Making systems")
    if result is None:
        return
    state.drop(pages.ENCODING)
    jobs.forget(request.key)
    made, report = result
    names = listed([f"**{md_escape(name)}**" for name in made], limit=len(BASELINES))
    done = f"Made {names}. They are systems of this study now." if made else "No system was made."
    kind: Kind = "bad" if not made else "mixed" if report.problems else "good"
    intake.announce(kind, done, report)
    state.show_again()
    st.rerun()


def _job(study: Study, request: Request) -> Callable[[Progress], tuple[list[str], Report]]:
    """The systems that were made, and what was left out of them; one that could not be made is an error."""
    in_place = studies.given(request.folder)

    def work(progress: Progress) -> tuple[list[str], Report]:
        made, reports, problems = [], [], Problems(study.name)
        for k, name in enumerate(request.names):
            encoder, n = BASELINES[name], len(request.names)
            part = part_of(progress, k, n, name=encoder.title)
            try:
                encoded = make_system(study, request.folder, encoder, in_place=in_place, progress=part)
            except InputError as reason:
                problems.error("not-made", f"{name} could not be made: {without_home(str(reason))}", "")
                reports.append(reason.report or Report())
            else:
                made.append(name)
                reports.append(encoded.report)
        return made, Report.joined([problems.report(), *reports])

    return work
