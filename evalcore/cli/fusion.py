"""``fuse``: several systems as one run file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalcore.cli.export import write_run
from evalcore.cli.options import NN_IOU, Number, Whole, example
from evalcore.cli.output import TEXT_FILE, progress_line
from evalcore.cli.study_request import on_study
from evalcore.evaluate.fusion.runs import fused, fused_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.cli.study_request import StudyRequest

METHODS = ("rrf", "combsum", "combmnz", "isr", "borda")
BY_HELP = (
    "The method. rrf: sum of 1 / (k + rank). combsum: sum of scores, each list scaled to 0 to 1. combmnz: "
    "that, times the number of systems that return the image. isr: sum of 1 / rank², times that number. "
    "borda: sum of the ranks below the image."
)


@example("fuse sample --system hog --system texture --method combmnz --depth 10")
@on_study(*NN_IOU, "include_self", "where")
@click.option(
    "-s",
    "--system",
    "systems",
    multiple=True,
    required=True,
    metavar="S",
    help="A system: a folder of systems/, or @ and a relevance. Two or more.",
)
@click.option("--method", type=click.Choice(METHODS), default="rrf", show_default=True, help=BY_HELP)
@click.option("--rrf-k", "k", type=Number(), default=60, show_default=True, help="The constant of rrf.")
@click.option("--depth", "top", type=Whole(1), help="Results of each list: all of them unless set.")
@click.option(
    "--out",
    type=TEXT_FILE,
    metavar="FILE",
    help="Where to write: a TREC run, or CSV when it ends in .csv; .gz packs it. Else printed.",
)
def fuse(
    request: StudyRequest, systems: Sequence[str], method: str, k: float, top: int | None, out: str | None
) -> None:
    """Put systems together, query by query, as a run.

    Images a system does not return add nothing (in borda: they share the places that are left). Scores are
    brought to 0 to 1 per query and system. `score --system rrf:A+B` does the same without a file. Equal
    fused scores are ordered by image id. A system without a run gives as many results as the longest run.
    """
    study, settings = request.study, request.settings
    system, ids = fused(study, systems, method=method, k=k), study.image_ids
    assert system.fusion is not None, "it is fused"
    blocks = fused_runs(study, system, depth=top, settings=settings, progress=progress_line())
    what = {
        "system": system.name,
        "method": method,
        "k": system.fusion.k,
        "members": list(system.fusion.members),
        "top": top,
    }
    write_run(request, blocks, ids, out, what)
