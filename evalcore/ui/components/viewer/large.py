"""Query and result over the whole window; the next or previous result by key, reported back to Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.ui.components.viewer import stage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.ui.components.viewer.pictures import Picture

_HTML = '<div class="room"></div>'
_CSS = (
    stage.CSS
    + """
dialog {border: none; padding: 0; margin: 0; width: 100vw; height: 100dvh; max-width: none; max-height: none;
  background: #0B0D10; overflow: hidden;}
dialog .stage {height: 100dvh; box-sizing: border-box; border-radius: 0; --tall: 10rem;}
.tools .at {font-weight: 600; color: #E9EEF2; padding: 0 0.4rem;}
"""
)
_JS = (
    stage.JS
    + """
const start = (room) => {
  const dialog = make("dialog"), at = make("span", { className: "at" });
  dialog.setAttribute("aria-label", "Query and result, large");
  const tell = { step: () => {}, close: () => {} };
  const press = (text, words, act) => {
    const made = make("button", { type: "button", textContent: text, title: words, onclick: act });
    made.setAttribute("aria-label", words);
    return made;
  };
  const close = press("✕", "Close (Escape)", () => dialog.close());
  const before = press("‹", "Previous result (left arrow or P)", () => tell.step(-1));
  const after = press("›", "Next result (right arrow or N)", () => tell.step(1));
  const glass = lightTable(dialog, [close, before, at, after]);
  dialog.onclose = () => tell.close();
  room.append(dialog);
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = { arrowleft: before, p: before, arrowright: after, n: after }[event.key.toLowerCase()];
    if (glass.key(event)) event.preventDefault();
    else if (way) { event.preventDefault(); if (!way.disabled) way.click(); }
  });
  return { dialog, glass, at, before, after, tell };
};
export default function ({ data, parentElement, setTriggerValue }) {
  const room = parentElement.querySelector(".room");
  const shown = room.__shown ||= start(room);
  let asked = false;
  shown.tell.step = (by) => { if (!asked) { asked = true; setTriggerValue("step", by); } };
  shown.tell.close = () => setTriggerValue("closed", true);
  shown.at.textContent = data.at;
  shown.before.disabled = !data.before;
  shown.after.disabled = !data.after;
  shown.glass.show(data.pair);
  if (!shown.dialog.open) { shown.dialog.showModal(); shown.glass.table.querySelector("canvas").focus(); }
  data.soon.forEach(load);
  return () => setTimeout(() => { if (!room.isConnected) shown.glass.end(); });
}
"""
)


def show(
    pair: Sequence[Picture], *, key: str, at: str, before: bool, after: bool, soon: Sequence[str] = (),
    on_step: Callable[[], None], on_close: Callable[[], None],
) -> None:  # fmt: skip
    """Open it over the page.

    ``at`` says which result it is, ``before`` and ``after`` whether there are others, ``soon`` are addresses
    of pictures to fetch ahead. ``on_step``: callback, `step_of` says which way; ``on_close``: callback.
    """
    component = st.components.v2.component("cuiscope_large", html=_HTML, css=_CSS, js=_JS)
    component(
        data={"pair": list(pair), "at": at, "before": before, "after": after, "soon": list(soon)},
        key=key, on_step_change=on_step, on_closed_change=on_close, height="content",
    )  # fmt: skip


def step_of(key: str) -> int:
    """1 for the next, -1 for the previous, 0 when nothing was pressed."""
    given = st.session_state[key].get("step") if key in st.session_state else None
    return given if given in (1, -1) else 0
