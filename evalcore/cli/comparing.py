"""What commands that compare systems share: the analysis, what is compared over, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalcore.cli.options import Whole
from evalcore.cli.output import complain
from evalcore.evaluate.common_pool import in_words as pools_in_words
from evalcore.evaluate.comparison import at_the_floor, over_what
from evalcore.evaluate.summary import method_of_differences
from evalcore.evaluate.systems import about_lists, about_means
from evalcore.results.pairs import OWED, comparisons_table, slice_differences_table
from evalcore.results.rows import Table, plain
from evalcore.results.scores import slice_means_table
from evalcore.values.grouping import count_left_out, in_words, proposed_group
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcore.cli.output import Item
    from evalcore.evaluate.analysis import Analysis
    from evalcore.evaluate.comparison import BeforeAfter
    from evalcore.evaluate.slices import Sliced
    from evalcore.values.model import Comparison, Scores, Study

# What is compared over, which images each system searches, and what groups leave out.


def over(study: Study, owed: Sequence[BeforeAfter] = ()) -> Iterator[Item]:
    """In words where systems search different images or the study names groups; for JSON always.

    ``owed``: what a query's own group would add to each score; nothing of a study that is not limited.
    """
    compared, groups = study.over, study.groups
    if compared is None:
        return
    yield from map(plain, filter(None, [*pools_in_words(compared), in_words(study)]))
    pools = [{"system": pool.system, "n": pool.n, "source": pool.source} for pool in compared.pools]
    yield {
        "compared_over": {
            "queries": compared.which,
            "n_queries": len(compared.queries),
            "n_candidates": len(compared.candidates),
            "n_candidates_all": compared.n_all,
            "pools": pools,
            "ranked_by_vectors": list(compared.by_vectors),
            "runs_filtered": list(compared.filtered),
        }
    }
    if groups is None:
        yield {"proposed_group": column} if (column := proposed_group(study)) else {}
        return
    pairs, queries = count_left_out(study)
    table = Table(owed, OWED)
    yield {
        "groups": {
            "name": groups.name,
            "n_groups": groups.n,
            "digest": groups.digest,
            "same_group": "drop" if groups.left_out else "keep",
            "pairs_left_out": pairs,
            "queries_affected": queries,
            **({"owed": table.records()} if owed else {}),
        }
    }


def owed_lines(study: Study, rows: Sequence[BeforeAfter]) -> Iterator[Item]:
    """The table of what a query's own group adds, for people; nothing where nothing is left out."""
    if study.groups is not None and rows:
        yield f"\nWhat results of the query's own {plain(study.groups.name)} add to each system's score:"
        yield Table(rows, OWED)


drawn_queries = click.option(
    "--n-queries", type=Whole(1), metavar="N", help="Queries drawn at most: at random; all if none."
)
"""``--n-queries``: None for all."""


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


def sliced_items(sliced: Sliced, method: str) -> Iterator[Item]:
    """Means, differences, and what has to be known; ``method`` names the interval of a difference."""
    yield "\nSlice by slice:"
    yield "slices", slice_means_table(sliced.means)
    if sliced.differences:
        yield f"\nMinus {plain(sliced.differences[0].found.baseline)}, slice by slice:"
        yield from tests_in_words([row.found for row in sliced.differences])
    yield "slice_comparisons", slice_differences_table(sliced.differences, method=method)
    yield from (f"{plain(by)}: {remark}" for by, remark in sliced.remarks)
