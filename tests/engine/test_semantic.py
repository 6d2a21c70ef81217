"""SET:CONCEPT in the engine: the matching of SciPy, tables that can be cancelled, what is not there."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.engine import relevance_of_pairs
from evalcore.relevance.concept_table import forget
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings
from tests.engine.plain import ranked, values_of
from tests.toy import TOY_EDGES, study_of


class _Enough(Exception):
    pass


def test_making_the_table_can_be_cancelled():
    study = study_of({"q": {"vein", "head"}, "c": {"vessel"}}, TOY_EDGES)
    calls = []

    def tell(done, doing):
        calls.append((done, doing))
        raise _Enough

    forget()
    for _ in range(2):  # nothing half made is kept
        with pytest.raises(_Enough):
            ranked(study, "matching:path", progress=tell)
    assert calls == [(0, "comparing the concepts with each other")] * 2


def test_unknown_candidates_and_studies_without_a_graph():
    study = study_of({"q": {"vein"}, "c": {"vessel"}}, TOY_EDGES)
    pairs = np.array([0, 1]), np.array([-1, 0])
    (values,) = relevance_of_pairs(study, "matching:path", *pairs, [Settings()])
    assert values.tolist() == [0, 0.5]
    bare = study_of({"q": {"vein"}, "c": {"vein", "vessel"}})
    assert values_of(bare, "best-match:cs1")[0, 1] == 2 / 3  # Dice
    with pytest.raises(InputError, match="which this study lacks"):
        ranked(bare, "matching:path")
