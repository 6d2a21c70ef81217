"""First systems for a study, made here out of its own images and captions, in the background."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from evalcore.features.encode.baselines import BASELINES
from evalcore.features.encode.encoding import encodable, make_systems
from evalcore.ui.components import intake
from evalcore.ui.components.messages import Kind
from evalcore.ui.frame import jobs, pages, state, studies
from evalcore.ui.frame.context import Context
from evalcore.values.writing import listed, md_escape

TITLE = "Make first systems from the images and captions"


def section(context: Context, may: bool) -> None:
    """What can be made, the button, and how far it is; ``may``: the study may be changed."""
    reads = encodable(context.study)
    st.header(TITLE, anchor="first-systems")
    if not reads:
        st.info(
            "This study has neither pictures nor captions. Add one of them under “New study” to make "
            "first systems here.",
            icon=":material/image:",
        )
        return
    names = [name for name, baseline in BASELINES.items() if baseline.what in reads]
    st.markdown(
        "The program can make simple search systems by itself. They compare brightness, texture and shape, "
        "or the words of the captions, and do not understand the image. Any useful system should beat them. "
        "Annotations are not needed."
    )
    titles = listed([BASELINES[name].title for name in names], limit=len(names))
    st.caption(f"{titles}. Systems with these names are updated.")
    key = f"encode {context.entry.path}"
    begun = state.get(pages.ENCODING) == key
    st.button(
        "Make these systems",
        key="make-systems",
        icon=":material/auto_awesome:",
        type="primary" if may else "secondary",
        disabled=not may or (begun and jobs.began(key)),
        on_click=_ask,
        args=(key,),
    )
    if begun:
        _work(context, key, names)


def _ask(key: str) -> None:
    """Callback: begin the job of this key, anew where it was stopped before."""
    jobs.forget(key)
    state.set_plain(pages.ENCODING, key)


def _work(context: Context, key: str, names: Sequence[str]) -> None:
    """The job; when it is over, its outcome is shown above the page and the study is read again."""
    folder = context.entry.path
    encoders, may = [BASELINES[name] for name in names], studies.is_allowed(folder)
    result = jobs.run(
        key,
        lambda progress: make_systems(context.study, folder, encoders, in_place=may, progress=progress),
        label="Making systems",
    )
    if result is None:
        return
    state.drop(pages.ENCODING)
    jobs.forget(key)
    made, report = result
    bold = listed([f"**{md_escape(encoded.system)}**" for encoded in made], limit=len(BASELINES))
    done = f"Made {bold}. They are systems of this study now." if made else "No system was made."
    kind: Kind = "bad" if not made else "mixed" if report.problems else "good"
    intake.announce(kind, done, report)
    state.show_again()
    st.rerun()
