"""A button that copies the address of the view, in the browser, without a rerun."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import streamlit as st

if TYPE_CHECKING:
    from collections.abc import Mapping

_HTML = '<button type="button" id="copy"></button>'
_CSS = """
button {width: 100%; min-height: 2.3rem; cursor: pointer; font: inherit; font-size: 0.875rem;
  color: var(--st-text-color); background: var(--st-secondary-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius);}
button:hover {border-color: var(--st-primary-color); color: var(--st-primary-color);}
button:focus-visible {outline: 2px solid var(--st-primary-color); outline-offset: 2px;}
"""
_JS = """
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("#copy");
  button.textContent = data.label;
  button.onclick = async () => {
    const link = new URL(window.location.href);
    if (data.alone) link.search = "";
    for (const [name, value] of Object.entries(data.also)) link.searchParams.set(name, value);
    let done = true;
    try { await navigator.clipboard.writeText(link.toString()); } catch (refused) { done = false; }
    button.textContent = done ? "Link copied" : "Copy the address bar";
    setTimeout(() => { button.textContent = data.label; }, 2000);
  };
}
"""


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
    component = st.components.v2.component("cuiscope_copy_link", html=_HTML, css=_CSS, js=_JS)
    component(
        data={"also": dict(also), "label": label, "alone": alone}, key=key, height="content", width=width
    )
