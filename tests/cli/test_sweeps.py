"""The commands sweep and cost print what the library computes, as tables, JSON and CSV."""

from __future__ import annotations

import json

import pytest

from evalcore.cli import run
from evalcore.evaluate.sweep import tau_of
from evalcore.study import open_study
from tests.swept import readings, stability
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
    rules = readings(study, metric="nnCUI@3")
    assert [(r["count_rule"], r["lead"]) for r in found["count_rules"]] == [
        (one.settings.count_rule, one.lead) for one in rules
    ]
