"""Concepts by id (a CUI, a CURIE, a synset) or by name, as people write them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from evalcore.graph.search import EXACT, Match, NameIndex, best_matches, name_index
from evalcore.study.folder.layout import find_layout
from evalcore.study.parts.kind import parse_source
from evalcore.study.parts.names import Name, parse_names
from evalcore.study.tables.problems import Problems
from evalcore.values.arrays import position
from evalcore.values.concept_scheme import UMLS
from evalcore.values.errors import InputError, Report, UnknownName
from evalcore.values.model import Study

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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
    if (concept := _known_id(study, text)) is not None:
        return concept
    cui = text.strip()
    wanted = cui.casefold()
    named = sorted(c for c, name in study.names.items() if name.casefold() == wanted)
    # A name shared with concepts that cannot be reached anyway is not ambiguous for finding a path.
    result = [c for c in named if study.in_graph(c)] or named
    if not result:
        own, names = next(iter(study.concepts.vocabulary), ""), set(study.names.values())
        such_as = "CUI such as C0040405" if study.scheme == UMLS or not own else f"concept id such as {own}"
        if len(names) > MANY_NAMES:
            names = {name for name in names if wanted[:4] in name.casefold()}
        raise UnknownName("concept", cui, names, f"Give a {such_as}, or a name.")
    if len(result) > 1:
        remedy = f"Give the {'CUI' if study.scheme == UMLS else 'id'}."
        raise InputError(f"Several concepts are called {cui!r}: {', '.join(result)}. {remedy}")
    return result[0]


def is_known(study: Study, cui: str) -> bool:
    """True for an id of the study's images, its graph or its names."""
    return study.in_graph(cui) or cui in study.names or position(study.concepts.vocabulary, cui) >= 0


def _known_id(study: Study, text: str) -> str | None:
    """The id that a text is, as written or in capitals."""
    cui = text.strip()
    return next((known for known in (cui, cui.upper()) if is_known(study, known)), None)


# Every name of every concept of a study, for searching and for finding concepts in texts.


def names_of_study(study: Study, *, wanted: Collection[str] | None = None) -> list[Name]:
    """All names in a study's files, ontologies too; without any those it has else, such as words of synsets.

    ``wanted``: of these concepts only. What cannot be read was reported when the study was opened, and is
    left out here.
    """
    names = list[Name]()
    if study.path is not None:
        files = find_layout(study.path).files
        ontologies = (path for path in files["graph"] if path.name.lower().endswith((".obo", ".obo.gz")))
        names, _ = names_in([*files["names"], *ontologies], scheme=study.scheme, wanted=wanted)
    if not names and wanted is None:
        return [Name(concept, text) for concept, text in sorted(study.names.items())]
    return names


def names_in(
    paths: Sequence[Path], *, scheme: str = UMLS, wanted: Collection[str] | None = None
) -> tuple[list[Name], Report]:
    """All names in files of any kind, each once; a file without a single one is an error.

    ``wanted``: of these concepts only.
    """
    problems, names = Problems(""), dict[Name, None]()
    chosen = None if wanted is None else frozenset(wanted)
    how: dict[str, Any] = {"scheme": None if scheme == UMLS else scheme, "every": True, "wanted": chosen}
    for path in paths:
        of_file = problems.of(path.name)
        rows = parse_source(parse_names, path, of_file, **how)
        if (rows is None or not rows.rows) and not of_file.n_errors:
            remedy = "Give a table with the columns cui,name, an ontology, or MRCONSO.RRF."
            message = f"{path.name} contains no names of concepts."
            of_file.error("no-names", message, remedy, value=str(path))
        if rows is not None:
            table = rows.table
            if chosen is not None:
                table = table.filter(pc.is_in(table["concept"], pa.array(sorted(chosen), pa.string())))
            columns = (table[field].to_pylist() for field in Name._fields)
            names |= dict.fromkeys(map(Name._make, zip(*columns, strict=True)))
    return list(names), problems.report()


# Concepts of a study by what people type: every name of every concept, the ones in use first.


def images_by_concept(study: Study) -> dict[str, int]:
    """{CUI: how many images hold it}, by CUI."""
    concepts = study.concepts
    return dict(zip(concepts.vocabulary, concepts.images_with.tolist(), strict=True))


def index_of(study: Study) -> NameIndex:
    """All names of the study's concepts, the preferred one of each first.

    Names of concepts that neither the images nor the graph know are left out.
    """
    known = {*study.concepts.vocabulary, *(study.graph.cuis if study.graph else ())}
    named = [(cui, name) for cui, name in study.names.items() if cui in known]
    return name_index([*named, *(name[:2] for name in names_of_study(study, wanted=known))])


def search_concepts(
    study: Study, text: str, *, limit: int = 12, index: NameIndex | None = None
) -> list[Match]:
    """Which concepts of the study may a text mean? Best first (see `graph.search.best_matches`); an id that
    is known is the only answer, under the name it is shown by ("" without one).

    ``index``: what `index_of` gives, to ask again quickly.
    """
    if (known := _known_id(study, text)) is not None:
        return [Match(known, study.names.get(known, ""), EXACT, 100.0)]
    index = index_of(study) if index is None else index
    return best_matches(index, text, weight=images_by_concept(study), limit=limit)
