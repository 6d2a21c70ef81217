"""Readers of one's own: the same study as from the program's own forms, and files that they cannot read."""

import json
import re
from pathlib import Path

import pytest

import evalcore as cs
from evalcore.cli import run
from evalcore.values import plugins
from tests.plugins.conftest import line_of
from tests.study.hurt import VECTORS, WHOLE
from tests.study.made import write

KNN = "systems/one/run.knn"
OWN = {
    KNN: "a>b:0.9,c:0.5\nb>d:0.7,a:0.1\n",
    "labels.jsonl": '{"ID": "a", "modality": "CT", "organ": "chest;head"}\n'
    '{"ID": "b", "modality": "XR", "organ": ""}\n{"ID": "c", "modality": "MR", "organ": ""}\n'
    '{"ID": "d", "modality": "", "organ": "head"}\n',
    "systems/two/embeddings.raw": VECTORS.astype("<f4").tobytes(),
}
REST = {path: data for path, data in WHOLE.items() if path.partition(".")[0] + "." not in " ".join(OWN)}


def test_a_study_of_other_forms_is_the_same_study(file, tmp_path, capsys):
    plugins.load_file(str(file))
    whole = cs.open_study(write(tmp_path / "whole", WHOLE))
    study = cs.open_study(write(tmp_path / "own", REST | OWN))
    assert study.report.total("error") == 0 and study.digest == whole.digest
    beside = cs.with_runs(whole, mine=str(tmp_path / "own" / KNN))
    assert beside.runs["mine"].scores.tolist() == whole.runs["one"].scores.tolist()
    assert run(["score", str(tmp_path / "own"), "--metric", "CUI@1", "--json"]) == 0
    used = json.loads(capsys.readouterr().out)["plugins"]
    readers = ["labels:jsonl", "run:knn", "embeddings:raw"]
    assert [(plugin["kind"], plugin["name"]) for plugin in used] == [("reader", name) for name in readers]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "a>b:x\n",
            rf"run\.knn: mine\.py:{line_of('float(score)')}: The reader run:knn failed for .*: ValueError",
        ),
        ("a>b:nan\n", r"run\.knn, row 1: The score is nan"),
        ("a>OTHER:0.5\n", "run.knn.*OTHER"),
        ("", r"run\.knn: The reader of mine\.py gave nothing\."),
    ],
)
def test_errors_in_a_file_are_reported(content: str, words: str, file: Path, tmp_path: Path) -> None:
    plugins.load_file(str(file))
    study = cs.open_study(write(tmp_path, REST | OWN | {KNN: content}))
    problems = [str(problem) for problem in study.report.problems]
    assert any(re.search(words, line) for line in problems), problems


def test_a_text_is_not_read_as_a_path(tmp_path: Path) -> None:
    """What a reader makes of a hostile file must not open a file of its choice."""
    write(tmp_path, {"secret.trec": WHOLE["systems/one/run.trec"]})
    cs.register_format("path")(lambda data: data.decode().strip())
    study = cs.open_study(write(tmp_path / "study", REST | {"systems/a/run.path": f"{tmp_path}/secret.trec"}))
    assert not study.runs
    assert "gave a text, not a run" in " ".join(map(str, study.report.problems))
