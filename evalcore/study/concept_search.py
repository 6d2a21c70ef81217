"""Concepts of a study by what people type: every name of every concept, the ones in use first."""

from __future__ import annotations

from dataclasses import dataclass

from evalcore.graph.search import NameIndex, best_matches, name_index
from evalcore.study.names.all_names import all_names
from evalcore.study.naming import is_known
from evalcore.values.model import Study


@dataclass(frozen=True, slots=True)
class FoundConcept:
    """A concept that a text may mean: found under ``name``, shown as ``preferred`` ("" without a name).

    ``images`` of the study hold it; ``in_graph`` whether the graph knows it; ``likeness`` 0 to 100.
    """

    cui: str
    preferred: str
    name: str
    images: int
    in_graph: bool
    likeness: float


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
    if study.path is not None:
        named += all_names(study.path, wanted=known, scheme=study.scheme)
    return name_index(named)


def search_concepts(
    study: Study, text: str, *, limit: int = 12, index: NameIndex | None = None,
    images: dict[str, int] | None = None,
) -> list[FoundConcept]:  # fmt: skip
    """Which concepts of the study may a text mean? Best first; see `graph.search.best_matches`.

    ``index`` and ``images`` are what `index_of` and `images_by_concept` give, to ask again quickly.
    """
    images = images_by_concept(study) if images is None else images
    index = index_of(study) if index is None else index
    found = best_matches(
        index, text, is_known=lambda cui: is_known(study, cui), preferred=study.names, weight=images,
        limit=limit,
    )  # fmt: skip
    return [
        FoundConcept(
            one.cui, study.names.get(one.cui, ""), one.name, images.get(one.cui, 0),
            study.in_graph(one.cui), one.likeness,
        )
        for one in found
    ]  # fmt: skip
