"""The engine's values of SET:CONCEPT are those of the plain functions, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from evalcore.engine import ideal_gains, rank, relevance_of_pairs, space
from evalcore.engine import loops_semantic as loops
from evalcore.evaluate import score
from evalcore.relevance.concept_measures import CONCEPT_MEASURES, SET_MEASURES
from evalcore.relevance.concept_table import concept_table, forget
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings
from tests.engine.test_engine_equals_plain import plain_ranking, studies
from tests.toy import TOY_EDGES, all_pairs, study_of

NAMES = [f"{kind}:{concept}" for kind in SET_MEASURES for concept in CONCEPT_MEASURES]


def plain_values(study, sets, relevance):
    """The matrix of plain values by loops over pairs; empty sets count 0, queries nobody annotated NaN."""
    kind, concept = relevance.split(":")
    similar, measure = concept_table(study, concept).similar, SET_MEASURES[kind].value
    rows = [
        [
            np.nan if a is None else measure(a, b, similar) if a and b else 0.0
            for b in (sets[other] or set() for other in sorted(sets))
        ]
        for a in (sets[image] for image in sorted(sets))
    ]
    return np.array(rows)


@st.composite
def with_a_graph(draw):
    """Awkward studies (see there) with at least one edge."""
    sets, edges = draw(studies())
    return sets, edges or [("C0000000", "C0000001")]


@effort(max_examples=150, deadline=None)
@given(with_a_graph(), st.sampled_from(NAMES))
def test_values_of_all_pairs(built, relevance):
    study = study_of(*built)
    queries, candidates = all_pairs(len(built[0]))
    found = relevance_of_pairs(study, relevance, queries, candidates, Settings())
    expected = plain_values(study, built[0], relevance)
    np.testing.assert_array_equal(found.reshape(expected.shape), expected)


@effort(max_examples=120, deadline=None)
@given(
    with_a_graph(),
    st.sampled_from(NAMES),
    st.booleans(),
    st.booleans(),
    st.one_of(st.none(), st.integers(0, 4), st.integers(0, 14)),
    st.data(),
)
def test_rankings_and_ideals(built, relevance, include_self, whole_ties, depth, data):
    sets, settings = built[0], Settings(include_self=include_self)
    study = study_of(*built)
    some = st.one_of(st.just(range(len(sets))), st.lists(st.integers(0, len(sets) - 1), max_size=len(sets)))
    queries, candidates = (np.array(data.draw(some), np.int32) for _ in range(2))
    values = plain_values(study, sets, relevance)
    run = rank(
        study,
        relevance,
        queries,
        candidates=candidates,
        depth=depth,
        settings=settings,
        whole_ties=whole_ties,
    )
    best = ideal_gains(study, relevance, queries, candidates=candidates, depth=depth, settings=settings)
    assert run.queries.tolist() == sorted({q for q in queries.tolist() if not np.isnan(values[q, q])})
    for q, row in zip(queries.tolist(), best, strict=True):
        if np.isnan(values[q, q]):
            assert np.isnan(row).all()
            continue
        ranking = plain_ranking(values, q, candidates.tolist(), settings)
        n = len(set(candidates.tolist())) if depth is None else depth
        gains = [values[q, c] for c in ranking[:n]]
        assert row.tolist() == gains + [0] * (best.shape[1] - len(gains))
        if whole_ties and 0 < n <= len(ranking):
            n = sum(values[q, c] >= values[q, ranking[n - 1]] for c in ranking)
        found, scores = run.answer(q)
        assert found.tolist() == ranking[:n]
        assert scores.tolist() == [values[q, c] for c in ranking[:n]]


TABLES = st.sampled_from([2, 4, 2**38])


@effort(max_examples=300, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), TABLES, st.integers(0, 2**32 - 1))
def test_matching_is_that_of_scipy(n_a, n_b, grain, seed):
    # Coarse tables are full of ties; the largest sum is unique all the same.
    rng = np.random.default_rng(seed)
    table = rng.integers(0, grain + 1, (n_a + n_b, n_a + n_b)) / grain
    table = np.maximum(table, table.T)
    indptr, indices = np.array([0, n_a, n_a + n_b]), np.arange(n_a + n_b, dtype=np.int32)
    pair = np.array([0, 1])
    (found, _) = loops.of_pairs(loops.MATCHING, table, indptr, indices, pair, 1 - pair)
    block = table[:n_a, n_a:]
    rows, columns = linear_sum_assignment(block, maximize=True)
    assert found == block[rows, columns].sum() / min(n_a, n_b)


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
            rank(
                study,
                "matching:path",
                study.queries,
                candidates=study.candidates,
                depth=1,
                settings=Settings(),
                progress=tell,
            )
    assert calls == [(0, "comparing the concepts with each other")] * 2


@pytest.mark.parametrize("relevance", ["best-match:lin-corpus", "matching:path"])
def test_the_number_of_cores_and_blocks_changes_nothing(relevance, monkeypatch):
    words = sorted({word for edge in TOY_EDGES for word in edge})
    rng = np.random.default_rng(7)
    sets = {f"i{k:03d}": set(rng.choice(words, rng.integers(0, 6), replace=False)) for k in range(150)}
    study, calls = study_of(sets, TOY_EDGES), []
    runs = []
    for cores, block in ((1, 64), (3, 7)):
        monkeypatch.setattr(space, "cores", lambda n=cores: n)
        monkeypatch.setattr("evalcore.engine.blocks.CELLS_PER_BLOCK", 150 * block)
        runs.append(
            rank(
                study,
                relevance,
                study.queries,
                candidates=study.candidates,
                depth=9,
                settings=Settings(),
                progress=lambda done, doing: calls.append((done, doing)),
            )
        )
    assert runs[0].digest == runs[1].digest
    shares = [done for done, _ in calls[: calls.index((1.0, "")) + 1]]
    assert shares == sorted(shares) and len(shares) > 1


def test_scores_by_a_metric_and_a_system_of_these_names():
    sets = {"q": {"vein", "brain"}, "i1": {"vessel", "brain"}, "i2": {"nodule"}, "i3": {"head", "artery"}}
    study = study_of(sets, TOY_EDGES)
    (result,) = score(
        study, metrics=["nDCG( matching:path )@2"], systems=["@best-match:cs1"], queries=np.array([3])
    )
    assert (result.metric, result.system) == ("nDCG(matching:path)@2", "@best-match:cs1")
    # Rank of q by shared concepts: i1, then i2 before i3 (ties by id). By path: vein-vessel 1/2, brain 1;
    # nodule is 6 from vein and 6 from brain; head-brain 1/2, artery-vein 1/3.
    i1, i2, i3 = (0.5 + 1) / 2, 1 / 7, (1 / 2 + 1 / 3) / 2
    expected = (i1 + i2 / np.log2(3)) / (i1 + i3 / np.log2(3))
    assert study.image_ids[3] == "q"
    assert result.values == pytest.approx([expected], rel=1e-9)


def test_unknown_candidates_and_studies_without_a_graph():
    study = study_of({"q": {"vein"}, "c": {"vessel"}}, TOY_EDGES)
    found = relevance_of_pairs(study, "matching:path", np.array([0, 1]), np.array([-1, 0]), Settings())
    assert found.tolist() == [0, 0.5]
    bare = study_of({"q": {"vein"}, "c": {"vein", "vessel"}})
    found = relevance_of_pairs(bare, "best-match:cs1", np.array([0]), np.array([1]), Settings())
    assert found.tolist() == [2 / 3]  # Dice
    with pytest.raises(InputError, match="which this study lacks"):
        rank(bare, "matching:path", bare.queries, candidates=bare.candidates, depth=1, settings=Settings())
