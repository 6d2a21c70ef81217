"""Finding a concept by name or id, and putting one into a picker from elsewhere."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from evalcore.figures.numbers import things
from evalcore.study.naming import is_known
from evalcore.ui.concepts import keys
from evalcore.ui.concepts.vocabulary import matches, used
from evalcore.ui.frame import state
from evalcore.values.concept_scheme import UMLS
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from evalcore.study.concept_search import FoundConcept
    from evalcore.ui.frame.state import Key
    from evalcore.values.model import Study


def pick(study: Study, label: str, key: Key, default: str) -> str:
    """A concept by name or id: a text to search with, and its best matches to select from; "" for none.

    An address may hold a name instead of an id: its best match is meant.
    """
    cui = str(state.carry(key, default, partial(_meant, study)))
    text_key = f"{key}_text"
    what = "CUI" if study.scheme == UMLS else "concept id"
    typed = st.text_input(
        f"{label}: name or {what}", key=text_key, icon=":material/search:", max_chars=200,
        placeholder=f"Type a concept, for example {_example(study)}",
        on_change=_searched, args=(study, key, text_key),
    )  # fmt: skip
    text = str(typed or "").strip()
    found = {one.cui: one for one in matches(study, text)} if text else {}
    options = list(dict.fromkeys([*found, *([cui] if cui else [])]))
    st.selectbox(
        f"{label}: {'best matches' if found else 'selected'}", options, key=state.seed(key, cui or None),
        format_func=partial(_shown, study, found), on_change=_chosen, args=(key,),
        placeholder="Nothing selected yet", label_visibility="collapsed",
    )  # fmt: skip
    if text and not found:
        unknown = f"No concept is called “{md_escape(text, limit=60)}” or anything similar."
        st.caption(f":orange[{unknown}] Try another name.")
    return cui


def _example(study: Study) -> str:
    """A concept somebody could look for; of the study's own where its concepts are no CUIs."""
    own = next(iter(study.concepts.vocabulary), "")
    return "pneumonia" if study.scheme == UMLS or not own else plain(study.name_of(own), limit=40)


def put(key: Key, cui: str) -> None:
    """Callback: put a concept into a picker; what was typed there is out of date."""
    st.session_state[f"{key}_text"] = ""
    state.set_value(key, cui)


def open_path(start: str, end: str) -> None:
    """Callback: show how two concepts are connected."""
    put(keys.FROM, start)
    put(keys.TO, end)
    state.set_value(keys.VIEW, keys.PATH)


def _meant(study: Study, asked: list[str]) -> str | None:
    if is_known(study, asked[-1]):
        return asked[-1]
    found = matches(study, asked[-1])
    return found[0].cui if found else None


def _searched(study: Study, key: Key, text_key: str) -> None:
    """Callback: what the text means becomes the choice; nothing changes when it means nothing."""
    found = matches(study, str(st.session_state[text_key]).strip())
    if found:
        state.set_value(key, found[0].cui)


def _chosen(key: Key) -> None:
    if st.session_state[key]:
        state.take_widget(key)


def _shown(study: Study, found: dict[str, FoundConcept], cui: str) -> str:
    """`Lung · C0024109 · 24 images`, and under which other name it was found."""
    name, images, one = study.names.get(cui), used(study).get(cui, 0), found.get(cui)
    parts = [plain(name, limit=60), plain(cui)] if name else [plain(cui)]
    if one and one.name and one.name != one.preferred:
        parts.append(f"“{plain(one.name, limit=40)}”")
    parts.append(things(images, "image") if images else "in no image")
    if study.graph is not None and not study.in_graph(cui):
        parts.append("not in the terminology")
    return " · ".join(parts)
