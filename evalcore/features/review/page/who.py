"""Who judges: a reader's code, of this session or of the address, and the form that asks for it."""

from __future__ import annotations

import streamlit as st

from evalcore.features.review.limits import MAX_READER, tidy
from evalcore.features.review.page.keys import READER
from evalcore.ui.frame import state
from evalcore.values.markdown import md_escape

CODE = "reader_code"
_READER = "_reader"


def reader() -> str:
    """The reader's code: of this session, else of the address; "" where nobody said."""
    given = str(state.get(_READER, "")) or str(state.carry(READER, "", state.short_text(MAX_READER)))
    code = tidy(given, MAX_READER)
    if code:
        state.put(READER, code if _harmless(code) else "")
    return code


def _harmless(code: str) -> bool:
    """Whether a code can stand in an address: letters and a number, which is nobody's name."""
    letters = code.rstrip("0123456789")
    return len(letters) <= 3 and letters.isalpha() and len(letters) < len(code) <= 7 and code.isascii()


def ask(label: str, *, icon: str = ":material/play_arrow:", key: str = "who") -> None:
    """The form for the code; ``label``: what its button says."""
    with st.form(key, border=False):
        st.text_input(
            "Your reader code", key=CODE, max_chars=MAX_READER, placeholder="R1",
            help="Whoever invited you gave you one. Use a code such as R1, not your name: it is kept "
            "with every answer. Two readers must not share one.",
        )  # fmt: skip
        st.form_submit_button(label, type="primary", on_click=_named, icon=icon)


def _named() -> None:
    """Callback."""
    state.set_plain(_READER, tidy(str(st.session_state.get(CODE, "")), MAX_READER))


def known(code: str, *, doing: str = "judge") -> None:
    """Who judges, for a horizontal row, and the way for somebody else to do so."""
    st.caption(f"You {doing} as **{md_escape(code)}**.", width="content")
    st.button("Another reader", key="other-reader", type="tertiary", on_click=forget)


def invite() -> None:
    """Who judges links and labels here, or the form that asks for the code."""
    code = reader()
    if code:
        with st.container(horizontal=True, vertical_alignment="center", key="judging"):
            known(code)
        return
    with st.expander("Judge links and labels", icon=":material/rate_review:"):
        st.caption(
            "Do the links of the terminology make sense, and are the labels right? Answers are kept under "
            "your code, can be changed and withdrawn, and are listed on the page Review."
        )
        ask("Start judging")


def forget() -> None:
    """Callback: ask for the code again."""
    state.set_plain(_READER, "")
    state.set_value(READER, "")
