"""Every file of a study folder is read, named with what to do, or refused."""

from __future__ import annotations

import pytest

from evalcore.cli import run
from evalcore.study import open_study
from tests.study.made import npz, write

CONCEPTS = "ID,CUIs\na,C0000001;C0000002\nb,C0000001\nc,C0000002\nd,C0000003\n"
RUN = "a Q0 b 1 0.9 x\na Q0 c 2 0.8 x\nb Q0 a 1 0.7 x\nc Q0 a 1 0.7 x\nd Q0 a 1 0.1 x\n"


@pytest.fixture
def study(tmp_path):
    (tmp_path / "concepts.csv").write_text(CONCEPTS)
    return tmp_path


def unread(study) -> dict[str, tuple[str, str]]:
    """{file: (rule, way out)} of what is not read."""
    left = [
        entry for entry in open_study(study).report.problems if entry.rule in ("not-read", "run-not-read")
    ]
    assert all(entry.severity == "warning" for entry in left)
    return {entry.value: (entry.rule, entry.remedy) for entry in left}


def test_files_that_are_parts_or_notes_are_not_named(study):
    notes = ("README.md", "LICENSE", ".hidden", "x.pdf", "study.toml", "settings.toml", "graph/README.md")
    write(study, dict.fromkeys((*notes, "images/a.jpg", "images/.DS_Store", "systems/.x/y"), ""))
    write(study, {"systems/s/run.trec": RUN, "captions.csv": "ID,Caption\na,x\n"})
    assert unread(study) == {} and open_study(study).systems == ("s",)


@pytest.mark.parametrize(
    ("name", "content", "rule", "way_out"),
    [
        ("cui_names.csv", "CUI,name,group\nC0000001,Lung,anatomy\n", "not-read", 'names = "cui_names.csv"'),
        ("metadata.csv", "ID,file,modality\na,a.jpg,CT\n", "not-read", 'labels = "metadata.csv"'),
        ("texts.csv", "ID,Caption\na,x\n", "not-read", 'captions = "texts.csv"'),
        ("pairs.csv", "cui,neighbour,distance\nC0000001,C0000002,1\n", "not-read", 'neighbours = "pairs'),
        ("mine.trec", RUN, "run-not-read", "systems/mine/run.trec"),
        ("old_qrels.dat", "a 0 b 1\n", "not-read", "judgments/old_qrels.qrels"),
        ("stats.json", "{}", "not-read", "otherwise leave it"),
    ],
)
def test_any_other_file_is_named_with_what_to_do(study, name, content, rule, way_out):
    (study / name).write_text(content)
    ((result, remedy),) = unread(study).values()
    assert result == rule and way_out in remedy
    if ' = "' in remedy:  # the line that is proposed does read the file
        (study / "study.toml").write_text("[files]\n" + remedy.partition(": ")[2] + "\n")
        assert unread(study) == {}


def test_a_link_to_the_outside_is_named_once_with_one_way_out(study, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "edges.csv").write_text("child,parent\nC0000001,C0000002\n")
    (study / "captions.csv").symlink_to(outside / "edges.csv")
    (study / "mine.csv").symlink_to(outside / "edges.csv")
    (study / "figures").symlink_to(outside)
    (study / "systems").mkdir()
    (study / "systems/s").symlink_to(outside)
    part = {entry.value: (entry.rule, entry.remedy) for entry in open_study(study).report.problems}
    assert part["captions.csv"] == ("path-leaves-study", "Copy the file into the folder.")
    assert unread(study) == dict.fromkeys(
        ["mine.csv", "figures"], ("not-read", "Copy what it leads to into the folder.")
    )


def test_a_pack_of_runs_and_embeddings_opens_as_it_is(study):
    write(study, {"runs/hog.trec": RUN, "runs/cnn.v1.txt": RUN, "runs/notes.xyz": "?"})
    write(study, {"embeddings/hog.npz": npz("abcd"), "embeddings/clip.npz": npz("abcd")})
    opened = open_study(study)
    assert opened.systems == ("clip", "cnn.v1", "hog")
    assert set(opened.runs) == {"cnn.v1", "hog"} and set(opened.embeddings) == {"clip", "hog"}
    assert list(unread(study)) == ["runs/notes.xyz"]
    write(study, {"systems/hog/run.trec": RUN})
    assert open_study(study).systems == ("clip", "cnn.v1", "hog")
    assert set(unread(study)) == {"runs/notes.xyz", "runs/hog.trec"}, "systems/ goes before"
    assert set(open_study(study).embeddings) == {"clip", "hog"}


@pytest.mark.parametrize("where", ["outside", "nowhere"])
def test_linked_pictures_do_not_stop_score(study, tmp_path_factory, capsys, where):
    write(study, {"systems/s/run.trec": RUN})
    target = tmp_path_factory.mktemp("pictures") if where == "outside" else study / "gone"
    (study / "images").symlink_to(target)
    assert run(["score", str(study), "--metric", "CUI@2"]) == 0
    capsys.readouterr()
    assert run(["check", str(study)]) == 0
    out = capsys.readouterr()
    assert "images/ is a link" in out.out and "images.zip" in out.out
