"""The parts of the challenge page that show results: the finding, the board, each run, each image."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.challenge.board import board
from evalcore.challenge.concepts import ConceptResult
from evalcore.challenge.editions import caption_edition
from evalcore.figures.frame import modebar
from evalcore.figures.leaderboard import leaderboard_dots, leaderboard_dots_alt
from evalcore.ui import messages, tables
from evalcore.ui.format import count, interval, number, p_value, signed_interval, things
from evalcore.ui.text import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.challenge.captions import CaptionResult
    from evalcore.ui.context import Context

    Result = ConceptResult | CaptionResult

ROWS_SHOWN = 500
DECIMALS = (
    "Score ↑", "Secondary ↑", "nn-F1 ↑", "Precision ↑", "Recall ↑", "Micro F1 ↑", "Macro F1 ↑",
)  # fmt: skip
SCORE = "%.4f"


def finding(results: Sequence[Result]) -> None:
    """Whether the runs would be taken, and the best official score."""
    refused = [one for one in results if not one.accepted]
    taken = [one for one in results if one.accepted and not isnan(_facts(one)["score"])]
    said = []
    if taken:
        best = max(taken, key=lambda one: _facts(one)["score"])
        images = things(_facts(best)["n_images"], "image")
        said.append(
            f"**{md_escape(best.name)}** scores **{number(_facts(best)['score'], digits=4)}** over {images}."
        )
    elif any(one.accepted for one in results):
        said.append("The official score needs values that are not here: see what is missing below.")
    if refused:
        names = ", ".join(f"**{md_escape(one.name)}**" for one in refused[:3])
        more = f" and {len(refused) - 3} more" if len(refused) > 3 else ""
        said.append(f"The official script would refuse {names}{more}; such scores are not official.")
    messages.lead(" ".join(said))


def compared(context: Context, results: Sequence[Result]) -> None:
    """All runs: scores, intervals over images, and tests against the first."""
    metric, values = compared_by(results)
    intervals, against = board(metric, values, baseline=None)
    others = {c.system: c for c in against}
    rows = [_row(one, intervals[one.name], others.get(one.name), metric) for one in results]
    st.dataframe(
        pd.DataFrame(rows, columns=list(rows[-1])),
        hide_index=True, key="challenge-board", alt=f"Scores of {things(len(results), 'run')}",
        column_config={
            "Run": st.column_config.TextColumn(pinned=True),
            **{
                name: st.column_config.NumberColumn(format=SCORE)
                for name in DECIMALS
            },
            "Difference": st.column_config.NumberColumn(format="%+.4f", help="Score minus the first run's."),
        },
    )  # fmt: skip
    names = list(values)
    st.plotly_chart(
        leaderboard_dots(intervals, metric=metric, systems=names, theme=context.theme), theme=None,
        key="challenge-dots", config=modebar("cuiscope-challenge"),
        alt=leaderboard_dots_alt(intervals, metric=metric),
    )  # fmt: skip
    messages.how_to_read(
        "Each dot is a run's mean over the images, the bar its 95 % bootstrap interval. Runs are tested "
        "against the first one, image by image (paired permutation test, Holm's correction)."
    )


def compared_by(results: Sequence[Result]) -> tuple[str, dict[str, Any]]:
    """The metric all runs have, and its values per image."""
    if isinstance(results[0], ConceptResult):
        return "F1", {one.name: one.primary.values for one in results if isinstance(one, ConceptResult)}
    runs = [one for one in results if not isinstance(one, ConceptResult)]
    primary = caption_edition(runs[0].edition).primary
    metric = primary if all(primary in one.values for one in runs) else "ROUGE-1"
    return metric, {one.name: one.values[metric] for one in runs}


def _facts(one: Result) -> dict[str, Any]:
    return one.as_dict()


def _row(one: Result, mean: Any, against: Any, metric: str) -> dict[str, Any]:
    facts, found = _facts(one), _facts(one)["metrics"]
    row = {
        "Run": plain(one.name), "Official script": "accepts" if one.accepted else "refuses",
        "Score ↑": facts["score"], f"95 % interval ({metric})": interval(mean.low, mean.high, places=4),
    }  # fmt: skip
    if against is not None:
        row |= {
            "Difference": against.difference,
            "Its interval": signed_interval(against.low, against.high, places=4),
            "p (Holm)": p_value(against.p_corrected),
        }
    row |= {
        "Secondary ↑": facts["score_secondary"], "Images": facts["n_images"], "Ignored": facts["n_ignored"],
        "Problems": facts["n_problems"],
    }  # fmt: skip
    if isinstance(one, ConceptResult):
        row |= {
            "nn-F1 ↑": found["nn_f1"], "Precision ↑": found["precision"], "Recall ↑": found["recall"],
            "Micro F1 ↑": found["micro_f1"], "Macro F1 ↑": found["macro_f1"],
        }  # fmt: skip
    return row


def problems(one: Result) -> None:
    """Everything found in one file, what the script stops at first, and the repaired file."""
    found = sorted(one.report.problems, key=lambda p: (p.severity != "error", p.line is None, p.line or 0))
    if not found:
        st.success("No problem found: the file is as the edition asks for.", icon=":material/check_circle:")
        return
    table = pd.DataFrame(
        {
            "Official script": ["stops" if p.severity == "error" else "goes on" for p in found],
            "Line": pd.array([p.line for p in found], dtype="Int64"),
            "Rule": [p.rule for p in found],
            "What is wrong": [plain(p.message, limit=300) for p in found],
            "What to do": [plain(p.way_out, limit=300) for p in found],
        }
    )
    st.dataframe(
        table.head(ROWS_SHOWN), hide_index=True, key=f"problems-{one.name}",
        height=min(420, 38 * len(table) + 40),
        alt=f"{things(len(found), 'problem')} with line and remedy",
        column_config={
            "What is wrong": st.column_config.TextColumn(width="large"),
            "What to do": st.column_config.TextColumn(width="medium"),
        },
    )  # fmt: skip
    total = sum(one.report.counts.values())
    note, first, second = st.columns([3, 1, 1.3], vertical_alignment="center")
    if total > min(len(table), ROWS_SHOWN):
        note.caption(f"The first {count(min(len(table), ROWS_SHOWN))} of {count(total)} are shown.")
    first.download_button(
        "Problems", tables.csv_safe(table), "problems.csv", "text/csv", icon=":material/download:",
        on_click="ignore", width="stretch", key=f"save-problems-{one.name}",
    )  # fmt: skip
    if one.run.repaired is None:
        note.caption("Nothing can be repaired without a choice that is yours.")
    else:
        second.download_button(
            "Repaired file", one.run.repaired, f"{one.name.rsplit('.', 1)[0]}.csv", "text/csv",
            icon=":material/build:", on_click="ignore", width="stretch", key=f"save-repaired-{one.name}",
        )  # fmt: skip


def behind(context: Context, one: Result) -> None:
    """Concepts with their hits, and near confusions; or every caption metric and what is missing."""
    if not isinstance(one, ConceptResult):
        _caption_metrics(one)
        return
    study, detail = context.study, one.detail
    table = pd.DataFrame(
        {
            "Concept": [plain(study.name_of(c.cui)) for c in detail.concepts],
            "CUI": [plain(c.cui) for c in detail.concepts],
            "F1 ↑": [c.f1 for c in detail.concepts],
            "Precision ↑": [c.precision for c in detail.concepts],
            "Recall ↑": [c.recall for c in detail.concepts],
            "Found": [c.hits for c in detail.concepts],
            "Wrong": [c.wrong for c in detail.concepts],
            "Missed": [c.missed for c in detail.concepts],
        }
    ).sort_values(["Missed", "Wrong"], ascending=False)
    decimal = st.column_config.NumberColumn(format="%.3f")
    st.dataframe(
        table.head(ROWS_SHOWN), hide_index=True, key=f"concepts-{one.name}", height=360,
        column_config=dict.fromkeys(("F1 ↑", "Precision ↑", "Recall ↑"), decimal),
        alt=f"{things(len(table), 'concept')} with hits, wrong predictions and misses",
    )  # fmt: skip
    st.caption(f"{things(len(table), 'concept')}, the most missed first; not official.")
    settings = context.choice.settings
    if study.graph is None:
        st.caption("The open study has no concept graph, so there is no credit for near misses.")
        return
    st.markdown(
        f"nn\\-F1 \\= (2·|G∩P| \\+ {settings.alpha:g}·NN) / (|G| \\+ |P|): predictions at most "
        f"{things(settings.threshold, 'step')} from a missed concept earn a part."
    )
    for mixed in detail.confusions[:8]:
        st.markdown(
            f"- **{md_escape(study.name_of(mixed.predicted))}** instead of its neighbour "
            f"**{md_escape(study.name_of(mixed.true))}**: {things(mixed.images, 'image')}"
        )


def _caption_metrics(one: CaptionResult) -> None:
    table = pd.DataFrame({"Metric ↑": list(one.values), "Value": [one.metric(name) for name in one.values]})
    st.dataframe(
        table, hide_index=True, key=f"metrics-{one.name}", alt="Caption metrics of the run",
        column_config={"Value": st.column_config.NumberColumn(format=SCORE)},
    )  # fmt: skip
    for metric, need in one.missing.items():
        st.markdown(f"- **{md_escape(metric)}** is missing. {md_escape(need)}")
