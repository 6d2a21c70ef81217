"""Who is signed in, at the end of the sidebar."""

from __future__ import annotations

import streamlit as st

from evalcore.values.account import current
from evalcore.values.writing import md_escape


def show() -> None:
    """The name of who is signed in; nothing on one's own computer."""
    account = current()
    if account is None:
        return
    kind = " (administrator)" if account.administrator else ""
    with st.container(key="account"):
        name = f":material/account_circle: {md_escape(account.name, limit=60)}{kind}"
        st.caption(name, help=None if account.name == account.id else md_escape(account.id))
