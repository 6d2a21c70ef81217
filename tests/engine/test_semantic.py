"""SET:CONCEPT in the engine: the matching of SciPy, tables that can be cancelled, what is not there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from evalcore.engine import loops_semantic as loops
from evalcore.engine import relevance_of_pairs
from evalcore.relevance.concept_table import forget
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings
from tests.engine.plain import ranked, values_of
from tests.toy import TOY_EDGES, study_of


@effort(max_examples=150)
@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from([2, 4, 2**38]), st.integers(0, 2**32 - 1))
def test_matching_is_that_of_scipy(n_a, n_b, grain, seed):
    # Coarse tables are full of ties; the largest sum is unique all the same.
    rng = np.random.default_rng(seed)
    table = rng.integers(0, grain + 1, (n_a + n_b, n_a + n_b)) / grain
    table = np.maximum(table, table.T)
    indptr, indices = np.array([0, n_a, n_a + n_b]), np.arange(n_a + n_b, dtype=np.int32)
    pair = np.array([0, 1])
    value, _ = loops.of_pairs(loops.MATCHING, table, indptr, indices, pair, 1 - pair)
    block = table[:n_a, n_a:]
    rows, columns = linear_sum_assignment(block, maximize=True)
    assert value == block[rows, columns].sum() / min(n_a, n_b)


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
