"""``synthetic copies``: does a group of generated images repeat itself, or its training images?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from evalcore.cli.options import Whole, as_csv, as_json, choice_option, example, refuse_idle
from evalcore.cli.output import emit, progress_line
from evalcore.features.synthetic.ablation import NAME, own_ablation
from evalcore.features.synthetic.ablation import ablation as remove_channels
from evalcore.features.synthetic.commands.distances import on_groups
from evalcore.features.synthetic.commands.paper import HELP, write_copies
from evalcore.features.synthetic.commands.wsi import BROKEN, named_path, tversky, usable
from evalcore.features.synthetic.commands.wsi_output import tolerance_text
from evalcore.features.synthetic.copies import near_copies
from evalcore.features.synthetic.diversity import diversity
from evalcore.features.synthetic.evaluation.evaluate import evaluate
from evalcore.features.synthetic.evaluation.scores import METHOD as INTERVALS
from evalcore.features.synthetic.evaluation.scores import WsiSettings
from evalcore.features.synthetic.images import ImageSettings
from evalcore.features.synthetic.memorisation import METHOD
from evalcore.features.synthetic.read.groups import absolute, of_paths
from evalcore.features.synthetic.read.material import measured_groups
from evalcore.features.synthetic.tables import (
    Tested,
    ablation_table,
    copies_table,
    nearest_rows,
    nearest_table,
    tests_table,
)
from evalcore.results.rows import Table, plain
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.features.synthetic.commands.distances import DistancesRequest
    from evalcore.features.synthetic.read.material import Material


@example("synthetic copies --training real --generated gan=generated --side 64")
@click.command()
@on_groups("training", "The training images.", "generated")
@tversky("as quantiles of the training images", pairs="; pairs take the mean of both directions")
@click.option(
    "--resamples",
    type=Whole(1, 100_000),
    default=999,
    show_default=True,
    help="Resamples: relabellings of the tests and resamples of the intervals.",
)
@click.option(
    "--near",
    type=Whole(0, 256),
    default=16,
    show_default=True,
    help="Bits of 256 that may differ: in the perceptual hashes of near-duplicate pictures.",
)
@click.option("--paper", metavar="FOLDER", help=HELP)
@as_csv("the nearest training image of each image.")
@as_json
def copies(
    request: DistancesRequest,
    of_subject: float,
    of_archetype: float,
    quantiles: Any,
    resamples: int,
    near: int,
    paper: str | None,
) -> None:
    """Does a generator repeat itself, or copy images?

    Copies of the images it was trained on. Self-similarity: mean WSI of all pairs of generated images,
    compared with that of the training images. Nearest training image: how near each generated image is,
    compared with how near training images are to each other. Tested by relabelling images, p = (b + 1) / (n +
    1), one- sided; intervals by bootstrap over images.
    """
    of, held, seed = request.material, request.held, request.seed
    settings = WsiSettings(alpha=of_subject, beta=of_archetype, **quantiles, seed=seed)
    scored = evaluate(of.archetypes.table, [group.table for group in of.groups], settings=settings)
    tests: list[Tested] = []
    nearest: list[dict[str, Any]] = []
    each = []
    for k, part in enumerate(of.groups):
        got = diversity(
            scored.archetypes.tally,
            scored.groups[k].tally,
            weights=scored.weights,
            settings=settings,
            vectors=(held.archetypes, held.groups[k]),
            n_resamples=resamples,
            progress=progress_line(),
        )
        each.append((part.name, got))
        tests += [Tested(part.name, *test, got.drawn) for test in got.tests("WSI", "cosine")]
        nearest += [{"group": part.name, **row} for row in nearest_rows(got)]
    like = _near_copies(of, near)
    tested, rows = tests_table(tests), nearest_table(nearest, groups=True)
    if paper is not None:
        write_copies(paper, {"tests": tested, "nearest": rows, "near-duplicates": like}, each)
    below = (
        f"Tests: {METHOD}, {resamples:,} relabellings, seed {seed}; 95% intervals of the difference by "
        f"bootstrap over "
        f"images. Vectors: {held.what}."
    )
    emit(
        {
            "test": METHOD,
            "n_resamples": resamples,
            "seed": seed,
            "settings": settings.as_dict(),
            "vectors": held.what,
            "tests": tested,
            "nearest": rows,
            "near_duplicates": like,
            "near": near,
        },
        [tested, below, *_copies_said(like)],
        json=request.json,
        csv=request.csv,
        csv_rows=rows,
    )


def _near_copies(of: Material, near: int) -> Table:
    """Near-duplicate pictures of every group that has some, where the training images have pictures too."""
    result = []
    real = of.archetypes.pictures
    for part in of.groups:
        if real is None or part.pictures is None:
            continue
        shown = [*real.all(), *part.pictures.all()]
        generated = np.arange(len(shown)) >= len(real.ids)
        copies = near_copies(shown, generated, near=near, progress=progress_line())
        result.append((part.name, [*real.ids, *part.pictures.ids], copies))
    return copies_table(result)


def _copies_said(copies: Table) -> list[str | Table]:
    if not copies.rows:
        return ["No near-duplicate pictures."]
    return ["", "Near-duplicate pictures:", Table(copies.rows[:20], copies.columns)]


# ``synthetic ablation``: does the index notice channels that are taken away?


@example("synthetic ablation --n-images 20")
@click.command()
@click.option("--archetypes", metavar="PATH", help="The real images. In colour, in place of substitutes.")
@click.option(
    "--subjects",
    metavar="[NAME=]PATH",
    help="A group of images: that loses channels, in place of the archetypes themselves.",
)
@click.option(
    "--side", type=Whole(), metavar="PIXELS", help="Scale images so that the longer side is this long."
)
@BROKEN
@click.option(
    "--n-images", "n", type=Whole(2, 5_000), default=200, show_default=True, help="Images of each set."
)
@choice_option("seed")
@click.option(
    "--themselves",
    is_flag=True,
    help="Remove channels from the archetypes themselves; without it, from other images of the same "
    "kind (seed + 1).",
)
@tversky("as quantiles of the archetypes; 0,1: smallest and largest value")
@as_csv("those of the table.")
@as_json
def ablation(
    archetypes: str | None,
    subjects: str | None,
    side: int | None,
    broken: str,
    n: int,
    seed: int,
    themselves: bool,
    of_subject: float,
    of_archetype: float,
    quantiles: Any,
    csv_path: str | None,
    json_wanted: bool,
) -> None:
    """What WSI gives when channels are removed from images.

    And what it should give: with --archetypes of your own images, one channel and every two at a time;
    without, of substitute images. Substitute: drawn discs in three channels, as in
    fluorescence microscopy; the images of the paper are not defined in what is published of it. Nine
    features, three of each channel: objects, mean radius, intensity.
    """
    settings = WsiSettings(alpha=of_subject, beta=of_archetype, **quantiles, seed=seed)
    if archetypes is not None:
        refuse_idle(False, "n", "themselves", because="it is about substitute images")
        _of_own(archetypes, subjects, side, broken, settings, csv_path, json_wanted)
        return
    refuse_idle(False, "subjects", "side", "broken", because="it goes with --archetypes")
    steps = ablation_table(remove_channels(n=n, seed=seed, themselves=themselves, settings=settings))
    whose = "the archetypes themselves" if themselves else f"{n:,} others (seed {seed + 1})"
    above = (
        f"Substitute images, {n:,} archetypes (seed {seed}); channels removed from {whose}. "
        f"alpha = {of_subject:g}, beta = {of_archetype:g}, tolerance: {tolerance_text(settings)}. "
        f"Intervals: {settings.level:.0%}, {INTERVALS}, {settings.n_resamples:,} resamples, seed {seed}."
    )
    document = {"images": NAME, "n": n, "seed": seed, "themselves": themselves}
    _emit(document, above, steps, settings, csv_path, json_wanted)


BELOW = (
    "predicted: from the whole images, the features of removed channels counted as absent. ideal: were "
    "everything within tolerance but those. detected: share of those features out of tolerance."
)


def _of_own(
    archetypes: str,
    subjects: str | None,
    side: int | None,
    broken: str,
    settings: WsiSettings,
    csv_path: str | None,
    json_wanted: bool,
) -> None:
    """The same of one's own images."""
    real, measured_by = Path(archetypes), ImageSettings(side=side)
    sources = of_paths((absolute(real).name, real), [named_path(subjects or f"themselves={archetypes}")])
    material = measured_groups(sources, settings=measured_by, progress=progress_line())
    groups = usable(material, material.report, broken)
    if any(part.pictures is None for part in groups.parts):
        raise InputError("Channels are removed from pictures; a feature table has none.")
    (group,) = groups.groups
    result = own_ablation(groups.archetypes.table, group.table, images_by=measured_by, settings=settings)
    steps = ablation_table(result)
    above = (
        f"{len(groups.archetypes.table):,} archetypes; channels removed from {len(group.table):,} images of "
        f"{plain(group.name)}. alpha = {settings.alpha:g}, beta = {settings.beta:g}, tolerance: "
        f"{tolerance_text(settings)}. Intervals: {settings.level:.0%}, {INTERVALS}, {settings.n_resamples:,} "
        f"resamples, seed {settings.seed}."
    )
    document = {"images": str(archetypes), "group": group.name}
    _emit(document, above, steps, settings, csv_path, json_wanted)


def _emit(
    document: dict[str, Any],
    above: str,
    steps: Table,
    settings: WsiSettings,
    csv_path: str | None,
    json_wanted: bool,
) -> None:
    """The steps of an ablation, with what is special to its images first in the JSON."""
    document |= {"settings": settings.as_dict(), "ci_method": INTERVALS, "steps": steps}
    emit(document, [above, steps, BELOW], json=json_wanted, csv=csv_path, csv_rows=steps)
