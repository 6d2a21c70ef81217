"""The guide to a page: its page of ``docs``, shown in a dialog, so that it is there without a network."""

from __future__ import annotations

import posixpath
import re

import streamlit as st

from evalcore.ui.frame import state
from evalcore.values.bundled import document

READ = "guide_read"
"""The page of ``docs`` that is open in the dialog."""
_COMMENT = re.compile(r"<!--.*?-->\n?", flags=re.S)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n?")
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)")
_FENCE = re.compile(r"^```.*?^```\n", flags=re.S | re.M)
_LEADS_TO_COMMAND = re.compile(r"(?:(?<=[.!?])\s|^)(?:(?![.!?]\s|\n\n).)*:\n\n(?=```)", flags=re.S | re.M)
_COMMANDS = re.compile(r",\s+commands? (?:`[^`]*`(?:, | and )?)+")
_NAMED_FENCE = re.compile(r'^(```\w+) title="[^"]+"$', flags=re.M)


@st.fragment
def button(name: str) -> None:
    """The way to a guide beside the title of a page; the page itself is not drawn again."""
    pressed = st.button(
        "Guide",
        icon=":material/menu_book:",
        type="tertiary",
        key="guide",
        help="How to use this page, and how to do the same by command",
        on_click=_open,
        args=(name,),
    )
    if pressed:
        _dialog(name)


def _open(name: str) -> None:
    """Callback."""
    state.set_plain(READ, name)


@st.dialog("Guide", width="large")
def _dialog(name: str) -> None:
    content(name)


def content(name: str) -> None:
    """The guide, or the page of ``docs`` that was opened from it, with buttons for the pages it links to."""
    simple = state.get(state.READING, "Simple") == "Simple"
    text, further = readable(str(state.get(READ, name)), commands=not simple)
    st.markdown(text)
    if further:
        st.divider()
        with st.container(horizontal=True, key="guide-further"):
            for target, title in further.items():
                st.button(
                    title, key=f"guide:{target}", icon=":material/menu_book:", on_click=_open, args=(target,)
                )


def readable(name: str, *, commands: bool = True) -> tuple[str, dict[str, str]]:
    """A page of ``docs`` as Markdown for the dialog, and the titles of the pages it links to, by name.

    Without comments and pictures; a link to another page is its words, as the dialog has buttons for them.
    ``commands``: whether it has the commands too.
    """
    text = _IMAGE.sub("", _COMMENT.sub("", document(name)))
    text = _NAMED_FENCE.sub(r"\1", text) if commands else _without_commands(text)
    further: dict[str, str] = {}

    def words(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link[2])).removesuffix(".md")
        if link[2] and target not in (name, "index") and (other := document(target)):
            further[target] = other.partition("\n")[0].removeprefix("# ")
        return link[1]

    return _LINK.sub(words, text), further


def _without_commands(text: str) -> str:
    """A guide without blocks of code, the sentences that lead to them, and the commands of the page."""
    text = _COMMANDS.sub("", _FENCE.sub("", _LEADS_TO_COMMAND.sub("\n\n", text)))
    return re.sub(r"^## .*\n+(?=## |\Z)", "", text, flags=re.M)
