import os
from pathlib import Path

import pytest

from evalcore.study.folder.layout import read_layout
from evalcore.values.errors import InputError


def lay(root, *names, toml=None):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    if toml is not None:
        (root / "study.toml").write_text(toml)
    layout, report = read_layout(root)
    files = {kind: [layout.name_of(path) for path in paths] for kind, paths in layout.files.items() if paths}
    return files, layout, [f"{p.severity} {p.rule} {p}" for p in report.problems]


def test_parts_are_found_by_their_names(tmp_path):
    files, layout, problems = lay(
        tmp_path,
        "concepts.csv",
        "captions.csv",
        "labels.csv",
        "names.csv",
        "queries.txt",
        "graph/edges.csv",
        "graph/part_of.csv",
        "graph/README.md",
        "images/a.jpg",
        "systems/hog/run.txt.gz",
        "systems/hog/embeddings.npz",
        "systems/pca/run.json",
        ".DS_Store",
        "systems/.x/y",
    )
    assert problems == []
    assert files == {
        "concepts": ["concepts.csv"],
        "captions": ["captions.csv"],
        "labels": ["labels.csv"],
        "graph": ["graph/edges.csv", "graph/part_of.csv"],
        "names": ["names.csv"],
        "images": ["images"],
        "queries": ["queries.txt"],
    }
    assert {name: sorted(parts) for name, parts in layout.systems.items()} == {
        "hog": ["embeddings", "run"],
        "pca": ["run"],
    }


def test_two_files_for_one_part_are_not_guessed_between(tmp_path):
    files, layout, problems = lay(
        tmp_path, "test_concepts.csv", "train_concepts.csv", "systems/s/run.csv", "systems/s/run.trec"
    )
    assert files == {}
    assert layout.systems == {"s": {}}
    assert problems[0] == (
        "error ambiguous-file study.toml: Several files could be the concepts: test_concepts.csv, "
        "train_concepts.csv. None is used. Keep one, or name it in study.toml."
    )
    assert "systems/s/run.csv, systems/s/run.trec" in problems[1]


def test_study_toml_names_files_and_the_rest_is_found(tmp_path):
    toml = (
        'name = "N"\n[files]\nconcepts = "kg/c.csv"\ngraph = "kg/*"\nimages = ""\n'
        '[systems.hog]\nrun = "runs/hog.txt"\n'
    )
    files, layout, problems = lay(
        tmp_path,
        "kg/c.csv",
        "kg/a.obo",
        "concepts.csv",
        "captions.csv",
        "images/a.jpg",
        "runs/hog.txt",
        "systems/other/run.csv",
        toml=toml,
    )
    assert problems == []
    assert files == {
        "concepts": ["kg/c.csv"],
        "graph": ["kg/a.obo", "kg/c.csv"],
        "captions": ["captions.csv"],
    }
    assert list(layout.systems) == ["hog"], "systems named in study.toml are all there are"


def test_shards_can_be_named_by_a_pattern(tmp_path):
    shards = ("hf/test-0.parquet", "hf/test-1.parquet", "hf/train-0.parquet")
    assert lay(tmp_path, *shards, toml='[files]\nconcepts = "hf/*"\n')[0] == {"concepts": list(shards)}
    files, _, problems = lay(tmp_path, toml='[files]\nconcepts = "hf/test-*.parquet"\n')
    assert (files, problems) == ({"concepts": list(shards[:2])}, [])


@pytest.mark.parametrize(
    "path", ["../secret.csv", "/etc/passwd", "sub/../../secret.csv", "link.csv", "linked/secret.csv"]
)
def test_no_path_leaves_the_folder(tmp_path, path):
    (tmp_path / "secret.csv").write_text("x")
    study = tmp_path / "study"
    (study / "sub").mkdir(parents=True)
    (study / "link.csv").symlink_to(tmp_path / "secret.csv")
    (study / "linked").symlink_to(tmp_path)
    files, layout, problems = lay(study, toml=f'[files]\nconcepts = "{path}"\n[systems.s]\nrun = "{path}"\n')
    assert (files, layout.systems) == ({}, {"s": {}})
    assert problems[0] == (
        f"error path-leaves-study study.toml:2: The path {path!r} leaves the study folder; "
        "nothing outside it is read. Copy the file into the folder."
    )
    assert len(problems) == 2


