"""The command line, word by word: what it prints, its JSON, its exit codes; never a traceback."""

from __future__ import annotations

import csv
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from evalcore import score
from evalcore.cli import run
from evalcore.study import open_study
from tests.study.made import write
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
    return write(tmp_path_factory.mktemp("study"), FILES)


@pytest.fixture
def call(folder, capsys):
    """Runs a command on the study; returns exit code, standard output, standard error."""

    def call(command, *arguments, study=folder):
        code = run([*command.split(), str(study), *map(str, arguments)])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return call


def test_rank_writes_a_run_that_reads_back_the_same(folder, call, tmp_path):
    metrics = ["CUI@3", "mean(iou)@1"]
    ranked = score(open_study(folder), metrics=metrics, systems=["@iou"])
    for name in ("run.trec", "run.trec.gz", "run.csv"):
        other = write(tmp_path / name.replace(".", "_"), {"concepts.csv": FILES["concepts.csv"]})
        (other / "systems/iou").mkdir(parents=True)
        code, out, err = call("rank", "--system", "@iou", "--depth", 3, "--out", other / "systems/iou" / name)
        assert (code, out) == (0, "") and "Wrote" in err
        study = open_study(other)
        assert study.report.total("error") == 0
        for a, b in zip(score(study, metrics=metrics, systems=["iou"]), ranked, strict=True):
            assert a.values.tolist() == pytest.approx(b.values.tolist(), nan_ok=True)
    for system, first in (("@nn-iou", f"b 1 {2 / 3!r}"), ("rrf:good+poor", f"d 1 {1 / 61!r}")):
        code, out, _ = call("rank", "--system", system, "--depth", 1)
        assert out.splitlines()[0] == f"a Q0 {first} {system}"


# Studies with errors.


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    wrong = FILES["systems/good/run.trec"] + "a Q0 c 3 nan g\na Q0 b 4 1 g\nb Q0 stranger 3 0.5 g\n"
    return write(tmp_path_factory.mktemp("faulty"), {**FILES, "systems/good/run.trec": wrong})


def test_check_lists_every_problem_by_line(call, as_json, faulty):
    code, out, _ = call("check", study=faulty)
    lines = out.splitlines()
    for line, word in ((7, "nan"), (8, "b"), (9, "stranger")):
        (problem,) = [text for text in lines if text.startswith(f"systems/good/run.trec:{line}: ")]
        assert word in problem
    assert code == 2 and lines[-1].startswith("3 errors, ")
    answer = as_json("check", faulty, code=2)
    assert answer["errors"] == 3
    assert {(p["file"], p["line"]) for p in answer["problems"] if p["severity"] == "error"} == {
        ("systems/good/run.trec", line) for line in (7, 8, 9)
    }


