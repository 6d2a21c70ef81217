"""Every table and figure of Shao et al. 2019, each once: what the command prints and writes, and pages draw.

Shao, Liu, Zhang, Zhang & Ma 2019, "Towards Context-Aware Evaluation for Image Search", SIGIR,
doi:10.1145/3331184.3331343. Data set 1: 1,248 queries with ten rows or more. Data set 2: 850 queries with
fifteen rows or more. Table 3 has all queries, Table 2 the quarters by variance of relevance.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from functools import cache
from math import isfinite
from typing import NamedTuple

from evalcore.features.satisfaction.agreement import (
    DISCOUNTS,
    FEWEST,
    GAINS,
    LEVEL,
    MEASURES,
    SHARE,
    SUBSETS,
    Difference,
    Evaluation,
    Rho,
    best_of,
)
from evalcore.features.satisfaction.figures import Pair, paired_rhos, query_dots, window_curves
from evalcore.figures.frame import Drawn
from evalcore.figures.theme import Theme
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
from evalcore.values.writing import count, fixed, listed, number, p_equals, p_value, pluralize, span

SOURCE = "Shao et al. 2019, doi:10.1145/3331184.3331343"


class Published(NamedTuple):
    """A number of the paper. ``significant``: whether the gains differ, None if not said."""

    spearman: float
    significant: bool | None


@cache
def published() -> Mapping[tuple[int, int, str, str, str], Published]:
    """Every number of Tables 2 and 3, by data set, depth, measure, gain and subset ("all" in Table 3)."""
    significant = {"yes": True, "no": False, "": None}
    rows = csv.reader(bundled("evalcore.features.satisfaction", "shao_2019.csv").splitlines()[1:])
    return {
        (int(data_set), int(depth), metric, gain, subset): Published(float(spearman), significant[differs])
        for _, data_set, depth, _, metric, gain, subset, spearman, differs in rows
    }


# Table 1: what was asked, shown and judged.


def sizes_table(evaluation: Evaluation) -> Table:
    """Sessions, participants, queries, images and judgments of the ratings, before the cleansing."""
    kept = evaluation.clean.n_queries
    columns = (
        Column("data_set", "what", "data set").on_page("Data set"),
        Column("n_sessions", None, "sessions", whole).on_page("Sessions"),
        Column("n_users", lambda data: len(data.users), "participants", whole).on_page("Participants"),
        Column("n_queries", lambda data: len(set(data.queries)), "queries", whole).on_page("Queries"),
        Column("n_images", None, "images", whole).on_page("Images"),
        Column("n_judgments", "judgments", "judgments", whole).on_page("Judgments"),
        Column("kept", lambda _: kept, "queries that count", whole).on_page("Queries that count"),
        Column("n_workers", "workers.n", "workers", whole).on_page("Workers"),
        Column("alpha", "workers.alpha", "alpha", decimals).on_page(
            "Agreement (α)", help="Krippendorff’s α of the workers over the images that two or more judged."
        ),
        *(Column(name, f"workers.{name}") for name in ("invalid", "shared", "level")),
    )
    return Table([evaluation.data], columns)


def left_out(evaluation: Evaluation, *_: object) -> str:
    """What the cleansing left out."""
    clean = evaluation.clean
    left = f"{pluralize(clean.n_queries, 'query')} of {pluralize(clean.n_users, 'participant')} count."
    return f"{left} Left out: {clean.reasons() or 'nothing'}."


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


def starred(rho: Rho) -> str:
    """A correlation, * where its p is below .05, and its interval in a table."""
    return f"{decimals(rho.value)}{'*' if rho.p < CLEAR else ''} {interval(rho.low, rho.high)}"


def differences_table(evaluation: Evaluation) -> Table:
    """Context-aware minus original gain, beside the paper's own values."""

    def gain(head: str, name: str, attribute: str, title: str) -> list[Column]:
        return [
            also(head, attribute, starred),
            Column(name, f"{attribute}.value").on_page(title, "%.3f"),
            *(Column(f"{name}_{end}", f"{attribute}.{end}") for end in ("low", "high")),
            Column(f"{name}_p", f"{attribute}.p").on_page(f"p ({head})", cell=p_value),
        ]

    def paper(data_set: int, row: Difference, write: Callable[..., str] = fixed, joint: str = " → ") -> str:
        known = [published().get((data_set, row.depth, row.metric, gain, "all")) for gain in GAINS]
        if None in known:
            return ""
        before, after = (value.spearman for value in known if value)
        marked = known[-1] is not None and known[-1].significant
        mark = "" if not marked else HIGHER if after > before else LOWER
        return joint.join((write(before, 3), write(after, 3))) + mark

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
        also("published", lambda d: " / ".join(paper(n, d, decimals, " -> ") or "-" for n in (1, 2))),
        only_shown("Published, data set 1", lambda d: paper(1, d)),
        only_shown("Published, data set 2", lambda d: paper(2, d)),
        *named("test", "statistic", "p"),
    )
    facts = {name: getattr(evaluation.clean, name) for name in ("n_queries", "n_users")}
    facts |= {name: getattr(evaluation.choices, name) for name in ("n_resamples", "seed")}
    return Table(evaluation.differences, columns, {**facts, "source": evaluation.data.what})


