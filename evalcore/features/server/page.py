"""What a server adds to the pages: with whom a study is shared."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from evalcore.features.server import shares
from evalcore.study.workspace.home import is_uploaded
from evalcore.ui.components import fold, intake
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.account import is_served
from evalcore.values.markdown import md_escape
from evalcore.values.writing import pluralize

SHARED = Key("shared")
COLLEAGUE = "share_with"
"""The widget with the name of a colleague."""


def share_section(context: Context) -> None:
    """On Data, for one's own study on a server: with whom it is shared, with whom else, and no longer."""
    if not is_served() or not is_uploaded(context.entry.path):
        return
    n = len(shares.colleagues(context.entry.path))
    with_whom = f"with {pluralize(n, 'colleague')}" if n else "only you can open it"
    fold.section(f"**Share this study** ({with_whom})", _share, context, keep=SHARED, icon=":material/group:")


def _share(context: Context) -> None:
    study = context.entry.path
    st.caption(
        "Colleagues can read the study, download it and judge its results. They cannot change it. You can "
        "stop sharing at any time; what they downloaded stays with them."
    )
    with st.form("share", border=False):
        st.text_input(
            "Share with",
            key=COLLEAGUE,
            max_chars=shares.LONGEST,
            placeholder="ada@example.org",
            help="The name your colleague signs in with: for most servers an email address.",
        )
        st.form_submit_button(
            "Share", key="share-study", icon=":material/person_add:", on_click=_add, args=(study,)
        )
    for user in shares.colleagues(study):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{md_escape(user, limit=80)}**", width="stretch")
            st.button(
                "Stop sharing",
                key=f"unshare-{user}",
                icon=":material/person_remove:",
                on_click=_stop,
                args=(study, user),
            )


@intake.guarded
def _add(study: Path) -> None:
    """Callback: share with whom was typed."""
    user = shares.share(study, str(state.get(COLLEAGUE) or ""))
    state.set_plain(COLLEAGUE, "")
    seen = "" if shares.has_come(user) else " No user of this name has signed in yet: check the spelling."
    intake.say("good", f"**{md_escape(user, limit=80)}** can read this study now.{seen}")


@intake.guarded
def _stop(study: Path, user: str) -> None:
    """Callback: the study is shared with this colleague no more."""
    shares.unshare(study, user)
    intake.say("good", f"**{md_escape(user, limit=80)}** can no longer open this study.")
