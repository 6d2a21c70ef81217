"""``review readers --task NAME`` of a task that asks for diagnoses: does retrieval help the doctor?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalcore.cli.output import complain, progress_line, write_csv, write_file
from evalcore.features.review.diagnosis import tables, words
from evalcore.features.review.diagnosis.analysis import for_imrmc
from evalcore.features.review.diagnosis.evidence import analysis_of, positive_of
from evalcore.features.review.diagnosis.storage import diagnoses_of
from evalcore.results.rows import Table, plain
from evalcore.study.reader_ratings import imrmc_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.review.diagnosis.analysis import Analysis
    from evalcore.features.review.tasks import Task

IDLE = ("names", "systems", "against", "level", "how", "k", "differ", "seed", "flips")
"""Parameters of the command that are about grades."""
ITS_OWN = ("metric", "readings", "imrmc")
"""Those that are about diagnoses."""


def report(
    request: StudyRequest, task: Task, measures: Sequence[str], readings: str | None, imrmc: str | None
) -> None:
    """Print the analysis of the diagnoses of a task, and write the files that are wanted."""
    opened = request.study
    assert opened.path is not None, "a command opens a folder"
    diagnoses = diagnoses_of(opened.path, opened, task)
    if not diagnoses:
        raise click.ClickException(f"The task {plain(task.name)} has no answers yet.")
    analysis, evidence = analysis_of(
        opened, task, diagnoses, measures=measures, settings=request.settings, progress=progress_line()
    )
    if readings is not None:
        write_csv(readings, tables.readings_table(diagnoses, evidence.kinds(diagnoses), evidence.scores))
    if imrmc is not None:
        write_file(imrmc, imrmc_lines(for_imrmc(diagnoses, positive_of(task))))
    simulated = sum(arm.simulated for arm in analysis.arms)
    if simulated:
        complain(f"{simulated:,} of {len(diagnoses):,} answers are simulated.")
    document = {**request.facts(), "task": task.name, **tables.document(analysis)}
    request.emit(document, _shown(analysis), tables.values_table(analysis))


def _shown(analysis: Analysis) -> Iterator[str | Table]:
    yield plain(words.headline(analysis))
    yield from (plain(text) for text in (*words.changed(analysis), *words.helped(analysis)))
    if more := words.more_help(analysis):
        yield plain(more)
    yield ""
    yield tables.counts_table(analysis)
    yield ""
    yield tables.values_table(analysis)
    for table in (
        tables.differences_table(analysis),
        tables.changes_table(analysis),
        tables.help_table(analysis),
    ):
        if table.rows:
            yield ""
            yield table
    if analysis.against:
        yield "\nDoes a higher score mean more help?"
        yield tables.against_table(analysis)
    yield ""
    if text := words.missing(analysis):
        yield text
    yield plain(words.method(analysis))
