"""What nn-IoU costs in time on the open study, measured when the reader asks."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.evaluate.cost import SAMPLE, machine, measure_cost
from evalcore.figures.ablation.cost import cost_bars, cost_name
from evalcore.figures.numbers import count, number
from evalcore.ui.ablation import parts
from evalcore.ui.components import figure, messages
from evalcore.ui.frame import jobs

if TYPE_CHECKING:
    from evalcore.evaluate.cost import Cost
    from evalcore.ui.frame.context import Context


def section(context: Context) -> None:
    """A button, then the figure. Times are measured again whenever the button is pressed."""
    study, settings = context.study, context.choice.settings
    if study.graph is None:
        messages.empty(
            "No concept graph", "nn-IoU looks for neighbours in it, so there is nothing to time.",
            label="Add a graph", key="cost",
        )  # fmt: skip
        return
    st.markdown(
        f"Times the two parts of the work, for at most {count(SAMPLE)} queries against every image: finding "
        "all related concepts once, and scoring. Other work on this machine makes it slower."
    )
    key = repr(("cost", study.digest, settings.count_rule, settings.direction))
    if st.button("Measure now", icon=":material/timer:", type="primary", key="measure-time"):
        jobs.forget(key)
    elif not jobs.began(key):
        return
    found = jobs.run(
        key, lambda progress: measure_cost(study, settings=settings, progress=progress),
        label="Measuring the time",
    )  # fmt: skip
    if found is not None:
        _show(context, found)


def _show(context: Context, found: tuple[Cost, ...]) -> None:
    first, last = found[0], found[-1]
    times = number(last.scoring / first.scoring) if first.scoring else "–"
    messages.lead(
        f"Scoring by {cost_name(last)} takes **{times} times** as long as by IoU; finding the "
        f"neighbours takes **{number(last.dictionary)} s**, once."
    )
    drawn = cost_bars(found, machine=machine(), theme=context.theme)
    figure.show(context, drawn, key="cost", file="time")
    rows = pd.DataFrame(
        [
            {
                "Measure": cost_name(one), "Neighbours, s": one.dictionary, "Scoring, s": one.scoring,
                "Scoring, processor s": one.scoring_cpu, "Queries": one.n_queries, "Pairs": one.pairs,
                "Repeats": one.repeats, "Machine": machine(),
            }
            for one in found
        ]
    )  # fmt: skip
    saved = pd.DataFrame([{"measure": cost_name(one), **asdict(one), "machine": machine()} for one in found])
    parts.numbers(context, rows, "time", saved=saved)
