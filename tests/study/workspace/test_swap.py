"""Parts change whole: killed at any step, a study holds the old part or the new one, and nothing is lost.

What a study must hold before and after is built by hand, file by file, never by the code under test.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.workspace.change import tidy
from evalcore.study.workspace.folders import recent, studies, study_folder
from evalcore.study.workspace.home import home
from evalcore.study.workspace.uploads import add_first_part, add_part, add_study_zip
from evalcore.values.errors import InputError
from tests.study.empty_study import empty_study
from tests.study.faults import Killed, fault
from tests.study.made import npz, png, shard, zipped

CONCEPTS = "ID,CUIs\na,C0000001;C0000002\nb,C0000002\nc,C0000003\n"
OTHER = "ID,CUIs\na,C0000001\nb,C0000003\nc,C0000003\n"
RUN = "a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\n"
RUN_CSV = "query,candidate,score\na,c,0.9\n"
EDGES = "child,parent\nC0000002,C0000001\n"
MORE_EDGES = "child,parent\nC0000003,C0000001\n"
NAMES = "cui,name\nC0000001,Heart\n"
META = "ID,Caption,organ\na,A chest,chest\nb,A head,head\n"
NEW_CAPTIONS = "ID,Caption\na,New\nb,Newer\n"


Files = Mapping[str, "str | bytes"]


def as_bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode()


def build(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(content))
    return folder


@dataclass(frozen=True)
class Upload:
    """A study as it was, an upload, and the study that is then meant."""

    before: Files
    kind: str
    name: str
    data: str | bytes
    after: Files
    system: str | None = None
    gone: tuple[str, ...] = ()
    stays: Files = field(default_factory=dict)


BASE: Files = {"concepts.csv": CONCEPTS}
UPLOADS = {
    "first file of a study": Upload({}, "concepts", "c.csv", CONCEPTS, BASE),
    "table for a table of another ending": Upload(
        {"concepts.tsv": OTHER.replace(",", "\t")},
        "concepts",
        "c.csv",
        CONCEPTS,
        BASE,
        gone=("concepts.tsv",),
    ),
    "table for shards": Upload(
        {"data/one.parquet": shard("a")},
        "concepts",
        "c.csv",
        CONCEPTS,
        BASE,
        stays={"data/one.parquet": shard("a")},
    ),
    "shard for a table": Upload(
        BASE, "concepts", "one.parquet", shard("a"), {"data/one.parquet": shard("a")}, gone=("concepts.csv",)
    ),
    "named concepts": Upload(
        {"found.txt": OTHER, "study.toml": '[files]\nconcepts = "found.txt"\n'},
        "concepts",
        "c.csv",
        CONCEPTS,
        BASE,
        gone=("found.txt",),
    ),
    "captions of a file that is also the labels": Upload(
        {**BASE, "meta.csv": META, "study.toml": '[files]\ncaptions = "meta.csv"\nlabels = "meta.csv"\n'},
        "captions",
        "c.csv",
        NEW_CAPTIONS,
        {**BASE, "captions.csv": NEW_CAPTIONS, "labels.csv": META},
        stays={"meta.csv": META},
    ),
    "names for two files of names": Upload(
        {**BASE, "names.csv": "cui,name\nC0000002,Lung\n", "names.tsv": "cui\tname\nC0000003\tLiver\n"},
        "names",
        "n.csv",
        NAMES,
        {**BASE, "names.csv": NAMES},
        gone=("names.tsv",),
    ),
    "run in another form": Upload(
        {**BASE, "systems/hog/run.trec": RUN},
        "run",
        "r.csv",
        RUN_CSV,
        {**BASE, "systems/hog/run.csv": RUN_CSV},
        system="hog",
        gone=("systems/hog/run.trec",),
    ),
    "run of a system that is a file of its name": Upload(
        {**BASE, "runs/hog.trec": RUN, "runs/cnn.trec": RUN},
        "run",
        "r.csv",
        RUN_CSV,
        {**BASE, "systems/hog/run.csv": RUN_CSV, "systems/cnn/run.trec": RUN},
        system="hog",
        gone=("runs/hog.trec",),
    ),
    "vectors of a system that is a file of its name": Upload(
        {**BASE, "runs/hog.trec": RUN},
        "embeddings",
        "e.npz",
        npz(times=3),
        {**BASE, "systems/hog/run.trec": RUN, "systems/hog/embeddings.npz": npz(times=3)},
        system="hog",
    ),
    "run of a new system beside named ones": Upload(
        {
            **BASE,
            "r.txt": RUN,
            "systems/new/run.csv": RUN,
            "study.toml": '[systems."my hog"]\nrun = "r.txt"\n',
        },
        "run",
        "r.csv",
        RUN_CSV,
        {**BASE, "systems/my hog/run.trec": RUN, "systems/new/run.csv": RUN_CSV},
        system="new",
        stays={"systems/new/run.csv": RUN},
    ),
    "run of one of two systems that share a file": Upload(
        {**BASE, "r.txt": RUN, "study.toml": '[systems.a]\nrun = "r.txt"\n[systems.b]\nrun = "r.txt"\n'},
        "run",
        "r.csv",
        RUN_CSV,
        {**BASE, "systems/a/run.csv": RUN_CSV, "systems/b/run.trec": RUN},
        system="a",
        stays={"r.txt": RUN},
    ),
    "edges beside edges at the root": Upload(
        {**BASE, "edges.csv": EDGES},
        "graph",
        "edges.csv",
        MORE_EDGES,
        {**BASE, "graph/1.csv": EDGES, "graph/2.csv": MORE_EDGES},
        stays={"edges.csv": EDGES},
    ),
    "edges beside edges of the same name": Upload(
        {**BASE, "graph/umls.csv": EDGES},
        "graph",
        "umls.csv",
        MORE_EDGES,
        {**BASE, "graph/1.csv": EDGES, "graph/2.csv": MORE_EDGES},
        stays={"graph/umls.csv": EDGES},
    ),
    "first pictures": Upload(
        BASE,
        "images",
        "i.zip",
        zipped(a_png=png(1), b_png=png(2)),
        {**BASE, "images/a.png": png(1), "images/b.png": png(2)},
    ),
}


def state(study: Path) -> tuple[object, ...] | None:
    """Everything a study holds but for file names; None when it cannot be opened."""
    try:
        held = open_study(study)
    except InputError:
        return None
    images = held.images
    pictures = [] if images is None else [entry is not None for entry in images.entries]
    return (
        held.concepts.digest,
        held.captions and held.captions.digest,
        held.labels and held.labels.digest,
        held.graph and held.graph.digest,
        sorted(held.names.items()),
        pictures,
        {name: run.digest for name, run in held.runs.items()},
        {name: table.digest for name, table in held.embeddings.items()},
        sorted(p.rule for p in held.report.of_severity("error")),
    )


def add(study: Path, upload: Upload) -> None:
    if study.is_dir():
        add_part(study, upload.kind, upload.name, as_bytes(upload.data), system=upload.system)
    else:
        add_first_part(study.name, upload.kind, upload.name, as_bytes(upload.data), system=upload.system)


def fresh(upload: Upload) -> Path:
    shutil.rmtree(home(), ignore_errors=True)
    study = study_folder("mine")
    (home() / "studies").mkdir(parents=True)
    return build(study, upload.before)


def remnants() -> list[Path]:
    return list(home().rglob(".*"))


def full_disk() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("stop", [Killed, full_disk])
@pytest.mark.parametrize("upload", UPLOADS.values(), ids=UPLOADS)
def test_stopped_at_every_step_the_old_or_the_new_part_is_whole(
    upload: Upload, stop: Callable[[], BaseException], tmp_path: Path
) -> None:
    old, new = state(fresh(upload)), state(build(tmp_path / "meant", upload.after))
    assert new is not None and new[-1] == []
    for step in range(1, 200):
        study = fresh(upload)
        with fault(home(), step, stop, forever=stop is Killed) as disk:
            try:
                add(study, upload)
            except (Killed, InputError) as reason:
                assert isinstance(reason, Killed) or "the disk is full. Free some space" in str(reason)
        assert state(study) in (old, new), f"stopped at step {step}"
        kept = {name: as_bytes(content) for name, content in upload.stays.items()}
        assert {name: (study / name).read_bytes() for name in kept} == kept
        if disk.seen < step:
            assert step > 3, "there were steps to be stopped at"
            assert state(study) == new
            assert [name for name in upload.gone if (study / name).exists()] == []
            return
        add(study, upload)
        assert state(study) == new, f"stopped at step {step}, then uploaded again"
        tidy()
        assert remnants() == []
    pytest.fail("the upload never ends")


def test_killed_while_a_zip_is_taken_in_there_is_the_whole_study_or_none() -> None:
    data = zipped(**{"concepts_csv": CONCEPTS.encode(), "graph/edges_csv": EDGES.encode()})
    for step in range(1, 100):
        shutil.rmtree(home(), ignore_errors=True)
        home().mkdir()
        try:
            with fault(home(), step):
                add_study_zip("mine", data)
        except Killed:
            assert all(open_study(path).graph.n_edges == 1 for path in studies())
            path, _ = add_study_zip("mine", data)
            assert open_study(path).graph.n_edges == 1
            tidy()
            assert remnants() == []
        else:
            assert step > 5
            return
    pytest.fail("it never ends")


# ------------------------------------------------------------------ what a name may mean


def test_systems_that_differ_never_meet() -> None:
    study = empty_study()
    add_part(study, "concepts", "c.csv", CONCEPTS.encode())
    names = ["A/B", "A_B", "A:B", "A B", "a_b", "hog", "HOG", "CON", "x" * 100, "x" * 101, "日/語", "日_語"]
    for name in names:
        add_part(study, "run", "r.trec", RUN.encode(), system=name)
    assert len(open_study(study).systems) == len(names)
    for name in names:  # again: the same folders
        add_part(study, "run", "r.trec", RUN.encode(), system=name)
        add_part(study, "embeddings", "e.npz", npz(), system=name)
    held = open_study(study)
    assert len(held.runs) == len(held.embeddings) == len(names)
    # Also where upper and lower case are one.
    assert len({path.name.casefold() for path in (study / "systems").iterdir()}) == len(names)
    assert {"A_B", "A B", "hog"} <= set(held.systems)


@pytest.mark.parametrize("name", ["@iou", " @nn-iou", "@"])
def test_no_upload_can_pose_as_a_ranking_of_the_program(name: str) -> None:
    study = empty_study()
    add_part(study, "concepts", "c.csv", CONCEPTS.encode())
    report = add_part(study, "run", "r.trec", RUN.encode(), system=name)
    assert [p.rule for p in report.problems] == ["reserved-name", "not-kept"]
    assert "without the @" in report.problems[0].remedy
    assert not (study / "systems").exists()


def test_a_broken_study_toml_is_never_written_over() -> None:
    before = {**BASE, "edges.csv": EDGES, "study.toml": "name = \n# my notes\n"}
    study = build(study_folder("mine"), before)
    with pytest.raises(InputError, match=r"study\.toml has errors, so it cannot follow the change\. Correct"):
        add_part(study, "graph", "e.csv", MORE_EDGES.encode())
    assert {path.name: path.read_text() for path in study.iterdir()} == before


def test_what_is_in_the_way_is_named() -> None:
    study = build(study_folder("mine"), {**BASE, "captions.csv/x": "x"})
    with pytest.raises(InputError, match=r"There is something called captions\.csv in the study\. Rename it"):
        add_part(study, "captions", "c.csv", NEW_CAPTIONS.encode())
    build(study, {"images/a.png/x": "x"})
    with pytest.raises(InputError, match=r"a\.png cannot be added: a folder and a file would have the same"):
        add_part(study, "images", "i.zip", zipped(b_png=png(1), a_png=png(1)))
    assert [path.name for path in (study / "images").iterdir()] == ["a.png"]


# ------------------------------------------------------------------ two programs on one workspace


SERVER = """
import io, sys, zipfile
from evalcore.study.workspace.change import tidy
from evalcore.study.workspace.folders import remember, study_folder
from evalcore.study.workspace.home import home
from evalcore.study.workspace.uploads import add_first_part, add_part, add_study_zip
who = int(sys.argv[1])
study = study_folder("mine")
for n in range(8):
    i = 8 * who + n
    edge = f"child,parent\\nC{i:07},C0000099\\n".encode()
    assert not add_part(study, "graph", "edges.csv", edge).total("error")
    add_part(study, "run", "r.csv", f"query,candidate,score\\na,b,0.{i + 1}\\n".encode(), system=f"s{i}")
    add_first_part("new", "concepts", "c.csv", f"ID,CUIs\\nimage{i},C0000001\\n".encode())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("concepts.csv", f"ID,CUIs\\nimage{i},C0000001\\n")
    add_study_zip("zip", out.getvalue())
    if n < 3:
        (home() / f"opened{i}").mkdir()
        remember(home() / f"opened{i}")
    tidy()
"""


@pytest.mark.parametrize("toml", ["", '[systems.first]\nrun = "r.txt"\n'])
def test_two_programs_on_one_workspace_lose_nothing(toml: str) -> None:
    study = build(study_folder("mine"), {**BASE, "edges.csv": EDGES, "r.txt": RUN})
    if toml:
        (study / "study.toml").write_text(toml)
    servers = [
        subprocess.Popen([sys.executable, "-c", SERVER, str(who)], stderr=subprocess.PIPE) for who in range(2)
    ]
    assert [(server.communicate()[1], server.returncode) for server in servers] == [(b"", 0)] * 2
    held = open_study(study)
    assert held.report.total("error") == 0
    assert held.graph.n_edges == 1 + 16
    assert {f"s{i}" for i in range(16)} <= set(held.systems)
    for name in ("new", "zip"):
        ids = [open_study(path).image_ids for path in studies() if path.name.startswith(name)]
        assert sorted(ids) == sorted((f"image{i}",) for i in range(16))
    assert {path.name for path in recent()} == {f"opened{i}" for i in (0, 1, 2, 8, 9, 10)}
    assert remnants() == []
