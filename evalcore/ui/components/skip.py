"""The first stop of the Tab key on every page: past the sidebar and the pickers to the results."""

from __future__ import annotations

import streamlit as st

RESULTS = "results"
"""The key of the container that holds what a page is about; a page without one has its title there."""
_JS = """
export default function ({ data }) {
  const known = document.getElementById("cuiscope-skip");
  const link = known ?? document.createElement("a");
  link.id = "cuiscope-skip";
  link.href = "#results";
  link.textContent = data.label;
  link.onclick = event => {
    event.preventDefault();
    const main = document.querySelector("[data-testid=stMain]");
    const place = data.places.map(name => main?.querySelector(name)).find(found => found) ?? main;
    if (!place) return;
    if (!place.hasAttribute("tabindex")) place.setAttribute("tabindex", "-1");
    place.focus({ preventScroll: true });
    place.scrollIntoView({ block: "start" });
  };
  if (!known) document.body.prepend(link);
}
"""


def link() -> None:
    """Put the link before everything else. Streamlit's own leads to the pickers, and is hidden for it."""
    component = st.components.v2.component("cuiscope_skip", html="<span></span>", js=_JS)
    places = [f".st-key-{RESULTS}", "h1"]
    with st.container(key="skip"):
        component(data={"label": "Skip to the results", "places": places}, key="skip_link", height="content")
