"""The parts of the data page that bring studies in: sample, folder, zip, single files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.errors import CuiscopeError, InputError
from evalcore.model import Report
from evalcore.sources import workspace
from evalcore.ui import messages, state, studies
from evalcore.ui.data import KINDS
from evalcore.ui.format import things
from evalcore.ui.text import md_escape

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from evalcore.model import Study

PARTS = ("concepts", "captions", "labels", "label_map", "graph", "names", "images", "run", "embeddings")
OF_A_SYSTEM = ("run", "embeddings")
NOT_KEPT = "not-kept"
MAX_PART_MB = 100
NEW = "A new study"


def outcome() -> None:
    """What the last upload or opening led to; stays until the next one."""
    told = state.get(state.OUTCOME)
    if told is None:
        return
    kind, sentence, report = told
    {"good": st.success, "bad": st.error, "mixed": st.warning}[kind](sentence)
    if report is not None:
        messages.problems(report, key="outcome")


def section() -> None:
    """Four ways to bring a study in."""
    first, second = st.columns(2, gap="medium")
    with first:
        _sample()
        _folder()
        _zip()
    with second:
        _parts()


def _switch(path: Path) -> None:
    """Put the study of a folder on view."""
    workspace.remember(path)
    where = path.resolve()
    state.change_study(next(e.slug for e in studies.entries().values() if e.path.resolve() == where))


def _tell(kind: str, sentence: str, report: Report | None = None) -> None:
    shown = report if report is not None and report.problems else None
    state.set_plain(state.OUTCOME, (kind, sentence, shown))


def _guarded(action: Callable[[], None]) -> None:
    """Run a callback; what the user can mend becomes a message, and nothing loaded is lost."""
    try:
        action()
    except InputError as error:
        _tell("bad", md_escape(str(error)), error.report)
    except (CuiscopeError, OSError) as error:
        _tell("bad", md_escape(str(error)))


# ------------------------------------------------------------------------- sample and folder


def _sample() -> None:
    with st.container(border=True):
        st.markdown("**The sample study**")
        st.caption("Synthetic pictures with real findings and five computed systems. Nothing to install.")
        st.button("Use the sample", key="use-sample", icon=":material/science:", on_click=_open_sample)


def _open_sample() -> None:
    _guarded(lambda: _switch(studies.SAMPLE_FOLDER))
    _tell("good", "The sample study is open.")


def _folder() -> None:
    with st.container(border=True), st.form("folder", border=False):
        st.markdown("**A study folder on this computer**")
        st.text_input(
            "Path of the folder", key=state.FOLDER, placeholder="/home/me/my_study",
            help="The folder that holds concepts.csv. It is read where it is and never changed.",
        )  # fmt: skip
        st.form_submit_button(
            "Open folder", icon=":material/folder_open:", key="open-folder", on_click=_open_folder
        )


def _open_folder() -> None:
    def action() -> None:
        typed = str(state.get(state.FOLDER) or "").strip()
        if not typed:
            _tell("bad", "Type the path of a study folder first.")
            return
        path = Path(typed).expanduser()
        study = studies.opened(path)
        _switch(path)
        _tell("good", f"Opened **{md_escape(study.name)}** with {things(len(study.image_ids), 'image')}.")

    _guarded(action)


# ------------------------------------------------------------------------- zip


def _zip() -> None:
    with st.container(border=True), st.form("zip", border=False):
        st.markdown("**A study as one zip file**")
        st.file_uploader("study.zip", type="zip", key=state.ZIP, max_upload_size=MAX_PART_MB)
        st.form_submit_button("Add study", icon=":material/unarchive:", key="add-zip", on_click=_add_zip)


def _add_zip() -> None:
    def action() -> None:
        given: UploadedFile | None = state.get(state.ZIP)
        if given is None:
            _tell("bad", "Choose a zip file first.")
            return
        path, report = workspace.add_study_zip(workspace.safe_name(Path(given.name).stem), given.getvalue())
        if path is None:
            _tell("bad", f"{md_escape(given.name)} was not added; nothing else was changed.", report)
            return
        _switch(path)
        _tell(
            "mixed" if report.problems else "good", f"Added {md_escape(path.name)} to the workspace.", report
        )

    _guarded(action)


# ------------------------------------------------------------------------- single parts


def _parts() -> None:
    with st.container(border=True):
        st.markdown("**File by file**")
        st.caption(
            "Each file is checked before it is kept. The findings come first; "
            "everything else can follow in any order."
        )
        names = [NEW, *(path.name for path in workspace.studies())]
        target = st.selectbox("Add to", names, key=state.TARGET, persist_state="session")
        if target == NEW:
            st.text_input(
                "Name of the new study", "My study", key=state.NEW_NAME, persist_state="session", max_chars=80
            )
        kind = st.selectbox(
            "What the file is", PARTS, format_func=lambda k: KINDS[k], key=state.KIND, persist_state="session"
        )
        if kind in OF_A_SYSTEM:
            st.text_input(
                "Name of the system",
                "my_system",
                key=state.SYSTEM_NAME,
                persist_state="session",
                max_chars=80,
            )
        st.file_uploader("File", key=state.PART, max_upload_size=MAX_PART_MB, help=_expected(str(kind)))
        st.caption(_expected(str(kind)))
        st.button(
            "Add file", key="add-part", icon=":material/upload:", type="primary", on_click=_add_part,
            disabled=state.get(state.PART) is None,
        )  # fmt: skip


def _expected(kind: str) -> str:
    """What such a file looks like."""
    return {
        "concepts": "Rows such as image_1,C0040405;C0817096 under the header ID,CUIs.",
        "captions": "Rows such as image_1,CT of the chest under the header ID,Caption.",
        "labels": "One column per label type under a header such as ID,modality,organ.",
        "label_map": "Rows label_type,label,cui: labels are then derived from the findings.",
        "graph": "Rows child,parent (CSV), or MRREL.RRF, OBO, GraphML.",
        "names": "Rows cui,name (CSV), or MRCONSO.RRF.",
        "images": "A zip of JPEG, PNG or TIFF files named by image id.",
        "run": "TREC with six columns, CSV query,candidate,score, or JSON; also gzipped.",
        "embeddings": "npz with ids and vectors, or parquet.",
    }[kind]


def _add_part() -> None:
    def action() -> None:
        given: UploadedFile | None = state.get(state.PART)
        if given is None:
            _tell("bad", "Choose a file first.")
            return
        target = str(state.get(state.TARGET, NEW))
        name = str(state.get(state.NEW_NAME) or "My study") if target == NEW else target
        kind = str(state.get(state.KIND, PARTS[0]))
        folder = workspace.study_folder(workspace.safe_name(name))
        system = str(state.get(state.SYSTEM_NAME) or "my_system") if kind in OF_A_SYSTEM else None
        report = workspace.add_part(folder, kind, given.name, given.getvalue(), system=system)
        _told(folder, given.name, report, kind, system)

    _guarded(action)


def _told(folder: Path, filename: str, report: Report, kind: str, system: str | None) -> None:
    """Say what became of an upload, and open the study it belongs to when it can be opened."""
    file = md_escape(filename)
    if any(rule == NOT_KEPT for _, _, rule in report.counts):
        errors = things(report.total("error"), "error")
        _tell("bad", f"{file} was not kept ({errors}); what was loaded before is unchanged.", report)
        return
    try:
        study = studies.opened(folder)
    except InputError:
        _tell("mixed", f"{file} is kept. The study opens once its findings are there.", report)
        return
    _switch(folder)
    state.set_plain(state.TARGET, folder.name)
    report = _of_part(study, kind, system) or report
    n_errors = report.total("error")
    left_out = f"; {things(n_errors, 'error')} kept some of it out" if n_errors else ""
    kind_of_news = "mixed" if report.problems else "good"
    _tell(kind_of_news, f"{file} is part of **{md_escape(folder.name)}** now{left_out}.", report)


def _of_part(study: Study, kind: str, system: str | None) -> Report | None:
    """What the study found in the files of a part: more than the file alone tells (ids it does not know)."""
    name = workspace.safe_name(system) if system is not None else None
    files = [p.file for p in study.parts if p.kind == kind and name in (None, Path(p.file).parent.name)]
    return sum((study.report.of_file(file) for file in files), Report()) if files else None
