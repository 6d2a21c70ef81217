"""Removal of systems and changes in opened folders: whole, nothing lost, nothing outside touched."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.workspace.home import study_folder
from evalcore.study.workspace.removed import removals, remove_system, restore
from evalcore.study.workspace.uploads import add_part
from evalcore.values.errors import InputError
from tests.study.made import content, png, write, zipped

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


def build(folder: Path, files: dict[str, str]) -> Path:
    return write(folder, {"concepts.csv": "ID,CUIs\na,C0000001\nb,C0000002\nc,C0000003\n", **files})


@pytest.mark.parametrize("files", [BY_FOLDERS, BY_TOML], ids=["by folders", "by study.toml"])
def test_a_removal_is_undone_byte_by_byte(files: dict[str, str]) -> None:
    study = build(study_folder("mine"), files)
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


def test_what_another_system_uses_stays() -> None:
    study = build(study_folder("mine"), BY_TOML)
    remove_system(study, "hog")
    assert "shared.txt" in content(study) and open_study(study).systems == ("cnn", "lbp")
    remove_system(study, "cnn")
    assert not {"shared.txt", "cnn.ids"} & content(study).keys()
    remove_system(study, "lbp")
    assert open_study(study).systems == () and "# by hand" in (study / "study.toml").read_text()


def test_what_stands_in_the_way_is_never_written_over() -> None:
    study = build(study_folder("mine"), BY_FOLDERS)
    removed = remove_system(study, "hog")
    add_part(study, "run", "r.trec", RUN.replace("0.9", "0.7").encode(), system="hog")
    now = content(study)
    assert removals(study) == [], "there is a system of that name again"
    with pytest.raises(InputError, match="called hog in its place again"):
        restore(removed)
    assert content(study) == now


def test_an_opened_folder_needs_a_yes_and_stays_readable_for_others(tmp_path: Path) -> None:
    study = build(tmp_path / "open", BY_FOLDERS)
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
    study = build(tmp_path / "open", BY_FOLDERS)
    before, better = content(study), RUN.replace("0.9", "0.7").encode()
    with pytest.raises(InputError, match=r"systems/hog/run\.trec is there already, and no file is removed"):
        add_part(study, "run", "r.csv", b"query,candidate,score\na,b,1\n", system="hog", in_place=True)
    assert content(study) == before
    add_part(study, "run", "r.trec", better, system="hog", in_place=True)
    assert content(study) == before | {"systems/hog/run.trec": better}
    write(study, {"study.toml": "name = ", "captions.csv/x": ""})
    before = content(study)
    with pytest.raises(InputError, match=r"study\.toml has errors"):
        add_part(study, "captions", "c.csv", b"ID,Caption\na,x\n", in_place=True)
    assert content(study) == before


def test_nothing_is_written_through_a_link_that_leads_out(tmp_path: Path) -> None:
    study, elsewhere = build(tmp_path / "open", {"study.toml": "name = 'x'\n"}), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (study / "systems").symlink_to(elsewhere)
    with pytest.raises(InputError, match="leads out"):
        add_part(study, "run", "r.trec", RUN.encode(), system="new", in_place=True)
    assert list(elsewhere.iterdir()) == []
