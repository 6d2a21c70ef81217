"""Table 1 of the nn-IoU paper for the measures on view: each searches, labels say what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from evalcore.evaluate.common_pool import pools_differ
from evalcore.evaluate.measures import TableCell, TableOne, table_metrics
from evalcore.figures.frame import Reading
from evalcore.figures.systems import leaderboard_dots
from evalcore.ranking.metrics import parse_metric
from evalcore.relevance.registry import RelevanceMeasure, describe
from evalcore.results.measures import MEASURES
from evalcore.results.paper import cells_table
from evalcore.results.paper import table_one as latex_of
from evalcore.results.rows import Table
from evalcore.ui.components import download, figure, messages, select, table
from evalcore.ui.frame import cache, choices, state
from evalcore.ui.frame.context import Context
from evalcore.ui.robustness import by_measure as systems
from evalcore.ui.robustness import measure_sentences as sentences
from evalcore.ui.robustness import work
from evalcore.values.settings import OPTIONS
from evalcore.values.writing import NOTHING, count, md_escape, number, pluralize, span

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


def section(context: Context, measures: Mapping[str, str]) -> None:
    """The sentence for one column, its figure, the table at one depth, and the whole table as files."""
    if context.study.labels is None:
        messages.empty(
            "No labels to check against",
            "With a label for each image, such as its organ, a search can be checked.",
            label="Add labels",
            key="no-labels",
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = _column(context)
        _ties(context)
        asked, seed = systems.sample(context, measures)
    result = work.table(context, tuple(measures), asked=asked, seed=seed)
    if result is None:
        return
    names, column = list(measures.values()), result.metrics.index(metric)
    messages.lead(sentences.search(result, column, names, target(metric, plain=True)))
    drawn = leaderboard_dots(
        {name: row[column].interval for name, row in zip(names, result.cells, strict=True)},
        metric=shown(metric, plain=context.choice.plain),
        systems=names,
        theme=context.theme,
        kind="measure",
    )
    figure.show(context, replace(drawn, how_to_read=HOW_TO_READ), key="search")
    messages.few([row[column].interval.n for row in result.cells])
    _search_table(context, result, column, names)
    if pools_differ(cache.searched_pools(context.study, result.systems)):
        st.warning(
            "Some measures rank fewer images than others, as some images have no vector. Precision over "
            "different images is not comparable.",
            icon=":material/balance:",
        )
    st.caption(_method(context, result))
    with st.container(horizontal=True):
        rows = table.in_file(context, cells_table(result))
        download.csv(rows, context.stem("table1"), label="CSV, all depths")
        download.file(
            "LaTeX, all depths",
            latex_of(result, names, study=context.study.name),
            f"{context.stem('table1')}.tex",
            "text/plain",
            key="save-latex",
        )


def target(metric: str, *, plain: bool) -> str:
    """A column without its depth, Markdown: "the same modality and organ", or "modality & organ"."""
    labels = [md_escape(name) for name in parse_metric(metric).labels]
    return f"the same {' and '.join(labels)}" if plain else " & ".join(labels)


def shown(metric: str, *, plain: bool) -> str:
    """A column with its depth: "Same modality and organ, first 10 images", or its label."""
    parsed = parse_metric(metric)
    return f"Same {' and '.join(parsed.labels)}, first {parsed.cutoff} images" if plain else metric


def _column(context: Context) -> str:
    """The column looked at closely."""
    metrics = table_metrics(context.study)
    at_ten = [metric for metric in metrics if metric.endswith("@10")]
    return select.one(
        "What counts as found",
        metrics,
        keep=work.COLUMN,
        width=380,
        first=next((metric for metric in at_ten if "&" in metric), metrics[0]),
        shown=lambda metric: shown(metric, plain=context.choice.plain),
    )


def _ties(context: Context) -> None:
    """The sidebar's "Equal scores", at hand here: with set measures ties decide much of a list."""
    st.session_state[work.TIES_HERE] = context.choice.settings.ties
    st.segmented_control(
        "Equal scores",
        list(OPTIONS["ties"].shown),
        required=True,
        key=work.TIES_HERE,
        on_change=_take_ties,
        format_func=OPTIONS["ties"].shown.__getitem__,
        help="A measure often gives many images the same value. They can be ordered by image ID, or the "
        "result can be averaged over all orders, exactly.",
    )


def _take_ties() -> None:
    state.set_value(choices.KEYS["ties"], st.session_state[work.TIES_HERE])


def _search_table(context: Context, found: TableOne, column: int, names: Sequence[str]) -> None:
    """All label types at the depth of the column."""
    depth = parse_metric(found.metrics[column]).cutoff
    beside = [j for j, metric in enumerate(found.metrics) if parse_metric(metric).cutoff == depth]
    st.header(f"All labels, first {depth} images", anchor=False)
    rows = [
        {
            "Measure": md_escape(name),
            **{
                target(found.metrics[j], plain=False) + " ↑": _cell(
                    row[j], technical=not context.choice.plain
                )
                for j in beside
            },
        }
        for name, row in zip(names, found.cells, strict=True)
    ]
    alt = f"Precision of {pluralize(len(rows), 'measure')} over {pluralize(len(beside), 'label target')}"
    table.wrapped(pd.DataFrame(rows), alt=alt)
    st.caption(
        "**Bold**: highest in its column. ≈: not clearly lower. Grey: "
        + (
            "where the average would probably lie with other queries."
            if context.choice.plain
            else "95% interval, and the number of queries in which equal values share the last rank counted."
        )
    )


