"""Keys of a presenter and the clock of an unattended screen: a component without anything to see.

PageDown and PageUp are what remote controls for slides send; Home starts over. After so many seconds without
a touch, a key or a movement it reports once, and not again before somebody was there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import streamlit as st

if TYPE_CHECKING:
    from collections.abc import Callable

Asked = Literal["", "next", "before", "over", "idle"]
SLOT = "remote"
_HTML = '<span class="remote" hidden></span>'
_JS = """
const typing = (target) => target && (target.isContentEditable
  || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
export default function ({ data, parentElement, setTriggerValue }) {
  const room = parentElement.querySelector(".remote");
  room.__end?.();
  let last = -Infinity, here = false, clock = null;
  const ask = (what) => {
    if (performance.now() - last < 400) return;  // a key that is held down
    last = performance.now();
    here = false;
    setTriggerValue("asked", what);
  };
  const wait = () => {
    clearTimeout(clock);
    if (data.idle > 0 && (here || data.away)) clock = setTimeout(() => ask("idle"), data.idle * 1000);
  };
  const touched = () => { here = true; wait(); };
  const pressed = (event) => {
    touched();
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.composedPath()[0])) return;
    const what = { PageDown: "next", PageUp: "before", Home: "over" }[event.key];
    if (what) { event.preventDefault(); event.stopPropagation(); ask(what); }
  };
  const moves = ["pointerdown", "pointermove", "wheel", "touchstart"];
  document.addEventListener("keydown", pressed, true);
  moves.forEach((name) => document.addEventListener(name, touched, { passive: true, capture: true }));
  wait();
  room.__end = () => {
    clearTimeout(clock);
    document.removeEventListener("keydown", pressed, true);
    moves.forEach((name) => document.removeEventListener(name, touched, { capture: true }));
  };
  return () => room.__end();
}
"""


def listen(*, idle: int, away: bool, on_asked: Callable[[], None]) -> None:
    """Hear the keys and watch the clock; ``on_asked``: callback, `asked` says what.

    ``idle``: seconds, 0 for never. ``away``: the view is not where it starts, so the clock runs from now on
    even when nobody touches anything.
    """
    component = st.components.v2.component("cuiscope_remote", html=_HTML, js=_JS)
    component(data={"idle": idle, "away": away}, key=SLOT, on_asked_change=on_asked, height="content")


def asked() -> Asked:
    """What was asked last; "" where nothing was."""
    given = st.session_state[SLOT].get("asked") if SLOT in st.session_state else None
    return given if given in ("next", "before", "over", "idle") else ""
