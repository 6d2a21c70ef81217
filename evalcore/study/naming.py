"""Concepts by id (a CUI, a CURIE, a synset) or by name, as people write them."""

from __future__ import annotations

from evalcore.values.arrays import position
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import InputError, UnknownName
from evalcore.values.model import Study

MANY_NAMES = 50_000
"""Beyond this many names, comparing with each takes seconds."""


def find_concept(study: Study, text: str) -> str:
    """Which concept is meant: an id of the study or its graph, else a name, whatever its case.

    Raises
    ------
    UnknownName
        Neither; offers the nearest names.
    InputError
        Several concepts have this name; lists their ids.
    """
    cui = text.strip()
    for candidate in (cui, cui.upper()):
        if is_known(study, candidate):
            return candidate
    wanted = cui.casefold()
    named = sorted(c for c, name in study.names.items() if name.casefold() == wanted)
    connected = [c for c in named if study.in_graph(c)]
    # A name shared with concepts that cannot be reached anyway is not ambiguous for finding a path.
    found = connected or named
    if not found:
        raise UnknownName("concept", cui, _offered(study, wanted), f"Give a {_such_as(study)}, or a name.")
    if len(found) > 1:
        raise InputError(f"Several concepts are called {cui!r}: {', '.join(found)}. Give the {_id(study)}.")
    return found[0]


def _id(study: Study) -> str:
    return "CUI" if study.scheme == UMLS else "id"


def _such_as(study: Study) -> str:
    """What an id of the study looks like; an id of its own where its concepts are no CUIs."""
    own = next(iter(study.concepts.vocabulary), "")
    return "CUI such as C0040405" if study.scheme == UMLS or not own else f"concept id such as {own}"


def _offered(study: Study, wanted: str) -> set[str]:
    """Names to look for near ones in: all, or of very many those that hold the first letters."""
    names = set(study.names.values())
    if len(names) <= MANY_NAMES:
        return names
    return {name for name in names if wanted[:4] in name.casefold()}


def is_known(study: Study, cui: str) -> bool:
    """True for an id of the study's images, its graph or its names."""
    return study.in_graph(cui) or cui in study.names or position(study.concepts.vocabulary, cui) >= 0
