"""The concepts of a study: how many images carry each, what people call them, which related ones matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.evaluate.graph_effect import working_pairs
from evalcore.graph import distance
from evalcore.study import concept_search
from evalcore.ui.frame import cache
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from evalcore.evaluate.graph_effect import WorkingPair
    from evalcore.study.concept_search import FoundConcept
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings

MATCHES = 12
FREQUENT = 30
"""Concepts among which a first example is looked for."""


def used(study: Study) -> dict[str, int]:
    """{CUI: images that carry it}, to be read only."""
    key = ("images by concept", study.concepts.digest)
    return cache.share(key, lambda: concept_search.images_by_concept(study))


def matches(study: Study, text: str) -> list[FoundConcept]:
    """The concepts that a text may mean, best first."""
    images = used(study)
    index = cache.share(
        ("names of concepts", study.digest), lambda: concept_search.index_of(study),
        spinner="Reading the names of all concepts…",
    )  # fmt: skip
    return cache.remember(
        ("concepts called", study.digest, text),
        lambda: concept_search.search_concepts(study, text, limit=MATCHES, index=index, images=images),
    )


def example(study: Study) -> tuple[str, str]:
    """Two frequent concepts a few steps apart, to begin with; "" where the study has none in its graph."""
    return cache.remember(("example of concepts", study.digest), lambda: _example(study, used(study)))


def _example(study: Study, images: dict[str, int]) -> tuple[str, str]:
    graph = study.graph
    assert graph is not None, "asked for studies with a graph only"
    known = [c for c in sorted(images, key=lambda c: (-images[c], c)) if graph.index(c) >= 0 and images[c]]
    for k, one in enumerate(known[:FREQUENT]):
        for other in known[:k]:
            steps = distance(graph, other, one)
            if steps is not None and 2 <= steps <= 4:
                return other, one
    return (known[0], known[-1]) if known else ("", "")


def pairs_in_use(study: Study, settings: Settings) -> tuple[WorkingPair, ...]:
    """Pairs of related concepts that bring images together, those with the most image pairs first."""
    decides = (settings.threshold, settings.direction, settings.count_rule)
    key = ("concept pairs in use", study.digest, *decides)
    return cache.share(key, lambda: working_pairs(study, settings=settings))


def named(study: Study, cui: str, *, technical: bool = False) -> str:
    """A concept's name in bold, ready for Markdown; with its CUI in the technical reading."""
    name = study.names.get(cui)
    if name is None:
        return f"**{md_escape(cui)}**"
    return f"**{md_escape(name)}**" + (f" ({md_escape(cui)})" if technical else "")
