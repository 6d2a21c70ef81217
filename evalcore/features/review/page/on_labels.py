"""Are the labels of an image right, and is one missing? Judged where the image stands."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import streamlit as st

from evalcore.features.review.page import votes, who
from evalcore.features.review.verdict_table import carries
from evalcore.features.review.verdicts import MISSING, label_judgment, label_votes
from evalcore.figures.numbers import count, listed
from evalcore.ui.concepts.vocabulary import matches
from evalcore.ui.frame import state
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.verdicts import Votes
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Study

ANSWERS: tuple[tuple[str, Literal["right", "wrong"], str], ...] = (
    ("Right", "right", ":material/check_circle:"), ("Wrong", "wrong", ":material/cancel:"),
)  # fmt: skip
_OPEN = "_labels_of"
"""The image whose labels are being judged."""


def section(context: Context, image: int, *, said: Sequence[Judgment], key: str) -> None:
    """What readers found, and the list to judge the labels by, where it was asked for."""
    study, name = context.study, context.study.image_ids[image]
    counted = {of[1:]: one for of, one in label_votes(said).items() if of[0] == name}
    _summary(study, name, counted)
    reader = who.reader()
    if not reader:
        return
    shown = state.get(_OPEN) == name
    st.button(
        "Done" if shown else "Judge these labels", key=f"{key}-judge",
        icon=":material/check:" if shown else ":material/fact_check:", on_click=state.set_plain,
        args=(_OPEN, "" if shown else name),
    )  # fmt: skip
    if shown:
        mine = {of[1:]: one for of, one in votes.of_reader(said, reader, "label").items() if of[0] == name}
        with st.container(border=True, key=f"{key}-labels", gap="xsmall"):
            own = {*study.concepts.of_image(image), *study.left_out.get(name, ())}
            for cui in sorted(own, key=study.name_of):
                _label(context, name, cui, mine.get((cui, "")), counted.get((cui, "")), reader, key)
            for cui in sorted(cui for cui, asked in counted if asked == MISSING):
                _missing(context, name, cui, mine.get((cui, MISSING)), counted[cui, MISSING], reader, key)
            _add(context, name, image, reader, key)


def _summary(study: Study, image: str, counted: Mapping[tuple[str, str], Votes]) -> None:
    """`Judged wrong: Mass (2). It still counts ... Judged missing: Nodule (1).`, and what is left out."""
    wrong = {cui: one.wrong for (cui, asked), one in counted.items() if not asked and one.wrong}
    absent = {cui: one.right for (cui, asked), one in counted.items() if asked == MISSING and one.right}
    parts = [
        f"{word}: {listed([f'**{md_escape(study.name_of(cui), limit=60)}** ({count(n)})' for cui, n in of])}."
        for word, found in (("Judged wrong", wrong), ("Judged missing", absent))
        if (of := sorted(found.items(), key=lambda one: study.name_of(one[0])))
    ]
    agreed = [
        cui for (cui, asked), one in counted.items()
        if not asked and one.verdict == "wrong" and carries(study, image, cui)
    ]  # fmt: skip
    if follows := _consequence(study, agreed):
        parts.insert(1, follows)
    if gone := study.left_out.get(image, ()):
        names = listed([f"**{md_escape(study.name_of(cui), limit=60)}**" for cui in gone])
        parts.append(f"Left out of every score: {names}.")
    if parts:
        st.caption(f":material/rate_review: {' '.join(parts)}")


def _consequence(study: Study, counting: Sequence[str]) -> str:
    """What follows for labels judged wrong that the image still carries, in a sentence; "" for none."""
    if not counting:
        return ""
    names = listed([f"**{md_escape(study.name_of(cui), limit=60)}**" for cui in counting])
    counts = "counts" if len(counting) == 1 else "count"
    return f"{names} still {counts} in every score until left out on the page Review."


def _label(
    context: Context, image: str, cui: str, mine: Judgment | None, counted: Votes | None, reader: str,
    key: str,
) -> None:  # fmt: skip
    folder = context.entry.path
    gone = " :gray[is left out of every score]" if cui in context.study.left_out.get(image, ()) else ""
    st.markdown(f"**{md_escape(context.study.name_of(cui), limit=80)}**{gone}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for label, says, icon in ANSWERS:
            votes.choice(
                label, chosen=mine is not None and mine.value == float(says == "right"),
                key=f"{key}-{label}-{cui}", icon=icon, folder=folder, reader=reader,
                made=partial(label_judgment, image, cui, says),
            )  # fmt: skip
        if mine is not None:
            votes.back(folder, mine, key=f"{key}-back-{cui}")
        if counted is not None:
            st.caption(votes.in_words(counted, "right", "wrong", readers=not context.choice.plain))


def _missing(
    context: Context, image: str, cui: str, mine: Judgment | None, counted: Votes, reader: str, key: str
) -> None:
    """A label that somebody misses: others can agree, whoever said so can take it back."""
    st.markdown(f"**{md_escape(context.study.name_of(cui), limit=80)}** :gray[is missing]")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if mine is None:
            votes.choice(
                "Missing", chosen=False, key=f"{key}-missing-{cui}", icon=":material/add_circle:",
                folder=context.entry.path, reader=reader, made=partial(label_judgment, image, cui, "missing"),
            )  # fmt: skip
        else:
            votes.back(context.entry.path, mine, key=f"{key}-found-{cui}")
        st.caption(votes.in_words(counted, "missing", "not missing", readers=not context.choice.plain))


def _add(context: Context, name: str, image: int, reader: str, key: str) -> None:
    """A label that should be there: searched by name or CUI, and said to be missing."""
    text = st.text_input(
        "Is a label missing?", key=f"{key}-search", placeholder="Name or CUI", max_chars=200,
        icon=":material/search:",
    )  # fmt: skip
    has = context.study.concepts.of_image(image)
    found = [one.cui for one in matches(context.study, text.strip()) if one.cui not in has] if text else []
    if text.strip() and not found:
        st.caption("No other concept has this or a similar name.")
    if not found:
        return
    cui = st.selectbox(
        "Best matches", found, key=f"{key}-found", label_visibility="collapsed",
        format_func=lambda one: plain(f"{context.study.name_of(one)} · {one}", limit=120),
    )  # fmt: skip
    votes.choice(
        "Missing", chosen=False, key=f"{key}-add", icon=":material/add_circle:", folder=context.entry.path,
        reader=reader, made=partial(label_judgment, name, str(cui), "missing"),
    )  # fmt: skip
