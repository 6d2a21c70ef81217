"""Which part of the page People is open."""

from __future__ import annotations

from evalcore.ui.frame import state

PART = state.TAB
