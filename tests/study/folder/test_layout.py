"""Which file of a folder is which part; links, odd names and hostile paths lead nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evalcore.study.folder.layout import TOML, find_layout
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import InputError
from tests.study.made import write


def lay(root, *names, toml=None):
    """Files by part, the layout, and severity and rule of each problem with its text."""
    write(root, dict.fromkeys(names, "x") | ({} if toml is None else {"study.toml": toml}))
    problems = Problems(TOML)
    layout = find_layout(root, problems)
    files = {kind: [layout.name_of(path) for path in paths] for kind, paths in layout.files.items() if paths}
    return files, layout, [f"{p.severity} {p.rule} {p}" for p in problems.report().problems]


def heads(problems):
    """(severity, rule, file and line) of each."""
    return [tuple(problem.split()[:3]) for problem in problems]


def test_parts_are_found_by_their_names(tmp_path):
    parts = {
        "concepts": ["concepts.csv"],
        "captions": ["captions.csv"],
        "labels": ["labels.csv"],
        "graph": ["graph/edges.csv", "graph/part_of.csv"],
        "names": ["names.csv"],
        "images": ["images"],
        "queries": ["queries.txt"],
    }
    named = [name for names in parts.values() for name in names if name != "images"]
    systems = ("hog/run.txt.gz", "hog/embeddings.npz", "pca/run.json", ".x/y")
    others = ("graph/README.md", "images/a.jpg", ".DS_Store", *(f"systems/{name}" for name in systems))
    files, layout, problems = lay(tmp_path, *named, *others)
    assert (files, problems) == (parts, [])
    in_systems = {name: sorted(parts) for name, parts in layout.systems.items()}
    assert in_systems == {"hog": ["embeddings", "run"], "pca": ["run"]}


def test_two_files_for_one_part_are_not_guessed_between(tmp_path):
    names = ("test_concepts.csv", "train_concepts.csv", "systems/s/run.csv", "systems/s/run.trec")
    files, layout, problems = lay(tmp_path, *names)
    assert (files, layout.systems) == ({}, {"s": {}})
    assert "Several files could be the concepts: test_concepts.csv, train_concepts.csv" in problems[0]
    assert "Keep one, or name it in study.toml" in problems[0]
    assert "systems/s/run.csv, systems/s/run.trec" in problems[1]


def test_study_toml_names_files_and_the_rest_is_found(tmp_path):
    toml = (
        '[files]\nconcepts = "kg/c.csv"\ngraph = "kg/*"\nimages = ""\n[systems.hog]\nrun = "runs/hog.txt"\n'
    )
    names = ("kg/c.csv", "kg/a.obo", "concepts.csv", "captions.csv", "images/a.jpg", "runs/hog.txt")
    files, layout, problems = lay(tmp_path, *names, "systems/other/run.csv", toml=toml)
    graph = ["kg/a.obo", "kg/c.csv"]
    assert files == {"concepts": ["kg/c.csv"], "graph": graph, "captions": ["captions.csv"]}
    assert not problems and list(layout.systems) == ["hog"], "systems named in study.toml are all there are"
    shards = [f"hf/test-{i}.parquet" for i in (0, 1)]
    files, _, problems = lay(
        tmp_path / "hub", *shards, "hf/x.parquet", toml='[files]\nconcepts = "hf/test-*"\n'
    )
    assert (files, problems) == ({"concepts": shards}, [])


@pytest.mark.parametrize(
    "path", ["../secret.csv", "/etc/passwd", "sub/../../secret.csv", "link.csv", "linked/secret.csv"]
)
def test_no_path_leaves_the_folder(tmp_path, path):
    write(tmp_path, {"secret.csv": "x", "study/sub/x": "x"})
    study = tmp_path / "study"
    (study / "link.csv").symlink_to(tmp_path / "secret.csv")
    (study / "linked").symlink_to(tmp_path)
    files, layout, problems = lay(study, toml=f'[files]\nconcepts = "{path}"\n[systems.s]\nrun = "{path}"\n')
    assert (files, layout.systems) == ({}, {"s": {}})
    assert heads(problems)[0] == ("error", "path-leaves-study", "study.toml:2:") and len(problems) == 2
    assert repr(path) in problems[0] and "Copy the file into the folder" in problems[0]


def test_links_found_by_convention_are_not_followed_out_either(tmp_path):
    write(tmp_path, {"secret.csv": "x", "run.csv": "x"})
    (tmp_path / "study/systems").mkdir(parents=True)
    (tmp_path / "study/concepts.csv").symlink_to(tmp_path / "secret.csv")
    (tmp_path / "study/systems/s").symlink_to(tmp_path)
    files, layout, problems = lay(tmp_path / "study")
    assert (files, layout.systems) == ({}, {"s": {}})
    assert [head[1] for head in heads(problems)[:2]] == ["path-leaves-study"] * 2


def test_what_is_missing_or_out_of_place_is_reported(tmp_path):
    toml = '[files]\ncaptions = "nothing.csv"\nqueries = "loop"\ngraph = "empty"\n'
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "empty").mkdir()
    files, _, problems = lay(tmp_path, "systems/run.csv", "systems/s/notes.txt", toml=toml)
    assert not files and heads(problems) == [
        ("error", "missing-file", "study.toml:2:"),
        ("error", "named-folder", "study.toml:4:"),
        ("error", "missing-file", "study.toml:3:"),
        ("warning", "not-a-system", "study.toml:"),
        ("warning", "empty-system", "study.toml:"),
    ]


@pytest.mark.parametrize("typed", ["nowhere", "a\0b", "x" * 5000, "~nobody-there/study", "\udcff"])
def test_whatever_is_typed_is_no_study_rather_than_an_error(typed):
    with pytest.raises(InputError, match=r"There is no study: .* does not exist"):
        find_layout(Path(typed))


def test_a_file_is_no_study(tmp_path):
    with pytest.raises(InputError, match="is a file, not a folder"):
        find_layout(write(tmp_path, {"file": "x"}) / "file")


def test_a_system_cannot_pose_as_a_ranking_of_the_program(tmp_path):
    _, layout, problems = lay(tmp_path, "systems/@iou/run.csv", "systems/hog/run.csv")
    assert list(layout.systems) == ["hog"]
    assert heads(problems) == [("error", "reserved-name", "study.toml:")] and "without the @" in problems[0]
    toml = '[systems.hog]\nrun = "systems/hog/run.csv"\n[systems."@nn-iou"]\nrun = "systems/@iou/run.csv"\n'
    _, layout, problems = lay(tmp_path, toml=toml)
    assert list(layout.systems) == ["hog"]
    assert heads(problems)[0] == ("error", "reserved-name", "study.toml:3:")


def test_names_that_are_not_utf8(tmp_path):
    odd = os.fsdecode(b"caf\xe9")
    places = (f"graph/{odd}.csv", f"systems/{odd}/run.csv", f"systems/@{odd}/x", f"systems/e{odd}/notes")
    files, layout, problems = lay(tmp_path / odd, "concepts.csv", *places, f"systems/f{odd}")
    assert list(layout.systems) == ["caf%E9", "ecaf%E9"]
    assert layout.systems["caf%E9"]["run"].read_text() == "x"
    assert files["concepts"] == ["concepts.csv"] and len(files["graph"]) == 1
    assert sorted(head[1] for head in heads(problems)) == ["empty-system", "not-a-system", "reserved-name"]
    assert all(problem.isprintable() for problem in problems)
