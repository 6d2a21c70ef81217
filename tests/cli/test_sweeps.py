"""The commands sweep and cost print what the library computes, as tables, JSON and CSV."""

from __future__ import annotations

import csv
import json

import pytest

from evalcore.cli import run
from evalcore.evaluate.sweep import isolated, readings, stability, tau_of
from evalcore.ranking.metrics import parse_metric
from evalcore.study import open_study
from evalcore.values.settings import Settings
from tests.ui.conftest import write_study


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("sweeps") / "tiny", pictures=False)


@pytest.fixture
def call(folder, capsys):
    """Runs a command on the study; returns exit code, standard output, standard error."""

    def call(command, *arguments):
        code = run([*command.split(), str(folder), *map(str, arguments)])
        return code, *capsys.readouterr()

    return call


def test_the_ranking_at_every_setting_and_under_every_reading(folder, call):
    code, out, _ = call("sweep", "--metric", "nnCUI@3", "--alphas", "0,1", "--thresholds", "2", "--json")
    found = json.loads(out)
    study = open_study(folder)
    library = stability(study, metric="nnCUI@3", alphas=[0, 0.5, 1], thresholds=[1, 2])
    reference = library.at(0.5, 1)
    assert code == 0 and len(found["standings"]) == 6, "with the setting in use"
    for row, one in zip(found["standings"], library.standings, strict=True):
        assert (row["metric"], row["alpha"], row["threshold"], row["leader"], row["lead"], row["tau"]) == (
            "nnCUI@3",
            one.settings.alpha,
            one.settings.threshold,
            one.order[0],
            one.lead,
            tau_of(reference, one),
        )
        assert [s["mean"] for s in row["systems"]] == [m.mean for m in one.means]
    rules, directions = readings(study, metric="nnCUI@3")
    assert [(r["count_rule"], r["lead"]) for r in found["count_rules"]] == [
        (one.settings.count_rule, one.lead) for one in rules
    ]
    assert [(r["direction"], r["lead"]) for r in found["directions"]] == [
        (one.settings.direction, one.lead) for one in directions
    ]


def test_the_ranking_in_words(call):
    code, out, _ = call("sweep", "--metric", "nnCUI@3", "--alphas", "0,1")
    assert code == 0 and "alpha leads on nnCUI@3 at " in out
    assert (
        "Where the order changes" in out and "Interpretations of Algorithm 1:" in out and "matching2" in out
    )


def test_settings_that_are_identical_by_definition_are_counted_once(call):
    """At 21 alphas and 0, 1, 2 steps: IoU once, and 20 alphas at 1 step, as 2 relate no further concepts."""
    grid = ["--metric", "nnCUI@3", "--alphas", "0:1:0.05"]
    _, out, _ = call("sweep", *grid, "--json")
    found = json.loads(out)
    assert (found["settings_tried"], found["settings_different"]) == (63, 21)
    leads = [row for row in found["standings"] if row["threshold"] == 1]
    assert len(leads) == 21
    n = sum(row["leader"] == "alpha" and row["lead"] > 0 for row in leads)
    clear = sum(row["leader"] == "alpha" and row["clear"] for row in leads)
    _, text, _ = call("sweep", *grid)
    assert "63 settings, 21 of them different; the others are identical by definition." in text
    assert f"alpha leads on nnCUI@3 at {n} of 21 different settings, clearly at {clear}" in text or n == 21


def test_sweep_over_every_rule_as_csv(folder, call, tmp_path):
    path = tmp_path / "grid.csv"
    arguments = ["--metric", "P(organ)@2", "--system", "@nn-iou", "--alphas", "0.5", "--thresholds", "1,2"]
    code, out, err = call(
        "sweep", *arguments, "--count-rules", "all", "--directions", "directed", "--csv", path, "--json"
    )
    rows = json.loads(out)["rows"]
    assert code == 0 and f"Wrote {path}" in err and len(rows) == 16
    with path.open() as lines:
        written = list(csv.DictReader(lines))
    assert [float(row["mean"]) for row in written] == [row["mean"] for row in rows]
    assert {row["direction"] for row in written} == {"directed"}
    _, table, _ = call("sweep", *arguments, "--count-rules", "all")
    lines = table.splitlines()
    assert table.split()[0] == "count_rule"
    assert lines[17].startswith("16 settings, 8 of them different")  # as 2 steps relate no more
    assert lines[18].startswith("Intervals from fewer than 50 queries are too narrow")


def test_sweep_on_the_isolated_subset(folder, call):
    arguments = ["--metric", "P(organ)@2", "--system", "@iou", "--alphas", "0.5", "--thresholds", "1"]
    metric = parse_metric("P(organ)@2")
    for subset in ("disagree", "topk_differs"):
        _, out, _ = call("sweep", *arguments, "--subset", subset, "--json")
        kept = isolated(open_study(folder), [metric], settings=Settings(), definition=subset)[metric]
        assert json.loads(out)["rows"][0]["n_scored"] == len(kept)


def test_cost(call, tmp_path):
    path = tmp_path / "cost.csv"
    code, out, _ = call("cost", "--repeats", 1, "--thresholds", "1", "--csv", path, "--json")
    found = json.loads(out)
    assert code == 0 and [row["relevance"] for row in found["rows"]] == ["iou", "nn-iou"]
    assert "Python 3" in found["machine"]
    assert path.read_text().splitlines()[0].startswith("relevance,threshold,dictionary,scoring")
    code, table, _ = call("cost", "--repeats", 1)
    assert code == 0 and "processors" in table and len(table.splitlines()) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sweep", "--metric", "XX@3"], "No metric called 'XX'"),
        (["sweep", "--metric", "nnCUI@3", "--alphas", "2"], "`alpha` must be a number from 0 to 1"),
        (["sweep", "--metric", "AP(organ)", "--system", "@iou", "--subset", "topk_differs"], "no cutoff"),
        (["cost", "--repeats", "0"], "0 is not in the range"),
    ],
)
def test_what_is_at_fault_is_named(call, arguments, message):
    code, _, err = call(*arguments)
    assert code == 2 and message in err
