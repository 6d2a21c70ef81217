"""Judgments of readers and the measures that agree with them: columns of command, page and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.results.rows import Column, Table, decimals, ends, named, only_saved, record, span, whole
from evalcore.values.writing import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.against_readers import MeasureAgreement
    from evalcore.evaluate.measures import Disagreement
    from evalcore.evaluate.readers import MeanRating, ReaderResults
    from evalcore.values.model import Study

_AGREEMENT = (
    *named("level", "readers"),
    Column("items", "n_items"),
    Column("shared", "alpha.n"),
    Column("queries", "n_queries"),
    *(Column(name, f"alpha.{name}") for name in ("low", "high", "method", "n_resamples")),
    Column("alpha", "alpha.mean"),
    *named("weights", "why_none"),
    Column("pairs", lambda agreement: Table(agreement.pairs, named("a", "b", "kappa", "n", "same"))),
)
_VOTES = (*named("no_preference", "not_comparable"), Column("compared", "n_votes"))
AGREEMENTS = (
    *named("readers", "k", "seed"),
    Column("grades", lambda results: record(results.between, *_AGREEMENT)),
    Column("votes", lambda results: record(results.between_votes, *_AGREEMENT) | record(results, *_VOTES)),
    Column("left_out", lambda results: 0 if results.pairs is None else results.pairs.left_out),
    *named("without", "elsewhere"),
)
"""How far readers agree, and how many of their judgments are of which kind, of a `ReaderResults`."""

_STATISTICS = {"tau": "within", "votes": "votes"}
"""By name in JSON and CSV: the attribute."""


def measures_table(results: ReaderResults, ranked: Sequence[MeasureAgreement]) -> Table:
    """Every statistic of a measure, and how it compares with the reference."""

    def statistic(name: str, head: str | None = None) -> Column:
        return Column(name, f"{_STATISTICS[name]}.mean", head, lambda value: decimals(value, 3))

    columns = (
        Column("measure", head="measure"),
        statistic("tau", "tau"),
        span("within.", "95% interval"),
        statistic("votes", "votes"),
        Column("p_corrected", "against.p_corrected", "p (Holm)", lambda p: "" if p is None else decimals(p)),
        *(
            Column(f"{name}_{end}", f"{part}.{end}")
            for name, part in _STATISTICS.items()
            for end in ("low", "high")
        ),
        Column("reference", "against.reference"),
        Column("difference", "against.difference"),
        Column("difference_low", "against.low"),
        Column("difference_high", "against.high"),
        Column("p", "against.p"),
        Column("queries", "within.n"),
        Column("results", lambda _: 0 if results.pairs is None else len(results.pairs.queries)),
        Column("readers", lambda _: len(results.readers)),
    )
    return Table(ranked, columns)


def differing_table(study: Study, listed: Sequence[Disagreement], measure: str) -> Table:
    """Results that readers and a measure place most differently."""
    ids = study.image_ids
    columns = (
        Column("query", lambda row: ids[row.query], "query"),
        Column("result", lambda row: ids[row.candidate], "result"),
        only_saved("measure", lambda _: measure),
        Column("readers", "value_a", "readers", decimals).in_file("grade"),
        Column("value", "value_b", "measure", decimals),
        Column("place_readers", "place_a").in_file("share_below_grade"),
        Column("place_measure", "place_b").in_file("share_below_value"),
    )
    return Table(listed, columns)


def means_table(rows: Sequence[MeanRating]) -> Table:
    """The mean ratings of systems by criteria."""
    mean, *saved = ends("mean.", head="95% interval", title="95% interval")
    return Table(
        rows,
        (
            Column("system", None, "system", plain).on_page("System", cell=plain),
            Column("criterion", None, "criterion", plain).on_page("Criterion", cell=plain),
            Column("mean", "mean.mean", "mean", decimals).on_page("Mean ↑", "%.2f"),
            mean,
            *saved,
            Column("queries", "mean.n", "queries", whole).on_page("Queries"),
            Column("ratings", "judged", "ratings", whole).on_page("Ratings"),
            Column("readers", None, "readers", whole).on_page("Readers"),
        ),
    )
