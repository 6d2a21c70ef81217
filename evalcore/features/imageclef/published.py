"""Published results of 2017, as facts with their source, so that a new run can be placed among them.

``published_2017.csv`` holds the result tables of the task's page of 2017, every row with its source: 38
runs of concept detection, 34 of caption prediction. ``read_published`` takes any other table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite, isnan

from evalcore.features.imageclef.editions import Edition, Task
from evalcore.features.imageclef.read import bundled, rows_in
from evalcore.study.tables import tables
from evalcore.study.tables.files import number
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import quoted
from evalcore.values.errors import InputError

TEST_SET = "the original test set of 2017 (10,000 images)"
COLUMNS = ("team", "run", "score", "resources", "source")


@dataclass(frozen=True, slots=True)
class Published:
    """A published score, by what the task ranks by: mean F1 (concepts), in 2017 mean BLEU (captions).

    ``resources`` what the system used beside the task's data, ``run_type`` how the run was made, both in
    the words of the source; "" when it does not say. ``source`` names paper or page, and place.
    ``published`` False for a run that was scored here. ``rank`` as the source gives it, "" without.
    """

    team: str
    run: str
    score: float
    resources: str
    source: str
    run_type: str = ""
    published: bool = True
    rank: str = ""


@cache
def included(edition: Edition) -> tuple[Published, ...]:
    """The published runs of an edition, best first; of equal scores in the order of the source.

    () where none come with the program. Captions of 2017 were compared by BLEU as NLTK 3.2.2 computed it.
    """
    if not edition.published:
        return ()
    listed = read_published(bundled(edition.published), file=edition.published, task=edition.task)
    return tuple(sorted(listed, key=lambda row: -row.score))


def placed(rows: Sequence[Published], runs: Mapping[str, float]) -> list[Published]:
    """Published results and runs scored here in one list, best first; of equal scores published ones first.

    ``runs`` {run: score}; NaN is left out. The team of a run scored here is "".
    """
    own = [
        Published("", run, score, "", "scored here", published=False)
        for run, score in runs.items()
        if not isnan(score)
    ]
    return sorted([*rows, *own], key=lambda row: (-row.score, not row.published))


def read_published(data: bytes, *, file: str, task: Task | None = None) -> tuple[Published, ...]:
    """Published results from a table with the columns team, run, score, maybe resources, source, run_type.

    ``task`` takes only the rows that its column ``task`` gives to that task.

    Raises
    ------
    InputError
        A column is missing, a score is no finite number, or there are no rows.
    """
    problems = Problems(file)
    rows = rows_in(data, problems)
    header = [cell.strip().lower() for cell in rows[0].cells] if rows else []
    if not problems.n_errors and not {"team", "run", "score"} <= set(header):
        problems.error("wrong-header", "Columns are missing.", f"Name them {', '.join(COLUMNS)}.", line=1)
    elif not problems.n_errors:
        cells = [(row, dict(zip(header, row.cells, strict=False))) for row in rows[1:]]
        read = [_row(row, by, problems) for row, by in cells if task is None or by.get("task") == task]
        if not read:
            problems.error("no-rows", "There are no rows below the header.", "Check the file.")
    if problems.n_errors:
        raise InputError(f"The published results {file} cannot be used.", problems.report())
    return tuple(read)


def _row(row: tables.Row, cells: Mapping[str, str], problems: Problems) -> Published:
    score = number(cells.get("score", ""))
    if not isfinite(score):
        problems.error(
            "not-a-number",
            f"The score {quoted(cells.get('score', ''))} is no number.",
            "Write a number.",
            line=row.line,
        )
    return Published(
        cells.get("team", ""),
        cells.get("run", ""),
        score,
        cells.get("resources", ""),
        cells.get("source", "") or f"the file {problems.file}",
        cells.get("run_type", ""),
        rank=cells.get("rank", ""),
    )
