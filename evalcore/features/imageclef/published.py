"""Published results of 2017, as facts with their source, so that a new run can be placed among them.

``published_2017.csv`` contains the result tables of the task's page of 2017, every row with its source: 38
runs of concept detection, 34 of caption prediction. Captions were compared by BLEU as NLTK 3.2.2 computed it.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from math import isnan
from typing import NamedTuple

from evalcore.features.imageclef.editions import Edition
from evalcore.values.bundled import bundled

YEAR = "2017"
TEST_SET = f"the original test set of {YEAR} (10,000 images)"
RANKINGS: Mapping[str, str] = {
    "No External Resources Used": "without external resources",
    "External Resources Used, No Test Data Included": "with external resources",
    "External Resources Used, Test Data Potentially Included": "with external resources",
    "Unknown": "unknown resources",
}
"""The rankings that the overview of 2017 keeps apart, by the resources of their runs."""


class Published(NamedTuple):
    """A published score: mean F1 (concepts) or mean BLEU (captions).

    ``resources``: what the system used beside the task's data, ``run_type`` how the run was made, ``rank``
    its place, all as the source gives them; ``source`` names the page and the place on it. ``ranking``: one
    of ``RANKINGS``. A run that was scored here has no team, and False as ``published``.
    """

    ranking: str
    team: str
    run: str
    score: float
    resources: str = ""
    run_type: str = ""
    rank: str = ""
    source: str = "scored here"
    published: bool = True


@cache
def published_results(edition: Edition) -> tuple[Published, ...]:
    """The published runs of an edition, best first, ties in the order of the source; () without any."""
    if edition.key != YEAR:
        return ()
    rows = csv.reader(bundled("evalcore.features.imageclef", "published_2017.csv").splitlines()[1:])
    results = (
        Published(RANKINGS[resources], team, run, float(score), resources, kind, rank, source)
        for task, team, run, score, resources, kind, rank, source in rows
        if task == edition.task
    )
    return tuple(sorted(results, key=lambda row: -row.score))


def rank_among(rows: Sequence[Published], runs: Mapping[str, float]) -> list[Published]:
    """Published results and runs scored here in one list, ranking by ranking, best first.

    ``runs`` {run: score}; NaN is left out. They are in every ranking, as their resources are unknown, behind
    published ones of equal score.
    """
    own = [Published("", "", run, score, published=False) for run, score in runs.items() if not isnan(score)]
    ranked = []
    for ranking in dict.fromkeys(RANKINGS.values()):
        members = [row for row in rows if row.ranking == ranking]
        both = [*members, *(row._replace(ranking=ranking) for row in own)] if members else []
        ranked += sorted(both, key=lambda row: (-row.score, not row.published))
    return ranked
