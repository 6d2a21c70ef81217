"""The command line, word by word: what it prints, its JSON, its exit codes; never a traceback."""

from __future__ import annotations

import csv
import json
import os
import re
import stat
import subprocess
import sys

import pytest
from scipy import stats

from evalcore.cli import main, run
from evalcore.cli.groups import leaves
from evalcore.cli.options import parse_grid
from evalcore.evaluate import score, summarise
from evalcore.evaluate.comparison import against_baseline
from evalcore.evaluate.sweep import sweep
from evalcore.graph import distance
from evalcore.relevance.explain import explain
from evalcore.relevance.registry import available
from evalcore.results.rows import plain
from evalcore.study import open_study
from evalcore.values.settings import Settings
from tests.study.pipes import read_while

FILES = {
    "concepts.csv": "ID,CUIs\n"
    "a,C0000003;C0000005\nb,C0000003;C0000006\nc,C0000004\nd,C0000003;C0000005;C0000007\ne,\nf,C0000099\n",
    "captions.csv": "ID,Caption\na,A chest film\nb,Another \x1b[31mfilm\n",
    "labels.csv": "ID,organ\na,chest\nb,chest\nc,head\nd,head;chest\n",
    "names.csv": "cui,name\nC0000001,Vessel\nC0000003,Vein\nC0000004,Artery\nC0000008,twin\nC0000007,twin\n",
    "graph/edges.csv": "child,parent,source,rela\nC0000003,C0000001,MSH,isa\nC0000004,C0000001,MSH,isa\n"
    "C0000005,C0000002,MSH,isa\nC0000006,C0000005,MSH,isa\nC0000009,C0000001,MSH,isa\nC0000009,C0000002,MSH,isa\n"
    "C0000010,C0000001,MSH,isa\nC0000010,C0000002,MSH,isa\n",
    "systems/good/run.trec": "a Q0 d 1 3 g\na Q0 b 2 2 g\nb Q0 a 1 2 g\nb Q0 d 2 1 g\n"
    "c Q0 d 1 1 g\nd Q0 a 1 1 g\n",
    "systems/poor/run.trec": "a Q0 f 1 3 p\na Q0 c 2 2 p\nb Q0 c 1 2 p\nb Q0 f 2 1 p\nd Q0 c 1 1 p\n",
}


FEW = "Intervals from fewer than 50 queries are too narrow"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return made(tmp_path_factory.mktemp("study"), FILES)


