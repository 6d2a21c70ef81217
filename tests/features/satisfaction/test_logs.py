"""Input as logs come, and what is made of it: workers, places on the page, windows, Figure 3."""

from __future__ import annotations

import csv
import json

import krippendorff
import numpy as np
import pytest
from scipy import stats

from evalcore.cli import run
from evalcore.features.satisfaction.agreement import counts, dots, swept
from evalcore.features.satisfaction.data import cleanse
from evalcore.features.satisfaction.published import from_files
from evalcore.features.satisfaction.read import parse_relevance
from evalcore.ranking.grid import Reading

RATED = "query,user,satisfaction,session\nq1,anna,4,s1\nq2,anna,2,s1\nq3,ben,1,s1\nq1,ben,5,s2\n"
HEAD = "query,row,column,relevance,worker\n"
GIVEN = {  # (query, row, column): judgments of three workers, "" for none
    ("q1", 1, 1): (80, 60, ""),
    ("q1", 1, 2): (20, 40, 30),
    ("q1", 2, 1): (-1, 50, -2),
    ("q1", 2, 2): (100, 90, 95),
    ("q2", 1, 1): (-1, "", -1),
    ("q2", 1, 2): (10, 10, 40),
    ("q3", 1, 1): (0, 30, 0),
}


def log(given=GIVEN):
    lines = [
        f"{q},{row},{column},{value},w{i}"
        for (q, row, column), values in given.items()
        for i, value in enumerate(values)
        if value != ""
    ]
    return HEAD + "\n".join(reversed(lines)) + "\n"


def study(text=None, rated=RATED):
    data, report = from_files((text or log()).encode(), rated.encode(), names=("r", "s"), scale=(0, 100))
    assert report.problems == () and data is not None
    return data


def test_workers_are_averaged_without_those_who_could_not_judge():
    lists, report = parse_relevance(log().encode(), file="r.csv")
    assert report.problems == ()
    assert lists.of["q1"] == ((1, 70), (1, 30), (2, 50), (2, 95))
    assert lists.of["q2"][0].relevance < 0, "nobody could judge it"
    assert lists.workers == {"w0", "w1", "w2"}
    assert lists.largest == 100, "the largest judgment, not the largest mean"


def test_their_agreement_is_krippendorffs():
    workers = study().workers
    values = [[v if v != "" and v >= 0 else np.nan for v in row] for row in GIVEN.values()]
    table = np.array(values, float).T
    assert workers.alpha == pytest.approx(krippendorff.alpha(table, level_of_measurement="ordinal"))
    assert (workers.n, workers.judgments, workers.invalid, workers.shared) == (3, 19, 4, 5)


def test_table_1():
    """Sessions are a person's own: s1 of anna, s1 of ben and s2 of ben. q1, rated twice, is shown once."""
    data = study()
    clean = cleanse(data, depth=1, without=["few", "minmax"])
    one = counts(data, clean)
    assert (one.n_sessions, one.n_users, one.n_queries, one.n_images, one.n_judgments) == (3, 2, 3, 7, 19)
    assert one.kept == 4


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ("q1,1,1,80,w0", "duplicate-judgment"),
        ("q1,1,3,-3,w0", "off-scale"),
        ("q1,1,0,3,w0", "wrong-place"),
        ("q1,4,1,3,w0", "row-order"),
    ],
)
def test_faults_of_a_log(row, rule):
    lists, report = parse_relevance(f"{log()}{row}\n".encode(), file="r.csv")
    assert [p.rule for p in report.problems] == [rule] and set(lists.of) == {"q2", "q3"}


def test_judgments_of_an_image_agree_on_its_place():
    text = "query,position,row,column,relevance,worker\nq,1,1,1,3,a\nq,1,1,2,3,b\n"
    _, report = parse_relevance(text.encode(), file="r.csv")
    (problem,) = report.problems
    assert problem.rule == "other-place" and "column 1 on line 2, and in column 2 here" in problem.message


def test_without_workers_the_way_out_names_the_column():
    _, report = parse_relevance(b"query,position,row,relevance\nq,1,1,3\nq,1,1,2\n", file="r.csv")
    assert "name who judged in a column `worker`" in report.problems[0].remedy


