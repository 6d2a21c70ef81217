"""Registered functions give what other programs give, through the same engine."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice, pairwise

import networkx as nx
import numpy as np
import pytest
import pytrec_eval
from scipy import sparse
from sklearn.metrics import f1_score, jaccard_score

import evalcore as cs
from evalcore import engine
from evalcore.evaluate.sweep.grid import grid_points, score_grid
from evalcore.relevance.explain import _near
from evalcore.relevance.registry import describe, parse_relevance
from evalcore.values.errors import SettingError
from evalcore.values.grouping import groups_of_column
from evalcore.values.model import Study
from evalcore.values.settings import Settings

SETTINGS = (
    Settings(),
    Settings(threshold=2, include_self=True, undefined="zero"),
    Settings(threshold=3, ties="expected", count_rule="pairs_all"),
    Settings(threshold=2, count_rule="query", direction="directed"),
)


def one_pair(query: frozenset[str], candidate: frozenset[str]) -> float:
    return len(query & candidate) / len(query | candidate)


def blocks(queries: sparse.csr_array, candidates: sparse.csr_array) -> np.ndarray:
    """Jaccard, block by block."""
    both = (queries @ candidates.T).toarray()
    return both / (queries.sum(axis=1)[:, None] + candidates.sum(axis=1)[None] - both)


def both_forms() -> None:
    cs.register_relevance("own")(one_pair)
    cs.register_relevance("own-block", block=True)(blocks)


def test_a_jaccard_equals_that_of_scikit_learn(sample: Study) -> None:
    both_forms()
    assert describe("own-block").plain == "Jaccard, block by block."
    concepts, n = sample.concepts, len(sample.image_ids)
    rng = np.random.default_rng(3)
    queries, candidates = rng.integers(0, n, (2, 400)).astype(np.int32)
    table = np.zeros((n, len(concepts.vocabulary)), np.int8)
    for image in range(n):
        table[image, concepts.row(image)] = 1
    filled = (table[queries].any(axis=1)) & (table[candidates].any(axis=1))
    expected = [
        jaccard_score(table[q], table[c]) if known else 0.0
        for q, c, known in zip(queries, candidates, filled, strict=True)
    ]
    assert 50 < np.count_nonzero(expected) < 400
    for name in ("own", "own-block"):
        values = engine.relevance_of_pairs(sample, name, queries, candidates, Settings())
        annotated = concepts.annotated[queries]
        np.testing.assert_array_equal(values[annotated], np.array(expected)[annotated])
        assert np.isnan(values[~annotated]).all()


@pytest.mark.parametrize("settings", SETTINGS[:3])
@pytest.mark.parametrize("name", ["own", "own-block"])
def test_every_family_takes_it_as_it_takes_iou(sample: Study, name: str, settings: Settings) -> None:
    """Lists, ideals, rankings, ties and pools: bit for bit those of the IoU of the program."""
    both_forms()
    families = ("mean({})@5", "nDCG({})@10", "RBP({},p=0.8)", "DCG({},gain=exp)@3", "HP({})@4")
    systems = ["hog", "caption-tfidf", "@{}"]

    def scored(relevance: str) -> list[cs.Settings]:
        metrics = [family.format(relevance) for family in families] + ["P(organ)@5"]
        return cs.score(
            sample, metrics, systems=[one.format(relevance) for one in systems], settings=settings
        )

    for mine, theirs in zip(scored(name), scored("iou"), strict=True):
        np.testing.assert_array_equal(mine.values, theirs.values)
        assert (mine.tied, mine.short, mine.n_undefined) == (theirs.tied, theirs.short, theirs.n_undefined)


def test_candidates_of_the_own_group_are_left_out(sample: Study) -> None:
    both_forms()
    grouped = replace(sample, groups=groups_of_column(sample.labels.columns["organ"]))
    ours, theirs = cs.score(grouped, ["nDCG(own)@5"]), cs.score(grouped, ["CUI@5"])
    alone = cs.score(sample, ["CUI@5"])
    for mine, iou, without in zip(ours, theirs, alone, strict=True):
        np.testing.assert_array_equal(mine.values, iou.values)
        assert not np.array_equal(mine.values, without.values, equal_nan=True)


def test_f1_equals_that_of_scikit_learn(sample: Study) -> None:
    """The program's own, and one of a user that takes its place."""
    (own,) = cs.score(sample, ["F1(organ)@10"], systems=["hog"])

    @cs.register_metric("F1@K")
    def f1(gains: np.ndarray, k: int, ideal: np.ndarray) -> float:
        return 2 * gains.sum() / (len(gains) + len(ideal)) / 2

    (theirs,) = cs.score(sample, ["F1(organ)@10"], systems=["hog"])
    np.testing.assert_allclose(theirs.values, own.values / 2)
    scores = own
    column, run, n = sample.labels.columns["organ"], sample.runs["hog"], len(sample.image_ids)
    organs = [set(column.of_image(image)) for image in range(n)]
    for place in range(0, len(scores.queries), 7):
        query = int(scores.queries[place])
        at = int(np.searchsorted(run.queries, query))
        returned = run.candidates[run.indptr[at] : run.indptr[at + 1]]
        returned = returned[returned != query][:10]
        others = [image for image in range(n) if image != query and organs[image]]
        truth = [bool(organs[query] & organs[image]) for image in others]
        found = [image in returned for image in others]
        assert scores.values[place] == pytest.approx(f1_score(truth, found), abs=1e-15)