def _cell(cell: TableCell, *, technical: bool) -> str:
    mean = number(cell.interval.mean)
    written = f"**{mean}**" if cell.best else f"{mean} ≈" if cell.as_good else mean
    # Word joiners keep both ends on one line of a narrow column.
    grey = span(cell.interval.low, cell.interval.high, places=3).replace(" to ", "\u2060–\u2060")
    tied = f" ·\u00a0{count(cell.tied)}\u00a0tied" if technical else ""
    return f"{written} :gray[{grey}{tied}]"


def _method(context: Context, found: TableOne) -> str:
    text = systems.sampled(found.n_asked, found.n_all, found.seed) + context.chosen
    if context.choice.plain:
        return f"{text}. {CIRCULAR}"
    ties = "by image id" if found.ties == "id" else "as the exact mean over all orders of equal values"
    return (
        f"{text}; each column over the queries and candidates that carry its labels. Equal scores "
        f"{ties} (a setting on the left). Best against the others: {md_escape(found.test)}, "
        f"{count(found.n_resamples)} resamples, {md_escape(found.correction)} over the column, "
        f"≈ where p ≥ 0.05; seed {found.seed}. {CIRCULAR} Study {context.study.digest}."
    )


# What each measure is, side by side: one sentence, formula, range, source, and values at the edges.

FAMILIES = {
    "overlap": "Shared concepts",
    "neighbours": "Shared concepts; related ones earn partial credit",
    "taxonomy": "How close the concepts are in the medical hierarchy",
    "vectors": "How close the vectors of the concepts are: relatedness, not similarity",
    "embedding": "How similar a system finds the images",
    "custom": "What your own function looks at",
}


def about_section(context: Context, measures: Mapping[str, str]) -> None:
    """The measures side by side: what they are, then what they give in special cases."""
    by_name = {name: describe(name) for name in measures}
    by_label = dict(zip(measures.values(), by_name.values(), strict=True))
    kinds = {one.family for one in by_name.values()}
    messages.lead(
        f"{pluralize(len(measures), 'measure')}, **{pluralize(len(kinds), 'way')}** to define when an "
        "image is "
        "relevant. Select the one whose sentence says what you mean."
    )
    _sentences(by_label, plain=context.choice.plain)
    st.header("Special cases", anchor=False)
    _edges(by_label)
    rows = Table(list(by_name.items()), MEASURES)
    download.csv(pd.DataFrame(rows.saved()), "measures", label="CSV of these measures")
    if not context.choice.plain:
        first = md_escape(next(iter(measures)))
        st.caption(
            f"Use a name wherever a relevance is asked for: nDCG({first})@10 as a metric, @{first} as a "
            f"system, --relevance {first} on the command line. Taxonomy names are SET:CONCEPT; all "
            "combinations exist."
        )


def _sentences(by_label: Mapping[str, RelevanceMeasure], *, plain: bool) -> None:
    """One row per measure; formula, properties and source for researchers."""
    rows = []
    for label, measure in by_label.items():
        row = {
            "Measure": f"**{md_escape(label)}**",
            "What it says": md_escape(measure.plain),
            "Looks at": FAMILIES[measure.family],
            "Range": "{:g} to {:g}".format(*measure.range),
        }
        if not plain:
            row["Formula"], row["Properties"] = md_escape(measure.formula), _properties(measure)
            row["Source"] = md_escape(measure.reference)
        rows.append(row)
    alt = f"{pluralize(len(rows), 'measure')}: what each says, looks at, and its range"
    table.wrapped(pd.DataFrame(rows), alt=alt, cards="measures")


def _properties(measure: RelevanceMeasure) -> str:
    return "; ".join(
        [
            "symmetric" if measure.symmetric else "not symmetric",
            "1 for equal sets" if measure.one_with_itself else "not always 1 for equal sets",
            f"one more shared concept {'never lowers' if measure.monotone_in_shared else 'can lower'} it",
        ]
    )


def _edges(by_label: Mapping[str, RelevanceMeasure]) -> None:
    """Cases as rows, measures as columns; a dash where a case cannot be or nothing special happens."""
    cases = dict.fromkeys(case for measure in by_label.values() for case, _ in measure.edges)
    given = pd.DataFrame({"Case": [md_escape(case) for case in cases]})
    for label, measure in by_label.items():
        values = dict(measure.edges)
        given[md_escape(label)] = [md_escape(values.get(case, NOTHING)) for case in cases]
    alt = f"{pluralize(len(cases), 'special case')} and what each measure gives"
    table.wrapped(given, alt=alt)
    st.caption("–: This case cannot occur, or nothing special happens.")