def test_sweep_by_hand():
    """Either discount over r' averaged in a window, written out, against scipy's rho."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 101, (8, 3))
    given = {(f"q{q}", 1, c + 1): (int(v),) for q, row in enumerate(values) for c, v in enumerate(row)}
    marks = rng.permutation(8)
    rated = "query,user,satisfaction\n" + "\n".join(f"q{q},u,{m}" for q, m in enumerate(marks))
    data, _ = from_files(log(given).encode(), rated.encode(), names=("r", "s"), scale=(0, 100))
    clean = cleanse(data, depth=1)
    rows = swept(
        clean, windows=[2], depth=1, reading=Reading(per_image=True), resample="queries", n_resamples=50
    )
    assert [row.discount for row in rows] == ["rbp", "log"]
    for row, weights in zip(rows, ((0.05, 0.0475, 0.045125), (1, 1 / np.log2(3), 1 / 2)), strict=True):
        expected, plain = [], []
        for a, b, c in values / 100:
            b2 = b * b / max(a, b) if b else 0
            c2 = c * c / max(a, b, c) if c else 0
            expected.append(np.dot((a, (a + b2) / 2, (b2 + c2) / 2), weights) / 3)
            plain.append(np.dot((a, b, c), weights) / 3)
        assert row.spearman == pytest.approx(stats.spearmanr(expected, marks).statistic)
        assert row.original == pytest.approx(stats.spearmanr(plain, marks).statistic)
        assert row.ci_low <= row.spearman <= row.ci_high


def test_figure_3_by_hand():
    """f1 of the specification: r = .8 .9 .3 0 .6, r' = .8 .9 .1 0 .4, all in the first rows."""
    given = {("q1", 1, c): (v,) for c, v in enumerate((80, 90, 30, 0, 60), start=1)}
    rated = "query,user,satisfaction\nq1,anna,4\n"
    clean = cleanse(study(log(given), rated), depth=1, without=["few", "minmax"])
    dot = dots(clean)[0]
    assert dot.mean == pytest.approx(0.52) and dot.spread == pytest.approx(np.std([0.8, 0.9, 0.3, 0, 0.6]))
    assert dot.beside == pytest.approx(np.std([0.8, 0.9, 0.1, 0, 0.4])) and dot.satisfaction == 4


@pytest.fixture
def call(capsys, tmp_path):
    (tmp_path / "r.csv").write_text(log())
    (tmp_path / "s.csv").write_text(RATED)
    one = ["--lists", str(tmp_path / "r.csv"), "--satisfaction", str(tmp_path / "s.csv")]
    usual = ["--rows", "1", "--skip", "few", "--skip", "minmax", "--resamples", "20"]

    def call(*more):
        code = run(["satisfaction", *one, *usual, *more])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_sweep_command(call):
    code, out, err = call("--windows", "1:3", "--json")
    assert code == 0, err
    document = json.loads(out)
    assert len(document["windows"]) == 3 * 2 and document["settings"]["windows"] == [1, 2, 3]
    assert len(document["rows"]) == 6 * 2
    code, out, _ = call("--windows", "1:3")
    assert code == 0 and "Agreement runs from" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--windows", "p=1:3"], "not a list of whole numbers"),
        (["--windows", "0:3"], "one image or more"),
        (["--window-size", "3"], "--window"),
    ],
)
def test_refused(call, words, says):
    code, _, err = call(*words)
    assert code == 2 and says in err


def test_settings_without_an_option_of_their_own(call):
    code, out, err = call("--divide-by", "window", "--json")
    assert code == 0 and json.loads(out)["settings"]["divide_by"] == "window" and err == ""


def test_real_table_1(real_dir):
    """Counted in the files by hand: 1,119 ratings of 36 people, ten rows of one judged image each."""
    folder = real_dir / "satisfaction"
    data, _ = from_files(
        (folder / "relevance.csv").read_bytes(),
        (folder / "satisfaction.csv").read_bytes(),
        names=("relevance.csv", "satisfaction.csv"),
        scale=(0, 3),
    )
    rows = list(csv.DictReader((folder / "satisfaction.csv").read_text().splitlines()))
    one = counts(data, cleanse(data, depth=10))
    assert one.n_sessions == len({(row["user"], row["task"]) for row in rows})
    assert (one.n_users, one.n_queries, one.n_images, one.n_judgments) == (36, 1119, 11190, 11190)