@pytest.mark.parametrize(
    ("words", "n"),
    [
        (["score", "--metric", "CUI@1"], 3),
        (["sweep", "--metric", "CUI@1"], 3),
        (["rank", "--system", "@iou"], 3),
        (["explain", "a", "b"], 2),  # what reads no runs has nothing against ids that only they hold
        (["dictionary"], 2),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_study_with_errors_is_scored_without_what_is_at_fault(call, faulty, words, n):
    code, out, err = call(*words, study=faulty)
    assert code == 2 and "Error" not in err and out
    assert len([line for line in err.splitlines() if line.startswith("systems/good/run.trec:")]) == n
    assert f"{n} errors" in err and ("--unknown zero or drop" in err) == (n == 3)


@pytest.mark.parametrize("words", [["check"], ["score", "--metric", "CUI@1"]], ids=["check", "score"])
def test_accepting_ids_is_offered_where_it_helps(call, tmp_path, words):
    labels = {"labels.csv": "ID,organ\nstranger,chest\n"}
    code, out, err = call(*words, study=write(tmp_path / "labels", {**FILES, **labels}))
    assert code == 2 and "labels.csv: No row is about an image" in out + err
    assert "--unknown" not in out + err


@pytest.mark.parametrize("option", ["--csv", "--latex"])
def test_no_answer_takes_the_place_of_a_file_that_is_read(call, tmp_path, option):
    study, run = write(tmp_path / "study", FILES), tmp_path / "new.trec"
    run.write_text(FILES["systems/good/run.trec"])
    for lost in (study / "concepts.csv", run):
        before = lost.read_bytes()
        words = ("score", "--metric", "CUI@1", "--system", str(run), option, str(lost))
        code, _, err = call(*words, study=study)
        assert code == 2 and f"{lost} is read here and would be lost." in err
        assert lost.read_bytes() == before


def test_unknown_ids_can_be_accepted(as_json, tmp_path):
    text = "a Q0 stranger 1 9 g\n" + FILES["systems/good/run.trec"]
    study = write(tmp_path / "strange", {**FILES, "systems/good/run.trec": text})
    words = ("score", study, "--metric", "mean(iou)@1", "--system", "good")
    as_json(*words, code=2)
    means = [as_json(*words, "--unknown", how)["scores"][0]["mean"] for how in ("zero", "drop")]
    # by hand: a's first result is worth 0, or 2/3; b: 1/3, d: 2/3, c and f: 0; e has no concepts
    assert means == [pytest.approx((0 + 1 / 3 + 2 / 3) / 5), pytest.approx((2 / 3 + 1 / 3 + 2 / 3) / 5)]


with Path(__file__).with_name("faults.csv").open(encoding="utf-8", newline="") as _lines:
    FAULTS = [*csv.DictReader(_lines)]
"""Words that follow a command and its study, and what is said to them."""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["words"])
def test_faults_of_the_input_exit_2_with_a_message(call, fault):
    code, out, err = call(*fault["words"].split(" "))
    assert (code, out) == (2, "") and fault["says"] in err


def test_the_option_and_the_variable_change_how_much_of_a_file_is_read(folder, as_json, monkeypatch):
    def too_large(*options, code):
        return any(
            p["rule"] == "too-large" for p in as_json("check", folder, *options, code=code)["problems"]
        )

    assert too_large("--max-bytes", "100", code=2)
    assert not too_large(code=0), "the option applies to its command only"
    monkeypatch.setenv("CUISCOPE_MAX_BYTES", "100")
    assert too_large(code=2) and not too_large("--max-bytes", "1GB", code=0)


NOTHING = [
    ("neighbours C0000099", "Not in the graph: C0000099."),
    ("search zzzzzzzz", "No concept has a name or id like 'zzzzzzzz'."),
    ("sweep -m nnCUI@2 --subset disagree --alphas 0,1", "nnCUI@2: @iou and @nn-iou differ on no query."),
]


@pytest.mark.parametrize(("words", "says"), NOTHING, ids=[words for words, _ in NOTHING])
def test_where_nothing_is_found_the_command_says_why(call, words, says):
    code, out, _ = call(*words.split())
    assert code == 0 and any(line.startswith(says) for line in out.splitlines())


def test_explain_names_a_relevance_without_a_value_and_refuses_judgments(call, tmp_path):
    files = {"judgments/j.qrels": "a 0 b 1\n", "systems/s/run.trec": "a Q0 b 1 1 s\n"}
    explain = ("explain", "a", "b", "--relevance")
    code, out, _ = call(*explain, "iou", study=write(tmp_path / "study", files))
    assert code == 0 and "No value for these two images: iou." in out.splitlines()
    code, _, err = call(*explain, "qrels:j", study=tmp_path / "study")
    assert code == 2 and "--relevance must be by concepts or by vectors" in err


def test_a_study_that_cannot_be_opened_is_not_free_of_errors(call, tmp_path):
    code, out, err = call("check", study=write(tmp_path / "study", {"concepts.csv": "ID,CUIs\n"}))
    assert (code, out) == (2, "") and "no readable concepts" in err


# What is written.


def test_labels_are_written_before_anything_is_printed(call, tmp_path):
    map_ = write(tmp_path, {"map.csv": "column,label,cui\nside,left,C0000001\n"}) / "map.csv"
    code, out, _ = call("labels", "--map", map_, "--out", "-")
    assert code == 0 and out.splitlines() == ["ID,side", *(f"{i},left" for i in "abcd"), "e,", "f,"]
    assert call("labels", "--map", map_, "--out", tmp_path)[:2] == (2, "")
    code, _, err = call("labels", "--map", map_, "--out", "-", "--json")
    assert code == 2 and "Standard output takes one of --out - and --json." in err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_an_output_that_cannot_be_written_is_said_in_words(folder):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        words = [sys.executable, "-m", "evalcore", "check", str(folder), "--json"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert done.stderr.endswith("Error: The output cannot be written: the disk is full. Free some space.\n")


@pytest.mark.parametrize(
    "words",
    [
        "rank --system @nn-iou --out",
        "dictionary --out",
        "qrels --relevance iou --out",
        "score --metric CUI@1 --csv",
        "score --metric CUI@1 --latex",
    ],
)
def test_a_pipe_is_written_into_and_never_replaced(words, call, tmp_path):
    assert call(*words.split(), tmp_path / "file")[0] == 0
    pipe, codes = tmp_path / "pipe", []
    written = read_while(pipe, lambda: codes.append(call(*words.split(), pipe)[0]))
    whole = (tmp_path / "file").read_bytes()
    assert written == whole and codes == [0] and stat.S_ISFIFO(pipe.lstat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "pipe"]


def test_names_in_csv_files_are_as_they_are_unless_formulas_are_escaped(tmp_path, capsys):
    """So that tables can be joined by them; an option protects who opens them in a spreadsheet."""
    out = tmp_path / "board.csv"
    words = ["score", "data", "--metric", "CUI@5", "--system", "@iou", "--system", "hog", "--csv", str(out)]
    assert run(words) == 0
    assert [line.partition(",")[0] for line in out.read_text().splitlines()[1:]] == ["@iou", "hog"]
    assert run([*words, "--escape-formulas"]) == 0
    assert [line.partition(",")[0] for line in out.read_text().splitlines()[1:]] == ["'@iou", "hog"]


# Queries, and what a quiet command says.


def test_how_many_queries_are_listed(capsys):
    for top, end in (("3", "3 of 42 queries listed. --top 0 lists all."), ("0", "42 of 42 queries listed.")):
        assert run(["queries", "data", "-m", "P(organ)@5", "--where", "organ=brain", "--top", top]) == 0
        out, err = capsys.readouterr()
        assert out.splitlines()[-1] == end and "Only organ=brain: 42 of 160 queries." in err


def test_a_quiet_command_keeps_its_errors(capsys):
    assert run(["score", "data", "-m", "P(organ)@5", "-s", "hog", "-q"]) == 0
    assert capsys.readouterr().err == ""
    assert run(["-q", "score", "data", "-m", "P(organ)@5", "-s", "nobody"]) == 2
    assert "No system called 'nobody'" in capsys.readouterr().err
    assert run(["check", "--", "-q"]) == 2, "no option after two dashes"
    assert "-q does not exist" in capsys.readouterr().err
    assert run(["check", "-q", "nowhere"]) == 2
    assert "nowhere does not exist" in capsys.readouterr().err


def test_way_outs_name_options(capsys):
    assert run(["check", "data"]) == 0
    assert "Optional: --ties expected." in capsys.readouterr().out
    assert run(["mrmc", "data", "--simulated", "--difference", "0.1"]) == 2
    assert "--difference has no use here: it is for --power" in capsys.readouterr().err
    assert run(["--scheduler", "here", "check", "data"]) == 2
    assert "'--scheduler'" in capsys.readouterr().err