def test_links_found_by_convention_are_not_followed_out_either(tmp_path):
    (tmp_path / "secret.csv").write_text("x")
    (tmp_path / "study/systems").mkdir(parents=True)
    (tmp_path / "study/concepts.csv").symlink_to(tmp_path / "secret.csv")
    (tmp_path / "study/systems/s").symlink_to(tmp_path)
    (tmp_path / "run.csv").write_text("x")
    files, layout, problems = lay(tmp_path / "study")
    assert files == {}
    assert layout.systems == {"s": {}}
    assert [p.split()[1] for p in problems[:2]] == ["path-leaves-study"] * 2


def test_what_is_missing_or_out_of_place_is_reported(tmp_path):
    toml = '[files]\ncaptions = "nothing.csv"\nqueries = "loop"\ngraph = "empty"\n'
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "empty").mkdir()
    files, _, problems = lay(tmp_path, "systems/run.csv", "systems/s/notes.txt", toml=toml)
    assert files == {}
    assert [p.split()[:3] for p in problems] == [
        ["error", "missing-file", "study.toml:2:"],
        ["error", "named-folder", "study.toml:4:"],
        ["error", "missing-file", "study.toml:3:"],
        ["warning", "not-a-system", "study.toml:"],
        ["warning", "empty-system", "study.toml:"],
    ]


def test_a_study_is_a_folder(tmp_path):
    with pytest.raises(InputError, match=r"does not exist\. Give the folder with concepts\.csv"):
        read_layout(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file, not a folder"):
        read_layout(tmp_path / "file")


def test_a_system_cannot_pose_as_a_ranking_of_the_program(tmp_path):
    files = ("systems/@iou/run.csv", "systems/hog/run.csv")
    _, layout, problems = lay(tmp_path, *files)
    assert list(layout.systems) == ["hog"]
    assert problems == [
        "error reserved-name study.toml: No system can be called '@iou': names with @ are reserved "
        "for the program's own rankings. Rename it without the @; it is left out."
    ]
    toml = '[systems.hog]\nrun = "systems/hog/run.csv"\n[systems."@nn-iou"]\nrun = "systems/@iou/run.csv"\n'
    _, layout, problems = lay(tmp_path, toml=toml)
    assert list(layout.systems) == ["hog"]
    assert problems[0].startswith("error reserved-name study.toml:3: No system can be called '@nn-iou'")


NOT_UTF8 = os.fsdecode(b"caf\xe9")


def test_names_that_are_not_utf8(tmp_path):
    study = tmp_path / NOT_UTF8
    files, layout, problems = lay(
        study,
        "concepts.csv",
        f"graph/{NOT_UTF8}.csv",
        f"systems/{NOT_UTF8}/run.csv",
        f"systems/@{NOT_UTF8}/x",
        f"systems/e{NOT_UTF8}/notes",
        f"systems/f{NOT_UTF8}",
    )
    assert list(layout.systems) == ["caf%E9", "ecaf%E9"]
    assert layout.systems["caf%E9"]["run"].read_text() == "x"
    assert files["concepts"] == ["concepts.csv"] and len(files["graph"]) == 1
    rules = sorted(problem.split()[1] for problem in problems)
    assert rules == ["empty-system", "not-a-system", "reserved-name"]
    assert all(problem.isprintable() for problem in problems)


@pytest.mark.parametrize("typed", ["a\0b", "x" * 5000, "~nobody-there/study", "\udcff"])
def test_whatever_is_typed_is_no_study_rather_than_an_error(typed):
    with pytest.raises(InputError, match=r"There is no study: .* does not exist"):
        read_layout(Path(typed))
