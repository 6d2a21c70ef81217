"""The parts of the data page that bring studies in: sample, folder, zip, single files."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from evalcore.engine import cluster
from evalcore.study.folder.kinds import IN_UPLOADS, KINDS
from evalcore.study.graphs.ontology import UNREAD
from evalcore.study.workspace import workspace
from evalcore.ui.components import intake, messages
from evalcore.ui.frame import pages, state, studies
from evalcore.ui.frame.context import Context
from evalcore.values.errors import InputError
from evalcore.values.markdown import md_escape
from evalcore.values.model import Study
from evalcore.values.writing import count, pluralize

# A new study of images and captions alone: three files, and the way to its concepts.

_OF_A_GRAPH = (".obo", ".json", ".graphml", ".xml", *UNREAD)
_HEAD = 4_096


def form(max_mb: int) -> None:
    """Name, captions, pictures, names or an ontology; only the captions are needed."""
    with st.container(border=True), st.form("captioned", border=False):
        st.markdown("**From images and captions**")
        st.caption(
            "No concepts yet? They are found in the captions afterwards, by the names of an ontology or a "
            "table of names."
        )
        st.text_input(
            "Name of the new study", "", key=pages.CAPTIONED_NAME, max_chars=80, placeholder=intake.FIRST_NAME
        )
        st.file_uploader(
            "Captions",
            key=state.emptied(pages.CAPTIONS),
            max_upload_size=max_mb,
            help="Rows such as image_1,CT of the chest under the header ID,Caption.",
        )
        st.file_uploader(
            "Pictures (zip)",
            type="zip",
            key=state.emptied(pages.PICTURES),
            max_upload_size=max_mb,
            help="JPEG, PNG or TIFF files named by image id. Without them the study has captions only.",
        )
        st.file_uploader(
            "Names or ontology",
            key=state.emptied(pages.TERMS),
            max_upload_size=max_mb,
            help="Rows cui,name (several for synonyms), MRCONSO.RRF, or an ontology (OBO, OBO Graphs). "
            "OWL is converted with ROBOT first.",
        )
        st.form_submit_button(
            "Make the study", icon=":material/add_photo_alternate:", key="add-captioned", on_click=_add
        )


@intake.guarded
def _add() -> None:
    """Callback: a new study of the files that were chosen."""
    captions = intake.chosen(pages.CAPTIONS, "Choose a file of captions first.")
    pictures, terms = state.given(pages.PICTURES), state.given(pages.TERMS)
    name = str(state.get(pages.CAPTIONED_NAME) or "").strip() or intake.FIRST_NAME
    folder, report = workspace.add_first_part(name, "captions", captions.name, captions.getvalue())
    if folder is None or messages.refused_outcome(report):
        intake.say("bad", f"{md_escape(captions.name)} was not kept, so no study was made.", report)
        return
    refused = []
    for kind, given in (("images", pictures), (kind_of(terms), terms)):
        if given is not None:
            more = workspace.add_part(folder, kind, given.name, given.getvalue())
            report += more
            refused += [given.name] if messages.refused_outcome(more) else []
    for key in (pages.CAPTIONS, pages.PICTURES, pages.TERMS):
        state.empty(key)
    study = studies.opened(folder)
    intake.switch(folder)
    text = f"**{md_escape(study.name)}** is made: {_holds(study)}."
    if refused:
        text += f" {md_escape(', '.join(refused))} could not be used; add another file below."
    intake.say("mixed" if report.problems else "good", text, report)
    state.set_value(state.TAB, pages.BRING if refused else pages.FIND_CONCEPTS)


def _holds(study: Study) -> str:
    n = len(study.image_ids)
    pictures = study.images.count if study.images else 0
    texts = study.captions.count if study.captions else 0
    names = f", {pluralize(len(study.names), 'named concept')}" if study.names else ""
    return f"{pluralize(n, 'image')}, {count(texts)} with a caption, {count(pictures)} with a picture{names}"


def kind_of(given: UploadedFile | None) -> str:
    """Whether a file of terms is one of names or of a graph, by its ending and its first line."""
    if given is None:
        return "names"
    name = given.name.lower().removesuffix(".gz")
    if name.endswith(_OF_A_GRAPH) or "mrrel" in name:
        return "graph"
    first = given.getvalue()[:_HEAD].split(b"\n", 1)[0].lower()
    return "graph" if b"child" in first and b"parent" in first else "names"


# More machines than this one: the pages' rankings and ideals on a dask.distributed cluster, if asked.
#
# Off until a reader asks for it; it then serves all pages of this program until it is left. No link can
# turn it on.

HELP = (
    "The address that `dask scheduler` prints, such as tcp://192.168.1.20:8786. Its workers need this "
    "program (guide “On a server”). Rankings and ideals are the same numbers, computed there."
)
TRUST = (
    "For studies of hundreds of thousands of images. The machines of the cluster receive the concepts and "
    "embeddings of your studies (never pictures or captions) and run code: use machines you trust only."
)


def cluster_section() -> None:
    """Where the pages compute, and how to change it."""
    now = cluster.sharing()
    with st.container(border=True):
        st.markdown("**More than one machine** (optional)")
        if now.address:
            _in_use(now)
            return
        if now.ended:
            st.warning(f"{md_escape(now.ended)} This machine computes again.", icon=":material/cloud_off:")
        st.caption(TRUST)
        with st.form("cluster", border=False):
            st.text_input(
                "Address of a scheduler",
                key=pages.SCHEDULER,
                help=HELP,
                max_chars=300,
                placeholder="tcp://192.168.1.20:8786",
            )
            st.form_submit_button(
                "Use this cluster", icon=":material/lan:", key="use-cluster", on_click=connect
            )


def _in_use(now: cluster.Sharing) -> None:
    st.markdown(
        f":material/lan: Computing on **{md_escape(now.address)}** with {pluralize(now.workers, 'worker')}, "
        f"{pluralize(now.threads, 'thread')} in all."
    )
    st.caption(
        "Rankings and ideals of every page go there; results this machine remembers are not asked again."
    )
    st.button("Compute on this machine", key="leave-cluster", icon=":material/computer:", on_click=leave)


@intake.guarded
def connect() -> None:
    """Callback: use the cluster whose address was typed."""
    typed = str(state.get(pages.SCHEDULER) or "").strip()
    if not typed:
        raise InputError("Type the address of a scheduler first.")
    now = cluster.share(typed)
    intake.say(
        "good", f"The pages compute on {md_escape(now.address)} with {pluralize(now.workers, 'worker')}."
    )


def leave() -> None:
    """Callback: use this machine again."""
    cluster.unshare()
    intake.say("good", "This machine computes again.")


MAX_PART_MB = 100
EXPECTED = {
    "concepts": "Rows such as image_1,C0040405;C0817096 under the header ID,CUIs; "
    "other ids such as HP:0002088 too.",
    "captions": "Rows such as image_1,CT of the chest under the header ID,Caption.",
    "labels": "One column per label type under a header such as ID,modality,organ.",
    "groups": "Rows such as img_1,p_17 under the header ID,patient: which images belong together.",
    "label_map": "Rows label_type,label,cui: labels are then derived from the concepts.",
    "graph": "Rows child,parent (CSV), or MRREL.RRF, OBO, OBO Graphs (.json), GraphML; ROBOT converts OWL. "
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
        form(MAX_PART_MB)
    with second:
        _parts(context)
    cluster_section()


def _sample() -> None:
    with st.container(border=True):
        st.markdown("**The sample study**")
        st.caption("Synthetic pictures with real concepts and five computed systems. Nothing to install.")
        st.button("Use the sample", key="use-sample", icon=":material/science:", on_click=intake.open_sample)


def _folder() -> None:
    with st.container(border=True), st.form("folder", border=False):
        st.markdown("**A study folder on this computer**")
        st.text_input(
            "Path of the folder",
            key=pages.FOLDER,
            placeholder="/home/me/my_study",
            help="The folder with concepts.csv. It is read in place and changes only if you allow it.",
        )
        st.form_submit_button(
            "Open folder", icon=":material/folder_open:", key="open-folder", on_click=intake.open_folder
        )


def _zip() -> None:
    with st.container(border=True), st.form("zip", border=False):
        st.markdown("**A study as one zip file**")
        st.file_uploader("study.zip", type="zip", key=state.emptied(pages.ZIP), max_upload_size=MAX_PART_MB)
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
            studies.ask(context.entry, key="parts")
        names = [intake.A_NEW_STUDY, *intake.targets()]
        target = st.selectbox("Add to", names, key=pages.TARGET, persist_state="session")
        if target == intake.A_NEW_STUDY:
            st.text_input(
                "Name of the new study",
                intake.FIRST_NAME,
                key=pages.NEW_NAME,
                persist_state="session",
                max_chars=80,
            )
        kind = st.selectbox(
            "Type of file",
            IN_UPLOADS,
            format_func=lambda k: KINDS[k].title,
            key=pages.KIND_OF_PART,
            persist_state="session",
        )
        if KINDS[kind].of_a_system:
            st.text_input(
                "Name of the system",
                intake.FIRST_SYSTEM,
                key=pages.SYSTEM_NAME,
                max_chars=80,
                persist_state="session",
            )
        file = state.emptied(pages.PART)
        st.file_uploader("File", key=file, max_upload_size=MAX_PART_MB, help=EXPECTED[kind])
        st.caption(EXPECTED[kind])
        st.button(
            "Add file",
            key="add-part",
            icon=":material/upload:",
            type="primary",
            on_click=intake.add_part,
            disabled=state.get(file) is None,
        )
        _replace(str(target), str(kind))


def _replace(target: str, kind: str) -> None:
    """The question before something is replaced; it is gone once another file, kind or study is chosen."""
    asked, given = state.get(pages.ASKED), state.given(pages.PART)
    folder = intake.targets().get(target)
    if asked is None or given is None or folder is None:
        return
    system = str(state.get(pages.SYSTEM_NAME) or intake.FIRST_SYSTEM) if KINDS[kind].of_a_system else None
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
                "Replace",
                key="replace-part",
                icon=":material/sync:",
                type="primary",
                on_click=intake.add_part,
                kwargs={"replace": True},
            )
            st.button("Cancel", key="keep-part", on_click=state.drop, args=(pages.ASKED,))
