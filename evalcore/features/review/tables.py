"""What readers said and which measure agrees with them: the columns that command, page and files draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcore.results.rows import (
    Column,
    Table,
    also,
    decimals,
    ends,
    named,
    only_saved,
    only_shown,
    percent,
    span,
    whole,
)
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcore.evaluate.measures.agreement import Disagreement
    from evalcore.features.review.agreement.measures import Coverage, MeasureAgreement
    from evalcore.features.review.readers import ReaderResults
    from evalcore.features.review.verdicts import VerdictRow
    from evalcore.values.model import Interval, Study

_STATISTICS = {
    "tau": "within",
    "rho": "within_rho",
    "pooled_tau": "pooled",
    "pooled_rho": "pooled_rho",
    "auc": "auc",
    "votes": "votes",
}
"""By name in JSON and CSV: the attribute."""
_IN_FILE = {"tau": "tau_within", "rho": "rho_within", "pooled_tau": "tau_pooled", "pooled_rho": "rho_pooled"}
"""What a page's file calls them otherwise."""


def measures_table(results: ReaderResults, ranked: Sequence[MeasureAgreement]) -> Table:
    """Every statistic of a measure, and how it compares with the reference."""

    def statistic(name: str, head: str | None = None) -> Column:
        return Column(name, f"{_STATISTICS[name]}.mean", head, lambda value: decimals(value, 3))

    columns = (
        Column("measure", head="measure"),
        statistic("tau", "tau"),
        span("within.", "95% interval"),
        statistic("rho", "rho"),
        statistic("auc", "AUC"),
        statistic("votes", "votes"),
        Column("p_corrected", "against.p_corrected", "p (Holm)", lambda p: "" if p is None else decimals(p)),
        *(
            Column(f"{name}_{end}", f"{part}.{end}")
            for name, part in _STATISTICS.items()
            for end in ("low", "high")
        ),
        statistic("pooled_tau"),
        statistic("pooled_rho"),
        Column("reference", "against.reference"),
        Column("difference", "against.difference"),
        Column("difference_low", "against.low"),
        Column("difference_high", "against.high"),
        Column("p", "against.p"),
        Column("queries", "within.n"),
        Column("results", "pooled.n"),
        Column("readers", lambda _: len(results.readers)),
        Column("simulated_readers", lambda _: len(results.simulated)),
    )
    return Table(ranked, columns)


class Statistic(NamedTuple):
    """A statistic of a measure."""

    of: MeasureAgreement
    name: str
    value: Interval


def statistics_table(results: ReaderResults, ranked: Sequence[MeasureAgreement]) -> Table:
    """The same with one row per measure and statistic."""
    rows = [
        Statistic(agreement, _IN_FILE.get(name, name), value)
        for agreement in ranked
        for name, part in _STATISTICS.items()
        if (value := getattr(agreement, part)) is not None
    ]
    columns = (
        Column("measure", "of.measure"),
        Column("statistic", "name"),
        Column("value", "value.mean"),
        *ends("value.")[1:],
        Column("n", "value.n"),
        Column("n_queries", "value.n_groups"),
        Column("ci_resamples", "value.n_resamples"),
        Column("seed", "value.seed"),
        Column("reference", lambda row: row.of.against.reference if row.of.against else ""),
        Column("difference_tau_within", "of.against.difference"),
        Column("p_corrected", "of.against.p_corrected"),
    )
    facts = {
        "readers": len(results.readers),
        "simulated_readers": len(results.simulated),
        "several_readers": results.how,
    }
    return Table(rows, columns, facts)


def coverage_table(coverage: Sequence[Coverage]) -> Table:
    """How much of each system's first results was judged."""
    k = coverage[0].k if coverage else 0
    columns = (
        Column("system", head="system").on_page("System", cell=plain),
        Column("k"),
        Column("share", None, "judged", percent).on_page(
            f"Judged of the first {k}", cell=lambda part: 100 * part
        ),
        Column("judged").on_page("Judged"),
        Column("cannot_say", None, "cannot say", whole).on_page("Cannot say"),
        Column("unjudged", None, "unjudged", whole).on_page("Not judged"),
        Column("n_queries", None, "queries", whole).in_file("queries"),
    )
    return Table(coverage, columns)


def differing_table(study: Study, listed: Sequence[Disagreement], measure: str, *, simulated: bool) -> Table:
    """Results that readers and a measure place most differently."""
    ids = study.image_ids
    columns = (
        Column("query", lambda one: ids[one.query], "query"),
        Column("result", lambda one: ids[one.candidate], "result"),
        only_saved("measure", lambda _: measure),
        Column("readers", "value_a", "readers", decimals).in_file("grade"),
        Column("value", "value_b", "measure", decimals),
        Column("place_readers", "place_a").in_file("share_below_grade"),
        Column("place_measure", "place_b").in_file("share_below_value"),
    )
    return Table(listed, columns, {"simulated": simulated})


def verdicts_table(rows: Sequence[VerdictRow], counts: Callable[[VerdictRow], str] = lambda _: "") -> Table:
    """What readers say of links and labels; ``counts``: what follows from a verdict so far, for pages."""

    def text(name: str, code: str) -> str:
        return plain(f"{name} ({code})" if name and name != code else code)

    def where(row: VerdictRow) -> str:
        return row.image or row.parent_name or row.parent

    def short(value: str) -> str:
        return plain(value, limit=80)

    columns = (
        Column("kind", head="kind").on_page("What", cell=KINDS.__getitem__),
        Column("image", head="image"),
        also("concept", lambda one: text(one.concept_name, one.concept)),
        also("below", lambda one: text(one.parent_name, one.parent)),
        only_shown("Concept", lambda one: one.concept_name or one.concept, cell=short),
        only_shown("Under, or of the image", where, cell=short),
        only_shown("Readers say", lambda one: SAID.get((one.kind, one.verdict), "No majority")),
        only_shown("Counts", counts),
        *named("concept", "concept_name", "parent", "parent_name"),
        Column("right", head="right").on_page("Yes"),
        Column("wrong", head="wrong").on_page("No"),
        Column("cannot_say", head="cannot say").on_page("Cannot say"),
        Column("verdict", head="verdict"),
        Column("readers", lambda one: list(one.readers), "readers", ", ".join).in_file(""),
        only_saved("readers", lambda one: "; ".join(one.readers)),
        Column("in_graph"),
    )
    return Table(rows, columns)


KINDS = {"link": "Link", "label": "Label", "missing": "Missing label"}
SAID = {
    ("link", "right"): "Makes sense",
    ("link", "wrong"): "Does not make sense",
    ("label", "right"): "Right",
    ("label", "wrong"): "Wrong",
    ("missing", "right"): "Missing",
    ("missing", "wrong"): "Not missing",
}
"""By kind and verdict: what readers say."""
