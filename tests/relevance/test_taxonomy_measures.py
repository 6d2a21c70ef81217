"""Similarities of concepts and of sets: printed values, nxontology, a second program for each set measure."""

from itertools import permutations
from math import exp, log, tanh

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st
from nxontology import NXOntology
from nxontology.similarity import SimilarityIC

from evalcore.relevance import concept_table as making
from evalcore.relevance.concept_measures import CONCEPT_MEASURES, SET_MEASURES
from evalcore.relevance.concept_table import GRAIN, ConceptTable, similarities
from evalcore.relevance.concept_table import concept_table as table
from evalcore.values.errors import InputError
from tests.graph.test_taxonomy import ANY_EDGES, rooted
from tests.toy import PAIRS, TOY_EDGES, study_of

COUNTS = {
    "vein": 10,
    "aorta": 5,
    "nodule": 20,
    "cyst": 5,
    "cerebral_artery": 2,
    "vessel": 8,
    "artery": 6,
    "brain": 12,
    "head": 4,
    "mass": 7,
    "body": 1,
}
SETS = {f"{word}{k:02d}": {word} for word, n in COUNTS.items() for k in range(n)}
# The golden corpus: finding and root do not occur themselves.
CORPUS = study_of(SETS, TOY_EDGES)


@pytest.mark.parametrize(
    "pair",
    [
        "vein|vessel",
        "vein|aorta",
        "nodule|cyst",
        "vein|nodule",
        "cerebral_artery|aorta",
        "cerebral_artery|brain",
        "brain|brain",
    ],
)
def test_concept_similarities_of_the_golden_file(spec_golden, pair):
    golden, (a, b) = spec_golden["C_sim"][pair], pair.split("|")
    assert table(CORPUS, "path").similar(a, b) == pytest.approx(golden["path"], rel=1e-9)
    assert table(CORPUS, "wu-palmer").similar(a, b) == pytest.approx(golden["wup"], rel=1e-9)
    assert table(CORPUS, "leacock-chodorow").similar(a, b) == pytest.approx(golden["lch_norm"], rel=1e-9)
    for content in ("seco", "sanchez", "corpus"):
        highest = max(spec_golden["C_ic"][content].values())
        for name, key, unit in (
            ("resnik", "resnik", highest),
            ("lin", "lin", 1),
            ("jiang-conrath", "jcn_sim_1p", 1),
        ):
            similarity = table(CORPUS, f"{name}-{content}").similar(a, b) * unit
            assert similarity == pytest.approx(golden[content][key], rel=1e-9, abs=1e-15), (name, content)


