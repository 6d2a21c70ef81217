"""The tasks of a study: those of its files, and the one every study has to practise."""

from __future__ import annotations

import streamlit as st

from evalcore.features.review.page.who import TASK
from evalcore.features.review.read.task_files import read_tasks
from evalcore.features.review.tasks import NAME, Task, practice_task
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.values.errors import Report
from evalcore.values.markdown import md_escape


def tasks(context: Context) -> tuple[tuple[Task, ...], Report]:
    """The tasks by name, the one to practise last; and what is wrong with their files."""
    kept, report = read_tasks(context.entry.path)
    practice = practice_task(context.study)
    if practice is not None and all(task.name != NAME for task in kept):
        kept = (*kept, practice)
    return kept, report


def chosen(context: Context) -> Task | None:
    """The task of the address; None, and a word about it, when there is no such task."""
    asked = str(state.read_param(TASK, ""))
    for task in tasks(context)[0]:
        if task.name == asked:
            return task
    if asked:
        st.warning(
            f"This study has no task called **{md_escape(asked, limit=80)}**, or its file has errors.",
            icon=":material/link_off:",
        )
    return None
