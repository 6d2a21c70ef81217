"""The options of commands that carry out a whole view: what is compared, over what, and how surely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import click

from evalcore.cli.comparing import over_queries
from evalcore.cli.comparisons import smallest_difference
from evalcore.cli.options import corrected
from evalcore.cli.scores import METRIC_HELP, SYSTEM_HELP

if TYPE_CHECKING:
    from evalcore.cli.asked import Asked
    from evalcore.cli.options import Command
    from evalcore.settings import SameGroup
    from evalcore.view import View


def of_a_view(command: Command) -> Command:
    """The options of `score` that decide its numbers, none of them required."""
    usual = "nnCUI@10; CUI@10 without a graph"
    added: Any = command
    for add in (
        smallest_difference,
        corrected,
        click.option(
            "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of resamples and flips."
        ),
        click.option(
            "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95,
            show_default=True, help="Level of the intervals.",
        ),
        over_queries,
        click.option("--baseline", metavar="S", show_default="the first system", help="Compared with."),
        click.option("--system", "systems", multiple=True, metavar="S", help=SYSTEM_HELP),
        click.option(
            "--metric", "metrics", multiple=True, metavar="M", show_default=usual, help=METRIC_HELP
        ),
    ):  # fmt: skip
        added = add(added)
    return cast("Command", added)


def view_of(asked: Asked, given: dict[str, Any]) -> View:
    """What the options say."""
    from evalcore.view import View

    return View(
        metrics=given["metrics"], systems=given["systems"], baseline=given["baseline"] or "",
        queries=given["which"] or "", where=asked.where,
        same_group=cast("SameGroup", asked.same_group), unknown=asked.unknown,
        correction=given["correction"], smallest_difference=given["smallest"] or 0.0, level=given["level"],
        seed=given["seed"], settings=asked.settings,
    )  # fmt: skip
