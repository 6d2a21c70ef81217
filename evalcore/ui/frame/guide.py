"""The guide to a page: its page of ``docs``, shown in a dialog, so that it is there without a network."""

from __future__ import annotations

import re

import streamlit as st

from evalcore.ui.frame import state
from evalcore.values.bundled import document

_COMMENT = re.compile(r"<!--.*?-->\n?", flags=re.S)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n?")
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)")
_FENCE = re.compile(r"^```.*?^```\n", flags=re.S | re.M)
_LEADS_TO_COMMAND = re.compile(r"(?:(?<=[.!?])\s|^)(?:(?![.!?]\s|\n\n).)*:\n\n(?=```)", flags=re.S | re.M)
_SENTENCE = r"(?:(?<=[.!?])\s|^)(?:(?![.!?]\s|\n\n|\n- ).)*"
_BY_OPTION = re.compile(_SENTENCE + r"`[^`\n]*--(?:(?![.!?]\s|\n\n|\n- ).)*[.!?](?=\s)", flags=re.S | re.M)
_COMMANDS = re.compile(r",\s+commands? (?:`[^`]*`(?:,\s| and\s)?)+")
_NAMED_FENCE = re.compile(r'^(```\w+) title="[^"]+"$', flags=re.M)


@st.fragment
def button(name: str) -> None:
    """The way to a guide beside the title of a page; the page itself is not drawn again."""
    if st.button(
        "Guide",
        icon=":material/menu_book:",
        type="tertiary",
        key="guide",
        help="How to use this page, and how to do the same by command",
    ):
        commands = state.get(state.READING, "Simple") != "Simple"
        st.dialog("Guide", width="large")(st.markdown)(readable(name, commands=commands))


def readable(name: str, *, commands: bool = True) -> str:
    """A page of ``docs`` as Markdown for the dialog: without comments and pictures, of links to other pages
    the words alone.

    ``commands``: whether it has the commands too; else also without blocks of code, the sentences that lead
    to them or name an option, and headings that then have nothing below them.
    """
    text = _LINK.sub(r"\1", _IMAGE.sub("", _COMMENT.sub("", document(name))))
    if commands:
        return _NAMED_FENCE.sub(r"\1", text)
    text = _COMMANDS.sub("", _FENCE.sub("", _LEADS_TO_COMMAND.sub("\n\n", text)))
    text = re.sub(r"^ (?=\S)", "", _BY_OPTION.sub("", text), flags=re.M)
    return re.sub(r"^## .*\n+(?=## |\Z)", "", text, flags=re.M)
