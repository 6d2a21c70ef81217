"""Which query and which question about a result."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

QUERY = Key("q", of_study=True)
WHY = Key("why", of_study=True)
WHY_IN = Key("why_in", of_study=True)
"""The system whose result the drawer is about; the first that returned the image where it is not named."""
ALSO = Key("also", of_study=True)
"""Systems beside A and B."""
FIND = Key("find", of_study=True)
ORDER = Key("order", of_study=True)
DEPTH = Key("n")
LAYOUT = Key("as")
LARGE = Key("large", of_study=True)
"""The result that is open large, by its place (A3) or its image."""
WHY_BY = Key("why_by", of_study=True)
MAP = Key("map")
MAP_OF = Key("map_of", of_study=True)
MAP_BY = Key("map_by", of_study=True)
MAP_WAY = Key("map_way")

WALK = "walk"
"""The fragment of the query on view."""
PICKERS = "query-pickers"
ASK_WHY = "ask_why"
WHAT_IF = "what_if"
