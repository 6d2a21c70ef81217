"""The names that were found, the most frequent and the ambiguous ones, each taken in or left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from evalcore.features.annotate.page import keys, options, work
from evalcore.features.annotate.settings import STOP
from evalcore.figures.numbers import things
from evalcore.values.arrays import digest_of
from evalcore.values.markdown import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.features.annotate.page.work import Chosen
    from evalcore.features.annotate.settings import AnnotateSettings
    from evalcore.features.annotate.values import Annotation, NameCount
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study

MOST, MOST_AMBIGUOUS = 100, 12
"""Names that are listed for review."""
LOOK_FOR = "Look for it"
NOTHING = "Nothing"


def section(context: Context, chosen: Chosen, made: Annotation) -> None:
    """Both lists in one form; nothing changes before it is sent."""
    st.subheader("Names to look through", anchor=False)
    frequent, unclear = listed(made)
    out = stopped_by_reader(chosen.settings)
    if not frequent and not unclear and not out:
        st.caption("No name was found.")
        return
    form = digest_of([chosen.settings.digest, made.digest])[:12]
    names = [*out, *(one.name for one in frequent)]
    with st.form(f"annotate-review-{form}", border=True):
        st.caption(
            f"The {things(len(frequent), 'name')} found most often. Clear the mark of a name that means "
            "something else in these captions; it is then not looked for."
        )
        _frequent(context.study, frequent, out, form)
        if unclear:
            st.caption(
                "Names of several concepts. They count for none until you say what they mean in this study."
            )
            _unclear(context.study, unclear, form)
        st.form_submit_button(
            "Apply and find again", key="apply-review", icon=":material/sync:", type="primary",
            on_click=_apply, args=(context, chosen.settings, form, names, unclear),
        )  # fmt: skip


def listed(made: Annotation) -> tuple[list[NameCount], list[NameCount]]:
    """The most frequent names with one meaning, and the ambiguous ones."""
    clear = [one for one in made.counts if len(one.concepts) == 1]
    unclear = [one for one in made.counts if len(one.concepts) > 1]
    return clear[:MOST], unclear[:MOST_AMBIGUOUS]


def stopped_by_reader(settings: AnnotateSettings) -> list[str]:
    """Names that are not looked for, beside the usual ones."""
    return [name for name in settings.stop if name not in STOP]


def _frequent(study: Study, frequent: Sequence[NameCount], out: Sequence[str], form: str) -> None:
    n = len(out)
    rows = pd.DataFrame(
        {
            LOOK_FOR: [False] * n + [True] * len(frequent),
            "Name": [*map(plain, out), *(plain(one.name, limit=80) for one in frequent)],
            "Concept": [""] * n + [plain(work.named(study, one.concepts[0]), limit=80) for one in frequent],
            "Found": pd.array([pd.NA] * n + [one.n for one in frequent], "Int64"),
            "Counted": pd.array([pd.NA] * n + [one.kept for one in frequent], "Int64"),
            "Images": pd.array([pd.NA] * n + [one.images for one in frequent], "Int64"),
        }
    )
    st.data_editor(
        rows, hide_index=True, key=f"{keys.NAMES}-{form}", disabled=[*rows.columns[1:]], height=320,
        column_config={LOOK_FOR: st.column_config.CheckboxColumn(width="small")},
    )  # fmt: skip


def _unclear(study: Study, unclear: Sequence[NameCount], form: str) -> None:
    grid = st.grid(2, min_column_width=260)
    for at, one in enumerate(unclear):
        with grid.container():
            st.selectbox(
                f"“{plain(one.name, limit=60)}” ({things(one.n, 'time')}) means", (NOTHING, *one.concepts),
                key=f"{keys.MEANS}-{at}-{form}",
                format_func=lambda concept: concept if concept == NOTHING else work.named(study, concept),
            )  # fmt: skip


def _apply(
    context: Context, settings: AnnotateSettings, form: str, names: Sequence[str],
    unclear: Sequence[NameCount],
) -> None:  # fmt: skip
    """Callback: what the form says."""
    edited: Mapping[str, Any] = st.session_state.get(f"{keys.NAMES}-{form}") or {}
    means = {
        one.name: str(st.session_state.get(f"{keys.MEANS}-{at}-{form}") or NOTHING)
        for at, one in enumerate(unclear)
    }
    options.take(context, reviewed(settings, names, edited.get("edited_rows", {}), means))


def reviewed(
    settings: AnnotateSettings, names: Sequence[str], edited: Mapping[Any, Mapping[str, Any]],
    means: Mapping[str, str],
) -> AnnotateSettings:  # fmt: skip
    """The settings after a review: ``edited`` rows of ``names`` as the table has it, and what others mean."""
    says = {names[int(row)]: bool(cells[LOOK_FOR]) for row, cells in edited.items() if LOOK_FOR in cells}
    stop = [name for name in settings.stop if says.get(name) is not True]
    stop += [name for name, wanted in says.items() if not wanted and name not in stop]
    told = [f"{name} = {concept}" for name, concept in means.items() if concept != NOTHING]
    return replace(settings, stop=tuple(stop), meanings=(*settings.meanings, *told))
