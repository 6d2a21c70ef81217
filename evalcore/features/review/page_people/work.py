"""The judgments of the open study, and what they say; computed once for the same judgments and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from evalcore.features.review.read.task_files import read_tasks
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.readers.results import as_asked, reader_results
from evalcore.ui.frame import jobs
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from evalcore.features.review.agreement.consensus import How
    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.readers.results import ReaderResults
    from evalcore.features.review.tasks import Task
    from evalcore.ui.frame.context import Context
    from evalcore.values.progress import Progress


class Said(NamedTuple):
    """The tasks of a study, and all that was said in them."""

    tasks: tuple[Task, ...]
    judgments: tuple[Judgment, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The tasks with a judgment that counts here: a grade or a vote."""
        found = {one.task for one in self.judgments if one.kind in ("graded", "preference")}
        return tuple(sorted(found))

    def title(self, name: str) -> str:
        """What a task is called; its name where its file is gone."""
        return next((task.title for task in self.tasks if task.name == name), name)

    def of(self, name: str) -> Said:
        """One task alone; all for ""."""
        if not name:
            return self
        return Said(
            tuple(task for task in self.tasks if task.name == name),
            tuple(one for one in self.judgments if one.task == name),
        )


def said(context: Context) -> Said:
    """What was said in the open study; with a message in its place where that cannot be read."""
    path = context.entry.path
    try:
        return Said(read_tasks(path)[0], judgments_of(path))
    except InputError as error:
        st.error(md_escape(str(error), limit=600), icon=":material/error:")
        return Said((), ())


def results(
    context: Context, found: Said, measures: tuple[str, ...], *, reference: str | None, how: How
) -> ReaderResults | None:
    """What the judgments say; None while it is computed."""
    study, settings = context.study, context.choice.settings
    k, level = as_asked(found.tasks)

    def work(progress: Progress) -> ReaderResults:
        return reader_results(
            study, found.judgments, measures=measures, reference=reference, level=level, how=how, k=k,
            settings=settings, progress=progress,
        )  # fmt: skip

    version = digest_of([f"{one.id} {one.said} {one.value}" for one in found.judgments])
    parts = (study.digest, version, measures, reference, how, k, level, settings)
    return jobs.run(f"readers {parts!r}", work, label="Comparing the measures with the readers")
