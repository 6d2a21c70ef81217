"""Groups in a study folder: named in study.toml or groups.csv, proposed where a column looks like some."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import run
from evalcore.evaluate.measures import table_metrics
from evalcore.evaluate.scoring import score
from evalcore.evaluate.summary import summarise
from evalcore.study import open_study
from evalcore.ui.frame.measures import choices
from evalcore.values.grouping import judging_columns, with_same_group

IDS = [f"i{n:02}" for n in range(24)]


@pytest.fixture
def folder(tmp_path):
    """24 images of 12 patients, two each; the run has the own patient first, then an equal organ."""
    (tmp_path / "concepts.csv").write_text(
        "ID,CUIs\n" + "".join(f"{i},C000000{n % 3}\n" for n, i in enumerate(IDS))
    )
    rows = [f"{i},{'ab'[n // 2 % 2]},p{n // 2}\n" for n, i in enumerate(IDS)]
    (tmp_path / "labels.csv").write_text("ID,organ,patient\n" + "".join(rows))
    lines = [
        f"{i} Q0 {other} {rank} {1 / rank} s\n"
        for n, i in enumerate(IDS)
        for rank, other in enumerate((IDS[n ^ 1], IDS[(n + 4) % 24], IDS[(n + 2) % 24]), start=1)
    ]
    (tmp_path / "systems/s").mkdir(parents=True)
    (tmp_path / "systems/s/run.trec").write_text("".join(lines))
    return tmp_path


def test_a_study_without_groups_is_as_it_was(folder, capsys):
    study = open_study(folder)
    assert study.groups is None
    (remark,) = [problem for problem in study.report.problems if problem.rule == "looks-like-groups"]
    assert (remark.severity, remark.value) == ("warning", "patient")
    assert 'group = "patient"' in remark.remedy and "12 values on 24 images" in remark.message
    assert run(["score", str(folder), "--metric", "CUI@2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["proposed_group"] == "patient"
    (folder / "study.toml").write_text('name = "x"\n')
    assert open_study(folder).digest == study.digest


@pytest.mark.parametrize("where", ["study.toml", "groups.csv"])
def test_groups_are_named_by_study_toml_or_lie_in_groups_csv(folder, where, capsys):
    before = open_study(folder).digest
    if where == "study.toml":
        (folder / where).write_text('group = "patient"\n')
    else:
        (folder / where).write_text("ID,patient\n" + "".join(f"{i},p{n // 2}\n" for n, i in enumerate(IDS)))
    study = open_study(folder)
    assert study.groups is not None and (study.groups.name, study.groups.n) == ("patient", 12)
    assert study.groups.of_image.tolist() == [n // 2 * 2 for n in range(24)]
    assert study.digest != before and not study.report.counts
    assert run(["score", str(folder), "--metric", "CUI@2"]) == 0
    assert "looks like groups" not in capsys.readouterr().out
    # By hand: with the own patient first, then an equal organ; without it an equal organ, then the other one.
    for choice, values in (("keep", (1.0, 1.0)), ("drop", (1.0, 0.5))):
        board = score(with_same_group(study, choice), metrics=["P(organ)@1", "P(organ)@2"])
        assert tuple(summarise(scores).mean for scores in board) == values


@pytest.mark.parametrize("named", [False, True])
def test_what_names_groups_is_no_label_type(folder, named):
    if named:
        (folder / "study.toml").write_text('group = "patient"\n')
    study = open_study(folder)
    assert judging_columns(study) == ("organ",)
    assert not [choice.family for choice in choices(study) if "patient" in choice.family]
    assert all("patient" not in metric for metric in table_metrics(study))
    (scores,) = score(with_same_group(study, "keep"), metrics=["P(patient)@1"])  # who asks for it gets it
    assert summarise(scores).mean == 1.0
