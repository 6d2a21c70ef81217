"""A file that the workspace keeps for a page: where it is uploaded, what is there of it, and a template.

`uploader` is one such file; a page of many draws its own widgets with `take`, `removable` and `change`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.satisfaction.read import kept as workspace
from evalcore.ui.components import download
from evalcore.ui.frame import state
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.features.satisfaction.read.kept import Kept


def uploader(
    part: str, label: str, kept: Kept | None, *, template: bytes, max_mb: int, help: str, wrong: str
) -> None:  # fmt: skip
    """``part``: what the workspace calls it; ``kept``: what it has; ``wrong``: the key of `not_done`."""
    st.file_uploader(
        label, key=state.emptied(f"upload-{part}"), max_upload_size=max_mb, on_change=take,
        args=(f"upload-{part}", partial(workspace.keep, part), wrong), help=help,
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        if kept is not None:
            name = md_escape(kept.name, limit=50)
            removable(name, name, kept.mark, partial(workspace.forget, part), wrong)
        download.file(
            "Template", template, f"{part}_template.csv", "text/csv", key=f"template-{part}",
            icon=":material/draft:", type="tertiary",
        )  # fmt: skip


def removable(label: str, name: str, mark: str, forget: Callable[[], None], wrong: str) -> None:
    """A kept file with the button that removes it; ``label`` and ``name`` are Markdown."""
    st.button(
        label, icon=":material/close:", icon_position="right", type="tertiary", key=f"forget-{mark}",
        help=f"Remove {name}", on_click=change, args=(wrong, forget),
    )  # fmt: skip


def take(widget: str, keep: Callable[[str, bytes], None], wrong: str) -> None:
    """Callback: keep what was chosen, one file or several, each by name and content; empty the widget."""
    held = st.session_state.get(state.emptied(widget))
    chosen = held if isinstance(held, list) else [held] if held else []
    change(wrong, *(partial(keep, one.name, one.getvalue()) for one in chosen))
    state.empty(widget)


def change(wrong: str, *changes: Callable[[], None]) -> None:
    """Callback: change the kept files; what cannot be done is kept for `not_done`."""
    said = []
    for one in changes:
        try:
            one()
        except CuiscopeError as error:
            said.append(str(error))
    state.set_plain(wrong, said)


def not_done(wrong: str) -> None:
    """What could not be kept or forgotten, until the next change or another page."""
    if state.arrived():
        state.drop(wrong)
    for sentence in state.get(wrong, ()):
        st.error(md_escape(sentence), icon=":material/error:")
