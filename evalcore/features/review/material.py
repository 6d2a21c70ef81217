"""Free material that readers rate: what teams explain about images, and the means of each team.

A task of the form ``material`` has a table beside its file: an image, a team, and what the team says of
it. Readers see the image and the explanation, never the team, and rate it by each criterion of the task.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalcore.evaluate import summarise_all
from evalcore.features.review.judgments import current
from evalcore.results.rows import Column, Table, decimals, ends, whole
from evalcore.values.arrays import readonly
from evalcore.values.model import DEFINED, Interval, Scores
from evalcore.values.writing import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.tasks import Task

OVERALL = "all criteria"


@dataclass(frozen=True, slots=True)
class TeamMean:
    """The ratings of a team by a criterion: the mean over images, each the mean over its readers.

    ``mean`` from 0 to 1 with its interval over images; ``judged`` ratings that counted, of ``readers``.
    """

    team: str
    criterion: str
    mean: Interval
    judged: int
    readers: int


def team_means(
    task: Task, judgments: Iterable[Judgment], teams: Mapping[str, str], *, seed: int = 0
) -> tuple[TeamMean, ...]:
    """The means of every team by every criterion and by all, best by all first.

    Parameters
    ----------
    judgments : any history; of a reader's answers on the same thing the last counts, "cannot say" does not.
    teams : {result: team}, of `items.teams_of`.

    An image counts by the mean over its readers; a team without any rating is left out. Intervals are
    percentile bootstrap over images. All criteria: the mean over those that an image was rated by.
    """
    values: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    readers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in current(judgments):
        rated = one.kind == "rating" and one.task == task.name and one.value is not None
        if rated and one.result in teams and one.criterion in task.criteria:
            assert one.value is not None
            for criterion in (one.criterion, OVERALL):
                key = teams[one.result], criterion
                values[key][f"{one.query}\0{one.criterion}"].append(one.value)
                readers[key].add(one.reader)
    keys = list(values)
    means = summarise_all([_scores(team, name, values[team, name]) for team, name in keys], seed=seed)
    rows = [
        TeamMean(*key, mean, sum(map(len, values[key].values())), len(readers[key]))
        for key, mean in zip(keys, means, strict=True)
    ]
    overall = {row.team: row.mean.mean for row in rows if row.criterion == OVERALL}
    order = {name: n for n, name in enumerate((OVERALL, *task.criteria))}
    return tuple(sorted(rows, key=lambda row: (-overall[row.team], row.team, order[row.criterion])))


def _scores(team: str, criterion: str, rated: Mapping[str, Sequence[float]]) -> Scores:
    """{image and criterion: values of the readers} as one value per image."""
    by_image: dict[str, list[float]] = defaultdict(list)
    for place, some in rated.items():
        by_image[place.partition("\0")[0]].append(float(np.mean(some)))
    column = np.array([np.mean(by_image[image]) for image in sorted(by_image)])
    reasons = np.full(len(column), DEFINED, np.uint8)
    places = np.arange(len(column), dtype=np.int32)
    return Scores(team, criterion, readonly(places), readonly(column), readonly(reasons), 0, 0, 0, None)


def teams_table(task: Task, rows: Sequence[TeamMean]) -> Table:
    """The means of teams, on the scale that readers saw: 1 to 5, or 0 to 100."""

    def scaled(value: float) -> float:
        return 1 + 4 * value if task.scale == 5 else 100 * value

    def number(row: TeamMean) -> float:
        return scaled(row.mean.mean)

    def interval(row: TeamMean) -> str:
        low, high = (decimals(scaled(end), 2) for end in (row.mean.low, row.mean.high))
        return f"{low} to {high}"

    def two(value: float) -> str:
        return decimals(value, 2)

    span, *saved = ends("mean.")
    columns = (
        Column("team", None, "team", plain).on_page("Team", cell=plain),
        Column("criterion", None, "criterion", plain).on_page("Criterion", cell=plain),
        Column("rating", number, "rating", two).on_page("Rating ↑", "%.2f"),
        span._replace(value=interval, text=str).on_page("95% interval", cell=str),
        Column("mean", "mean.mean"),
        *saved,
        Column("images", "mean.n", "images", whole).on_page("Images"),
        Column("ratings", "judged", "ratings", whole).on_page("Ratings"),
        Column("readers", None, "readers", whole).on_page("Readers"),
    )
    return Table(rows, columns)
