"""Matched pairs: R@K, ranks and their medians, against naive loops over the matrix of similarities."""

import numpy as np
import pytest

from evalcore import score
from evalcore.evaluate.comparison import compare_all
from evalcore.evaluate.conditions import select
from evalcore.evaluate.summary import ranked, summarise_all
from evalcore.ranking.metrics import parse_metric
from evalcore.study import make_study, with_runs
from evalcore.values.errors import SettingError, UnknownName
from evalcore.values.settings import Settings

N_IMAGES, PER_IMAGE = 24, 2
N_TEXTS = N_IMAGES * PER_IMAGE
METRICS = ("R@1", "R@5", "Recall(pairs)@5", "RR(pairs)", "MeanR(pairs)", "MedR(pairs)")
OWNER = np.arange(N_TEXTS) // PER_IMAGE
"""Each image has two captions."""


def image(i):
    return f"i{i:02}"


def text(j):
    return f"t{j:02}"


@pytest.fixture(scope="module")
def similar():
    rng = np.random.default_rng(3)
    good = OWNER[:, None] == np.arange(N_IMAGES)
    return {name: rng.normal(size=(N_TEXTS, N_IMAGES)) + way * good for name, way in (("m", 2), ("n", 0.5))}


@pytest.fixture(scope="module")
def study(similar):
    return study_of(similar, {image(i): [f"C{i % 5:07}"] for i in range(N_IMAGES)})


def study_of(similar, concepts):
    runs = {
        name: {text(j): {image(i): s[j, i] for i in range(N_IMAGES)} for j in range(N_TEXTS)}
        | {image(i): {text(j): s[j, i] for j in range(N_TEXTS)} for i in range(N_IMAGES)}
        for name, s in similar.items()
    }
    texts = {text(j): {"kind": "text", "text": f"words {j}"} for j in range(N_TEXTS)}
    return make_study(
        concepts=concepts,
        queries=texts | {image(i): {"kind": "image"} for i in range(N_IMAGES)},
        pairs={text(j): image(OWNER[j]) for j in range(N_TEXTS)},
        runs=runs,
    )


def naive(similarities, matched):
    """The measures by sorting one row after the other."""
    first, share = [], []
    for row, good in zip(similarities, matched, strict=True):
        order = sorted(range(len(row)), key=lambda i: (-row[i], i))
        places = [place for place, i in enumerate(order, start=1) if good[i]]
        first.append(places[0])
        share.append(sum(place <= 5 for place in places) / len(places))
    first = np.array(first)
    return [
        (first <= 1).mean(),
        (first <= 5).mean(),
        np.mean(share),
        (1 / first).mean(),
        first.mean(),
        np.median(first),
    ]


@pytest.mark.parametrize("direction", ["text->image", "image->text"])
def test_both_directions_equal_the_naive_loop(study, similar, direction):
    chosen = select(study, [f"direction={direction}"])
    matched = OWNER[:, None] == np.arange(N_IMAGES)
    scores = score(chosen, METRICS, systems=["m", "n"])
    intervals = summarise_all(scores)
    means = [interval.mean for interval in intervals]
    for at, name in enumerate(("m", "n")):
        table = similar[name] if direction == "text->image" else similar[name].T
        good = matched if direction == "text->image" else matched.T
        assert means[at * 6 : at * 6 + 6] == pytest.approx(naive(table, good), abs=1e-12)
    # The lowest mean rank leads, and a query that is found earlier is won.
    assert ranked({"m": intervals[4], "n": intervals[10]})[0] == "m"
    (ranks,) = compare_all([(scores[10], scores[4])])
    assert ranks.difference == pytest.approx(means[4] - means[10])
    assert ranks.wins == np.count_nonzero(scores[4].values < scores[10].values)
    assert ranks.difference < 0 < ranks.lead
    with pytest.raises(SettingError, match="better than any rank"):
        score(chosen, ["MeanR(pairs)"], systems=["m"], settings=Settings(undefined="zero"))


def test_a_match_that_is_not_listed_counts_as_the_last_place(study, similar):
    ranks, unlisted = {}, {}
    for depth in (3, N_IMAGES):
        short = {
            text(j): {image(i): similar["m"][j, i] for i in np.argsort(-similar["m"][j])[:depth]}
            for j in range(N_TEXTS)
        }
        (values,) = score(with_runs(study, {"cut": short}), ["MeanR(pairs)"], systems=["cut"])
        ranks[depth] = values.values
        unlisted[depth] = values.short
    listed = ranks[N_IMAGES] <= 3
    assert 0 < listed.sum() < N_TEXTS
    assert unlisted == {3: N_TEXTS - listed.sum(), N_IMAGES: 0}
    assert ranks[3].tolist() == np.where(listed, ranks[N_IMAGES], N_IMAGES).tolist()


def test_ties_count_as_the_mean_of_all_orders(study):
    # One image matched, of all 24 with equal scores: its expected rank is that of the middle.
    flat = {text(0): {image(i): 1.0 for i in range(N_IMAGES)}}
    tied = with_runs(study, {"flat": flat})
    (values,) = score(
        tied, ["MeanR(pairs)"], systems=["flat"], settings=Settings(ties="expected"), queries=[N_IMAGES]
    )
    assert values.values.tolist() == [(N_IMAGES + 1) / 2]
    with pytest.raises(SettingError, match="MedR"):
        score(tied, ["MedR(pairs)"], systems=["flat"], settings=Settings(ties="expected"))


def test_metric_names_of_the_field_and_unknown_ones(study):
    assert str(parse_metric("R@5")) == "Success(pairs)@5"
    with pytest.raises(SettingError, match="alone"):
        score(study, ["RR(pairs&organ)"])
    without = make_study(concepts={"a": ["C0000001"], "b": []}, runs={"m": {"a": {"b": 1}}})
    with pytest.raises(UnknownName, match=r"pairs\.csv"):
        score(without, ["R@1"])


def test_a_board_finds_every_metric_that_it_was_asked_for(study):
    metrics = ["nDCG(pairs)@5", "P(pairs)@5", "R@5", "MedR(pairs)"]
    board = score(study, metrics, systems=["m"])
    assert [board.of("m", metric).metric for metric in metrics] == list(board.view.metrics)