def made(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def call(folder, capsys):
    """Runs a command on the study; returns exit code, standard output, standard error."""

    def call(command, *arguments, study=folder):
        code = run([*command.split(), str(study), *map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


@pytest.fixture
def document(call):
    """Runs a command with --json; returns the one document it prints."""

    def document(*arguments, **options):
        code, out, _ = call(*arguments, "--json", **options)
        assert code == 0
        return json.loads(out)

    return document


SCORE_KEYS = {
    "system",
    "metric",
    "mean",
    "ci_low",
    "ci_high",
    "ci_level",
    "ci_method",
    "n_queries",
    "n_scored",
    "n_undefined",
    "seed",
}
COMPARISON_KEYS = {
    "baseline",
    "system",
    "metric",
    "difference",
    "ci_low",
    "ci_high",
    "ci_level",
    "ci_method",
    "p",
    "p_corrected",
    "correction",
    "family",
    "n_family",
    "test",
    "n_pairs",
    "n_resamples",
    "seed",
    "better",
    "equal",
    "worse",
    "effect_size",
}


def test_score_gives_the_numbers_of_the_library(folder, document):
    metrics = ["P(organ)@2", "nDCG(nn-iou,gain=exp)@2"]
    shared = [
        "--alpha",
        "0.3",
        "--threshold",
        "2",
        "--pool",
        "all",
        "--undefined",
        "zero",
        "--count-rule",
        "pairs",
    ]
    found = document(
        "score", "--metric", metrics[0], "--metric", metrics[1], "--baseline", "poor", "--seed", 7, *shared
    )
    study = open_study(folder)
    settings = Settings(alpha=0.3, threshold=2, pool="all", undefined="zero", count_rule="pairs")
    scores = score(study, metrics=metrics, settings=settings)
    assert (found["study"], found["digest"]) == (study.name, study.digest)
    assert found["settings"] == settings.as_dict()
    for row, one in zip(found["scores"], scores, strict=True):
        interval = summarise(one, settings=settings, seed=7)
        assert set(row) == SCORE_KEYS
        assert (row["system"], row["metric"], row["mean"]) == (one.system, one.metric, interval.mean)
        assert (row["ci_low"], row["ci_high"], row["seed"]) == (interval.low, interval.high, 7)
        assert (row["n_queries"], row["n_scored"]) == (one.n_queries, one.n_scored)
    for row, comparison in zip(
        found["comparisons"],
        against_baseline(scores, baseline="poor", settings=settings, seed=7),
        strict=True,
    ):
        assert set(row) == COMPARISON_KEYS
        assert (row["system"], row["p"], row["p_corrected"]) == ("good", comparison.p, comparison.p_corrected)
        assert (row["better"], row["worse"], row["equal"]) == (
            comparison.wins,
            comparison.losses,
            comparison.ties,
        )
    assert found["counts"][0] | {"undefined": {}} == {
        "system": "good",
        "metric": "P(organ)@2",
        "missing": 0,
        "short": 2,
        "tied": 0,
        "undefined": {},
    }


def test_score_for_people(call):
    code, out, err = call(
        "score", "--metric", "P(organ)@1", "--system", "good", "--system", "@nn-iou", "--baseline", "poor"
    )
    assert code == 0 and "Error" not in err
    # by hand: good finds a chest for a, b and d, and d (head, chest) for c; poor finds a head for d only
    assert [line.split()[:3] for line in out.splitlines()[2:5]] == [
        ["poor", "P(organ)@1", "0.2500"],
        ["good", "P(organ)@1", "1.0000"],
        ["@nn-iou", "P(organ)@1", "0.7500"],
    ]
    assert "Minus poor:\npaired permutation (all sign flips), " in out
    assert " flips, seed 0; p corrected by Holm over " in out
    assert "+0.7500" in out


def test_what_matters_and_how_p_is_corrected(call, document):
    asked = (
        "score",
        "--metric",
        "nnCUI@3",
        "--metric",
        "P(organ)@1",
        "--baseline",
        "poor",
        "--system",
        "good",
        "--system",
        "@iou",
    )
    plain_rows = document(*asked)["comparisons"]
    assert "judgement" not in plain_rows[0]
    rows = document(*asked, "--correction", "bh", "--smallest-difference", 0.05)["comparisons"]
    for metric in ("nnCUI@3", "P(organ)@1"):
        of = [row for row in rows if row["metric"] == metric]
        by_bh = stats.false_discovery_control([row["p"] for row in of])
        assert [row["p_corrected"] for row in of] == pytest.approx(by_bh, rel=1e-12)
    assert {row["correction"] for row in rows} == {"Benjamini-Hochberg"}
    added = {
        "smallest_difference",
        "judgement",
        "detectable_difference",
        "queries_needed",
        "standard_error",
        "design_effect",
    }
    for row, without in zip(rows, plain_rows, strict=True):
        changed = {"correction", "p_corrected"}
        assert {k: v for k, v in row.items() if k not in added | changed} == {
            k: v for k, v in without.items() if k not in changed
        }
        beyond = row["ci_low"] > 0.05 or row["ci_high"] < -0.05
        assert (row["judgement"] == "larger") == beyond
    _, out, _ = call(*asked, "--correction", "none", "--smallest-difference", 0.05)
    assert "p not corrected, the 2 comparisons with the baseline poor, each metric by itself." in out
    assert "more than 0.05" in out


def test_without_a_baseline_systems_are_compared_with_the_best(document):
    found = document("score", "--metric", "P(organ)@1", "--correction", "maxt")
    assert [(row["system"], row["baseline"]) for row in found["comparisons"]] == [("poor", "good")]
    assert found["verdicts"]["P(organ)@1"].startswith("good and poor are too close to call on P(organ)@1")
    alone = document("score", "--metric", "P(organ)@1", "--system", "good")
    assert alone["comparisons"] == [] and alone["verdicts"]["P(organ)@1"].startswith("good scores 1.00")


def test_intervals_of_another_kind(call, document):
    arguments = ("score", "--metric", "P(organ)@1", "--system", "good", "--baseline", "poor")
    _, plain_text, _ = call(*arguments)
    assert "Intervals: 95%, percentile bootstrap, 2,000 resamples, seed 0." in plain_text
    warnings = [line for line in plain_text.splitlines() if line.startswith(FEW)]
    assert warnings == [plain_text.splitlines()[-1]] and warnings[0].endswith("use --interval wilson.")
    _, text, _ = call(*arguments, "--interval", "wilson")
    assert "Intervals: 95%, Wilson." in text and text.splitlines()[-1].startswith(FEW)
    assert "Intervals of differences: percentile bootstrap." in text and "use --interval" not in text
    assert FEW not in call(*arguments[:5], "--interval", "wilson")[1]
    # poor finds 1 of 4: Wilson's interval of the binomial
    oracle = stats.binomtest(1, 4).proportion_ci(method="wilson")
    found = document(*arguments, "--interval", "wilson")
    poor = found["scores"][0]
    assert (poor["ci_low"], poor["ci_high"]) == pytest.approx((oracle.low, oracle.high), abs=1e-11)
    assert (poor["ci_method"], found["settings"]["interval"]) == ("Wilson", "wilson")
    assert found["comparisons"][0]["ci_method"] == "percentile bootstrap"
    code, _, err = call("score", "--metric", "nnCUI@2", "--interval", "wilson")
    assert code == 2 and "Error: `interval` must be percentile or bca for nnCUI@2" in err
    assert call(*arguments, "--interval", "bca")[1].count("BCa bootstrap") == 1


def test_a_perfect_run_with_the_query_in_it(tmp_path, document):
    """Each query first, then the others by IoU: with --include-self the best list there is."""
    files = {
        "concepts.csv": "ID,CUIs\na,C0000001;C0000002\nb,C0000001\nc,C0000003\n",
        "systems/s/run.trec": "a Q0 a 1 2 s\na Q0 b 2 1 s\nb Q0 b 1 2 s\nb Q0 a 2 1 s\nc Q0 c 1 2 s\n",
    }
    folder = made(tmp_path, files)
    both = ("score", "--metric", "CUI@1", "--metric", "CUI@2")
    with_self = document(*both, "--include-self", study=folder)
    assert [row["mean"] for row in with_self["scores"]] == [1.0, 1.0]
    without = document(*both, study=folder)
    assert [(row["mean"], row["n_scored"]) for row in without["scores"]] == [(1.0, 2), (1.0, 2)]
    assert [row["missing"] for row in without["counts"]] == [0, 0]


def test_common_queries(document):
    every, common = (
        document("score", "--metric", "P(organ)@1", "--queries", which)["scores"]
        for which in ("all", "common")
    )
    assert [row["n_queries"] for row in every + common] == [4, 4, 3, 3]


def test_per_query_values(call, tmp_path):
    target = tmp_path / "values.csv"
    code, _, err = call("score", "--metric", "CUI@1", "--system", "good", "--per-query", target)
    assert code == 0 and str(target) in err
    with target.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["query"], row["value"], row["reason"]) for row in rows] == [
        ("a", "1.0", ""),
        ("b", "1.0", ""),
        ("c", "", "no relevant candidate"),
        ("d", "1.0", ""),
        ("e", "", "no concepts"),
        ("f", "", "no relevant candidate"),
    ]


def test_nothing_to_average_is_null_not_nan(document):
    (row,) = document("score", "--metric", "CUI@1", "--system", "good", "--queries", "common")["scores"]
    assert row["mean"] == 1.0
    alone = document(
        "sweep", "--metric", "P(organ)@1", "--system", "@iou", "--subset", "disagree", "--alphas", "0.5"
    )
    assert alone["rows"][0]["mean"] is None or alone["rows"][0]["n_scored"] > 0


def test_rank_writes_a_run_that_reads_back_the_same(folder, call, tmp_path):
    for name in ("run.trec", "run.trec.gz", "run.csv"):
        other = made(tmp_path / name.replace(".", "_"), {"concepts.csv": FILES["concepts.csv"]})
        (other / "systems/iou").mkdir(parents=True)
        code, out, err = call("rank", "--system", "@iou", "--depth", 3, "--out", other / "systems/iou" / name)
        assert (code, out) == (0, "") and "Wrote" in err
        study = open_study(other)
        assert study.report.total("error") == 0
        kept, ranked = (
            score(study, metrics=["CUI@3", "mean(iou)@1"], systems=["iou"]),
            score(open_study(folder), metrics=["CUI@3", "mean(iou)@1"], systems=["@iou"]),
        )
        for a, b in zip(kept, ranked, strict=True):
            assert a.values.tolist() == pytest.approx(b.values.tolist(), nan_ok=True)
    code, out, _ = call("rank", "--system", "@nn-iou", "--depth", 1)
    assert out.splitlines()[0] == f"a Q0 b 1 {2 / 3!r} @nn-iou"


def test_rank_keeps_whole_ties_when_they_are_averaged(call):
    *_, (_, plain_out, _), (_, whole, _) = (
        call("rank", "--system", "@iou", "--depth", 1, "--ties", f"{ties}") for ties in ("id", "expected")
    )
    of_c = [[line.split()[2] for line in out.splitlines() if line[0] == "c"] for out in (plain_out, whole)]
    assert of_c == [["a"], ["a", "b", "d", "e", "f"]]


def test_explain(folder, call, document):
    found = document("explain", "a", "b", "--threshold", "1")
    study = open_study(folder)
    assert found == json.loads(json.dumps(explain(study, "a", "b").as_dict()))
    # a = {3, 5}, b = {3, 6}, 6 is a kind of 5: 3 exact, 5 and 6 neighbours, union of three
    assert (found["query"], found["candidate"], found["exact"]) == ("a", "b", ["C0000003"])
    assert [(m["side"], m["cui"], m["matched"], m["distance"], m["path"]) for m in found["neighbours"]] == [
        ("query", "C0000005", "C0000006", 1, ["C0000005", "C0000006"]),
        ("candidate", "C0000006", "C0000005", 1, ["C0000006", "C0000005"]),
    ]
    adds = [match["adds"] for match in found["neighbours"]]
    assert found["values"]["nn-iou"] == pytest.approx(1 / 3 + sum(adds)) == pytest.approx(2 / 3)
    code, out, _ = call("explain", "a", "b")
    assert code == 0
    assert "Vein (C0000003)" in out and "0.6667" in out and "\x1b" not in out
    # Pairs 3-3 and 5-6, one link apart: (1 + 1/2) / 2.
    assert document("explain", "a", "b", "--relevance", "matching:path")["values"]["matching:path"] == 0.75
    _, out, _ = call("explain", "a", "b", "--relevance", "matching:wu-palmer")
    (line,) = [line.split() for line in out.splitlines() if line.split()[:2] == ["query", "C0000005"]]
    assert (line[:3], line[4]) == (["query", "C0000005", "C0000006"], "C0000005")  # both are 5
    every = document("explain", "a", "b", "--relevance", "all")["values"]
    assert set(every) >= set(available(study))


def test_path_by_cui_or_name(folder, call, document):
    found = document("path", "vein", "C0000004")
    assert found == {
        "from": "C0000003",
        "to": "C0000004",
        "distance": 2,
        "n_shortest": 1,
        "paths": [["C0000003", "C0000001", "C0000004"]],
    }
    assert distance(open_study(folder).graph, "C0000003", "C0000004") == 2
    _, out, _ = call("path", " VEIN", "artery")
    assert out.splitlines()[0] == "Vein (C0000003) and Artery (C0000004): 2 edges apart, shortest paths: 1."
    assert out.splitlines()[2:] == [
        "Vein (C0000003)",
        "  is a Vessel (C0000001)   [MSH isa]",
        "  has the kind Artery (C0000004)   [MSH isa]",
    ]


def test_all_paths_or_one_and_none(call, document):
    assert [len(document("path", "C0000001", "C0000002", *flag)["paths"]) for flag in ((), ("--every",))] == [
        1,
        2,
    ]
    assert document("path", "C0000001", "C0000002")["n_shortest"] == 2
    none = document("path", "C0000003", "C0000004", "--direction", "directed")
    assert (none["distance"], none["n_shortest"], none["paths"]) == (None, 0, [])
    assert document("path", "C0000003", "c0000003")["distance"] == 0
    code, out, _ = call("path", "C0000003", "C0000099")
    assert code == 0 and out == "No path between Vein (C0000003) and C0000099. Not in the graph: C0000099.\n"


def test_path_offers_names_that_are_close(call):
    code, out, err = call("path", "vien", "artery")
    assert (code, out) == (2, "")
    assert "No concept called 'vien'. Did you mean: " in err and "Vein" in err
    code, _, err = call("path", "Twin", "artery")
    assert code == 2 and "Several concepts are called 'Twin': C0000007, C0000008. Give the CUI." in err


def test_neighbours(call, document, tmp_path):
    rows = (
        "cui,neighbour,distance\nC0000003,C0000004,2\nC0000004,C0000003,2\n"
        "C0000005,C0000006,1\nC0000006,C0000005,1\n"
    )
    assert call("dictionary", "--threshold", 2)[1] == rows
    target = tmp_path / "near.csv"
    code, out, err = call("dictionary", "--threshold", 2, "--out", target)
    assert (code, out, target.read_text()) == (0, "", rows) and "4 neighbour pairs" in err
    found = document("dictionary", "--threshold", 1)
    assert found["neighbours"] == [
        {"cui": "C0000005", "neighbour": "C0000006", "distance": 1},
        {"cui": "C0000006", "neighbour": "C0000005", "distance": 1},
    ]


def test_sweep(folder, call, document):
    arguments = ["--alphas", "0:1:0.5", "--thresholds", "0,1", "--metric", "nnCUI@2", "--system", "good"]
    found = document("sweep", *arguments)
    rows = sweep(
        open_study(folder), alphas=[0, 0.5, 1], thresholds=[0, 1], metrics=["nnCUI@2"], systems=["good"]
    )
    assert [set(row) for row in found["rows"]] == [
        {
            "alpha",
            "threshold",
            "system",
            "metric",
            "mean",
            "ci_low",
            "ci_high",
            "n_scored",
            "count_rule",
            "direction",
        }
    ] * 6
    assert [(row["alpha"], row["threshold"], row["mean"]) for row in found["rows"]] == [
        (row.alpha, row.threshold, row.interval.mean) for row in rows
    ]
    _, out, _ = call("sweep", *arguments)
    counted, narrow = out.splitlines()[7:9]  # alpha 0, and 0.5 and 1 at one step
    assert counted == "6 settings, 3 of them different; the others are identical by definition."
    assert narrow.startswith(FEW)


def test_check_of_a_sound_study(call, document):
    code, out, _ = call("check")
    assert code == 0
    assert "concepts in the graph" in out and out.splitlines()[-1].startswith("0 errors, ")
    found = document("check")
    assert found["coverage"]["images"] == 6 and found["coverage"]["without_concepts"] == 1
    assert found["coverage"]["unknown"] == [["C0000007", 1], ["C0000099", 1]]
    assert {system["system"]: system["answered"] for system in found["coverage"]["systems"]} == {
        "good": 4,
        "poor": 3,
    }


def test_check_of_a_file_says_what_it_is(call, tmp_path):
    file = tmp_path / "anything"
    file.write_text("q1 Q0 q2 1 nan cnn\nq1 Q0 q3 2 0.5 cnn\n")
    code, out, _ = call("check", study=file)
    assert code == 2 and "System: ranking" in out and "1 query, 1 result" in out
    assert "anything:1: The score is nan" in out and out.splitlines()[-1] == "1 error, 0 warnings."
    found = json.loads(call("check", "--json", study=file)[1])
    assert found["files"] == [
        {"file": "anything", "kind": "run", "contents": "1 query, 1 result", "system": "anything"}
    ]


@pytest.fixture
def faulty(tmp_path):
    wrong = FILES["systems/good/run.trec"] + "a Q0 c 3 nan g\na Q0 b 4 1 g\nb Q0 stranger 3 0.5 g\n"
    return made(tmp_path / "faulty", {**FILES, "systems/good/run.trec": wrong})


def test_check_lists_every_problem_by_line(call, faulty):
    code, out, _ = call("check", study=faulty)
    assert code == 2
    lines = out.splitlines()
    for line, word in ((7, "nan"), (8, "b"), (9, "stranger")):
        (problem,) = [text for text in lines if text.startswith(f"systems/good/run.trec:{line}: ")]
        assert word in problem
    assert lines[-1].startswith("3 errors, ")
    code, out, _ = call("check", "--json", study=faulty)
    found = json.loads(out)
    assert code == 2 and found["errors"] == 3
    assert {(p["file"], p["line"]) for p in found["problems"] if p["severity"] == "error"} == {
        ("systems/good/run.trec", line) for line in (7, 8, 9)
    }


@pytest.mark.parametrize(
    "command",
    [["score", "--metric", "CUI@1"], ["sweep", "--metric", "CUI@1"], ["rank", "--system", "@iou"]],
    ids=lambda command: command[0],
)
def test_a_study_with_errors_is_scored_without_what_is_at_fault(call, faulty, command):
    code, out, err = call(*command, study=faulty)
    assert code == 2 and "Error" not in err and "Traceback" not in err and out
    lines = [line for line in err.splitlines() if line.startswith("systems/good/run.trec:")]
    assert len(lines) == 3
    assert "3 errors" in err and "--unknown zero or drop" in err


@pytest.mark.parametrize(
    "command", [["explain", "a", "b"], ["path", "vein", "artery"], ["dictionary"]], ids=lambda one: one[0]
)
def test_what_reads_no_runs_has_nothing_against_ids_that_only_they_hold(call, faulty, command):
    code, _, err = call(*command, study=faulty)
    assert code == 2
    lines = [line for line in err.splitlines() if line.startswith("systems/good/run.trec:")]
    assert len(lines) == 2 and "2 errors" in err and "unknown" not in err


def test_unknown_ids_can_be_accepted(call, document, tmp_path):
    text = "a Q0 stranger 1 9 g\n" + FILES["systems/good/run.trec"]
    study = made(tmp_path / "strange", {**FILES, "systems/good/run.trec": text})
    assert call("score", "--metric", "mean(iou)@1", study=study)[0] == 2
    arguments = ["score", "--metric", "mean(iou)@1", "--system", "good"]
    means = [
        document(*arguments, "--unknown", f"{unknown}", study=study)["scores"][0]["mean"]
        for unknown in ("zero", "drop")
    ]
    # by hand: a's first result is worth 0, or 2/3; b: 1/3, d: 2/3, c and f: 0; e has no concepts
    assert means == [pytest.approx((0 + 1 / 3 + 2 / 3) / 5), pytest.approx((2 / 3 + 1 / 3 + 2 / 3) / 5)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "good", "poor"], "Missing option '-m' / '--metric'"),
        (["score", "--metric", "CUI"], "`metric` must be given a cutoff, as in CUI@10. Got 'CUI'."),
        (["score", "--metric", "CUI@1", "--system", "goood"], "No system called 'goood'. Did you mean: good"),
        (["score", "--metric", "CUI@1", "--alpha", "2"], "2.0 is not in the range 0<=x<=1"),
        (["score", "--metric", "P(organs)@1"], "No label column called 'organs'. Did you mean: organ"),
        (["score", "--metric", "CUI@1", "--per-query", "/nowhere/x.csv"], "Cannot write /nowhere/x.csv"),
        (["rank", "--system", "@nniou"], "No relevance called 'nniou'. Did you mean: nn-iou"),
        (["rank", "--system", "@iou", "--depth", "0"], "0 is not in the range x>=1"),
        (["explain", "a", "z"], "No image called 'z'"),
        (["sweep", "--metric", "CUI@1", "--alphas", "0:x"], "'0:x' is not a list of numbers"),
        (["sweep", "--metric", "CUI@1", "--thresholds", "0.5"], "'0.5' is not a list of whole numbers"),
        (
            ["sweep", "--metric", "CUI@1", "--thresholds", "9"],
            "`threshold` must be a whole number from 0 to 4",
        ),
        (["dance"], "No such command 'dance'"),
    ],
)
def test_faults_of_the_input_exit_2_with_a_message(call, arguments, message):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("command", [["check"], ["score", "--metric", "CUI@1"]], ids=lambda c: c[0])
def test_a_folder_that_is_no_study(call, tmp_path, command):
    for study in (tmp_path / "absent", tmp_path):
        code, out, err = call(*command, study=study)
        assert code == 2 and "Error: " in err
        assert "concepts.csv" in err
    code, out, _ = call("check", "--json", study=tmp_path)
    assert code == 2 and json.loads(out)["usable"] is False


