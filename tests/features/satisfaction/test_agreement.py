"""Agreement with satisfaction: the real study by a few lines of pandas and scipy, laws, and by hand."""

from __future__ import annotations

from dataclasses import replace

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evalcore.features.satisfaction.agreement import MEASURES, SUBSETS, Choices, Evaluation, too_narrow
from evalcore.features.satisfaction.data import Satisfaction, cleanse, read_study
from evalcore.features.satisfaction.parts import agreement, published, sizes, variance
from evalcore.values.errors import SettingError

SEEDS = st.integers(0, 10_000)


def made_up(*, seed: int, n_users: int = 36, queries_each: int = 30) -> Satisfaction:
    """Ten rows of three to six images a query, and people who mark the mean of what they look at, 1 to 5.

    Each has a habit of their own to praise or to complain, and gives up at a rank of their own.
    """
    rng, n = np.random.default_rng(seed), n_users * queries_each
    ends = np.cumsum(rng.integers(3, 7, (n, 10)), axis=1)
    ranks = np.arange(int(ends[:, -1].max()))
    shown = ranks < ends[:, -1:]
    row_of = (ranks[np.newaxis, :, np.newaxis] >= ends[:, np.newaxis, :]).sum(axis=2)
    relevance = np.clip(rng.normal(rng.uniform(0.3, 0.75, (n, 1)), 0.15, shown.shape), 0, 1).round(2)
    user_of = np.repeat(np.arange(n_users, dtype=np.int32), queries_each)
    looked = np.where(shown, rng.uniform(0.93, 0.99, (n_users, 1))[user_of] ** ranks, 0.0)
    worth = (relevance * looked).sum(axis=1) / looked.sum(axis=1) + rng.normal(0.0, 0.2, n)
    middle, width = rng.normal(0.45, 0.15, n_users)[user_of], rng.uniform(0.1, 0.3, n_users)[user_of]
    return Satisfaction(
        queries=tuple(f"q{i:05d}" for i in range(n)),
        users=tuple(f"u{i:03d}" for i in range(n_users)),
        user_of=user_of,
        satisfaction=np.clip(np.round(3 + (worth - middle) / width), 1, 5),
        relevance=np.where(shown, relevance, np.nan),
        row_of=np.where(shown, row_of, 0).astype(np.int32),
        shown=shown,
        scale=(0.0, 1.0),
        unrated=0,
        judgments=int(shown.sum()),
        what="made up",
        sessions=("",) * n,
    )


def evaluated(data, *, without=(), **choices):
    choices = Choices(**{"n_resamples": 10, **choices})
    return Evaluation(data, cleanse(data, depth=choices.depths[-1], without=without), choices)


def at(evaluation, metric, depth=10):
    (row,) = [d for d in evaluation.differences if (d.metric, d.depth) == (metric, depth)]
    return row


@pytest.fixture(scope="module")
def real(real_dir):
    names = ("relevance.csv", "satisfaction.csv")
    files = [(real_dir / "satisfaction" / name).read_bytes() for name in names]
    data, report = read_study(*files, names=names, scale=(0, 3))
    assert report.problems == () and data is not None
    return data


@pytest.fixture(scope="module")
def of_real(real):
    return evaluated(real)


@pytest.fixture(scope="module")
def frames(real_dir):
    """Lists (queries x positions, 0 to 1) and satisfaction per participant 0 to 1, by pandas alone."""
    lists, rated = (
        pd.read_csv(real_dir / f"satisfaction/{name}.csv") for name in ("relevance", "satisfaction")
    )
    wide = lists.pivot(index="query", columns="position", values="relevance") / 3
    rated = rated.set_index("query").loc[wide.index]
    marks = rated.groupby("user").satisfaction.transform(lambda s: (s - s.min()) / (s.max() - s.min()))
    return wide.to_numpy(), marks.to_numpy(), rated


def test_real_rbp_by_pandas_and_scipy(real, of_real, frames):
    """.2333 with all four steps of the cleansing, which drop nothing here; .2311 on the marks as given."""
    lists, marks, rated = frames
    rbp = np.round(lists @ (0.05 * 0.95 ** np.arange(10)), 10)  # equal on paper is equal: else .2329
    expected = stats.spearmanr(rbp, marks)
    assert round(expected.statistic, 4) == 0.2333
    original = at(of_real, "RBP").original
    assert original.value == pytest.approx(expected.statistic, abs=1e-9)
    assert original.p == pytest.approx(expected.pvalue, rel=1e-6)
    assert (of_real.clean.n_queries, of_real.clean.n_users) == (1119, 36)
    raw = at(evaluated(real, without=["minmax"]), "RBP").original.value
    assert round(raw, 4) == 0.2311
    assert raw == pytest.approx(stats.spearmanr(rbp, rated.satisfaction).statistic, abs=1e-9)
    (counts,) = sizes(of_real).table.records()
    counted = tuple(counts[name] for name in ("n_sessions", "n_users", "n_queries", "n_images"))
    assert counted == (len(rated.groupby(["user", "task"])), 36, 1119, 11190)


