"""``wsi-ablation``: does the index notice channels that are taken away?"""

from __future__ import annotations

from typing import Any

import click

from evalcore.cli.emit import Column, Table, emit, ends, titled
from evalcore.cli.options import Whole, as_csv, as_json, with_seed
from evalcore.cli.output import decimals, percent
from evalcore.features.synthetic.commands.options import tversky


@click.command("wsi-ablation")
@click.option(
    "--images", "n", type=Whole(2, 5_000), default=200, show_default=True,
    help="Images of each set.",
)  # fmt: skip
@with_seed("Seed of the images.")
@click.option(
    "--themselves", is_flag=True,
    help="The archetypes lose channels; without it other images of the same kind (seed + 1).",
)  # fmt: skip
@tversky("as quantiles of the archetypes; 0,1: smallest and largest value")
@as_csv("Write the rows as CSV.")
@as_json
def wsi_ablation(
    n: int, seed: int, themselves: bool, of_subject: float, of_archetype: float, quantiles: Any,
    csv_path: str | None, json_wanted: bool,
) -> None:  # fmt: skip
    """What WSI gives when channels are removed from substitute images, and what it should give.

    Substitute: drawn discs in three channels, as in fluorescence microscopy; the images of the paper are not
    defined in what is published of it. Nine features, three of each channel: objects, mean radius, intensity.
    """
    from evalcore.features.synthetic.ablation.ablate import ablation
    from evalcore.features.synthetic.ablation.substitute import NAME
    from evalcore.features.synthetic.evaluation.scores import METHOD
    from evalcore.features.synthetic.evaluation.settings import WsiSettings

    settings = WsiSettings(alpha=of_subject, beta=of_archetype, quantiles=quantiles, seed=seed)
    steps = Table(ablation(n=n, seed=seed, themselves=themselves, settings=settings), _STEPS)
    whose = "the archetypes themselves" if themselves else f"{n:,} others (seed {seed + 1})"
    above = (
        f"Substitute images, {n:,} archetypes (seed {seed}); channels removed from {whose}. "
        f"alpha = {of_subject:g}, beta = {of_archetype:g}, tolerance: quantiles {quantiles[0]:g} to "
        f"{quantiles[1]:g}. "
        f"Intervals: {settings.level:.0%}, {METHOD}, {settings.n_resamples:,} resamples, seed {seed}."
    )
    below = (
        "predicted: from the whole images, the features of removed channels counted as absent. ideal: were "
        "everything within tolerance but those. detected: share of those features out of tolerance."
    )
    emit(
        {
            "images": NAME, "n": n, "seed": seed, "themselves": themselves, "settings": settings.as_dict(),
            "ci_method": METHOD, "steps": steps,
        },
        [above, steps, below], json=json_wanted, csv=csv_path, csv_rows=steps,
    )  # fmt: skip


_STEPS = (
    Column("without", lambda one: ";".join(one.without), "without", lambda said: said or "nothing"),
    Column("n"),
    Column("wsi", "mean", "WSI", decimals),
    *ends(),
    *titled("predicted", "ideal", text=decimals),
    Column("detected", None, "detected", percent),
)
