"""Which figure is looked at more closely, and what the table for a paper holds."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

LOOK = Key("look")
BOUNDS = Key("bounds", in_links=True)
"""Whether figures show what no system reaches, on Compare too."""
IN_TABLE = Key("table", of_study=True)
INTERVALS = Key("intervals")
TAKEN_MEASURES = Key("report", of_study=True)
TAKEN_BY = Key("report_by", of_study=True)
TAKEN_SWEEP = Key("report_sweep")
"""What a report and its figures hold: measures, slices, other settings of related concepts."""
