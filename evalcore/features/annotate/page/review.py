"""The names that were found, the most frequent and the ambiguous ones, each used or ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.features.annotate.page import work
from evalcore.features.annotate.page.work import Chosen
from evalcore.features.annotate.read import TOML, annotate_text, write_annotate_toml
from evalcore.features.annotate.values import (
    MAX_WINDOW,
    SECTIONS,
    STOP,
    AnnotateSettings,
    Annotation,
    NameCount,
)
from evalcore.ui.components import download, intake
from evalcore.ui.frame import state, studies
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import digest_of
from evalcore.values.model import Study
from evalcore.values.writing import plain, pluralize

# How captions are read: a form for the settings, kept in ``annotate.toml`` beside the study where it may.

LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "": "All"}

AMBIGUOUS = {"drop": "ignore", "preferred": "assign to the concept with that preferred name"}
FORM = ("languages", "ambiguous", "negated", "uncertain", "without", "sections", "window")
"""What the form asks."""


def options_section(context: Context, chosen: Chosen, tool: str) -> None:
    """The settings, folded away; the file and the command that do the same."""
    now = chosen.settings
    with st.expander("How captions are read", icon=":material/tune:"):
        form = now.digest[:12]
        with st.form(f"annotate-settings-{form}", border=False):
            grid = st.grid(2, min_column_width=260)
            known = [*LANGUAGES, *(language for language in now.languages if language not in LANGUAGES)]
            first = now.languages[0] if len(now.languages) == 1 else ""
            grid.container().selectbox(
                "Language of the names",
                known,
                known.index(first),
                key=_key("languages", form),
                format_func=lambda code: LANGUAGES.get(code, code),
                disabled=tool != "dictionary",
                help="Names without a stated language are always used.",
            )
            grid.container().selectbox(
                "Ambiguous names",
                list(AMBIGUOUS),
                int(now.ambiguous == "preferred"),
                key=_key("ambiguous", form),
                disabled=tool != "dictionary",
                format_func=AMBIGUOUS.__getitem__,
            )
            with grid.container():
                st.checkbox(
                    "Leave out denied terms (“no effusion”)",
                    now.negated == "leave-out",
                    key=_key("negated", form),
                )
                st.checkbox(
                    "Leave out uncertain terms (“possible effusion”)",
                    now.uncertain == "leave-out",
                    key=_key("uncertain", form),
                )
            grid.container().checkbox(
                "An image without any known term counts as having no concepts",
                now.without_terms == "nothing",
                key=_key("without", form),
                help="Otherwise it is not annotated: the name may be missing, not the finding.",
            )
            grid.container().multiselect(
                "Ignore text under these headings",
                list(SECTIONS),
                [one for one in now.leave_out_sections if one in SECTIONS],
                key=_key("sections", form),
            )
            grid.container().number_input(
                "How many words a negation covers (0: the whole sentence)",
                0,
                MAX_WINDOW,
                now.window,
                key=_key("window", form),
            )
            st.form_submit_button(
                "Apply and find again",
                key="apply-settings",
                icon=":material/sync:",
                on_click=_apply,
                args=(context, now, form),
            )
        _as_file(context, chosen, tool)


def _key(what: str, form: str) -> str:
    """Of a widget; a form of other settings has others, so it shows what is kept now."""
    return f"annotate_{what}-{form}"


def _apply(context: Context, now: AnnotateSettings, form: str) -> None:
    """Callback: what the form says."""
    chosen = {what: st.session_state[_key(what, form)] for what in FORM}
    language = chosen["languages"]
    before = now.languages if len(now.languages) > 1 and not language else ()
    take(
        context,
        replace(
            now,
            languages=(language,) if language else before,
            ambiguous=chosen["ambiguous"],
            negated="leave-out" if chosen["negated"] else "keep",
            uncertain="leave-out" if chosen["uncertain"] else "keep",
            without_terms="nothing" if chosen["without"] else "not-annotated",
            leave_out_sections=tuple(chosen["sections"]),
            window=int(chosen["window"]),
        ),
    )


@intake.guarded
def take(context: Context, settings: AnnotateSettings) -> None:
    """Callback: use these settings, and keep them beside the study where it may be changed."""
    folder = context.entry.path
    work.choose(folder, settings)
    if studies.may_change(context.entry):
        write_annotate_toml(folder, settings)
        intake.say("good", f"Saved in {TOML} in the study’s folder.")


def _as_file(context: Context, chosen: Chosen, tool: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        download.file(
            f"Save {TOML}", annotate_text(chosen.settings), TOML, "application/toml", key="save-annotate"
        )
        kept = (
            f"These settings are from {TOML} in the study’s folder, or the defaults."
            if chosen.kept
            else f"These settings apply until the page is closed. Save {TOML} and put it beside the study."
        )
        st.caption(kept)
    st.caption("The same by command:")
    st.code(work.command(context.entry.path, tool, f"--annotate {TOML}"), language=None, wrap_lines=True)


MOST, MOST_AMBIGUOUS = 100, 12
"""Names that are listed for review."""
LOOK_FOR = "Look for it"
NOTHING = "Nothing"


def section(context: Context, chosen: Chosen, made: Annotation) -> None:
    """Both lists in one form; nothing changes before it is sent."""
    frequent, unclear = listed(made)
    out = stopped_by_reader(chosen.settings)
    if not frequent and not unclear and not out:
        st.caption("No name was found.")
        return
    form = digest_of([chosen.settings.digest, made.digest])[:12]
    names = [*out, *(one.name for one in frequent)]
    with st.form(f"annotate-review-{form}", border=True):
        st.caption(
            f"The {pluralize(len(frequent), 'name')} found most often. Untick names that mean "
            "something else here; they will be ignored."
        )
        _frequent(context.study, frequent, out, form)
        if unclear:
            st.caption(
                "Names with several meanings are ignored until you select the one meant in this study."
            )
            _unclear(context.study, unclear, form)
        if st.form_submit_button(
            "Apply and find again",
            key="apply-review",
            icon=":material/sync:",
            type="primary",
            on_click=_review_apply,
            args=(context, chosen.settings, form, names, unclear),
        ):
            state.show_again()
            st.rerun()


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
        rows,
        hide_index=True,
        key=f"{work.NAMES}-{form}",
        disabled=[*rows.columns[1:]],
        height=320,
        column_config={LOOK_FOR: st.column_config.CheckboxColumn(width="small")},
    )


def _unclear(study: Study, unclear: Sequence[NameCount], form: str) -> None:
    grid = st.grid(2, min_column_width=260)
    for at, one in enumerate(unclear):
        with grid.container():
            st.selectbox(
                f"“{plain(one.name, limit=60)}” ({pluralize(one.n, 'time')}) means",
                (NOTHING, *one.concepts),
                key=f"{work.MEANS}-{at}-{form}",
                format_func=lambda concept: concept if concept == NOTHING else work.named(study, concept),
            )


def _review_apply(
    context: Context,
    settings: AnnotateSettings,
    form: str,
    names: Sequence[str],
    unclear: Sequence[NameCount],
) -> None:
    """Callback: what the form says."""
    edited: Mapping[str, Any] = st.session_state.get(f"{work.NAMES}-{form}") or {}
    means = {
        one.name: str(st.session_state.get(f"{work.MEANS}-{at}-{form}") or NOTHING)
        for at, one in enumerate(unclear)
    }
    take(context, reviewed(settings, names, edited.get("edited_rows", {}), means))


def reviewed(
    settings: AnnotateSettings,
    names: Sequence[str],
    edited: Mapping[Any, Mapping[str, Any]],
    means: Mapping[str, str],
) -> AnnotateSettings:
    """The settings after a review: ``edited`` rows of ``names`` as the table has it, and what others mean."""
    says = {names[int(row)]: bool(cells[LOOK_FOR]) for row, cells in edited.items() if LOOK_FOR in cells}
    stop = [name for name in settings.stop if says.get(name) is not True]
    stop += [name for name, wanted in says.items() if not wanted and name not in stop]
    lines = [f"{name} = {concept}" for name, concept in means.items() if concept != NOTHING]
    return replace(settings, stop=tuple(stop), meanings=(*settings.meanings, *lines))
