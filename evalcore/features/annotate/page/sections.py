"""The tab “Find concepts” of the Data page: from captions to concepts, each step to be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.annotate.page import captions, compared, keys, options, review, use, work
from evalcore.features.annotate.tools import TOOLS
from evalcore.features.annotate.tools_read import environments
from evalcore.figures.numbers import count, things
from evalcore.ui.components import messages, select
from evalcore.ui.data import keys as data
from evalcore.ui.frame import state
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from evalcore.features.annotate.values import Annotation
    from evalcore.ui.frame.context import Context


def section(context: Context) -> None:
    """Ask, find, look, review, use."""
    study = context.study
    texts = study.captions.count if study.captions else 0
    if not texts:
        messages.empty(
            "Concepts from captions.", "This study has no captions to read.", label="Add captions",
            key="no-captions",
        )  # fmt: skip
        return
    st.markdown(
        f"Find the concepts that the {things(texts, 'caption')} name, look at what was found, and use them "
        "as the concepts of this study. The captions stay on this computer."
    )
    if study.concepts.annotated.any() and not study.systems:
        messages.empty(
            "Next: systems to compare.", "This study has concepts and no systems yet.",
            label="Make first systems", key="next-systems", params={state.TAB: data.SYSTEMS},
        )  # fmt: skip
    tool = select.segments(
        "Find them with", list(TOOLS), keep=keys.TOOL, shown=lambda key: TOOLS[key].title
    )  # fmt: skip
    chosen = work.chosen(context)
    if chosen.report.problems:
        messages.problems(chosen.report, key="annotate-toml")
    why_not = work.ready(tool, study)
    if why_not:
        _cannot(tool, why_not)
        return
    if not work.begun(context):
        _ask(context, tool)
        return
    made = work.found(context, tool, chosen.settings)
    options.section(context, chosen, tool)
    if made is None:
        return
    _headline(made)
    captions.section(context, made)
    review.section(context, chosen, made)
    compared.section(context, made)
    use.section(context, made)


def _ask(context: Context, tool: str) -> None:
    study = context.study
    about = TOOLS[tool].about
    n = len(study.names)
    names = f" The study names {things(n, 'concept')}." if tool == "dictionary" and n else ""
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="annotate-ask"):
        st.markdown(f"**{TOOLS[tool].title}** :gray[{about}{names}]", width="stretch")
        st.button(
            "Find concepts in the captions", key="annotate-find", icon=":material/search:", type="primary",
            on_click=work.begin, args=(context.entry.path,),
        )  # fmt: skip


def _cannot(tool: str, why: str) -> None:
    with st.container(border=True, key="annotate-cannot"):
        st.markdown(f"**{TOOLS[tool].title} cannot be asked yet.** {md_escape(why, limit=600)}")
        if tool in environments.TOOLS:
            st.caption("Run this once, in a terminal on the computer this program runs on:")
            made = environments.environment(tool).ready
            st.code(f"python -m evalcore tools{'' if made else f' --make {tool}'}", language=None)
        if TOOLS[tool].needs_names:
            st.caption(
                "Add a table cui,name (several rows for synonyms), MRCONSO.RRF or an ontology with names."
            )
            messages.go_to("data", label="Add names or an ontology", params=messages.UPLOAD)


def _headline(made: Annotation) -> None:
    """What came of it, in numbers."""
    concepts = [one.concepts for one in made.captions]
    some, nothing = sum(bool(one) for one in concepts), sum(one == () for one in concepts)
    different = len({concept for one in concepts for concept in one or ()})
    st.markdown(
        f"#### {count(some)} of {things(len(concepts), 'image')} get {things(different, 'different concept')}"
    )
    left = "; ".join(f"{count(n)} {_reason(why)}" for why, n in made.left_out.items())
    st.caption(
        f"{things(made.n_matches, 'term')} found{f', left out: {left}' if left else ''}. "
        f"{things(nothing, 'image')} with denied terms only: annotated with nothing. "
        f"{things(sum(one is None for one in concepts), 'image')} without any known term: not annotated."
        + (
            f" Looked for {things(made.names.n_names, 'name')} of "
            f"{things(len(made.names.concepts), 'concept')}."
            if made.names.n_names
            else ""
        )
    )


def _reason(why: str) -> str:
    named = {"negated": "denied", "uncertain": "in doubt", "ambiguous": "with several meanings"}
    return named.get(why, f"under “{md_escape(why.removeprefix('section: '), limit=40)}”")
