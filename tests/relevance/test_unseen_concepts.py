"""Concepts of text queries that no image carries: by the corpus their information would be infinite."""

import numpy as np
import pytest

from evalcore import make_study
from evalcore.relevance.concept_table import concept_table

UNSEEN, SEEN = "C0000004", "C0000001"


@pytest.mark.parametrize("measure", ["resnik-corpus", "lin-corpus", "jiang-conrath-corpus"])
def test_they_are_like_themselves_alone(measure):
    study = make_study(
        concepts={"a": [SEEN], "b": ["C0000002"]},
        graph=[(SEEN, "C0000009"), ("C0000002", "C0000009"), (UNSEEN, "C0000009")],
        queries={"q": {"kind": "text", "text": "words", "concepts": UNSEEN}},
        runs={"run": {"q": {"a": 1.0}}},
    )
    table = concept_table(study, measure)
    assert not np.isnan(table.values).any()
    assert table.similar(UNSEEN, SEEN) == table.similar(SEEN, UNSEEN) == 0
    if measure != "resnik-corpus":
        assert table.similar(UNSEEN, UNSEEN) == 1
