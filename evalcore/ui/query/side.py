"""Which systems stand side by side: A and B, which the filters are about, and up to four others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalcore.report import verdicts
from evalcore.ui.compare import pair
from evalcore.ui.compare.keys import SYSTEM_A, SYSTEM_B
from evalcore.ui.components import select
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.choices import not_shown, systems_on_offer
from evalcore.ui.query.keys import ALSO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ui.compare.listing import Pair
    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.state import Key

MOST = 6
"""Systems side by side at most: columns of more are too narrow for an image."""
LETTERS = "ABCDEF"


def others(context: Context, of: Pair) -> tuple[str, ...]:
    """The systems beside A and B, as chosen; at first the best of those chosen on the left."""
    offered = [name for name in systems_on_offer(context.study) if name not in (of.a, of.b)]
    chosen = context.choice.systems
    ranked = verdicts.ranked_systems(cache.intervals(context.study, context.choice))
    first = [name for name in dict.fromkeys((*ranked, *chosen)) if name in offered][: MOST - 2]
    state.follow_default(ALSO)
    return tuple(
        select.several(
            "Beside A and B", offered, keep=ALSO, first=first, most=MOST - 2, width="stretch",
            placeholder="Up to four systems beside A and B", label_visibility="collapsed",
            shown=lambda name: f"+ {name}",
        )
    )  # fmt: skip


def how_many(context: Context, shown: Sequence[str]) -> str:
    """How many of the study's systems are on the board, where these are not all; else ""."""
    few = not_shown(context.study, shown)
    return f"{few}; up to {MOST} shown side by side" if few and len(context.study.systems) > MOST else few


def scores_at(context: Context, systems: Sequence[str], query: int) -> list[float]:
    """The value of each system for one query under the sidebar's measure; NaN where it has none."""
    asked = np.array([query], np.int32)
    return [float(pair.at(one, asked)[0]) for one in cache.scores(context.study, context.choice, systems)]


def link(systems: Sequence[str]) -> dict[Key, Any]:
    """What a link sets that opens a query with these systems side by side, as many as there is room for."""
    shown = list(dict.fromkeys(systems))[:MOST]
    both = dict(zip((SYSTEM_A, SYSTEM_B), shown, strict=False))
    return {**both, ALSO: shown[2:] or [select.NONE]}