def test_real_measures_by_pandas_and_scipy(of_real, frames):
    lists, marks, _ = frames
    best = np.maximum.accumulate(lists, axis=1)
    beside = np.where(best > 0, lists * lists / np.where(best > 0, best, 1), 0)
    gains = pd.DataFrame(beside.T).expanding().mean().T.to_numpy()  # ten images: the window is never full
    for gain, g in (("original", lists), ("aware", gains)):
        expected = {"CG": g.sum(axis=1), "AVG": g.mean(axis=1), "MAX": g.max(axis=1)}
        expected |= {"DCG": g @ (1 / np.log2(np.arange(2, 12))), "RBP": g @ 0.95 ** np.arange(10)}
        for metric, column in expected.items():
            rho = stats.spearmanr(np.round(column, 10), marks).statistic
            row = at(of_real, metric)
            assert getattr(row, gain).value == pytest.approx(rho, abs=1e-9), (metric, gain)
    row = at(of_real, "RBP")
    columns = (np.round(g @ 0.95 ** np.arange(10), 10) for g in (lists, gains))
    assert row.r12 == pytest.approx(stats.spearmanr(*columns).statistic, abs=1e-9)
    assert row.difference < 0 and row.p_corrected >= row.p


def test_real_intervals_hold_what_scipy_finds_over_resampled_people(real, frames):
    lists, marks, rated = frames
    evaluation = evaluated(real, depths=(10,), n_resamples=1_000, seed=3)
    rbp, rng, rho = lists @ 0.95 ** np.arange(10), np.random.default_rng(8), []
    rows = list(rated.reset_index().groupby("user").indices.values())
    for _ in range(400):
        drawn = np.concatenate([rows[i] for i in rng.integers(0, len(rows), len(rows))])
        rho.append(stats.spearmanr(rbp[drawn], marks[drawn]).statistic)
    original = at(evaluation, "RBP").original
    assert (original.low, original.high) == pytest.approx(np.quantile(rho, [0.025, 0.975]), abs=0.015)


def test_split_by_variance_of_the_real_study(of_real, frames):
    """CG in the quarters, and every query of Figure 3, by numpy and scipy."""
    lists, marks, _ = frames
    spread = lists[:, :5].std(axis=1)
    order, cg = np.argsort(np.round(spread, 10), kind="stable"), np.round(lists.sum(axis=1), 10)
    rhos = {(row.subset, row.metric, row.gain): row.rho for row in of_real.quarters}
    assert {row.n_queries for row in of_real.quarters} == {279}
    best = np.maximum.accumulate(lists[:, :5], axis=1)
    beside = np.where(best > 0, lists[:, :5] ** 2 / np.where(best > 0, best, 1), 0)
    columns = (lists[:, :5].mean(axis=1), spread, beside.std(axis=1), marks)
    dots = np.array([dot[1:] for dot in of_real.dots])
    assert dots == pytest.approx(np.column_stack(columns), abs=1e-12)
    for subset, chosen in zip(SUBSETS, (order[:279], order[-279:]), strict=True):
        rho = rhos[subset, "CG", "original"]
        assert rho.value == pytest.approx(stats.spearmanr(cg[chosen], marks[chosen]).statistic, abs=1e-9)
        assert rho.low < rho.value < rho.high


def test_one_person_has_no_interval_over_people():
    """Every resample of one person is that person: an interval without width would claim certainty."""
    evaluation = evaluated(made_up(seed=1, n_users=1, queries_each=40))
    for some in ([row.rho for row in evaluation.quarters], [d.original for d in evaluation.differences]):
        assert np.isnan([(rho.low, rho.high) for rho in some]).all()
    assert evaluated(made_up(seed=2, n_users=2, queries_each=5), depths=(5,)).quarters == (), "too few"