def answer(evaluation: Evaluation, plain: bool = False) -> str:
    """The main sentences, Markdown: which measure agrees best, does context-aware gain help?"""
    rows, clean = evaluation.differences, evaluation.clean
    best, n = best_of(rows), f"{pluralize(clean.n_queries, 'query')} of {count(clean.n_users)} participants"
    if best is None:
        return f"No measure agrees with satisfaction ({n})."
    depth, metric, gain, rho = best
    sure = f", {LEVEL:.0%} interval {span(rho.low, rho.high)}" if isfinite(rho.low) else ""
    where = f"on {gain} gain over {pluralize(depth, 'row')}"
    if rho.low <= 0:
        zero = "which includes 0" if rho.high >= 0 else "which is below 0"
        return (
            f"**No measure clearly agrees with satisfaction here**: the highest of {count(2 * len(rows))} "
            f"correlations, {metric} {where}, is {number(rho.value)}{sure}, {zero}; {n}. "
            f"{verdict(evaluation)}"
        )
    if plain:
        word = "weak" if rho.value < 0.3 else "moderate" if rho.value < 0.5 else "strong"
        return (
            f"**{metric}** ({TITLES[metric]}) agrees best with satisfaction: rank correlation "
            f"**{number(rho.value)}**, a {word} agreement (0: none, 1: the same order). {verdict(evaluation)}"
        )
    rest = f"Spearman’s ρ **{number(rho.value)}**{sure}; {n}. {verdict(evaluation)}"
    return f"**{metric}** {where} agrees best with satisfaction: {rest}"


def verdict(evaluation: Evaluation) -> str:
    """Does context-aware gain help, measure by measure, after correction?"""
    rows = evaluation.differences
    clear = [row for row in rows if row.p_corrected < CLEAR]
    up, down = ([d for d in clear if sign * d.difference > 0] for sign in (1, -1))

    def among(some: list[Difference]) -> str:
        names = listed(list(dict.fromkeys(d.metric for d in some)), limit=6)
        return f"{count(len(some))} of {count(len(rows))} comparisons ({names})"

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


def method(evaluation: Evaluation) -> str:
    """How the numbers came about."""
    choices, clean = evaluation.choices, evaluation.clean
    return (
        f"Spearman’s ρ over {pluralize(clean.n_queries, 'query')}; {LEVEL:.0%} percentile bootstrap "
        f"intervals from {count(choices.n_resamples)} resamples of participants, each with all of their "
        f"queries, seed {choices.seed}. "
        f"p of a correlation: against none, not corrected. Context-aware minus original: two-sided "
        f"test of {TESTS[choices.test]} (correlations over the same queries), {NAMES['holm']} over the "
        f"{pluralize(len(evaluation.differences), 'comparison')}. Both take queries as independent of each "
        f"other, the intervals do not. r₁₂: ρ between the two gains. Window of "
        f"{pluralize(choices.window, 'image')}; RBP with p = 0.95. Published: original → "
        f"context-aware, {HIGHER}/{LOWER} significantly higher/lower there ({SOURCE})."
    )


