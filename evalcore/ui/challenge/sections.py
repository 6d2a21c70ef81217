"""The challenge page: task and edition, files in, official numbers and problems out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.challenge.editions import CONCEPT_EDITIONS, EDITIONS, Task, edition_of
from evalcore.errors import InputError
from evalcore.model import digest_of
from evalcore.sources.challenge import challenge_files as workspace
from evalcore.ui.challenge import example as challenge_example
from evalcore.ui.challenge import files as challenge_files
from evalcore.ui.challenge import keys
from evalcore.ui.challenge import models as challenge_models
from evalcore.ui.challenge.work import Files, Scored, Source, from_kept, score_captions, score_concepts
from evalcore.ui.components import messages
from evalcore.ui.components.text import md_escape
from evalcore.ui.frame import jobs, state

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.sources.challenge.challenge_files import Kept
    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.workers import Progress

CONCEPTS: Task = "concepts"
CAPTIONS: Task = "captions"
TASKS = {CONCEPTS: "Concept detection", CAPTIONS: "Caption prediction"}
UPLOADED, EXAMPLE = "My files", "An example from the open study"
NLTKS = {"nltk322": "NLTK 3.2.2, as in 2017", "modern": "today's keys.NLTK"}
COMPONENTS = {"f1": "F1, as the code does", "recall": "recall, as the task's page says"}


def task() -> tuple[Task, str]:
    """Task and edition, both in the address."""
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    chosen = state.carry(keys.TASK, CONCEPTS, state.one_of(*TASKS))
    left.selectbox(
        "Task", list(TASKS), key=state.seed(keys.TASK, chosen), format_func=TASKS.__getitem__,
        on_change=state.take_widget, args=(keys.TASK,),
    )  # fmt: skip
    edition = state.carry(keys.EDITION, "2025", state.one_of(*EDITIONS))
    right.selectbox(
        "Edition", EDITIONS, key=state.seed(keys.EDITION, edition),
        format_func=lambda key: CONCEPT_EDITIONS[key].title, on_change=state.take_widget,
        args=(keys.EDITION,), help="Each year had its own file form, its own rules and its own script.",
    )  # fmt: skip
    return ("captions" if chosen == CAPTIONS else "concepts"), edition


def options(context: Context, chosen: Task, edition: str) -> dict[str, Any]:
    """How caption metrics are computed where the official way can be read in two ways; {} for concepts."""
    nltk = state.carry(keys.NLTK, "nltk322", state.one_of(*NLTKS))
    component = state.carry(keys.COMPONENT, "f1", state.one_of(*COMPONENTS))
    if chosen == CONCEPTS:
        return {}
    choice = edition_of("captions", edition).choice
    key, value, label, texts = (
        (keys.NLTK, nltk, "BLEU computed by", NLTKS)
        if choice == "nltk"
        else (keys.COMPONENT, component, "BERTScore in the aggregates", COMPONENTS)
    )
    if choice and (not context.choice.plain or value != next(iter(texts))):
        st.segmented_control(
            label, list(texts), key=state.seed(key, value), format_func=texts.__getitem__, required=True,
            on_change=state.take_widget, args=(key,),
        )  # fmt: skip
    return {"nltk": nltk, "component": component}


def bring(context: Context, chosen: Task, edition: str) -> Files | None:
    """The files to score: kept ones, or made from the open study; None until there are some."""
    source = st.segmented_control(
        "Files", [UPLOADED, EXAMPLE], default=UPLOADED, key=keys.SOURCE, required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    if source == EXAMPLE:
        made = challenge_example.files(context.study, chosen, edition)
        if made is None:
            st.info("The open study has no system with a run file to make an example from.")
            return None
        st.caption(
            "Every image is given what the open study says of the image each system returns first. "
            "The last run was damaged on purpose."
        )
        (name, data), _, runs = made
        return Files(Source(name, data), tuple(Source(run, content) for run, content in runs))
    return _kept(chosen, edition)


def _kept(chosen: Task, edition: str) -> Files | None:
    """Uploads and what is kept of them."""
    _swept()
    files = workspace.kept(chosen)
    what = "concepts" if chosen == CONCEPTS else "captions"
    third = _third(chosen, edition, files)
    columns = st.columns(3 if third else 2, gap="medium")
    with columns[0]:
        challenge_files.uploader(chosen, "truth", f"Ground truth: {what}")
        challenge_files.kept_list(chosen, [file for file in files if file.part == "truth"])
    with columns[1]:
        challenge_files.uploader(chosen, "runs", "Runs, as you would submit them (zip too)")
        challenge_files.kept_list(chosen, [file for file in files if file.part == "runs"])
    if third:
        part, label, told = third
        with columns[2]:
            challenge_files.uploader(chosen, part, label, help=told)
            challenge_files.kept_list(chosen, [file for file in files if file.part == part])
    challenge_files.told()
    if chosen == CAPTIONS and files:
        challenge_files.beside(chosen, files)
    complete = from_kept(files)
    if complete is None:
        _empty()
    else:
        st.button(
            "Remove all files", icon=":material/delete:", type="tertiary", key="forget-all",
            on_click=challenge_files.remove, args=(workspace.forget_all, chosen),
        )  # fmt: skip
    return complete


@st.cache_resource(show_spinner=False)
def _swept() -> None:
    """Once a server: remove what a stop in the middle of an upload has left."""
    workspace.sweep()


def _third(chosen: Task, edition: str, files: tuple[Kept, ...]) -> tuple[str, str, str] | None:
    """A third kind of file that the edition has use for: part, label, help."""
    if edition_of(chosen, edition).secondary == "manual":
        told = "Without it the ground truth itself is used."
        return "manual", "Manually checked truth (secondary score)", told
    if edition_of(chosen, edition).published or any(file.part == "published" for file in files):
        told = f"In place of those of 2017. {challenge_files.EXPECTED['published']}"
        return "published", "Published results to compare with", told
    return None


def _empty() -> None:
    with st.container(border=True, key="empty-challenge"):
        st.markdown("**Bring a ground truth and at least one run.**")
        st.caption(
            "Nothing leaves this computer; files stay in its workspace until you remove them. Every problem "
            "is shown at once, with its line and whether the official script would stop at it."
        )
        st.button(
            "Show it with an example", icon=":material/science:", key="show-example",
            on_click=state.set_plain, args=(keys.SOURCE, EXAMPLE),
        )  # fmt: skip


def score(context: Context, chosen: Task, edition: str, files: Files, how: dict[str, Any]) -> Scored | None:
    """The results of all runs; None while they are computed and, with a message, for an unusable truth."""
    study, settings = context.study, context.choice.settings
    if chosen == CONCEPTS:
        graph = study.graph.digest if study.graph else ""
        parts = [CONCEPTS, files.digest, edition, graph, str(settings.as_dict())]
        work = partial(_concepts, files, edition, study, settings)
    else:
        found = challenge_models.section(context, edition, files)
        parts = [CAPTIONS, files.digest, edition, str(how), found.key]
        work = partial(_captions, files, edition, how, found.values)
    scored = jobs.run(f"challenge:{digest_of(parts)}", work, label="Checking and scoring")
    if not isinstance(scored, InputError):
        return scored
    st.error(md_escape(str(scored)), icon=":material/error:")
    if scored.report is not None:
        messages.problems(scored.report, key="truth-problems")
    return None


def _concepts(
    files: Files, edition: str, study: Any, settings: Any, _progress: Progress
) -> Scored | InputError:
    return _or_error(lambda: score_concepts(files, edition=edition, study=study, settings=settings))


def _captions(
    files: Files, edition: str, how: dict[str, Any], found: Any, progress: Progress
) -> Scored | InputError:
    return _or_error(
        lambda: score_captions(files, edition=edition, options=how, found=found, progress=progress)
    )


def _or_error(work: Callable[[], Scored]) -> Scored | InputError:
    """An unusable truth is a result too: the page shows its problems line by line."""
    try:
        return work()
    except InputError as error:
        return error
