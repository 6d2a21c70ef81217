"""``check STUDY RULES``: the concepts of a study curated by rules, and what each rule removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.cli.output import write_table
from evalcore.evaluate.curation import curate
from evalcore.results.curation import removed_table, steps_table, types_table
from evalcore.results.rows import plain
from evalcore.study.curation_rules import read_curation

if TYPE_CHECKING:
    from pathlib import Path

    from evalcore.cli.study_request import StudyRequest

_SHOWN = 20
"""Removed concepts that are printed; the file and --json have all."""


def curation(request: StudyRequest, rules: Path, out: str | None) -> None:
    """Print what each rule removes of the concepts of a study, and write the new concepts file."""
    opened = request.study
    wanted = read_curation(rules, vocabulary=opened.concepts.vocabulary, kinds=opened.kinds)
    result = curate(opened.concepts, wanted)
    if out is not None:
        sets = result.sets
        held = ((image, i) for i, image in enumerate(sets.image_ids) if sets.annotated[i])
        write_table(out, ("ID", "CUIs"), ((image, ";".join(sets.written(i))) for image, i in held))
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
            *([f"{more:,} more; --json has all."] if more > 0 else []),
        ],
    )
