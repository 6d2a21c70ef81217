"""The page Robustness: its tabs, and the parts of each."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from evalcore.ui.components import select
from evalcore.ui.frame import state
from evalcore.ui.frame.context import Context
from evalcore.ui.robustness import measures, paper, people, settings, work

TITLES = {"settings": "Settings", "measures": "Measures", "paper": "As in the paper"}
"""The tabs, by their names in the address."""
PART, PAPER = state.Key("view"), state.Key("paper")
PARTS: dict[str, tuple[str, Callable[..., None]]] = {
    "ranking": ("Ranking of systems", measures.ranking),
    "agreement": ("Do they agree?", measures.agree),
    "power": ("Ability to tell systems apart", measures.power),
    "ratings": ("Versus physicians’ ratings", people.ratings),
    "judgments": ("Versus judgments", people.judgments),
    "definitions": ("Definitions", measures.definitions),
}
OF_PAPER: dict[str, tuple[str, Callable[..., None]]] = {
    "table1": ("Measures used for searching (Table 1)", paper.table_one),
    "curves": ("Searching by concepts (Figures 2 and 3)", paper.curves),
    "readings": ("Interpretations of the formula", paper.readings),
}
"""The parts of two tabs, by their names in the address: what each is called, and what draws it."""
WITHOUT_MEASURES = ("curves", "readings", "ratings", "judgments")
"""Parts that do not depend on the measures compared."""


def show(context: Context) -> None:
    """The tabs, that which can answer the question first."""
    tabs = {"settings": settings.section, "measures": _measures, "paper": _paper}
    if not settings.can_vary(context.study):
        tabs = {name: tabs[name] for name in ("measures", "settings", "paper")}
    select.parts(tabs, context, shown=TITLES.__getitem__)


def _measures(context: Context) -> None:
    """Whether the winner depends on the measure, and what each measure is."""
    names = [name for name in PARTS if name != "judgments" or context.study.qrels]
    if not work.systems(context):
        names.sort(key=lambda name: name != "agreement")
    _draw(context, {name: PARTS[name] for name in names}, param=PART)


def _paper(context: Context) -> None:
    _draw(context, OF_PAPER, param=PAPER)


def _draw(context: Context, parts: dict[str, tuple[str, Callable[..., None]]], *, param: state.Key) -> None:
    """One of the parts of a tab; at Simple the measures it is about are chosen below its answer."""
    titles = {name: title for name, (title, _) in parts.items()}
    chosen = select.segments("Part", titles, param=param, label_visibility="collapsed")
    answer = st.container() if context.choice.plain else None
    compared = {} if chosen in WITHOUT_MEASURES else work.measures(context)
    with answer or st.container():
        parts[chosen][1](context, compared)
