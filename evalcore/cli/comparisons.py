"""Comparisons with a baseline: which options they take, and what is said about a difference that matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import click

from evalcore.cli.emit import Column
from evalcore.cli.options import Number
from evalcore.cli.output import decimals, whole
from evalcore.values.settings import FLIPS

if TYPE_CHECKING:
    from evalcore.values.model import Comparison
    from evalcore.values.settings import Correction, Settings


class How(NamedTuple):
    """How systems are compared: with which, under what settings, how surely, by which draws."""

    baseline: str | None
    settings: Settings
    level: float
    seed: int
    correction: Correction
    n_resamples: int = FLIPS


MORE_FLIPS = "More flips (--flips)"
"""What lowers a p that no flip reached."""
smallest_difference = click.option(
    "--smallest-difference", "smallest", type=Number(0, min_open=True), metavar="D",
    help="The smallest difference that matters to you. Says of every difference whether its interval "
    "lies beyond, what these queries can detect (80% power), and how many queries D needs.",
)  # fmt: skip
"""What is too small to matter."""


def only_with_baseline(
    baseline: str | None, *, correction: str, smallest: float | None, flips: int = FLIPS, tables: bool = False
) -> None:
    """Refuse what could change nothing: without a baseline only ``tables`` to take home compare anything."""
    unused = ["--correction"] * (correction != "holm" and not tables)
    unused += ["--flips"] * (flips != FLIPS and not tables)
    unused += ["--smallest-difference"] * (smallest is not None)
    if unused and not baseline:
        raise click.UsageError(f"{' and '.join(unused)}: nothing is compared without --baseline SYSTEM.")


def about_size(smallest: float | None) -> tuple[Column, ...]:
    """Columns about the size of a difference, where a smallest one was named."""
    if smallest is None:
        return ()
    from evalcore.stats.effect import IS_LARGER, detectable, judgement, pairs_needed

    def judged(one: Comparison) -> str:
        return judgement(one.low, one.high, smallest)

    def seen(one: Comparison) -> float:
        return detectable(one.spread, one.n_pairs, level=one.level, design_effect=one.design_effect)

    def needed(one: Comparison) -> int | None:
        return pairs_needed(one.spread, smallest, level=one.level, design_effect=one.design_effect)

    return (
        Column("smallest_difference", lambda _: smallest),
        Column("judgement", judged, f"more than {smallest:g}", IS_LARGER.__getitem__),
        Column("standard_error"),
        Column("design_effect"),
        Column("detectable_difference", seen, "detectable", decimals),
        Column("queries_needed", needed, "n needed", lambda n: "" if n is None else whole(n)),
    )
