"""Relevance measures: what they are, whether they agree, which of them separates systems."""

from __future__ import annotations

from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcore.relevance.registry import describe
from evalcore.results.method import of_metric
from evalcore.results.rows import Column, Table, also, decimals, named, only_saved, only_shown, placed
from evalcore.values.writing import number, percent, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.evaluate.measures import Agreement, Disagreement, MeasureScores, Power
    from evalcore.values.model import Comparison, Study


def _of_measure(name: str, saved: str = "") -> Column:
    return Column(name, f"1.{name}").in_file(saved)


MEASURES = (
    Column("name", "0").in_file("Name"),
    _of_measure("title", "Title"),
    _of_measure("family"),
    _of_measure("formula", "Formula"),
    _of_measure("range"),
    only_saved("From", "1.range.0"),
    only_saved("To", "1.range.1"),
    *map(_of_measure, ("symmetric", "needs_graph")),
    _of_measure("reference", "Reference"),
    _of_measure("plain", "In words"),
    _of_measure("relatedness"),
    Column("edges", lambda row: Table(row[1].edges, placed("case", "value"))).in_file(""),
    only_saved("Edges", lambda row: "; ".join(f"{case}: {value}" for case, value in row[1].edges)),
)
"""Of pairs of a name and what the registry knows of it."""
METRIC_COLUMNS = tuple(map(Column, ("name", "title", "example", "formula", "range", "reference", "plain")))
"""Of families of metrics."""


def agreement_table(agreement: Agreement) -> Table:
    """Both rank correlations of every two measures."""
    columns = (
        Column("a", lambda pair: agreement.measures[pair[0]], "measure").in_file("measure"),
        Column("b", lambda pair: agreement.measures[pair[1]], "measure").in_file("other_measure"),
        Column("kendall", lambda pair: float(agreement.kendall[pair]), "tau", decimals).in_file(
            "kendall_tau_b"
        ),
        Column("spearman", lambda pair: float(agreement.spearman[pair]), "rho", decimals).in_file(
            "spearman_rho"
        ),
    )
    facts = {"level": agreement.level, "n": agreement.n, "left_out": agreement.left_out}
    return Table(list(combinations(range(len(agreement.measures)), 2)), columns, facts)


def disagreements_table(study: Study, listed: Sequence[Disagreement], **between: str) -> Table:
    """Pairs of images that two measures, ``a`` and ``b``, place most apart."""
    ids = study.image_ids
    columns = (
        Column("query", lambda pair: ids[pair.query], "query").on_page("Query"),
        Column("candidate", lambda pair: ids[pair.candidate], "candidate").on_page("Image"),
        Column("value_a", None, "value A", decimals).on_page("Horizontal", "%.3f"),
        Column("value_b", None, "value B", decimals).on_page("Vertical", "%.3f"),
        Column("place_a", None, "place A", decimals).in_file("share_below_a"),
        Column("place_b", None, "place B", decimals).in_file("share_below_b"),
    )
    return Table(listed, columns, between)


def power_table(
    powers: Sequence[Power],
    scores: MeasureScores,
    names: Mapping[str, str] = MappingProxyType({}),
    facts: Mapping[str, Any] = MappingProxyType({}),
) -> Table:
    """How many pairs of systems each measure separates.

    ``scores``: of the systems under the measures; ``names``: measures as pages write them.
    """
    means: dict[str, dict[str, float]] = {
        metric: dict(zip(scores.systems, scores.means[:, place].tolist(), strict=True))
        for place, metric in enumerate(scores.metrics)
    }

    def gap(pair: Comparison) -> float:
        return means[pair.metric][pair.system] - means[pair.metric][pair.baseline]

    pair = (
        Column("a", "system"),
        Column("b", "baseline"),
        Column("difference", gap),
        *named("p", "p_corrected"),
    )

    def largest_missed(row: Power) -> float | None:
        missed = (abs(gap(c)) for c in row.pairs if not c.p_corrected < row.significance)
        return max(missed, default=None)

    columns = (
        Column("measure", head="measure").on_page("Measure", cell=lambda name: plain(names[name])),
        Column("metric", head="metric"),
        only_saved("k", lambda row: of_metric(row.metric)["k"]),
        only_shown("Pairs separated", lambda row: f"{row.separated} of {len(row.pairs)}"),
        only_shown("Share", lambda row: percent(row.separated, len(row.pairs))),
        Column("separated", head="separated"),
        also("pairs", lambda row: len(row.pairs)).in_file("pairs"),
        Column("share", None, "share", decimals).in_file(""),
        only_saved("largest_difference_not_separated", largest_missed).on_page(
            "Largest difference not separated", cell=lambda gap: "none" if gap is None else number(gap)
        ),
        Column("means", lambda row: means[row.metric]).in_file(""),
        Column("pairs", lambda row: Table(row.pairs, pair)).in_file(""),
        only_shown("What it looks at", lambda row: describe(row.measure).plain),
        only_saved("level", "significance"),
        only_saved("n", "pairs.0.n_pairs"),
        only_saved("test", "pairs.0.test"),
        only_saved("sign_flips", "pairs.0.n_resamples"),
        only_saved("correction", "pairs.0.correction"),
    )
    return Table(powers, columns, facts)


def means_table(scores: MeasureScores, facts: Mapping[str, Any]) -> Table:
    """The mean of every system under every measure, one row each."""
    m = len(scores.metrics)
    columns = (
        only_saved("system", lambda at: scores.systems[at // m]),
        only_saved("metric", lambda at: scores.metrics[at % m]),
        only_saved("k", lambda at: of_metric(scores.metrics[at % m])["k"]),
        only_saved("mean", lambda at: scores.means[at // m, at % m]),
    )
    about = {"n": len(scores.queries), "left_out": scores.left_out}
    return Table(range(len(scores.systems) * m), columns, {**about, **facts})
