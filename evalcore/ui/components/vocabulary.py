"""The concepts of a study: how many images carry each, what people call them."""

from __future__ import annotations

from functools import partial

import streamlit as st

from evalcore.graph import distance
from evalcore.graph.search import Match
from evalcore.study import naming
from evalcore.study.naming import is_known
from evalcore.ui.frame import cache, state
from evalcore.ui.frame.state import Key
from evalcore.values.concept_scheme import UMLS
from evalcore.values.model import Study
from evalcore.values.writing import md_escape, plain, pluralize

MATCHES = 12
FREQUENT = 30
"""Concepts among which a first example is looked for."""


def used(study: Study) -> dict[str, int]:
    """{CUI: images that carry it}, to be read only."""
    key = ("images by concept", study.concepts.digest)
    return cache.cached(key, lambda: naming.images_by_concept(study))


def matches(study: Study, text: str) -> list[Match]:
    """The concepts that a text may mean, best first."""
    index = cache.cached(
        ("names of concepts", study.digest),
        lambda: naming.index_of(study),
        spinner="Reading the names of all concepts…",
    )
    return cache.cached(
        ("concepts called", study.digest, text),
        lambda: naming.search_concepts(study, text, limit=MATCHES, index=index),
    )


def example(study: Study) -> tuple[str, str]:
    """Two frequent concepts a few steps apart, to begin with; "" where the study has none in its graph."""

    def example() -> tuple[str, str]:
        graph, images = study.graph, used(study)
        assert graph is not None, "asked for studies with a graph only"
        by_images = sorted(images, key=lambda c: (-images[c], c))
        known = [c for c in by_images if graph.index(c) >= 0 and images[c]]
        for k, concept in enumerate(known[:FREQUENT]):
            for other in known[:k]:
                steps = distance(graph, other, concept)
                if steps is not None and 2 <= steps <= 4:
                    return other, concept
        return (known[0], known[-1]) if known else ("", "")

    return cache.cached(("example of concepts", study.digest), example)


def named(study: Study, cui: str, *, technical: bool = False) -> str:
    """A concept's name in bold, ready for Markdown; with its CUI in the technical reading."""
    name = study.names.get(cui)
    if name is None:
        return f"**{md_escape(cui)}**"
    return f"**{md_escape(name)}**" + (f" ({md_escape(cui)})" if technical else "")


# Which concepts and links the Concepts page is about.

FROM = Key("from", of_study=True)
TO = Key("to", of_study=True)
ROUTE = Key("route", of_study=True)
WITHIN = Key("within")

# What is folded on it.

NEAR, CHAINS, COVERED = Key("near"), Key("chains"), Key("covered")

# Finding a concept by name or id, and putting one into a picker from elsewhere.


def pick(study: Study, label: str, key: Key, default: str) -> str:
    """A concept by name or id: a text to search with, and its best matches to select from; "" for none.

    An address may hold a name instead of an id: its best match is meant.
    """
    cui = str(state.read_param(key, default, partial(_meant, study)))
    text_key = f"{key}_text"
    what = "CUI" if study.scheme == UMLS else "concept id"
    typed = st.text_input(
        f"{label}: name or {what}",
        key=text_key,
        icon=":material/search:",
        max_chars=200,
        placeholder=f"Type a concept, for example {_example(study)}",
        on_change=_searched,
        args=(study, key, text_key),
    )
    text = str(typed or "").strip()
    result = {match.cui: match for match in matches(study, text)} if text else {}
    options = list(dict.fromkeys([*result, *([cui] if cui else [])]))
    st.selectbox(
        f"{label}: {'best matches' if result else 'selected'}",
        options,
        key=state.bind_widget(key, cui or None),
        format_func=partial(_shown, study, result),
        on_change=_chosen,
        args=(key,),
        placeholder="Nothing selected yet",
        label_visibility="collapsed",
    )
    if text and not result:
        unknown = f"No concept is called “{md_escape(text, limit=60)}” or anything similar."
        st.caption(f":orange[{unknown}] Try another name.")
    return cui


def _example(study: Study) -> str:
    """A concept to search for, as an example; one of the study's own where its concepts are no CUIs."""
    own = next(iter(study.concepts.vocabulary), "")
    return "pneumonia" if study.scheme == UMLS or not own else plain(study.name_of(own), limit=40)


def select_concept(key: Key, cui: str) -> None:
    """Callback: put a concept into a picker; what was typed there is out of date."""
    st.session_state[f"{key}_text"] = ""
    state.set_value(key, cui)


def open_path(start: str, end: str) -> None:
    """Callback: show how two concepts are connected."""
    select_concept(FROM, start)
    select_concept(TO, end)


def _meant(study: Study, cuis: list[str]) -> str | None:
    if is_known(study, cuis[-1]):
        return cuis[-1]
    result = matches(study, cuis[-1])
    return result[0].cui if result else None


def _searched(study: Study, key: Key, text_key: str) -> None:
    """Callback: what the text means becomes the choice; nothing changes when it means nothing."""
    result = matches(study, str(st.session_state[text_key]).strip())
    if result:
        state.set_value(key, result[0].cui)


def _chosen(key: Key) -> None:
    if st.session_state[key]:
        state.store_widget(key)


def _shown(study: Study, concepts: dict[str, Match], cui: str) -> str:
    """`Lung · C0024109 · 24 images`, and under which other name it was found."""
    name, images, concept = study.names.get(cui), used(study).get(cui, 0), concepts.get(cui)
    parts = [plain(name, limit=60), plain(cui)] if name else [plain(cui)]
    if concept and concept.name and concept.name != name:
        parts.append(f"“{plain(concept.name, limit=40)}”")
    parts.append(pluralize(images, "image") if images else "in no image")
    if study.graph is not None and not study.in_graph(cui):
        parts.append("not in the terminology")
    return " · ".join(parts)
