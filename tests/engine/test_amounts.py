"""IoU of concepts with amounts: by hand, against scipy's Bray-Curtis and plain loops, and beside IoU."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from scipy.spatial.distance import braycurtis

from evalcore.engine import ideal_gains, rank, relevance_of_pairs
from evalcore.engine.amounts import adds_by_amount
from evalcore.evaluate.curation import curate
from evalcore.relevance.explain import explain
from evalcore.relevance.registry import describe, parse_relevance, weighed_ones
from evalcore.study.in_memory import make_study
from evalcore.study.study import open_study
from evalcore.values.curation import CurationRules
from evalcore.values.errors import InputError, SettingError, UnknownName
from evalcore.values.settings import Settings
from tests.toy import all_pairs, study_of

NAME = "iou[amounts]"
NAMES = [f"C{k:07d}" for k in range(6)]
AMOUNTS = st.sampled_from([0.000001, 0.1, 0.2, 0.25, 1 / 3, 0.5, 1.0, 3.0, 1_000_000.0])
PAIR = {"a": {"C0": 0.4, "C1": 0.5, "C2": 0.5}, "b": {"C0": 1, "C1": 0.5, "C3": 2}}
ROWS = st.one_of(
    st.none(),
    st.lists(st.sampled_from(NAMES), max_size=4),
    st.dictionaries(st.sampled_from(NAMES), st.one_of(st.none(), AMOUNTS), max_size=5),
)


def values_of(study, name=NAME):
    n = len(study.image_ids)
    return relevance_of_pairs(study, name, *all_pairs(n), Settings()).reshape(n, n)


def vectors_of(sets):
    """Dense vectors of what `ROWS` draws, amounts to six decimals."""
    full = {image: of if isinstance(of, dict) else dict.fromkeys(of or ()) for image, of in sets.items()}
    return {
        image: np.array([round(1.0 if of[c] is None else of[c], 6) if c in of else 0.0 for c in NAMES])
        for image, of in full.items()
    }


def test_by_hand():
    # min: C0 0.4, C1 0.5; max: C0 1, C1 0.5, C2 0.5, C3 2.
    study = study_of({**PAIR, "c": ["C2"]})
    values = values_of(study)
    assert values[0, 1] == values[1, 0] == 0.9 / 4
    assert values[0, 2] == 0.5 / (0.4 + 0.5 + 1)
    assert values[1, 2] == 0.0
    assert np.diag(values).tolist() == [1.0, 1.0, 1.0]


@given(st.lists(ROWS, min_size=2, max_size=7), st.booleans(), st.integers(1, 8))
@effort(max_examples=40, deadline=None)
def test_it_is_bray_curtis_and_ranks_as_plain_loops_do(rows, include_self, depth):
    sets = {f"i{k}": of for k, of in enumerate(rows)}
    sets["z"] = {NAMES[0]: 0.5}
    study, vectors = study_of(sets), vectors_of(sets)
    values, ids = values_of(study), sorted(sets)
    for i, one in enumerate(ids):
        for j, other in enumerate(ids):
            a, b = vectors[one], vectors[other]
            if sets[one] is None:
                assert np.isnan(values[i, j])
            elif not a.any() or not b.any():
                assert values[i, j] == 0.0
            else:
                similar = 1 - braycurtis(a, b)
                assert values[i, j] == pytest.approx(similar / (2 - similar), rel=1e-9, abs=1e-15)
                x, y = ([Fraction(round(value * 10**6)) for value in of] for of in (a, b))
                assert values[i, j] == float(sum(map(min, x, y)) / sum(map(max, x, y)))
    chosen, everyone = Settings(include_self=include_self), study.candidates
    run = rank(study, NAME, study.queries, candidates=everyone, depth=depth, settings=chosen)
    best = ideal_gains(study, NAME, study.queries, candidates=everyone, depth=depth, settings=chosen)
    for i, one in enumerate(ids):
        if sets[one] is None:
            assert i not in run.queries
            assert np.isnan(best[i]).all()
            continue
        others = [j for j in range(len(ids)) if include_self or j != i]
        order = sorted(others, key=lambda j: (-values[i, j], j))[:depth]
        candidates, scores = run.answer(i)
        assert (candidates.tolist(), scores.tolist()) == (order, [values[i, j] for j in order])
        assert best[i].tolist() == [*(values[i, j] for j in order), *[0.0] * (depth - len(order))]


@given(st.lists(st.sets(st.sampled_from(NAMES)), min_size=2, max_size=6), AMOUNTS)
@effort(max_examples=20, deadline=None)
def test_equal_amounts_give_iou_bit_for_bit_and_other_relevances_ignore_them(rows, amount):
    bare = study_of({f"i{k}": of for k, of in enumerate([{NAMES[0]}, *rows])})
    study = study_of({f"i{k}": dict.fromkeys(of, amount) for k, of in enumerate([{NAMES[0]}, *rows])})
    assert (values_of(study) == values_of(bare, "iou")).all()
    for name in ("iou", "dice", "nn-iou"):
        assert (values_of(study, name) == values_of(bare, name)).all()


def test_why_a_result_counts():
    study = study_of(PAIR)
    result = explain(study, "a", "b", measures=[NAME])
    assert result.values[NAME] == 0.9 / 4
    assert {share.cui: (share.weight, share.adds) for share in result.weighed[NAME]} == {
        "C0": (0.4, 0.4 / 4),
        "C1": (0.5, 0.5 / 4),
    }


def test_what_concepts_of_each_code_add():
    study = study_of({**PAIR, "c": None})
    queries, candidates = np.array([0, 0, 1, 2], np.int32), np.array([1, 0, 2, 0], np.int32)
    adds = adds_by_amount(study, queries, candidates, np.array([0, 1, 0, 1], np.int32), 2)
    assert adds.tolist() == [[0.4 / 4, 0.5 / 4], [0.9 / 1.4, 0.5 / 1.4], [0, 0], [0, 0]]


def test_names_and_what_a_study_without_amounts_says():
    assert str(parse_relevance(NAME)) == NAME
    assert describe(NAME).family == "amounts"
    bare = study_of({"a": ["C0"], "b": ["C0"]})
    assert NAME not in weighed_ones(bare)
    assert weighed_ones(study_of({"a": {"C0": 2}})) == (NAME,)
    for ask in (lambda: values_of(bare), lambda: explain(bare, "a", "b", measures=[NAME])):
        with pytest.raises(InputError, match=r"no amounts\. Write them in concepts\.csv"):
            ask()
    with pytest.raises(SettingError, match="for iou alone"):
        parse_relevance("nn-iou[amounts]")
    with pytest.raises(UnknownName, match="Did you mean: amounts"):
        parse_relevance("iou[amount]")


def test_amounts_are_part_of_a_study_and_come_back_from_a_folder(tmp_path):
    rows = {"a": {"C0000001": 0.4, "C0000002": 1}, "b": ["C0000001"], "c": None, "d": []}
    study = make_study(concepts=rows)
    assert study.concepts.amounts.tolist() == [0.4, 1.0, 1.0]
    assert open_study(study.save(tmp_path / "saved")).concepts.digest == study.concepts.digest
    table = {"ID": ["a", "a", "b"], "CUI": ["C0000001", "C0000002", "C0000001"], "amount": [0.4, 1, None]}
    frame = pytest.importorskip("pandas").DataFrame(table)
    sets = make_study(concepts=frame).concepts
    assert [sets.amounts_of(i) for i in range(2)] == [{"C0000001": 0.4, "C0000002": 1.0}, {"C0000001": 1.0}]
    without = make_study(concepts={image: row and [*row] for image, row in rows.items()})
    assert without.concepts.amounts is None
    assert without.concepts.digest != study.concepts.digest


def test_curation_keeps_amounts():
    sets = study_of({"a": {"C1": 0.4, "C2": 0.7, "C3": 2}, "b": None}).concepts
    rules = CurationRules(links={"C1": "C2"}, blacklist=frozenset({"C3"}))
    assert curate(sets, rules).sets.written(0) == ["C2:0.7"]
