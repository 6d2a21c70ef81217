"""Where systems differ: two of them, group by group, or every pair."""

from __future__ import annotations

from evalcore.ui.components import select
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import TAB
from evalcore.ui.results import all_pairs, groups, two_systems

TITLES = {"two": "Two systems", "groups": "Groups of queries", "all": "All pairs"}
"""The tabs, by their names in the address."""


def section(context: Context) -> None:
    """The tabs, of which the open one alone is drawn; nothing with a single system."""
    n = len(context.choice.systems)
    parts = {"two": two_systems.section, "groups": groups.section, "all": all_pairs.section}
    keys = {"two": two_systems.KEYS, "groups": groups.KEYS, "all": all_pairs.KEYS}
    if n < all_pairs.LEAST:
        del parts["all"]
    select.parts(parts, context, keep=TAB, shown=TITLES.__getitem__, opened_by=keys)
