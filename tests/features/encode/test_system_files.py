"""Systems made here: written with how they were made, replaced by the next run, never over another's."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.encode.read import all_made, check_free, put_system
from evalcore.study import open_study
from evalcore.study.vectors.files import npz_bytes
from evalcore.values.errors import InputError
from tests.features.encode.small import folder

VECTORS = np.eye(4, dtype=np.float32)


def put(study, name="cnn", vectors=VECTORS, **given):
    usual = {"facts": {"digest": "123"}, "reads": "images", "in_place": True}
    put_system(study, name, npz_bytes("abcd", vectors), **{**usual, **given})


def test_the_next_run_replaces_it_and_what_the_user_wrote_stays(tmp_path):
    study = folder(tmp_path)
    put(study)
    opened = open_study(study)
    np.testing.assert_array_equal(opened.embeddings["cnn"].vectors, VECTORS)
    assert all_made(study)["cnn"] == {"digest": "123"} and opened.report.total("error") == 0
    with (study / "study.toml").open("a") as toml:
        toml.write("# kept\n")
    put(study, vectors=VECTORS[::-1])
    opened = open_study(study)
    np.testing.assert_array_equal(opened.embeddings["cnn"].vectors, VECTORS[::-1])
    assert opened.looks["cnn"].reads == ("images",) and "# kept" in (study / "study.toml").read_text()


def test_another_system_is_never_written_over(tmp_path):
    study = folder(tmp_path)
    (study / "systems/cnn").mkdir(parents=True)
    (study / "systems/cnn/embeddings.npz").write_bytes(npz_bytes("abcd", VECTORS))
    with pytest.raises(InputError, match="'cnn' is a system that was not made by an encoder here"):
        put(study)
    (study / "systems/cnn/encoder.json").write_text("{}")
    check_free(study, "cnn")
    (study / "systems/cnn/run.csv").write_text("query,candidate,score\na,b,1\n")
    with pytest.raises(InputError, match="Give the new one another name"):
        put(study)


def test_folders_are_changed_only_where_that_is_allowed(tmp_path):
    study = folder(tmp_path)
    with pytest.raises(InputError, match="never changed unless you allow it"):
        put(study, in_place=False)
    with pytest.raises(InputError, match="without @ in front"):
        put(study, "@iou")
    assert not (study / "systems").exists()
