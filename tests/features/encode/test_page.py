"""First systems made on the page, out of pictures and captions that nobody annotated."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.encode.baselines import BASELINES
from evalcore.features.encode.encoding import encode_study
from evalcore.study import open_study
from evalcore.study.workspace.home import study_folder
from evalcore.values.writing import md_escape
from tests.features.encode.small import folder
from tests.ui.conftest import page_text, table_with

PAGE = "pages/5_Data.py"


@pytest.fixture
def uploaded(tmp_path):
    """A study of the workspace with pictures and captions only."""
    study = study_folder("first")
    study.parent.mkdir(parents=True)
    return folder(tmp_path).rename(study)


def test_systems_are_made_from_a_study_without_annotations(open_app, uploaded):
    (uploaded / "images" / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing")
    app = open_app(PAGE, study=uploaded, part="systems")
    assert "Histogram of oriented gradients" in page_text(app)
    app.button(key="make-systems").click().run()
    assert not app.exception and "They are systems of this study now." in page_text(app)
    assert [name for name in BASELINES if f"**{md_escape(name)}**" not in page_text(app)] == []
    assert "b is left out" in " ".join(table_with(app, "What to do").astype(str).to_numpy().ravel())
    study = open_study(uploaded)
    assert set(study.systems) == set(BASELINES)
    wanted = encode_study(study, BASELINES["hog"])
    np.testing.assert_array_equal(study.embeddings["hog"].vectors, wanted.vectors)


def test_the_sample_and_folders_in_place_are_not_changed_unasked(open_app, tmp_path):
    study = folder(tmp_path)
    app = open_app(PAGE, study=study, part="systems")
    assert app.button(key="make-systems").disabled
    (allow,) = [box for box in app.checkbox if str(box.key).startswith("allow-systems")]
    allow.check().run()
    assert not app.button(key="make-systems").disabled
    assert not (study / "systems").exists()
    app = open_app(PAGE, part="systems")
    assert app.button(key="make-systems").disabled and "The sample study is read-only" in page_text(app)
