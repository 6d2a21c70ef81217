"""Agreement with satisfaction: the real study by a few lines of pandas and scipy, and laws by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalcore.features.satisfaction.agreement import MEASURES, agreement, split, spreads, too_narrow, values
from evalcore.features.satisfaction.data import cleanse
from evalcore.features.satisfaction.published import find, from_files, published
from evalcore.ranking.grid import Reading
from evalcore.stats.correlation import compare_correlations, spearman
from evalcore.values.errors import SettingError
from tests.features.satisfaction.people import made_up

PAPER = Reading(per_image=True)


@pytest.fixture(scope="module")
def real(real_dir):
    folder = real_dir / "satisfaction"
    data, report = from_files(
        (folder / "relevance.csv").read_bytes(),
        (folder / "satisfaction.csv").read_bytes(),
        names=("relevance.csv", "satisfaction.csv"),
        scale=(0, 3),
    )
    assert report.problems == () and data is not None
    return data


@pytest.fixture(scope="module")
def frames(real_dir):
    """Lists (queries x positions, 0 to 1) and satisfaction per participant 0 to 1, by pandas alone."""
    folder = real_dir / "satisfaction"
    wide = (
        pd.read_csv(folder / "relevance.csv").pivot(index="query", columns="position", values="relevance") / 3
    )
    rated = pd.read_csv(folder / "satisfaction.csv").set_index("query").loc[wide.index]
    marks = rated.groupby("user").satisfaction.transform(lambda s: (s - s.min()) / (s.max() - s.min()))
    return wide.to_numpy(), marks.to_numpy(), rated


def test_real_rbp_by_pandas_and_scipy(real, frames):
    """.2333 with all four steps of the cleansing, which drop nothing here; .2311 on the marks as given."""
    lists, marks, rated = frames
    rbp = np.round(lists @ (0.05 * 0.95 ** np.arange(10)), 10)  # equal on paper is equal: else .2329
    found = agreement(cleanse(real, depth=10), reading=PAPER, n_resamples=10)
    expected = stats.spearmanr(rbp, marks).statistic
    assert round(expected, 4) == 0.2333
    assert found.row("RBP", "original", 10).spearman == pytest.approx(expected, abs=1e-9)
    assert found.row("RBP", "original", 10).p == pytest.approx(stats.spearmanr(rbp, marks).pvalue, rel=1e-6)
    assert (found.n_queries, found.n_users) == (1119, 36)
    raw = agreement(cleanse(real, depth=10, without=["minmax"]), reading=PAPER, n_resamples=10)
    as_given = stats.spearmanr(rbp, rated.satisfaction).statistic
    assert round(as_given, 4) == 0.2311
    assert raw.row("RBP", "original", 10).spearman == pytest.approx(as_given, abs=1e-9)


def test_real_measures_by_pandas_and_scipy(real, frames):
    lists, marks, _ = frames
    best = np.maximum.accumulate(lists, axis=1)
    beside = np.where(best > 0, lists * lists / np.where(best > 0, best, 1), 0)
    gains = pd.DataFrame(beside.T).expanding().mean().T.to_numpy()  # ten images: the window is never full
    found = agreement(cleanse(real, depth=10), reading=PAPER, n_resamples=10)
    for gain, g in (("original", lists), ("context-aware", gains)):
        expected = {
            "DCG": g @ (1 / np.log2(np.arange(2, 12))),
            "CG": g.sum(axis=1),
            "AVG": g.mean(axis=1),
            "MAX": g.max(axis=1),
            "RBP": g @ 0.95 ** np.arange(10),
        }
        for metric, column in expected.items():
            rho = stats.spearmanr(np.round(column, 10), marks).statistic
            assert found.row(metric, gain, 10).spearman == pytest.approx(rho, abs=1e-9), (metric, gain)
    one = found.difference("RBP", 10)
    r12 = stats.spearmanr(
        np.round(lists @ 0.95 ** np.arange(10), 10), np.round(gains @ 0.95 ** np.arange(10), 10)
    )
    assert one.r12 == pytest.approx(r12.statistic, abs=1e-9)
    assert one.difference < 0 and one.p_corrected >= one.p


def test_real_intervals_hold_what_scipy_finds_over_resampled_people(real, frames):
    lists, marks, rated = frames
    found = agreement(cleanse(real, depth=10), depths=[10], reading=PAPER, n_resamples=1_000, seed=3)
    rbp, rng, rho = lists @ 0.95 ** np.arange(10), np.random.default_rng(8), []
    rows = list(rated.reset_index().groupby("user").indices.values())
    for _ in range(400):
        drawn = np.concatenate([rows[i] for i in rng.integers(0, len(rows), len(rows))])
        rho.append(stats.spearmanr(rbp[drawn], marks[drawn]).statistic)
    row = found.row("RBP", "original", 10)
    assert (row.ci_low, row.ci_high) == pytest.approx(np.quantile(rho, [0.025, 0.975]), abs=0.015)


def test_all_columns_and_their_order():
    clean = cleanse(made_up(seed=1, n_users=5, queries_each=6), depth=10)
    found = agreement(clean, depths=[10, 5, 5], reading=PAPER, n_resamples=20)
    assert [(o.depth, o.metric, o.gain) for o in found.rows] == [
        (depth, metric, gain)
        for depth in (5, 10)
        for metric in MEASURES
        for gain in ("original", "context-aware")
    ]
    assert [(d.depth, d.metric) for d in found.differences] == [(d, m) for d in (5, 10) for m in MEASURES]
    assert values(clean, [5, 10], PAPER).shape == (clean.n_queries, 24)
    for d in found.differences:
        original, aware = (found.row(d.metric, gain, d.depth) for gain in ("original", "context-aware"))
        assert d.difference == pytest.approx(aware.spearman - original.spearman)
    assert found.best.spearman == max(one.spearman for one in found.rows)


def test_same_seed_same_numbers_and_people_vary_more_than_queries():
    clean = cleanse(made_up(seed=2, n_users=8, queries_each=10), depth=10)
    ask = {"depths": [10], "reading": PAPER, "n_resamples": 200}
    one, again = (agreement(clean, **ask, seed=4) for _ in range(2))
    assert one == again and one != agreement(clean, **ask, seed=5)
    assert agreement(clean, **ask, resample="queries").rows[0].ci_low != one.rows[0].ci_low


def test_one_person_has_no_interval_over_people():
    clean = cleanse(made_up(seed=2, n_users=1, queries_each=30), depth=10)
    found = agreement(clean, depths=[5], reading=PAPER, n_resamples=50)
    assert all(np.isnan(one.ci_low) and not np.isnan(one.spearman) for one in found.rows)
    by_query = agreement(clean, depths=[5], reading=PAPER, n_resamples=50, resample="queries")
    assert all(one.ci_low < one.spearman < one.ci_high for one in by_query.rows)


@pytest.mark.parametrize("depths", [[], [0], [-1, 5]])
def test_depths_that_cannot_be(depths):
    clean = cleanse(made_up(seed=2, n_users=2, queries_each=5), depth=1)
    with pytest.raises(SettingError, match="whole numbers of rows"):
        agreement(clean, depths=depths, reading=PAPER)


def test_split_by_variance_of_the_real_study(real, frames):
    lists, marks, _ = frames
    clean = cleanse(real, depth=10)
    spread = lists[:, :5].std(axis=1)
    assert spreads(clean, 5) == pytest.approx(spread)
    assert spreads(clean, 5, sample=True) == pytest.approx(lists[:, :5].std(axis=1, ddof=1))
    found = split(clean, reading=PAPER, n_resamples=10)
    order = np.argsort(np.round(spread, 10), kind="stable")
    cg = lists.sum(axis=1)
    for subset, chosen in (("lowest variance", order[:279]), ("highest variance", order[-279:])):
        rho = stats.spearmanr(np.round(cg, 10)[chosen], marks[chosen]).statistic
        assert found.row(subset, "CG", "original").spearman == pytest.approx(rho, abs=1e-9)
    assert found.n == 279 and found.tied[0] == int((np.round(spread, 10) == 0).sum())


def test_intervals_of_the_split_draw_what_is_asked_for(real, frames):
    """Queries by themselves, by numpy and scipy: CG in the quarters."""
    lists, marks, _ = frames
    clean, rng = cleanse(real, depth=10), np.random.default_rng(8)
    found = split(clean, reading=PAPER, resample="queries", n_resamples=500, seed=3)
    spread = np.round(lists[:, :5].std(axis=1), 10)
    order, cg = np.argsort(spread, kind="stable"), np.round(lists.sum(axis=1), 10)
    for subset, chosen in (("lowest variance", order[:279]), ("highest variance", order[-279:])):
        draws = chosen[rng.integers(0, 279, (400, 279))]
        rho = [stats.spearmanr(cg[drawn], marks[drawn]).statistic for drawn in draws]
        row = found.row(subset, "CG", "original")
        assert (row.ci_low, row.ci_high) == pytest.approx(np.quantile(rho, [0.025, 0.975]), abs=0.03)


def test_one_participant_gives_no_interval():
    """Every resample of one person is that person: an interval without width would claim certainty."""
    clean = cleanse(made_up(seed=1, n_users=1, queries_each=40), depth=10)
    found = split(clean, reading=PAPER, n_resamples=10)
    assert np.isnan([(a.ci_low, a.ci_high) for _, a in found.rows]).all()
    found = split(clean, reading=PAPER, n_resamples=10, resample="queries")
    assert all(a.ci_low < a.ci_high for _, a in found.rows)


def test_too_few_queries_for_a_split():
    clean = cleanse(made_up(seed=2, n_users=2, queries_each=5), depth=5)
    assert split(clean, reading=PAPER, depth=5) is None
    with pytest.raises(SettingError, match="share"):
        split(clean, reading=PAPER, share=0.6)


def test_published_values_are_those_of_the_paper(real_dir):
    """Number by number against the list made from the paper."""
    subsets = {"all": "all", "lowest variance quarter": "lowest variance"}
    listed = pd.read_csv(real_dir.parent / "spec" / "published_cag.csv")
    assert len(listed) == len(published()) == 60
    for row in listed.itertuples():
        subset = subsets.get(row.subset, "highest variance")
        metric, data_set = row.metric.split("(")[0], int(row.dataset.split()[-1])
        found = find(metric, row.gain, row.rows, data_set=data_set, subset=subset)
        assert found is not None and found.spearman == row.spearman and found.n_queries == row.n_queries
        said = {"yes": True, "no": False}.get(row.difference_significant)
        assert found.significant is said and found.table == row.table


@pytest.mark.parametrize(("n", "few"), [(1, False), (2, True), (19, True), (20, False)])
def test_intervals_of_fewer_than_20_participants_are_said_to_be_narrow(n, few):
    assert bool(too_narrow(SimpleNamespace(resample="users", n_users=n))) == few
    assert too_narrow(SimpleNamespace(resample="queries", n_users=n)) == ""


def test_williams_test_holds_its_level_where_nothing_agrees():
    """Seed 2019: satisfaction dealt out anew 1,000 times, so that no measure agrees with it."""
    clean = cleanse(made_up(seed=0), depth=10)
    columns = values(clean, [10], PAPER)
    rng, false = np.random.default_rng(2019), np.zeros(6)
    between = [spearman(columns[:, j], columns[:, j + 1]) for j in range(0, 12, 2)]
    ranks = stats.rankdata(columns, axis=0)
    ranks = (ranks - ranks.mean(axis=0)) / ranks.std(axis=0)
    for _ in range(1_000):
        marks = stats.rankdata(rng.permutation(clean.satisfaction))
        rho = ranks.T @ ((marks - marks.mean()) / marks.std()) / len(marks)
        p = [
            compare_correlations(rho[j + 1], rho[j], between[j // 2], len(marks), test="williams").p
            for j in range(0, 12, 2)
        ]
        false += np.array(p) < 0.05
    low, high = stats.binom.ppf([0.001, 0.999], 1_000, 0.05)
    assert (low <= false).all() and (false <= high).all(), false


@pytest.mark.nightly
def test_few_participants_give_intervals_that_are_too_narrow():
    """Of 100 studies of 5 people far fewer than 95 hold the correlation of a study of 300; it is said."""
    ask = {"depths": [10], "reading": PAPER}
    many = cleanse(made_up(seed=10**6, n_users=300), depth=10)
    true = agreement(many, **ask, n_resamples=1).row("CG", "original", 10).spearman
    held = 0
    for seed in range(100):
        found = agreement(cleanse(made_up(seed=seed, n_users=5), depth=10), **ask, n_resamples=100)
        row = found.row("CG", "original", 10)
        held += row.ci_low <= true <= row.ci_high
    assert 65 <= held <= 92
    assert "fewer than 20 participants are too narrow" in too_narrow(found)
    assert too_narrow(agreement(many, **ask, n_resamples=1)) == ""
