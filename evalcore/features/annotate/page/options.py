"""How captions are read: a form for the settings, kept in ``annotate.toml`` beside the study where it may."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.annotate.page import work
from evalcore.features.annotate.read.annotate_toml import TOML, annotate_text, write_annotate_toml
from evalcore.features.annotate.sections import SECTIONS
from evalcore.features.annotate.settings import MAX_WINDOW, AnnotateSettings
from evalcore.ui.components import download
from evalcore.ui.data import intake, permission

if TYPE_CHECKING:
    from evalcore.features.annotate.page.work import Chosen
    from evalcore.ui.frame.context import Context

LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "": "All"}

AMBIGUOUS = {
    "drop": "counts for none of them", "preferred": "is that of the concept whose first name it is",
}  # fmt: skip
FORM = ("languages", "ambiguous", "negated", "uncertain", "without", "sections", "window")
"""What the form asks."""


def section(context: Context, chosen: Chosen, tool: str) -> None:
    """The settings, folded away; the file and the command that do the same."""
    now = chosen.settings
    with st.expander("How captions are read", icon=":material/tune:"):
        form = now.digest[:12]
        with st.form(f"annotate-settings-{form}", border=False):
            grid = st.grid(2, min_column_width=260)
            known = [*LANGUAGES, *(one for one in now.languages if one not in LANGUAGES)]
            first = now.languages[0] if len(now.languages) == 1 else ""
            grid.container().selectbox(
                "Language of the names", known, known.index(first), key=_key("languages", form),
                format_func=lambda code: LANGUAGES.get(code, code), disabled=tool != "dictionary",
                help="Names of which nobody says the language are always looked for.",
            )  # fmt: skip
            grid.container().selectbox(
                "A name of several concepts", list(AMBIGUOUS), int(now.ambiguous == "preferred"),
                key=_key("ambiguous", form), disabled=tool != "dictionary", format_func=AMBIGUOUS.__getitem__,
            )  # fmt: skip
            with grid.container():
                st.checkbox(
                    "Leave denied terms out (“no effusion”)", now.negated == "leave-out",
                    key=_key("negated", form),
                )  # fmt: skip
                st.checkbox(
                    "Leave terms in doubt out (“possible effusion”)", now.uncertain == "leave-out",
                    key=_key("uncertain", form),
                )  # fmt: skip
            grid.container().checkbox(
                "An image without any known term counts as annotated with nothing",
                now.without_terms == "nothing", key=_key("without", form),
                help="Otherwise it is not annotated: the name may be missing, not the finding.",
            )  # fmt: skip
            grid.container().multiselect(
                "Leave out what stands under these headings", list(SECTIONS),
                [one for one in now.leave_out_sections if one in SECTIONS], key=_key("sections", form),
            )  # fmt: skip
            grid.container().number_input(
                "Words a denial reaches (0: the whole sentence)", 0, MAX_WINDOW, now.window,
                key=_key("window", form),
            )  # fmt: skip
            st.form_submit_button(
                "Apply and find again", key="apply-settings", icon=":material/sync:", on_click=_apply,
                args=(context, now, form),
            )  # fmt: skip
        _as_file(context, chosen, tool)


def _key(what: str, form: str) -> str:
    """Of a widget; a form of other settings has others, so it shows what is kept now."""
    return f"annotate_{what}-{form}"


def _apply(context: Context, now: AnnotateSettings, form: str) -> None:
    """Callback: what the form says."""
    said = {what: st.session_state[_key(what, form)] for what in FORM}
    language = said["languages"]
    before = now.languages if len(now.languages) > 1 and not language else ()
    take(
        context,
        replace(
            now, languages=(language,) if language else before, ambiguous=said["ambiguous"],
            negated="leave-out" if said["negated"] else "keep",
            uncertain="leave-out" if said["uncertain"] else "keep",
            without_terms="nothing" if said["without"] else "not-annotated",
            leave_out_sections=tuple(said["sections"]), window=int(said["window"]),
        ),
    )  # fmt: skip


@intake.guarded
def take(context: Context, settings: AnnotateSettings) -> None:
    """Callback: use these settings, and keep them beside the study where it may be changed."""
    folder = context.entry.path
    work.choose(folder, settings)
    if permission.may_change(context.entry):
        write_annotate_toml(folder, settings)
        intake.say("good", f"Saved in {TOML} beside the study.")


def _as_file(context: Context, chosen: Chosen, tool: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        download.file(
            f"Save {TOML}", annotate_text(chosen.settings), TOML, "application/toml", key="save-annotate"
        )
        kept = (
            f"These settings are those of {TOML} beside the study, or the usual ones."
            if chosen.kept
            else f"These settings hold until the page is closed. Save {TOML} and put it beside the study."
        )
        st.caption(kept)
    st.caption("The same by command:")
    st.code(work.command(context.entry.path, tool, f"--annotate {TOML}"), language=None, wrap_lines=True)
