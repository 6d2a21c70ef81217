"""The systems of the study: what each holds and how it is shown; renamed, ordered, removed, brought back."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.encode import page as encode
from evalcore.figures.numbers import things
from evalcore.figures.theme import style_of
from evalcore.study import looks
from evalcore.ui.components import table
from evalcore.ui.data import changes, coverage, keys, permission
from evalcore.ui.frame import cache
from evalcore.values.arrays import digest_of
from evalcore.values.markdown import md_escape, plain
from evalcore.values.system_styles import MARKERS, PALETTE

if TYPE_CHECKING:
    from evalcore.figures.theme import SystemStyle
    from evalcore.study.coverage import SystemCoverage
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study

COLOURS = (
    "Blue", "Orange", "Green", "Vermilion", "Purple", "Sky blue", "Yellow", "Ink", "Violet", "Wine",
)  # fmt: skip
"""Names of the program's own colours, from 1 on."""
OWN = "Another colour"
_SIGNS = dict(zip(MARKERS, "●■◆▲▼✚✖⬟★", strict=True))


def section(context: Context) -> None:
    """The table, and below it what can be changed."""
    _table(context)
    may = permission.ask(context.entry, key="systems")
    if not context.study.systems:
        encode.section(context, may)
        _of_the_study(context, may)
        return
    left, right = st.columns(2, gap="medium")
    with left:
        _one(context, may)
    with right:
        _of_the_study(context, may)
    encode.section(context, may)


def _of_the_study(context: Context, may: bool) -> None:
    changes.undo(context, may)
    changes.about(context, may)


def _table(context: Context) -> None:
    study = context.study
    if not study.systems:
        st.info(
            "This study has no systems. Make first ones below, or add a ranking or vectors under “Open or "
            "upload”."
        )
        return
    facts = cache.share(("systems table", study.digest, study.systems), lambda: _facts(study))
    rows = [
        {
            "Look": _swatch(style_of(name, study.systems, context.theme)), "System": plain(name),
            "Folder": plain(study.looks[name].key), "Results": results,
            **({"Seeds": things(one.seeds, "seed") if one.seeds else ""} if study.seeds else {}),
            "Queries": one.answered, "Depth": _depth(one), "Pool": pool, "Vectors": one.embedded,
            "Notes": plain(study.looks[name].notes, limit=300),
        }
        for name, (one, results, pool) in zip(study.systems, facts, strict=True)
    ]  # fmt: skip
    table.bare(
        pd.DataFrame(rows), key="systems-table",
        alt=f"{things(len(rows), 'system')} with results, depth, pool, vectors and notes",
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
                format="localized", help="Different images it ever returns or has vectors of."
            ),
            "Notes": st.column_config.TextColumn(width="large"),
            **table.numbers("localized", "Queries", "Vectors"),
        },
    )  # fmt: skip
    st.caption(
        "Names, order, colours, markers and notes are kept in study.toml and are the same on every page. "
        "The key is the folder or the name in study.toml; links and commands understand it too."
    )


def _facts(study: Study) -> list[tuple[SystemCoverage, int, int]]:
    """Of each system what it covers, the rows of its ranking, and how many images it can return."""
    found = []
    for one in coverage.facts(study).systems:
        vectors = study.embeddings.get(one.system)
        names = study.seeds.get(one.system, (one.system,))
        runs = [study.runs[name] for name in names if name in study.runs]
        inside = np.zeros(len(study.image_ids), bool)
        for run in runs:
            inside[run.candidates[run.candidates >= 0]] = True
        if vectors is not None:
            inside |= vectors.rows >= 0
        found.append((one, sum(len(run.candidates) for run in runs), int(inside.sum())))
    return found


def _depth(one: SystemCoverage) -> str:
    if not one.answered:
        return ""
    return f"{one.longest:,}" if one.shortest == one.longest else f"{one.shortest:,} to {one.longest:,}"


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
        "System", study.systems, key=keys.CHANGED, format_func=lambda name: plain(name, limit=60)
    )
    if chosen not in study.systems:
        return
    look, shown = study.looks[chosen], looks.of_study(study)[chosen]
    style = style_of(chosen, study.systems, context.theme)
    own = isinstance(look.colour, str)
    # Another form after each change: it shows what is kept now.
    form = digest_of([chosen, repr(look), repr(study.systems), style.symbol])[:12]
    with st.form(f"system-{form}", border=True):
        st.text_input("Name", chosen, key=f"{keys.NAMED}-{form}", max_chars=120, disabled=not may)
        grid = st.grid(3, min_column_width=140)
        first, second, third = grid.container(), grid.container(), grid.container()
        first.selectbox(
            "Position in lists", range(1, len(study.systems) + 1), study.systems.index(chosen),
            key=f"{keys.PLACE}-{form}", disabled=not may,
        )  # fmt: skip
        at = PALETTE if own else (int(shown.colour or 1) - 1) % PALETTE
        second.selectbox("Colour", (*COLOURS, OWN), at, key=f"{keys.COLOUR}-{form}", disabled=not may)
        third.selectbox(
            "Marker", MARKERS, MARKERS.index(style.symbol), key=f"{keys.MARKER}-{form}", disabled=not may,
            format_func=lambda name: f"{_SIGNS[name]} {name}",
        )  # fmt: skip
        st.color_picker(
            f"{OWN} (select it above)", style.fill, key=f"{keys.OWN_COLOUR}-{form}", disabled=not may
        )
        st.text_area(
            "Notes", look.notes, key=f"{keys.NOTES}-{form}", max_chars=4_000, height=90, disabled=not may
        )
        st.form_submit_button(
            "Save", icon=":material/save:", type="primary", key="save-system", disabled=not may,
            on_click=changes.save, args=(context, chosen, form, COLOURS, style.symbol),
        )  # fmt: skip
    st.button(
        f"Remove {md_escape(chosen, limit=40)} from the study", key="remove-system", icon=":material/delete:",
        disabled=not may, on_click=changes.remove, args=(context, chosen),
        help="Its files are removed from the study and can be restored for a day.",
    )  # fmt: skip