def test_a_discount_of_ones_own_equals_trec_eval(sample: Study) -> None:
    """nDCG written by hand as a metric: what `ndcg_cut` of trec_eval gives."""

    @cs.register_metric("own-nDCG@K", linear=True)
    def ndcg(gains: np.ndarray, k: int, ideal: np.ndarray) -> float:
        def dcg(of: np.ndarray) -> float:
            return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(of[:k], 1))

        return dcg(gains) / dcg(ideal)

    (scores,) = cs.score(sample, ["own-nDCG(organ)@10"], systems=["hog"])
    column, run, ids = sample.labels.columns["organ"], sample.runs["hog"], sample.image_ids
    organs = [set(column.of_image(image)) for image in range(len(ids))]
    qrels, answers = {}, {}
    for at, query in enumerate(run.queries.tolist()):
        shared = {
            ids[c]: int(bool(organs[query] & organs[c])) for c in range(len(ids)) if c != query and organs[c]
        }
        returned = [ids[c] for c in run.candidates[run.indptr[at] : run.indptr[at + 1]] if ids[c] in shared]
        qrels[ids[query]] = shared
        answers[ids[query]] = {image: float(-rank) for rank, image in enumerate(returned)}
    trec = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"}).evaluate(answers)
    ours = {ids[q]: value for q, value in zip(scores.queries, scores.values, strict=True)}
    assert len(ours) == len(trec) == 160
    assert ours == pytest.approx({query: of["ndcg_cut_10"] for query, of in trec.items()}, abs=1e-12)
    cs.score(sample, ["own-nDCG(organ)@10"], settings=Settings(ties="expected"))


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("alpha", [0.5, 0.1])
def test_a_decay_that_is_alpha_is_nn_iou(sample: Study, settings: Settings, alpha: float) -> None:
    cs.register_decay("flat")(lambda _distance: alpha)
    settings = replace(settings, alpha=alpha)
    systems = ["hog", "@nn-iou:flat"], ["hog", "@nn-iou"]
    if settings.count_rule == "pairs_all":
        systems = (["hog"],) * 2  # above 1, so no ranking of these is asked for
    ours = cs.score(
        sample, ["nDCG(nn-iou:flat)@10", "mean(nn-iou:flat)@5"], systems=systems[0], settings=settings
    )
    theirs = cs.score(sample, ["nDCG(nn-iou)@10", "mean(nn-iou)@5"], systems=systems[1], settings=settings)
    for mine, of_program in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine.values, of_program.values)


@pytest.mark.parametrize("base", [0.5, 1 / math.e])
def test_a_decay_counts_by_distance(sample: Study, base: float) -> None:
    """alpha^d by shortest paths of networkx, concept by concept."""
    cs.register_decay("fade")(lambda distance: base**distance)
    settings, graph = Settings(threshold=3), nx.Graph()
    nodes = sample.graph.cuis
    for i, (start, end) in enumerate(pairwise(sample.graph.indptr.tolist())):
        graph.add_edges_from((nodes[i], nodes[j]) for j in sample.graph.indices[start:end].tolist())
    near = dict(nx.all_pairs_shortest_path_length(graph, cutoff=3))

    def worth(of: frozenset[str], others: frozenset[str]) -> float:
        found = (min((near.get(x, {}).get(y, 9) for y in others), default=9) for x in sorted(of))
        return math.fsum(base**d for d in found if d <= 3)

    rng = np.random.default_rng(1)
    q, c = rng.integers(0, len(sample.image_ids), (2, 300)).astype(np.int32)
    sets = [[sample.concepts.of_image(i) for i in of.tolist()] for of in (q, c)]
    expected = [
        (len(a & b) + worth(a - b, b - a) + worth(b - a, a - b)) / len(a | b) if a | b else 0.0
        for a, b in zip(*sets, strict=True)
    ]
    values = engine.relevance_of_pairs(sample, "nn-iou:fade", q, c, settings)
    known = sample.concepts.annotated[q]
    np.testing.assert_allclose(values[known], np.array(expected)[known], atol=1e-14)
    plain = describe("nn-iou:fade").value
    for a, b, value in islice(zip(*sets, values, strict=True), 60):
        if not math.isnan(value):
            assert plain(a, b, _near(sample, a | b, settings), settings) == value
    run = engine.rank(
        sample, "nn-iou:fade", q[:5], candidates=np.arange(160, dtype=np.int32), depth=None, settings=settings
    )
    again = engine.relevance_of_pairs(
        sample, "nn-iou:fade", np.repeat(run.queries, np.diff(run.indptr)), run.candidates, settings
    )
    np.testing.assert_array_equal(run.scores, again)


