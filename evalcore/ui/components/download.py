"""Files to take away: one call each."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.study.tables.writers import defused
from evalcore.study.workspace import kept_files as workspace
from evalcore.study.workspace.kept_files import Kept
from evalcore.ui.frame import state
from evalcore.values.account import Account, acting_as, current, is_served
from evalcore.values.errors import CuiscopeError
from evalcore.values.writing import md_escape

Data = bytes | str | Callable[[], bytes]


def file(
    label: str, data: Data, name: str, mime: str, *, key: str, icon: str = ":material/download:", **look: Any
) -> None:
    """A button that saves ``data``, or what it returns when it is selected, without drawing the page again.

    On a server a function is called as the user whose page the button is on: Streamlit calls it in a thread
    without a user.
    """
    if callable(data) and is_served():
        data = partial(_made_for, current(), data)
    st.download_button(label, data, name, mime, icon=icon, on_click="ignore", key=key, **look)


def _made_for(account: Account | None, make: Callable[[], bytes]) -> bytes:
    with acting_as(account):
        return make()


def csv(
    table: pd.DataFrame | Callable[[], pd.DataFrame], name: str, *, label: str = "CSV", **look: Any
) -> None:
    """A button that saves a table as ``name``.csv, every digit and every row; made when it is selected."""
    file(
        label,
        lambda: csv_safe(table() if callable(table) else table),
        f"{safe_file(name)}.csv",
        "text/csv",
        key=f"save-{name}",
        **{"type": "tertiary"} | look,
    )


def csv_safe(table: pd.DataFrame) -> bytes:
    """CSV with every cell `defused`, its header too."""
    safe = table.copy()
    for column in safe.columns:
        if safe[column].dtype == object or pd.api.types.is_string_dtype(safe[column]):
            safe[column] = [defused(cell) for cell in safe[column]]
    return bytes(safe.rename(columns=defused).to_csv(index=False).encode("utf-8"))


def safe_file(name: str) -> str:
    """Any text as part of a file name: letters, digits, dots, dashes and underscores."""
    return re.sub(r"[^\w.-]+", "_", name)[:80]


# A file that the workspace keeps for a page: where it is uploaded, what is there of it, and a template.
#
# `uploader` is one such file; a page of many draws its own widgets with `take`, `removable` and `change`.


def uploader(part: str, label: str, *, template: bytes, help: str, max_mb: int = 20) -> Kept | None:
    """What the workspace has of ``part``, as it calls it; None for nothing."""
    kept, wrong = workspace.kept_files().get(part), not_kept(part)
    st.file_uploader(
        label,
        key=state.uploader_key(f"upload-{part}"),
        max_upload_size=max_mb,
        on_change=take,
        args=(f"upload-{part}", partial(workspace.keep_file, part), wrong),
        help=help,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if kept is not None:
            name = md_escape(kept.name, limit=50)
            removable(name, name, kept.mark, partial(workspace.forget, part), wrong)
        file(
            "Template",
            template,
            f"{part}_template.csv",
            "text/csv",
            key=f"template-{part}",
            icon=":material/draft:",
            type="tertiary",
        )
    not_done(wrong)
    return kept


def not_kept(part: str) -> str:
    """The key of `not_done` for such a file."""
    return f"{part}_not_done"


def removable(label: str, name: str, mark: str, forget: Callable[[], None], wrong: str) -> None:
    """A kept file with the button that removes it; ``label`` and ``name`` are Markdown."""
    st.button(
        label,
        icon=":material/close:",
        icon_position="right",
        type="tertiary",
        key=f"forget-{mark}",
        help=f"Remove {name}",
        on_click=change,
        args=(wrong, forget),
    )


def take(widget: str, keep: Callable[[str, bytes], None], wrong: str) -> None:
    """Callback: keep what was chosen, one file or several, each by name and content; empty the widget."""
    held = st.session_state.get(state.uploader_key(widget))
    chosen = held if isinstance(held, list) else [held] if held else []
    change(wrong, *(partial(keep, upload.name, upload.getvalue()) for upload in chosen))
    state.empty(widget)


def change(wrong: str, *changes: Callable[[], None]) -> None:
    """Callback: change the kept files; what cannot be done is kept for `not_done`."""
    lines = []
    for apply in changes:
        try:
            apply()
        except CuiscopeError as error:
            lines.append(str(error))
    state.set_plain(wrong, lines)


def not_done(wrong: str) -> None:
    """What could not be kept or forgotten, until the next change or another page."""
    if state.navigated():
        state.drop(wrong)
    for sentence in state.get(wrong, ()):
        st.error(md_escape(sentence), icon=":material/error:")
