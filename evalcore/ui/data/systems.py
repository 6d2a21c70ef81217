"""The systems of the study: what each holds and how it is shown; renamed, ordered, removed, brought back."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore import extensions
from evalcore.evaluate.coverage import SystemCoverage
from evalcore.figures.theme import SYMBOLS, SystemStyle, style_of
from evalcore.study.workspace import workspace
from evalcore.ui.components import intake, table
from evalcore.ui.data import sections
from evalcore.ui.frame import cache, choices, pages, state, studies
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import digest_of
from evalcore.values.model import Study
from evalcore.values.writing import md_escape, plain, pluralize

# What the forms of the systems tab do to the study. All but the forms at the end are callbacks.


@intake.guarded
def save(context: Context, system: str, form: str) -> None:
    """Callback: name, place and notes of one system, as the form says."""
    study = context.study
    look, name = study.looks[system], str(state.get(f"{pages.NAMED}-{form}") or "").strip()
    said: dict[str, dict[str, Any]] = {system: {} for system in study.systems}
    said[system] = {"title": name or None, "notes": str(state.get(f"{pages.NOTES}-{form}") or "")}
    place = int(state.get(f"{pages.PLACE}-{form}"))
    order = [one for one in study.systems if one != system]
    order.insert(place - 1, system)
    if tuple(order) != study.systems:
        for number, one in enumerate(order, start=1):
            said[one]["order"] = number
    said = {one: values for one, values in said.items() if values}
    folder = context.entry.path
    report = workspace.describe(folder, said, in_place=studies.given(folder))
    choices.rename(system, name or look.key)
    intake.say("good", f"**{md_escape(name or look.key)}** is saved.", report)


@intake.guarded
def remove(context: Context, system: str) -> None:
    """Callback: take a system out of the study."""
    folder = context.entry.path
    removed = workspace.remove_system(folder, system, in_place=studies.given(folder))
    intake.say(
        "good",
        f"**{md_escape(removed.name)}** is removed. It can be restored here for {workspace.GRACE} days.",
    )


@intake.guarded
def bring_back(removed: workspace.Removed) -> None:
    """Callback: undo a removal."""
    intake.say("good", f"**{md_escape(workspace.restore_system(removed))}** is restored.")


@intake.guarded
def describe(context: Context, form: str) -> None:
    """Callback: name and description of the study."""
    name, text = (str(state.get(f"{key}-{form}") or "").strip() for key in (pages.STUDY_NAME, pages.ABOUT))
    folder = context.entry.path
    report = workspace.set_metadata(folder, name=name, description=text, in_place=studies.given(folder))
    intake.say("good", "Name and description are saved.", report)


# ------------------------------------------------------------------------------- forms


def undo(context: Context, may: bool) -> None:
    """The systems that were removed and can be restored."""
    removed = workspace.removed_systems(context.entry.path)
    if not removed:
        return
    st.header("Removed", anchor=False)
    for one in removed:
        st.button(
            f"Bring back {md_escape(one.name, limit=40)}",
            key=f"undo-{one.aside.name}",
            icon=":material/undo:",
            on_click=bring_back,
            args=(one,),
            disabled=not may,
        )


def about(context: Context, may: bool) -> None:
    """Name and description of the study."""
    study = context.study
    form = digest_of([study.name, study.description, str(context.entry.path)])[:12]
    st.header("This study", anchor=False)
    with st.form("about-study", border=True):
        st.text_input(
            "Name",
            study.name,
            key=f"{pages.STUDY_NAME}-{form}",
            max_chars=200,
            disabled=not may,
            help="Shown on top of the overview. The folder, and so the address, keeps its name.",
        )
        st.text_area(
            "Description",
            study.description,
            key=f"{pages.ABOUT}-{form}",
            max_chars=4_000,
            height=110,
            disabled=not may,
        )
        st.form_submit_button(
            "Save",
            icon=":material/save:",
            key="save-study",
            disabled=not may,
            on_click=describe,
            args=(context, form),
        )


_SIGNS = dict(zip(SYMBOLS, "●■◆▲▼✚✖⬟★", strict=True))


def section(context: Context) -> None:
    """The table, and below it what can be changed."""
    _table(context)
    may = studies.ask(context.entry, key="systems")
    if not context.study.systems:
        _added(context, may)
        _of_the_study(context, may)
        return
    left, right = st.columns(2, gap="medium")
    with left:
        _one(context, may)
    with right:
        _of_the_study(context, may)
    _added(context, may)


def _added(context: Context, may: bool) -> None:
    """What features put below the systems, such as encoders that make more of them."""
    for _, show in extensions.additions("data systems"):
        show(context, may)


def _of_the_study(context: Context, may: bool) -> None:
    undo(context, may)
    about(context, may)


def _table(context: Context) -> None:
    study = context.study
    if not study.systems:
        st.info(
            "This study has no systems yet. Create baseline systems below, or add a ranking or vectors under "
            "“Open or upload”."
        )
        return
    facts = cache.share(("systems table", study.digest, study.systems), lambda: _facts(study))
    rows = [
        {
            "Look": _swatch(style_of(name, study.systems, context.theme)),
            "System": plain(name),
            "Folder": plain(study.looks[name].key),
            "Results": results,
            **({"Seeds": pluralize(one.seeds, "seed") if one.seeds else ""} if study.seeds else {}),
            "Queries": one.answered,
            "Depth": _depth(one),
            "Pool": pool,
            "Vectors": one.embedded,
            "Notes": plain(study.looks[name].notes, limit=300),
        }
        for name, (one, results, pool) in zip(study.systems, facts, strict=True)
    ]
    table.bare(
        pd.DataFrame(rows),
        key="systems-table",
        alt=f"{pluralize(len(rows), 'system')} with results, depth, pool, vectors and notes",
        columns={
            "Look": st.column_config.ImageColumn(width=56, help="Colour and marker in every figure."),
            "Folder": "Key",
            "Results": st.column_config.NumberColumn(format="localized", help="Rows of the ranking."),
            "Seeds": st.column_config.TextColumn(
                help="Runs of one system that was trained several times. Queries: what all of them answer."
            ),
            "Depth": st.column_config.TextColumn(
                alignment="right", help="Results per query, shortest and longest list."
            ),
            "Pool": st.column_config.NumberColumn(
                format="localized", help="Distinct images it returns or has vectors for."
            ),
            "Notes": st.column_config.TextColumn(width="large"),
            **table.numbers("localized", "Queries", "Vectors"),
        },
    )
    st.caption(
        "Names, order and notes are kept in study.toml and are the same on every page. "
        "The key is the folder or the name in study.toml; links and commands understand it too."
    )


def _facts(study: Study) -> list[tuple[SystemCoverage, int, int]]:
    """Of each system what it covers, the rows of its ranking, and how many images it can return."""
    result = []
    for system in sections.facts(study).systems:
        vectors = study.embeddings.get(system.system)
        names = study.seeds.get(system.system, (system.system,))
        runs = [study.runs[name] for name in names if name in study.runs]
        inside = np.zeros(len(study.image_ids), bool)
        for run in runs:
            inside[run.candidates[run.candidates >= 0]] = True
        if vectors is not None:
            inside |= vectors.rows >= 0
        result.append((system, sum(len(run.candidates) for run in runs), int(inside.sum())))
    return result


def _depth(coverage: SystemCoverage) -> str:
    if not coverage.answered:
        return ""
    return (
        f"{coverage.longest:,}"
        if coverage.shortest == coverage.longest
        else f"{coverage.shortest:,} to {coverage.longest:,}"
    )


def _swatch(style: SystemStyle) -> str:
    """The marker in its colour as a small picture; only the program's own signs go into it."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="24"><text x="20" y="19" font-size="20" '
        f'text-anchor="middle" fill="{style.fill}" stroke="{style.colour}" stroke-width="0.8">'
        f"{_SIGNS[style.symbol]}</text></svg>"
    )
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _one(context: Context, may: bool) -> None:
    """The form of one system."""
    study = context.study
    st.header("Change a system", anchor=False)
    chosen = st.selectbox(
        "System", study.systems, key=pages.CHANGED, format_func=lambda name: plain(name, limit=60)
    )
    if chosen not in study.systems:
        return
    look = study.looks[chosen]
    # Another form after each change: it shows what is kept now.
    form = digest_of([chosen, repr(look), repr(study.systems)])[:12]
    with st.form(f"system-{form}", border=True):
        st.text_input("Name", chosen, key=f"{pages.NAMED}-{form}", max_chars=120, disabled=not may)
        st.selectbox(
            "Position in lists",
            range(1, len(study.systems) + 1),
            study.systems.index(chosen),
            key=f"{pages.PLACE}-{form}",
            disabled=not may,
        )
        st.text_area(
            "Notes", look.notes, key=f"{pages.NOTES}-{form}", max_chars=4_000, height=90, disabled=not may
        )
        st.form_submit_button(
            "Save",
            icon=":material/save:",
            type="primary",
            key="save-system",
            disabled=not may,
            on_click=save,
            args=(context, chosen, form),
        )
    st.button(
        f"Remove {md_escape(chosen, limit=40)} from the study",
        key="remove-system",
        icon=":material/delete:",
        disabled=not may,
        on_click=remove,
        args=(context, chosen),
        help="Its files are removed from the study and can be restored for 30 days.",
    )
