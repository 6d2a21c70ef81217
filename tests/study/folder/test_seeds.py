"""Runs of several seeds in the folder of one system: found, named, refused."""

from __future__ import annotations

import shutil

import pytest

from evalcore.study import open_study
from tests.seeded import SEEDS, trec, write_seeded


@pytest.fixture
def folder(tmp_path):
    return write_seeded(tmp_path / "study")


def errors(study):
    return [str(problem) for problem in study.report.problems if problem.severity == "error"]


def results_of(study, seed):
    run = study.runs[seed]
    return {
        study.image_ids[q]: " ".join(study.image_ids[c] for c in run.answer(q)[0])
        for q in run.queries.tolist()
    }


def test_one_system_whose_seeds_are_runs_in_the_order_of_their_numbers(folder):
    study = open_study(folder)
    assert errors(study) == []
    assert study.systems == ("alpha", "beta", "cnn")
    assert study.seeds == {"cnn": ("cnn.1", "cnn.2", "cnn.10")}
    assert {seed: results_of(study, seed) for seed in SEEDS} == SEEDS
    assert study.looks["cnn"].key == "cnn"


def test_a_title_names_the_seeds_too_and_the_key_still_finds_them(folder):
    (folder / "study.toml").write_text('[systems.cnn]\ntitle = "Our net"\n')
    study = open_study(folder)
    assert study.seeds == {"Our net": ("Our net.1", "Our net.2", "Our net.10")}
    assert study.called("cnn") == "Our net"
    assert study.called("cnn.10") == "Our net.10"
    assert study.called("cnn.3") == "cnn.3"


def test_one_run_beside_runs_of_seeds_is_not_guessed_between(folder):
    (folder / "systems/cnn/run.trec").write_text(trec(SEEDS["cnn.1"]))
    study = open_study(folder)
    assert study.systems == ("alpha", "beta")
    (error,) = errors(study)
    assert "'systems/cnn'" not in error
    assert (
        "systems/cnn contains one run and runs of seeds: systems/cnn/run.trec, systems/cnn/run.1.trec"
        in error
    )
    assert "Keep either run.* or run.1.*, run.2.*" in error


def test_one_seed_in_two_files_is_not_guessed_between(folder):
    (folder / "systems/cnn/run.02.trec").write_text(trec(SEEDS["cnn.1"]))
    study = open_study(folder)
    assert study.seeds == {"cnn": ("cnn.1", "cnn.10")}
    assert "the run.2: systems/cnn/run.02.trec, systems/cnn/run.2.csv. None is used." in errors(study)[0]


def test_another_system_of_a_seeds_name_stays_and_the_seeds_are_left_out(folder):
    (folder / "systems/cnn.2").mkdir()
    shutil.copy(folder / "systems/alpha/run.trec", folder / "systems/cnn.2/run.trec")
    study = open_study(folder)
    assert study.systems == ("alpha", "beta", "cnn.2")
    assert study.seeds == {}
    assert results_of(study, "cnn.2") == results_of(study, "alpha")
    assert "Seeds of cnn and another system would both be called cnn.2." in errors(study)[0].replace("'", "")


def test_a_seed_that_cannot_be_read_is_an_error_and_the_others_remain(folder):
    (folder / "systems/cnn/run.2.csv").write_text("nothing of use")
    study = open_study(folder)
    assert study.seeds == {"cnn": ("cnn.1", "cnn.10")}
    assert "systems/cnn/run.2.csv" in errors(study)[0]
