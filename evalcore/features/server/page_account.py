"""Who is signed in, at the end of the sidebar."""

from __future__ import annotations

import os

import streamlit as st

from evalcore.features.server.gate import AUTH
from evalcore.features.server.identity import OIDC
from evalcore.values.account import current
from evalcore.values.markdown import md_escape


def show() -> None:
    """The name of who is signed in, and the way out where the program has signed them in; nothing on one's
    own computer."""
    account = current()
    if account is None:
        return
    kind = " (administrator)" if account.administrator else ""
    with st.container(horizontal=True, vertical_alignment="center", key="account"):
        name = f":material/account_circle: {md_escape(account.name, limit=60)}{kind}"
        st.caption(name, width="stretch", help=None if account.name == account.id else md_escape(account.id))
        if os.environ.get(AUTH) == OIDC:
            st.button("Sign out", key="sign-out", type="tertiary", on_click=st.logout)
