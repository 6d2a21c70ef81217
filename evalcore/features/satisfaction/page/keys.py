"""Where the ratings come from, which of them count, and what is drawn."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

SOURCE = Key("ratings")
USERS = Key("users_who")
SCALE = Key("relevance_scale")
BY = Key("relevance_by", of_study=True)
SYSTEM = Key("rated_system", of_study=True)
WIDTH = Key("per_row")
DEPTHS = Key("rows")
DEPTH = Key("rows_drawn")
WINDOW = Key("window")
TEST = Key("test_of_difference")
RESAMPLE = Key("resample")
BESIDE = Key("published")
VARIANCE = Key("variance_rows")
STEP = {name: Key(f"step_{name}") for name in ("invalid", "short", "few", "minmax")}
NOT_DONE = "satisfaction_not_done"