def test_help_of_every_command(capsys):
    assert run(["--help"]) == 0
    listed = capsys.readouterr().out
    lines = listed.split("Every day:\n")[1].splitlines()
    named = [line.split()[0] for line in lines if re.match(r"  \w", line)]
    assert named == [name for name, one in main.commands.items() if not one.hidden]
    for words, _ in leaves(main):
        assert run([*words.split(), "--help"]) == 0
        assert f"Usage: python -m evalcore {words} [OPTIONS]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0:1:0.1", (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
        ("0:2", (0, 1, 2)),
        ("0.5", (0.5,)),
        ("1,0", (1, 0)),
    ],
)
def test_grids(text, values):
    assert parse_grid(text) == values


def test_text_from_files_cannot_steer_the_terminal():
    assert plain("a\x1b[31m\r\nb\u202e") == "a?[31m??b?"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
@pytest.mark.parametrize(
    "command", [["check", "--json"], ["rank", "--system", "@iou"], ["score", "--metric", "CUI@1"]]
)
def test_an_output_that_cannot_be_written_is_said_in_words(folder, command):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "evalcore", *command[0].split(), str(folder), *command[1:]],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.endswith("Error: The output cannot be written: the disk is full. Free some space.\n")
    assert "Traceback" not in done.stderr


