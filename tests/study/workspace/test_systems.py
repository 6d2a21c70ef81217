"""Names, order, looks and removal of systems: whole changes, nothing lost, nothing outside touched."""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from evalcore.study import open_study
from evalcore.study.workspace.change import remove_system, removed_systems, rename_study, restore_system
from evalcore.study.workspace.folders import study_folder
from evalcore.study.workspace.home import home
from evalcore.study.workspace.uploads import add_part
from evalcore.values.errors import InputError
from tests.study.faults import Killed, fault
from tests.study.made import content

CONCEPTS = "ID,CUIs\na,C0000001;C0000002\nb,C0000002\nc,C0000003\n"
RUN = "a Q0 b 1 0.9 s\na Q0 c 2 0.8 s\n"
EXPLICIT = """# by hand
name = "Mine"
[systems.hog]
run = "shared.txt"   # used twice
[systems.cnn]
run = "shared.txt"
ids = "cnn.ids"
[systems.lbp]
run = "lbp.txt"
"""


def build(folder: Path, *, toml: str | None = None) -> Path:
    files = {"concepts.csv": CONCEPTS}
    if toml is None:
        files |= {"systems/hog/run.trec": RUN, "systems/hog/log.txt": "epoch 1", "systems/cnn/run.trec": RUN}
    else:
        files |= {"study.toml": toml, "shared.txt": RUN, "lbp.txt": RUN, "cnn.ids": "a\n"}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("toml", [None, EXPLICIT], ids=["by folders", "by study.toml"])
def test_a_removal_is_undone_byte_by_byte(toml: str | None) -> None:
    study = build(study_folder("mine"), toml=toml)
    before = content(study)
    systems = open_study(study).systems
    for system in systems:
        removed = remove_system(study, system)
        assert open_study(study).systems == tuple(entry for entry in systems if entry != system)
        assert removed_systems(study) == [removed] and removed.name == system
        assert restore_system(removed) == system
        assert open_study(study).systems == systems and removed_systems(study) == []
        after = content(study)
        assert after.keys() == before.keys()
        assert {name for name in after if after[name] != before[name]} <= {"study.toml"}
    with pytest.raises(InputError, match="no longer kept"):
        restore_system(removed)


def test_what_another_system_uses_stays() -> None:
    study = build(study_folder("mine"), toml=EXPLICIT)
    remove_system(study, "hog")
    assert "shared.txt" in content(study) and open_study(study).systems == ("cnn", "lbp")
    remove_system(study, "cnn")
    assert "shared.txt" not in content(study) and "cnn.ids" not in content(study)
    remove_system(study, "lbp")
    assert open_study(study).systems == () and "# by hand" in (study / "study.toml").read_text()
    build(study, toml=None)
    (study / "study.toml").write_text("[systems]\n")
    assert open_study(study).systems == (), "an empty list of systems stays one"


def test_what_stands_in_the_way_is_never_written_over() -> None:
    study = build(study_folder("mine"))
    removed = remove_system(study, "hog")
    add_part(study, "run", "r.trec", RUN.replace("0.9", "0.7").encode(), system="hog")
    now = content(study)
    assert removed_systems(study) == [], "there is a system of that name again"
    with pytest.raises(InputError, match="called hog in its place again"):
        restore_system(removed)
    assert content(study) == now


@pytest.mark.parametrize("toml", [None, EXPLICIT], ids=["by folders", "by study.toml"])
@pytest.mark.parametrize("full", [False, True], ids=["killed", "disk full"])
def test_stopped_at_every_step_nothing_is_lost(toml: str | None, full: bool, tmp_path: Path) -> None:
    whole = set(content(build(tmp_path / "meant", toml=toml)).values())
    for step in range(1, 40):
        study = build(study_folder(f"mine{step}"), toml=toml)
        stop = (lambda: OSError(errno.ENOSPC, "full")) if full else None
        with fault(home(), step, *([stop] if stop else [])) as counted, suppress(Killed, InputError):
            remove_system(study, "cnn")
        assert open_study(study).systems[-1] in ("hog", "lbp"), step
        kept = {path.read_bytes() for path in (home() / "removed").rglob("*") if path.is_file()}
        held = kept | set(content(study).values())
        assert whole - {EXPLICIT.encode()} <= held, f"something was lost at step {step}"
        if counted.seen < step:
            return
    pytest.fail("it never ends")


def test_an_opened_folder_needs_a_yes_and_stays_readable_for_others(tmp_path: Path) -> None:
    study = build(tmp_path / "open")
    study.chmod(0o755)
    before = content(study)
    acts: list[Callable[[], object]] = [lambda: rename_study(study, "x"), lambda: remove_system(study, "hog")]
    for act in acts:
        with pytest.raises(InputError, match="unless you allow it"):
            act()
    assert content(study) == before
    rename_study(study, "N", in_place=True)
    add_part(study, "run", "r.trec", RUN.encode(), system="new", in_place=True)
    assert open_study(study).systems == ("cnn", "hog", "new") and open_study(study).name == "N"
    modes = {
        name: stat.S_IMODE((study / name).stat().st_mode)
        for name in ("study.toml", "systems/new", "systems/new/run.trec")
    }
    assert modes == {"study.toml": 0o644, "systems/new": 0o755, "systems/new/run.trec": 0o644}
    removed = remove_system(study, "hog", in_place=True)
    (study / "systems").rename(tmp_path / "elsewhere")
    assert restore_system(removed) == "hog" and not [
        entry for entry in study.iterdir() if entry.name.startswith(".")
    ]
    assert stat.S_IMODE((study / "systems").stat().st_mode) == 0o755


def test_nothing_is_written_through_a_link_that_leads_out(tmp_path: Path) -> None:
    study, elsewhere = build(tmp_path / "open", toml="name = 'x'\n"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (study / "systems").symlink_to(elsewhere)
    with pytest.raises(InputError, match="leads out"):
        add_part(study, "run", "r.trec", RUN.encode(), system="new", in_place=True)
    assert list(elsewhere.iterdir()) == []
