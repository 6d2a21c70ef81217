"""Every table and figure of Shao et al. 2019, each once: what the command prints and writes, and pages draw.

Shao, Liu, Zhang, Zhang & Ma 2019, "Towards Context-Aware Evaluation for Image Search", SIGIR,
doi:10.1145/3331184.3331343. Data set 1: 1,248 queries with ten rows or more. Data set 2: 850 queries with
fifteen rows or more. Table 3 has all queries, Table 2 the quarters by variance of relevance.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import isfinite
from typing import NamedTuple

from evalcore.features.satisfaction.agreement import (
    DISCOUNTS,
    FEWEST,
    GAINS,
    LEVEL,
    SHARE,
    SUBSETS,
    Difference,
    Evaluation,
    Quarter,
    Rho,
    best_of,
    correlations,
)
from evalcore.features.satisfaction.data import Clean
from evalcore.features.satisfaction.figures import Pair, paired_rhos, query_dots, window_curves
from evalcore.report.parts import Named, Section
from evalcore.results.rows import (
    Column,
    Table,
    also,
    decimals,
    interval,
    named,
    only_saved,
    only_shown,
    plain,
    signed,
    whole,
)
from evalcore.results.writers import HIGHER, LOWER
from evalcore.stats.correction import CLEAR, NAMES
from evalcore.values.bundled import bundled
from evalcore.values.writing import listed, number, p_equals, p_value, pluralize, span

SOURCE = "Shao et al. 2019, doi:10.1145/3331184.3331343"


@cache
def published() -> Mapping[tuple[int, int, str, str, str], tuple[float, bool]]:
    """Every number of Tables 2 and 3, and whether the two gains differ in the paper, by data set, depth,
    measure, gain and subset ("all" in Table 3)."""
    rows = csv.reader(bundled("evalcore.features.satisfaction", "shao_2019.csv").splitlines()[1:])
    return {
        (int(data_set), int(depth), metric, gain, subset): (float(spearman), differs == "yes")
        for _, data_set, depth, _, metric, gain, subset, spearman, differs in rows
    }


# Table 1: what was asked, shown and judged.


def sizes(evaluation: Evaluation) -> Section:
    """Sessions, participants, queries, images and judgments before the cleansing, and what it left out."""
    clean = evaluation.clean
    columns = (
        Column("data_set", "what", "data set").on_page("Data set"),
        Column("n_sessions", None, "sessions", whole).on_page("Sessions"),
        Column("n_users", lambda data: len(data.users), "participants", whole).on_page("Participants"),
        Column("n_queries", lambda data: len(set(data.queries)), "queries", whole).on_page("Queries"),
        Column("n_images", None, "images", whole).on_page("Images"),
        Column("n_judgments", "judgments", "judgments", whole).on_page("Judgments"),
        Column("kept", lambda _: clean.n_queries, "queries that count", whole).on_page("Queries that count"),
        Column("n_workers", "workers.n", "workers", whole).on_page("Workers"),
        Column("alpha", "workers.alpha", "alpha", decimals).on_page(
            "Agreement (α)", help="Krippendorff’s α of the workers over the images that two or more judged."
        ),
        *(Column(name, f"workers.{name}") for name in ("invalid", "shared", "level")),
    )
    return Section(
        question="Which ratings count?",
        answer=f"{_counted(clean)}. Left out: {clean.reasons() or 'nothing'}.",
        table=Table([evaluation.data], columns),
        method="Before the cleansing, but for the queries that count.",
    )


def _counted(clean: Clean) -> str:
    return f"{pluralize(clean.n_queries, 'query')} of {pluralize(clean.n_users, 'participant')}"


# Table 3: every measure on both gains.

TESTS = {
    "williams": "Williams",
    "steiger": "Steiger",
    "meng": "Meng, Rosenthal & Rubin",
    "hotelling": "Hotelling",
    "fisher": "Fisher for independent samples, which these are not",
}
TITLES = {
    "RBP": "rank-biased precision",
    "DCG": "discounted gain",
    "CG": "mean relevance of the images",
    "AVG": "mean relevance of the rows",
    "MAX": "best image",
    "ERR": "expected reciprocal rank",
}


def agreement(evaluation: Evaluation, *, plain: bool = False) -> Section:
    """Context-aware minus original gain, beside the paper's own values.

    ``plain``: the answer in plain words. Figures: over the most rows that count.
    """
    choices, clean = evaluation.choices, evaluation.clean
    pairs = [
        Pair(d.metric, d.original, d.aware, p_equals(d.p_corrected))
        for d in evaluation.differences
        if d.depth == evaluation.depth
    ]
    question, names = "Which measure rises with satisfaction?", ("original gain", "context-aware gain")
    return Section(
        question=question,
        answer=_best(evaluation, plain=plain),
        figures=lambda theme: [
            Named(
                "table-3",
                paired_rhos(pairs, names=names, title=question, subtitle=_about(evaluation), theme=theme),
            )
        ],
        table=_differences_table(evaluation),
        method=f"Spearman’s ρ over {pluralize(clean.n_queries, 'query')}; {LEVEL:.0%} percentile bootstrap "
        f"intervals from {choices.n_resamples:,} resamples of participants, each with all of their "
        f"queries, seed {choices.seed}. "
        f"p of a correlation: against none, not corrected. Context-aware minus original: two-sided "
        f"test of {TESTS[choices.test]} (correlations over the same queries), {NAMES['holm']} over the "
        f"{pluralize(len(evaluation.differences), 'comparison')}. Both take queries as independent of each "
        f"other, the intervals do not. r₁₂: ρ between the two gains. Window of "
        f"{pluralize(choices.window, 'image')}; RBP with p = 0.95. Published: original → "
        f"context-aware, {HIGHER}/{LOWER} significantly higher/lower there ({SOURCE}).",
    )


def starred(rho: Rho) -> str:
    """A correlation, * where its p is below .05, and its interval in a table."""
    return f"{decimals(rho.value)}{'*' if rho.p < CLEAR else ''} {interval(rho.low, rho.high)}"


def _differences_table(evaluation: Evaluation) -> Table:
    def gain(head: str, name: str, attribute: str, title: str) -> list[Column]:
        return [
            also(head, attribute, starred),
            Column(name, f"{attribute}.value").on_page(title, "%.3f"),
            *(Column(f"{name}_{end}", f"{attribute}.{end}") for end in ("low", "high")),
            Column(f"{name}_p", f"{attribute}.p").on_page(f"p ({head})", cell=p_value),
        ]

    def paper(data_set: int) -> Column:
        def values(row: Difference) -> str:
            keys = [(data_set, row.depth, row.metric, gain, "all") for gain in GAINS]
            known = [published()[key] for key in keys if key in published()]
            rhos, mark = [rho for rho, _ in known], ""
            if any(differs for _, differs in known):
                mark = HIGHER if rhos[-1] > rhos[0] else LOWER
            return " → ".join(number(rho, 3) for rho in rhos) + mark

        return also(f"published {data_set}", values).on_page(f"Published, data set {data_set}")

    columns = (
        Column("depth", head="rows").on_page("Rows"),
        Column("metric", head="metric").on_page("Measure"),
        *gain("original", "original", "original", "Original ρ"),
        *gain("context-aware", "context_aware", "aware", "Context-aware ρ"),
        Column("difference", None, "difference", signed).on_page("Difference"),
        *(Column(f"difference_{end}", end) for end in ("low", "high")),
        Column("r12", None, "r12", decimals),
        Column("p_corrected", None, "p", decimals).on_page("p (Holm)", cell=p_value),
        only_shown("r₁₂", "r12", "%.3f"),
        paper(1),
        paper(2),
        *named("test", "statistic", "p"),
    )
    facts = {name: getattr(evaluation.clean, name) for name in ("n_queries", "n_users")}
    facts |= {name: getattr(evaluation.choices, name) for name in ("n_resamples", "seed")}
    return Table(evaluation.differences, columns, {**facts, "source": evaluation.data.what})


def _best(evaluation: Evaluation, *, plain: bool) -> str:
    """Which measure agrees best, and does context-aware gain help?"""
    rows, clean = evaluation.differences, evaluation.clean
    best, n = best_of(rows), _counted(clean)
    if best is None:
        return (
            "No measure has a correlation with satisfaction here: satisfaction, or each measure, is the same "
            f"for all queries ({n})."
        )
    depth, metric, gain, rho = best
    sure = f", {LEVEL:.0%} interval {span(rho.low, rho.high)}" if isfinite(rho.low) else ""
    where = f"on {gain} gain over {pluralize(depth, 'row')}"
    if rho.low <= 0:
        zero = "which includes 0" if rho.high >= 0 else "which is below 0"
        return (
            "**No measure clearly agrees with satisfaction here**: the highest of "
            f"{len(correlations(rows)):,} correlations, {metric} {where}, is {number(rho.value)}{sure}, "
            f"{zero}; {n}. {_helps(rows)}"
        )
    if plain:
        word = "weak" if rho.value < 0.3 else "moderate" if rho.value < 0.5 else "strong"
        return (
            f"**{metric}** ({TITLES[metric]}) agrees best with satisfaction: rank correlation "
            f"**{number(rho.value)}**, a {word} agreement (0: none, 1: the same order). {_helps(rows)}"
        )
    rest = f"Spearman’s ρ **{number(rho.value)}**{sure}; {n}. {_helps(rows)}"
    return f"**{metric}** {where} agrees best with satisfaction: {rest}"


def _helps(rows: Sequence[Difference]) -> str:
    """Does context-aware gain help, measure by measure, after correction?"""
    clear = [row for row in rows if row.p_corrected < CLEAR]
    up, down = ([d for d in clear if sign * d.difference > 0] for sign in (1, -1))

    def among(some: list[Difference]) -> str:
        names = listed(list(dict.fromkeys(d.metric for d in some)), limit=6)
        return f"{len(some):,} of {len(rows):,} comparisons ({names})"

    rest = ", in the others the change may be due to chance" if len(clear) < len(rows) else ""
    if up and down:
        return (
            f"**Context-aware gain helps some measures and hurts others**: higher in {among(up)}, lower in "
            f"{among(down)}."
        )
    if up:
        return f"**Context-aware gain helps here**: agreement is higher in {among(up)}{rest}."
    if down:
        return f"**Context-aware gain does not help here**: agreement is lower in {among(down)}{rest}."
    return "**Context-aware gain makes no clear difference here**: every change may be due to chance."


def _about(evaluation: Evaluation) -> str:
    return (
        f"first {pluralize(evaluation.depth, 'row')} · {pluralize(evaluation.clean.n_queries, 'query')}, "
        f"{pluralize(evaluation.clean.n_users, 'person', 'people')}"
    )


# Table 2: the quarters of the queries whose relevance varies least, and most.


def variance(evaluation: Evaluation) -> Section:
    """The correlations in both quarters, beside the paper's own values on data set 1; none for too few
    queries."""
    rows, depth, first = evaluation.quarters, evaluation.depth, evaluation.choices.variance_rows

    def paper(row: Quarter) -> str:
        known = published().get((1, depth, row.metric, row.gain, row.subset))
        return "-" if known is None else decimals(known[0], 3)

    columns = (
        Column("subset", head="subset").on_page("Queries"),
        Column("metric", head="metric").on_page("Measure"),
        Column("gain", head="gain").on_page("Gain"),
        Column("depth", lambda _: depth),
        also("rho", "rho", starred),
        Column("spearman", "rho.value").on_page("ρ", "%.3f"),
        *(Column(name, f"rho.{end}") for name, end in (("ci_low", "low"), ("ci_high", "high"), ("p", "p"))),
        also("published, data set 1", paper).on_page("Published, data set 1"),
        Column("n_queries"),
        only_saved("variance_rows", lambda _: first),
    )
    question, table = "Better where relevance varies?", Table(rows, columns)
    if not rows:
        few = f"Too few queries to split: each quarter needs {FEWEST} or more."
        return Section(question=question, answer=few, table=table)
    low, high = ([row for row in rows if (row.subset, row.gain) == (name, "original")] for name in SUBSETS)
    pairs = [Pair(a.metric, a.rho, b.rho) for a, b in zip(low, high, strict=True)]
    known = [pair for pair in pairs if isfinite(pair.second.value - pair.first.value)]
    better = sum(pair.second.value > pair.first.value for pair in known)
    about = f"original gain, {_about(evaluation)}"
    return Section(
        question=question,
        answer=f"On original gain, **{better:,} of {len(known):,}** measures agree better with "
        "satisfaction where relevance varies most than where it varies least."
        if known
        else "No measure has a correlation with satisfaction in both quarters of the queries.",
        figures=lambda theme: [
            Named("table-2", paired_rhos(pairs, names=SUBSETS, title=question, subtitle=about, theme=theme))
        ],
        table=table,
        method=f"The first and last {SHARE:.0%} of the queries, {rows[0].n_queries:,} each, in the "
        f"order of the standard deviation of relevance in the first {pluralize(first, 'row')}; ties are "
        "ordered by ID.",
    )


# Figure 3: every query; and the window.


def queries(evaluation: Evaluation) -> Section:
    """Every query of Figure 3 (a) and (b)."""
    rows = evaluation.choices.variance_rows
    columns = (
        Column("query").on_page("Query", cell=plain),
        Column("mean").on_page("Mean of r", "%.3f"),
        Column("standard_deviation", "spread").on_page("Standard deviation of r", "%.3f"),
        Column("standard_deviation_beside_better", "beside").on_page("Standard deviation of r′", "%.3f"),
        Column("satisfaction").on_page("Satisfaction", "%.3f"),
    )
    return Section(
        question="How do relevance and satisfaction vary?",
        figures=lambda theme: [
            Named("figure-3a", query_dots(evaluation.dots, against="mean", rows=rows, theme=theme)),
            Named("figure-3b", query_dots(evaluation.dots, against="beside", rows=rows, theme=theme)),
        ],
        table=Table(evaluation.dots, columns),
        method="Figures 3 (a) and (b) of the paper. Dotted line: the same spread before and after an image "
        "is compared with the best before it.",
    )


def windows(evaluation: Evaluation) -> Section:
    """Agreement by discount and window."""
    rows, answer = evaluation.by_window, "No setting has a correlation with satisfaction."
    if known := [row for row in rows if isfinite(row.rho.value)]:
        best = max(known, key=lambda row: row.rho.value)
        answer = (
            f"Agreement runs from {min(row.rho.value for row in known):.3f} to {best.rho.value:.3f}, best "
            f"with a window of {best.window} by {best.discount}; context-aware gain is above the original in "
            f"{sum(row.rho.value > row.original for row in known):,} of {len(known):,} settings."
        )
    columns = (
        Column("discount", None, "discount").on_page("Discount"),
        Column("window", None, "window").on_page("Window"),
        also("context-aware", lambda row: f"{decimals(row.rho.value)} {interval(row.rho.low, row.rho.high)}"),
        Column("spearman", "rho.value").on_page("Context-aware ρ", "%.3f"),
        Column("ci_low", "rho.low"),
        Column("ci_high", "rho.high"),
        Column("original", None, "original", decimals).on_page("Original ρ"),
    )
    return Section(
        question="Does the window matter?",
        answer=answer,
        figures=lambda theme: [Named("windows", window_curves(rows, depth=evaluation.depth, theme=theme))],
        table=Table(rows, columns),
        method=f"Discounts of rank k: {'; '.join(f'{name}: {text}' for name, text in DISCOUNTS.items())}. "
        f"Intervals pointwise, from {evaluation.choices.n_resamples:,} resamples.",
    )


class Part(NamedTuple):
    """A table and figures of the paper; ``key``: of the table in JSON, "" for one of every query, which is
    written and not printed."""

    key: str
    title: str
    section: Callable[[Evaluation], Section]


PARTS = {
    "table-1": Part("counts", "Which ratings count", sizes),
    "table-3": Part("differences", "All measures and depths as a table", agreement),
    "table-2": Part("variance", "When relevance varies from image to image", variance),
    "figure-3": Part("", "Every query by its first rows", queries),
    "windows": Part("windows", "Windows", windows),
}
"""By the names of the files with their tables, in the order of the paper."""
