"""How much of a study is there, computed once per study, and as the rows of the coverage figure."""

from __future__ import annotations

from evalcore.evaluate.coverage import StudyCoverage, coverage
from evalcore.figures.data import Coverage
from evalcore.ui.frame import cache
from evalcore.values.model import Study


def facts(study: Study) -> StudyCoverage:
    """Everything the coverage section says about a study."""
    return cache.share(("coverage", study.digest, study.systems), lambda: coverage(study))


def rows(study: Study, held: StudyCoverage) -> tuple[Coverage, ...]:
    """One bar for each kind of information the study has."""
    found = [
        Coverage(
            "Images with concepts", held.images - held.not_annotated - held.without_concepts, held.images
        )
    ]
    if study.captions is not None:
        found.append(Coverage("Images with a caption", held.captions, held.images))
    if study.images is not None:
        found.append(Coverage("Images with a picture", held.pictures, held.images))
    found += [Coverage(f"Images with label “{name}”", n, held.images) for name, n in held.labelled]
    if study.graph is not None:
        found.append(Coverage("Different concepts in the graph", held.concepts_in_graph, held.concepts))
        used = Coverage("Concepts in the graph, each time used", held.occurrences_in_graph, held.occurrences)
        found.append(used)
    return (*found, Coverage("Concepts with a name", held.concepts_named, held.concepts))
