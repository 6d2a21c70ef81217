"""The parts of the data page that bring studies in: files, folder, sample; and other machines."""

from __future__ import annotations

import streamlit as st

from evalcore.engine import cluster
from evalcore.ui.components import fold, intake, own_data
from evalcore.ui.data import kept
from evalcore.ui.frame import pages, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.account import check_unrestricted, is_restricted
from evalcore.values.errors import InputError
from evalcore.values.writing import md_escape, pluralize

CLUSTER = Key("cluster")

# More machines than this one: the pages' rankings and ideals on a dask.distributed cluster, if asked.
#
# Off until a reader asks for it; it then serves all pages of this program until it is left. No link can
# turn it on. On a server only administrators see it, and decide for everybody.

HELP = (
    "The address that `dask scheduler` prints, such as tcp://192.168.1.20:8786. Its workers need this "
    "program (guide “On a server”). Rankings and ideals are the same numbers, computed there."
)
TRUST = (
    "For studies of hundreds of thousands of images. The machines of the cluster receive the concepts and "
    "embeddings of your studies (never pictures or captions) and run code: only use machines you trust."
)


def cluster_section() -> None:
    """Where the pages compute, and how to change it."""
    now = cluster.sharing()
    if now.address:
        _in_use(now)
        return
    if now.ended:
        st.warning(f"{md_escape(now.ended)} Computing on this machine again.", icon=":material/cloud_off:")
    st.caption(TRUST)
    with st.form("cluster", border=False):
        st.text_input(
            "Address of a scheduler",
            key=pages.SCHEDULER,
            help=HELP,
            max_chars=300,
            placeholder="tcp://192.168.1.20:8786",
        )
        st.form_submit_button("Use this cluster", icon=":material/lan:", key="use-cluster", on_click=connect)


def _in_use(now: cluster.Sharing) -> None:
    st.markdown(
        f":material/lan: Computing on **{md_escape(now.address)}** with {pluralize(now.workers, 'worker')}, "
        f"{pluralize(now.threads, 'thread')} in all."
    )
    st.caption("Rankings and ideals of every page go there; cached results are reused.")
    st.button("Compute on this machine", key="leave-cluster", icon=":material/computer:", on_click=leave)


@intake.guarded
def connect() -> None:
    """Callback: use the cluster whose address was typed."""
    check_unrestricted("Computing on a cluster")
    typed = str(state.get(pages.SCHEDULER) or "").strip()
    if not typed:
        raise InputError("Type the address of a scheduler first.")
    now = cluster.share(typed)
    intake.say(
        "good", f"The pages compute on {md_escape(now.address)} with {pluralize(now.workers, 'worker')}."
    )


@intake.guarded
def leave() -> None:
    """Callback: use this machine again."""
    check_unrestricted("Computing on a cluster")
    cluster.unshare()
    intake.say("good", "Computing on this machine again.")


def section(context: Context | None = None) -> None:
    """The ways to bring a study in; ``context``: the study on view, if one is open."""
    with st.container(border=True):
        st.markdown(f"**{own_data.TITLE}**")
        own_data.section(context)
    if is_restricted():
        _sample()
        kept.section(context)
        return
    first, second = st.columns(2, gap="medium")
    with first:
        _folder()
    with second:
        _sample()
    kept.section(context)
    now = cluster.sharing()
    fold.section(
        "Compute on more than one machine (optional)",
        cluster_section,
        keep=CLUSTER,
        first=bool(now.address or now.ended),
    )


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
