"""What readers said of a task: how far each is, files to take away, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st

from evalcore.features.review.adaptive.design import State, state_of
from evalcore.features.review.adaptive.tables import IN_QRELS, estimates_table, state_lines
from evalcore.features.review.diagnosis.conversion import diagnoses_from
from evalcore.features.review.diagnosis.truth import truths_of
from evalcore.features.review.items import Plan, by_key, progress, teams_of
from evalcore.features.review.judgments import Judgment, qrels_of
from evalcore.features.review.material import team_means, teams_table
from evalcore.features.review.page import statement
from evalcore.features.review.page import who as words
from evalcore.features.review.page.reading import design_for, plan_for
from evalcore.features.review.page.who import PART
from evalcore.features.review.read import store
from evalcore.features.review.read.diagnosis_files import diagnosis_lines
from evalcore.features.review.read.judgment_files import json_lines, judgment_lines
from evalcore.features.review.read.store import study_id
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.tasks import MAX_COMMENT, MAX_READER, Task, tidy
from evalcore.features.review.verdicts import Difference, differences
from evalcore.ui.components import cards, download, table
from evalcore.ui.frame import state, studies
from evalcore.ui.frame.context import Context
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape, plain
from evalcore.values.writing import count, listed, number, pluralize

# Where readers differ, largest differences first: both answers, the pictures, and what is decided.

NOBODY = "adjudicator"
"""Who decides, where no code is given; the order of the items does not matter here."""
WHO = "settled_by"
_SAID = "_settled"


def settle_section(context: Context, task: Task, judgments: Sequence[Judgment]) -> None:
    """All differences in a table, and one of them with its pictures."""
    plan = plan_for(context, task, NOBODY)
    result = differences(plan, judgments)
    st.markdown("**Where readers differ**")
    if not result:
        st.caption("No item has two different answers.")
        return
    settled = sum(one.is_settled for one in result)
    st.caption(
        f"{pluralize(len(result), 'item')} with disagreements, largest first; {count(settled)} resolved. A "
        "resolved answer is added; readers’ own answers are kept. Select a row to see its pictures."
    )
    chosen = table.show(
        _rows(task, result),
        key=f"differences-{task.name}",
        file=context.stem(f"differences-{task.name}"),
        choose=True,
        alt=f"{pluralize(len(result), 'item')} on which readers differ, with their answers",
    )
    with st.container(border=True, key="difference"):
        _one(context, task, plan, result[chosen or 0])


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
            "Resolved": said(difference.item, difference.settled) if difference.is_settled else "",
        }
        for difference in found
    ]
    return pd.DataFrame(rows)


def _what(difference: Difference, teams: Mapping[str, str]) -> str:
    """The result, or the team whose material it is, with the criterion; else which lists."""
    if result := difference.item.result:
        return plain(" · ".join(filter(None, (teams.get(result, result), difference.item.criterion))))
    return "two lists" if difference.item.kind == "preference" else f"list of {len(difference.item.results)}"


def _one(context: Context, task: Task, plan: Plan, difference: Difference) -> None:
    """The pictures, what each reader said and why, and the buttons that settle it."""
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
        who = _decides()
        offered = words.steps(task, difference.item) or [
            (str(step), step / 100) for step in range(0, 101, 10)
        ]
        with st.container(horizontal=True):
            for said, value in offered:
                st.button(
                    said,
                    key=f"settle-{value}",
                    disabled=not who,
                    on_click=_settle,
                    type="primary" if difference.is_settled and difference.settled == value else "secondary",
                    args=(context, plan, difference, who, value),
                )
        if not who:
            st.caption("Give a code first; it is kept with the decision.")
        if saved := str(state.get(_SAID, "")):
            state.drop(_SAID)
            st.caption(saved)


def _decides() -> str:
    """Who decides: the code that is typed; on a server who is signed in."""
    own = store.own_reader()
    if own is not None:
        return own
    return tidy(st.text_input("Who decides", key=WHO, max_chars=MAX_READER, placeholder="A1"), MAX_READER)


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


def _settle(context: Context, plan: Plan, difference: Difference, who: str, value: float) -> None:
    """Callback: keep a decision; the readers' answers stay as they are."""
    try:
        studies.check_manages(context.entry)
        decided = plan.judgments(
            difference.item, id=store.new_id(), at=datetime.now(UTC), value=value, adjudicated=True
        )
        store.add(study_id(context.entry.path), *(replace(each, reader=who) for each in decided))
    except CuiscopeError as error:
        state.set_plain(_SAID, f":red[{md_escape(f'Not saved. {error}', limit=400)}]")
        return
    state.set_plain(_SAID, ":material/check: Saved.")


