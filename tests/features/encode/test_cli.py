"""``encode`` on the command line."""

from __future__ import annotations

import json

from evalcore.cli import run
from evalcore.study import open_study
from tests.features.encode.small import folder


def test_all_baselines_make_a_first_leaderboard(tmp_path, capsys):
    study = folder(tmp_path)
    assert run(["encode", str(study), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["systems"]
    assert [(row["system"], row["what"], row["vectors"]) for row in rows] == [
        ("intensity-histogram", "images", 4),
        ("texture", "images", 4),
        ("hog", "images", 4),
        ("pixel-pca", "images", 4),
        ("caption-tfidf", "captions", 4),
        ("caption-tfidf-svd", "captions", 4),
    ]
    assert set(open_study(study).systems) == {row["system"] for row in rows}
    assert run(["encode", str(study), "--what", "captions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"] == [
        row | {"encoded": 4, "kept": 0} for row in rows[4:]
    ]


def test_one_baseline_under_a_name_and_its_second_run(tmp_path, capsys):
    study = folder(tmp_path)
    command = ["encode", str(study), "--model", "baseline:hog", "--name", "edges"]
    assert run(command) == 0
    assert "edges" in capsys.readouterr().out
    assert run([*command, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["systems"]
    assert (row["encoded"], row["kept"]) == (0, 4)
    assert open_study(study).reads["edges"] == ("images",)


def test_what_cannot_be(tmp_path, capsys):
    study = str(folder(tmp_path, images=False))
    for words, message in (
        ([study, "--name", "x"], "--name and --out are for one model: give --model."),
        ([study, "--model", "baseline:hgo"], "No baseline called 'hgo'. Did you mean: hog."),
        ([study, "--model", "baseline:hog"], "The study has no pictures to encode."),
        ([study, "--model", "baseline:hog", "--what", "captions"], "baseline:hog reads images, not captions"),
        (
            ["data", "--model", "baseline:hog"],
            "The sample study is part of the program; it is never changed.",
        ),
    ):
        assert run(["encode", *words]) == 2
        assert message in capsys.readouterr().err
