"""Which settings are tried, and how they are drawn."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

ALPHA_STEP = Key("step")
REACHES = Key("reach")
SUBSET = Key("subset")
LABELS = Key("labels")
PANELS = Key("panels")

ASKED_FOR = "asked_for"

INTERPRETATIONS = "Readings of the paper"
TITLES = {INTERPRETATIONS: "Interpretations of the formula", "Retrieval by nn-IoU": "Searching by concepts"}
"""What a part is called on screen, where that is not its name in links."""
