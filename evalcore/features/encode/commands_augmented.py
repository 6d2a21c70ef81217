"""``encode --augmented``: does the same picture come back when it was changed?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalcore.cli.options import Whole, example
from evalcore.cli.output import progress_line
from evalcore.cli.study_request import on_study
from evalcore.features.encode.augmented import N_IMAGES, N_RESAMPLES, augmented
from evalcore.features.encode.baselines import baseline_encoder, baselines_for
from evalcore.features.encode.opening import open_encoder
from evalcore.results.rows import Column, Table, also, decimals, plain

if TYPE_CHECKING:
    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.encode.augmented import AugmentedRow

_UNITS = {"rotated": "{:g} degrees", "cropped": "{:.0%} of each side", "darker": "by {:.0%}"}


def _how(row: AugmentedRow) -> str:
    return _UNITS[row.change].format(row.level)


COLUMNS = (
    Column("system", None, "system", plain),
    Column("change", None, "change"),
    Column("level"),
    also("how much", _how),
    Column("first", None, "comes back first", decimals),
    also("interval", lambda row: f"[{row.ci_low:.4f}, {row.ci_high:.4f}]"),
    Column("ci_low"),
    Column("ci_high"),
    Column("in_ten", None, "in first 10", decimals),
    Column("reciprocal_rank", None, "RR", decimals),
    Column("n", None, "pictures"),
    Column("n_candidates", None, "candidates"),
)


@example("encode data --augmented --model baseline:hog --n-images 10")
@on_study(runs=False, csv=True)
@click.option(
    "--model",
    metavar="MODEL",
    help="A folder with a trained model, the name of one in the folder models of the workspace, or "
    "baseline:NAME. Default: every baseline that reads pictures.",
)
@click.option("--device", default="cpu", show_default=True, help="Where models run: cpu, cuda or mps.")
@click.option(
    "--n-images",
    type=Whole(2, 5_000),
    default=N_IMAGES,
    show_default=True,
    help="Images of each set: pictures that are changed, drawn with seed 0.",
)
def augment(request: StudyRequest, model: str | None, device: str, n_images: int) -> None:
    """Does the same picture come back when it is rotated, cropped or darker?

    An evaluation without labels. Changed pictures of STUDY, more and more, are the queries; its pictures as
    they are, at most 2,000, are the candidates, ranked by cosine. A robust system returns the picture itself
    first.
    """
    encoders = (
        [open_encoder(model, "images", device=device)]
        if model is not None
        else [baseline_encoder(baseline) for baseline in baselines_for(["images"])]
    )
    rows = [
        row
        for encoder in encoders
        for row in augmented(request.study, encoder, n_images=n_images, progress=progress_line())
    ]
    table = Table(rows, COLUMNS)
    said = (
        "Share of changed pictures whose own picture comes back first (equal similarities: in random order); "
        f"95% intervals: percentile bootstrap over pictures, {N_RESAMPLES:,} resamples, seed 0."
    )
    request.emit({"study": request.study.name, "seed": 0, "rows": table}, [table, said], table)
