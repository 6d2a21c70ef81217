"""Published results of 2017, as facts with their source, so that a new run can be placed among them.

``published_2017.csv`` contains the result tables of the task's page of 2017, every row with its source: 38
runs of concept detection, 34 of caption prediction. ``read_published`` takes any other table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isnan
from types import MappingProxyType

from evalcore.features.imageclef.editions import Edition, Task
from evalcore.features.imageclef.read import bundled, within_cap
from evalcore.study.tables.load import read
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.schema import NO_ROWS, Column, Rule, Schema
from evalcore.values.errors import InputError

TEST_SET = "the original test set of 2017 (10,000 images)"
COLUMNS = ("team", "run", "score", "resources", "source")
TABLE = Schema(
    (
        Column(("team",), empty=None),
        Column(("run",), empty=None),
        Column(("score",), number=Rule("not-a-number", "The score {value} is no number.", "Write a number.")),
        *(
            Column((name,), required=False, empty=None)
            for name in ("resources", "source", "run_type", "rank", "task")
        ),
    ),
    f"Name the columns {', '.join(COLUMNS)}.",
    no_rows=NO_ROWS,
)


@dataclass(frozen=True, slots=True)
class Published:
    """A published score, by what the task ranks by: mean F1 (concepts), in 2017 mean BLEU (captions).

    ``resources`` what the system used beside the task's data, ``run_type`` how the run was made, both in
    the words of the source; "" when it does not say. ``source`` names paper or page, and place.
    ``published`` False for a run that was scored here. ``rank`` as the source gives it, "" without.
    ``ranking`` which ranking of the overview of 2017 it is in, "" for other tables.
    """

    team: str
    run: str
    score: float
    resources: str
    source: str
    run_type: str = ""
    published: bool = True
    rank: str = ""
    ranking: str = ""


RANKINGS: Mapping[str, str] = MappingProxyType(
    {
        "No External Resources Used": "without external resources",
        "External Resources Used, No Test Data Included": "with external resources",
        "External Resources Used, Test Data Potentially Included": "with external resources",
        "Unknown": "unknown resources",
    }
)
"""The rankings that the overview of 2017 keeps apart, by the resources of their runs."""


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
    """Published results and runs scored here in one list, ranking by ranking, best first.

    ``runs`` {run: score}; NaN is left out. They are in every ranking, as their resources are unknown, behind
    published ones of equal score; their team is "".
    """
    own = [
        Published("", run, score, "", "scored here", published=False)
        for run, score in runs.items()
        if not isnan(score)
    ]
    listed = []
    for ranking in dict.fromkeys(["", *RANKINGS.values()]):
        members = [row for row in rows if row.ranking == ranking]
        both = [*members, *(replace(row, ranking=ranking) for row in own)] if members else []
        listed += sorted(both, key=lambda row: (-row.score, not row.published))
    return listed


def read_published(data: bytes, *, file: str, task: Task | None = None) -> tuple[Published, ...]:
    """Published results from a table with the columns team, run, score, maybe resources, source, run_type.

    ``task`` takes only the rows that its column ``task`` gives to that task, in the rankings of 2017.

    Raises
    ------
    InputError
        A column is missing, a score is no finite number, or there are no rows.
    """
    problems = Problems(file)
    with within_cap():
        rows = read(data, TABLE, problems)
    if problems.n_errors:
        raise InputError(f"The published results {file} cannot be used.", problems.report())
    names = ("team", "run", "resources", "source", "run_type", "rank", "task")
    columns = dict(zip(names, map(rows.texts, names), strict=True))
    source = [text or f"the file {file}" for text in columns["source"]]
    return tuple(
        Published(
            columns["team"][i],
            columns["run"][i],
            float(score),
            columns["resources"][i],
            source[i],
            columns["run_type"][i],
            rank=columns["rank"][i],
            ranking="" if task is None else RANKINGS[columns["resources"][i]],
        )
        for i, score in enumerate(rows.numbers("score"))
        if task is None or columns["task"][i] == task
    )
