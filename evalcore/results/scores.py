"""Systems under metrics: every number of a board, declared once.

Terminal, JSON, CSV, the page Results, reports and frames draw these columns.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcore.evaluate.summary import METHODS
from evalcore.results.method import of_metric, of_settings
from evalcore.results.rows import Column, Table, also, decimals, ends, only_saved, only_shown, whole
from evalcore.stats.correction import NAMES
from evalcore.stats.effect import IS_LARGER, judgement
from evalcore.values.writing import arrow, in_table, md_escape, p_value, places_of, span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcore.evaluate.analysis import Analysis, Row
    from evalcore.values.model import Comparison


# Systems under metrics.

_WHOLE = "localized"


def mean_columns(level: float, *, lower_is_better: bool = False) -> tuple[Column, ...]:
    """A system under a metric and its mean, of rows with ``scores`` and ``mean``: the first columns
    of ``score``, of its slices and of ``compare``."""
    better = "Lower" if lower_is_better else "Higher"
    return (
        Column("system", "scores.system", "system"),
        Column("metric", "scores.metric", "metric"),
        only_saved("k", lambda row: of_metric(row.scores.metric)["k"]),
        Column("mean", "mean.mean", "mean", decimals).on_page(
            f"Score {arrow(lower_is_better)}",
            help=f"Average over the queries that have a value. {better} is better.",
        ),
        *ends(
            "mean.",
            title=f"{level:.0%} interval",
            cell=partial(span, places=3),
            help="The range in which the average would probably be with other queries.",
        ),
        Column("ci_level", "mean.level"),
        Column("ci_method", "mean.method"),
        only_saved("ci_resamples", "mean.n_resamples"),
    )


COUNTED = (
    also("n", "mean.n", whole).in_file("n"),
    only_saved("n_groups", lambda row: row.mean.n_groups or None),
    Column("n_queries", "scores.n_queries"),
    Column("n_scored", "scores.n_scored")
    .on_page("Queries", _WHOLE, help="Queries with a value.")
    .in_file(""),
    Column("n_undefined", "scores.n_undefined", "undefined", whole).on_page(
        "Undefined",
        help="Queries without concepts, or with nothing relevant to find.",
        expert=True,
        if_any=True,
    ),
)
"""Over how many queries a mean is."""

LISTS = (
    also("missing", "scores.missing", whole)
    .on_page(
        "Unanswered",
        help="Queries the system returned nothing for: they count as 0, of ranks as the last place.",
        expert=True,
        if_any=True,
    )
    .in_file("n_unanswered"),
    also("short", "scores.short", whole)
    .on_page("Short lists", help="Answered with fewer than k images.", expert=True, if_any=True)
    .in_file("n_short"),
    also("tied", "scores.tied", whole)
    .on_page("Tied at k", help="Queries with results tied across rank k.", expert=True, if_any=True)
    .in_file("n_tied"),
)
"""What the lists of a system lack."""

SEED = Column("seed", "mean.seed")

SLICE = (Column("by", head="by"), Column("slice", "name", "slice"), Column("condition", "where"))
"""Which of the queries a row is about. Two slices can have one name; their conditions, as ``--where`` takes
them, differ."""


def _differences(analysis: Analysis) -> tuple[Column, ...]:
    """How each system differs from what it is compared with, of rows with ``against``, which may be None."""
    comparisons, view = analysis.comparisons, analysis.view
    baseline = md_escape(comparisons[0].baseline) if comparisons else ""
    places, method = places_of(c.difference for c in comparisons), METHODS[view.settings.interval]
    smallest = view.smallest_difference

    def shown(read: Callable[[Comparison], str]) -> Callable[[Row], str]:
        return lambda row: "" if row.against is None else read(row.against)

    return (
        only_saved("compared_with", "against.baseline"),
        only_saved("difference", "against.difference").on_page(
            "Difference", f"%+.{places}f", help=f"Average difference from {baseline}, per query."
        ),
        only_shown(
            "95% interval of the difference",
            shown(lambda c: in_table(c.low, c.high, places=places)),
            help="If it excludes zero, the difference is unlikely to be due to chance.",
        ),
        *(
            [
                only_shown(
                    f"Over {smallest:g}?", shown(lambda c: IS_LARGER[judgement(c.low, c.high, smallest)])
                )
            ]
            if smallest
            else []
        ),
        only_saved("difference_ci_low", "against.low"),
        only_saved("difference_ci_high", "against.high"),
        only_saved("difference_ci_method", lambda row: row.against and method),
        only_saved("n_pairs", "against.n_pairs"),
        only_shown(
            f"p ({NAMES[view.correction]})",
            shown(lambda c: p_value(c.p_corrected)),
            help="Paired permutation test, corrected for all rows together.",
            expert=True,
        ),
        only_shown(
            "Wins–ties–losses",
            shown(lambda c: f"{c.wins:,}–{c.ties:,}–{c.losses:,}"),
            help="Queries on which the system beats the baseline, does as well, and does worse.",
            expert=True,
        ),
        only_saved("wins", "against.wins"),
        only_saved("equal", "against.ties"),
        only_saved("losses", "against.losses"),
        only_saved("effect_size", "against.effect_size").on_page(
            "Effect", "%.2f", help="Average difference in units of its spread over queries.", expert=True
        ),
        *(only_saved(name, f"against.{name}") for name in ("p", "p_corrected", "correction", "test")),
        only_saved("sign_flips", "against.n_resamples"),
    )


def scores_table(
    analysis: Analysis,
    rows: Sequence[Any],
    *,
    more: Sequence[Column] = (),
    names: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """Every number of a board, of rows as given; ``more``: columns before all others.

    ``score``, frames and reports have them without differences, a page and files with them. ``names``:
    systems as pages write them.
    """
    name, *mean = mean_columns(rows[0].mean.level, lower_is_better=rows[0].mean.lower_is_better)
    name = name.on_page("System", cell=lambda system: names.get(system, system))
    return Table(rows, (*more, name, *mean, *COUNTED, *LISTS, *_differences(analysis), SEED))


def slice_means_table(rows: Sequence[Any]) -> Table:
    """Means slice by slice, of rows of `Analysis.sliced`."""
    level = rows[0].mean.level if rows else 0.95
    return Table(rows, (*SLICE, *mean_columns(level), *COUNTED, SEED))


def saved_scores(analysis: Analysis, sliced: Sequence[Row] = ()) -> Table:
    """Every number as a CSV file has it, with settings and study in every row.

    ``sliced``: of `Analysis.sliced`; they follow the rows over all queries, slice by slice.
    """
    places = {part: place for place, part in enumerate(dict.fromkeys((row.by, row.where) for row in sliced))}
    rows = [*analysis.rows, *sorted(sliced, key=lambda row: places[row.by, row.where])]
    facts = of_settings(analysis.study, analysis.view.settings, queries=analysis.over.which)
    return scores_table(analysis, rows, more=SLICE if sliced else ())._replace(facts=facts)
