"""Real captions: the figures of docs/results/roco.md, and the rules of negation beside others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evalcore.features.annotate.captions import annotate
from evalcore.features.annotate.negation import flags_of
from evalcore.features.annotate.settings import FLAGGED, AnnotateSettings
from evalcore.features.annotate.terms import dictionary
from evalcore.study.concepts.concepts import parse_concepts
from evalcore.study.concepts.texts import parse_captions, texts_in
from evalcore.study.naming import names_in
from evalcore.study.tables.problems import Problems
from evalcore.study.tables.tables import records

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def captions(images_dir: Path) -> dict[str, str]:
    data = (images_dir / "roco" / "metadata.csv").read_bytes()
    return texts_in(parse_captions(data, file="metadata.csv")[0])


def test_the_first_row_of_the_readme(images_dir: Path, captions: dict[str, str]) -> None:
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


def test_denied_terms_beside_those_of_another_set_of_rules(
    images_dir: Path, captions: dict[str, str]
) -> None:
    from sklearn.metrics import cohen_kappa_score

    text = (images_dir / "roco" / "concepts_provenance.csv").read_text()
    rows = [*records(text, ",", Problems("provenance"))][1:]
    terms: dict[str, list[tuple[str, bool]]] = {}
    for image, _cui, _name, _group, method, _evidence, term, negated in (row.cells for row in rows):
        if method.startswith(("curated", "dictionary")):
            terms.setdefault(image, []).append((term.lower(), negated == "1"))
    ours, theirs = [], []
    for image, some in terms.items():
        caption = captions[image]
        places = {
            match.span()
            for term, _ in some
            for match in re.finditer(rf"(?<!\w){re.escape(term)}(?!\w)", caption, re.IGNORECASE)
        }
        spans: list[tuple[int, int]] = []
        for start, end in sorted(places, key=lambda span: (span[0], -span[1])):
            if not spans or start >= spans[-1][1]:
                spans.append((start, end))
        flags = flags_of(caption, spans)
        readings = [
            (caption[start:end].lower(), flag[0] is not None)
            for (start, end), flag in zip(spans, flags, strict=True)
        ]
        for term, negated in some:
            here = [denied for written, denied in readings if written == term]
            if here:
                ours.append(all(here))
                theirs.append(negated)
    assert (len(ours), sum(theirs), sum(ours)) == (1_599, 49, 48)
    assert sum(a and b for a, b in zip(ours, theirs, strict=True)) == 41
    assert cohen_kappa_score(ours, theirs) == pytest.approx(0.841, abs=0.001)
