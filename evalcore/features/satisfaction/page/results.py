"""How well each measure agrees with satisfaction: the figure, and the paper's Table 3 beside its values."""

from __future__ import annotations

from math import isfinite

import pandas as pd
import streamlit as st

from evalcore.features.satisfaction.agreement import (
    DISCOUNTS,
    FEWEST,
    Agreement,
    AgreementResult,
    Difference,
    Split,
    counts,
    dots,
    split,
    sweep_sentence,
    swept,
    too_narrow,
)
from evalcore.features.satisfaction.data import REASONS, SUBSETS, VARIANCE_ROWS, Clean, Resample, Satisfaction
from evalcore.features.satisfaction.figures import (
    BOTH_GAINS,
    of_gains,
    of_quarters,
    paired_agreement,
    satisfaction_dots,
    sweep_curves,
)
from evalcore.features.satisfaction.published import SOURCE
from evalcore.features.satisfaction.tables import (
    counts_table,
    differences_table,
    dots_table,
    sweep_table,
    variance_table,
)
from evalcore.ranking.grid import Reading
from evalcore.stats.correction import CLEAR, NAMES
from evalcore.ui.components import figure, fold, select, table
from evalcore.ui.frame import cache
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.writing import count, listed, number, pluralize, span

# What was found on satisfaction, in sentences: which measure agrees best, does context-aware gain help?

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


def headline(result: AgreementResult, *, plain: bool) -> str:
    """The main sentences, Markdown."""
    best = result.best
    n = f"{pluralize(result.n_queries, 'query')} of {count(result.n_users)} participants"
    if best is None:
        return f"No measure tracks satisfaction ({n})."
    name = f"**{best.metric}**" + (f" ({TITLES[best.metric]})" if plain else "")
    sure = f", {result.level:.0%} interval {span(best.ci_low, best.ci_high)}" if isfinite(best.ci_low) else ""
    rho = "Spearman’s ρ" if not plain else "rank correlation"
    if best.ci_low <= 0:
        where = "which includes 0" if best.ci_high >= 0 else "which is below 0"
        return (
            f"**No measure clearly agrees with satisfaction here**: the highest of {count(len(result.rows))} "
            f"correlations, {best.metric} on {best.gain} gain over {pluralize(best.depth, 'row')}, is "
            f"{number(best.spearman)}{sure}, {where}; {n}. {verdict(result)}"
        )
    if plain:
        agrees = f"{name} agrees best with satisfaction: {rho} **{number(best.spearman)}**"
        return f"{agrees}, {_strength(best)}. {verdict(result)}"
    return (
        f"{name} on {best.gain} gain over {pluralize(best.depth, 'row')} agrees best with satisfaction: "
        f"{rho} **{number(best.spearman)}**{sure}; {n}. {verdict(result)}"
    )


def _strength(best: Agreement) -> str:
    """What such a correlation means, for people who see few of them."""
    size = abs(best.spearman)
    word = "weak" if size < 0.3 else "moderate" if size < 0.5 else "strong"
    return f"a {word} agreement (0: none, 1: the same order)"


def verdict(result: AgreementResult) -> str:
    """Does context-aware gain help, measure by measure, after correction?"""
    up = [
        difference
        for difference in result.differences
        if difference.p_corrected < CLEAR and difference.difference > 0
    ]
    down = [
        difference
        for difference in result.differences
        if difference.p_corrected < CLEAR and difference.difference < 0
    ]
    m = len(result.differences)
    if up and not down:
        return f"**Context-aware gain helps here**: agreement is higher in {_of(up, m)}{_rest(m - len(up))}."
    if down and not up:
        rest = _rest(m - len(down))
        return f"**Context-aware gain does not help here**: agreement is lower in {_of(down, m)}{rest}."
    if up and down:
        return (
            f"**Context-aware gain helps some measures and hurts others**: higher in {_of(up, m)}, lower in "
            f"{_of(down, m)}."
        )
    return "**Context-aware gain makes no clear difference here**: every change may be due to chance."


def _of(some: list[Difference], m: int) -> str:
    names = listed(list(dict.fromkeys(difference.metric for difference in some)), limit=6)
    return f"{count(len(some))} of {count(m)} comparisons ({names})"


def _rest(n: int) -> str:
    return "" if n == 0 else ", in the others the change may be due to chance"


