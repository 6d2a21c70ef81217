"""Systems of several seeds are renamed, removed and brought back as one; no run is put beside their runs."""

from __future__ import annotations

import pytest

from evalcore.study import open_study
from evalcore.study.workspace.change import remove_system, removed_systems, restore_system
from evalcore.study.workspace.uploads import add_part
from evalcore.values.errors import InputError
from tests.seeded import SEEDS, trec, write_seeded


@pytest.fixture
def folder(tmp_path):
    return write_seeded(tmp_path / "study")


def test_removed_and_brought_back_with_all_its_runs(folder):
    before = open_study(folder).digest
    remove_system(folder, "cnn", in_place=True)
    assert open_study(folder).systems == ("alpha", "beta")
    assert not (folder / "systems/cnn").exists()
    restore_system(removed_systems(folder)[0])
    assert open_study(folder).digest == before


def test_one_run_is_not_put_beside_them(folder):
    before = sorted(path.name for path in (folder / "systems/cnn").iterdir())
    with pytest.raises(InputError, match=r"cnn.*several seeds"):
        add_part(folder, "run", "new.trec", trec(SEEDS["cnn.1"]).encode(), system="cnn", in_place=True)
    assert sorted(path.name for path in (folder / "systems/cnn").iterdir()) == before
    assert open_study(folder).seeds == {"cnn": ("cnn.1", "cnn.2", "cnn.10")}


def test_no_other_system_gets_the_name_of_a_seed(folder):
    before = open_study(folder).digest
    with pytest.raises(InputError, match=r"'cnn\.1' is a seed of another system"):
        add_part(folder, "run", "new.trec", trec(SEEDS["cnn.1"]).encode(), system="cnn.1", in_place=True)
    assert open_study(folder).digest == before
