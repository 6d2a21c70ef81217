"""What the Measures page compares, and on what, by its names in links; and its parts."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

COMPARED = Key("yardsticks", of_study=True)
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
TIES_HERE = "ties_here"
WALKS = Key("walks")
NOT_DONE = "ratings_not_done"

PART = Key("view")
AGREE, RANKING, POWER, SEARCH, RATED, ABOUT = (
    "Do they agree?", "Places of systems", "Telling systems apart", "As search engines", "Against physicians",
    "What each one is",
)  # fmt: skip
"""The parts as links call them; `title` is what they are called on screen."""


def title(part: str, *, plain: bool) -> str:
    """What a part is called on its tab."""
    if part == RANKING:
        return "Ranking of systems"
    if part == POWER:
        return "Power to separate systems" if plain else "Discriminative power"
    return part