def method(result: AgreementResult, window: int) -> str:
    """How the numbers came about, Markdown."""
    test = TESTS[result.differences[0].test]
    drawn = "participants, each with all of their queries" if result.resample == "users" else "queries"
    return (
        f"Spearman’s ρ over {pluralize(result.n_queries, 'query')}; {result.level:.0%} percentile "
        f"bootstrap intervals from {count(result.n_resamples)} resamples of {drawn}, seed {result.seed}. "
        f"Context-aware minus original: two-sided test of {test} (correlations over the same queries), "
        f"{NAMES['holm']} over the {pluralize(len(result.differences), 'comparison')}; it takes queries as "
        f"independent of each other, the intervals do not. Window of {pluralize(window, 'image')}; RBP with "
        "p = 0.95; RBP, DCG, CG and ERR per image."
    )


def dropped(clean: Clean) -> str:
    """What the cleansing left out."""
    gone = [f"{count(n)} {REASONS[reason]}" for reason, n in clean.dropped.items() if n]
    left = f"{pluralize(clean.n_queries, 'query')} of {pluralize(clean.n_users, 'participant')} count."
    return f"{left} Left out: {'; '.join(gone)}." if gone else f"{left} Nothing was left out."


# Where the ratings come from, which of them count, and what is drawn.

SOURCE_WORDS = Key("ratings")
SCALE = Key("relevance_scale")
BY = Key("relevance_by", of_study=True)
SYSTEM = Key("rated_system", of_study=True)
WIDTH = Key("per_row")
DEPTHS = Key("rows")
DEPTH = Key("rows_drawn")
WINDOW = Key("window")
WINDOWS = range(1, 21)
RESAMPLES_OF_SWEEP = 200
TEST = Key("test_of_difference")
RESAMPLE = Key("resample")
VARIANCE = Key("variance_rows")
TABLE, VARIED, SWEPT = Key("table"), Key("varying"), Key("windows")
"""What is closed at first."""
STEP = {name: Key(f"step_{name}") for name in ("invalid", "short", "few", "minmax")}
NOT_DONE = "satisfaction_not_done"


def section(context: Context, data: Satisfaction, result: AgreementResult, window: int) -> None:
    """One depth drawn; closed, all depths as a table, and the method."""
    depths = sorted({row.depth for row in result.rows})
    depth = depths[-1]
    place = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(depths) > 1:
            offered = [str(depth) for depth in depths]
            depth = int(
                select.segments("Rows drawn", offered, keep=DEPTH, first=offered[-1], width="content")
            )
    drawn = paired_agreement(
        of_gains(result, depth),
        names=BOTH_GAINS,
        title="Which measure rises with satisfaction?",
        subtitle=f"first {pluralize(depth, 'row')} · {pluralize(result.n_queries, 'query')}, "
        f"{pluralize(result.n_users, 'person', 'people')}",
        theme=context.theme,
    )
    with place:
        figure.show(context, drawn, key="satisfaction-agreement", file="satisfaction")
        if few := too_narrow(result):
            st.caption(f":material/warning: {few}")
    fold.section("All measures and depths as a table", _table, context, data, result, keep=TABLE)
    fold.section("How this was compared", _how_compared, result, window, keep=fold.HOW_COMPARED)


def sizes(context: Context, data: Satisfaction, clean: Clean) -> None:
    """Table 1 of the paper."""
    table.declared(
        context,
        counts_table([counts(data, clean)]),
        key="satisfaction-counts",
        stem="satisfaction-counts",
        alt=f"Sessions, queries, images and judgments of {data.what}",
        height="content",
        note="Before the cleansing, but for the last number of queries.",
    )


def _how_compared(result: AgreementResult, window: int) -> None:
    """What the two gains are, and the method."""
    st.markdown(
        "Original gain: each image counts as it is. Context-aware gain: an image counts less when a better "
        "one came before it, and neighbours count together."
    )
    st.caption(method(result, window))


def _table(context: Context, data: Satisfaction, result: AgreementResult) -> None:
    """The paper's Table 3: all measures at all depths, with its own values."""
    rows = differences_table(result)
    rows = rows._replace(facts={**rows.facts, "source": data.what})
    table.declared(
        context,
        rows,
        key="satisfaction-table",
        stem="satisfaction",
        alt="Spearman correlation with satisfaction in "
        f"{pluralize(len(rows.rows), 'comparison')} of the two gains",
        height="content",
        note=f"Published: original → context-aware, † significant there ({SOURCE}). r₁₂: ρ between the two "
        "gains. The file has intervals, statistics and every digit.",
    )


