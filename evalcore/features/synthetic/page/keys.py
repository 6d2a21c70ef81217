"""What is compared on the page Synthetic, with which settings, and which part is open."""

from __future__ import annotations

from evalcore.ui.frame import state
from evalcore.ui.frame.state import Key

PART = state.TAB
SUBJECTS = Key("subjects", of_study=True)
REAL = Key("real", of_study=True)
LABEL = Key("real_label", of_study=True)
OTHER_LABEL = Key("other_label", of_study=True)
MOST = Key("images", of_study=True)
SIDE = Key("pixels")
COLOUR = Key("colour")
PLANES = Key("planes")
READING = Key("archetype")
ALPHA = Key("wsi_alpha")
BETA = Key("wsi_beta")
SHARE = Key("tolerance")
WEIGHTS = Key("weights")
GROUP = Key("group", of_study=True)
CHANNEL = Key("channel", of_study=True)
COPYING = Key("copying", of_study=True)
ORDER = Key("first")
SIMILARITY = Key("likeness")
VECTORS = Key("vectors", of_study=True)
DISTANCE = Key("distance")

ROLE, NAME, FILE, PEOPLE, OWN_WEIGHTS, OUTCOME = (
    "synthetic_role", "synthetic_name", "synthetic_file", "synthetic_people", "synthetic_weights",
    "synthetic_outcome",
)  # fmt: skip
