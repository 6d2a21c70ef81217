"""A file that the workspace keeps for a page: where it is uploaded, what is there of it, and a template."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.errors import CuiscopeError
from evalcore.sources.satisfaction import kept as workspace
from evalcore.ui.components import download
from evalcore.ui.components.text import md_escape
from evalcore.ui.frame import state

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.sources.satisfaction.kept import Kept


def uploader(
    part: str, label: str, kept: Kept | None, *, template: bytes, max_mb: int, help: str, wrong: str
) -> None:  # fmt: skip
    """``part``: what the workspace calls it; ``kept``: what it has; ``wrong``: the key of `not_done`."""
    st.file_uploader(
        label, key=state.emptied(f"upload-{part}"), max_upload_size=max_mb, on_change=_keep,
        args=(part, wrong), help=help,
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        if kept is not None:
            name = md_escape(kept.name, limit=50)
            st.button(
                name, icon=":material/close:", icon_position="right", type="tertiary",
                key=f"forget-{kept.mark}", help=f"Remove {name}", on_click=_do,
                args=(partial(workspace.forget, part), wrong),
            )  # fmt: skip
        download.file(
            "Template", template, f"{part}_template.csv", "text/csv", key=f"template-{part}",
            icon=":material/draft:", type="tertiary",
        )  # fmt: skip


def not_done(wrong: str) -> None:
    """What could not be kept or forgotten, until the next change or another page."""
    if state.arrived():
        state.drop(wrong)
    if said := state.get(wrong, ""):
        st.error(md_escape(said), icon=":material/error:")


def _keep(part: str, wrong: str) -> None:
    """Callback: keep what was chosen, and empty the widget."""
    given = st.session_state.get(state.emptied(f"upload-{part}"))
    if given is not None:
        _do(partial(workspace.keep, part, given.name, given.getvalue()), wrong)
    state.empty(f"upload-{part}")


def _do(change: Callable[[], None], wrong: str) -> None:
    """Callback: change the kept files."""
    said = ""
    try:
        change()
    except CuiscopeError as error:
        said = str(error)
    state.set_plain(wrong, said)