class Reader(NamedTuple):
    """A reader's code, how many items are judged, how many there are (0 of an adaptive task, which readers
    share), and whether the program made it up."""

    name: str
    done: int
    n: int
    simulated: bool

    @property
    def words(self) -> str:
        made_up = " (simulated)" if self.simulated else ""
        of = f" of {count(self.n)}" if self.n else ""
        return f"**{md_escape(self.name)}**{made_up} {count(self.done)}{of}"


def readers_of(context: Context, task: Task, judgments: Sequence[Judgment]) -> list[Reader]:
    """Everybody with an answer in this task that counts, by code."""
    result = []
    for name in sorted({judgment.reader for judgment in judgments if not judgment.adjudicated}):
        far = progress(plan_for(context, task, name), judgments)
        made_up = bool(far.said) and all(one.simulated for one in far.said.values())
        result.append(Reader(name, far.done, 0 if far.all is not None else far.n, made_up))
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
    """The answers of a task in files, and where readers differ if no truth decides."""
    left = [reader for reader in readers if reader.done < reader.n]
    if left and task.adaptive is None:
        names = listed([f"**{md_escape(reader.name)}**" for reader in left], limit=8)
        st.caption(f":material/hourglass_top: Not finished yet: {names}. The results can still change.")
    if task.form == "material":
        _teams(context, task, judgments)
    if far := state_for(context, task, judgments):
        _decided(context, task, far)
    statement.downloads(context, task, judgments)
    _files(context, task, judgments)
    if task.diagnosis is None:  # of diagnoses the truth decides, and the page People shows the answer
        settle_section(context, task, judgments)


def state_for(context: Context, task: Task, judgments: Sequence[Judgment]) -> State | None:
    """How far an adaptive task is, for all readers together; None for another task. Raises CuiscopeError."""
    design = design_for(context, task)
    return None if design is None else state_of(design, judgments)


def _decided(context: Context, task: Task, state: State) -> None:
    """What an adaptive task says so far, and of which systems."""
    progress, *lines, method = state_lines(state)
    first, *others = lines or [method]
    st.markdown(f"**{md_escape(first)}**")
    for line in others:
        st.caption(md_escape(line))
    if state.course.over:
        table.declared(
            context,
            estimates_table(state),
            key=f"decided-{task.name}",
            file=f"decided-{task.name}",
            note=f"{progress} {method}",
            alt=f"Weighted means of {pluralize(len(task.systems), 'system')}",
        )


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


def _lines(context: Context, task: Task, judgments: Sequence[Judgment]) -> Iterator[str]:
    if task.diagnosis is None:
        return judgment_lines(judgments)
    return diagnosis_lines(diagnoses_from(judgments, task, truths_of(context.study, task)))


def _files(context: Context, task: Task, judgments: Sequence[Judgment]) -> None:
    """All judgments as a table and as a document, with everything that was taken back; grades as qrels."""
    stem = context.stem(f"judgments-{task.name}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Take away**", width="content")
        download.file(
            "CSV",
            lambda: "".join(_lines(context, task, judgments)).encode(),
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
    if task.adaptive is not None:
        about += f" {IN_QRELS}"
    every = "CSV and JSON contain every answer, also those changed or taken back later."
    if task.diagnosis is not None:
        every = "CSV has a row for each diagnosis that counts; JSON every answer, also those taken back."
    st.caption(f"{every}{about if writable else ''} Do not show these to readers who are still judging.")
