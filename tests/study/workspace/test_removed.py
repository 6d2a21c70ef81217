"""Studies and systems are removed for 30 days and come back whole; on a server each user has their own."""

import time
import tomllib
from pathlib import Path

import pytest

from evalcore.features.review.store import known_id, study_id
from evalcore.features.synthetic import uploads
from evalcore.study import open_study
from evalcore.study.parts.recognise import recognise
from evalcore.study.workspace.home import home, recent, studies, study_folder
from evalcore.study.workspace.removed import GRACE, delete_study, removals, remove_system, restore, tidy
from evalcore.study.workspace.uploads import add_files, add_part
from evalcore.values.account import Account, acting_as
from evalcore.values.errors import InputError
from tests.study.made import content, write

ADA, EVE = Account("ada@example.org", "Ada"), Account("eve@example.org", "Eve")
FEATURES = b"ID,f1,f2\nx,1,2\ny,2,1\n"
CAPTIONS = ("captions.csv", b"ID,Caption\na,Chest CT\n")


@pytest.fixture
def study() -> Path:
    return made("Chest CT")


def made(name: str) -> Path:
    folder, _ = add_part(name, "concepts", "concepts.csv", b"ID,CUIs\na,C0040405\nb,C0041618\n")
    assert folder is not None
    add_part(folder, "run", "hog.csv", b"query,candidate,score\na,b,1\n")
    return folder


def test_a_deleted_study_is_restored_with_all_that_belongs_to_it(study: Path) -> None:
    """Another study of the name inherits neither groups of images nor judgments."""
    uploads.add(study, "generated", "gan.csv", FEATURES)
    known, digest, before = study_id(study), open_study(study).digest, content(study)
    deleted = delete_study(study)
    assert not study.exists() and studies() == [] and recent() == []
    assert (deleted.name, deleted.days_left) == ("Chest_CT", GRACE) and removals() == [deleted]
    other = made("Chest CT")
    assert other == study and uploads.files(other, "generated") == [] and known_id(other) is None
    back = restore(deleted)
    assert content(back) == before | {"review/id.txt": f"{known}\n".encode()}
    assert open_study(back).digest == digest and known_id(back) == known
    assert [file.stem for file in uploads.files(back, "generated")] == ["gan"]
    assert back != other and uploads.files(other, "generated") == []
    assert removals() == [] and not (home() / "removed").exists()


def test_additions_to_a_deleted_study_are_refused(study: Path) -> None:
    """Neither a stub of its name is made, nor anything about it, nor a study without the rest."""
    files = recognise([CAPTIONS])
    deleted = delete_study(study)
    words = r"The study Chest_CT is no longer there\. Nothing was added or changed\. Restore the study first"
    for add in (
        lambda: add_part(study, "captions", *CAPTIONS),
        lambda: remove_system(study, "hog"),
        lambda: uploads.add(study, "generated", "gan.csv", FEATURES),
    ):
        with pytest.raises(InputError, match=words):
            add()
    added = add_files(files, study)
    assert added.folder is None and added.refused == ("captions.csv",)
    assert "no longer there" in added.report.problems[0].message
    assert not list((home() / "studies").iterdir())
    assert restore(deleted) == study
    assert add_files(files, study).folder == study


def test_only_uploaded_studies_are_deleted(study: Path, tmp_path: Path) -> None:
    link = home() / "studies" / "link"
    link.symlink_to(tmp_path)
    for other in (tmp_path, home(), home() / "studies", study / "systems", home() / "studies" / "none", link):
        with pytest.raises(InputError, match="is not one of your uploaded studies"):
            delete_study(other)
    assert study.is_dir()


def test_a_deleted_study_is_its_owners_for_thirty_days(server, monkeypatch):
    now = time.time()
    with acting_as(ADA):
        study = made("Chest CT")
    with acting_as(EVE), pytest.raises(InputError, match="is not one of your uploaded studies"):
        delete_study(study)
    with acting_as(ADA):
        deleted = delete_study(study)
        monkeypatch.setattr(time, "time", lambda: now + 29.5 * 86_400)
        tidy()
        assert [(entry.aside, entry.days_left) for entry in removals()] == [(deleted.aside, 1)]
        assert not removals(made("other"))
    with acting_as(EVE):
        made("Chest CT")
        tidy()
        assert deleted.aside.is_dir() and removals() == []
        monkeypatch.setattr(time, "time", lambda: now + 31 * 86_400)
        tidy()
    with acting_as(ADA):
        assert not deleted.aside.exists() and removals() == []


def test_a_name_in_a_manifest_leads_nowhere_else(study: Path) -> None:
    manifest = delete_study(study).aside / "removed.toml"
    manifest.write_text(manifest.read_text().replace("Chest_CT", "../../out"))
    (hostile,) = removals()
    assert restore(hostile) == home() / "studies" / "out"


# Systems of a study.

RUN = "a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\n"
TOML = """# by hand
name = "Mine"
[systems.hog]
run = "shared.txt"   # used twice
[systems.cnn]
run = "shared.txt"
ids = "cnn.ids"
trained = 2024-01-01
[systems.lbp]
run = "lbp.txt"
"""
BY_FOLDERS = {"systems/hog/run.trec": RUN, "systems/hog/log.txt": "epoch 1", "systems/cnn/run.trec": RUN}
BY_TOML = {"study.toml": TOML, "shared.txt": RUN, "lbp.txt": RUN, "cnn.ids": "a\n"}


def of_systems(files: dict[str, str]) -> Path:
    concepts = "ID,CUIs\na,C0000001\nb,C0000002\nc,C0000003\n"
    return write(study_folder("mine"), {"concepts.csv": concepts, **files})


@pytest.mark.parametrize("files", [BY_FOLDERS, BY_TOML], ids=["by folders", "by study.toml"])
def test_a_removal_is_undone_byte_by_byte(files: dict[str, str]) -> None:
    study = of_systems(files)
    before, systems = content(study), open_study(study).systems
    for system in systems:
        removed = remove_system(study, system)
        assert open_study(study).systems == tuple(other for other in systems if other != system)
        assert removals(study) == [removed] and removed.name == system
        assert restore(removed) == study
        assert open_study(study).systems == systems and removals(study) == []
        after = content(study)
        assert after.keys() == before.keys()
        assert {name for name in after if after[name] != before[name]} <= {"study.toml"}
        assert tomllib.loads(after.get("study.toml", b"").decode()) == tomllib.loads(
            files.get("study.toml", "")
        )
    with pytest.raises(InputError, match="no longer kept"):
        restore(removed)


def test_files_that_another_system_uses_stay() -> None:
    study = of_systems(BY_TOML)
    remove_system(study, "hog")
    assert "shared.txt" in content(study) and open_study(study).systems == ("cnn", "lbp")
    remove_system(study, "cnn")
    assert not {"shared.txt", "cnn.ids"} & content(study).keys()
    remove_system(study, "lbp")
    assert open_study(study).systems == () and "# by hand" in (study / "study.toml").read_text()


def test_restoring_never_overwrites() -> None:
    study = of_systems(BY_FOLDERS)
    removed = remove_system(study, "hog")
    add_part(study, "run", "r.trec", RUN.replace("0.9", "0.7").encode(), system="hog")
    now = content(study)
    assert removals(study) == [], "there is a system of that name again"
    with pytest.raises(InputError, match="called hog in its place again"):
        restore(removed)
    assert content(study) == now
