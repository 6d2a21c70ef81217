"""A new study from captions, pictures and names, as a visitor uploads them."""

from __future__ import annotations

import io
import zipfile

from evalcore.study import open_study
from evalcore.study.workspace.folders import studies
from tests.ui.conftest import said, write_study
from tests.ui.data.test_page import drop

PAGE = "pages/5_Data.py"
CAPTIONS = b"ID,Caption\nq1,A nodule\nq2,No nodule\n"


def pictures(tmp_path):
    folder, data = write_study(tmp_path / "tiny"), io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name in ("q1", "q2", "other"):
            source = folder / "images" / f"{name if name != 'other' else 'q3'}.png"
            made.write(source, f"{name}.png")
    return data.getvalue()


def test_captions_pictures_and_names_open_as_a_study(open_app, tmp_path):
    app = drop(
        open_app(PAGE, part="new"),
        ("names.csv", b"cui,name\nC0000005,Nodule\n"),
        ("images.zip", pictures(tmp_path)),
        ("captions.csv", CAPTIONS),
    )
    app.button("add-files").click().run()
    assert not app.exception and "is open: 3 files added" in said(app)
    (folder,) = studies()
    study = open_study(folder)
    assert study.image_ids == ("other", "q1", "q2") and (study.captions.count, study.images.count) == (2, 3)
    assert list(study.names.values()) == ["Nodule"]
    assert "2 of 3 images get" in said(app) or "1 of 3 images get" in said(app)
