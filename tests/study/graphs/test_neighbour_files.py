"""neighbours.csv: a dictionary computed elsewhere replaces a graph."""

from pathlib import Path

import pytest

from evalcore import engine, explain, open_study, sweep
from evalcore.cli import run
from evalcore.values.settings import Settings
from tests.study.made import write

CONCEPTS = "ID,CUIs\na,C0000001;C0000003\nb,C0000002\nc,C0000003;C0000004\nd,C0000009\n"
EDGES = "child,parent\nC0000002,C0000001\nC0000003,C0000002\nC0000004,C0000003\nC0000005,C0000004\n"
RUN = "a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\nb Q0 a 1 0.9 s\nc Q0 a 1 0.9 s\nd Q0 a 1 0.9 s\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study whose neighbours are one step apart."""
    near = "cui,neighbour,distance\nC0000001,C0000002,1\nC0000002,C0000003,1\nC0000003,C0000004,1\n"
    runs = {"systems/one/run.trec": RUN, "systems/two/run.trec": RUN.replace("c 2 0.8", "d 2 0.8")}
    return write(tmp_path / "study", {"concepts.csv": CONCEPTS, "neighbours.csv": near, **runs})


def test_the_exported_dictionary_gives_what_the_graph_gives(tmp_path: Path) -> None:
    with_graph = write(tmp_path / "graph", {"concepts.csv": CONCEPTS, "edges.csv": EDGES})
    out = write(tmp_path / "dictionary", {"concepts.csv": CONCEPTS}) / "neighbours.csv"
    assert run(["dictionary", str(with_graph), "--threshold", "4", "--out", str(out)]) == 0
    without, full = open_study(out.parent), open_study(with_graph)
    assert without.graph is None and without.knows_neighbours and not without.report.total("error")
    assert without.digest != full.digest
    for settings in (Settings(threshold=threshold) for threshold in range(4)):
        runs = [
            engine.rank(s, "nn-iou", s.queries, candidates=s.candidates, depth=None, settings=[settings])[0]
            for s in (full, without)
        ]
        assert runs[0].digest == runs[1].digest
        expected, explained = (explain(study, "a", "b", settings=settings) for study in (full, without))
        assert (explained.values, explained.exact_adds) == (expected.values, expected.exact_adds)
        assert [m.adds for m in explained.neighbours] == [m.adds for m in expected.neighbours]
        assert all(match.path == (match.cui, match.matched) for match in explained.neighbours)


@pytest.mark.parametrize(
    "command",
    [
        "score STUDY --metric nnCUI@10 --threshold 2",
        "compare STUDY one two --metric nnCUI@10 --threshold 2",
        "explain STUDY a b --threshold 2",
        "dictionary STUDY --threshold 2",
        "sweep STUDY --thresholds 2,3 --metric nnCUI@10",
    ],
)
def test_a_threshold_beyond_the_dictionary_is_refused(folder, command, capsys):
    assert run([word.replace("STUDY", str(folder)) for word in command.split()]) == 2
    messages = capsys.readouterr().err
    for words in ("must be at most 1", "up to 1 step apart", "--threshold 2", "neighbours"):
        assert words in messages


def test_a_sweep_leaves_out_thresholds_beyond_the_dictionary(folder, capsys):
    result = sweep(open_study(folder), alphas=[0.5], metrics=["nnCUI@10"])
    assert {row.settings.threshold for row in result.rows} == {0, 1}
    left_out = "Threshold 2 is left out: the neighbour dictionary lists neighbours up to 1 step apart."
    assert result.sentences() == [left_out]
    assert run(["sweep", str(folder), "--alphas", "0,0.5", "--metric", "nnCUI@10", "--json"]) == 0
    assert left_out in capsys.readouterr().out
