"""A file becomes a part of a study; stopped at any step, the old study or the new one is there, whole.

What a study must contain before and after is written down by hand, file by file.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
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
from tests.study.made import content, npz, png, shard, write, zipped

CONCEPTS = "ID,CUIs\na,C0000001;C0000002\nb,C0000002\nc,C0000003\n"
OTHER = "ID,CUIs\na,C0000001\nb,C0000003\nc,C0000003\n"
RUN, CSV = "a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\n", "query,candidate,score\na,c,0.9\n"
EDGES, MORE = "child,parent\nC0000002,C0000001\n", "child,parent\nC0000003,C0000001\n"
META, CAPTIONS = "ID,Caption,organ\na,A chest,chest\nb,A head,head\n", "ID,Caption\na,New\nb,Newer\n"
IN_META = '[files]\ncaptions = "meta.csv"\nlabels = "meta.csv"\n'
SHARED = '[systems.hog]\nrun = "r.txt"\n[systems.b]\nrun = "r.txt"\n'
Files = Mapping[str, str | bytes]
Upload = tuple[str, str, str | bytes, str]

UPLOADS: Mapping[str, tuple[Files, Upload, Files]] = {
    "table for shards": (
        {"data/one.parquet": shard("a")},
        ("concepts", "c.csv", CONCEPTS, ""),
        {"data/one.parquet": shard("a"), "concepts.csv": CONCEPTS},
    ),
    "shard for a table": (
        {"concepts.csv": CONCEPTS},
        ("concepts", "one.parquet", shard("a"), ""),
        {"data/one.parquet": shard("a")},
    ),
    "named concepts": (
        {"found.txt": OTHER, "study.toml": '[files]\nconcepts = "found.txt"\n'},
        ("concepts", "c.csv", CONCEPTS, ""),
        {"concepts.csv": CONCEPTS, "study.toml": '[files]\nconcepts = ["concepts.csv"]\n'},
    ),
    "captions of a file that is also the labels": (
        {"concepts.csv": CONCEPTS, "meta.csv": META, "study.toml": IN_META},
        ("captions", "c.csv", CAPTIONS, ""),
        {
            "concepts.csv": CONCEPTS,
            "meta.csv": META,
            "captions.csv": CAPTIONS,
            "study.toml": IN_META.replace('captions = "meta.csv"', 'captions = ["captions.csv"]'),
        },
    ),
    "run in another form": (
        {"concepts.csv": CONCEPTS, "systems/hog/run.trec": RUN, "systems/hog/log": "1"},
        ("run", "r.csv", CSV, "hog"),
        {"concepts.csv": CONCEPTS, "systems/hog/run.csv": CSV, "systems/hog/log": "1"},
    ),
    "run of a system that is a file of its name": (
        {"concepts.csv": CONCEPTS, "runs/hog.trec": RUN, "runs/cnn.trec": RUN},
        ("run", "r.csv", CSV, "hog"),
        {"concepts.csv": CONCEPTS, "systems/hog/run.csv": CSV, "runs/cnn.trec": RUN},
    ),
    "run of one of two systems that share a file": (
        {"concepts.csv": CONCEPTS, "r.txt": RUN, "study.toml": SHARED},
        ("run", "r.csv", CSV, "hog"),
        {
            "concepts.csv": CONCEPTS,
            "r.txt": RUN,
            "systems/hog/run.csv": CSV,
            "study.toml": SHARED.replace("r.txt", "systems/hog/run.csv", 1),
        },
    ),
    "run of a system more where tables name them": (
        {"concepts.csv": CONCEPTS, "r.txt": RUN, "study.toml": '[systems.b]\nrun = "r.txt"  # mine\n'},
        ("run", "r.csv", CSV, "A/B"),
        {
            "concepts.csv": CONCEPTS,
            "r.txt": RUN,
            "systems/A_B_2584d5/run.csv": CSV,
            "study.toml": '[systems.b]\nrun = "r.txt"  # mine\n\n[systems."A/B"]\n'
            'run = "systems/A_B_2584d5/run.csv"\n',
        },
    ),
    "vectors beside the run of a system": (
        {"concepts.csv": CONCEPTS, "runs/hog.trec": RUN},
        ("embeddings", "e.npz", npz(times=3), "hog"),
        {"concepts.csv": CONCEPTS, "runs/hog.trec": RUN, "systems/hog/embeddings.npz": npz(times=3)},
    ),
    "run where two files could be it": (
        {
            "concepts.csv": CONCEPTS,
            "systems/b/run.csv": CSV,
            "systems/hog/run.csv": "",
            "systems/hog/run.trec": "",
        },
        ("run", "r.csv", CSV, "hog"),
        {
            "concepts.csv": CONCEPTS,
            "systems/b/run.csv": CSV,
            "systems/hog/run.csv": "",
            "systems/hog/run.trec": "",
            "systems/hog/run_2.csv": CSV,
            "study.toml": '[systems.b]\nrun = "systems/b/run.csv"\n\n[systems.hog]\n'
            'run = "systems/hog/run_2.csv"\n',
        },
    ),
    "edges where a name is a pattern": (
        {"concepts.csv": CONCEPTS, "kg/e.csv": EDGES, "study.toml": '[files]\ngraph = "kg/*"\n'},
        ("graph", "edges.csv", MORE, ""),
        {
            "concepts.csv": CONCEPTS,
            "kg/e.csv": EDGES,
            "graph/edges.csv": MORE,
            "study.toml": '[files]\ngraph = ["kg/e.csv", "graph/edges.csv"]\n',
        },
    ),
    "edges beside edges at the root": (
        {"concepts.csv": CONCEPTS, "edges.csv": EDGES},
        ("graph", "edges.csv", MORE, ""),
        {
            "concepts.csv": CONCEPTS,
            "edges.csv": EDGES,
            "graph/edges.csv": MORE,
            "study.toml": '[files]\ngraph = ["edges.csv", "graph/edges.csv"]\n',
        },
    ),
    "first pictures": (
        {"concepts.csv": CONCEPTS},
        ("images", "i.zip", zipped(a_png=png(1), b_png=png(2)), ""),
        {"concepts.csv": CONCEPTS, "images/a.png": png(1), "images/b.png": png(2)},
    ),
}


def data_of(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def add(study: Path, upload: Upload) -> None:
    kind, name, text, system = upload
    add_part(study, kind, name, data_of(text), system=system)


@pytest.mark.parametrize("what", UPLOADS)
def test_a_file_takes_its_place_and_the_study_opens(what: str) -> None:
    before, upload, after = UPLOADS[what]
    study = write(study_folder("mine"), before)
    add(study, upload)
    assert content(study) == {name: data_of(text) for name, text in after.items()}
    assert open_study(study).report.total("error") == 0
    assert list((home() / "studies").iterdir()) == [study]


@pytest.fixture(params=["at once", "by two renames"])
def swapped(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param != "at once":
        monkeypatch.setattr(ctypes, "CDLL", lambda _: None)  # a system without an exchange of folders
    return request.param


def full_disk() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("stop", [Killed, full_disk])
@pytest.mark.parametrize(
    "what", ["captions of a file that is also the labels", "run in another form", "first pictures"]
)
def test_stopped_at_every_step_the_old_or_the_new_study_is_whole(what: str, stop: type, swapped: str) -> None:
    before, upload, after = UPLOADS[what]
    old, new = ({name: data_of(text) for name, text in files.items()} for files in (before, after))
    for step in range(1, 200):
        shutil.rmtree(home(), ignore_errors=True)
        study = write(study_folder("mine"), before)
        with fault(home(), step, stop, forever=stop is Killed) as disk:
            try:
                add(study, upload)
            except (Killed, InputError) as reason:
                assert isinstance(reason, Killed) or "the disk is full. Free some space" in str(reason)
        if not (study.exists() or (swapped == "at once" and sys.platform == "linux")):
            tidy()  # between the two renames it is aside; the next start puts it back
        assert content(study) in (old, new), f"stopped at step {step}"
        if disk.seen < step:
            assert step > 10 and content(study) == new
            return
        add(study, upload)
        assert content(study) == new, f"stopped at step {step}, then uploaded again"
        tidy()
        assert list(home().rglob(".*")) == []
    pytest.fail("the upload never ends")


@pytest.mark.parametrize("whole", [True, False], ids=["zip", "file"])
def test_killed_while_a_study_is_made_there_is_all_of_it_or_none(whole: bool) -> None:
    def make() -> Path:
        if whole:
            data = zipped(**{"concepts_csv": CONCEPTS, "graph/edges_csv": EDGES})
            return add_study_zip("mine", data)[0]
        return add_part("mine", "concepts", "c.csv", CONCEPTS.encode())[0]

    for step in range(1, 100):
        shutil.rmtree(home(), ignore_errors=True)
        home().mkdir()
        with fault(home(), step) as disk, suppress(Killed):
            make()
        assert all(len(content(path)) == 1 + whole for path in studies())
        if disk.seen < step:
            assert step > 5
            return
        assert open_study(make()).report.total("error") == 0
        tidy()
        assert list(home().rglob(".*")) == []
    pytest.fail("it never ends")


def test_where_a_disk_has_no_links_the_study_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    before, upload, after = UPLOADS["run in another form"]
    study = write(study_folder("mine"), before)
    (study / "link").symlink_to("concepts.csv")
    monkeypatch.setattr(os, "link", refuse)
    add(study, upload)
    assert (study / "link").is_symlink() and (study / "systems/hog/run.csv").read_text() == CSV
    assert content(study).keys() == {*after, "link"}


# What a name may mean.


def test_systems_that_differ_never_meet() -> None:
    study = write(empty_study(), {"concepts.csv": CONCEPTS})
    names = ["A/B", "A_B", "A:B", "A B", "a_b", "hog", "HOG", "CON", "x" * 100, "x" * 101, "日/語", "日_語"]
    for name in (*names, *names):  # the second time: the same folders
        add_part(study, "run", "r.trec", RUN.encode(), system=name)
    held = open_study(study)
    assert len(held.runs) == len(names) and {"A_B", "A B", "hog"} <= set(held.systems)
    # Also where upper and lower case are one.
    assert len({path.name.casefold() for path in (study / "systems").iterdir()}) == len(names)


@pytest.mark.parametrize("name", ["@iou", " @nn-iou", "@"])
def test_no_upload_can_pose_as_a_ranking_of_the_program(name: str) -> None:
    study = write(empty_study(), {"concepts.csv": CONCEPTS})
    folder, report = add_part(study, "run", "r.trec", RUN.encode(), system=name)
    assert folder is None and [p.rule for p in report.problems] == ["reserved-name", "not-kept"]
    assert not (study / "systems").exists()


def test_a_new_study_is_called_what_was_typed() -> None:
    for name, folder in (("Chest: CT", "Chest_CT"), ("Chest: CT", "Chest_CT_2"), ("plain", "plain")):
        study, _ = add_part(name, "concepts", "c.csv", CONCEPTS.encode())
        assert study.name == folder
    assert [open_study(path).name for path in studies()] == ["Chest: CT", "Chest_CT_2", "plain"]


def test_a_broken_study_toml_is_never_written_over() -> None:
    before = {"concepts.csv": CONCEPTS, "edges.csv": EDGES, "study.toml": "name = \n# my notes\n"}
    study = write(study_folder("mine"), before)
    with pytest.raises(InputError, match=r"study\.toml has errors, so it cannot follow the change\. Correct"):
        add_part(study, "graph", "e.csv", MORE.encode())
    assert {path.name: path.read_text() for path in study.iterdir()} == before


def test_what_is_in_the_way_is_named_or_passed_by() -> None:
    study = write(
        study_folder("mine"), {"concepts.csv": CONCEPTS, "captions.csv/x": "", "images/a.png/x": ""}
    )
    add_part(study, "captions", "c.csv", CAPTIONS.encode())
    assert open_study(study).captions.texts[:2] == ("New", "Newer") and (study / "captions.csv/x").exists()
    with pytest.raises(InputError, match=r"a\.png cannot be added: a folder and a file would have the same"):
        add_part(study, "images", "i.zip", zipped(b_png=png(1), a_png=png(1)))
    assert [path.name for path in (study / "images").iterdir()] == ["a.png"]


SERVER = """
import sys
from evalcore.study.workspace.folders import add_to_recent, study_folder
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
    add_to_recent(home() / f"opened{i}")
    tidy()
"""


def test_two_programs_on_one_workspace_lose_nothing() -> None:
    toml = '[systems.first]\nrun = "r.txt"\n'
    files = {"concepts.csv": CONCEPTS, "edges.csv": EDGES, "r.txt": RUN, "study.toml": toml}
    study = write(study_folder("mine"), files)
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
    assert list(home().rglob(".*")) == []
