"""More machines than this one: the pages' rankings and ideals on a dask.distributed cluster, if asked.

Off until a reader asks for it; it then serves all pages of this program until it is left. No link can
turn it on.
"""

from __future__ import annotations

import streamlit as st

from evalcore.engine import connection
from evalcore.figures.numbers import things
from evalcore.ui.data import intake, keys
from evalcore.ui.frame import state
from evalcore.values.errors import InputError
from evalcore.values.markdown import md_escape

HELP = (
    "The address that `dask scheduler` prints, such as tcp://192.168.1.20:8786. Its workers need this "
    "program (README, Speed). Rankings and ideals are the same numbers, computed there."
)
TRUST = (
    "For studies of hundreds of thousands of images. The machines of the cluster receive the concepts and "
    "embeddings of your studies (never pictures or captions) and run code: use machines you trust only."
)


def section() -> None:
    """Where the pages compute, and how to change it."""
    now = connection.sharing()
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
                "Address of a scheduler", key=keys.SCHEDULER, help=HELP, max_chars=300,
                placeholder="tcp://192.168.1.20:8786",
            )  # fmt: skip
            st.form_submit_button(
                "Use this cluster", icon=":material/lan:", key="use-cluster", on_click=connect
            )  # fmt: skip


def _in_use(now: connection.Sharing) -> None:
    st.markdown(
        f":material/lan: Computing on **{md_escape(now.address)}** with {things(now.workers, 'worker')}, "
        f"{things(now.threads, 'thread')} in all."
    )
    st.caption(
        "Rankings and ideals of every page go there; results this machine remembers are not asked again."
    )
    st.button("Compute on this machine", key="leave-cluster", icon=":material/computer:", on_click=leave)


@intake.guarded
def connect() -> None:
    """Callback: use the cluster whose address was typed."""
    typed = str(state.get(keys.SCHEDULER) or "").strip()
    if not typed:
        raise InputError("Type the address of a scheduler first.")
    now = connection.share(typed)
    intake.say("good", f"The pages compute on {md_escape(now.address)} with {things(now.workers, 'worker')}.")


def leave() -> None:
    """Callback: use this machine again."""
    connection.unshare()
    intake.say("good", "This machine computes again.")
