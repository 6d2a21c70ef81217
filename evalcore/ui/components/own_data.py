"""The one way to bring files in: drop them, see what each is, correct that, and add them to a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from evalcore.study.parts.recognise import STUDY, UNKNOWN, Recognised, recognise, recognise_as
from evalcore.study.parts.recognise import missing as missing_parts
from evalcore.study.parts.registry import IN_UPLOADS, KINDS
from evalcore.study.workspace.home import is_uploaded
from evalcore.study.workspace.uploads import has_part
from evalcore.ui.components import intake, messages
from evalcore.ui.frame import pages, state, studies
from evalcore.ui.frame.context import Context, StudyEntry
from evalcore.values.account import current_limits
from evalcore.values.errors import Report
from evalcore.values.writing import listed, md_escape

TITLE = "Use your own data"
MAX_MB = 100
LEAVE_OUT = "Leave out"
_WIDTHS = (1.4, 1, 1)
ACCEPTED = (
    "rankings (TREC, JSON, CSV), concepts, captions, labels, images, a concept graph, vectors, or a zip of a "
    "study or of images."
)
_HELP = "\n".join(f"- **{KINDS[kind].title}**: {KINDS[kind].expected}" for kind in IN_UPLOADS)


def section(context: Context | None) -> None:
    """Where files are dropped; below it, once there are some, what they are and where they go."""
    entry = context.entry if context is not None else None
    if entry is not None and entry.slug != studies.SAMPLE and not is_uploaded(entry.path):
        studies.ask(entry, key="parts")
    key, limits = state.uploader_key(pages.FILES), current_limits()
    uploads = st.file_uploader(
        f"Drop one file or several: {ACCEPTED}",
        accept_multiple_files=True,
        key=key,
        max_upload_size=MAX_MB if limits is None else max(1, limits.file_bytes >> 20),
        help=_HELP,
    )
    if uploads:
        _review(_recognised(uploads), entry)
    else:
        state.drop(pages.RECOGNISED)  # it holds what the files hold
        if st.session_state.get(key):  # the browser still lists what the program no longer has
            st.warning(
                "The program was started again before these files were added. Choose them again.",
                icon=":material/upload_file:",
            )


def _recognised(uploads: Sequence[st.runtime.uploaded_file_manager.UploadedFile]) -> tuple[Recognised, ...]:
    """What the files are; read again only when others are dropped."""
    ids = tuple(upload.file_id for upload in uploads)
    before = state.get(pages.RECOGNISED)
    if before is None or before[0] != ids:
        with st.spinner("Reading the files…"):
            before = ids, recognise((upload.name, upload.getvalue()) for upload in uploads)
        st.session_state[pages.RECOGNISED] = before
    result: tuple[Recognised, ...] = before[1]
    return result


def _review(files: tuple[Recognised, ...], entry: StudyEntry | None) -> None:
    """The table of files, what is missing, every problem, and the one button."""
    left, right = st.columns(2, vertical_alignment="bottom")
    folders = {intake.A_NEW_STUDY: None, **intake.targets()}
    alone = any(file.kind in (STUDY, "concepts") for file in files) or entry is None
    here = None if alone or entry is None else entry.path
    target = left.selectbox(
        "Add to",
        list(folders),
        list(folders.values()).index(here) if here in folders.values() else 0,
        key=pages.TARGET,
        persist_state="session",
    )
    folder = folders.get(str(target))
    if folder is None:
        right.text_input(
            "Name of the new study",
            intake.FIRST_NAME,
            key=pages.NEW_NAME,
            persist_state="session",
            max_chars=80,
        )
    mark = files[0].file + str(len(files))
    with st.container(key="files-to-add"):
        heads = ("File", "What it is", "Name of the system" if any(file.system for file in files) else "")
        with st.container(key="files-heads-drawn"):
            for place, head in zip(st.columns(_WIDTHS), heads, strict=True):
                place.caption(head)
        shown = tuple(_row(file, f"{i}-{mark}", folder) for i, file in enumerate(files))
    _missing(folder, shown)
    messages.problems(sum((file.report for file in shown), Report()), key="problems-of-files")
    kept = [file for file in shown if file.kind != UNKNOWN]
    st.button(
        "Replace and add" if any(intake.replaced(folder, file) for file in kept) else "Add and compare",
        key="add-files",
        type="primary",
        icon=":material/check:",
        disabled=not kept,
        on_click=intake.add_files,
        args=(kept, str(target)),
    )


def _row(file: Recognised, mark: str, folder: Path | None) -> Recognised:
    """One file: its name and content, what it is, and the name of its system; as the reader corrected it."""
    name, what, called = st.columns(_WIDTHS, vertical_alignment="center")
    offered = [*([STUDY] if file.kind == STUDY else IN_UPLOADS), UNKNOWN]
    kind = what.selectbox(
        "What it is",
        offered,
        offered.index(file.kind),
        format_func=lambda offer: Recognised("", offer, b"").title if offer else LEAVE_OUT,
        key=f"{pages.KIND_OF_FILE}-{mark}",
        label_visibility="collapsed",
    )
    if kind != file.kind:
        file = recognise_as(file, kind)
    if file.system:
        typed = called.text_input(
            "Name of the system",
            file.system,
            key=f"{pages.SYSTEM_OF_FILE}-{mark}",
            max_chars=80,
            label_visibility="collapsed",
        )
        file = replace(file, system=" ".join(typed.split()) or file.system)
    holds = f"  \n:gray[{md_escape(file.holds, limit=200)}]" if file.holds else ""
    lost = "Pictures of the same name are replaced" if file.kind == "images" else "Replaces what is there"
    over = f"  \n:orange[{lost}]" if intake.replaced(folder, file) else ""
    name.markdown(f"**{md_escape(Path(file.file).name, limit=60)}**{holds}{over}")
    return file


def _missing(folder: Path | None, files: Sequence[Recognised]) -> None:
    """The parts that are neither in the study nor among the files, with what each would add."""
    there = {file.kind for file in files}
    if STUDY in there:
        return
    there |= {kind for kind in IN_UPLOADS if folder is not None and has_part(folder, kind)}
    lacks = missing_parts(there)
    if lacks:
        each = [f"**{KINDS[kind].title.removeprefix('System: ')}** ({adds})" for kind, adds in lacks.items()]
        st.caption(f"Can be added later: {listed(each)}.")
