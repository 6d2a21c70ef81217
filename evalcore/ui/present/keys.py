"""Whether the program is being shown to others, and how."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

PRESENT = Key("present", in_links=True)
"""1 while it is."""
STOP = Key("stop", of_study=True)
"""Which place of the tour is on view, from 1; 0 outside a tour."""
CORNERS = Key("corners", in_links=True)
"""1 where the corners of pictures are covered."""
