"""The command line, word by word: what it prints, its JSON, its exit codes; never a traceback."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest

from evalcore.cli import run
from evalcore.evaluate import score, summarise
from evalcore.evaluate.comparison import against_baseline
from evalcore.relevance.explain import explain
from evalcore.relevance.registry import available
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


WRITERS = {
    "rank": ["rank", "--system", "@nn-iou", "--out"],
    "system": ["rank", "--system", "good", "--out"],
    "neighbours": ["dictionary", "--out"],
    "export": ["qrels", "--relevance", "iou", "--out"],
    "overlap": ["overlap", "--csv"],
    "queries": ["queries", "--metric", "CUI@1", "--csv"],
    "sweep": ["sweep", "--metric", "CUI@1", "--csv"],
    "per query": ["score", "--metric", "CUI@1", "--per-query"],
    "table": ["score", "--metric", "CUI@1", "--markdown"],
    "annotate": ["annotate", "--out"],
}


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
