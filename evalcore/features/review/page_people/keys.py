"""Which part of the page People is open, and what the readers' judgments are looked at by."""

from __future__ import annotations

from evalcore.ui.frame import state
from evalcore.ui.frame.state import Key

PART = state.TAB
TASK = Key("task", of_study=True)
MEASURES = Key("against_readers", of_study=True)
STATISTIC = Key("agreeing")
REFERENCE = Key("reference_measure", of_study=True)
HOW = Key("several_readers")
DIFFER = Key("differs", of_study=True)
