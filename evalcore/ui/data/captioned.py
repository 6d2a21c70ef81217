"""A new study of images and captions alone: three files, and the way to its concepts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.figures.numbers import count, things
from evalcore.study.workspace import workspace
from evalcore.ui.components import outcome
from evalcore.ui.data import intake, keys
from evalcore.ui.frame import state, studies
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from evalcore.values.model import Study

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


@intake.guarded
def _add() -> None:
    """Callback: a new study of the files that were chosen."""
    captions = intake.chosen(keys.CAPTIONS, "Choose a file of captions first.")
    pictures, terms = state.given(keys.PICTURES), state.given(keys.TERMS)
    name = str(state.get(keys.CAPTIONED_NAME) or "").strip() or intake.FIRST_NAME
    folder, report = workspace.add_first_part(name, "captions", captions.name, captions.getvalue())
    if folder is None or outcome.refused(report):
        intake.say("bad", f"{md_escape(captions.name)} was not kept, so no study was made.", report)
        return
    refused = []
    for kind, given in (("images", pictures), (kind_of(terms), terms)):
        if given is not None:
            more = workspace.add_part(folder, kind, given.name, given.getvalue())
            report += more
            refused += [given.name] if outcome.refused(more) else []
    for key in (keys.CAPTIONS, keys.PICTURES, keys.TERMS):
        state.empty(key)
    study = studies.opened(folder)
    intake.switch(folder)
    said = f"**{md_escape(study.name)}** is made: {_holds(study)}."
    if refused:
        said += f" {md_escape(', '.join(refused))} could not be used; add another file below."
    intake.say("mixed" if report.problems else "good", said, report)
    state.set_value(state.TAB, keys.BRING if refused else keys.FIND)


def _holds(study: Study) -> str:
    n = len(study.image_ids)
    pictures = study.images.count if study.images else 0
    texts = study.captions.count if study.captions else 0
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
