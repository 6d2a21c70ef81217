"""What readers say of links and labels where these stand: stored, taken back, and counted in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

import streamlit as st

from evalcore.features.review import verdicts
from evalcore.features.review.judgments import Judgment, current
from evalcore.features.review.page import who
from evalcore.features.review.read import store
from evalcore.features.review.read.store import study_id
from evalcore.features.review.read.together import judgments_of
from evalcore.graph import ConceptGraph, Step
from evalcore.graph.links import are_linked
from evalcore.ui.components import messages
from evalcore.ui.components.vocabulary import EFFECT, OFF, VIEW, matches
from evalcore.ui.frame import state, studies
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.verdicts import Verdicts
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape, plain
from evalcore.values.model import Study
from evalcore.values.writing import count, listed, pluralize, upper_first

Made = Callable[..., Judgment]
"""A judgment, of ``reader``, ``id`` and ``at``."""

_FAILED = "_verdict_failed"


def said_in(context: Context) -> tuple[Judgment, ...]:
    """Everything said in the study that counts; nothing, and why, where it cannot be read."""
    try:
        return current(who.as_seen(context.entry, judgments_of(context.entry.path)))
    except CuiscopeError as error:
        st.warning(md_escape(str(error), limit=600), icon=":material/rate_review:")
        return ()


def of_reader(judgments: Iterable[Judgment], reader: str, kind: str) -> dict[tuple[str, str, str], Judgment]:
    """{(link or image, parent or label, criterion): what the reader last said of it}."""
    return {
        (judgment.query, judgment.result, judgment.criterion): judgment
        for judgment in judgments
        if judgment.kind == kind and judgment.reader == reader and not judgment.adjudicated
    }


def save(folder: Path, reader: str, made: Made) -> None:
    """Callback: store a judgment; `failure` says so when that cannot be."""
    _try(folder, lambda study: store.add(study, made(reader=reader, id=store.new_id(), at=datetime.now(UTC))))


def withdraw(folder: Path, judgment: Judgment) -> None:
    """Callback: take a judgment back, by adding one that says so."""
    _try(folder, lambda study: store.undo(study, judgment))


def _try(folder: Path, act: Callable[[str], object]) -> None:
    state.set_plain(_FAILED, "")
    try:
        studies.check_open(folder)
        act(study_id(folder))
    except CuiscopeError as error:
        state.set_plain(_FAILED, str(error))


def failure() -> None:
    """Why the last verdict could not be stored."""
    if why := state.get(_FAILED):
        st.error(f"Not saved. {md_escape(str(why), limit=400)}", icon=":material/error:")


def in_words(votes: verdicts.Votes | None, right: str, wrong: str, *, readers: bool = False) -> str:
    """`Makes sense: 2 · does not: 1 · cannot say: 1`; with the codes of the readers where asked for."""
    if votes is None:
        return "No votes yet."
    counts = [(right, votes.right), (wrong, votes.wrong)]
    counts += [("cannot say", votes.cannot_say)] if votes.cannot_say else []
    said = " · ".join(f"{word}: **{count(n)}**" for word, n in counts)
    who = f" ({listed([md_escape(reader) for reader in votes.readers], limit=8)})" if readers else ""
    return f"{upper_first(said)}{who}"


def choice(label: str, *, chosen: bool, key: str, icon: str, folder: Path, reader: str, made: Made) -> None:
    """A button with one of the answers; the one that was given is filled and says so to a screen reader."""
    st.button(
        f"{label} ✓" if chosen else label,
        key=key,
        icon=icon,
        type="primary" if chosen else "secondary",
        help="Your answer. Select another one to change it." if chosen else None,
        on_click=save,
        args=(folder, reader, made),
    )


def back(folder: Path, judgment: Judgment, *, key: str) -> None:
    """The button that takes an answer back."""
    st.button(
        "Withdraw",
        key=key,
        icon=":material/undo:",
        type="tertiary",
        on_click=withdraw,
        args=(folder, judgment),
    )


# Are the labels of an image right, and is one missing? Judged where the image stands.

ANSWERS_LABELS: tuple[tuple[str, Literal["right", "wrong"], str], ...] = (
    ("Right", "right", ":material/check_circle:"),
    ("Wrong", "wrong", ":material/cancel:"),
)
_OPEN = "_labels_of"
"""The image whose labels are being judged."""


def labels_section(context: Context, image: int, *, said: Sequence[Judgment], key: str) -> None:
    """What readers found, and the list to judge the labels by, where it was asked for."""
    study, name = context.study, context.study.image_ids[image]
    counted = {of[1:]: votes for of, votes in verdicts.label_votes(said).items() if of[0] == name}
    _summary(study, name, counted)
    reader = who.voter()
    if not reader:
        return
    shown = state.get(_OPEN) == name
    st.button(
        "Done" if shown else "Judge these labels",
        key=f"{key}-judge",
        icon=":material/check:" if shown else ":material/fact_check:",
        on_click=state.set_plain,
        args=(_OPEN, "" if shown else name),
    )
    if shown:
        mine = {of[1:]: one for of, one in of_reader(said, reader, "label").items() if of[0] == name}
        with st.container(border=True, key=f"{key}-labels", gap="xsmall"):
            own = {*study.concepts.of_image(image), *study.left_out.get(name, ())}
            for cui in sorted(own, key=study.name_of):
                _label(context, name, cui, mine.get((cui, "")), counted.get((cui, "")), reader, key)
            for cui in sorted(cui for cui, asked in counted if asked == verdicts.MISSING):
                _missing(
                    context,
                    name,
                    cui,
                    mine.get((cui, verdicts.MISSING)),
                    counted[cui, verdicts.MISSING],
                    reader,
                    key,
                )
            _add(context, name, image, reader, key)


def _summary(study: Study, image: str, counted: Mapping[tuple[str, str], verdicts.Votes]) -> None:
    """`Judged wrong: Mass (2). It still counts ... Judged missing: Nodule (1).`, and what is left out."""
    wrong = {cui: one.wrong for (cui, asked), one in counted.items() if not asked and one.wrong}
    absent = {
        cui: one.right for (cui, asked), one in counted.items() if asked == verdicts.MISSING and one.right
    }
    parts = [
        f"{word}: {listed([f'**{md_escape(study.name_of(cui), limit=60)}** ({count(n)})' for cui, n in of])}."
        for word, found in (("Judged wrong", wrong), ("Judged missing", absent))
        if (of := sorted(found.items(), key=lambda one: study.name_of(one[0])))
    ]
    agreed = [
        cui
        for (cui, asked), one in counted.items()
        if not asked and one.verdict == "wrong" and verdicts.carries(study, image, cui)
    ]
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
    context: Context,
    image: str,
    cui: str,
    mine: Judgment | None,
    counted: verdicts.Votes | None,
    reader: str,
    key: str,
) -> None:
    folder = context.entry.path
    gone = " :gray[is left out of every score]" if cui in context.study.left_out.get(image, ()) else ""
    st.markdown(f"**{md_escape(context.study.name_of(cui), limit=80)}**{gone}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for label, says, icon in ANSWERS_LABELS:
            choice(
                label,
                chosen=mine is not None and mine.value == float(says == "right"),
                key=f"{key}-{label}-{cui}",
                icon=icon,
                folder=folder,
                reader=reader,
                made=partial(verdicts.label_judgment, image, cui, says),
            )
        if mine is not None:
            back(folder, mine, key=f"{key}-back-{cui}")
        if counted is not None:
            st.caption(in_words(counted, "right", "wrong", readers=not context.choice.plain))


def _missing(
    context: Context,
    image: str,
    cui: str,
    mine: Judgment | None,
    counted: verdicts.Votes,
    reader: str,
    key: str,
) -> None:
    """A label that somebody misses: others can agree, whoever said so can take it back."""
    st.markdown(f"**{md_escape(context.study.name_of(cui), limit=80)}** :gray[is missing]")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if mine is None:
            choice(
                "Missing",
                chosen=False,
                key=f"{key}-missing-{cui}",
                icon=":material/add_circle:",
                folder=context.entry.path,
                reader=reader,
                made=partial(verdicts.label_judgment, image, cui, "missing"),
            )
        else:
            back(context.entry.path, mine, key=f"{key}-found-{cui}")
        st.caption(in_words(counted, "missing", "not missing", readers=not context.choice.plain))


def _add(context: Context, name: str, image: int, reader: str, key: str) -> None:
    """A label that should be there: searched by name or CUI, and said to be missing."""
    text = st.text_input(
        "Is a label missing?",
        key=f"{key}-search",
        placeholder="Name or CUI",
        max_chars=200,
        icon=":material/search:",
    )
    has = context.study.concepts.of_image(image)
    result = (
        [match.cui for match in matches(context.study, text.strip()) if match.cui not in has] if text else []
    )
    if text.strip() and not result:
        st.caption("No other concept has this or a similar name.")
    if not result:
        return
    cui = st.selectbox(
        "Best matches",
        result,
        key=f"{key}-found",
        label_visibility="collapsed",
        format_func=lambda one: plain(f"{context.study.name_of(one)} · {one}", limit=120),
    )
    choice(
        "Missing",
        chosen=False,
        key=f"{key}-add",
        icon=":material/add_circle:",
        folder=context.entry.path,
        reader=reader,
        made=partial(verdicts.label_judgment, name, str(cui), "missing"),
    )


# Does a link of the terminology make sense? The question where a link stands, its votes, what follows.

WORDS = ("makes sense", "does not")
QUESTION = "Does this link make sense?"
ANSWERS_LINKS: tuple[tuple[str, bool | None, str], ...] = (
    ("Makes sense", True, ":material/thumb_up:"),
    ("Does not", False, ":material/thumb_down:"),
    ("Cannot say", None, ":material/question_mark:"),
)


def ask_links(context: Context, along: Sequence[Step], *, said: Sequence[Judgment], key: str) -> None:
    """The question about each link of a path, for a reader who has a code; for others only the votes."""
    reader, counted, expert = who.voter(), verdicts.link_votes(said), not context.choice.plain
    mine = of_reader(said, reader, "link")
    for step in along:
        child, parent = ends(step)
        if not reader and (child, parent) not in counted:
            continue
        with st.container(key=f"{key}-{child}-{parent}", gap="xsmall"):
            st.markdown(f"**{QUESTION}** {between(context.study, child, parent)}")
            if reader:
                with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                    _answers(context, child, parent, mine.get((child, parent, "")), reader, key)
            st.caption(in_words(counted.get((child, parent)), *WORDS, readers=expert))


def _answers(context: Context, child: str, parent: str, mine: Judgment | None, reader: str, key: str) -> None:
    folder = context.entry.path
    for label, sense, icon in ANSWERS_LINKS:
        chosen = mine is not None and mine.value == (None if sense is None else float(sense))
        choice(
            label,
            chosen=chosen,
            key=f"{key}-say-{label}-{child}-{parent}",
            icon=icon,
            folder=folder,
            reader=reader,
            made=partial(verdicts.link_judgment, child, parent, sense),
        )
    if mine is not None:
        back(folder, mine, key=f"{key}-back-{child}-{parent}")


def ends(step: Step) -> tuple[str, str]:
    """(child, parent) of a step."""
    return (step.start, step.end) if step.direction == "up" else (step.end, step.start)


def between(study: Study, child: str, parent: str) -> str:
    """`Nodule, a kind of Mass`: the two ends of a link, in Markdown."""
    a, b = (md_escape(study.name_of(cui), limit=60) for cui in (child, parent))
    return f"**{a}** is listed under **{b}** (a kind of **{b}**)."


def senseless(judgments: Iterable[Judgment], graph: ConceptGraph) -> list[str]:
    """The links judged senseless that the graph has, as the address names them."""
    return [
        f"{child}-{parent}"
        for child, parent in sorted(verdicts.senseless_links(judgments))
        if are_linked(graph, child, parent)
    ]


def leave_out(context: Context, judgments: Sequence[Judgment]) -> None:
    """The way to the study without the links rejected by readers, where there are any."""
    if context.study.graph is None or not (links := senseless(judgments, context.study.graph)):
        return
    which = "this link" if len(links) == 1 else f"these {pluralize(len(links), 'link')}"
    messages.go_to(
        "concepts",
        label=f"Leave out {which} rejected by readers and see the scores",
        icon=":material/link_off:",
        params={VIEW: EFFECT, OFF: links},
    )


class ReaderVerdicts(Verdicts):
    """Verdicts of readers, stored under their codes."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.said = said_in(context)

    def invite(self) -> None:
        who.invite()
        failure()

    def labels(self, image: int, *, key: str) -> None:
        labels_section(self.context, image, said=self.said, key=key)

    def links(self, along: Sequence[Step], *, key: str) -> None:
        ask_links(self.context, along, said=self.said, key=key)

    def leave_out(self) -> None:
        leave_out(self.context, self.said)

    def senseless(self, graph: ConceptGraph) -> list[str]:
        return senseless(self.said, graph)
