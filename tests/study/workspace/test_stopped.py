"""Stopped at any step, by its end or by a full disk, a workspace is as it was before or as it is after."""

import ctypes
import shutil
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from evalcore.features.synthetic import uploads
from evalcore.study.workspace import kept_files as kept
from evalcore.study.workspace.home import home, studies, study_folder
from evalcore.study.workspace.removed import delete_study, removals, remove_system, restore, tidy
from evalcore.study.workspace.uploads import add_part
from tests.study.faults import Killed, every_step, full_disk
from tests.study.made import add_zip, content, png, write, zipped
from tests.study.workspace.test_changes import CAPTIONS, CONCEPTS, CSV, IN_META, META, RUN
from tests.study.workspace.test_removed import BY_FOLDERS, BY_TOML

Act = Callable[[], object]


def study(**files: str) -> Path:
    return write(study_folder("mine"), {"concepts.csv": CONCEPTS, **files})


def with_uploads() -> Path:
    uploads.add(folder := study(), "generated", "gan.csv", b"ID,f1,f2\nx,1,2\ny,2,1\n")
    return folder


def keeping(name: str) -> Act:
    kept.keep_file("relevance", "old.csv", b"old")
    return partial(kept.keep_file, "relevance", name, b"new")


SHARED = {"meta.csv": META, "study.toml": IN_META}
AS_TREC = {"systems/hog/run.trec": RUN}
WHOLE = zipped(concepts_csv=CONCEPTS, captions_csv=CAPTIONS)
PICTURES = zipped(a_png=png(1), b_png=png(2))
ACTS: Mapping[str, Callable[[], Act]] = {
    "captions in the place of shared ones": lambda: partial(
        add_part, study(**SHARED), "captions", "c.csv", CAPTIONS.encode()
    ),
    "a run in another form": lambda: partial(
        add_part, study(**AS_TREC), "run", "r.csv", CSV.encode(), system="hog"
    ),
    "first pictures": lambda: partial(add_part, study(), "images", "i.zip", PICTURES),
    "a study of a file": lambda: partial(add_part, "new", "concepts", "c.csv", CONCEPTS.encode()),
    "a study of a zip": lambda: partial(add_zip, "new", WHOLE),
    "a study is deleted": lambda: partial(delete_study, with_uploads()),
    "a study comes back": lambda: partial(restore, delete_study(with_uploads())),
    "a system is removed": lambda: partial(remove_system, study(**BY_FOLDERS), "cnn"),
    "a system comes back": lambda: partial(restore, remove_system(study(**BY_FOLDERS), "cnn")),
    "a system of study.toml is removed": lambda: partial(remove_system, study(**BY_TOML), "cnn"),
    "a system of study.toml comes back": lambda: partial(restore, remove_system(study(**BY_TOML), "cnn")),
    "a file is replaced": lambda: keeping("old.csv"),
    "a file of another name is kept": lambda: keeping("new.csv"),
}


WITHOUT_SWAP = [what for what in ACTS if what.startswith(("a file", "a study"))]
"""No folder takes the place of another."""
WAYS = [(what, "at once") for what in ACTS]
WAYS += [(what, "by two renames") for what in ACTS if what not in WITHOUT_SWAP]


def there() -> object:
    """Studies with what features keep about them, what the bin offers with all of it, and other files."""
    in_bin = [*removals(), *(gone for study in studies() for gone in removals(study))]
    return (
        {study.name: (content(study), len(uploads.files(study, "generated"))) for study in studies()},
        {gone.name: {**content(gone.aside), "removed.toml": b""} for gone in in_bin},
        {part: (file.name, file.content()) for part, file in kept.kept_files().items()},
    )


def left_over() -> list[Path]:
    """What no study and nothing that the bin offers accounts for."""
    in_bin = [*removals(), *(gone for study in studies() for gone in removals(study))]
    accounted = {gone.aside for gone in in_bin} | {uploads.folder_of(study) for study in studies()}
    kept_aside = [path for name in ("removed", "synthetic") for path in (home() / name).glob("*")]
    return [*(home() / "studies").rglob(".*"), *(path for path in kept_aside if path not in accounted)]


@pytest.mark.parametrize("stop", [Killed, full_disk])
@pytest.mark.parametrize(("what", "swap"), WAYS)
def test_a_stopped_change_is_complete_or_undone(what, swap, stop, monkeypatch):
    if swap != "at once":
        monkeypatch.setattr(ctypes, "CDLL", lambda _: None)  # a system without an exchange of folders
    ACTS[what]()()
    after = there()
    for ended in every_step(home(), stop):
        shutil.rmtree(home())
        act = ACTS[what]()
        before = there()
        with ended:
            act()
        if swap != "at once" or sys.platform != "linux":
            tidy()  # between the two renames the study is aside; the next start puts it back
        assert there() in (before, after)
        if there() == before:
            act()
            assert there() == after, "a second time"
        tidy()
        assert there() == after and not left_over()
    assert before != after
