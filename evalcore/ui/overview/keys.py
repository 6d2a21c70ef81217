"""Which figure is looked at more closely."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

LOOK = Key("look")
