"""``satisfaction``: which measure agrees with satisfied users, and whether context-aware gain helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from evalcore.cli.asked import on_study
from evalcore.cli.options import NN_IOU, Whole, whole_grid, with_seed
from evalcore.features.satisfaction.choices import DEPTHS, N_RESAMPLES, STEPS, VARIANCE_ROWS, Resample
from evalcore.features.satisfaction.commands import output
from evalcore.features.satisfaction.commands.asked import given
from evalcore.stats.dependent import DependentTest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.asked import Asked

FILE = click.Path(dir_okay=False)
WITHOUT = "; ".join(f"{name}: {text}" for name, text in STEPS.items())


@on_study(*NN_IOU, argument=False, csv=True)
@click.option("--relevance", type=FILE, metavar="FILE", help="What was shown: query,position,row,relevance.")
@click.option("--satisfaction", type=FILE, metavar="FILE", help="Ratings: query,user,satisfaction[,task].")
@click.option("--scale", metavar="LOW:HIGH",
              help="Lowest and highest relevance there can be, as 0:3; else 0 and the highest found. -1 and "
              "-2 mean that an image could not be judged.")  # fmt: skip
@click.option("--study", metavar="STUDY",
              help="Instead of --relevance: ratings of what its systems return, images as queries; a column "
              "system may say whose.")  # fmt: skip
@click.option("--by", default="nn-iou", show_default=True, metavar="R",
              help="With --study: the measure that says how relevant an image is.")  # fmt: skip
@click.option("--system", metavar="S", help="With --study: whose results were rated.")
@click.option("--width", type=Whole(1), default=1, show_default=True,
              help="With --study: images in a row of the page.")  # fmt: skip
@click.option("--simulate", type=click.Choice(["comparing", "indifferent"]),
              help="Instead of files: simulated users, who compare each image with the best so far, or who "
              "do not. No real data.")  # fmt: skip
@click.option("--depth", default=",".join(map(str, DEPTHS)), show_default=True, metavar="N,N",
              help="Rows of the page that count.")  # fmt: skip
@click.option("--window", type=Whole(1), default=10, show_default=True,
              help="Context-aware gain: images that count together.")  # fmt: skip
@click.option("--divide-by", type=click.Choice(["filled", "window"]), default="filled", show_default=True,
              help="Context-aware gain: divided by the images seen so far, or by the window.")  # fmt: skip
@click.option("--stop-by", type=click.Choice(["relevance", "gain"]), default="relevance", show_default=True,
              help="ERR: what decides whether somebody stops.")  # fmt: skip
@click.option("--average", type=click.Choice(["rows", "images"]), default="rows", show_default=True,
              help="AVG: of the means of rows, or of all images.")  # fmt: skip
@click.option("--sums", is_flag=True, help="Do not divide RBP, DCG, CG and ERR by the number of images.")
@click.option("--without", type=click.Choice(list(STEPS)), multiple=True,
              help=f"Leave out a step of the cleansing. {WITHOUT}.")  # fmt: skip
@click.option("--test", type=click.Choice(get_args(DependentTest)), default="williams", show_default=True,
              help="Context-aware against original; fisher wrongly takes them as independent.")  # fmt: skip
@click.option("--resample", type=click.Choice(get_args(Resample)), default="users", show_default=True,
              help="What the bootstrap draws: whole participants, or queries.")  # fmt: skip
@click.option("--resamples", "n_resamples", type=Whole(1, 100_000), default=N_RESAMPLES,
              show_default=True, help="Resamples of the bootstrap.")  # fmt: skip
@click.option("--variance-rows", type=Whole(1), default=VARIANCE_ROWS, show_default=True,
              help="First rows whose variance of relevance orders the queries.")  # fmt: skip
@click.option("--sample-variance", is_flag=True, help="Divide that variance by N - 1 instead of N.")
@with_seed("Seed of resamples and simulated users.")
def satisfaction(
    asked: Asked, depth: str, window: int, divide_by: Any, stop_by: Any, average: Any, sums: bool,
    without: Sequence[Any], test: DependentTest, resample: Resample, n_resamples: int, variance_rows: int,
    sample_variance: bool, seed: int, **where: Any,
) -> None:  # fmt: skip
    """Which measure of a list agrees with satisfied users, and does context-aware gain help?

    Spearman's rho between satisfaction and RBP, DCG, CG, AVG, MAX and ERR, on the relevance as it is and on
    context-aware gain (Shao et al. 2019), over the first rows of a grid. Intervals: bootstrap. Differences:
    two-sided test of correlations over the same queries, p corrected by Holm. --csv writes the correlations.
    """
    from evalcore.features.satisfaction.agreement import agreement, checked_depths
    from evalcore.features.satisfaction.cleansing import cleanse
    from evalcore.features.satisfaction.variance import split
    from evalcore.ranking.grid import Reading

    depths = checked_depths(whole_grid(depth))
    data = given(asked, seed=seed, rows=depths[-1], **where)
    clean = cleanse(data, depth=depths[-1], without=without)
    reading = Reading(window=window, divide_by=divide_by, stop_by=stop_by, over=average, per_image=not sums)
    found = agreement(
        clean, depths=depths, reading=reading, test=test, resample=resample, n_resamples=n_resamples,
        seed=seed,
    )  # fmt: skip
    halves = split(
        clean, reading=reading, rows=variance_rows, depth=depths[-1], sample=sample_variance,
        resample=resample, n_resamples=n_resamples, seed=seed,
    )  # fmt: skip
    rows = output.rows_table(found)
    differences = output.differences_table(found)
    asked.emit(
        {
            "n_queries": found.n_queries, "n_users": found.n_users, "dropped": dict(clean.dropped),
            "rows": rows, "differences": differences, "variance": output.variance_table(halves),
            "settings": {
                "source": data.what, "simulated": data.origin == "simulated", "scale": list(data.scale),
                "depth": list(depths), "window": window, "divide_by": divide_by, "stop_by": stop_by,
                "average": average, "per_image": not sums, "without": list(without), "test": test,
                "resample": resample, "n_resamples": n_resamples, "seed": seed, "ci_level": found.level,
                "variance_rows": variance_rows, "sample_variance": sample_variance,
                **(asked.recorded() if data.origin == "study" else {}),
            },
            "digest": data.digest,
        },
        output.shown(data, clean, found, halves), rows,
    )  # fmt: skip