def gains_figure(evaluation: Evaluation, theme: Theme) -> dict[str, Drawn]:
    """Every measure on both gains, over the most rows that count."""
    pairs = [
        Pair(d.metric, d.original, d.aware, p_equals(d.p_corrected))
        for d in evaluation.differences
        if d.depth == evaluation.depth
    ]
    names = ("original gain", "context-aware gain")
    title, below = "Which measure rises with satisfaction?", _about(evaluation)
    return {"table-3": paired_rhos(pairs, names=names, title=title, subtitle=below, theme=theme)}


def _about(evaluation: Evaluation) -> str:
    return (
        f"first {pluralize(evaluation.depth, 'row')} · {pluralize(evaluation.clean.n_queries, 'query')}, "
        f"{pluralize(evaluation.clean.n_users, 'person', 'people')}"
    )


# Table 2: the quarters of the queries whose relevance varies least, and most.


class Quarter(NamedTuple):
    """A correlation in a quarter of the queries."""

    subset: str
    metric: str
    gain: str
    rho: Rho


def variance_table(evaluation: Evaluation) -> Table:
    """The correlations in both quarters, beside the paper's own values on data set 1."""
    split, depth = evaluation.split, evaluation.depth

    def paper(row: Quarter) -> str:
        known = published().get((1, depth, row.metric, row.gain, row.subset))
        return "-" if known is None else decimals(known.spearman, 3)

    columns = (
        Column("subset", head="subset").on_page("Queries"),
        Column("metric", head="metric").on_page("Measure"),
        Column("gain", head="gain").on_page("Gain"),
        Column("depth", lambda _: depth),
        also("rho", "rho", starred),
        Column("spearman", "rho.value").on_page("ρ", "%.3f"),
        *(Column(name, f"rho.{end}") for name, end in (("ci_low", "low"), ("ci_high", "high"), ("p", "p"))),
        also("published, data set 1", paper).on_page("Published, data set 1"),
        Column("n_queries", lambda _: split and split.n),
        only_saved("variance_rows", lambda _: evaluation.choices.variance_rows),
    )
    return Table([Quarter(*key, rho) for key, rho in split.rhos.items()] if split else [], columns)


def variance_answer(evaluation: Evaluation, *_: object) -> str:
    """In how many measures the quarters differ as in the paper."""
    pairs = _quarters(evaluation)
    if not pairs:
        return f"Too few queries to split: each quarter needs {FEWEST} or more."
    better = sum(pair.second.value > pair.first.value for pair in pairs)
    return (
        f"On original gain, **{count(better)} of {count(len(pairs))}** measures agree better with "
        "satisfaction where relevance varies most than where it varies least."
    )


def variance_method(evaluation: Evaluation) -> str:
    """What the quarters are, and what decides among equals."""
    if (split := evaluation.split) is None:
        return ""
    first = pluralize(evaluation.choices.variance_rows, "row")
    return (
        f"The first and last {SHARE:.0%} of the queries, {count(split.n)} each, in the order of the standard "
        f"deviation of relevance in the first {first}; ties are ordered by ID."
    )


def _quarters(evaluation: Evaluation) -> list[Pair]:
    """Every measure on original gain, where relevance varies least and most."""
    if (split := evaluation.split) is None:
        return []
    low, high = SUBSETS
    return [
        Pair(metric, split.rhos[low, metric, "original"], split.rhos[high, metric, "original"])
        for metric in MEASURES
    ]


def variance_figure(evaluation: Evaluation, theme: Theme) -> dict[str, Drawn]:
    """Both quarters of every measure; none for too few queries."""
    pairs = _quarters(evaluation)
    if not pairs:
        return {}
    title, below = "Better where relevance varies?", f"original gain, {_about(evaluation)}"
    return {"table-2": paired_rhos(pairs, names=SUBSETS, title=title, subtitle=below, theme=theme)}


# Figure 3: every query; and the window.


