"""Which concepts, links and images the Concepts page is about."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

VIEW = Key("about")
PATH, AROUND, DISTANCES, EFFECT = "Path", "Around a concept", "Distances", "What the graph does"
"""The views, as the address names them."""

FROM = Key("from", of_study=True)
TO = Key("to", of_study=True)
ROUTE = Key("route", of_study=True)
SOURCES = Key("sources", of_study=True)
RELATIONS = Key("relations", of_study=True)
WAY = Key("way")
CENTRE = Key("concept", of_study=True)
WITHIN = Key("within")
WEIGHTED = Key("weighted")
IMAGE_A = Key("image_a", of_study=True)
IMAGE_B = Key("image_b", of_study=True)
OFF = Key("off", of_study=True)
LINK = Key("link", of_study=True)
SHOWN = Key("shown", of_study=True)
