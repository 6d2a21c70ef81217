"""First systems made on the page, out of pictures and captions that nobody annotated."""

from __future__ import annotations

import numpy as np
import pytest

from evalcore.features.encode.baselines import baseline_named
from evalcore.features.encode.encoding import encode_study
from evalcore.study import open_study
from evalcore.study.workspace.folders import study_folder
from tests.features.encode.small import folder
from tests.ui.conftest import said, table_with

PAGE = "pages/5_Data.py"


@pytest.fixture
def uploaded(tmp_path):
    """A study of the workspace with pictures and captions only."""
    study = study_folder("first")
    study.parent.mkdir(parents=True)
    return folder(tmp_path).rename(study)


def test_systems_are_made_from_a_study_without_annotations(open_app, uploaded):
    app = open_app(PAGE, study=uploaded, part="systems")
    assert not app.exception and "4 pictures and 4 captions" in said(app)
    (chosen,) = [one for one in app.multiselect if one.label == "Systems to make"]
    assert len(chosen.value) == 6
    (uploaded / "images" / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n nothing")
    chosen.set_value(["hog", "caption-tfidf"]).run()
    app.button(key="make-systems").click().run()
    assert not app.exception
    assert "Made **hog** and **caption\\-tfidf**. They are systems of this study now." in said(app)
    assert "b is left out" in " ".join(table_with(app, "What to do").astype(str).to_numpy().ravel())
    study = open_study(uploaded)
    assert study.systems == ("caption-tfidf", "hog")
    wanted = encode_study(study, baseline_named("hog"))
    np.testing.assert_array_equal(study.embeddings["hog"].vectors, wanted.vectors)
    (chosen,) = [one for one in app.multiselect if one.label == "Systems to make"]
    assert [option for option in chosen.options if "in this study" in option] == [
        "Histogram of oriented gradients (pictures, in this study)",
        "TF-IDF of words (captions, in this study)",
    ]


def test_the_sample_and_folders_in_place_are_not_changed_unasked(open_app, tmp_path):
    study = folder(tmp_path)
    app = open_app(PAGE, study=study, part="systems")
    assert app.button(key="make-systems").disabled
    (allow,) = [one for one in app.checkbox if str(one.key).startswith("allow-systems")]
    allow.check().run()
    assert not app.button(key="make-systems").disabled
    assert not (study / "systems").exists()
    app = open_app(PAGE, part="systems")
    assert app.button(key="make-systems").disabled and "The sample study is read-only" in said(app)
