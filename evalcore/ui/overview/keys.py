"""Which figure is looked at more closely, and what the table for a paper holds."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

LOOK = Key("look")
BOUNDS = Key("bounds", in_links=True)
"""Whether figures show what no system reaches, on Compare too."""
IN_TABLE = Key("table", of_study=True)
INTERVALS = Key("intervals")
