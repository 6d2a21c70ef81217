"""Studies are deleted for 30 days and come back whole; on a server each user has their own, and it counts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalcore.features.review.store import known_id, study_id
from evalcore.features.synthetic import uploads as uploaded
from evalcore.study import open_study
from evalcore.study.workspace import folders
from evalcore.study.workspace.change import removed_systems, rename_study, tidy
from evalcore.study.workspace.folders import recent
from evalcore.study.workspace.home import home
from evalcore.study.workspace.recognise_uploads import recognise
from evalcore.study.workspace.removed import GRACE, delete_study, deleted_studies, restore_study
from evalcore.study.workspace.uploads import add_files, add_first_part, add_part
from evalcore.values import account
from evalcore.values.account import Account, acting
from evalcore.values.errors import InputError
from tests.study.made import content

ADA, EVE = Account("ada@example.org", "Ada"), Account("eve@example.org", "Eve")
CONCEPTS = b"ID,CUIs\na,C0040405\nb,C0041618\n"
FEATURES = b"ID,f1,f2\nx,1,2\ny,2,1\n"
DAY = 86_400


@pytest.fixture
def study() -> Path:
    return made("Chest CT")


@pytest.fixture
def server() -> Iterator[None]:
    account.serve(lambda: None)
    yield
    account.serve(None)


def made(name: str) -> Path:
    folder, _ = add_first_part(name, "concepts", "concepts.csv", CONCEPTS)
    assert folder is not None
    add_part(folder, "run", "hog.csv", b"query,candidate,score\na,b,1\n")
    return folder


def days_later(monkeypatch: pytest.MonkeyPatch, days: float) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + days * DAY)


def test_a_study_goes_and_comes_back_as_it_was(study: Path) -> None:
    before, digest = content(study), open_study(study).digest
    entry = delete_study(study)
    assert not study.exists() and folders.studies() == [] and recent() == []
    assert (entry.name, entry.days_left) == ("Chest_CT", 30) and deleted_studies() == [entry]
    assert entry.size > sum(map(len, before.values()))
    assert restore_study(entry) == study
    assert content(study) == before and open_study(study).digest == digest
    assert deleted_studies() == [] and not (home() / "removed").exists()


def test_what_is_added_to_a_study_deleted_meanwhile_is_refused(study: Path) -> None:
    """Neither a stub of its name is made, nor anything about it, nor a study without the rest."""
    files = recognise([("captions.csv", b"ID,Caption\na,Chest CT\n")])
    entry = delete_study(study)
    words = r"The study Chest_CT is no longer there\. Nothing was added or changed\. Restore the study first"
    for add in (
        lambda: add_part(study, "captions", "captions.csv", b"ID,Caption\na,Chest CT\n"),
        lambda: rename_study(study, "x"),
        lambda: uploaded.add(study, "generated", "gan", "gan.csv", FEATURES),
        lambda: uploaded.add(study, uploaded.PEOPLE, "", "people.csv", b"first,second,better\na,b,a\n"),
    ):
        with pytest.raises(InputError, match=words):
            add()
    added = add_files(files, study)
    assert added.folder is None and added.refused == ("captions.csv",)
    assert "no longer there" in added.report.problems[0].message
    assert folders.studies() == [] and not list((home() / "studies").iterdir())
    assert restore_study(entry) == study
    assert add_files(files, study).folder == study


def test_only_uploaded_studies_are_deleted(study: Path, tmp_path: Path) -> None:
    for other in (tmp_path, home(), home() / "studies", study / "systems", home() / "studies" / "none"):
        with pytest.raises(InputError, match="is not one of your uploaded studies"):
            delete_study(other)
    link = home() / "studies" / "link"
    link.symlink_to(tmp_path)
    with pytest.raises(InputError, match="is not one of"):
        delete_study(link)
    assert study.is_dir()


def test_what_is_kept_about_a_study_goes_with_it(study: Path) -> None:
    """Another study of the name inherits neither groups of images nor judgments."""
    uploaded.add(study, "generated", "gan", "gan.csv", FEATURES)
    known = study_id(study)
    entry = delete_study(study)
    other = made("Chest CT")
    assert other == study and uploaded.groups(other) == [] and known_id(other) is None
    back = restore_study(entry)
    assert [group.name for group in uploaded.groups(back)] == ["gan"] and known_id(back) == known
    assert back != other and uploaded.groups(other) == []


def test_after_thirty_days_it_is_gone_for_good(study: Path, monkeypatch) -> None:
    entry = delete_study(study)
    with monkeypatch.context() as clock:
        days_later(clock, 29.5)
        tidy()
        assert [(d.aside, d.days_left) for d in deleted_studies()] == [(entry.aside, 1)]
        assert not removed_systems(made("other"))
    assert entry.aside.is_dir()
    with monkeypatch.context() as clock:
        days_later(clock, 30.01)
        tidy()
        assert not entry.aside.exists()
        assert deleted_studies() == []


def test_what_a_user_deleted_who_never_comes_back_expires_too(server: None, monkeypatch) -> None:
    with acting(ADA):
        entry = delete_study(made("Chest CT"))
    with acting(EVE):
        made("Head MR")
        with monkeypatch.context() as clock:
            days_later(clock, 29)
            tidy()
            assert entry.aside.is_dir()
        days_later(monkeypatch, 31)
        tidy()
    assert not entry.aside.exists()


def test_a_name_in_a_manifest_leads_nowhere_else(study: Path) -> None:
    entry = delete_study(study)
    manifest = entry.aside / "removed.json"
    manifest.write_text(manifest.read_text().replace("Chest_CT", "../../out"))
    (hostile,) = deleted_studies()
    assert restore_study(hostile) == home() / "studies" / "out"


def test_on_a_server_it_is_its_owners(server: None) -> None:
    with acting(ADA):
        study = made("Chest CT")
    with acting(EVE):
        made("Chest CT")
        with pytest.raises(InputError, match="is not one of your uploaded studies"):
            delete_study(study)
        assert deleted_studies() == []
    with acting(ADA):
        entry = delete_study(study)
        assert folders.studies() == [] and deleted_studies() == [entry]
    with acting(EVE):
        assert [path.name for path in folders.studies()] == ["Chest_CT"]
    assert GRACE == 30
