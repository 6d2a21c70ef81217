"""Distances between Gaussians: the golden values of the spec, closed forms, and laws; fidelity by
neighbours, and KID."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy import linalg
from scipy.spatial.distance import cdist
from scipy.spatial.distance import mahalanobis as scipy_mahalanobis
from sklearn.covariance import LedoitWolf
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.neighbors import NearestNeighbors

from evalcore.features.synthetic.answer_copies import copies_answer
from evalcore.features.synthetic.answer_distances import distances_answer
from evalcore.features.synthetic.answers import Compared
from evalcore.features.synthetic.copies import cosines, memorisation, nearest, self_similarity
from evalcore.features.synthetic.distances import (
    Gaussian,
    all_distances,
    feature_vectors,
    fidelity,
    fit,
    frechet_squared,
    kl_divergence,
    mahalanobis,
    need_shrinkage,
)
from evalcore.features.synthetic.figures import pair_lines
from evalcore.features.synthetic.groups import Material, read_groups, source_of
from evalcore.features.synthetic.measure import ImageSettings
from evalcore.features.synthetic.people import agreement, parse_pairs
from evalcore.features.synthetic.wsi import GroupScore, WsiConfig, wsi_matrix
from evalcore.figures.theme import LIGHT
from evalcore.values.errors import InputError
from tests.study.made import png, write

N0 = Gaussian(np.zeros(2), np.array([[1.0, 0.2], [0.2, 2.0]]), 100)
N1 = Gaussian(np.array([1.0, -1.0]), np.diag([2.0, 1.0]), 100)
NARROW, WIDE = (Gaussian(np.array([m]), np.array([[v]]), 9) for m, v in ((0.0, 1.0), (1.0, 4.0)))


def test_golden():
    assert kl_divergence(N0, N1) == pytest.approx(1.010101354, abs=5e-10)
    assert kl_divergence(N1, N0) == pytest.approx(1.132755789, abs=5e-10)
    assert kl_divergence(N0, N1) + kl_divergence(N1, N0) == pytest.approx(2.142857143, abs=5e-10)
    assert kl_divergence(N0, N0) == pytest.approx(0, abs=1e-12)
    assert kl_divergence(NARROW, WIDE) == pytest.approx(0.4431471806, abs=5e-11)
    assert mahalanobis(np.array([[1.0, -1.0]]), N0) == pytest.approx([1.31707778], abs=5e-9)
    assert mahalanobis(np.zeros((1, 2)), N1) == pytest.approx([1.224744871], abs=5e-10)
    assert frechet_squared(N0, N1) == pytest.approx(2.357377215, abs=5e-10)


def cloud(seed, n, k):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, k)) @ rng.normal(size=(k, k)) + rng.normal(size=k)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_as_scipy(seed, k):
    a, b = (fit(cloud(seed + i, 40, k), shrunk=False) for i in range(2))
    root = linalg.sqrtm(a.covariance @ b.covariance)
    apart = a.mean - b.mean
    fid = apart @ apart + np.trace(a.covariance + b.covariance - 2 * root.real)
    assert frechet_squared(a, b) == pytest.approx(fid, rel=1e-6, abs=1e-6)
    assert frechet_squared(a, b) == pytest.approx(frechet_squared(b, a), rel=1e-9)
    inverse = np.linalg.inv(b.covariance)
    point = cloud(seed, 1, k)
    assert mahalanobis(point, b)[0] == pytest.approx(scipy_mahalanobis(point[0], b.mean, inverse), rel=1e-6)
    volumes = np.log(np.linalg.det(b.covariance) / np.linalg.det(a.covariance))
    plain = 0.5 * (np.trace(inverse @ a.covariance) + apart @ inverse @ apart - k + volumes)
    assert kl_divergence(a, b) == pytest.approx(plain, rel=1e-6, abs=1e-8) and kl_divergence(a, b) >= 0


def test_fewer_images_than_dimensions_are_shrunk():
    few, many = cloud(0, 10, 20), cloud(0, 50, 20)
    assert need_shrinkage(few) and need_shrinkage(many, few) and not need_shrinkage(many)
    with pytest.raises(InputError, match="10 images in 20 dimensions cannot be inverted"):
        kl_divergence(fit(few, shrunk=False), fit(few, shrunk=False))
    shrunk, reference = fit(few, shrunk=True), LedoitWolf().fit(few)
    assert shrunk.covariance == pytest.approx(reference.covariance_)
    assert shrunk.shrinkage == pytest.approx(reference.shrinkage_) and 0 < shrunk.shrinkage < 1
    assert kl_divergence(shrunk, shrunk) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("vectors", [np.zeros((0, 2)), np.zeros((1, 2)), np.ones((5, 2))])
def test_no_spread_is_said(vectors):
    with pytest.raises(InputError, match="spread cannot be estimated"):
        fit(vectors, shrunk=True)


REAL = np.random.default_rng(0).normal(size=(60, 3))


def test_groups_without_distances_have_none():
    hurt = np.vstack([REAL[:5], np.full((1, 3), np.nan)])
    groups = {"single": REAL[:1], "hurt": hurt, "none": np.full((2, 3), np.nan)}
    distances = all_distances({"real": REAL, **groups})
    assert [row["kl_sum"] is None for row in distances.rows] == [False, True, False, True]
    assert distances.each["single"].shape == (1,) and np.isnan(distances.each["hurt"][5])


def test_features_as_vectors_in_spreads_of_the_real_images():
    names = ["x", "y", "z", "flat"]
    real = pd.DataFrame([[0, 1, 5, 2], [4, np.nan, 6, 2.0]], columns=names)
    other = pd.DataFrame([[6, 1, np.inf, 2.0]], columns=names)
    own, group = feature_vectors({"real": real, "other": other}).values()
    assert own.tolist() == [[-1.0], [1.0]] and group.tolist() == [[2.0]]
    with pytest.raises(InputError, match="images have no vectors"):
        feature_vectors({"real": real[["flat"]], "other": other[["flat"]]})
    for size in (1e-300, 1.0):  # of which the square of the quotient would overflow
        with pytest.raises(InputError, match=r"other: x is more than 1e\+40 spreads .*Use the same units"):
            feature_vectors({"real": real * size, "other": other.assign(x=[1e100])})


# Fidelity and variety by neighbours, and KID.


def test_as_scikit_learn_has_neighbours_and_kernels():
    rng = np.random.default_rng(0)
    real, other = rng.normal(size=(40, 6)), rng.normal(0.3, 1.2, size=(30, 6))

    def reach(images):
        return NearestNeighbors(n_neighbors=6).fit(images).kneighbors(images)[0][:, 5]

    apart = np.linalg.norm(real[:, None] - other[None], axis=2)
    inside = apart <= reach(real)[:, None]
    values = fidelity(real, other)
    assert values["precision"] == pytest.approx(inside.any(0).mean())
    assert values["density"] == pytest.approx(inside.sum() / 5 / 30)
    assert values["coverage"] == pytest.approx(inside.any(1).mean())
    assert values["recall"] == pytest.approx((apart <= reach(other)).any(1).mean())
    own, others, across = (
        polynomial_kernel(a, b, degree=3, gamma=1 / 6, coef0=1)
        for a, b in ((real, real), (other, other), (real, other))
    )
    off = [kernel[~np.eye(len(kernel), dtype=bool)].mean() for kernel in (own, others)]
    assert values["kid"] == pytest.approx(sum(off) - 2 * across.mean())


def test_groups_beside_halves_of_the_real_images():
    """Same images, images of another place, and half of the kinds: fidelity and variety are told apart."""
    rng = np.random.default_rng(1)
    centres = np.array([[0.0, 0], [30, 0]])
    real = np.vstack([centres[i % 2] + rng.normal(size=2) for i in range(120)])
    groups = {
        "same": np.vstack([centres[i % 2] + rng.normal(size=2) for i in range(100)]),
        "far": rng.normal(size=(100, 2)) + 200,
        "one kind": rng.normal(size=(100, 2)),
        "few": real[:4],
    }
    rows = all_distances({"real": real, **groups}).rows
    halves, same, far, one_kind, few = rows
    assert halves["group"] == "real, one half" and halves["n"] == 60
    assert same["frechet_squared"] < halves["frechet_squared"] < far["frechet_squared"]
    assert same["precision"] > 0.8 and same["coverage"] > 0.8
    assert far["precision"] == far["coverage"] == 0
    assert one_kind["precision"] > 0.8 and 0.3 < one_kind["coverage"] < 0.6
    assert far["kl_sum"] == pytest.approx(far["kl_group_real"] + far["kl_real_group"])
    assert abs(same["kid"]) < one_kind["kid"] < far["kid"]
    assert few["kid"] is None and all_distances({"real": real, **groups}).rows == rows


# Scores against people who say which of two images is better, by hand.


def scores(**values):
    """Scores of images of one group."""
    return pd.DataFrame({"group": "g", "image": list(values), "wsi": list(values.values())})


def matrix(confusion):
    """Rows: people chose the first, the second, neither; columns: the score."""
    assert [row["people"] for row in confusion] == ["first", "second", "tie"]
    return [[row[choice] for choice in ("first", "second", "tie")] for row in confusion]


def test_choices_between_two_by_hand():
    """People: a, b, tie, a, c. The score prefers a to b and to c, calls b and c equal: right about a-b, tie
    b-c, a-c."""
    text = "first,second,better,rater\na,b,a,x\na,b,b,y\nb,c,tie,x\na,c,first,x\nc,a,c,y\na,z,a,x\n"
    pairs, report = parse_pairs(text.encode(), file="p.csv")
    assert not report.problems and len(pairs) == 6
    (row,), confusion = agreement(scores(a=0.9, b=0.5, c=0.5), pairs)
    assert (row["score"], row["n"], row["agreement"]) == ("wsi", 5, 3 / 5)  # z has no score
    assert matrix(confusion) == [[2, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert 0 <= row["low"] <= row["agreement"] <= row["high"] <= 1
    (few,), _ = agreement(scores(a=1.0, b=0.0), pairs)
    assert few["n"] == 2 and np.isnan(few["agreement"])


def test_images_of_one_id_in_two_groups_are_written_with_their_group():
    pairs, _ = parse_pairs(b"first,second,better\ng/a,h/a,h/a\nb,h/a,tie\na,b,a\n", file="p.csv")
    both = scores(a=0.1, b=0.2)
    both.loc[2] = ("h", "a", 0.3)
    assert matrix(agreement(both, pairs)[1]) == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]


# Self-similarity and nearest training images by hand, on simulated generators; copies by hash.


def test_nearest_by_hand_and_cosines_as_scipy():
    images, similarity = nearest(np.array([[0.2, 0.9, 0.9], [np.nan, np.nan, np.nan], [0.1, np.nan, 0.0]]))
    assert images.tolist() == [1, -1, 0]
    assert similarity == pytest.approx([0.9, np.nan, 0.1], nan_ok=True)
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(5, 7)), rng.normal(size=(4, 7))
    assert cosines(rows, columns) == pytest.approx(1 - cdist(rows, columns, "cosine"))
    assert np.isnan(cosines(np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2))[1]).all()


def test_self_similarity_of_the_specification():
    """The archetypes of the specification: 45 pairs, mean 0.6925925926 (intersection over union)."""
    texts = ["011", "111", "111", "111", "100", "111", "110", "111", "111", "011"]
    rows = np.array([[c == "1" for c in text] for text in texts])
    rows, own = np.vstack([rows, rows[:3]]), np.arange(13) >= 10
    shared = (rows[:, None] & rows[None]).sum(axis=2) / (rows[:, None] | rows[None]).sum(axis=2)
    assert self_similarity(shared, ~own) == pytest.approx(0.6925925926, abs=5e-11)
    assert np.isnan(self_similarity(shared, np.arange(13) == 0))  # one image has no pair


def group(rows, name):
    rows = np.array(rows, np.int8)
    ids = [f"{name}{i}" for i in range(len(rows))]
    return GroupScore(name, pd.Series(np.nan, ids), rows, 0, 0, 0)


TRAINING = group([[1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 1, 1]], "r")
GENERATED = group([[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]], "f")
WEIGHTS, CONFIG = np.array([2.0, 1.0, 1.0, 0.5]), WsiConfig(alpha=0.2, beta=0.8, seed=3)


def test_pairs_and_nearest_by_the_measure_itself():
    vectors = np.eye(4), np.vstack([np.eye(4)[0], np.eye(4)[0] + np.eye(4)[1], np.full(4, np.nan)])
    copies = memorisation(TRAINING, GENERATED, vectors, weights=WEIGHTS, config=CONFIG)
    rows = np.vstack([TRAINING.presence, GENERATED.presence])
    both = wsi_matrix(rows, rows, WEIGHTS, CONFIG)
    both = (both + both.T) / 2
    own = [both[i, j] for i, j in ((4, 5), (4, 6), (5, 6))]
    assert copies.pairs[1] == pytest.approx(own) and len(copies.pairs[0]) == 6
    pairs, by_wsi, by_cosine = copies.means
    assert pairs["generated"] == pytest.approx(np.mean(own))
    assert pairs["training"] == pytest.approx(copies.pairs[0].mean())
    assert by_wsi["generated"] == pytest.approx(both[4:, :4].max(axis=1).mean())
    among = both[:4, :4] - np.eye(4) * 9  # but for itself
    assert by_wsi["training"] == pytest.approx(among.max(axis=1).mean())
    assert (by_cosine["n_generated"], by_cosine["n_training"]) == (3, 4)
    near = pd.DataFrame(copies.nearest).set_index("image")
    assert near["wsi"].tolist() == pytest.approx(both[4:, :4].max(axis=1))
    assert near["nearest_wsi"].tolist()[:2] == ["r0", "r0"]
    assert near["cosine"].tolist() == pytest.approx([1.0, np.sqrt(0.5), np.nan], nan_ok=True)


def picture(seed):
    values = np.random.default_rng(seed).integers(0, 255, (9, 9)).astype(np.uint8)
    return Image.fromarray(values).resize((90, 90), Image.Resampling.BICUBIC)


def test_copies_of_training_pictures_are_said_first(tmp_path):
    made = [picture(1).resize((60, 60)), picture(4), picture(5)]
    for name, some in {"real": [picture(1), picture(2), picture(3)], "made": made}.items():
        write(tmp_path / name, {f"{name[0]}{i}.png": png(image) for i, image in enumerate(some)})
    sources = [source_of(name, tmp_path / name) for name in ("real", "made")]
    material, _ = read_groups(sources, settings=ImageSettings(64))
    compared = Compared(material, WsiConfig(), "uniform", ImageSettings(64))
    answer = copies_answer(compared)
    assert [copy[:3] for copy in answer.part("near_duplicates").table.rows] == [("made", "m0", "r0")]
    assert answer.lead[0].startswith("Made: 1 image near-identical to a training image")


def compared_tables(real, made, pairs=()):
    """Two groups of features without pictures."""
    tables = {
        name: pd.DataFrame(rows, [f"{name[0]}{i}" for i in range(len(rows))], ["a", "b", "c"])
        for name, rows in {"real": real, "made": made}.items()
    }
    return Compared(Material(tables, {}, ""), WsiConfig(), "uniform", ImageSettings(), pairs)


def test_images_as_near_as_training_images_are_no_sign_of_copies():
    """Each has a twin among the training images, as each of these has; cosines are rounded."""
    values = np.random.default_rng(34).random((5, 3))
    answer = copies_answer(compared_tables(np.repeat(values, 2, axis=0), values[:2]))
    assert answer.part("similarities").table.rows[2]["training"] == pytest.approx(1)
    assert answer.lead == ["Made: no sign of copies or of little variety."]


def test_judgments_of_images_without_a_score_are_counted():
    pairs, _ = parse_pairs(b"first,second,better\nm0,m1,m0\nm0,r1,r1\nm2,M1,tie\n", file="p.csv")
    (part,) = distances_answer(compared_tables(REAL, REAL[:9] + 1, pairs)).parts[3:4]
    assert part.key == "pairs" and "Left out: 2 judgments of images without a score" in part.note


def test_the_nearest_group_is_called_so_beside_others_only():
    compared = compared_tables(REAL, REAL[:9] + 1)
    assert distances_answer(compared).lead[0].startswith("Made has a squared Fréchet distance of ")
    more = compared.material.features | {"far": compared.material.features["made"] + 9}
    (lead,) = distances_answer(replace(compared, material=Material(more, {}, ""))).lead
    assert lead.startswith("Made is nearest to the real images (squared ") and ", far farthest (" in lead


def test_shares_of_pairs_that_are_drawn_add_up():
    drawn = pair_lines({"r": np.full(8, 0.1), "g": np.linspace(0, 1, 50)}, theme=LIGHT)
    assert [sum(trace.y[::2]) for trace in drawn.figure.data] == pytest.approx([1.0, 1.0])
    assert "r 0.100, g 0.500" in drawn.alt