def test_correlations_that_are_undefined_are_not_counted():
    """Where the first image is always perfect, MAX is the same for all queries."""
    data, rng = made_up(seed=3, n_users=4, queries_each=10), np.random.default_rng(0)
    data.relevance[:, 0] = 1.0
    noise = evaluated(replace(data, satisfaction=rng.permutation(40)), without=["minmax"])
    assert "the highest of 20 correlations" in agreement(noise).answer
    assert " of 5** measures agree better" in variance(noise).answer
    same = evaluated(replace(data, satisfaction=np.ones(40)), without=["minmax"])
    assert "is the same for all queries (40 queries of 4 participants)" in agreement(same).answer
    assert "No measure has a correlation" in variance(same).answer


@pytest.mark.parametrize(
    ("choices", "words"),
    [({"depths": ()}, "numbers of rows"), ({"depths": (0, 5)}, "of rows"), ({"windows": (0,)}, "of images")],
)
def test_choices_that_cannot_be(choices, words):
    with pytest.raises(SettingError, match=words):
        Choices(**choices)


def test_published_values_are_those_of_the_paper(real_dir):
    """Number by number against the list made from the paper."""
    subsets = {"all": "all", "lowest variance quarter": "lowest variance"}
    listed = pd.read_csv(real_dir.parent / "spec" / "published_cag.csv")
    assert len(listed) == len(published()) == 60
    for row in listed.itertuples():
        subset = subsets.get(row.subset, "highest variance")
        key = (int(row.dataset.split()[-1]), row.rows, row.metric.split("(")[0], row.gain, subset)
        assert published()[key] == (row.spearman, row.difference_significant == "yes")


@pytest.mark.parametrize(("n", "few"), [(1, False), (2, True), (19, True), (20, False)])
def test_intervals_of_fewer_than_20_participants_are_said_to_be_narrow(n, few):
    data = made_up(seed=0, n_users=n, queries_each=3)
    assert bool(too_narrow(evaluated(data, without=["few", "minmax"]))) == few


@pytest.mark.nightly
def test_few_participants_give_intervals_that_are_too_narrow():
    """Of 100 studies of 5 people far fewer than 95 hold the correlation of a study of 300; it is said."""
    true = at(evaluated(made_up(seed=10**6, n_users=300), n_resamples=1), "CG").original.value
    drawn = (evaluated(made_up(seed=seed, n_users=5), n_resamples=100) for seed in range(100))
    ends = [at(evaluation, "CG").original for evaluation in drawn]
    assert 65 <= sum(rho.low <= true <= rho.high for rho in ends) <= 92


# Laws, on studies drawn at random.


def drawn(seed):
    return made_up(seed=seed, n_users=4, queries_each=6)


def rhos(data, *, without=(), **choices):
    rows = evaluated(data, without=without, depths=(3, 10), n_resamples=1, **choices).differences
    return np.array([rho.value for d in rows for rho in (d.original, d.aware)])


@settings(max_examples=15)
@given(SEEDS)
def test_only_the_order_of_marks_counts_and_no_scale_of_a_person(seed):
    """With satisfaction from 0 to 1 per participant nobody's habit to praise or complain decides."""
    data, rng = drawn(seed), np.random.default_rng(seed)
    usual, stretched, backwards = (
        rhos(replace(data, satisfaction=marks), without=["minmax"])
        for marks in (data.satisfaction, data.satisfaction**3 - 7, -data.satisfaction)
    )
    assert usual == pytest.approx(stretched, nan_ok=True)
    assert usual == pytest.approx(-backwards, nan_ok=True)
    plus, times = rng.uniform(-9, 9, 4)[data.user_of], rng.uniform(0.5, 4, 4)[data.user_of]
    other = replace(data, satisfaction=plus + times * data.satisfaction)
    assert rhos(data) == pytest.approx(rhos(other), nan_ok=True)


@settings(max_examples=15)
@given(SEEDS, st.floats(0.1, 1))
def test_a_smaller_scale_of_relevance_changes_nothing_but_err(seed, factor):
    """Context-aware gain and all sums of it grow with the relevance; ERR alone asks how good 1 is."""
    data = drawn(seed)
    usual, smaller = rhos(data), rhos(replace(data, relevance=factor * data.relevance))
    keep = np.tile(np.arange(12) < 10, 2)
    assert usual[keep] == pytest.approx(smaller[keep], abs=1e-9, nan_ok=True)


@settings(max_examples=10)
@given(SEEDS)
def test_a_window_of_one_and_rising_lists(seed):
    """Where no image is worse than one before it, and each stands alone, both gains are the relevance."""
    data = drawn(seed)
    rising = np.where(data.shown, np.sort(np.where(data.shown, data.relevance, 2.0), axis=1), np.nan)
    both = rhos(replace(data, relevance=rising), window=1)
    assert both[::2] == pytest.approx(both[1::2], nan_ok=True)


