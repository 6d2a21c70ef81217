"""Options that several commands on machine-generated images share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Number, options

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.cli.options import Command


class Numbers(click.ParamType[tuple[float, ...]]):
    """Numbers with commas between them."""

    name = "numbers"

    def __init__(self, kind: type[int] | type[float] = float) -> None:
        self._kind = kind

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(self._kind(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of numbers such as 1,2.", param, ctx)


BROKEN = click.option(
    "--broken", type=click.Choice(["error", "drop"]), default="error", show_default=True,
    help="Images that cannot be read: an error, or left out.",
)  # fmt: skip


PLANES = click.option(
    "--planes", type=click.Choice(["max", "mean", "each"]), default="max", show_default=True,
    help="Of a TIFF stack (slices, times): the largest value or the mean at every pixel, or each plane as an "
    "image of its own.",
)  # fmt: skip


def tversky(quantiles: str, *, pairs: str = "") -> Callable[[Command], Command]:
    """--alpha, --beta and --quantiles; ``quantiles``: of what, ``pairs``: what pairs take, in words."""
    return options(
        click.option(
            "--alpha", "of_subject", type=Number(0), default=1.0, show_default=True,
            help=f"Weight of what only the subject has{pairs}.",
        ),
        click.option(
            "--beta", "of_archetype", type=Number(0), default=1.0, show_default=True,
            help="Weight of what only the archetype has.",
        ),
        click.option(
            "--quantiles", type=Numbers(), default="0.05,0.95", show_default=True, metavar="LOW,HIGH",
            help=f"Ends of the tolerance of each feature, {quantiles}.",
        ),
    )  # fmt: skip
