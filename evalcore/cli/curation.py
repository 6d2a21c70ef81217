"""``check --curation``: the concepts of a study curated by rules, and what each rule removed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.options import example
from evalcore.cli.output import TEXT_FILE, write_table
from evalcore.cli.study_request import on_study
from evalcore.evaluate.curation import curate
from evalcore.results.curation import removed_table, steps_table, types_table
from evalcore.results.rows import plain
from evalcore.study.curation_rules import read_curation

if TYPE_CHECKING:
    from evalcore.cli.study_request import StudyRequest

_SHOWN = 20
"""Removed concepts that are printed; the file and --json have all."""


@example("check data rules.toml --curation --out curated.csv")
@on_study(csv=True, runs=False)
@click.argument("rules", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", type=TEXT_FILE, metavar="FILE.csv", help="Where to write: the new concepts file.")
def curation(request: StudyRequest, rules: Path, out: str | None) -> None:
    """Curate the concepts of STUDY by RULES, a TOML file.

    Wrong links are corrected, then a blacklist, unwanted semantic types and rare concepts removed: keys
    links, blacklist, keep_types with types, min_images. `--out concepts.csv` is a file to put into a study;
    `--csv` every removed concept with its rule.
    """
    opened = request.study
    wanted = read_curation(rules, vocabulary=opened.concepts.vocabulary, kinds=opened.kinds)
    result = curate(opened.concepts, wanted)
    if out is not None:
        sets = result.sets
        held = ((image, i) for i, image in enumerate(sets.image_ids) if sets.annotated[i])
        write_table(out, ("ID", "CUIs"), ((image, ";".join(sorted(sets.of_image(i)))) for image, i in held))
    steps, types = steps_table(result), types_table(result)
    removed = removed_table(result, opened.names)
    head = f"{plain(opened.name)}: {len(result.removed):,} concepts removed or corrected."
    more = len(result.removed) - _SHOWN
    request.emit(
        {"study": opened.name, "digest": opened.digest, "steps": steps, "types": types, "removed": removed},
        [
            head,
            steps,
            "",
            types,
            "",
            removed._replace(rows=result.removed[:_SHOWN]),
            *([f"{more:,} more; --csv has all."] if more > 0 else []),
        ],
        removed,
    )
