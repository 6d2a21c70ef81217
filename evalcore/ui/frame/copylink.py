"""A button that copies the address of the view, in the browser, without a rerun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import streamlit as st

from evalcore.values.bundled import bundled

_HTML = '<button type="button" id="copy"></button>'


def copy_link(
    *,
    also: Mapping[str, str],
    label: str = "Copy link to this view",
    alone: bool = False,
    key: str = "copy_link",
    width: Literal["stretch"] | int = "stretch",
) -> None:
    """Draw the button; ``also`` is added to the address (the study and its digest). ``alone``: to the page
    without anything else its address says."""
    component = st.components.v2.component(
        "cuiscope_copy_link",
        html=_HTML,
        css=bundled(__package__, "copylink.css"),
        js=bundled(__package__, "copylink.js"),
    )
    component(
        data={"also": dict(also), "label": label, "alone": alone}, key=key, height="content", width=width
    )