def test_names_that_are_not_utf8(tmp_path, call):
    study = made(
        tmp_path / os.fsdecode(b"caf\xe9"),
        {"concepts.csv": FILES["concepts.csv"], os.fsdecode(b"systems/\xff/run.trec"): "a Q0 d 1 3 g\n"},
    )
    code, out, _ = call("check", "--json", study=study)
    document = json.loads(out)
    assert (code, document["study"], document["parts"][1]["file"]) == (0, "caf%E9", "systems/%FF/run.trec")
    code, out, _ = call("check", study=study)
    assert code == 0 and "systems/%FF/run.trec" in out
    code, out, _ = call("score", "--metric", "CUI@1", "--json", study=study)
    assert [row["system"] for row in json.loads(out)["scores"]] == ["%FF"]


def test_a_system_never_poses_as_a_ranking_of_the_program(tmp_path, call):
    files = {"concepts.csv": FILES["concepts.csv"], "systems/hog/run.trec": "a Q0 d 1 3 g\n"}
    study = made(tmp_path, files)
    arguments = ("score", "--metric", "CUI@2", "--system", "@iou", "--json")
    own = json.loads(call(*arguments, study=study)[1])["scores"]
    made(study, {"systems/@iou/run.trec": "a Q0 f 1 3 p\n"})
    code, _, err = call(*arguments, study=study)
    assert code == 2 and "No system can be called '@iou'" in err and "Rename it without the @" in err
    code, out, _ = call("check", "--json", study=study)
    assert code == 2 and [part["file"] for part in json.loads(out)["parts"]][1:] == ["systems/hog/run.trec"]
    (study / "systems/@iou/run.trec").unlink()
    (study / "systems/@iou").rmdir()
    assert json.loads(call(*arguments, study=study)[1])["scores"] == own


