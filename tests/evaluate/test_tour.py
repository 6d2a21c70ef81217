"""The five places of a tour, against what a reader of the study would choose by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evalcore import open_study, score
from evalcore.evaluate.tour import ALPHAS, tour
from evalcore.values.errors import InputError
from evalcore.values.settings import Settings
from tests.toy import TOY_EDGES, near_by_search, study_of
from tests.toy_runs import with_parts
from tests.ui.conftest import CHEST, HEAD, MASS, NODULE, RUNS, SETS, write_study

USUAL = Settings()
EDGES = [(NODULE, MASS), (HEAD, CHEST)]


@pytest.fixture
def study(tmp_path):
    return open_study(write_study(tmp_path / "tiny"))


def values(study, metric, settings=USUAL):
    """{system: {query: value}} of the queries with one."""
    return {
        one.system: {
            study.image_ids[q]: v for q, v in zip(one.queries, one.values, strict=True) if not np.isnan(v)
        }
        for one in score(study, metrics=[metric], settings=settings)
    }


def test_each_place_is_the_one_its_rule_names(study):
    metric = "nnCUI@3"
    good, link, apart, alpha, verdict = tour(study, metric=metric, settings=Settings())
    assert [stop.kind for stop in (good, link, apart, alpha, verdict)] == [
        "good",
        "link",
        "apart",
        "alpha",
        "verdict",
    ]
    by_system = values(study, metric)
    a, b = by_system["alpha"], by_system["beta"]
    both = sorted(a.keys() & b.keys())
    assert good.query == max(both, key=lambda q: min(a[q], b[q]))
    assert apart.query == max(both, key=lambda q: abs(a[q] - b[q]))
    assert good.n == apart.n == len(both)
    assert dict(apart.values) == {"alpha": a[apart.query], "beta": b[apart.query]}
    means = {name: np.mean(list(found.values())) for name, found in by_system.items()}
    assert dict(verdict.values) == pytest.approx(means) and verdict.systems == ("alpha", "beta")
    assert alpha.alpha in ALPHAS and alpha.alpha != 0.5
    at = values(study, metric, replace(Settings(), alpha=alpha.alpha))
    assert dict(alpha.values) == pytest.approx({name: np.mean(list(v.values())) for name, v in at.items()})


def test_the_link_is_the_result_that_related_concepts_alone_lift_highest(study):
    """By hand: concepts with a neighbour on the other side, both sides, times alpha, over the union."""
    near = near_by_search(EDGES, threshold=1)

    def alone(query, result):
        a, b = set(SETS[query]), set(SETS[result])
        if a & b:
            return 0.0
        met = sum(
            any(near.get(c, {}).keys() & other) for c, other in [*((c, b) for c in a), *((c, a) for c in b)]
        )
        return 0.5 * met / len(a | b) if a | b else 0.0

    pairs = {(q, r): alone(q, r) for q, found in RUNS["alpha"].items() for r in found[:4]}
    best = max(pairs.values())
    (link,) = [stop for stop in tour(study, metric="nnCUI@4", settings=Settings()) if stop.kind == "link"]
    assert best > 0 and link.relevance == pytest.approx(best)
    assert (link.query, link.candidate) == min(pair for pair, value in pairs.items() if value == best)
    assert (link.systems, link.n) == (("alpha",), len(pairs))


def test_what_cannot_be_shown_is_left_out(tmp_path):
    plain = open_study(write_study(tmp_path / "plain", graph=False))
    assert [s.kind for s in tour(plain, metric="CUI@3", settings=Settings())] == ["good", "apart", "verdict"]
    one = tour(plain, metric="P(organ)@3", systems=["beta"], settings=Settings())
    assert [stop.kind for stop in one] == ["good", "verdict"] and one[0].systems == ("beta",)
    nothing = open_study(write_study(tmp_path / "none", systems=False))
    with pytest.raises(InputError, match="no retrieval systems"):
        tour(nothing, metric="nnCUI@3", settings=USUAL)


def test_a_query_and_a_result_without_concepts_are_no_link():
    """Only related concepts make a link: not the same one, and not none on either side."""
    bare = study_of({"a": {"vein"}, "b": {"vein"}, "c": set(), "d": set()}, TOY_EDGES)
    study = with_parts(bare, runs={"s": {"a": ["b"], "c": ["d"]}})
    assert not [stop for stop in tour(study, metric="nnCUI@3", settings=USUAL) if stop.kind == "link"]


def test_a_reference_is_no_competitor(study):
    stops = tour(study, metric="nnCUI@3", systems=["@nn-iou", "beta", "alpha"], settings=Settings())
    assert stops[-1].systems == ("alpha", "beta")