@pytest.mark.parametrize("words", ["0.5", "0.3,0.1,0.05"])
def test_a_decay_in_the_name_is_that_of_a_function(sample: Study, words: str) -> None:
    """To the last digit, in rankings, means and sweeps; with alpha at distance 1 it is nn-IoU."""
    weights = [float(word) for word in words.split(",")]
    single = len(weights) == 1
    cs.register_decay("own")(lambda d: weights[0] ** d if single else dict(enumerate(weights, 1)).get(d, 0.0))
    settings = Settings(threshold=3)
    names = [f"nn-iou[decay={words}]", "nn-iou:own"]
    ours, theirs = (
        cs.score(
            sample, [f"nDCG({name})@10", f"mean({name})@5"], systems=["hog", f"@{name}"], settings=settings
        )
        for name in names
    )
    for mine, of_function in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine.values, of_function.values)
    near = Settings(alpha=weights[0])
    ours, theirs = (
        cs.score(sample, [f"nDCG({name})@10"], systems=["hog"], settings=near)[0].values
        for name in (names[0], "nn-iou")
    )
    np.testing.assert_array_equal(ours, theirs)


def test_decays_in_names_are_checked() -> None:
    assert str(parse_relevance("nn-iou[decay=0.50]")) == "nn-iou[decay=0.5]"
    for words in ("", "2", "half", "0.1,0.1,0.1,0.1,0.1", "-0.5"):
        with pytest.raises(SettingError, match="one number from 0 to 1, or one for each distance"):
            parse_relevance(f"nn-iou[decay={words}]")


def test_a_sweep_follows_a_decay(sample: Study) -> None:
    """Alpha says nothing about it, 0 too; the threshold does."""
    cs.register_decay("fade")(lambda distance: 0.5**distance)
    points = grid_points(Settings(), alphas=[0.0, 0.5], thresholds=[1, 3])
    metric = "mean(nn-iou:fade)@10"
    grid = score_grid(sample, points, metrics=[metric], systems=["hog"])
    for point in points:
        (alone,) = cs.score(sample, [metric], systems=["hog"], settings=point)
        np.testing.assert_array_equal(grid.at(point, "hog", grid.metrics[0]).values, alone.values)
    means = [np.nanmean(grid.at(point, "hog", grid.metrics[0]).values) for point in points]
    assert means[0] == means[1] < means[2] == means[3]


def test_an_explanation_holds_the_values_of_ones_own(sample: Study) -> None:
    both_forms()
    cs.register_decay("flat")(lambda _distance: 0.5)
    first, second = sample.image_ids[0], sample.image_ids[18]
    values = cs.explain(sample, first, second).values
    assert 0 < values["own"] == values["own-block"] == values["iou"]
    assert values["nn-iou:flat"] == values["nn-iou"]
    by_matching = cs.explain(sample, first, second, settings=Settings(count_rule="matching")).values
    assert "nn-iou:flat" not in by_matching


def test_a_block_may_ask_for_the_concepts_of_its_columns(sample: Study) -> None:
    """Weights by concept: of the concepts in common, the share that the name of one begins as the query's."""
    even = {cui: float(int(cui[-1]) % 2 == 0) for cui in sample.concepts.vocabulary}

    @cs.register_relevance("even", block=True)
    def of_columns(
        queries: sparse.csr_array, candidates: sparse.csr_array, cuis: tuple[str, ...]
    ) -> np.ndarray:
        weights = np.array([even[cui] for cui in cuis])
        shared = ((queries * weights) @ candidates.T).toarray()
        return shared / queries.sum(axis=1)[:, None]

    @cs.register_relevance("even-one")
    def of_pair(query: frozenset[str], candidate: frozenset[str]) -> float:
        return sum(even[cui] for cui in query & candidate) / len(query)

    block, pair = (cs.score(sample, [f"nDCG({name})@5"], systems=["hog"])[0] for name in ("even", "even-one"))
    np.testing.assert_array_equal(block.values, pair.values)
    assert 0 < np.nanmean(block.values) < 1
