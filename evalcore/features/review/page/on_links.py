"""Does a link of the terminology make sense? The question where a link stands, its votes, what follows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.review.page import votes, who
from evalcore.features.review.verdicts import link_judgment, link_votes, senseless_links
from evalcore.figures.numbers import things
from evalcore.graph.links import are_linked
from evalcore.ui.components import messages
from evalcore.ui.concepts.keys import EFFECT, OFF, VIEW
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.features.review.judgments import Judgment
    from evalcore.graph import ConceptGraph, Step
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study

WORDS = ("makes sense", "does not")
QUESTION = "Does this link make sense?"
ANSWERS: tuple[tuple[str, bool | None, str], ...] = (
    ("Makes sense", True, ":material/thumb_up:"), ("Does not", False, ":material/thumb_down:"),
    ("Cannot say", None, ":material/question_mark:"),
)  # fmt: skip


def ask(context: Context, along: Sequence[Step], *, said: Sequence[Judgment], key: str) -> None:
    """The question about each link of a path, for a reader who has a code; for others only the votes."""
    reader, counted, expert = who.reader(), link_votes(said), not context.choice.plain
    mine = votes.of_reader(said, reader, "link")
    for step in along:
        child, parent = ends(step)
        if not reader and (child, parent) not in counted:
            continue
        with st.container(key=f"{key}-{child}-{parent}", gap="xsmall"):
            st.markdown(f"**{QUESTION}** {between(context.study, child, parent)}")
            if reader:
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    _answers(context, child, parent, mine.get((child, parent, "")), reader, key)
            st.caption(votes.in_words(counted.get((child, parent)), *WORDS, readers=expert))


def _answers(context: Context, child: str, parent: str, mine: Judgment | None, reader: str, key: str) -> None:
    folder = context.entry.path
    for label, sense, icon in ANSWERS:
        chosen = mine is not None and mine.value == (None if sense is None else float(sense))
        votes.choice(
            label, chosen=chosen, key=f"{key}-say-{label}-{child}-{parent}", icon=icon, folder=folder,
            reader=reader, made=partial(link_judgment, child, parent, sense),
        )  # fmt: skip
    if mine is not None:
        votes.back(folder, mine, key=f"{key}-back-{child}-{parent}")


def ends(step: Step) -> tuple[str, str]:
    """(child, parent) of a step."""
    return (step.start, step.end) if step.direction == "up" else (step.end, step.start)


def between(study: Study, child: str, parent: str) -> str:
    """`Nodule, a kind of Mass`: the two ends of a link, in Markdown."""
    a, b = (md_escape(study.name_of(cui), limit=60) for cui in (child, parent))
    return f"**{a}** is listed under **{b}** (a kind of **{b}**)."


def senseless(said: Iterable[Judgment], graph: ConceptGraph) -> list[str]:
    """The links judged senseless that the graph has, as the address names them."""
    return [f"{child}-{parent}" for child, parent in sorted(senseless_links(said))
            if are_linked(graph, child, parent)]  # fmt: skip


def leave_out(context: Context, said: Sequence[Judgment]) -> None:
    """The way to the study without the links judged senseless, where there are any."""
    if context.study.graph is None or not (links := senseless(said, context.study.graph)):
        return
    which = "this link" if len(links) == 1 else f"these {things(len(links), 'link')}"
    messages.go_to(
        "concepts", label=f"Leave {which} judged senseless out and see the scores",
        icon=":material/link_off:", params={VIEW: EFFECT, OFF: links},
    )  # fmt: skip
