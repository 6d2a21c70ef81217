"""Real captions: the figures of docs/results/roco.md."""

from __future__ import annotations

import pytest

from evalcore.features.annotate.captions import annotate
from evalcore.features.annotate.settings import FLAGGED, AnnotateSettings
from evalcore.features.annotate.terms import dictionary
from evalcore.study.naming import names_in
from evalcore.study.parts.captions import parse_captions, texts_in
from evalcore.study.parts.concepts import parse_concepts


@pytest.mark.real
def test_the_first_row_of_the_readme(images_dir):
    data = (images_dir / "roco" / "metadata.csv").read_bytes()
    captions = texts_in(parse_captions(data, file="metadata.csv")[0])
    names, _ = names_in([images_dir / "roco" / "cui_names.csv"])
    data = (images_dir / "roco" / "concepts.csv").read_bytes()
    reference = {image: set(some) for image, some in parse_concepts(data, file="c")[0].sets.items() if some}
    scores = {}
    for negated in FLAGGED:
        settings = AnnotateSettings(negated=negated)
        concepts = annotate(captions, dictionary(names, settings), settings).concepts
        pairs = [(some, set(concepts.get(image) or ())) for image, some in reference.items()]
        both, n_reference, n_found = (
            sum(map(len, sets)) for sets in zip(*((a & b, a, b) for a, b in pairs), strict=True)
        )
        scores[negated] = (both / n_found, both / n_reference, 2 * both / (n_found + n_reference))
    assert [round(value, 3) for value in scores["leave-out"]] == [0.953, 0.358, 0.521]
    assert [round(value, 3) for value in scores["keep"]] == [0.939, 0.360, 0.520]
