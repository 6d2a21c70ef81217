"""``fuse``: several systems as one run file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from evalcore.cli.asked import on_study
from evalcore.cli.export.run_file import write_run
from evalcore.cli.options import NN_IOU, Number, Whole
from evalcore.cli.output import TEXT_FILE, progress_line
from evalcore.values.progress import part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.asked import Asked
    from evalcore.evaluate.systems import System
    from evalcore.values.model import Run, Study
    from evalcore.values.settings import Settings

METHODS = ("rrf", "combsum", "combmnz", "isr", "borda")
BY_HELP = (
    "rrf: sum of 1 / (k + rank). combsum: sum of scores, each list brought to 0 to 1. combmnz: that, times "
    "the number of systems that return the image. isr: sum of 1 / rank², times that number. borda: sum of "
    "the places left below the image."
)
BLOCK = 2048


@on_study(*NN_IOU, "include_self", "where", cluster=True)
@click.option(
    "--system", "systems", multiple=True, required=True, metavar="S",
    help="A folder of systems/, or @ and a relevance. Two or more.",
)  # fmt: skip
@click.option("--by", "method", type=click.Choice(METHODS), default="rrf", show_default=True, help=BY_HELP)
@click.option("--k", type=Number(), default=60, show_default=True, help="The constant of rrf.")
@click.option("--top", type=Whole(1), help="Results per query; all of them unless set.")
@click.option(
    "--out",
    type=TEXT_FILE,
    metavar="FILE",
    help="A TREC run, or CSV when it ends in .csv; .gz packs it. Else printed.",
)
def fuse(
    asked: Asked, systems: Sequence[str], method: str, k: float, top: int | None, out: str | None
) -> None:
    """Put systems of STUDY together, query by query, and write the run.

    Images a system does not return add nothing (in borda: they share the places that are left). Scores are
    brought to 0 to 1 per query and system. `score --system rrf:A+B` does the same without a file. Equal
    fused scores stand by image id. A system without a run gives as many results as the longest run holds.
    """
    from evalcore.evaluate.fusion.names import fusion_of
    from evalcore.evaluate.systems import resolve_lists, resolve_systems

    study, settings = asked.study, asked.settings
    fusion = fusion_of(study, method, systems, k=k, known=lambda name: resolve_lists(study, [name])[0].name)
    (system,) = resolve_systems(study, [str(fusion)])
    blocks, ids = _runs(study, system, settings, top), study.image_ids
    what = {
        "system": str(fusion),
        "method": method,
        "k": fusion.k,
        "members": list(fusion.members),
        "top": top,
    }
    write_run(asked, blocks, ids, out, what)


def _runs(study: Study, system: System, settings: Settings, top: int | None) -> Iterator[Run]:
    """The fused lists, block by block, without images the study does not know."""
    from evalcore.evaluate.pools import pool_of
    from evalcore.evaluate.systems import lists_of
    from evalcore.values.arrays import starts_of
    from evalcore.values.model import Run

    show, blocks = progress_line(), range(0, len(study.queries), BLOCK)
    for place, first in enumerate(blocks):
        queries = study.queries[first : first + BLOCK]
        pool = pool_of(study, (), queries, settings)
        lists = lists_of(
            study, system, pool, queries, depth=None, settings=replace(settings, ties="id"),
            progress=part_of(show, place, len(blocks)),
        )  # fmt: skip
        lists = lists.keep(lists.candidates >= 0)
        if top is not None:
            lists = lists.keep(lists.ranks <= top)
        lengths = lists.indptr[1:] - lists.indptr[:-1]
        filled = lengths > 0
        yield Run.from_arrays(
            system.name, queries[filled], starts_of(lengths[filled]), lists.candidates, lists.scores
        )
