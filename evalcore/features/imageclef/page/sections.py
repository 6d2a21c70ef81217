"""The challenge page from top to bottom: what is asked, the files, the scores of all runs, one run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

import streamlit as st

from evalcore.features.imageclef import example, from_files
from evalcore.features.imageclef.editions import CONCEPT_EDITIONS, EDITIONS, edition_of
from evalcore.features.imageclef.page import behind, files, image, keys, models, problems, results
from evalcore.ui.components import messages, select
from evalcore.ui.frame import cache, jobs, state
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcore.features.imageclef.captions.evaluate import Component
    from evalcore.features.imageclef.captions.tokens import Nltk
    from evalcore.features.imageclef.editions import Edition, Task
    from evalcore.features.imageclef.from_files import Files, Scored
    from evalcore.ui.frame.context import Context
    from evalcore.ui.frame.state import Key

TASKS = {"concepts": "Concept detection", "captions": "Caption prediction"}
UPLOADED, EXAMPLE = "My files", "An example from the open study"
VARIANTS: Mapping[str, tuple[Key, str, dict[str, str]]] = {
    "nltk": (keys.NLTK, "BLEU computed by", {"nltk322": "NLTK 3.2.2, as in 2017", "modern": "NLTK of today"}),
    "component": (
        keys.COMPONENT, "BERTScore in the overall scores",
        {"f1": "F1, as in the official code", "recall": "Recall, as on the page of the task"},
    ),
}  # fmt: skip
"""What researchers choose where the official score of captions can be understood in two ways."""


def show(context: Context) -> None:
    """The whole page."""
    edition = ask()
    variant = {choice: _variant(context, edition, choice) for choice in VARIANTS}
    given = bring(context, edition)
    scored = score(context, edition, variant, given) if given else None
    if given and scored and scored.results:
        results.finding(scored.results)
        baseline = results.compared(context, scored)
        results.published(given, edition, scored.results)
        one_run(context, scored, baseline)


def ask() -> Edition:
    """Task and edition."""
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    with left:
        task = select.one("Task", TASKS, keep=keys.TASK)
    with right:
        titles = {key: CONCEPT_EDITIONS[key].title for key in EDITIONS}
        year = select.one(
            "Edition", titles, keep=keys.EDITION, first="2025",
            help="Each year has its own file format, rules and evaluation script.",
        )  # fmt: skip
    return edition_of(cast("Task", task), year)


def _variant(context: Context, edition: Edition, choice: str) -> str:
    """One of two ways to compute a score; in the simple reading shown only where it is not the usual one."""
    key, label, texts = VARIANTS[choice]
    usual = next(iter(texts))
    chosen = str(state.carry(key, usual, state.one_of(*texts)))
    if edition.choice == choice and (chosen != usual or not context.choice.plain):
        select.segments(label, texts, keep=key)
    return chosen


def bring(context: Context, edition: Edition) -> Files | None:
    """The files to score: uploaded, or made from the open study; None until there are enough."""
    source = select.segments("Files", [UPLOADED, EXAMPLE], keep=keys.SOURCE, label_visibility="collapsed")
    if source == UPLOADED:
        given = files.section(edition)
        if given is None:
            _empty()
        return given
    study = context.study
    if not study.runs:
        st.info(
            "The open study has no system with a file of rankings, so there is nothing to make an example "
            "from. Select another study on the left, such as the sample.",
            icon=":material/info:",
        )  # fmt: skip
        return None
    what = "concepts" if edition.task == "concepts" else "caption"
    st.caption(
        f"In this example, each image takes the {what} of its top hit in a system of the open study. The run "
        "“damaged” contains deliberate errors."
    )
    key = ("challenge example", study.digest, edition.task, edition.key)
    return cache.share(key, lambda: example.files(study, edition))


def _empty() -> None:
    with st.container(border=True, key="empty-challenge"):
        st.markdown("**Upload a ground truth and at least one run.**")
        st.caption(
            "Nothing is sent anywhere: files stay in the workspace of this program until you remove them. "
            "Every problem is listed with its line, and with whether the official script would stop there."
        )
        st.button(
            "Show an example", icon=":material/science:", key="show-example", on_click=state.set_value,
            args=(keys.SOURCE, EXAMPLE),
        )  # fmt: skip


def score(context: Context, edition: Edition, variant: Mapping[str, str], given: Files) -> Scored | None:
    """The results of all runs; None while they are computed and, with a message, for an unusable truth."""
    study, settings = context.study, context.choice.settings
    if edition.task == "concepts":
        decides: tuple[str, ...] = (study.graph.digest if study.graph else "", repr(settings))
        compute = partial(
            from_files.score_concepts, given, edition=edition, graph=study.graph, settings=settings
        )
    else:
        found = models.section(context, edition, given)
        decides = (*variant.values(), found.key)
        compute = partial(
            from_files.score_captions, given, edition=edition, found=found.values,
            nltk=cast("Nltk", variant["nltk"]), component=cast("Component", variant["component"]),
        )  # fmt: skip
    key = f"challenge {digest_of([edition.task, edition.key, given.digest, *decides])}"
    scored = jobs.run(key, partial(from_files.or_error, compute), label="Checking and scoring")
    if not isinstance(scored, InputError):
        return scored
    messages.failed(scored, key="truth-problems")
    return None


def one_run(context: Context, scored: Scored, baseline: str) -> None:
    """One run: its problems, what lies behind its score, and its images."""
    by_name = {one.name: one for one in scored.results}
    st.header("Run details", anchor=False)
    left, _ = st.columns([1, 2])
    with left:
        one = by_name[select.one("Run", list(by_name), keep=keys.RUN)]
    parts = {
        keys.PROBLEMS: lambda: problems.section(one),
        keys.BEHIND: lambda: behind.section(context, one),
        keys.PER_IMAGE: lambda: image.section(context, scored.results, one, baseline),
    }
    select.parts(parts, keep=state.TAB)
