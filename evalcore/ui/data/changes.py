"""What the forms of the systems tab do to the study. All but the forms at the end are callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from evalcore.study import looks
from evalcore.study.workspace import workspace
from evalcore.ui.data import intake, keys, permission
from evalcore.ui.frame import choices, state
from evalcore.values.arrays import digest_of
from evalcore.values.markdown import md_escape
from evalcore.values.system_styles import PALETTE

if TYPE_CHECKING:
    from evalcore.ui.frame.context import Context
    from evalcore.values.system_styles import SystemLook


@intake.guarded
def save(context: Context, system: str, form: str, colours: tuple[str, ...], symbol: str) -> None:
    """Callback: name, place, colour, marker (``symbol`` so far) and notes of one system, as the form says."""
    study = context.study
    look, name = study.looks[system], str(state.get(f"{keys.NAMED}-{form}") or "").strip()
    shown = looks.of_study(study)
    said: dict[str, dict[str, Any]] = {one: {} for one in study.systems}
    said[system] = {"title": name or None, "notes": str(state.get(f"{keys.NOTES}-{form}") or "")}
    marker = str(state.get(f"{keys.MARKER}-{form}"))
    if marker != symbol:
        said[system]["marker"] = marker
    colour = _colour(form, colours, shown[system])
    if colour != shown[system].colour:
        # Who chooses one colour wants the others to stay: here, and at a colleague's too.
        for one in study.systems:
            said[one]["colour"] = colour if one == system else shown[one].colour
    place = int(state.get(f"{keys.PLACE}-{form}"))
    order = [one for one in study.systems if one != system]
    order.insert(place - 1, system)
    if tuple(order) != study.systems:
        for number, one in enumerate(order, start=1):
            said[one]["order"] = number
    said = {one: values for one, values in said.items() if values}
    folder = context.entry.path
    report = workspace.describe(folder, said, in_place=permission.given(folder))
    choices.rename(system, name or look.key)
    intake.say("good", f"**{md_escape(name or look.key)}** is saved.", report)


def _colour(form: str, colours: tuple[str, ...], shown: SystemLook) -> str | int | None:
    """The colour of the form: one of the program's own by its number, else the one that was picked."""
    chosen = str(state.get(f"{keys.COLOUR}-{form}"))
    if chosen not in colours:
        return str(state.get(f"{keys.OWN_COLOUR}-{form}"))
    number = colours.index(chosen) + 1
    same = isinstance(shown.colour, int) and (shown.colour - number) % PALETTE == 0
    return shown.colour if same else number


@intake.guarded
def remove(context: Context, system: str) -> None:
    """Callback: take a system out of the study."""
    folder = context.entry.path
    removed = workspace.remove_system(folder, system, in_place=permission.given(folder))
    intake.say("good", f"**{md_escape(removed.name)}** is removed. It can be restored here for a day.")


@intake.guarded
def bring_back(removed: workspace.Removed) -> None:
    """Callback: undo a removal."""
    intake.say("good", f"**{md_escape(workspace.bring_back(removed))}** is restored.")


@intake.guarded
def describe(context: Context, form: str) -> None:
    """Callback: name and description of the study."""
    name, text = (str(state.get(f"{key}-{form}") or "").strip() for key in (keys.STUDY_NAME, keys.ABOUT))
    folder = context.entry.path
    report = workspace.say(folder, name=name, description=text, in_place=permission.given(folder))
    intake.say("good", "Name and description are saved.", report)


# ------------------------------------------------------------------------------- forms


def undo(context: Context, may: bool) -> None:
    """The systems that were removed within a day."""
    removed = workspace.removals(context.entry.path)
    if not removed:
        return
    st.header("Removed", anchor=False)
    for one in removed:
        st.button(
            f"Bring back {md_escape(one.name, limit=40)}", key=f"undo-{one.aside.name}",
            icon=":material/undo:", on_click=bring_back, args=(one,), disabled=not may,
        )  # fmt: skip


def about(context: Context, may: bool) -> None:
    """Name and description of the study."""
    study = context.study
    form = digest_of([study.name, study.description, str(context.entry.path)])[:12]
    st.header("This study", anchor=False)
    with st.form("about-study", border=True):
        st.text_input(
            "Name", study.name, key=f"{keys.STUDY_NAME}-{form}", max_chars=200, disabled=not may,
            help="Shown on top of the overview. The folder, and so the address, keeps its name.",
        )  # fmt: skip
        st.text_area(
            "Description", study.description, key=f"{keys.ABOUT}-{form}", max_chars=4_000, height=110,
            disabled=not may,
        )  # fmt: skip
        st.form_submit_button(
            "Save", icon=":material/save:", key="save-study", disabled=not may, on_click=describe,
            args=(context, form),
        )  # fmt: skip
