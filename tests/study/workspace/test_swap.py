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
from dataclasses import dataclass
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.workspace.folders import recent, studies, study_folder
from evalcore.study.workspace.home import home
from evalcore.study.workspace.removed import tidy
from evalcore.study.workspace.uploads import add_part, add_study_zip
from evalcore.values.errors import InputError
from tests.study.empty_study import empty_study
from tests.study.faults import Killed, fault
from tests.study.made import npz, png, shard, write, zipped

CONCEPTS = "ID,CUIs\na,C0000001;C0000002\nb,C0000002\nc,C0000003\n"
OTHER = "ID,CUIs\na,C0000001\nb,C0000003\nc,C0000003\n"
RUN = "a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\n"
RUN_CSV = "query,candidate,score\na,c,0.9\n"
EDGES = "child,parent\nC0000002,C0000001\n"
MORE_EDGES = "child,parent\nC0000003,C0000001\n"
META = "ID,Caption,organ\na,A chest,chest\nb,A head,head\n"
NEW_CAPTIONS = "ID,Caption\na,New\nb,Newer\n"
Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class Upload:
    """A study as it was, an upload (kind, name, content, system), and the study that is then meant.

    ``gone`` are files that are no longer there, ``stays`` those that are as they were.
    """

    before: Files
    part: tuple[str, str, str | bytes, str | None]
    after: Files
    gone: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()


def runs(**systems: str) -> Files:
    """The files of systems by folder."""
    return {
        f"systems/{name}/run.{'csv' if text is RUN_CSV else 'trec'}": text for name, text in systems.items()
    }


BASE: Files = {"concepts.csv": CONCEPTS}
NEW_RUN = ("run", "r.csv", RUN_CSV, "hog")
NEW_CONCEPTS = ("concepts", "c.csv", CONCEPTS, None)
META_TOML = '[files]\ncaptions = "meta.csv"\nlabels = "meta.csv"\n'
SHARED = '[systems.hog]\nrun = "r.txt"\n[systems.b]\nrun = "r.txt"\n'
UPLOADS = {
    "first file of a study": Upload({}, NEW_CONCEPTS, BASE),
    "table for shards": Upload(
        {"data/one.parquet": shard("a")}, NEW_CONCEPTS, BASE, stays=("data/one.parquet",)
    ),
    "shard for a table": Upload(
        BASE,
        ("concepts", "one.parquet", shard("a"), None),
        {"data/one.parquet": shard("a")},
        gone=("concepts.csv",),
    ),
    "named concepts": Upload(
        {"found.txt": OTHER, "study.toml": '[files]\nconcepts = "found.txt"\n'},
        NEW_CONCEPTS,
        BASE,
        gone=("found.txt",),
    ),
    "captions of a file that is also the labels": Upload(
        {**BASE, "meta.csv": META, "study.toml": META_TOML},
        ("captions", "c.csv", NEW_CAPTIONS, None),
        {**BASE, "captions.csv": NEW_CAPTIONS, "labels.csv": META},
        stays=("meta.csv",),
    ),
    "run in another form": Upload(
        {**BASE, **runs(hog=RUN)}, NEW_RUN, {**BASE, **runs(hog=RUN_CSV)}, gone=("systems/hog/run.trec",)
    ),
    "run of a system that is a file of its name": Upload(
        {**BASE, "runs/hog.trec": RUN, "runs/cnn.trec": RUN},
        NEW_RUN,
        {**BASE, **runs(hog=RUN_CSV, cnn=RUN)},
        gone=("runs/hog.trec",),
    ),
    "run of one of two systems that share a file": Upload(
        {**BASE, "r.txt": RUN, "study.toml": SHARED},
        NEW_RUN,
        {**BASE, **runs(hog=RUN_CSV, b=RUN)},
        stays=("r.txt",),
    ),
    "vectors beside the run of a system": Upload(
        {**BASE, "runs/hog.trec": RUN},
        ("embeddings", "e.npz", npz(times=3), "hog"),
        {**BASE, **runs(hog=RUN), "systems/hog/embeddings.npz": npz(times=3)},
    ),
    "edges beside edges at the root": Upload(
        {**BASE, "edges.csv": EDGES},
        ("graph", "edges.csv", MORE_EDGES, None),
        {**BASE, "graph/1.csv": EDGES, "graph/2.csv": MORE_EDGES},
        stays=("edges.csv",),
    ),
    "first pictures": Upload(
        BASE,
        ("images", "i.zip", zipped(a_png=png(1), b_png=png(2)), None),
        {**BASE, "images/a.png": png(1), "images/b.png": png(2)},
    ),
}


def state(study: Path) -> tuple[object, ...] | None:
    """Everything a study holds but for file names; None when it cannot be opened."""
    try:
        held = open_study(study)
    except InputError:
        return None
    pictures = held.images and [entry is not None for entry in held.images.entries]
    return held.digest, pictures, sorted(p.rule for p in held.report.of_severity("error"))


def add(study: Path, upload: Upload) -> None:
    kind, name, content, system = upload.part
    data = content if isinstance(content, bytes) else content.encode()
    if study.is_dir():
        add_part(study, kind, name, data, system=system)
    else:
        add_part(study.name, kind, name, data, system=system)


def fresh(upload: Upload) -> Path:
    shutil.rmtree(home(), ignore_errors=True)
    (home() / "studies").mkdir(parents=True)
    return write(study_folder("mine"), upload.before)


def remnants() -> list[Path]:
    return list(home().rglob(".*"))


def started_again(study: Path) -> None:
    """Between the two renames of a swap a study is aside: the next start puts it back."""
    if not study.exists():
        tidy()