def dots_table(evaluation: Evaluation) -> Table:
    """Every query of Figure 3."""
    columns = (
        Column("query").on_page("Query", cell=plain),
        Column("mean").on_page("Mean of r", "%.3f"),
        Column("standard_deviation", "spread").on_page("Standard deviation of r", "%.3f"),
        Column("standard_deviation_beside_better", "beside").on_page("Standard deviation of r′", "%.3f"),
        Column("satisfaction").on_page("Satisfaction", "%.3f"),
    )
    return Table(evaluation.dots, columns)


def dots_figures(evaluation: Evaluation, theme: Theme) -> dict[str, Drawn]:
    """Figure 3 (a) and (b)."""
    rows = evaluation.choices.variance_rows
    return {
        "figure-3a": query_dots(evaluation.dots, against="mean", rows=rows, theme=theme),
        "figure-3b": query_dots(evaluation.dots, against="beside", rows=rows, theme=theme),
    }


def windows_table(evaluation: Evaluation) -> Table:
    """Agreement by discount and window."""
    columns = (
        Column("discount", None, "discount").on_page("Discount"),
        Column("window", None, "window").on_page("Window"),
        also("context-aware", lambda row: f"{decimals(row.rho.value)} {interval(row.rho.low, row.rho.high)}"),
        Column("spearman", "rho.value").on_page("Context-aware ρ", "%.3f"),
        Column("ci_low", "rho.low"),
        Column("ci_high", "rho.high"),
        Column("original", None, "original", decimals).on_page("Original ρ"),
    )
    return Table(evaluation.by_window, columns)


def windows_answer(evaluation: Evaluation, *_: object) -> str:
    """The setting with the best agreement, and in how many context-aware gain is above the original."""
    known = [row for row in evaluation.by_window if isfinite(row.rho.value)]
    if not known:
        return "No setting agrees with satisfaction."
    best = max(known, key=lambda row: row.rho.value)
    return (
        f"Agreement runs from {min(row.rho.value for row in known):.3f} to {best.rho.value:.3f}, best with a "
        f"window of {best.window} by {best.discount}; context-aware gain is above the original in "
        f"{sum(row.rho.value > row.original for row in known):,} of {len(known):,} settings."
    )


class Part(NamedTuple):
    """A question with its answer: a table and figures of the paper.

    key: of the table in JSON, "" for one of every query, which is written and not printed. file: name of the
    table, as of the paper. answer: Markdown, given an evaluation and whether in plain words. figures: by the
    names of their files.
    """

    key: str
    file: str
    title: str
    table: Callable[[Evaluation], Table]
    answer: Callable[..., str] = lambda *_: ""
    figures: Callable[[Evaluation, Theme], Mapping[str, Drawn]] = lambda *_: {}
    method: Callable[[Evaluation], str] = lambda _: ""


SIZES = Part(
    "counts",
    "table-1",
    "Which ratings count",
    sizes_table,
    left_out,
    method=lambda _: "Before the cleansing, but for the queries that count.",
)
AGREEMENT = Part(
    "differences", "table-3", "Agreement with satisfaction", differences_table, answer, gains_figure, method
)
VARIANCE = Part(
    "variance",
    "table-2",
    "When relevance varies from image to image",
    variance_table,
    variance_answer,
    variance_figure,
    variance_method,
)
QUERIES = Part(
    "",
    "figure-3",
    "Every query by its first rows",
    dots_table,
    figures=dots_figures,
    method=lambda _: (
        "Figures 3 (a) and (b) of the paper. Dotted line: the same spread before and after an "
        "image is compared with the best before it."
    ),
)
WINDOWS = Part(
    "windows",
    "windows",
    "Windows",
    windows_table,
    windows_answer,
    lambda evaluation, theme: {
        "windows": window_curves(evaluation.by_window, depth=evaluation.depth, theme=theme)
    },
    lambda evaluation: (
        f"Discounts of rank k: {'; '.join(f'{name}: {text}' for name, text in DISCOUNTS.items())}. Intervals "
        f"pointwise, from {count(evaluation.choices.n_resamples)} resamples."
    ),
)


def parts_of(evaluation: Evaluation) -> tuple[Part, ...]:
    """The parts about an evaluation, in the order of the paper; windows only where some are compared."""
    return (SIZES, AGREEMENT, VARIANCE, QUERIES, *([WINDOWS] if evaluation.choices.windows else []))
