"""Combine systems: fused systems by name in the address, and the control in the sidebar that adds one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evalcore.evaluate.fusion.formulas import METHODS, fusion_of, is_fused
from evalcore.evaluate.systems import name_of, resolve_lists
from evalcore.ui.frame import state
from evalcore.ui.frame.state import Key
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape, plain
from evalcore.values.model import Study

FUSED = Key("fused", of_study=True, in_links=True)
"""The fused systems on offer, by name: they stay so when they are not chosen."""
MOST, LONGEST = 12, 400
"""Fused systems on offer, and characters of the name of one."""
_METHOD, _MEMBERS = "fuse_by", "fuse_members"
_SCALED = "the lowest score of a list counts 0, the highest 1."
MORE = {
    "rrf": "k = 60, rank 1 is the first.",
    "combsum": _SCALED,
    "combmnz": _SCALED,
    "borda": "images a list leaves out share the remaining ranks.",
}
"""What the formulas in words leave open."""


def understood(study: Study, keys: Sequence[Key]) -> None:
    """Call before any choice is read: fused systems that the address names, in whatever way, are on offer.

    They get the name they are shown with (members by name, ascending); one that cannot be read is left to the
    widget, which says so.
    """
    named: dict[str, str] = {}
    for key in (FUSED, *keys):
        held = state.get(key)
        kept = held if isinstance(held, list) else [held] if held else []
        given = [] if state.acting() else st.query_params.get_all(key)
        for text in [*map(str, kept), *given]:
            if len(text) <= LONGEST and is_fused(study, text):
                try:
                    named[text] = name_of(study, text)
                except CuiscopeError as error:
                    state.note(f"{error} This system is left out.")
    state.rename([*keys, FUSED], {text: name for text, name in named.items() if text != name})
    state.put(FUSED, list(dict.fromkeys(named.values()))[:MOST], default=[])


def on_offer() -> tuple[str, ...]:
    """The fused systems that can be chosen."""
    return tuple(state.get(FUSED, []))


def control(study: Study, shown: Sequence[str], keys: Sequence[Key]) -> None:
    """The popover that combines systems and adds the result to those shown, which the first key holds."""
    offered = [*study.systems, *(name for name in shown if name.startswith("@"))]
    if len(study.systems) < 2:
        return
    with st.popover("Combine systems", icon=":material/merge:", width="stretch"):
        st.caption(
            "Merges several lists, query by query, and adds the result as a system. "
            "It searches the images that any of them searches."
            + " Where a system has several seeds, the first is used."
            * bool(study.seeds)
        )
        method = st.selectbox(
            "Method", list(METHODS), key=_METHOD, format_func=lambda name: METHODS[name].title
        )
        st.caption(md_escape(f"{METHODS[method].formula}; {MORE.get(method, 'rank 1 is first.')}"))
        members = st.multiselect(
            "Systems to combine", offered, key=_MEMBERS, format_func=plain, placeholder="Select two or more"
        )
        st.button(
            "Add",
            key="fuse-add",
            icon=":material/add:",
            type="primary",
            disabled=len(members) < 2,
            on_click=_add,
            args=(study, method, tuple(members), tuple(shown), keys[0]),
        )
        for name in on_offer():
            st.button(
                f"Remove {md_escape(name, limit=60)}",
                key=f"fuse-remove-{name}",
                type="tertiary",
                icon=":material/close:",
                on_click=_remove,
                args=(name, keys),
            )


def _add(study: Study, method: str, members: tuple[str, ...], shown: tuple[str, ...], systems: Key) -> None:
    """Callback: the fused system is on offer and shown."""
    name = str(fusion_of(study, method, members, known=lambda member: resolve_lists(study, [member])[0].name))
    state.set_value(FUSED, list(dict.fromkeys([*on_offer(), name]))[-MOST:])
    state.set_value(systems, list(dict.fromkeys([*shown, name])))
    state.set_plain(_MEMBERS, [])


def _remove(name: str, keys: Sequence[Key]) -> None:
    """Callback: neither on offer nor chosen anywhere."""
    for key in (FUSED, *keys):
        held = state.get(key)
        if isinstance(held, list):
            state.set_value(key, [one for one in held if one != name])
        elif held == name:
            state.set_value(key, "")
