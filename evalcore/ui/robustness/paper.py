"""The paper's own questions on this study: Table 1, searching by concepts, the readings of the formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.evaluate.analysis import analyse
from evalcore.evaluate.common_pool import shared_by
from evalcore.evaluate.measures import TableCell, TableOne, table_metrics
from evalcore.evaluate.per_query import GOOD_AT
from evalcore.evaluate.sweep import (
    BY_IOU,
    BY_NN_IOU,
    Standing,
    SweepRow,
    grid_points,
    outcomes,
    reading_points,
)
from evalcore.evaluate.targets import pool_of
from evalcore.figures.curves import alpha_lines, threshold_style
from evalcore.figures.frame import AccessibleFigure, Reading
from evalcore.figures.lines import Line
from evalcore.figures.systems import leaderboard_dots
from evalcore.figures.two_systems import score_scatter
from evalcore.ranking.metrics import parse_metric
from evalcore.report import robustness
from evalcore.results.paper import cells_table
from evalcore.results.paper import table_one as on_paper
from evalcore.results.rows import Table, only_shown
from evalcore.results.sweeps import sweep_rows, sweep_table
from evalcore.results.writers import latex
from evalcore.stats.levels import difference
from evalcore.ui.components import download, figure, fold, messages, select, table
from evalcore.ui.frame import cache
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.measures import MeasureChoice, choices
from evalcore.ui.frame.pages import QUERY, SYSTEM_A, SYSTEM_B, go_to_queries
from evalcore.ui.frame.state import Key
from evalcore.ui.robustness import sentences
from evalcore.ui.robustness.settings import Grid, nothing_to_vary, numbers, panels, run, shared
from evalcore.ui.robustness.settings import grid_of as settings_tried
from evalcore.ui.robustness.work import measured, queries_used, sampled
from evalcore.values.grouping import repeated_by
from evalcore.values.model import Scores
from evalcore.values.settings import View
from evalcore.values.writing import listed, md_escape, number, percent, plain, pluralize, span

COLUMN = Key("column", of_study=True)
SUBSET, LABELS, OTHERS, BY_QUERY = Key("subset"), Key("labels"), Key("others"), Key("by_query")

# Table 1: each measure searches, labels say what was found.

HOW_TO_READ = Reading(
    "Each mark is a measure used for searching: the share of its top images with the query’s label. If "
    "the lines of two measures overlap a lot, do not call one better.",
    "Mean precision over the queries that carry the label, bootstrap interval over queries. "
    "Overlap of intervals is no test; ≈ in the table is.",
)
CIRCULAR = (
    "Labels and measures often come from the same list of concepts, so this compares only measures with "
    "each other."
)


def table_one(context: Context, measures: Mapping[str, str]) -> None:
    """The sentence for one column, its figure, the table at one depth, and the whole table as files."""
    study, choice = context.study, context.choice
    if not study.labels:
        messages.empty(
            "No labels to check against",
            "With a label for each image, such as its organ, a search can be checked.",
            label="Add labels",
            key="no-labels",
        )
        return
    metrics = table_metrics(study)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = select.selectbox(
            "What counts as found",
            {metric: _column(metric, plain=choice.plain) for metric in metrics},
            param=COLUMN,
            width=380,
            first=next((name for name in metrics if name.endswith("@10") and "&" in name), metrics[0]),
        )
        n, seed = queries_used(context, measures)
    result = measured(
        context,
        tuple(measures),
        ("table", n, seed),
        metrics=metrics,
        systems=tuple(f"@{name}" for name in measures),
        n=n,
        seed=seed,
        answer=lambda analysis: analysis.table_one(),
        label="Searching with every measure",
    )
    if result is None:
        return
    names, column = list(measures.values()), result.metrics.index(metric)
    messages.headline(sentences.search(result, column, names, _target(metric, plain=True)))
    drawn = leaderboard_dots(
        {name: row[column].mean for name, row in zip(names, result.cells, strict=True)},
        metric=_column(metric, plain=choice.plain),
        systems=names,
        theme=context.theme,
        kind="measure",
    )
    figure.show(context, replace(drawn, how_to_read=HOW_TO_READ), key="search")
    messages.small_sample_warning([row[column].mean.n for row in result.cells])
    _all_labels(context, result, column, names)
    if shared_by(cache.searched_pools(study, result.systems)).differ:
        st.warning(
            "Some measures rank fewer images than others, as some images have no vector. Precision over "
            "different images is not comparable.",
            icon=":material/balance:",
        )
    st.caption(_method(context, result))
    with st.container(horizontal=True):
        rows = table.in_file(context, cells_table(result))
        download.csv(rows, context.stem("table1"), label="CSV, all depths")
        text = latex(on_paper(result, names, study=study.name))
        name = f"{context.stem('table1')}.tex"
        download.file("LaTeX, all depths", text, name, "text/plain", key="save-latex", type="tertiary")


def _target(metric: str, *, plain: bool) -> str:
    """A column without its depth, Markdown: "the same modality and organ", or "modality & organ"."""
    labels = [md_escape(name) for name in parse_metric(metric).labels]
    return f"the same {' and '.join(labels)}" if plain else " & ".join(labels)


def _column(metric: str, *, plain: bool) -> str:
    """A column with its depth: "Same modality and organ, first 10 images", or its label."""
    parsed = parse_metric(metric)
    return f"Same {' and '.join(parsed.labels)}, first {parsed.cutoff} images" if plain else metric


def _all_labels(context: Context, result: TableOne, column: int, names: Sequence[str]) -> None:
    """All label types at the depth of the column."""
    depth, simple = parse_metric(result.metrics[column]).cutoff, context.choice.plain
    beside = [j for j, metric in enumerate(result.metrics) if parse_metric(metric).cutoff == depth]
    st.header(f"All labels, first {depth} images", anchor=False)
    heads = {j: f"{_target(result.metrics[j], plain=False)} ↑" for j in beside}
    rows = [
        {"Measure": md_escape(name)} | {head: _cell(row[j], simple=simple) for j, head in heads.items()}
        for name, row in zip(names, result.cells, strict=True)
    ]
    alt = f"Precision of {pluralize(len(rows), 'measure')} over {pluralize(len(beside), 'label target')}"
    table.wrapped(pd.DataFrame(rows), alt=alt)
    grey = "where the average would probably lie with other queries."
    if not simple:
        grey = "95% interval, and the number of queries in which equal values share the last rank counted."
    st.caption(f"**Bold**: highest in its column. ≈: not clearly lower. Grey: {grey}")


def _cell(cell: TableCell, *, simple: bool) -> str:
    mean = number(cell.mean.mean)
    written = f"**{mean}**" if cell.best else f"{mean} ≈" if cell.as_good else mean
    # Word joiners keep both ends on one line of a narrow column.
    grey = span(cell.mean.low, cell.mean.high, places=3).replace(" to ", "\u2060–\u2060")
    tied = "" if simple else f" ·\u00a0{cell.scores.tied:,}\u00a0tied"
    return f"{written} :gray[{grey}{tied}]"


def _method(context: Context, table: TableOne) -> str:
    text = sampled(table.n_asked, table.n_all, table.seed) + context.chosen
    if context.choice.plain:
        return f"{text}. {CIRCULAR}"
    ties = "by image id" if table.ties == "id" else "as the exact mean over all orders of equal values"
    return (
        f"{text}; each column over the queries and candidates that carry its labels. Equal scores "
        f"{ties} (a setting on the left). Best against the others: {md_escape(table.test)}, "
        f"{table.flips:,} resamples, {md_escape(table.correction)} over the column, "
        f"≈ where p ≥ 0.05; seed {table.seed}. {CIRCULAR} Study {context.study.digest}."
    )


# Retrieval by nn-IoU itself against alpha: over all queries, or where IoU and nn-IoU disagree (Figures 2, 3).

ALL = "all"
SUBSETS = {ALL: "All queries", "disagree": "Where the score differs"}
WARNING = (
    "These queries were chosen because IoU and nn-IoU disagree on them. What one gains over the other here "
    "is larger than what it gains overall: look at “All queries” before claiming an improvement."
)
LEAST = 0.001
"""A smaller gain is given in words at Simple."""
LABEL_TYPES = 4
"""Label types shown at most."""


def curves(context: Context, _measures: object) -> None:
    """The gain of the setting in use, precision against alpha for each label type, every query by both."""
    if nothing_to_vary(context):
        return
    labels = _labels(context)
    if not labels:
        why = "Searching by nn-IoU is judged by labels such as modality and organ."
        messages.empty("No labels", why, label="Add labels", key="labels")
        return
    subset = select.segments(
        "Queries",
        SUBSETS,
        param=SUBSET,
        help="Compared at the α and maximum distance on the left: queries whose share of good results "
        "differs between IoU and nn-IoU.",
    )
    if subset != ALL:
        st.warning(WARNING, icon=":material/balance:")
    answer = st.container()
    grid = settings_tried(context)
    with answer:
        rows = _rows(context, grid, tuple(labels), subset)
        if rows is not None:
            _gains(context, rows, labels, subset)
            first, *others = labels.items()
            panels(context, [_panel(context, grid, rows, *first)], name="alpha-labels", n=1)
            if others:
                named = listed([md_escape(label.title.lower()) for _, label in others])
                drawn = [_panel(context, grid, rows, *label) for label in others]
                fold.section(
                    f"Judged by {named}",
                    lambda: panels(context, drawn, name="alpha-others", n=len(others)),
                    param=OTHERS,
                )
        title = "Query by query: IoU against nn-IoU"
        fold.section(title, _by_query, context, grid, labels, param=BY_QUERY)
        if rows is not None:
            table = sweep_table(rows)._replace(facts={"subset": subset})
            numbers(context, lambda: table, f"retrieval-{subset}")


def _labels(context: Context) -> dict[str, MeasureChoice]:
    """{metric: precision by the label types}, that by the pair of the first two before them."""
    columns = context.study.labels
    again = {f"P({name})" for name in columns if repeated_by(name, columns)}
    by_label = [choice for choice in choices(context.study) if choice.family.startswith("P(")]
    shown = [choice for choice in by_label if choice.family not in again][:LABEL_TYPES]
    return {str(parse_metric(choice.label(context.choice.k))): choice for choice in shown}


def _rows(context: Context, grid: Grid, metrics: tuple[str, ...], subset: str) -> tuple[SweepRow, ...] | None:
    study, choice = context.study, context.choice
    # Over all queries the setting in use plays no part.
    settings = shared(choice.settings) if subset == ALL else choice.settings
    view = View(metrics=metrics, systems=(BY_NN_IOU,), settings=settings)
    return run(
        context,
        grid,
        "Retrieving by nn-IoU at every setting",
        (metrics, subset, grid, settings),
        lambda progress: (
            analyse(study, view)
            .grid(
                grid_points(settings, alphas=grid.alphas, thresholds=grid.thresholds),
                subset=subset,
                progress=progress,
            )
            .rows()
        ),
    )


def _gains(
    context: Context, rows: tuple[SweepRow, ...], labels: Mapping[str, MeasureChoice], subset: str
) -> None:
    """The gain of the setting in use over IoU for each label type, with the size of the subset."""
    settings, gains = context.choice.settings, []
    for metric, label in labels.items():
        at = {(row.settings.alpha, row.settings.threshold): row for row in rows if row.metric == metric}
        here = at[settings.alpha, settings.threshold]
        by_iou = next((row for (alpha, threshold), row in at.items() if alpha == 0 or threshold == 0), None)
        if here.n_scored and by_iou is not None:
            before, after = by_iou.interval.mean, here.interval.mean
            hardly = context.choice.plain and abs(after - before) < LEAST
            gains.append(
                f"**{'hardly anything' if hardly else number(after - before, places=3, sign=True)}** for "
                f"{md_escape(label.title.lower())} ({number(before)} → {number(after)}, "
                f"{_size(context, metric, here.n_scored)})"
            )
    if gains:
        where = "" if subset == ALL else " on the queries where the two disagree"
        messages.headline(
            f"What nn-IoU at the setting in use gains over IoU{where}, in the share of good results among "
            f"the top {context.choice.k}: {', '.join(gains)}."
        )
    elif subset == ALL:
        messages.headline("No query carries these labels, so searching by nn-IoU cannot be judged.")
    else:
        messages.headline("IoU and nn-IoU serve every query equally well, so there is no subset to look at.")


def _size(context: Context, metric: str, n: int) -> str:
    """ "n = 990", or "n = 144 of 990" where the subset leaves queries out."""
    study = context.study
    every = len(pool_of(study, parse_metric(metric), study.queries, context.choice.settings).queries)
    return f"n = {n:,}" if n == every else f"n = {n:,} of {every:,}"


def _panel(
    context: Context, grid: Grid, rows: tuple[SweepRow, ...], metric: str, label: MeasureChoice
) -> Callable[[Context], AccessibleFigure]:
    """Precision by a label type against alpha, a line per maximum distance."""
    choice, theme = context.choice, context.theme

    def line(threshold: int) -> Line:
        style = threshold_style(threshold, theme)
        row = [row.interval for row in rows if (row.settings.threshold, row.metric) == (threshold, metric)]
        return Line(style.name, row, style, bold=threshold == choice.settings.threshold)

    return lambda within: alpha_lines(
        [line(threshold) for threshold in grid.thresholds],
        grid.alphas,
        title=label.title if choice.plain else metric,
        metric=f"share of the top {choice.k}" if choice.plain else f"P@{choice.k}",
        theme=within.theme,
        current=choice.settings.alpha,
    )


def _by_query(context: Context, grid: Grid, labels: Mapping[str, MeasureChoice]) -> None:
    """Every query: precision under retrieval by IoU against nn-IoU at the setting in use (Figure 2)."""
    study, choice = context.study, context.choice
    titles = {label.family: label.shown(plain=choice.plain) for label in labels.values()}
    family = select.segments("Judged by", titles, param=LABELS)
    result = run(
        context,
        grid,
        "Retrieving by IoU and by nn-IoU",
        (tuple(labels), choice.settings),
        lambda progress: outcomes(
            study, [parse_metric(name) for name in labels], settings=choice.settings, progress=progress
        ),
        settings=2,
    )
    if result is None:
        return
    by_iou, by_nn = (both[list(titles).index(family)] for both in result)
    st.markdown(_better_and_worse(by_iou, by_nn))
    drawn = score_scatter(
        [study.image_ids[q] for q in by_iou.queries],
        by_iou.values,
        by_nn.values,
        a="IoU",
        b="nn-IoU",
        metric=f"{titles[family]} (top {choice.k})",
        good_at=GOOD_AT,
        theme=context.theme,
    )
    figure.show(
        context,
        drawn,
        key="iou-against-nn-iou",
        file="iou-nn-iou",
        width=620,
        opens=lambda image: go_to_queries({QUERY: image, SYSTEM_A: BY_IOU, SYSTEM_B: BY_NN_IOU}),
    )


def _better_and_worse(by_iou: Scores, by_nn: Scores) -> str:
    """How many queries each of the two serves better."""
    gaps = difference(by_nn.values, by_iou.values)
    known = int(np.isfinite(gaps).sum())
    if not known:
        return "No query carries the label."
    better, worse = int((gaps > 0).sum()), int((gaps < 0).sum())
    same = pluralize(known - better - worse, "does", "do")
    return (
        f"With nn-IoU, {pluralize(better, 'query improves', 'queries improve')} ({percent(better, known)}), "
        f"{pluralize(worse, 'gets', 'get')} worse ({percent(worse, known)}) and {same} not change, of "
        f"{pluralize(known, 'that carries', 'that carry')} the label."
    )


# Does it matter how the paper's Algorithm 1 is read? The systems under every count rule.

IN_WORDS = {
    "concepts": "each concept once",
    "concepts_full": "also next to shared ones",
    "pairs": "every related pair",
    "pairs_all": "every pair, shared ones too",
    "matching": "one to one",
    "matching2": "one to one, both ends",
    "query": "the query's concepts",
    "candidate": "the result's concepts",
}
"""Count rules for a reader who has not read the paper."""


def readings(context: Context, _measures: object) -> None:
    """How far the readings of Algorithm 1 move the systems, and the mean of each under every one."""
    study, choice = context.study, context.choice
    settings = choice.settings
    if nothing_to_vary(context):
        return
    if settings.threshold == 0 or settings.alpha == 0:
        st.info(
            "With no credit for related concepts (α 0 or 0 steps on the left) all interpretations are the "
            "same.",
            icon=":material/info:",
        )
        return
    result = run(
        context,
        Grid((settings.alpha,), (settings.threshold,)),
        "Scoring the systems under every interpretation",
        (choice.metric, choice.systems, settings),
        lambda progress: (
            cache.analysis(study, choice)
            .grid(reading_points(settings), progress=progress)
            .standings(choice.metric)
        ),
        settings=len(IN_WORDS),
    )
    if result is None:
        return
    rules: dict[str, Standing] = {standing.settings.count_rule: standing for standing in result}
    messages.headline(robustness.readings(result, rules[settings.count_rule]))
    _readings_table(context, rules)
    numbers(context, lambda: sweep_table(sweep_rows(result)), "readings")


def _readings_table(context: Context, readings: Mapping[str, Standing]) -> None:
    """The mean of every system under each reading, those in use marked."""
    settings, simple = context.choice.settings, context.choice.plain
    names = [
        f"{IN_WORDS[name] if simple else name}{' (in use)' if name == settings.count_rule else ''}"
        for name in readings
    ]
    systems = next(iter(readings.values())).order
    means = {name: [standing.mean(name).mean for standing in readings.values()] for name in systems}
    columns = [only_shown(plain(name), values.__getitem__, "%.3f") for name, values in means.items()]
    table.results_table(
        context,
        Table(range(len(names)), [only_shown("Interpretation", names.__getitem__), *columns]),
        key="readings",
        alt=f"{pluralize(len(names), 'interpretation')}: mean of {context.choice.metric_shown} by system",
    )
