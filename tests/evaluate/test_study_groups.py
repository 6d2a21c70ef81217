"""Groups in a study folder: named in study.toml or groups.csv, proposed where a column looks like some."""

import pytest

from evalcore import score
from evalcore.evaluate.measures import table_metrics
from evalcore.evaluate.summary import summarise
from evalcore.study import open_study
from evalcore.ui.frame.measures import choices
from evalcore.values.grouping import judging_columns, with_same_group
from tests.study.made import write

IDS = [f"i{n:02}" for n in range(24)]
PATIENTS = [f"p{n // 2}" for n in range(24)]
NAMED = {
    "study.toml": 'group = "patient"\n',
    "groups.csv": "ID,patient\n" + "".join(map("{},{}\n".format, IDS, PATIENTS)),
}


@pytest.fixture
def folder(tmp_path):
    """24 images of 12 patients, two each; the run has the own patient first, then an equal organ."""
    results = [(i, (IDS[n ^ 1], IDS[(n + 4) % 24], IDS[(n + 2) % 24])) for n, i in enumerate(IDS)]
    rows = [f"{i},{'ab'[n // 2 % 2]},{PATIENTS[n]}\n" for n, i in enumerate(IDS)]
    lines = [f"{i} Q0 {c} {k} {1 / k} s\n" for i, some in results for k, c in enumerate(some, start=1)]
    files = {
        "concepts.csv": "ID,CUIs\n" + "".join(f"{i},C000000{n % 3}\n" for n, i in enumerate(IDS)),
        "labels.csv": "ID,organ,patient\n" + "".join(rows),
        "systems/s/run.trec": "".join(lines),
    }
    return write(tmp_path, files)


def test_groups_are_proposed_and_change_nothing(folder, as_json):
    study = open_study(folder)
    assert study.groups is None
    (remark,) = [problem for problem in study.report.problems if problem.rule == "looks-like-groups"]
    assert 'group = "patient"' in remark.remedy and "12 values on 24 images" in remark.message
    assert as_json("score", folder, "--metric", "CUI@2")["proposed_group"] == "patient"
    assert open_study(write(folder, {"study.toml": 'name = "x"\n'})).digest == study.digest


@pytest.mark.parametrize("where", NAMED)
def test_groups_from_study_toml_or_groups_csv(folder, where, as_json):
    before = open_study(folder).digest
    study = open_study(write(folder, {where: NAMED[where]}))
    assert study.groups is not None and (study.groups.name, study.groups.n) == ("patient", 12)
    assert study.groups.of_image.tolist() == [n // 2 * 2 for n in range(24)]
    assert study.digest != before and not study.report.counts
    assert "proposed_group" not in as_json("score", folder, "--metric", "CUI@2")
    # By hand: with the own patient first, then an equal organ; without it an equal organ, then the other one.
    for choice, values in (("keep", (1.0, 1.0)), ("drop", (1.0, 0.5))):
        board = score(with_same_group(study, choice), metrics=["P(organ)@1", "P(organ)@2"])
        assert tuple(summarise(scores).mean for scores in board) == values


@pytest.mark.parametrize("named", [{}, {"study.toml": NAMED["study.toml"]}])
def test_the_column_of_groups_is_no_label_type(folder, named):
    study = open_study(write(folder, named))
    assert judging_columns(study) == ("organ",)
    assert not [choice.family for choice in choices(study) if "patient" in choice.family]
    assert all("patient" not in metric for metric in table_metrics(study))
    (scores,) = score(with_same_group(study, "keep"), metrics=["P(patient)@1"])  # who asks for it gets it
    assert summarise(scores).mean == 1.0