def full_disk() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


FULL = ("first file of a study", "captions of a file that is also the labels", "first pictures")
"""Which of the uploads meet a full disk: everything is written by the same few steps."""


@pytest.mark.parametrize(
    ("name", "stop"), [*((name, Killed) for name in UPLOADS), *((name, full_disk) for name in FULL)]
)
def test_stopped_at_every_step_the_old_or_the_new_part_is_whole(
    name: str, stop: Callable[[], BaseException], tmp_path: Path
) -> None:
    upload = UPLOADS[name]
    old, new = state(fresh(upload)), state(write(tmp_path / "meant", upload.after))
    kept = {name: (study_folder("mine") / name).read_bytes() for name in upload.stays}
    assert new is not None and new[-1] == []
    for step in range(1, 200):
        study = fresh(upload)
        with fault(home(), step, stop, forever=stop is Killed) as disk:
            try:
                add(study, upload)
            except (Killed, InputError) as reason:
                assert isinstance(reason, Killed) or "the disk is full. Free some space" in str(reason)
        started_again(study)
        assert state(study) in (old, new), f"stopped at step {step}"
        assert {name: (study / name).read_bytes() for name in kept} == kept
        if disk.seen < step:
            assert step > 3 and state(study) == new
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


# What a name may mean.


def test_systems_that_differ_never_meet() -> None:
    study = write(empty_study(), BASE)
    names = ["A/B", "A_B", "A:B", "A B", "a_b", "hog", "HOG", "CON", "x" * 100, "x" * 101, "日/語", "日_語"]
    for name in (*names, *names):  # the second time: the same folders
        add_part(study, "run", "r.trec", RUN.encode(), system=name)
    held = open_study(study)
    assert len(held.runs) == len(names) and {"A_B", "A B", "hog"} <= set(held.systems)
    # Also where upper and lower case are one.
    assert len({path.name.casefold() for path in (study / "systems").iterdir()}) == len(names)


@pytest.mark.parametrize("name", ["@iou", " @nn-iou", "@"])
def test_no_upload_can_pose_as_a_ranking_of_the_program(name: str) -> None:
    study = write(empty_study(), BASE)
    folder, report = add_part(study, "run", "r.trec", RUN.encode(), system=name)
    assert folder is None
    assert [p.rule for p in report.problems] == ["reserved-name", "not-kept"]
    assert not (study / "systems").exists()


def test_a_broken_study_toml_is_never_written_over() -> None:
    before = {**BASE, "edges.csv": EDGES, "study.toml": "name = \n# my notes\n"}
    study = write(study_folder("mine"), before)
    with pytest.raises(InputError, match=r"study\.toml has errors, so it cannot follow the change\. Correct"):
        add_part(study, "graph", "e.csv", MORE_EDGES.encode())
    assert {path.name: path.read_text() for path in study.iterdir()} == before


def test_what_is_in_the_way_is_named_or_passed_by() -> None:
    study = write(study_folder("mine"), {**BASE, "captions.csv/x": "x", "images/a.png/x": "x"})
    add_part(study, "captions", "c.csv", NEW_CAPTIONS.encode())
    held = open_study(study)
    assert held.captions.texts[:2] == ("New", "Newer") and (study / "captions.csv/x").exists()
    with pytest.raises(InputError, match=r"a\.png cannot be added: a folder and a file would have the same"):
        add_part(study, "images", "i.zip", zipped(b_png=png(1), a_png=png(1)))
    assert [path.name for path in (study / "images").iterdir()] == ["a.png"]


SERVER = """
import sys
from evalcore.study.workspace.folders import remember, study_folder
from evalcore.study.workspace.home import home
from evalcore.study.workspace.removed import tidy
from evalcore.study.workspace.uploads import add_part, add_study_zip
from tests.study.made import zipped
study = study_folder("mine")
for i in range(int(sys.argv[1]), 8, 2):
    edge = f"child,parent\\nC{i:07},C0000099\\n".encode()
    assert not add_part(study, "graph", "edges.csv", edge)[1].total("error")
    add_part(study, "run", "r.csv", f"query,candidate,score\\na,b,0.{i + 1}\\n".encode(), system=f"s{i}")
    add_part("new", "concepts", "c.csv", f"ID,CUIs\\nimage{i},C0000001\\n".encode())
    add_study_zip("zip", zipped(concepts_csv=f"ID,CUIs\\nimage{i},C0000001\\n"))
    (home() / f"opened{i}").mkdir()
    remember(home() / f"opened{i}")
    tidy()
"""


def test_two_programs_on_one_workspace_lose_nothing() -> None:
    toml = '[systems.first]\nrun = "r.txt"\n'
    study = write(study_folder("mine"), {**BASE, "edges.csv": EDGES, "r.txt": RUN, "study.toml": toml})
    servers = [
        subprocess.Popen([sys.executable, "-c", SERVER, str(who)], stderr=subprocess.PIPE) for who in (0, 1)
    ]
    assert [(server.communicate()[1], server.returncode) for server in servers] == [(b"", 0)] * 2
    held = open_study(study)
    assert held.report.total("error") == 0 and held.graph.n_edges == 1 + 8
    assert held.systems == ("first", *(f"s{i}" for i in range(8)))
    for name in ("new", "zip"):
        ids = [open_study(path).image_ids for path in studies() if path.name.startswith(name)]
        assert sorted(ids) == sorted((f"image{i}",) for i in range(8))
    assert {path.name for path in recent()} == {f"opened{i}" for i in range(8)}
    assert remnants() == []
