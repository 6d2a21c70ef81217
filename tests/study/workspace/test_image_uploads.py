"""Uploaded pictures: those that were cut off are kept with a remark, far too large ones are left out."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from evalcore.study.workspace.uploads import add_part
from tests.study.empty_study import empty_study

NOISE = Image.fromarray(np.random.default_rng(0).integers(0, 255, (60, 60), dtype=np.uint8))


def jpeg() -> bytes:
    out = io.BytesIO()
    NOISE.save(out, "JPEG")
    return out.getvalue()


def test_a_cut_picture_is_kept_with_a_remark() -> None:
    study = empty_study()
    report = add_part(study, "images", "b.jpg", jpeg()[:-200])
    assert [str(p) for p in report.problems] == [
        "b.jpg: The end of 1 picture is missing, such as b.jpg. Copy them again."
    ]
    assert report.total("error") == 0
    assert (study / "images/b.jpg").is_file()
    assert add_part(study, "images", "c.jpg", jpeg()).problems == ()
