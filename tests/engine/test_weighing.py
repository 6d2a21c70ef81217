"""Relevance in which some concepts weigh more: by hand, by a naive oracle, and the unweighted measure."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from evalcore.engine import concepts_counted, ideal_gains, rank, relevance_of_pairs
from evalcore.relevance.explain import explain
from evalcore.relevance.registry import RELEVANCE, describe, offered, parse_relevance, weighed_ones
from evalcore.values.concept_values import KINDS, UNKNOWN, ConceptKinds
from evalcore.values.errors import InputError, SettingError, UnknownName
from evalcore.values.settings import Settings
from tests.engine.test_engine_equals_plain import KNOWN, RULES, chosen_settings, plain_ranking, studies
from tests.toy import TOY_EDGES, all_pairs, near_by_search, study_of

KIND = {
    "brain": "anatomy",
    "head": "anatomy",
    "vein": "anatomy",
    "vessel": "anatomy",
    "nodule": "finding",
    "mass": "finding",
    "cyst": "finding",
    "ct": "modality",
}


def with_kinds(study, of):
    return replace(study, kinds=ConceptKinds.of_concepts(of, "a test"))


def value(name, a, b, settings=Settings(), edges=TOY_EDGES):
    study = with_kinds(study_of({"a": a, "b": b}, edges), KIND)
    one, other = np.array([0], np.int32), np.array([1], np.int32)
    (found,) = relevance_of_pairs(study, name, one, other, settings)
    return found


# vein - vessel and nodule - mass are one link apart (alpha 1/2); brain is shared; ct is in A alone.
A, B = {"vein", "brain", "nodule", "ct"}, {"vessel", "brain", "mass"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nn-iou", (1 + 0.5 * 4) / 6),
        ("nn-iou[finding]", (0 + 0.5 * 2) / 2),
        ("nn-iou[anatomy]", (1 + 0.5 * 2) / 3),
        ("nn-iou[finding+anatomy]", (1 + 0.5 * 4) / 5),
        ("nn-iou[finding=3,anatomy=1]", (1 + 0.5 * (2 * 3 + 2 * 1)) / (3 * 2 + 3)),
        ("nn-iou[finding=0.3,anatomy=0.1]", 5 / 9),
        ("nn-iou[modality=2,anatomy=1]", (1 + 0.5 * 2) / (2 + 3)),
        ("iou[finding=3,anatomy=1]", 1 / 9),
        ("dice[finding=3,anatomy=1]", 2 / (5 + 5)),
        ("cosine[modality=4,anatomy=1]", 1 / sqrt(6 * 2)),
        ("overlap[modality=4,anatomy=1]", 1 / 2),
        ("nn-iou[device]", 0.0),
    ],
)
def test_by_hand(name, expected):
    assert value(name, A, B) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("rule", "twice"),
    [
        # A' = {cyst 3, vein 1}, B' = {mass 3, vessel 1}: the pairs cyst-mass and vein-vessel.
        ("concepts", 2 * (3 + 3 + 1 + 1)),
        ("pairs", 3 + 3 + 1 + 1),
        ("matching", 3 + 3 + 1 + 1),
        ("matching2", 2 * (3 + 3 + 1 + 1)),
        ("query", 2 * (3 + 1)),
        ("candidate", 2 * (3 + 1)),
    ],
)
def test_count_rules_by_hand(rule, twice):
    settings = Settings(count_rule=rule, alpha=0.5)
    found = value("nn-iou[finding=3,anatomy=1]", {"cyst", "vein"}, {"mass", "vessel"}, settings)
    assert found == 0.5 * twice / 2 / 8


def test_a_match_across_kinds_weighs_what_the_matched_concept_weighs():
    """A finding next to anatomy in the graph: each adds its own weight; nothing where anatomy has none."""
    edges = (("nodule", "brain"),)
    assert value("nn-iou[finding=3,anatomy=1]", {"nodule"}, {"brain"}, edges=edges) == 0.5 * (3 + 1) / 4
    assert value("nn-iou[finding]", {"nodule"}, {"brain"}, edges=edges) == 0.0


def test_of_several_matchings_the_heaviest_counts():
    """vessel (1) could take vein or artery; head weighs more, and only artery is near to it."""
    edges = (("vein", "vessel"), ("artery", "vessel"), ("artery", "head"))
    kinds = {"vein": "finding", "artery": "anatomy", "vessel": "anatomy", "head": "finding"}
    study = with_kinds(study_of({"a": {"vessel", "head"}, "b": {"vein", "artery"}}, edges), kinds)
    settings = Settings(count_rule="matching2", alpha=1.0)
    (found,) = relevance_of_pairs(
        study, "nn-iou[finding=5,anatomy=1]", *np.array([[0], [1]], np.int32), settings
    )
    assert found == (5 + 1 + 1 + 5) / 12


def weight_of(name, kinds, concept):
    """The weight a name in brackets gives, read by the test alone."""
    for part in name.partition("[")[2][:-1].replace("+", ",").split(","):
        kind, _, number = part.partition("=")
        if kinds.get(concept, UNKNOWN) == kind:
            return Fraction(number or 1)
    return Fraction(0)


def naive(name, a, b, kinds, near, settings):
    """The measure as its definition says it, with fractions and all matchings tried."""
    weigh = {x: weight_of(name, kinds, x) for x in a | b}
    a, b = {x for x in a if weigh[x]}, {x for x in b if weigh[x]}
    total = lambda some: sum((weigh[x] for x in some), Fraction(0))  # noqa: E731
    kind = name.partition("[")[0]
    shared, union = total(a & b), total(a | b)
    if not union or (kind != "nn-iou" and not shared):
        return 0.0
    if kind != "nn-iou":
        return {
            "iou": float(shared / union),
            "dice": float(2 * shared / (total(a) + total(b))),
            "cosine": sqrt(shared * shared / (total(a) * total(b))),
            "overlap": float(shared / min(total(a), total(b))),
        }[kind]
    is_near = lambda x, y: 0 < near.get(x, {}).get(y, 0) <= settings.threshold  # noqa: E731
    alone_a, alone_b, rule = sorted(a - b), sorted(b - a), settings.count_rule
    reach = lambda some, others: total(x for x in some if any(is_near(x, y) for y in others))  # noqa: E731
    pairs = lambda left, right: sum(  # noqa: E731
        ((weigh[x] + weigh[y]) / 2 for x in left for y in right if is_near(x, y)), Fraction(0)
    )
    if rule in ("matching", "matching2"):
        short, long = sorted((alone_a, alone_b), key=len)
        found = max(
            sum(((weigh[x] + weigh[y]) / 2 for x, y in zip(short, some) if is_near(x, y)), Fraction(0))  # noqa: B905
            for some in permutations(long, len(short))
        )
        found *= 2 if rule == "matching2" else 1
    else:
        found = {
            "concepts": lambda: reach(alone_a, alone_b) + reach(alone_b, alone_a),
            "concepts_full": lambda: reach(alone_a, b) + reach(alone_b, a),
            "pairs": lambda: pairs(alone_a, alone_b),
            "pairs_all": lambda: pairs(a, b),
            "query": lambda: reach(alone_a, alone_b),
            "candidate": lambda: reach(alone_b, alone_a),
        }[rule]()
    alpha = Fraction(settings.alpha).limit_denominator(1000)
    return float((shared + alpha * found) / union)


WEIGHED = st.builds(
    "{}[{}]".format,
    st.sampled_from(sorted(RELEVANCE)),
    st.sampled_from(
        [
            "finding",
            "finding+unknown",
            "finding=3,anatomy=1",
            "anatomy=0.25,finding=1.5,unknown=0.1,other=2",
            "device=0,anatomy=7",
            "+".join((*KINDS, UNKNOWN)),
            "unknown=2,finding=2",
        ]
    ),
)
SOME_KINDS = st.dictionaries(st.sampled_from(KNOWN), st.sampled_from(["finding", "anatomy", "other"]))


@effort(max_examples=200, deadline=None)
@given(studies(), SOME_KINDS, WEIGHED, chosen_settings)
def test_all_pairs_are_as_the_definition_says(built, kinds, name, settings):
    sets, edges = built
    study = with_kinds(study_of(sets, edges), kinds)
    found = relevance_of_pairs(study, name, *all_pairs(len(sets)), settings).reshape(len(sets), -1)
    near = near_by_search(edges, threshold=settings.threshold, direction=settings.direction)
    for q, query in enumerate(sorted(sets)):
        for c, candidate in enumerate(sorted(sets)):
            if sets[query] is None:
                assert np.isnan(found[q, c])
                continue
            expected = naive(name, sets[query], sets[candidate] or set(), kinds, near, settings)
            assert found[q, c] == expected or name.startswith("cosine"), (query, candidate)
            assert found[q, c] == pytest.approx(expected, abs=1e-12)


@effort(max_examples=80, deadline=None)
@given(studies(), SOME_KINDS, WEIGHED, chosen_settings, st.integers(0, 6))
def test_rankings_ideals_and_explanations(built, kinds, name, settings, depth):
    sets, edges = built
    study = with_kinds(study_of(sets, edges), kinds)
    everyone = np.arange(len(sets), dtype=np.int32)
    values = relevance_of_pairs(study, name, *all_pairs(len(sets)), settings).reshape(len(sets), -1)
    run = rank(study, name, everyone, candidates=everyone, depth=depth, settings=settings)
    best = ideal_gains(study, name, everyone, candidates=everyone, depth=depth, settings=settings)
    for q in everyone[study.concepts.annotated]:
        expected = plain_ranking(values, q, range(len(sets)), settings)[:depth]
        candidates, scores = run.answer(q)
        assert candidates.tolist() == expected
        assert scores.tolist() == values[q, expected].tolist() == best[q, : len(expected)].tolist()
    q, c = study.image_ids[0], study.image_ids[-1]
    if study.concepts.annotated[[0, -1]].all():
        found = explain(study, q, c, settings=settings, measures=[name])
        label = str(parse_relevance(name))
        assert found.values[label] == values[0, -1]
        assert sum(one.adds for one in found.weighed[label]) == pytest.approx(values[0, -1], abs=1e-12)


@effort(max_examples=60, deadline=None)
@given(
    studies(),
    SOME_KINDS,
    st.sampled_from(sorted(RELEVANCE)),
    chosen_settings,
    st.sampled_from(["1", "0.7", "40"]),
)
def test_equal_weights_are_the_unweighted_measure(built, kinds, measure, settings, weight):
    """Bit for bit: all kinds at one weight, and findings alone as if images held nothing else."""
    sets, edges = built
    study = with_kinds(study_of(sets, edges), kinds)
    pairs = all_pairs(len(sets))
    everything = f"{measure}[{','.join(f'{kind}={weight}' for kind in (*KINDS, UNKNOWN))}]"
    np.testing.assert_array_equal(
        relevance_of_pairs(study, everything, *pairs, settings),
        relevance_of_pairs(study, measure, *pairs, settings),
    )
    kept = {
        image: None if one is None else {x for x in one if kinds.get(x) == "finding"}
        for image, one in sets.items()
    }
    np.testing.assert_array_equal(
        relevance_of_pairs(study, f"{measure}[finding]", *pairs, settings),
        relevance_of_pairs(study_of(kept, edges), measure, *pairs, settings),
    )


def test_weights_so_close_that_loops_must_weigh_give_the_unweighted_ties():
    """Unequal by one in a hundred thousand where no concept has the other kind: the loops with weights."""
    sets = {f"i{k}": {f"C{(k * j) % 9:07d}" for j in range(1, 5)} for k in range(12)}
    study = with_kinds(study_of(sets, [(f"C{k:07d}", f"C{k // 2:07d}") for k in range(1, 9)]), {})
    for rule in RULES:
        settings = Settings(count_rule=rule, threshold=2)
        np.testing.assert_array_equal(
            relevance_of_pairs(study, "nn-iou[unknown=99.999,finding=99.998]", *all_pairs(12), settings),
            relevance_of_pairs(study, "nn-iou", *all_pairs(12), settings),
        )


def test_information_content():
    """Four images: ct on all, chest on two, nodule on one; 7 occurrences, nothing in a graph."""
    sets = {"a": {"ct", "chest", "nodule"}, "b": {"ct", "chest"}, "c": {"ct"}, "d": {"ct"}}
    study = study_of(sets)
    ct, chest, nodule = (round(-log(n / 7) * 10_000) for n in (4, 2, 1))
    assert (ct, chest, nodule) == (5596, 12528, 19459)
    (found,) = relevance_of_pairs(study, "iou[ic]", *np.array([[0], [1]], np.int32), Settings())
    assert found == (ct + chest) / (ct + chest + nodule)
    with pytest.raises(InputError, match="follows from a graph"):
        relevance_of_pairs(study, "iou[ic-seco]", *np.array([[0], [1]], np.int32), Settings())


def test_information_content_by_the_graph():
    """Seco: leaves weigh 1, body with 7 of 13 classes below it 1 - ln 8 / ln 13, unknown concepts 1."""
    study = study_of({"a": {"body", "vein"}, "b": {"body", "elsewhere"}}, TOY_EDGES)
    (found,) = relevance_of_pairs(study, "iou[ic-seco]", *np.array([[0], [1]], np.int32), Settings())
    body = round((1 - log(8) / log(13)) * 10_000)
    assert body == 1893
    assert found == body / (body + 20_000)


def test_which_concepts_count():
    study = with_kinds(study_of({"a": A, "b": {"ct"}, "c": set()}), KIND)
    everyone = np.arange(3, dtype=np.int32)
    assert concepts_counted(study, "nn-iou[finding+anatomy]", everyone).tolist() == [3, 0, 0]
    assert concepts_counted(study, "nn-iou", everyone).tolist() == [4, 1, 0]


def test_names():
    assert str(parse_relevance("nn-iou[anatomy=1, finding=3]")) == "nn-iou[finding=3,anatomy=1]"
    assert str(parse_relevance("iou[ anatomy + finding ]")) == "iou[finding+anatomy]"
    assert parse_relevance("nn-iou[finding=0.5]") == parse_relevance("nn-iou[finding]")
    assert parse_relevance("cosine:a[b]").system == "a[b]"
    with pytest.raises(UnknownName, match="Did you mean: finding"):
        parse_relevance("nn-iou[findin]")
    for wrong in ("finding=-1", "finding=x", "finding=0", "finding+finding", "finding=0.0001", "finding=101"):
        with pytest.raises(SettingError):
            parse_relevance(f"nn-iou[{wrong}]")
    with pytest.raises(UnknownName):
        parse_relevance("matching[finding]")
    assert describe("nn-iou[finding=3,anatomy=1]").formula.startswith("(w(A∩B) + α·w(NN)) / w(A∪B)")


def test_what_is_offered():
    plain = study_of({"a": A, "b": B}, TOY_EDGES)
    assert weighed_ones(plain) == ()
    with pytest.raises(InputError, match=r"kinds\.csv"):
        relevance_of_pairs(plain, "iou[finding]", *np.array([[0], [1]], np.int32), Settings())
    kinds = with_kinds(plain, KIND)
    assert weighed_ones(kinds)[0] == "nn-iou[finding]"
    assert offered(kinds) == offered(plain)
