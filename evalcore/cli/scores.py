"""``score``: systems under metrics, with intervals and comparisons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalcore.cli import against, comparing
from evalcore.cli.comparing import (
    MORE_FLIPS,
    How,
    compared,
    facts,
    only_with_baseline,
    over_queries,
    owed_lines,
    smallest_difference,
)
from evalcore.cli.comparing import facts_same_group as group_facts
from evalcore.cli.options import (
    ALL,
    Setting,
            "MeanR and MedR: lower is better. short: the list does not contain the match: its rank is "
            "unknown and counts as the last place, as for queries not answered; the score is then an upper "
            "bound."
        )
    if compared.rows:
        other = "" if method == first.method else f" Intervals of differences: {method}."
        against = compared.rows[0]
        yield (
            f"\nAgainst {plain(against.baseline)}: {against.test}, seed {first.seed}; "
            f"{over_what(compared.rows)}.{other}"
        )
        if floor := at_the_floor(compared.rows, more=MORE_FLIPS):
            yield floor
        yield compared.without("baseline")


def _limited(ceilings: Table) -> Iterator[str | Table]:
    """How good lists of these lengths could be at most, where that is below 1."""
    if ceilings.rows:
        yield "\nThe lists are too short to reach 1: an image that is missing from a list cannot count."
        yield ceilings


def _per_query(study: Study, scores: Sequence[Scores]) -> Iterator[tuple[str, ...]]:
    """Rows of every query in the pool; the value empty where there is a reason instead."""
    for score in scores:
        columns = score.queries.tolist(), score.values.tolist(), score.reasons.tolist()
        for query, value, reason in zip(*columns, strict=True):
            if reason != OUTSIDE_POOL:
                shown = repr(value) if reason == DEFINED else ""
                yield study.image_ids[query], score.system, score.metric, shown, REASONS[reason]
