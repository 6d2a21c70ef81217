"""Which two systems, and which queries of theirs."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

SYSTEM_A = Key("a", of_study=True, in_links=True)
SYSTEM_B = Key("b", of_study=True, in_links=True)
SHOW = Key("show", of_study=True)
BY = Key("by", of_study=True)
"""What the queries are sliced by."""
GOOD_BY = Key("good", of_study=True, in_links=True)
GOOD_AT = Key("good_at", of_study=True, in_links=True)
AT_ONCE = Key("at_once", of_study=True)
"""What is shown of all systems at once."""
DEPTH = Key("depth", of_study=True)
PERSISTENCE = Key("p", of_study=True)
"""Of rank-biased overlap: how many results are looked at, and the chance to go on to the next."""
