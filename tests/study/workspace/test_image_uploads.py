"""Uploaded pictures: those that were cut off are kept with a remark, far too large ones are left out."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from PIL import Image

from evalcore.study.workspace import image_uploads, workspace
from tests.study.empty_study import empty_study

NOISE = Image.fromarray(np.random.default_rng(0).integers(0, 255, (60, 60), dtype=np.uint8))


def jpeg() -> bytes:
    out = io.BytesIO()
    NOISE.save(out, "JPEG")
    return out.getvalue()


def zipped(**pictures: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in pictures.items():
            archive.writestr(f"{name}.jpg", data)
    return out.getvalue()


def test_a_cut_picture_is_kept_with_a_remark() -> None:
    study = empty_study()
    report = workspace.add_part(study, "images", "b.jpg", jpeg()[:-200])
    assert [str(p) for p in report.problems] == [
        "b.jpg: The end of 1 picture is missing, such as b.jpg. Copy them again."
    ]
    assert report.total("error") == 0
    assert (study / "images/b.jpg").is_file()
    assert workspace.add_part(study, "images", "c.jpg", jpeg()).problems == ()


def test_a_picture_beyond_the_limit_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_uploads, "MAX_FILE", 3_000)
    study = empty_study()
    assert len(jpeg()) < 3_000 < len(jpeg()) + 1_000
    report = workspace.add_part(study, "images", "all.zip", zipped(a=jpeg(), b=jpeg() + bytes(1_000)))
    assert [(p.severity, p.rule, p.value) for p in report.problems] == [("error", "broken-image", "b.jpg")]
    assert [path.name for path in (study / "images").iterdir()] == ["a.jpg"]
