"""What the Measures page compares, and on what."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

YARDSTICKS = Key("yardsticks", of_study=True)
LEVEL = Key("level")
DRAWN = Key("pairs")
N_PAIRS = Key("sample")
ASKED = Key("asked")
SEED = Key("seed")
ACROSS = Key("across", of_study=True)
UPWARD = Key("upward", of_study=True)
FORM = Key("form")
COLUMN = Key("column", of_study=True)
REFERENCE = Key("reference", of_study=True)
TIES_HERE = Key("ties_here")

YARDSTICK_TAB = "view"
