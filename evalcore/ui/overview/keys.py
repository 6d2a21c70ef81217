"""Which figure is looked at more closely."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

LOOK = Key("look")
BOUNDS = Key("bounds", in_links=True)
"""Whether figures show what no system reaches, on Compare too."""