# By hand: workers and windows.

JUDGED = {  # query, row, column: judgments of three workers
    ("q1", 1, 1): (80, 60, None),
    ("q1", 1, 2): (20, 40, 30),
    ("q1", 2, 1): (-1, 50, -2),
    ("q1", 2, 2): (100, 90, 95),
    ("q2", 1, 1): (-1, None, -1),
    ("q2", 1, 2): (10, 10, 40),
    ("q3", 1, 1): (0, 30, 0),
}
RATED = "query,user,satisfaction,session\nq1,anna,4,s1\nq2,anna,2,s1\nq3,ben,1,s1\nq1,ben,5,s2\n"


def logged(judged, rated=RATED):
    values = ((place, i, v) for place, row in judged.items() for i, v in enumerate(row) if v is not None)
    rows = (f"{q},{r},{c},{v},w{i}" for (q, r, c), i, v in values)
    lists = "\n".join(["query,row,column,relevance,worker", *rows]).encode()
    data, report = read_study(lists, rated.encode(), names=("r", "s"), scale=(0, 100))
    assert report.problems == ()
    return data


def test_table_1():
    """Sessions are a person's own: s1 of anna, s1 of ben and s2 of ben. q1, rated twice, is shown once."""
    (counts,) = sizes(evaluated(logged(JUDGED), without=["few", "minmax"], depths=(1,))).table.records()
    counted = {"n_sessions": 3, "n_users": 2, "n_queries": 3, "n_images": 7, "n_judgments": 19, "kept": 4}
    assert counted.items() <= counts.items()
    assert (counts["n_workers"], counts["invalid"], counts["shared"]) == (3, 4, 5)
    table = np.array([[np.nan if v is None or v < 0 else v for v in vs] for vs in JUDGED.values()], float).T
    assert counts["alpha"] == pytest.approx(krippendorff.alpha(table, level_of_measurement="ordinal"))


def test_windows_by_hand():
    """Either discount over r' averaged in a window, written out, against scipy's rho."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 101, (8, 3))
    judged = {(f"q{q}", 1, c + 1): (int(v),) for q, row in enumerate(values) for c, v in enumerate(row)}
    marks = rng.permutation(8)
    rated = "query,user,satisfaction\n" + "\n".join(f"q{q},u,{m}" for q, m in enumerate(marks))
    rows = evaluated(logged(judged, rated), windows=(2,), depths=(1,)).by_window
    assert [row.discount for row in rows] == ["RBP", "DCG"]
    for row, weights in zip(rows, ((0.05, 0.0475, 0.045125), (1, 1 / np.log2(3), 1 / 2)), strict=True):
        expected, plain = [], []
        for a, b, c in values / 100:
            b2 = b * b / max(a, b) if b else 0
            c2 = c * c / max(a, b, c) if c else 0
            expected.append(np.dot((a, (a + b2) / 2, (b2 + c2) / 2), weights) / 3)
            plain.append(np.dot((a, b, c), weights) / 3)
        assert row.rho.value == pytest.approx(stats.spearmanr(expected, marks).statistic)
        assert row.original == pytest.approx(stats.spearmanr(plain, marks).statistic)


@pytest.mark.parametrize(
    ("choices", "measure", "values"),
    [
        ({}, "DCG", (0.337038936, 0.08198087616, 0.4300958551)),
        ({"sums": True}, "DCG", (1.68519468, 0.491885257, 2.580575131)),
        ({"average": "images"}, "AVG", (0.48, 0.2013888889, 0.7052777778)),
        ({"stop_by": "gain", "sums": True}, "ERR", (0.5285347475, 0.09087344311, 0.6647182991)),
        ({"divide_by": "window", "sums": True}, "CG", (2.0, 0.56875, 3.263333333)),
    ],
)
def test_other_readings_of_context_aware_gain(choices, measure, values):
    """Lists f1 to f3 of the specification, each in a window of its own."""
    lists = (((80, 90), (30, 0, 60)), ((0, 0, 50), (100, 25, 75)), ((100, 90, 80, 70), (60, 50)))
    for rows, window, expected in zip(lists, (2, 10, 3), values, strict=True):
        judged = {("q1", r, c): (v,) for r, row in enumerate(rows, 1) for c, v in enumerate(row, 1)}
        data = logged(judged, "query,user,satisfaction\nq1,anna,4\n")
        evaluation = evaluated(data, without=["few", "minmax"], depths=(2,), window=window, **choices)
        value = evaluation.values([2])[0, 2 * MEASURES.index(measure) + 1]
        assert value == pytest.approx(expected, rel=1e-9)
