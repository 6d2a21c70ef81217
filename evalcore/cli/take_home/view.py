"""The options of commands that carry out a whole view: what is compared, over what, and how surely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from evalcore.cli.comparing import over_queries
from evalcore.cli.comparisons import smallest_difference
from evalcore.cli.options import (
    METRIC_HELP,
    corrected,
    options,
    with_flips,
    with_level,
    with_seed,
    with_systems,
)

if TYPE_CHECKING:
    from evalcore.cli.asked import Asked
    from evalcore.evaluate.view import View
    from evalcore.values.settings import SameGroup


of_a_view = options(
    click.option(
        "--metric", "metrics", multiple=True, metavar="M",
        show_default="nnCUI@10; CUI@10 without a graph", help=f"{METRIC_HELP} Repeat for several.",
    ),
    with_systems,
    click.option("--baseline", metavar="S", show_default="the first system", help="Compared with."),
    over_queries,
    with_level,
    with_seed("Of resamples and flips."),
    corrected,
    with_flips,
    smallest_difference,
)  # fmt: skip
"""The options of `score` that decide its numbers, none of them required."""


def view_of(asked: Asked, given: dict[str, Any]) -> View:
    """What the options say."""
    from evalcore.evaluate.view import View

    return View(
        metrics=given["metrics"], systems=given["systems"], baseline=given["baseline"] or "",
        queries=given["which"] or "", where=asked.where,
        same_group=cast("SameGroup", asked.same_group), unknown=asked.unknown,
        correction=given["correction"], smallest_difference=given["smallest"] or 0.0, level=given["level"],
        seed=given["seed"], flips=given["flips"], settings=asked.settings,
    )  # fmt: skip
