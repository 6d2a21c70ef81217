"""Does the winner depend on the measure, and which measure tells systems apart?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.system_orders import places as places_of
from evalcore.evaluate.system_orders import swaps as swaps_of
from evalcore.figures.measures import (
    power_bars,
    power_bars_alt,
    rank_slopes,
    rank_slopes_alt,
    significance_curves,
    significance_curves_alt,
)
from evalcore.figures.measures.power import Separated
from evalcore.figures.numbers import count, number, percent, things
from evalcore.figures.reading import how_to_read
from evalcore.relevance.registry import describe
from evalcore.ui.components import charts, messages
from evalcore.ui.components.text import md_escape, plain
from evalcore.ui.frame import state
from evalcore.ui.measures import chosen as measures_page
from evalcore.ui.measures import files as measures_page_files
from evalcore.ui.measures import judged as measures_page_judged
from evalcore.ui.measures import keys
from evalcore.ui.measures import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.evaluate.discrimination import Power
    from evalcore.evaluate.system_orders import Swap
    from evalcore.ui.frame.context import Context
    from evalcore.ui.measures.work import OnSystems

SWAPS_SHOWN = 8


def places(context: Context, measures: tuple[str, ...]) -> None:
    """Slope chart of the systems' places, the crossings in words, the means as a table."""
    judged = measures_page_judged.ask(context, measures)
    if judged is None:
        return
    reference = _reference(context, measures)
    scores, names = judged.scores, measures_page.labels(context, measures)
    swaps = swaps_of(scores, reference=reference)
    shown = dict(zip(measures, names, strict=True))
    messages.lead(words.places(scores, swaps, names, shown[reference]))
    found = places_of(scores.means)
    st.plotly_chart(
        rank_slopes(
            found, scores.means, names=scores.systems, labels=names, systems=context.study.systems,
            theme=context.theme, of=things(len(scores.queries), "query", "queries"),
        ),
        theme=None, key="slopes", config=charts.toolbar(context, "places"),
        alt=rank_slopes_alt(found, scores.means, names=scores.systems, labels=names),
    )  # fmt: skip
    messages.how_to_read(how_to_read("rank_slopes", context.reading))
    _crossings(swaps, shown, judged)
    _means(context, judged, names)


def _reference(context: Context, measures: tuple[str, ...]) -> str:
    usual = "nn-iou" if "nn-iou" in measures else measures[0]
    picked = str(state.carry(keys.REFERENCE, usual, state.one_of(*measures)))
    st.selectbox(
        "Compared with", measures, key=state.seed(keys.REFERENCE, picked), on_change=state.take_widget,
        args=(keys.REFERENCE,), width=320,
        format_func=lambda name: measures_page.label(name, plain=context.choice.plain),
        help="Changes of place are told against the order of systems under this measure.",
    )  # fmt: skip
    return picked


def _crossings(swaps: Sequence[Swap], shown: dict[str, str], judged: OnSystems) -> None:
    if not swaps:
        return
    power, reference = {one.measure: one for one in judged.power}, swaps[0].reference
    st.markdown(f"**Lines that cross, against {md_escape(shown[reference])}:**")
    told = [words.swap(one, shown[one.measure], shown[reference], power) for one in swaps[:SWAPS_SHOWN]]
    st.markdown("\n".join(f"- {sentence}." for sentence in told))
    if len(swaps) > SWAPS_SHOWN:
        st.caption(f"{things(len(swaps) - SWAPS_SHOWN, 'more crossing')} in the table.")


def _means(context: Context, judged: OnSystems, names: Sequence[str]) -> None:
    scores = judged.scores
    table = pd.DataFrame(
        {
            "System": [plain(name) for name in scores.systems],
            **{f"{plain(name)} ↑": scores.means[:, j] for j, name in enumerate(names)},
        }
    )
    score = st.column_config.NumberColumn(format="%.3f")
    st.dataframe(
        table, hide_index=True, key="means", alt=f"Mean of {things(len(table), 'system')} under each measure",
        column_config={
            "System": st.column_config.TextColumn(pinned=True), **dict.fromkeys(table.columns[1:], score)
        },
    )  # fmt: skip
    measures_page_files.beside(context, measures_page_judged.method(context, judged), table, "places")


# --------------------------------------------------------------------------- telling apart


def power(context: Context, measures: tuple[str, ...]) -> None:
    """How many pairs of systems each measure separates, and under Technical the curves behind it."""
    judged = measures_page_judged.ask(context, measures)
    if judged is None:
        return
    if not judged.power:
        st.info("Telling systems apart takes at least two of them: choose more on the left.",
                icon=":material/info:")  # fmt: skip
        return
    names = measures_page.labels(context, measures)
    messages.lead(words.power(judged.power, names, plain=context.choice.plain))
    rows = [
        Separated(name, row.separated, len(row.pairs), row.curve)
        for name, row in zip(names, judged.power, strict=True)
    ]
    of = things(len(judged.scores.queries), "query", "queries")
    first = judged.power[0]
    st.plotly_chart(
        power_bars(rows, theme=context.theme, of=of, level=first.level), theme=None, key="power",
        config=charts.toolbar(context, "told-apart"), alt=power_bars_alt(rows),
    )  # fmt: skip
    messages.how_to_read(how_to_read("power_bars", context.reading))
    if not context.choice.plain:
        st.plotly_chart(
            significance_curves(
                rows, measures=names, theme=context.theme, of=of, level=first.level,
                floor=1 / (first.n_resamples + 1),
            ),
            theme=None, key="curves-p", config=charts.toolbar(context, "p-values"),
            alt=significance_curves_alt(rows, level=first.level),
        )  # fmt: skip
        messages.how_to_read(how_to_read("significance_curves", context.reading))
    _choose(context, judged, names)


def _choose(context: Context, judged: OnSystems, names: Sequence[str]) -> None:
    """One row per measure: what to weigh when choosing one."""
    table = pd.DataFrame([_row(name, row) for name, row in zip(names, judged.power, strict=True)])
    st.dataframe(
        table, hide_index=True, key="power-table", alt=f"{things(len(table), 'measure')} and their power",
        column_config={"Measure": st.column_config.TextColumn(pinned=True)},
    )  # fmt: skip
    first = judged.power[0]
    told = (
        "Seeing more differences does not make a measure right: it may see differences that do not matter. "
        "Weigh this with what the measure means and whether experts agree with it. "
    )
    if not context.choice.plain:
        told += (
            f"Pairs separated: {md_escape(first.test)}, {count(first.n_resamples)} resamples, seed "
            f"{first.seed}, {first.correction} over the {count(len(first.pairs))} pairs of each measure, "
            f"p < {first.level:g}. "
        )
    measures_page_files.beside(
        context, told + measures_page_judged.method(context, judged), table, "told-apart"
    )


def _row(name: str, row: Power) -> dict[str, object]:
    missed = [
        abs(float(d)) for d, p in zip(row.differences, row.p_corrected, strict=True) if not p < row.level
    ]
    return {
        "Measure": plain(name),
        "Pairs told apart": f"{row.separated} of {len(row.pairs)}",
        "Share": percent(row.separated, len(row.pairs)),
        "Largest gap not told apart": number(max(missed)) if missed else "none",
        "What it looks at": describe(row.measure).plain,
    }
