"""What the form of a task asks for where readers rate explanations: a table, and its heat maps."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from evalcore.features.review.items import lists_of
from evalcore.features.review.read.material_files import uploaded_material
from evalcore.features.review.read.task_files import check_task
from evalcore.features.review.tasks import Task
from evalcore.values.model import Study

FILES = "task_material"
MAX_MB = 20


def field() -> None:
    """The files, in a part of the form that is closed."""
    with st.expander("Explanations to rate"):
        st.caption(
            "For “One explanation at a time”: a table with the columns image and team, and caption, "
            "explanation or heat_map, the name of a picture that you upload with it. Images are drawn from "
            "the table. Readers never see the team."
        )
        st.file_uploader(
            "Table and heat maps",
            type=["csv", "png", "jpg", "jpeg"],
            accept_multiple_files=True,
            key=FILES,
            max_upload_size=MAX_MB,
        )


def completed(study: Study, task: Task) -> tuple[Task, dict[str, bytes]]:
    """The task with the teams of the uploaded table as its systems, and the files beside it by their place.

    Raises
    ------
    InputError, UnknownName
        The files or the task cannot be used; an image that the study does not have.
    """
    files = [(one.name, one.getvalue()) for one in st.session_state.get(FILES) or ()]
    material, beside = uploaded_material(files, task.name)
    teams = tuple(dict.fromkeys(one.team for one in material))
    task = replace(task, systems=teams, panel=False)
    check_task(task)
    lists_of(study, replace(task, material=material))
    return task, beside
