"""What readers said of a task: how far each is, files to take away, and where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st

from evalcore.features.review.differences import Difference, differences
from evalcore.features.review.items import by_key, progress, teams_of
from evalcore.features.review.judgments import Judgment, qrels_of
from evalcore.features.review.material import team_means, teams_table
from evalcore.features.review.page import who as words
from evalcore.features.review.page.reading import plan_for
from evalcore.features.review.page.who import PART
from evalcore.features.review.read.judgment_files import json_lines, judgment_lines
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.tasks import MAX_COMMENT, Task
from evalcore.ui.components import cards, download, table
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.values.writing import count, listed, md_escape, number, plain, pluralize

# Where readers differ, largest differences first: all answers, and the pictures.


def differences_section(context: Context, task: Task, judgments: Sequence[Judgment]) -> None:
    """All differences in a table, and one of them with its pictures."""
    result = differences(plan_for(context, task, ""), judgments)
    st.markdown("**Where readers differ**")
    if not result:
        st.caption("No item has two different answers.")
        return
    st.caption(
        f"{pluralize(len(result), 'item')} with disagreements, largest first. Select a row to see its "
        "pictures."
    )
    chosen = table.show(
        _rows(task, result),
        key=f"differences-{task.name}",
        file=context.stem(f"differences-{task.name}"),
        choose=True,
        alt=f"{pluralize(len(result), 'item')} on which readers differ, with their answers",
    )
    with st.container(border=True, key="difference"):
        _one(context, task, result[chosen or 0])


def _rows(task: Task, found: Sequence[Difference]) -> pd.DataFrame:
    readers = sorted({reader for difference in found for reader in difference.said})
    said, teams = partial(words.said, task), teams_of(task)
    rows = [
        {
            "Query": plain(difference.item.query),
            "Result": _what(difference, teams),
            "Apart": "one cannot say" if difference.apart is None else number(difference.apart),
            **{
                plain(reader): said(difference.item, difference.values[reader])
                if reader in difference.values
                else ""
                for reader in readers
            },
        }
        for difference in found
    ]
    return pd.DataFrame(rows)


def _what(difference: Difference, teams: Mapping[str, str]) -> str:
    """The result, or the team whose material it is, with the criterion; else which lists."""
    if result := difference.item.result:
        return plain(" · ".join(filter(None, (teams.get(result, result), difference.item.criterion))))
    return "two lists" if difference.item.kind == "preference" else f"list of {len(difference.item.results)}"


def _one(context: Context, task: Task, difference: Difference) -> None:
    """The pictures, and what each reader said and why."""
    left, right = st.columns([1, 1.2], gap="medium")
    with left:
        _pictures(context, task, difference)
    with right:
        st.markdown(f"**{md_escape(words.question(difference.item, task), limit=200)}**")
        for reader, judgment in difference.said.items():
            answer = (
                f"**{md_escape(reader)}**: {words.said(task, difference.item, difference.values[reader])}"
            )
            why = md_escape(", ".join(judgment.reasons))
            parts = (answer, why, md_escape(judgment.comment, limit=400))
            st.markdown(" · ".join(filter(None, parts)))


def _pictures(context: Context, task: Task, difference: Difference) -> None:
    study = context.study
    if material := by_key(task).get(difference.item.result):
        cards.picture(study, study.concepts.index(difference.item.query))
        st.markdown(md_escape(material.text or material.heat_map, limit=MAX_COMMENT))
        return
    shown = [("Query", (difference.item.query,)), *words.lists(difference.item)]
    shown = [(title, images) for title, images in shown if images]
    for place, (title, images) in zip(st.columns(len(shown), gap="small"), shown, strict=True):
        with place:
            st.caption(title)
            for name in images[:5]:
                cards.picture(study, study.concepts.index(name))


class Reader(NamedTuple):
    """A reader's code, how many items are judged, how many there are, and whether the program made it up."""

    name: str
    done: int
    n: int
    simulated: bool

    @property
    def words(self) -> str:
        made_up = " (simulated)" if self.simulated else ""
        return f"**{md_escape(self.name)}**{made_up} {count(self.done)} of {count(self.n)}"


