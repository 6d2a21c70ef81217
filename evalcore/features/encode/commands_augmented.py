"""``encode --augmented``: does the same picture come back when it was changed?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from evalcore.cli.options import Whole, example
from evalcore.cli.output import progress_line
from evalcore.cli.study_request import on_study
from evalcore.features.encode.augmented import N_IMAGES, augmented
from evalcore.features.encode.baselines import baseline_encoder, baselines_for
from evalcore.features.encode.figures import TITLES, change_curves
from evalcore.features.encode.opening import open_encoder
from evalcore.features.encode.tables import METHOD, augmented_table
from evalcore.figures.printed import PAPER, Format, Wanted, printed, why_not
from evalcore.study.tables.writers import write_pieces
from evalcore.study.workspace.home import make_folder
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.encode.augmented import AugmentedRow
    from evalcore.values.model import Study


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
@click.option(
    "--out",
    metavar="FOLDER",
    help="Where to write: the curve of each change, as PDF and SVG; needs Kaleido and Chromium.",
)
def augment(request: StudyRequest, model: str | None, device: str, n_images: int, out: str | None) -> None:
    """Does the same picture come back when it is rotated, cropped or darker?

    An evaluation without labels. Changed pictures of STUDY, more and more, are the queries; its pictures as
    they are, at most 2,000, are the candidates, ranked by cosine. A robust system returns the picture itself
    first.
    """
    if out is not None and (reason := why_not()):
        raise InputError(reason)
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
    table = augmented_table(rows)
    files = [] if out is None else _drawn(request.study, rows, Path(out))
    document = {"study": request.study.name, "seed": 0, "rows": table}
    request.emit(document | ({"figures": files} if files else {}), [table, METHOD, *files], table)


def _drawn(study: Study, rows: Sequence[AugmentedRow], folder: Path) -> list[str]:
    """Write a figure of each change as PDF and SVG, as wide as a column of a journal; their paths."""
    systems = list(dict.fromkeys([*study.systems, *(row.system for row in rows)]))
    drawn = {change: change_curves(rows, change, systems=systems, theme=PAPER) for change in TITLES}
    wanted = {
        folder / f"{change}.{form}": Wanted(figure, form, "single")
        for change, figure in drawn.items()
        for form in get_args(Format)
    }
    content = printed([*wanted.values()], progress=progress_line())
    make_folder(folder)
    for path, data in zip(wanted, content, strict=True):
        write_pieces(path, [data])
    return [str(path) for path in wanted]
