"""Fused systems that the address names (``rrf:A+B``): they are on offer where systems are chosen."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evalcore.evaluate.fusion import is_fused
from evalcore.evaluate.systems import name_of
from evalcore.ui.frame import state
from evalcore.ui.frame.state import Key
from evalcore.values.errors import CuiscopeError
from evalcore.values.model import Study

FUSED = Key("fused", of_study=True, in_links=True)
"""The fused systems on offer, by name: they stay so when they are not chosen."""
MOST, LONGEST = 12, 400
"""Fused systems on offer, and characters of the name of one."""


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
