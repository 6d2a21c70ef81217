"""A new study of images and captions alone: three files, and the way to its concepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.figures.numbers import count, things
from evalcore.problems import Report
from evalcore.sources.workspace import workspace
from evalcore.ui.components.text import md_escape
from evalcore.ui.data import intake, keys
from evalcore.ui.frame import state, studies

if TYPE_CHECKING:
    from pathlib import Path

    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from evalcore.model import Study

_NOT_KEPT = "not-kept"
_OF_A_GRAPH = (".obo", ".owl", ".owx", ".ttl", ".json", ".graphml", ".xml")
_HEAD = 4_096


def form(max_mb: int) -> None:
    """Name, captions, pictures, names or an ontology; only the captions are needed."""
    with st.container(border=True), st.form("captioned", border=False):
        st.markdown("**From images and captions**")
        st.caption(
            "No concepts yet? They are found in the captions afterwards, by the names of an ontology or a "
            "table of names."
        )
        st.text_input("Name of the new study", "", key=keys.CAPTIONED_NAME, max_chars=80,
                      placeholder=intake.FIRST_NAME)  # fmt: skip
        st.file_uploader(
            "Captions", key=state.emptied(keys.CAPTIONS), max_upload_size=max_mb,
            help="Rows such as image_1,CT of the chest under the header ID,Caption.",
        )  # fmt: skip
        st.file_uploader(
            "Pictures (zip)", type="zip", key=state.emptied(keys.PICTURES), max_upload_size=max_mb,
            help="JPEG, PNG or TIFF files named by image id. Without them the study has captions only.",
        )  # fmt: skip
        st.file_uploader(
            "Names or ontology", key=state.emptied(keys.TERMS), max_upload_size=max_mb,
            help="Rows cui,name (several for synonyms), MRCONSO.RRF, or an ontology (OBO, OWL, SKOS).",
        )  # fmt: skip
        st.form_submit_button("Make the study", icon=":material/add_photo_alternate:", key="add-captioned",
                              on_click=_add)  # fmt: skip


def _add() -> None:
    """Callback: a new study of the files that were chosen."""
    intake.guarded(_action)


def _action() -> None:
    captions, pictures, terms = (
        _given(key) for key in (keys.CAPTIONS, keys.PICTURES, keys.TERMS)
    )  # fmt: skip
    if captions is None:
        intake.say("bad", "Choose a file of captions first.")
        return
    name = str(state.get(keys.CAPTIONED_NAME) or "").strip() or intake.FIRST_NAME
    folder, report = workspace.add_first_part(name, "captions", captions.name, captions.getvalue())
    if folder is None or _refused(report):
        intake.say("bad", f"{md_escape(captions.name)} was not kept, so no study was made.", report)
        return
    refused = []
    for kind, given in (("images", pictures), (kind_of(terms), terms)):
        if given is not None:
            more = workspace.add_part(folder, kind, given.name, given.getvalue())
            report += more
            refused += [given.name] if _refused(more) else []
    for key in (keys.CAPTIONS, keys.PICTURES, keys.TERMS):
        state.empty(key)
    study = _opened(folder)
    said = f"**{md_escape(study.name)}** is made: {_holds(study)}."
    if refused:
        said += f" {md_escape(', '.join(refused))} could not be used; add another file below."
    intake.say("mixed" if report.problems else "good", said, report)
    state.set_value(state.TAB, keys.BRING if refused else keys.FIND)


def _given(key: str) -> UploadedFile | None:
    given: UploadedFile | None = state.get(state.emptied(key))
    return given


def _refused(report: Report) -> bool:
    return any(rule == _NOT_KEPT for _, _, rule in report.counts)


def _opened(folder: Path) -> Study:
    study = studies.opened(folder)
    studies.remember(folder)
    state.change_study(studies.slug_of(folder))
    return study


def _holds(study: Study) -> str:
    n = len(study.image_ids)
    pictures = 0 if study.images is None else sum(one is not None for one in study.images.entries)
    texts = 0 if study.captions is None else sum(bool(text) for text in study.captions.texts)
    names = f", {things(len(study.names), 'named concept')}" if study.names else ""
    return f"{things(n, 'image')}, {count(texts)} with a caption, {count(pictures)} with a picture{names}"


def kind_of(given: UploadedFile | None) -> str:
    """Whether a file of terms is one of names or of a graph, by its ending and its first line."""
    if given is None:
        return "names"
    name = given.name.lower().removesuffix(".gz")
    if name.endswith(_OF_A_GRAPH) or "mrrel" in name:
        return "graph"
    first = given.getvalue()[:_HEAD].split(b"\n", 1)[0].lower()
    return "graph" if b"child" in first and b"parent" in first else "names"
