"""What became of an upload or another change: said above the page when it is drawn again.

A page keeps it under a key of its own (``kept``); its callbacks are ``@outcome.guarded(kept)`` and `say` what
came of them, and the page calls `show` where that stands.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Literal, ParamSpec

import streamlit as st

from evalcore.ui.components import messages
from evalcore.ui.frame import state
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcore.values.problems import Report

    P = ParamSpec("P")

Kind = Literal["good", "mixed", "bad"]


def say(kept: str, kind: Kind, sentence: str, report: Report | None = None) -> None:
    """Callback: the sentence, Markdown, and the problems of a report that has some."""
    state.set_plain(kept, (kind, sentence, report if report is not None and report.problems else None))


def guarded(kept: str) -> Callable[[Callable[P, object]], Callable[P, None]]:
    """A callback whose errors that the user can mend become a message; nothing loaded is lost by them."""

    def of(act: Callable[P, object]) -> Callable[P, None]:
        @wraps(act)
        def guarded_act(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                act(*args, **kwargs)
            except CuiscopeError as error:
                say(kept, "bad", md_escape(str(error)), error.report)
            except OSError as error:
                say(kept, "bad", f"That did not work: {md_escape(error.strerror or str(error))}.")

        return guarded_act

    return of


def refused(report: Report) -> bool:
    """Whether an upload was not kept, because nothing in it could be used."""
    return any(rule == "not-kept" for _, _, rule in report.counts)


def show(kept: str) -> None:
    """The last outcome, with its problems; gone when the reader comes back from another page."""
    if state.arrived():
        state.drop(kept)
    result = state.get(kept)
    if result is None:
        return
    kind, sentence, report = result
    {"good": st.success, "bad": st.error, "mixed": st.warning}[kind](sentence)
    if report is not None:
        messages.problems(report, key=kept)
