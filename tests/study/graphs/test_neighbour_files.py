"""neighbours.csv: a dictionary computed elsewhere stands in for a graph."""

from __future__ import annotations

import json

import pytest

from evalcore import engine, explain, open_study, sweep
from evalcore.cli import run
from evalcore.values.settings import Settings
from tests.study.made import write

CONCEPTS = "ID,CUIs\na,C0000001;C0000003\nb,C0000002\nc,C0000003;C0000004\nd,C0000009\n"
EDGES = "child,parent\nC0000002,C0000001\nC0000003,C0000002\nC0000004,C0000003\nC0000005,C0000004\n"


def study_in(folder, **files):
    texts = {"concepts": CONCEPTS, **files}
    return write(folder, {f"{name}.csv": text for name, text in texts.items()})


@pytest.mark.parametrize("threshold", [0, 1, 2, 3])
def test_the_exported_dictionary_gives_what_the_graph_gives(tmp_path, threshold, capsys):
    with_graph = study_in(tmp_path / "graph", edges=EDGES)
    out = tmp_path / "found.csv"
    assert run(["dictionary", str(with_graph), "--threshold", "4", "--out", str(out)]) == 0
    without = open_study(study_in(tmp_path / "dictionary", neighbours=out.read_text()))
    full, settings = open_study(with_graph), Settings(threshold=threshold)
    assert without.graph is None and without.knows_neighbours and not without.report.total("error")
    assert without.digest != full.digest
    runs = [
        engine.rank(s, "nn-iou", s.queries, candidates=s.candidates, depth=None, settings=settings)
        for s in (full, without)
    ]
    assert runs[0].digest == runs[1].digest
    explanation = explain(without, "a", "b", settings=settings)
    expected = explain(full, "a", "b", settings=settings)
    assert explanation.values == expected.values and explanation.exact_adds == expected.exact_adds
    assert [m.adds for m in explanation.neighbours] == [m.adds for m in expected.neighbours]
    assert all(match.path == (match.cui, match.matched) for match in explanation.neighbours)


ONE_STEP = "cui,neighbour,distance\nC0000001,C0000002,1\nC0000002,C0000003,1\nC0000003,C0000004,1\n"
RUN = "a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\nb Q0 a 1 0.9 s\nc Q0 a 1 0.9 s\nd Q0 a 1 0.9 s\n"


def of_one_step(folder):
    study_in(folder, neighbours=ONE_STEP)
    other = RUN.replace("c 2 0.8", "d 2 0.8")
    return write(folder, {"systems/one/run.trec": RUN, "systems/two/run.trec": other})


@pytest.mark.parametrize(
    "command",
    [
        ["score", "--metric", "nnCUI@10"],
        ["compare", "one", "two", "--metric", "nnCUI@10"],
        ["explain", "a", "b"],
        ["dictionary"],
        ["sweep", "--thresholds", "2,3", "--metric", "nnCUI@10"],
    ],
    ids=" ".join,
)
def test_a_threshold_beyond_the_dictionary_is_refused(tmp_path, command, capsys):
    folder = str(of_one_step(tmp_path / "study"))
    threshold = [] if "sweep" in command else ["--threshold", "2"]
    assert run([command[0], folder, *command[1:], *threshold]) == 2
    messages = capsys.readouterr().err
    assert (
        "must be at most 1" in messages and "up to 1 step apart" in messages and "--threshold 2" in messages
    )
    assert "neighbours" in messages and "Traceback" not in messages


def test_a_sweep_takes_the_thresholds_that_are_covered_and_says_so(tmp_path, capsys):
    folder = of_one_step(tmp_path / "study")
    study = open_study(folder)
    result = sweep(study, alphas=[0.5], metrics=["nnCUI@10"])
    assert {row.settings.threshold for row in result.rows} == {0, 1}
    left_out = "Threshold 2 is left out: the neighbour dictionary lists neighbours up to 1 step apart."
    assert result.sentences() == [left_out]
    words = ["sweep", str(folder), "--alphas", "0,0.5", "--metric", "nnCUI@10"]
    assert run(words) == 0
    assert left_out in capsys.readouterr().out
    assert run([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == left_out
