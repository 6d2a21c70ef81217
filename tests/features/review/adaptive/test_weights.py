"""What follows elsewhere from judgments of an adaptive task: weighted, or left out with the way out."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.features.review.adaptive.design import design_of, state_of
from evalcore.features.review.adaptive.weights import selected
from evalcore.features.review.items import lists_of, plan_of
from evalcore.features.review.judgments import Judgment
from evalcore.features.review.read.judgment_files import judgment_lines
from evalcore.features.review.read.task_files import read_task, read_tasks
from evalcore.features.review.read.together import judgments_of
from evalcore.features.review.readers import judged_study
from evalcore.features.review.tasks import Task
from evalcore.study import open_study

DATA = Path(__file__).parents[4] / "data"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample study, whose tasks are not adaptive, and a task that is, with answers."""
    result = tmp_path_factory.mktemp("studies") / "sample"
    shutil.copytree(DATA, result)
    made = ["review", "make", str(result), "--task", "quick", "--n-queries", "40", "--depth", "3"]
    assert run([*made, "--kind", "graded", "--set", "adaptive=best"]) == 0
    study, task = open_study(result), read_task(result, "quick")
    lists = lists_of(study, task)
    plan = plan_of(task, lists, reader="R1", design=design_of(study, task, lists))
    first: list[Judgment] = []
    for i, item in enumerate(plan.items):
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=i)
        first += plan.judgments(item, id=f"a{i}", at=at, value=(i * 7 % 5) / 4)
    second = [replace(one, id=f"b{one.id}", reader="R2") for one in first]
    (result / "review" / "quick.judgments.csv").write_text("".join(judgment_lines([*first, *second])))
    return result


def told(capsys: pytest.CaptureFixture[str], *command: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run([*command])
    return code, *capsys.readouterr()


def test_an_adaptive_task_is_weighted_alone_and_left_out_beside_others(folder: Path) -> None:
    study, (tasks, _), judgments = open_study(folder), read_tasks(folder), judgments_of(folder)
    task: Task = next(one for one in tasks if one.name == "quick")
    own = [one for one in judgments if one.task == "quick"]
    alone = selected(study, [task], own)
    state = state_of(design_of(study, task, lists_of(study, task)), own)
    assert alone.weights is not None and alone.state is not None and len(alone.judgments) == len(own)
    assert list(alone.weights) == [state.design.queries[i] for i in state.course.drawn]
    both = selected(study, tasks, judgments)
    assert both.weights is None and "Left out" in both.note and task.title in both.note
    assert {one.task for one in both.judgments} == {one.task for one in judgments} - {"quick"}
    others = [one for one in tasks if one.adaptive is None]
    assert selected(study, others, both.judgments)[1:] == (both.judgments, None, None, "")
    twice = [task, replace(task, name="again")]
    nothing = selected(study, twice, [*own, *(replace(one, task="again") for one in own)])
    assert not nothing.judgments and "Left out" in nothing.note
    changed = replace(task, adaptive=replace(task.adaptive, lists="of other lists"))
    unknown = selected(study, [changed], own)
    assert unknown.weights == {} and "chances of its draws are no longer known" in unknown.note


def test_commands_use_the_weights_or_say_where_they_are(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = told(capsys, "review", "readers", str(folder), "--task", "quick", "--json")
    facts = json.loads(out)
    assert code == 0 and facts["weights"] and facts["coverage"] == [] and facts["measures"][0]["auc"] is None
    code, _, err = told(capsys, "mrmc", str(folder), "--set", "task=quick")
    assert code == 2 and "unequal chances" in err and "review show" in err
    _, with_it, err = told(capsys, "mrmc", str(folder), "--json")
    assert "Left out" in err
    assert json.loads(with_it)["rows"] == json.loads(told(capsys, "mrmc", str(DATA), "--json")[1])["rows"]
    code, out, _ = told(capsys, "review", "export", str(folder), "quick", "--out", str(folder / "a.qrels"))
    assert code == 0 and "without a grade as not relevant" in out
    counted, before = judged_study(open_study(folder)).judged, judged_study(open_study(DATA)).judged
    assert counted is not None and before is not None and counted.digest == before.digest