@pytest.mark.parametrize("pair", ["vein|vessel", "vein|artery", "vein|nodule", "brain|brain"])
@pytest.mark.parametrize("content", ["levels", "sanchez"])
def test_distances_of_jia(spec_golden, pair, content):
    golden, (a, b) = spec_golden["B_cs"][f"{pair}|{content}"], pair.split("|")
    assert 1 - table(CORPUS, "cs1").similar(a, b) == golden["CS1"]
    for name, key in (("cs2", "CS2"), ("cs3", "CS3neg"), ("cs4", "CS4")):
        distance = 1 - table(CORPUS, f"{name}-{content}").similar(a, b)
        assert distance == pytest.approx(golden[key], rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("pair", ["P1", "P2", "P4", "P6"])
@pytest.mark.parametrize(
    ("key", "concept"),
    [
        ("levels_CS2", "cs2-levels"),
        ("levels_CS4", "cs4-levels"),
        ("sanchez_CS2", "cs2-sanchez"),
        ("sanchez_CS4", "cs4-sanchez"),
        ("levels_path", "path"),
    ],
)
def test_set_distances_of_the_golden_file(spec_golden, pair, key, concept):
    golden, (a, b) = spec_golden["B_set"][f"{pair}_{key}"], PAIRS[pair]
    similar = table(CORPUS, concept).similar
    for name, measure in (
        ("best_match_avg", "best-match"),
        ("hierarchical", "hierarchical"),
        ("average_link", "average-link"),
        ("bm_min", "matching"),
    ):
        distance = 1 - SET_MEASURES[measure].value(a, b, similar)
        assert distance == pytest.approx(golden[name], rel=1e-9, abs=1e-15)


@effort(max_examples=60)
@given(rooted())
def test_similarities_are_those_of_nxontology(edges):
    # Its Sánchez differs (a leaf counts itself), so the comparison is by Seco's information.
    oracle = NXOntology()
    oracle.graph.add_edges_from((parent, child) for child, parent in edges)
    oracle.freeze()
    words = sorted(oracle.graph)
    study = study_of({word: {word} for word in words}, edges)
    pairs = [[SimilarityIC(oracle, a, b, "intrinsic_ic") for b in words] for a in words]
    resnik, lin, own, other = (
        np.array([[getattr(pair, name) for pair in row] for row in pairs])
        for name in ("resnik_scaled", "lin", "node_0_ic_scaled", "node_1_ic_scaled")
    )
    oracles = {"resnik": resnik, "lin": lin, "jiang-conrath": 1 / (1 + own + other - 2 * resnik)}
    for name, expected in oracles.items():
        np.testing.assert_allclose(table(study, f"{name}-seco").values, expected, rtol=1e-9, atol=1e-9)


@effort(max_examples=60)
@given(rooted())
def test_structure_measures_by_networkx(edges):
    upward = nx.DiGraph(edges)
    words, (root,) = sorted(upward), [node for node in upward if upward.out_degree(node) == 0]
    depth = {word: max(map(len, nx.all_simple_paths(upward, word, root)), default=1) for word in words}
    links = dict(nx.all_pairs_shortest_path_length(upward.to_undirected()))
    up = dict(nx.all_pairs_shortest_path_length(upward))
    study = study_of({word: {word} for word in words}, edges)
    highest = log(2 * max(depth.values()))

    def by_definition(a, b):
        shared = up[a].keys() & up[b].keys()
        deepest = max(depth[node] for node in shared)
        steps = min(up[a][node] + up[b][node] for node in shared if depth[node] == deepest)
        return {
            "wu-palmer": 2 * deepest / (2 * deepest + steps),
            "path": 1 / (1 + links[a][b]),
            "leacock-chodorow": 1 - log(links[a][b] + 1) / highest,
            "cs3-levels": exp(-0.2 * (depth[a] + depth[b] - 2 * deepest)) * tanh(0.6 * (deepest - 1)),
        }

    expected = [[by_definition(a, b) for b in words] for a in words]
    for name in expected[0][0]:
        of_name = [[values[name] for values in row] for row in expected]
        np.testing.assert_allclose(table(study, name).values, of_name, rtol=1e-9, atol=1e-11)


@effort(max_examples=40)
@given(edges=ANY_EDGES)
def test_tables_of_any_graph(edges):
    words = sorted({word for edge in edges for word in edge})
    study = study_of({"all": {*words, "unknown", "other"}}, edges)
    cyclic = [group for group in nx.strongly_connected_components(nx.DiGraph(edges)) if len(group) > 1]
    places = [[words.index(word) for word in sorted(group)] for group in cyclic]
    for concept, measure in CONCEPT_MEASURES.items():
        values = table(study, concept).values
        assert values.min() >= 0 and values.max() <= 1, concept
        np.testing.assert_array_equal(values, values.T)
        np.testing.assert_array_equal(values / GRAIN, np.round(values / GRAIN))
        strangers = np.eye(len(words) + 2)[-2:]  # "other" and "unknown" sort last
        np.testing.assert_array_equal(values[-2:], strangers)
        if measure.one_with_itself:
            assert np.all(np.diag(values) == 1), concept
        for group in places if measure.content else ():  # concepts of a cycle are as one
            inside = values[np.ix_(group, group)]
            assert np.all(inside == inside[0, 0]), concept


def test_two_trees_have_nothing_in_common_but_a_root_that_is_no_concept():
    study = study_of({"all": {"vein", "nodule", "vessel", "mass"}}, [("vein", "vessel"), ("nodule", "mass")])
    values = {name: table(study, name).similar("vein", "nodule") for name in CONCEPT_MEASURES}
    above = {name for name, value in values.items() if value > 0}
    assert above == {"wu-palmer", *(f"jiang-conrath-{c}" for c in ("seco", "sanchez", "zhou", "corpus"))}
    # Depths: virtual root 1, vessel 2, vein 3: dep' = 1 + 2 links each.
    assert values["wu-palmer"] == pytest.approx(2 / 6, rel=1e-9)


@pytest.mark.parametrize("concept", ["path", "wu-palmer", "lin-corpus", "cs4-levels"])
def test_a_table_in_many_pieces_is_the_same(concept, monkeypatch):
    whole = table(CORPUS, concept).values
    monkeypatch.setattr(making, "ROWS", 3)
    pieces = similarities(CORPUS.graph, CORPUS.concepts, concept)
    np.testing.assert_array_equal(pieces, whole)


def test_too_many_concepts(monkeypatch):
    monkeypatch.setattr(making, "MOST_CONCEPTS", 10)
    with pytest.raises(InputError, match=r"This study has 11 different concepts\. .* for up to 10;"):
        table(CORPUS, "path")


def two_sets(seed):
    """Two sets that may share concepts, and any symmetric similarity of theirs, ties among it."""
    rng = np.random.default_rng(seed)
    words = [f"N{k}" for k in range(7)]
    a, b = ({*rng.choice(words, rng.integers(1, 6), replace=False).tolist()} for _ in range(2))
    steps = int(rng.choice([1, 4, 2**38]))
    upper = np.triu(rng.integers(0, steps + 1, (7, 7)) * (2**38 // steps) * GRAIN, 1)
    return a, b, ConceptTable(tuple(words), upper + upper.T + np.eye(7)).similar


def by_matrix(name, s, shared_rows, shared_columns):
    """Each set measure from the matrix of distances, the way the paper writes them."""
    d = 1 - s
    n_a, n_b = s.shape
    if name == "best-match":
        return 1 - (d.min(axis=1).sum() + d.min(axis=0).sum()) / (n_a + n_b)
    if name == "average-link":
        return 1 - d.mean()
    if name == "hierarchical":
        only_a, only_b = d.mean(axis=1)[~shared_rows].sum(), d.mean(axis=0)[~shared_columns].sum()
        return 1 - (only_a + only_b) / (n_a + n_b - shared_rows.sum())
    small = d if n_a <= n_b else d.T
    rows = range(len(small))
    ways = permutations(range(small.shape[1]), len(small))
    return 1 - min(sum(small[i, way[i]] for i in rows) for way in ways) / len(small)


@pytest.mark.parametrize("name", SET_MEASURES)
@effort(max_examples=120)
@given(case=st.integers(0, 2**32 - 1).map(two_sets))
def test_set_measures_by_another_program(name, case):
    a, b, similar = case
    measure = SET_MEASURES[name].value
    value = measure(a, b, similar)
    left, right = sorted(a), sorted(b)
    s = np.array([[similar(x, y) for y in right] for x in left])
    shared = np.array([x in b for x in left]), np.array([y in a for y in right])
    assert value == pytest.approx(by_matrix(name, s, *shared), abs=1e-9)
    assert measure(b, a, similar) == value  # to the last bit
    assert 0 <= value <= 1
    if SET_MEASURES[name].one_with_itself:
        assert measure(a, a, similar) == 1
    if SET_MEASURES[name].monotone_in_shared:
        assert measure(a | {"new"}, b | {"new"}, similar) >= value