def readers_of(context: Context, task: Task, judgments: Sequence[Judgment]) -> list[Reader]:
    """Everybody with an answer in this task that counts, by code."""
    result = []
    for name in sorted({judgment.reader for judgment in judgments}):
        far = progress(plan_for(context, task, name), judgments)
        made_up = bool(far.said) and all(one.simulated for one in far.said.values())
        result.append(Reader(name, far.done, far.n, made_up))
    return [one for one in result if one.done]


def said_in(context: Context, task: Task) -> tuple[Judgment, ...]:
    """Everything that was said in a task, as whoever looks may see it. Raises CuiscopeError."""
    return words.as_seen(context.entry, judgments_of(context.entry.path, task.name))


def is_open(task: Task) -> bool:
    """Whether the answers of a task were asked for."""
    return str(state.read_param(PART, "")) == task.name


def button(task: Task) -> None:
    """Opens and closes the answers: they show what others said, which nobody should see before judging."""
    shown = is_open(task)
    st.button(
        "Hide the answers" if shown else "Show the answers",
        key=f"answers-{task.name}",
        icon=":material/visibility_off:" if shown else ":material/visibility:",
        on_click=state.set_value,
        args=(PART, "" if shown else task.name),
        help="For the organiser, when all readers have finished.",
    )


def section(context: Context, task: Task, judgments: Sequence[Judgment], readers: Sequence[Reader]) -> None:
    """The answers of a task in files, and where readers differ."""
    left = [reader for reader in readers if reader.done < reader.n]
    if left:
        names = listed([f"**{md_escape(reader.name)}**" for reader in left], limit=8)
        st.caption(f":material/hourglass_top: Not finished yet: {names}. The results can still change.")
    if task.form == "material":
        _teams(context, task, judgments)
    _files(context, task, judgments)
    differences_section(context, task, judgments)


def _teams(context: Context, task: Task, judgments: Sequence[Judgment]) -> None:
    """The mean rating of every team by every criterion."""
    rows = team_means(task, [one for one in judgments if not one.simulated], teams_of(task))
    table.declared(
        context,
        teams_table(task, rows),
        key=f"teams-{task.name}",
        file=f"teams-{task.name}",
        note="Mean over images, each the mean over its readers; bootstrap intervals over images.",
        alt=f"Ratings of {pluralize(len(task.systems), 'team')} by criterion",
    )


def _files(context: Context, task: Task, judgments: Sequence[Judgment]) -> None:
    """All judgments as a table and as a document, with everything that was taken back; grades as qrels."""
    stem = context.stem(f"judgments-{task.name}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Take away**", width="content")
        download.file(
            "CSV",
            lambda: "".join(judgment_lines(judgments)).encode(),
            f"{stem}.csv",
            "text/csv",
            key=f"save-csv-{task.name}",
        )
        download.file(
            "JSON",
            lambda: "".join(json_lines(judgments)).encode(),
            f"{stem}.json",
            "application/json",
            key=f"save-json-{task.name}",
        )
        grades = 4 if task.scale == 5 else 100
        qrels = qrels_of(judgments, grades=grades)
        writable = qrels.rows and qrels.spaced is None
        if writable:
            download.file(
                "Qrels",
                lambda: "".join(qrels.lines()).encode(),
                f"{stem}.qrels",
                "text/plain",
                key=f"save-qrels-{task.name}",
            )
    about = (
        f" Qrels contain one grade from 0 to {grades} for each result, the median over readers, for "
        "trec_eval and similar programs; simulated readers are left out of them."
    )
    every = "CSV and JSON contain every answer, also those changed or taken back later."
    st.caption(f"{every}{about if writable else ''} Do not show these to readers who are still judging.")
