"""What readers say of links and labels where these stand: stored, taken back, and counted in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.features.review.judgments import current
from evalcore.features.review.read import store
from evalcore.features.review.read.identity import study_id
from evalcore.features.review.read.together import judgments_of
from evalcore.figures.numbers import count, listed
from evalcore.figures.words import upper_first
from evalcore.ui.frame import state
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from evalcore.features.review.judgments import Judgment
    from evalcore.features.review.verdicts import Votes
    from evalcore.ui.frame.context import Context

    Made = Callable[..., Judgment]
    """A judgment, of ``reader``, ``id`` and ``at``."""

_FAILED = "_verdict_failed"


def said_in(context: Context) -> tuple[Judgment, ...]:
    """Everything said in the study that counts; nothing, and why, where it cannot be read."""
    try:
        return current(judgments_of(context.entry.path))
    except CuiscopeError as error:
        st.warning(md_escape(str(error), limit=600), icon=":material/rate_review:")
        return ()


def of_reader(said: Iterable[Judgment], reader: str, kind: str) -> dict[tuple[str, str, str], Judgment]:
    """{(link or image, parent or label, criterion): what the reader last said of it}."""
    return {
        (one.query, one.result, one.criterion): one
        for one in said
        if one.kind == kind and one.reader == reader and not one.adjudicated
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
        act(study_id(folder))
    except CuiscopeError as error:
        state.set_plain(_FAILED, str(error))


def failure() -> None:
    """Why the last verdict could not be stored."""
    if why := state.get(_FAILED):
        st.error(f"Not saved. {md_escape(str(why), limit=400)}", icon=":material/error:")


def in_words(votes: Votes | None, right: str, wrong: str, *, readers: bool = False) -> str:
    """`Makes sense: 2 · does not: 1 · cannot say: 1`; with the codes of the readers where asked for."""
    if votes is None:
        return "No votes yet."
    counts = [(right, votes.right), (wrong, votes.wrong)]
    counts += [("cannot say", votes.cannot_say)] if votes.cannot_say else []
    said = " · ".join(f"{word}: **{count(n)}**" for word, n in counts)
    who = f" ({listed([md_escape(one) for one in votes.readers], limit=8)})" if readers else ""
    return f"{upper_first(said)}{who}"


def choice(label: str, *, chosen: bool, key: str, icon: str, folder: Path, reader: str, made: Made) -> None:
    """A button with one of the answers; the one that was given is filled and says so to a screen reader."""
    st.button(
        f"{label} ✓" if chosen else label, key=key, icon=icon, type="primary" if chosen else "secondary",
        help="Your answer. Select another one to change it." if chosen else None,
        on_click=save, args=(folder, reader, made),
    )  # fmt: skip


def back(folder: Path, judgment: Judgment, *, key: str) -> None:
    """The button that takes an answer back."""
    st.button(
        "Withdraw", key=key, icon=":material/undo:", type="tertiary", on_click=withdraw,
        args=(folder, judgment),
    )  # fmt: skip
