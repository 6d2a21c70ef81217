"""``watch``: a checkpoint is scored once it has stopped growing; what is broken is named and ends nothing."""

from __future__ import annotations

import json
import os

import pytest

from evalcore.cli import run
from evalcore.study.runs.checkpoints import arrivals, matching, system_name
from evalcore.values.errors import InputError

IMAGES = [f"{organ}{i:02}" for organ in ("chest", "head") for i in range(6)]


def rows_of(wrong):
    """Every query gets an image of its own organ, the first ``wrong`` ones one of the other."""
    rows = []
    for place, query in enumerate(IMAGES):
        others = [one for one in IMAGES if one != query and (one[:4] == query[:4]) != (place < wrong)]
        rows.append(f"{query} Q0 {others[0]} 1 1 x\n")
    return rows


@pytest.fixture
def folder(tmp_path, monkeypatch):
    study = tmp_path / "study"
    study.mkdir()
    concepts = "".join(f"{one},C000000{1 + (one[0] == 'h')}\n" for one in IMAGES)
    (study / "concepts.csv").write_text("ID,CUIs\n" + concepts)
    (study / "labels.csv").write_text("ID,organ\n" + "".join(f"{one},{one[:-2]}\n" for one in IMAGES))
    (tmp_path / "ckpts").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name, wrong, *, ago=0.0, n=None):
    path = os.path.join("ckpts", name)  # noqa: PTH118
    with open(path, "w") as file:  # noqa: PTH123
        file.writelines(rows_of(wrong)[:n])
    if ago:
        at = os.stat(path).st_mtime - ago  # noqa: PTH116
        os.utime(path, (at, at))


def looks(monkeypatch, *between):
    """Let this happen between the looks, one after the other, and then Ctrl-C."""
    todo = iter(between)

    def sleep(_seconds):
        for what in todo:
            what()
            return
        raise KeyboardInterrupt

    monkeypatch.setattr("evalcore.study.runs.checkpoints.time.sleep", sleep)


def watch(*more):
    return run(["watch", "study", "ckpts", "--metric", "P(organ)@1", *more])


def test_one_line_per_checkpoint_once_it_has_stopped_growing(folder, capsys, monkeypatch):
    written("step10.trec", 3, ago=60)
    written("step9.trec", 6, ago=60)
    (folder / "ckpts" / "notes.md").write_text("no run")
    looks(
        monkeypatch,
        lambda: written("step11.trec", 0, n=7),  # seen for the first time: perhaps still growing
        lambda: written("step11.trec", 0),  # it was
        lambda: (folder / "ckpts" / "bad.trec").write_text("chest00 Q0 nobody 1 1 x\n"),  # now it is read
        lambda: None,
        lambda: written("step9.trec", 4, ago=30),  # written anew
    )
    assert watch("--json") == 0
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    found = [(line.get("system"), line.get("mean"), line.get("baseline"), line.get("best")) for line in lines]
    assert found == [
        ("step9", 6 / 12, None, True),
        ("step10", 9 / 12, "step9", True),
        ("step11", 1.0, "step10", True),
        (None, None, None, None),
        ("step9", 8 / 12, "step11", False),
    ]
    assert lines[1]["difference"] == 3 / 12
    assert lines[1]["difference_low"] <= 3 / 12 <= lines[1]["difference_high"]
    (problem,) = [one for one in lines[3]["problems"] if one["rule"] == "unknown-id"]
    assert problem["line"] == 1 and lines[3]["file"] == "ckpts/bad.trec"
    assert "ckpts/bad.trec:1: " in err and "Traceback" not in err and "Stopped" not in err


def test_against_a_baseline_in_words(folder, capsys):
    place = folder / "study" / "systems" / "first" / "run.trec"
    place.parent.mkdir(parents=True)
    place.write_text("".join(rows_of(2)))
    written("mine.trec", 3, ago=60)
    written("first.trec", 0, ago=60)
    assert watch("--once", "--baseline", "first", "--where", "organ=chest") == 0
    out, err = capsys.readouterr()
    (line,) = out.splitlines()
    # by hand: of six chest queries the baseline has 4, the checkpoint 3
    assert "mine  P(organ)@1 0.5000 [" in line and "  -0.1667 [" in line and "] to first" in line
    assert "best" not in line
    assert "ckpts/first.trec: The study has a system called first already." in err


def test_once_waits_for_what_is_growing(folder):
    written("a.trec", 0)
    naps = []
    found = list(arrivals(folder / "ckpts", every=3, once=True, sleep=naps.append))
    assert [path.name for path in found] == ["a.trec"] and naps == [3]
    with pytest.raises(InputError, match="There is no folder"):
        list(arrivals(folder / "none", every=3))


def test_names(folder):
    for path, name in (("a/b.trec.gz", "b"), ("lr=0.1.run", "lr=0.1"), ("x.v2", "x.v2"), ("t.CSV", "t")):
        assert system_name(path) == name
    for depth in ("x", "y"):
        (folder / "deep" / depth).mkdir(parents=True)
        (folder / "deep" / depth / f"{depth}.trec").write_text("")
    assert list(matching("deep/**/*.trec")) == ["x", "y"]
