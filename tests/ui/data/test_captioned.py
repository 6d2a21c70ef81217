"""A new study from captions, pictures and names, as a visitor uploads them."""

from __future__ import annotations

import io
import zipfile

from evalcore.study import open_study
from evalcore.study.workspace import workspace
from tests.ui.conftest import said, write_study

PAGE = "pages/1_Data.py"
CAPTIONS = b"ID,Caption\nq1,A nodule\nq2,No nodule\n"


def upload(app, label, name, data):
    (widget,) = [one for one in app.file_uploader if one.label == label]
    widget.upload(name, data)


def make(app):
    return app.button("add-captioned").click().run()


def pictures(tmp_path):
    folder, data = write_study(tmp_path / "tiny"), io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name in ("q1", "q2", "other"):
            source = folder / "images" / f"{name if name != 'other' else 'q3'}.png"
            made.write(source, f"{name}.png")
    return data.getvalue()


def test_captions_pictures_and_names_open_as_a_study(open_app, tmp_path):
    app = open_app(PAGE, part="Open or upload")
    upload(app, "Captions", "captions.csv", CAPTIONS)
    upload(app, "Pictures (zip)", "images.zip", pictures(tmp_path))
    upload(app, "Names or ontology", "names.csv", b"cui,name\nC0000005,Nodule\n")
    app = make(app)
    assert not app.exception
    assert "is made: 3 images, 2 with a caption, 3 with a picture, 1 named concept" in said(app)
    (folder,) = workspace.studies()
    assert open_study(folder).image_ids == ("other", "q1", "q2")
    assert [one for one in app.button if one.key == "annotate-find"]


def test_without_captions_no_study_is_made(open_app, tmp_path):
    app = make(open_app(PAGE, part="Open or upload"))
    assert "Choose a file of captions first" in said(app) and workspace.studies() == []


def test_hostile_files_are_refused_by_name(open_app):
    app = open_app(PAGE, part="Open or upload")
    upload(app, "Captions", "captions.csv", CAPTIONS)
    hostile = io.BytesIO()
    with zipfile.ZipFile(hostile, "w") as made:
        made.writestr("../../q1.png", b"no picture")
    upload(app, "Pictures (zip)", "evil.zip", hostile.getvalue())
    app = make(app)
    assert not app.exception and "evil\\.zip could not be used" in said(app)
    (folder,) = workspace.studies()
    assert sorted(one.name for one in folder.iterdir()) == ["captions.csv"]
    app = open_app(PAGE, part="Open or upload")
    upload(app, "Captions", "bad.csv", b"\x00\x01\x02")
    app = make(app)
    assert "bad\\.csv was not kept, so no study was made" in said(app) and len(workspace.studies()) == 1
