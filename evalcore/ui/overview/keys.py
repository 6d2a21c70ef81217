"""Which figure is looked at more closely, and what the table for a paper holds."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

LOOK = Key("look")
IN_TABLE = Key("table", of_study=True)
INTERVALS = Key("intervals")