def sweep_section(
    context: Context, clean: Clean, reading: Reading, depth: int, resample: Resample, key: tuple[object, ...]
) -> None:
    """Agreement over windows."""
    rows = cache.share(
        ("satisfaction sweep", *key, resample),
        lambda: swept(
            clean,
            windows=WINDOWS,
            depth=depth,
            reading=reading,
            resample=resample,
            n_resamples=RESAMPLES_OF_SWEEP,
        ),
        spinner="Computing every window…",
    )
    st.markdown(sweep_sentence(rows))
    figure.show(
        context,
        sweep_curves(rows, depth=depth, theme=context.theme),
        key="satisfaction-sweep",
        file="satisfaction-sweep",
    )
    weights = "; ".join(f"{name}: {text}" for name, text in DISCOUNTS.items())
    table.beside(
        f"Discounts of rank k: {weights}. Intervals in the file: {RESAMPLES_OF_SWEEP} resamples, pointwise.",
        pd.DataFrame(sweep_table(rows).saved()),
        "satisfaction-sweep",
    )


# What varying relevance has to do with satisfaction, and with how well the measures agree with it.


def variance_section(
    context: Context, clean: Clean, reading: Reading, depth: int, resample: Resample, key: tuple[object, ...]
) -> None:
    """The split by variance, then satisfaction itself."""
    rows = select.whole(
        "First rows whose relevance varies",
        1,
        20,
        keep=VARIANCE,
        first=VARIANCE_ROWS,
        width=240,
        help="The paper looks at the first five rows.",
    )

    halves = cache.share(
        ("satisfaction and variance", *key, rows, resample),
        lambda: split(clean, reading=reading, rows=rows, depth=depth, resample=resample),
    )
    if halves is None:
        st.info(f"Too few queries to split: each quarter needs {FEWEST} or more.", icon=":material/info:")
    else:
        _split(context, halves, depth)
    each = cache.share(("satisfaction dots", *key, rows), lambda: dots(clean, rows=rows))
    of_each = st.grid(2, min_column_width=figure.NARROWEST, gap="medium")
    for against in ("mean", "beside"):
        with of_each.container():
            drawn = satisfaction_dots(each, against=against, rows=rows, theme=figure.within(context).theme)
            figure.show(context, drawn, key=f"satisfaction-{against}", note=against == "mean")
    table.beside(
        "Figures 3 (a) and (b) of the paper with these ratings. Dotted line: the same spread before and "
        "after an image is compared with the best before it.",
        pd.DataFrame(dots_table(each).saved()),
        "satisfaction-by-query",
    )


def _split(context: Context, halves: Split, depth: int) -> None:
    pairs = of_quarters(halves)
    better = sum(pair.second.spearman > pair.first.spearman for pair in pairs)
    st.markdown(
        f"On original gain, **{count(better)} of {count(len(pairs))}** measures agree better with "
        "satisfaction where relevance varies most than where it varies least."
    )
    drawn = paired_agreement(
        pairs,
        names=SUBSETS,
        title="Better where relevance varies?",
        subtitle=f"original gain, first {pluralize(depth, 'row')} · "
        f"{pluralize(halves.n, 'query', 'queries')} each",
        theme=context.theme,
    )
    figure.show(context, drawn, key="satisfaction-variance", file="satisfaction-variance")
    table.beside(_note(halves), pd.DataFrame(variance_table(halves).saved()), "satisfaction-variance")


def _note(halves: Split) -> str:
    """Where the quarters begin and end, and what decides among equals."""
    tied = max(halves.tied)
    equals = (
        f" {pluralize(halves.tied[0], 'query has', 'queries share')} the value at the lower border and "
        f"{count(halves.tied[1])} that at the upper one; ties are ordered by ID."
        if tied > 1
        else ""
    )
    return (
        f"Queries in the order of the standard deviation of relevance in the first "
        f"{pluralize(halves.n_rows, 'row')}: the last {halves.share:.0%} (up to "
        f"{number(halves.border[0])}) and "
        f"the first {halves.share:.0%} (from {number(halves.border[1])}).{equals}"
    )
