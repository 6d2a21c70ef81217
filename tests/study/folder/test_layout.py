"""Which file of a folder is which part, and how any other is reported; no path leads out."""

import os
import time
from pathlib import Path

import pytest

from evalcore.cli import run
from evalcore.study import open_study
from evalcore.study.folder.layout import TOML, find_layout, stamp
from evalcore.study.tables.problems import Problems
from evalcore.values.errors import InputError
from tests.study.hurt import WHOLE
from tests.study.made import npz, write


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


def test_no_choice_is_guessed_between_two_files_of_a_part(tmp_path):
    names = ("test_concepts.csv", "train_concepts.csv", "systems/s/run.csv", "systems/s/run.trec")
    files, layout, problems = lay(tmp_path, *names)
    assert (files, layout.systems) == ({}, {"s": {}})
    assert "Several files could be the concepts: test_concepts.csv, train_concepts.csv" in problems[0]
    assert "Keep one, or name it in study.toml" in problems[0]
    assert "systems/s/run.csv, systems/s/run.trec" in problems[1]


def test_study_toml_names_files_and_others_go_by_name(tmp_path):
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
def test_any_text_that_names_no_folder_is_refused(typed, tmp_path):
    with pytest.raises(InputError, match=r"There is no study: .* does not exist"):
        find_layout(Path(typed))
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


def test_parts_and_notes_are_not_reported_as_unread(study):
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
def test_an_unread_file_is_reported_with_a_remedy(study, name, content, rule, way_out):
    (study / name).write_text(content)
    ((result, remedy),) = unread(study).values()
    assert result == rule and way_out in remedy
    if ' = "' in remedy:  # the line that is proposed does read the file
        (study / "study.toml").write_text("[files]\n" + remedy.partition(": ")[2] + "\n")
        assert unread(study) == {}


def test_a_link_to_the_outside_is_reported_once(study, tmp_path_factory):
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


# Whatever is done to a file that decides a number, the stamp of its study is another one.


@pytest.fixture
def whole(tmp_path):
    (tmp_path / "images").mkdir()
    more = {"kg/e.csv": WHOLE["graph/edges.csv"], "systems/s/run.trec": WHOLE["systems/one/run.trec"]}
    return write(tmp_path, WHOLE | more | {"study.toml": 'name = "one"\n[files]\ngraph = "kg/*"\n'})


def one_byte(path, data):
    with path.open("r+b") as file:
        file.seek(len(data) - 2)
        file.write(data[-2:-1])


def moved_over(path, data):
    beside = path.with_name(".new")
    beside.write_bytes(data)
    beside.replace(path)


@pytest.mark.parametrize("edit", [Path.write_bytes, one_byte, moved_over])
@pytest.mark.parametrize("name", ["concepts.csv", "kg/e.csv", "systems/s/run.trec", "study.toml"])
def test_an_edit_of_the_same_size_with_the_time_restored(whole, name, edit):
    path = whole / name
    fact, folder = path.stat(), path.parent.stat()
    before = stamp(whole)
    assert stamp(whole) == before
    time.sleep(0.02)  # the clock of a file system has ticks of some milliseconds
    data = path.read_bytes()
    edit(path, data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    os.utime(path, ns=(fact.st_atime_ns, fact.st_mtime_ns))
    os.utime(path.parent, ns=(folder.st_atime_ns, folder.st_mtime_ns))
    assert path.stat().st_size == fact.st_size and path.stat().st_mtime_ns == fact.st_mtime_ns
    assert stamp(whole) != before


@pytest.mark.parametrize(
    "name", ["systems/t/run.csv", "captions.txt", "kg/f.csv", "systems/loose", "images/a.png"]
)
def test_a_new_file_that_changes_what_is_read_or_reported(whole, name):
    before = stamp(whole)
    write(whole, {name: "a,b,1\n"})
    assert stamp(whole) != before
