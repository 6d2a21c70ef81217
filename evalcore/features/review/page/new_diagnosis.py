"""The form that sets up a study of diagnoses: what is asked, in which arms, of which cases."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evalcore.features.review.diagnosis.reading import ALONE
from evalcore.features.review.diagnosis.setup import (
    DESIGNS,
    DETAILS,
    FROM_FILE,
    MAX_ARMS,
    MAX_CHOICE,
    MAX_CHOICES,
    MAX_WASHOUT,
    OF_LABELS,
    UNKNOWN,
    WASHOUT,
)
from evalcore.features.review.items import lists_of
from evalcore.features.review.page import who
from evalcore.features.review.read.task_files import MAX_INSTRUCTIONS, MAX_TITLE, check_task, save_task
from evalcore.features.review.read.truth_files import setup_of
from evalcore.features.review.tasks import MAX_DEPTH, MAX_QUERIES, Task, systems_to_judge, tidy
from evalcore.study.workspace import workspace
from evalcore.ui.frame import state, studies
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.errors import CuiscopeError, InputError
from evalcore.values.markdown import md_escape, plain

OPEN = Key("diagnosis")
"""Whether the form is open."""
(
    TITLE,
    TRUTH,
    TABLE,
    CHOICES,
    ARMS,
    DESIGN,
    WASHOUT_DAYS,
    CASES,
    EACH,
    DEPTH,
    SHOW,
    REGION,
    SCALE,
    TEXT,
    SEED,
) = (
    f"dx_{name}"
    for name in [
        "title",
        "truth",
        "table",
        "choices",
        "arms",
        "design",
        "washout",
        "cases",
        "each",
        "depth",
        "show",
        "region",
        "scale",
        "text",
        "seed",
    ]
)
_WRONG = "_dx_wrong"
DESIGN_WORDS = {
    "sequential": "Alone, then at once with results",
    "crossover": "Every arm, in sessions with a washout between",
    "split": "Each case in one arm only",
}
MAX_MB = 20
LARGEST_SEED = 10**9


def form(context: Context, taken: Sequence[str], made: str) -> None:
    """The form. ``taken``: names of tasks; ``made``: key of the title of a task just made."""
    if state.get(made, ("", ""))[1]:
        st.rerun(scope="app")  # the new task is listed above
    if not studies.ask(context.entry, key="diagnosis"):
        return
    st.caption(
        "Do results help? Readers diagnose each case alone and beside the results of a system. Which case "
        "comes in which arm follows from the seed and the reader’s code; with codes R1, R2, … it is balanced."
    )
    offered = systems_to_judge(context.study)
    columns = [f"{OF_LABELS}{name}" for name in context.study.label_columns]
    with st.form("make-diagnosis", border=False):
        st.text_input("Title", key=TITLE, max_chars=MAX_TITLE, placeholder="Orbital masses, first round")
        left, right = st.columns(2)
        with left:
            st.selectbox("Truth of each case", [*columns, FROM_FILE, UNKNOWN], key=TRUTH, format_func=_truth)
            st.number_input(
                "Cases to draw", 1, MAX_QUERIES, 24, key=CASES, help="By the seed, from those with a truth."
            )
            st.selectbox("Design", DESIGNS, key=DESIGN, format_func=DESIGN_WORDS.__getitem__)
            st.number_input("Results beside a case", 1, MAX_DEPTH, 5, key=DEPTH)
        with right:
            st.file_uploader(
                "Table of truths",
                type=["csv"],
                key=TABLE,
                max_upload_size=MAX_MB,
                help="Columns case and truth.",
            )
            st.number_input("Cases of each reader", 0, MAX_QUERIES, 0, key=EACH, help="0: all of them.")
            st.number_input(
                "Days between sessions",
                0,
                MAX_WASHOUT,
                WASHOUT,
                key=WASHOUT_DAYS,
                help="Of the design in sessions.",
            )
            st.number_input("Seed", 0, LARGEST_SEED, 1, key=SEED)
        st.multiselect(
            "Arms",
            [ALONE, *offered],
            key=ARMS,
            default=[ALONE, *offered[:1]],
            max_selections=MAX_ARMS,
            format_func=lambda name: "Alone, without results" if name == ALONE else plain(name),
            help="Readers never see these names.",
        )
        st.text_area(
            "Diagnoses to choose from, one a line",
            key=CHOICES,
            max_chars=MAX_CHOICES * (MAX_CHOICE + 1),
            height=110,
            help="Of two, the positive one first. Left empty: the values of the label, or, with a table, "
            "typed words that are matched to a concept.",
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.pills(
                "Shown of a result",
                DETAILS,
                selection_mode="multi",
                default=DETAILS,
                key=SHOW,
                format_func=str.title,
            )
            st.segmented_control(
                "Confidence", (5, 100), key=SCALE, default=5, required=True, format_func=_scale
            )
            st.checkbox("Readers may mark a region", key=REGION)
        st.text_area("Instructions for readers", key=TEXT, max_chars=MAX_INSTRUCTIONS, height=80)
        st.form_submit_button(
            "Make the study",
            type="primary",
            icon=":material/add:",
            on_click=_make,
            args=(context, taken, made),
        )
    if wrong := str(state.get(_WRONG, "")):
        state.drop(_WRONG)
        st.error(md_escape(wrong, limit=600), icon=":material/error:")


def _truth(source: str) -> str:
    if source == FROM_FILE:
        return "The table at the right"
    return "Not known" if source == UNKNOWN else f"Label: {plain(source.removeprefix(OF_LABELS))}"


def _scale(n: int) -> str:
    return "5 steps" if n == 5 else "0 to 100"


def _make(context: Context, taken: Sequence[str], made: str) -> None:
    """Callback: write the task; what was typed stays where it cannot be."""
    folder = context.entry.path
    try:
        studies.check_manages(context.entry)
        task, table = _typed(context, taken)
        check_task(task)
        lists_of(context.study, task)  # every case has a truth that fits
        in_place = studies.given(folder) and not workspace.is_uploaded(folder)
        beside = {f"review/{task.name}.csv": table} if table else {}
        save_task(folder, task, in_place=in_place, beside=beside)
    except CuiscopeError as error:
        report = error.report if isinstance(error, InputError) else None
        why = " ".join(map(str, report.problems)) if report is not None else ""
        state.set_plain(_WRONG, f"{error} {why}".strip())
        return
    for key in (TITLE, CHOICES, TEXT):
        state.drop(key)
    state.set_plain(made, ("", task.title))


def _typed(context: Context, taken: Sequence[str]) -> tuple[Task, bytes]:
    typed = st.session_state
    title = tidy(str(typed[TITLE]), MAX_TITLE)
    lines = (tidy(line, MAX_CHOICE) for line in str(typed[CHOICES]).splitlines())
    given = typed[TABLE]
    if typed[TRUTH] == FROM_FILE and given is None:
        raise InputError("Give the table of truths, with the columns case and truth.")
    table = given.getvalue() if typed[TRUTH] == FROM_FILE else b""
    setup = setup_of(
        context.study,
        table or str(typed[TRUTH]),
        choices=tuple(dict.fromkeys(filter(None, lines))),
        arms=tuple(typed[ARMS]),
        design=typed[DESIGN],
        per_reader=int(typed[EACH]),
        washout=int(typed[WASHOUT_DAYS]),
        show=tuple(name for name in DETAILS if name in (typed[SHOW] or ())),
        region=bool(typed[REGION]),
    )
    task = Task(
        name=who.free_name(title, taken),
        title=title,
        form="diagnosis",
        systems=setup.systems,
        draw=int(typed[CASES]),
        depth=int(typed[DEPTH]),
        scale=typed[SCALE],
        seed=int(typed[SEED]),
        instructions=typed[TEXT].strip(),
        reasons=(),
        diagnosis=setup,
    )
    return task, table
