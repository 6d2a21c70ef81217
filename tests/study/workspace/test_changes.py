"""A file becomes a part of a study: which files it has then is written down by hand."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.workspace.home import home, recent, studies, study_folder
from evalcore.study.workspace.removed import remove_system
from evalcore.study.workspace.uploads import add_part
from evalcore.values.errors import InputError
from tests.study.made import content, empty_study, npz, png, shard, write, zipped
from tests.study.workspace.test_removed import BY_FOLDERS

CONCEPTS = "ID,CUIs\na,C0000001;C0000002\nb,C0000002\nc,C0000003\n"
OTHER = "ID,CUIs\na,C0000001\nb,C0000003\nc,C0000003\n"
RUN, CSV = "a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\n", "query,candidate,score\na,c,0.9\n"
EDGES, MORE = "child,parent\nC0000002,C0000001\n", "child,parent\nC0000003,C0000001\n"
META, CAPTIONS = "ID,Caption,organ\na,A chest,chest\nb,A head,head\n", "ID,Caption\na,New\nb,Newer\n"
IN_META = '[files]\ncaptions = "meta.csv"\nlabels = "meta.csv"\n'
SHARED = '[systems.hog]\nrun = "r.txt"\n[systems.b]\nrun = "r.txt"\n'
BY_HAND = '[systems.b]\nrun = "r.txt"  # mine\n'
Files = Mapping[str, str | bytes | None]
Upload = tuple[str, str, str | bytes, str]

UPLOADS: Mapping[str, tuple[Files, Upload, Files]] = {
    "table for shards": (
        {"concepts.csv": None, "data/one.parquet": shard("a")},
        ("concepts", "c.csv", CONCEPTS, ""),
        {"concepts.csv": CONCEPTS},
    ),
    "shard for a table": (
        {},
        ("concepts", "one.parquet", shard("a"), ""),
        {"data/one.parquet": shard("a"), "concepts.csv": None},
    ),
    "named concepts": (
        {"concepts.csv": None, "found.txt": OTHER, "study.toml": '[files]\nconcepts = "found.txt"\n'},
        ("concepts", "c.csv", CONCEPTS, ""),
        {"concepts.csv": CONCEPTS, "found.txt": None, "study.toml": '[files]\nconcepts = ["concepts.csv"]\n'},
    ),
    "captions of a file that is also the labels": (
        {"meta.csv": META, "study.toml": IN_META},
        ("captions", "c.csv", CAPTIONS, ""),
        {
            "captions.csv": CAPTIONS,
            "study.toml": IN_META.replace('captions = "meta.csv"', 'captions = ["captions.csv"]'),
        },
    ),
    "run in another form": (
        {"systems/hog/run.trec": RUN, "systems/hog/log": "1"},
        ("run", "r.csv", CSV, "hog"),
        {"systems/hog/run.csv": CSV, "systems/hog/run.trec": None},
    ),
    "run of a system that is a file of its name": (
        {"runs/hog.trec": RUN, "runs/cnn.trec": RUN},
        ("run", "r.csv", CSV, "hog"),
        {"systems/hog/run.csv": CSV, "runs/hog.trec": None},
    ),
    "run of one of two systems that share a file": (
        {"r.txt": RUN, "study.toml": SHARED},
        ("run", "r.csv", CSV, "hog"),
        {"systems/hog/run.csv": CSV, "study.toml": SHARED.replace("r.txt", "systems/hog/run.csv", 1)},
    ),
    "run of a system more where tables name them": (
        {"r.txt": RUN, "study.toml": BY_HAND},
        ("run", "r.csv", CSV, "A/B"),
        {
            "systems/A_B_2584d5/run.csv": CSV,
            "study.toml": f'{BY_HAND}\n[systems."A/B"]\nrun = "systems/A_B_2584d5/run.csv"\n',
        },
    ),
    "vectors beside the run of a system": (
        {"runs/hog.trec": RUN},
        ("embeddings", "e.npz", npz(times=3), "hog"),
        {"systems/hog/embeddings.npz": npz(times=3)},
    ),
    "run where two files could be it": (
        {"systems/b/run.csv": CSV, "systems/hog/run.csv": "", "systems/hog/run.trec": ""},
        ("run", "r.csv", CSV, "hog"),
        {
            "systems/hog/run_2.csv": CSV,
            "study.toml": '[systems.b]\nrun = "systems/b/run.csv"\n\n[systems.hog]\n'
            'run = "systems/hog/run_2.csv"\n',
        },
    ),
    "edges where a name is a pattern": (
        {"kg/e.csv": EDGES, "study.toml": '[files]\ngraph = "kg/*"\n'},
        ("graph", "edges.csv", MORE, ""),
        {"graph/edges.csv": MORE, "study.toml": '[files]\ngraph = ["kg/e.csv", "graph/edges.csv"]\n'},
    ),
    "edges beside edges at the root": (
        {"edges.csv": EDGES},
        ("graph", "edges.csv", MORE, ""),
        {"graph/edges.csv": MORE, "study.toml": '[files]\ngraph = ["edges.csv", "graph/edges.csv"]\n'},
    ),
    "first pictures": (
        {},
        ("images", "i.zip", zipped(a_png=png(1), b_png=png(2)), ""),
        {"images/a.png": png(1), "images/b.png": png(2)},
    ),
}
"""What is there beside (or instead of) concepts, what is added, and what changes by that."""


def files_of(*changes: Files) -> dict[str, bytes]:
    """The concepts, and the last content given of each file; None: it is not there."""
    files: dict[str, str | bytes | None] = {"concepts.csv": CONCEPTS}
    for change in changes:
        files |= change
    return {name: data_of(data) for name, data in files.items() if data is not None}


def data_of(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


@pytest.mark.parametrize("links", [True, False], ids=["with links", "on a disk without links"])
@pytest.mark.parametrize("what", UPLOADS)
def test_an_uploaded_file_takes_its_place_and_the_study_opens(what, links, monkeypatch):
    def refuse(*_args: object, **_options: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    before, (kind, name, data, system), changes = UPLOADS[what]
    study = write(study_folder("mine"), files_of(before))
    (study / "link").symlink_to("study.toml")
    if not links:
        monkeypatch.setattr(os, "link", refuse)
    add_part(study, kind, name, data_of(data), system=system)
    assert (study / "link").is_symlink()
    (study / "link").unlink()
    assert content(study) == files_of(before, changes)
    assert open_study(study).report.total("error") == 0
    assert list((home() / "studies").iterdir()) == [study]


# What a name may mean.


@pytest.mark.parametrize("name", ["@iou", " @nn-iou", "@"])
def test_no_upload_can_pose_as_a_ranking_of_the_program(name: str) -> None:
    study = write(empty_study(), {"concepts.csv": CONCEPTS})
    folder, report = add_part(study, "run", "r.trec", RUN.encode(), system=name)
    assert folder is None and [p.rule for p in report.problems] == ["reserved-name", "not-kept"]
    assert not (study / "systems").exists()


def test_a_new_study_has_the_name_that_was_typed() -> None:
    for name, folder in (("Chest: CT", "Chest_CT"), ("Chest: CT", "Chest_CT_2"), ("plain", "plain")):
        study, _ = add_part(name, "concepts", "c.csv", CONCEPTS.encode())
        assert study.name == folder
    assert [open_study(path).name for path in studies()] == ["Chest: CT", "Chest_CT_2", "plain"]


def test_folders_in_the_way_are_avoided_or_reported() -> None:
    study = write(
        study_folder("mine"), {"concepts.csv": CONCEPTS, "captions.csv/x": "", "images/a.png/x": ""}
    )
    add_part(study, "captions", "c.csv", CAPTIONS.encode())
    assert open_study(study).captions.texts[:2] == ("New", "Newer") and (study / "captions.csv/x").exists()
    with pytest.raises(InputError, match=r"a\.png cannot be added: a folder and a file would have the same"):
        add_part(study, "images", "i.zip", zipped(b_png=png(1), a_png=png(1)))
    assert [path.name for path in (study / "images").iterdir()] == ["a.png"]


# A folder opened in place.


def test_an_opened_folder_needs_permission_and_stays_readable_for_others(tmp_path: Path) -> None:
    study = write(tmp_path / "open", files_of(BY_FOLDERS))
    study.chmod(0o755)
    before = content(study)
    for act in (lambda: add_part(study, "run", "r.trec", RUN.encode()), lambda: remove_system(study, "hog")):
        with pytest.raises(InputError, match="unless you allow it"):
            act()
    assert content(study) == before
    (study / "captions.csv").mkdir()  # in the way: study.toml has to name another
    add_part(study, "run", "r.trec", RUN.encode(), system="new", in_place=True)
    add_part(study, "captions", "c.csv", b"ID,Caption\na,x\n", in_place=True)
    add_part(study, "images", "i.zip", zipped(a_png=png(), deep__c_png=png()), in_place=True)
    assert open_study(study).systems == ("cnn", "hog", "new") and not list(study.glob(".*"))
    made = ("study.toml", "systems/new/run.trec", "images/a.png", "images/deep/c.png")
    assert {stat.S_IMODE((study / name).stat().st_mode) for name in made} == {0o644}
    folders = {(study / name).parent for name in made}
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o755}


def test_no_file_is_removed_from_an_opened_folder(tmp_path: Path) -> None:
    study = write(tmp_path / "open", files_of(BY_FOLDERS))
    before, better = content(study), RUN.replace("0.9", "0.7").encode()
    with pytest.raises(InputError, match=r"systems/hog/run\.trec is there already, and no file is removed"):
        add_part(study, "run", "r.csv", b"query,candidate,score\na,b,1\n", system="hog", in_place=True)
    assert content(study) == before
    add_part(study, "run", "r.trec", better, system="hog", in_place=True)
    assert content(study) == before | {"systems/hog/run.trec": better}
    for wrong in ("name = ", "files = 1", "[files]\nlabels = 1"):
        write(study, {"study.toml": wrong, "captions.csv/x": ""})
        before = content(study)
        with pytest.raises(
            InputError, match=r"study\.toml has errors, so it cannot follow the change\. Correct"
        ):
            add_part(study, "captions", "c.csv", b"ID,Caption\na,x\n", in_place=True)
        assert content(study) == before


def test_nothing_is_written_through_a_link_that_leads_out(tmp_path: Path) -> None:
    study, elsewhere = (
        write(tmp_path / "open", files_of({"study.toml": "name = 'x'\n"})),
        tmp_path / "elsewhere",
    )
    elsewhere.mkdir()
    (study / "systems").symlink_to(elsewhere)
    with pytest.raises(InputError, match="leads out"):
        add_part(study, "run", "r.trec", RUN.encode(), system="new", in_place=True)
    assert list(elsewhere.iterdir()) == []


SERVER = """
import sys
from evalcore.study.workspace.home import add_to_recent, study_folder
from evalcore.study.workspace.home import home
from evalcore.study.workspace.removed import tidy
from evalcore.study.workspace.uploads import add_part
from tests.study.made import add_zip, zipped
study = study_folder("mine")
for i in range(int(sys.argv[1]), 8, 2):
    edge = f"child,parent\\nC{i:07},C0000099\\n".encode()
    assert not add_part(study, "graph", "edges.csv", edge)[1].total("error")
    add_part(study, "run", "r.csv", f"query,candidate,score\\na,b,0.{i + 1}\\n".encode(), system=f"s{i}")
    add_part("new", "concepts", "c.csv", f"ID,CUIs\\nimage{i},C0000001\\n".encode())
    add_zip("zip", zipped(concepts_csv=f"ID,CUIs\\nimage{i},C0000001\\n"))
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
