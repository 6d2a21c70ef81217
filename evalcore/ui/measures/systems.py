"""Does the winner depend on the measure, and which measure separates the systems?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from evalcore.evaluate.measures.agreement import RankSwap, places, rank_swaps
from evalcore.evaluate.measures.discrimination import Power, power_at_the_floor
from evalcore.figures.measures import Separated, power_bars, rank_slopes, significance_curves
from evalcore.relevance.registry import describe
from evalcore.results.tidy import of_metric
from evalcore.ui.components import figure, messages, select, table
from evalcore.ui.frame.choices import MORE_FLIPS
from evalcore.ui.frame.context import Context
from evalcore.ui.measures import judged, sentences, work
from evalcore.ui.measures.work import OnSystems
from evalcore.values.markdown import md_escape, plain
from evalcore.values.writing import count, number, percent, things

SWAPS_SHOWN = 8


def ranking(context: Context, measures: Mapping[str, str]) -> None:
    """Slope chart of the systems' ranks, the crossings in words, the means as a table."""
    found = judged.ask(context, measures)
    if found is None:
        return
    reference = select.one(
        "Compared with",
        measures,
        keep=work.REFERENCE,
        width=320,
        first="nn-iou" if "nn-iou" in measures else None,
        help="Systems swap ranks where a measure ranks them in another order than this one.",
    )
    scores, names = found.scores, list(measures.values())
    swapped = rank_swaps(scores, reference=reference)
    messages.lead(sentences.ranking(scores, swapped, names, measures[reference]))
    drawn = rank_slopes(
        places(scores.means),
        scores.means,
        names=scores.systems,
        labels=names,
        theme=context.theme,
        systems=context.study.systems,
        of=things(len(scores.queries), "query"),
    )
    figure.show(context, drawn, key="slopes", file="places", square=True)
    _crossings(swapped, measures, found)
    _means(context, found, measures)


def _crossings(swapped: Sequence[RankSwap], measures: Mapping[str, str], found: OnSystems) -> None:
    if not swapped:
        return
    power = {one.measure: one for one in found.power}
    st.markdown(f"**Lines that cross, compared with {md_escape(measures[swapped[0].reference])}:**")
    lines = [sentences.swap(one, measures, power) for one in swapped[:SWAPS_SHOWN]]
    st.markdown("\n".join(f"- {line}." for line in lines))
    if len(swapped) > SWAPS_SHOWN:
        st.caption(f"{things(len(swapped) - SWAPS_SHOWN, 'more crossing')}: see the table.")


def _means(context: Context, found: OnSystems, measures: Mapping[str, str]) -> None:
    scores = found.scores
    columns = {f"{plain(name)} ↑": scores.means[:, j] for j, name in enumerate(measures.values())}
    means = pd.DataFrame({"System": [plain(name) for name in scores.systems], **columns})
    table.show(
        means,
        key="means",
        alt=f"Mean of {things(len(means), 'system')} under each measure",
        file=context.stem("places"),
        note=judged.method(context, found, measures),
        saved=table.counted(context, _tidy_means(found)),
        columns={"System": st.column_config.TextColumn(pinned=True), **table.numbers("%.3f", *columns)},
    )


def _tidy_means(found: OnSystems) -> pd.DataFrame:
    """One row per system and measure, for the file."""
    scores = found.scores
    return pd.DataFrame(
        [
            {
                "system": system,
                **of_metric(metric),
                "mean": scores.means[i, j],
                "n": len(scores.queries),
                "left_out": scores.left_out,
                **judged.drawn(found),
            }
            for i, system in enumerate(scores.systems)
            for j, metric in enumerate(scores.metrics)
        ]
    )


# --------------------------------------------------------------------------- discriminative power


def power(context: Context, measures: Mapping[str, str]) -> None:
    """How many pairs of systems each measure separates, and for researchers the curves behind it."""
    found = judged.ask(context, measures)
    if found is None:
        return
    if not found.power:
        st.info("There must be two systems to separate. Select more on the left.", icon=":material/info:")
        return
    names = list(measures.values())
    messages.lead(sentences.power(found.power, names, plain=context.choice.plain))
    rows = [
        Separated(name, row.separated, len(row.pairs), row.curve)
        for name, row in zip(names, found.power, strict=True)
    ]
    first, of = found.power[0], things(len(found.scores.queries), "query")
    bars = power_bars(rows, theme=context.theme, of=of, level=first.level)
    figure.show(context, bars, key="power", file="told-apart")
    if not context.choice.plain:
        curves = significance_curves(
            rows,
            measures=names,
            theme=context.theme,
            of=of,
            level=first.level,
            floor=1 / (first.n_resamples + 1),
        )
        figure.show(context, curves, key="curves-p", file="p-values")
    _weigh(context, found, measures)


def _weigh(context: Context, found: OnSystems, measures: Mapping[str, str]) -> None:
    """One row per measure: what to weigh when choosing one."""
    rows = pd.DataFrame([_row(name, row) for name, row in zip(measures.values(), found.power, strict=True)])
    first = found.power[0]
    note = (
        "Detecting more differences does not make a measure right: they may be differences that do not "
        "matter. Also consider what the measure means and whether experts agree with it. "
    )
    if not context.choice.plain:
        note += (
            f"Pairs separated: {md_escape(first.test)}, {count(first.n_resamples)} resamples, seed "
            f"{first.seed}, {first.correction} over the {things(len(first.pairs), 'pair')} of each measure, "
            f"p < {first.level:g}. "
        )
        note += f"{power_at_the_floor(found.power, more=MORE_FLIPS)} ".lstrip()
    table.show(
        rows,
        key="power-table",
        alt=f"{things(len(rows), 'measure')} and their power",
        file=context.stem("told-apart"),
        note=note + judged.method(context, found, measures),
        saved=table.counted(context, _tidy_power(found)),
        columns={"Measure": st.column_config.TextColumn(pinned=True)},
    )


def _tidy_power(found: OnSystems) -> pd.DataFrame:
    """One row per measure, for the file."""
    return pd.DataFrame(
        [
            {
                "measure": row.measure,
                **of_metric(metric),
                "pairs": len(row.pairs),
                "separated": row.separated,
                "largest_difference_not_separated": max(_missed(row), default=None),
                "level": row.level,
                "n": len(found.scores.queries),
                "test": row.test,
                "sign_flips": row.n_resamples,
                "correction": row.correction,
                **judged.drawn(found),
            }
            for row, metric in zip(found.power, found.scores.metrics, strict=True)
        ]
    )


def _missed(row: Power) -> list[float]:
    """The differences of the pairs that are not separated."""
    return [abs(float(d)) for d, p in zip(row.differences, row.p_corrected, strict=True) if not p < row.level]


def _row(name: str, row: Power) -> dict[str, object]:
    missed = _missed(row)
    return {
        "Measure": plain(name),
        "Pairs separated": f"{row.separated} of {len(row.pairs)}",
        "Share": percent(row.separated, len(row.pairs)),
        "Largest difference not separated": number(max(missed)) if missed else "none",
        "What it looks at": describe(row.measure).plain,
    }
