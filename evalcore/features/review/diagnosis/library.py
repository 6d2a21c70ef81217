"""What `evalcore.diagnoses` shows of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcore.features.review.diagnosis import tables, words
from evalcore.features.review.diagnosis.evidence import analysis_of
from evalcore.features.review.diagnosis.storage import diagnoses_of
from evalcore.features.review.read.task_files import read_task
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.results.rows import Table
    from evalcore.values.model import Study


def analysed(
    study: Study, task: str, *, measures: Sequence[str], settings: Settings | None, level: float
) -> tuple[list[str], dict[str, Table], dict[str, Any]]:
    """Sentences, tables by name, and the JSON of the diagnoses of a task.

    Raises
    ------
    InputError, UnknownName
        See `evalcore.diagnoses`.
    """
    if study.path is None:
        raise InputError("Answers are those of a study folder: save the study, and open the folder.")
    asked = read_task(study.path, task)
    if asked.diagnosis is None:
        raise InputError(
            f"The task {task} does not ask for diagnoses. `mrmc STUDY` compares systems by other judgments."
        )
    diagnoses = diagnoses_of(study.path, study, asked)
    if not diagnoses:
        raise InputError(f"The task {task} has no answers yet.")
    analysis, _ = analysis_of(
        study, asked, diagnoses, measures=measures, settings=settings or Settings(), level=level
    )
    texts = [words.headline(analysis), *words.changed(analysis), *words.helped(analysis)]
    texts += [words.more_help(analysis), words.missing(analysis), words.method(analysis)]
    simulated = sum(arm.simulated for arm in analysis.arms)
    if simulated:
        texts.append(f"{simulated:,} of {len(diagnoses):,} answers are simulated.")
    shown = {
        "values": tables.values_table(analysis),
        "differences": tables.differences_table(analysis),
        "changes": tables.changes_table(analysis),
        "help": tables.help_table(analysis),
        "against": tables.against_table(analysis),
    }
    return [text for text in texts if text], shown, tables.document(analysis)