def test_check_counts_kinds_and_cases(call, document, tmp_path):
    runs = FILES["systems/good/run.trec"] + "a Q0 a 9 0.1 g\nb Q0 b 9 0.1 g\n"
    study = made(tmp_path / "selves", {**FILES, "systems/good/run.trec": runs})
    found = json.loads(call("check", "--json", study=study)[1])
    kinds = len(found["counts"])
    cases = sum(row["count"] for row in found["counts"])
    assert found["kinds"] == {"errors": 0, "warnings": kinds}
    assert (found["errors"], found["warnings"]) == (0, cases) and cases > kinds
    assert call("check", study=study)[1].splitlines()[-1] == f"0 errors, {kinds} warnings ({cases} cases)."
    _, _, err = call("score", "--metric", "CUI@3", study=study)
    assert f"{kinds} warnings ({cases} cases): see `check`." in err


WRITERS = {
    "rank": ["rank", "--system", "@nn-iou", "--out"],
    "system": ["rank", "--system", "good", "--out"],
    "neighbours": ["dictionary", "--out"],
    "path": ["path", "C0000005", "C0000002", "--csv"],
    "dot": ["path", "C0000005", "C0000002", "--dot"],
    "export": ["qrels", "--relevance", "iou", "--out"],
    "overlap": ["overlap", "--csv"],
    "queries": ["queries", "--metric", "CUI@1", "--csv"],
    "sweep": ["sweep", "--metric", "CUI@1", "--csv"],
    "per query": ["score", "--metric", "CUI@1", "--per-query"],
    "table": ["score", "--metric", "CUI@1", "--markdown"],
    "annotate": ["annotate", "--out"],
}


@pytest.mark.parametrize("words", WRITERS.values(), ids=WRITERS)
def test_a_dash_is_standard_output(words, call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = call(*words, "file")
    assert code == 0, err
    assert call(*words, "-")[:2] == (0, (tmp_path / "file").read_text())
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
    code, out, err = call(*words, "-", "--json")
    assert (code, out) == (2, "") and f"Standard output takes one of {words[-1]} - and --json." in err


@pytest.mark.parametrize(
    "words",
    [
        *WRITERS.values(),
        ["score", "--metric", "CUI@1", "--csv"],
        ["score", "--metric", "CUI@1", "--latex"],
        ["report", "--metric", "CUI@1", "--out"],
    ],
    ids=" ".join,
)
def test_a_pipe_is_written_into_and_never_replaced(words, call, tmp_path):
    assert call(*words, tmp_path / "file")[0] == 0
    pipe, codes = tmp_path / "pipe", []
    written = read_while(pipe, lambda: codes.append(call(*words, pipe)[0]))
    assert codes == [0]
    whole = (tmp_path / "file").read_bytes()
    drawn = words[0] == "report"  # figures in it have names of their own each time
    assert written.endswith(b"</html>\n") and len(written) == len(whole) if drawn else written == whole
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "pipe"]
