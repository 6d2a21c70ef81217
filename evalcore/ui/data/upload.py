"""The parts of the data page that bring studies in: sample, folder, zip, single files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.study.folder.kinds import IN_UPLOADS, KINDS
from evalcore.study.workspace import workspace
from evalcore.ui.data import captioned, cluster, intake, keys, permission
from evalcore.ui.frame import state
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from evalcore.ui.frame.context import Context

MAX_PART_MB = 100
EXPECTED = {
    "concepts": "Rows such as image_1,C0040405;C0817096 under the header ID,CUIs; "
    "other ids such as HP:0002088 too.",
    "captions": "Rows such as image_1,CT of the chest under the header ID,Caption.",
    "labels": "One column per label type under a header such as ID,modality,organ.",
    "groups": "Rows such as img_1,p_17 under the header ID,patient: which images belong together.",
    "label_map": "Rows label_type,label,cui: labels are then derived from the concepts.",
    "graph": "Rows child,parent (CSV), or MRREL.RRF, OBO, OBO Graphs (.json), SKOS (.ttl), OWL, GraphML. "
    "An ontology names its concepts too. “What was read” offers its relation types.",
    "mapping": "An SSSOM table (.sssom.tsv), or rows from,to: what ids of another vocabulary are here.",
    "concept_vectors": "word2vec (text or binary), cui2vec’s CSV, .npz or .parquet. No pickles.",
    "concept_kinds": "Rows such as C0032227,finding under the header cui,kind, or MRSTY.RRF.",
    "names": "Rows cui,name (CSV), or MRCONSO.RRF.",
    "images": "A zip of JPEG, PNG or TIFF files named by image id.",
    "run": "TREC with six columns, CSV query,candidate,score, or JSON; also gzipped.",
    "embeddings": "npz with ids and vectors, or parquet.",
}
"""What a file of each kind looks like."""


def section(context: Context | None = None) -> None:
    """Five ways to bring a study in; ``context``: the study on view, if one is open."""
    if why := workspace.why_nothing_is_kept():
        st.warning(f"Nothing can be kept. {md_escape(why, limit=600)}", icon=":material/folder_off:")
    first, second = st.columns(2, gap="medium")
    with first:
        _sample()
        _folder()
        _zip()
        captioned.form(MAX_PART_MB)
    with second:
        _parts(context)
    cluster.section()


def _sample() -> None:
    with st.container(border=True):
        st.markdown("**The sample study**")
        st.caption("Synthetic pictures with real concepts and five computed systems. Nothing to install.")
        st.button("Use the sample", key="use-sample", icon=":material/science:", on_click=intake.open_sample)


def _folder() -> None:
    with st.container(border=True), st.form("folder", border=False):
        st.markdown("**A study folder on this computer**")
        st.text_input(
            "Path of the folder", key=keys.FOLDER, placeholder="/home/me/my_study",
            help="The folder that holds concepts.csv. It is read in place and changes only if you allow it.",
        )  # fmt: skip
        st.form_submit_button(
            "Open folder", icon=":material/folder_open:", key="open-folder", on_click=intake.open_folder
        )


def _zip() -> None:
    with st.container(border=True), st.form("zip", border=False):
        st.markdown("**A study as one zip file**")
        st.file_uploader("study.zip", type="zip", key=state.emptied(keys.ZIP), max_upload_size=MAX_PART_MB)
        st.form_submit_button(
            "Add study", icon=":material/unarchive:", key="add-zip", on_click=intake.add_zip
        )


def _parts(context: Context | None) -> None:
    with st.container(border=True):
        st.markdown("**File by file**")
        st.caption(
            "Each file is checked before it is saved. Start with the concepts; "
            "everything else can follow in any order."
        )
        if context is not None and not workspace.is_uploaded(context.entry.path):
            permission.ask(context.entry, key="parts")
        names = [intake.A_NEW_STUDY, *intake.targets()]
        target = st.selectbox("Add to", names, key=keys.TARGET, persist_state="session")
        if target == intake.A_NEW_STUDY:
            st.text_input(
                "Name of the new study", intake.FIRST_NAME, key=keys.NEW_NAME, persist_state="session",
                max_chars=80,
            )  # fmt: skip
        kind = st.selectbox(
            "Type of file", IN_UPLOADS, format_func=lambda k: KINDS[k].title, key=keys.KIND,
            persist_state="session",
        )  # fmt: skip
        if KINDS[kind].of_a_system:
            st.text_input(
                "Name of the system", intake.FIRST_SYSTEM, key=keys.SYSTEM_NAME, max_chars=80,
                persist_state="session",
            )  # fmt: skip
        file = state.emptied(keys.PART)
        st.file_uploader("File", key=file, max_upload_size=MAX_PART_MB, help=EXPECTED[kind])
        st.caption(EXPECTED[kind])
        st.button(
            "Add file", key="add-part", icon=":material/upload:", type="primary", on_click=intake.add_part,
            disabled=state.get(file) is None,
        )  # fmt: skip
        _replace(str(target), str(kind))


def _replace(target: str, kind: str) -> None:
    """The question before something is replaced; it is gone once another file, kind or study is chosen."""
    asked, given = state.get(keys.ASKED), state.given(keys.PART)
    folder = intake.targets().get(target)
    if asked is None or given is None or folder is None:
        return
    system = str(state.get(keys.SYSTEM_NAME) or intake.FIRST_SYSTEM) if KINDS[kind].of_a_system else None
    if asked != intake.question(folder, kind, system, given.name):
        return
    what = KINDS[kind].title.removeprefix("System: ").lower()
    whose = f"the {what} of **{md_escape(system)}**" if system is not None else f"the {what}"
    with st.container(border=True, key="replace-question"):
        more = (
            " Pictures with other names stay." if kind == "images" else " The present content will be lost."
        )
        st.markdown(f"Replace {whose} in {md_escape(target)} by {md_escape(given.name)}?{more}")
        with st.container(horizontal=True):
            st.button(
                "Replace", key="replace-part", icon=":material/sync:", type="primary",
                on_click=intake.add_part, kwargs={"replace": True},
            )  # fmt: skip
            st.button("Cancel", key="keep-part", on_click=state.drop, args=(keys.ASKED,))
