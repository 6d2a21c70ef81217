"""What commands that compare systems share: the analysis, what is compared over, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Whole
from evalcore.cli.output import complain
from evalcore.evaluate.common_pool import in_words as pools_in_words
from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.summary import method_of_differences
from evalcore.evaluate.systems import about_lists, about_means
from evalcore.report import verdicts
from evalcore.results.pairs import OWED, comparisons_table, slice_differences_table
from evalcore.results.rows import Table, plain
from evalcore.results.scores import slice_means_table
from evalcore.values.grouping import count_left_out, in_words, proposed_group
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.evaluate.analysis import Analysis
    from evalcore.evaluate.comparison import BeforeAfter
    from evalcore.evaluate.slices import Sliced
    from evalcore.values.model import Comparison, Scores, Study

# What is said of groups: how many candidates were left out, and what a query's own group adds.


def facts_same_group(study: Study, rows: Sequence[BeforeAfter] = ()) -> dict[str, Any]:
    """For JSON; where the study names no groups, the column that looks like some, if any."""
    if study.groups is None:
        return {"proposed_group": proposed} if (proposed := proposed_group(study)) else {}
    pairs, queries = count_left_out(study)
    result: dict[str, Any] = {
        "name": study.groups.name,
        "n_groups": study.groups.n,
        "digest": study.groups.digest,
        "same_group": "drop" if study.groups.left_out else "keep",
        "pairs_left_out": pairs,
        "queries_affected": queries,
    }
    return {"groups": {**result, "owed": Table(rows, OWED).records()} if rows else result}


def lines_same_group(study: Study) -> list[str]:
    """For people; nothing where the study names no groups."""
    return [plain(said)] if (said := in_words(study)) else []


def owed_lines(study: Study, rows: Sequence[BeforeAfter]) -> Iterator[str | Table]:
    """The table of what a query's own group adds, for people; nothing where nothing is left out."""
    if study.groups is not None and rows:
        yield f"\nWhat results of the query's own {plain(study.groups.name)} add to each system's score:"
        yield Table(rows, OWED)


drawn_queries = click.option(
    "--n-queries", type=Whole(1), metavar="N", help="Queries drawn at most: at random; all if none."
)
"""``--n-queries``: None for all."""


def facts(study: Study, owed: Sequence[BeforeAfter] = ()) -> dict[str, Any]:
    """For JSON: what a limited study is compared over, which images each system searches, and what groups
    leave out; nothing of a study that is not limited."""
    over = study.over
    if over is None:
        return {}
    return facts_same_group(study, owed) | {
        "compared_over": {
            "queries": over.which,
            "n_queries": len(over.queries),
            "n_candidates": len(over.candidates),
            "n_candidates_all": over.n_all,
            "pools": [{"system": pool.system, "n": pool.n, "source": pool.source} for pool in over.pools],
            "ranked_by_vectors": list(over.by_vectors),
            "runs_filtered": list(over.filtered),
        }
    }


def lines(study: Study) -> list[str]:
    """The same for people; nothing where all systems search the same images and there are no groups."""
    if study.over is None:
        return []
    return [plain(line) for line in pools_in_words(study.over)] + lines_same_group(study)


# What is said of comparisons.

MORE_FLIPS = "More flips (--flips)"
"""What lowers a p that no flip reached."""


def method_of(analysis: Analysis) -> str:
    """How the intervals of differences are made, in words."""
    method = method_of_differences(analysis.view.settings)
    groups = max((comparison.n_groups for comparison in analysis.comparisons), default=0)
    return f"{method} by {analysis.scores[0].grouped_by} ({groups:,} groups)" if groups else method


def differences_table(analysis: Analysis, comparisons: Sequence[Comparison]) -> Table:
    """The comparisons with their declared columns."""
    return comparisons_table(
        comparisons,
        method=method_of_differences(analysis.view.settings),
        grouped_by=analysis.scores[0].grouped_by,
        smallest=analysis.view.smallest_difference or None,
    )


def verdict_of(analysis: Analysis, comparison: Comparison) -> str:
    """The verdict on a comparison as plain text."""
    return verdicts.as_text(verdicts.of_pair(analysis, comparison))


def tests_in_words(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """How differences were tested, and over what p is corrected."""
    first = comparisons[0]
    yield (
        f"{first.test}, {pluralize(first.n_resamples, 'flip')}, seed {first.seed}; {over_what(comparisons)}."
    )
    if floor := at_the_floor(comparisons, more=MORE_FLIPS):
        yield floor


# What is shown beside the scores of systems of several seeds; nothing where there are none.


def lines_of_seeds(scores: Sequence[Scores]) -> list[str]:
    """Which systems have seeds, and what intervals say of them."""
    return [plain(line) for line in about_means(scores)]


def lines_of_lists(study: Study, systems: Sequence[str] | None) -> list[str]:
    """Whose first seed stands for it where lists are looked at."""
    return [plain(line) for line in about_lists(study, systems)]


def mention_first(study: Study, system: str) -> None:
    """The same on standard error, where standard output takes the list."""
    for line in lines_of_lists(study, [system]):
        complain(line)


# The part of ``score`` that ``--by`` adds: means and comparisons slice by slice.

BY_HELP = (
    "Also slice by slice: a label column, concepts (their number), or difficulty (quarters of the mean over "
    "the systems scored). Repeat for several."
)


def tables(sliced: Sliced, method: str) -> tuple[Table, Table]:
    """The rows of means and of differences; ``method`` names the interval of a difference."""
    return slice_means_table(sliced.means), slice_differences_table(sliced.differences, method=method)


def shown(sliced: Sliced, method: str) -> Iterator[str | Table]:
    """For people: means, differences, and what has to be known."""
    means, differences = tables(sliced, method)
    yield "\nSlice by slice:"
    yield means
    if differences.rows:
        yield f"\nMinus {plain(sliced.differences[0].found.baseline)}, slice by slice:"
        yield from tests_in_words([row.found for row in sliced.differences])
        yield differences
    yield from (f"{plain(by)}: {remark}" for by, remark in sliced.remarks)
