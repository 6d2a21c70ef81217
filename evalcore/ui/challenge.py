"""The challenge page: task and edition, files in, official numbers and problems out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.challenge.caption_runs import read_caption_truth
from evalcore.challenge.captions import CaptionResult, evaluate_captions
from evalcore.challenge.concept_truth import read_concept_truth
from evalcore.challenge.concepts import ConceptResult, evaluate_concepts
from evalcore.challenge.editions import CONCEPT_EDITIONS, EDITIONS, concept_edition
from evalcore.challenge.given import read_given
from evalcore.errors import CuiscopeError, InputError
from evalcore.model import Report, digest_of
from evalcore.sources.submissions import open_submission
from evalcore.ui import challenge_example, messages, state
from evalcore.ui.text import md_escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.model import Study
    from evalcore.settings import Settings
    from evalcore.ui.context import Context

CONCEPTS, CAPTIONS = "concepts", "captions"
TASKS = {CONCEPTS: "Concept detection", CAPTIONS: "Caption prediction"}
UPLOADED, EXAMPLE = "My files", "An example from the open study"
MAX_MB = 100
_TABLES = ["csv", "tsv", "txt"]
Result = ConceptResult | CaptionResult


@dataclass(frozen=True, slots=True)
class Files:
    """What the reader brought: (name, bytes) of the truth, of the manual truth, of runs and their scores."""

    truth: tuple[str, bytes]
    manual: tuple[str, bytes] | None
    runs: tuple[tuple[str, bytes], ...]
    given: tuple[tuple[str, bytes], ...] = ()


def task() -> tuple[str, str]:
    """Task and edition, both in the address."""
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    chosen = state.carry(state.TASK, CONCEPTS, state.one_of(*TASKS))
    left.selectbox(
        "Task", list(TASKS), key=state.seed(state.TASK, chosen), format_func=TASKS.__getitem__,
        on_change=state.take_widget, args=(state.TASK,),
    )  # fmt: skip
    edition = state.carry(state.EDITION, "2025", state.one_of(*EDITIONS))
    right.selectbox(
        "Edition", EDITIONS, key=state.seed(state.EDITION, edition),
        format_func=lambda key: CONCEPT_EDITIONS[key].title, on_change=state.take_widget,
        args=(state.EDITION,), help="Each year had its own file form, its own rules and its own script.",
    )  # fmt: skip
    return chosen, edition


def bring(context: Context, chosen: str, edition: str) -> Files | None:
    """The files to score: uploaded, or made from the open study; None until there are some."""
    source = st.segmented_control(
        "Files", [UPLOADED, EXAMPLE], default=UPLOADED, key=state.SOURCE, required=True,
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
        return Files(*made)
    return _uploads(chosen, edition)


def _uploads(chosen: str, edition: str) -> Files | None:
    """The uploaded files, once truth and a run are there."""
    rules = concept_edition(edition)
    what = "concepts" if chosen == CONCEPTS else "captions"
    third = chosen == CAPTIONS or rules.secondary == "manual"
    columns = st.columns(3 if third else 2, gap="medium")
    truth = columns[0].file_uploader(
        f"Ground truth: {what}", type=_TABLES, key=state.TRUTH, max_upload_size=MAX_MB
    )
    runs = columns[1].file_uploader(
        "Runs, as you would submit them", type=[*_TABLES, "zip"], accept_multiple_files=True,
        key=state.RUNS, max_upload_size=MAX_MB,
    )  # fmt: skip
    manual, brought = None, []
    if chosen == CAPTIONS:
        brought = columns[2].file_uploader(
            "Scores of models, one file per run in the same order", type=_TABLES, key=state.GIVEN,
            accept_multiple_files=True, max_upload_size=MAX_MB,
            help="Columns: ID, then any of BERTScore, BLEURT, AlignScore, similarity, UMLS F1.",
        )  # fmt: skip
    elif third:
        manual = columns[2].file_uploader(
            "Manually checked truth (secondary score)", type=_TABLES, key=state.MANUAL,
            max_upload_size=MAX_MB, help="Without it the ground truth itself is used.",
        )  # fmt: skip
    if truth is None or not runs:
        with st.container(border=True, key="empty-challenge"):
            st.markdown("**Bring a ground truth and at least one run.**")
            st.caption(
                "Nothing leaves this computer. Every problem is shown at once, with its line and whether the "
                "official script would stop at it. Files stay until you leave this page."
            )
        return None
    given = {one.name: one.getvalue() for one in runs}
    return Files(
        (truth.name, truth.getvalue()), (manual.name, manual.getvalue()) if manual else None,
        tuple(given.items()), tuple((one.name, one.getvalue()) for one in brought),
    )  # fmt: skip


def score(context: Context, chosen: str, edition: str, files: Files) -> Sequence[Result] | None:
    """The results of all runs; None, with a message, when the truth cannot be used."""
    digest = digest_of(
        *(part for part in (files.truth, files.manual, *files.runs, "scores", *files.given) if part)
    )
    study, settings = context.study, context.choice.settings
    graph = study.graph.digest if study.graph else ""
    try:
        return _scored(
            digest, graph, chosen, edition, tuple(settings.as_dict().items()), files, study, settings
        )
    except InputError as error:
        st.error(md_escape(str(error)), icon=":material/error:")
        if error.report is not None:
            messages.problems(error.report, key="truth-problems")
    except CuiscopeError as error:
        st.error(md_escape(str(error)), icon=":material/error:")
    return None


@st.cache_resource(max_entries=12, show_spinner="Checking and scoring…")
def _scored(
    digest: str,  # noqa: ARG001
    graph: str,  # noqa: ARG001
    chosen: str,
    edition: str,
    how: tuple[Any, ...],  # noqa: ARG001
    _files: Files,
    _study: Study,
    _settings: Settings,
) -> Sequence[Result]:
    runs: dict[str, tuple[bytes, Report]] = {}
    for given, content in _files.runs:
        name, data, report = open_submission(content, name=given)
        runs[name] = (data, report)
    name, data = _files.truth
    if chosen == CAPTIONS:
        truth = read_caption_truth(data, file=name)
        scores = {
            run: read_given(table, file=file, images=tuple(truth.texts))
            for run, (file, table) in zip(runs, _files.given, strict=False)
        }
        return evaluate_captions(runs, truth, edition=edition, given=scores)
    rules = concept_edition(edition)
    manual = _files.manual and read_concept_truth(_files.manual[1], file=_files.manual[0], edition=rules)
    return evaluate_concepts(
        runs, read_concept_truth(data, file=name, edition=rules), edition=edition, manual=manual or None,
        graph=_study.graph, settings=_settings,
    )  # fmt: skip
