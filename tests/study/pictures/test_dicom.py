"""DICOM files, made here by pydicom: shown as they ask to be, their words kept back, hostile ones refused."""

import io
import random

import numpy as np
import pytest
from pydicom import Dataset, dcmread, dcmwrite
from pydicom.dataset import FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.pixels import apply_voi_lut
from pydicom.uid import (
    CTImageStorage,
    DeflatedExplicitVRLittleEndian,
    ExplicitVRBigEndian,
    ExplicitVRLittleEndian,
    ImplicitVRLittleEndian,
    JPEGLSLossless,
    RLELossless,
)

from evalcore.study.pixels import check_header, decode
from evalcore.values.errors import InputError

RAMP = np.arange(48 * 64, dtype=np.uint16).reshape(48, 64)


def made(pixels=RAMP, syntax=ExplicitVRLittleEndian, **tags):
    """The bytes of a DICOM file with these pixels and tags."""
    result = Dataset()
    result.file_meta = FileMetaDataset()
    result.file_meta.TransferSyntaxUID = syntax
    result.file_meta.MediaStorageSOPClassUID = result.SOPClassUID = CTImageStorage
    result.file_meta.MediaStorageSOPInstanceUID = result.SOPInstanceUID = "1.2.3"
    bits = pixels.dtype.itemsize * 8
    colours = pixels.ndim == 3 and pixels.shape[-1] == 3
    result.Rows, result.Columns = pixels.shape[:2] if colours or pixels.ndim == 2 else pixels.shape[1:3]
    result.SamplesPerPixel = 3 if colours else 1
    result.PhotometricInterpretation = "RGB" if colours else "MONOCHROME2"
    if colours:
        result.PlanarConfiguration = 0
    result.BitsAllocated = result.BitsStored = bits
    result.HighBit, result.PixelRepresentation = bits - 1, int(pixels.dtype.kind == "i")
    result.PixelData = pixels.astype(
        pixels.dtype.newbyteorder(">" if syntax == ExplicitVRBigEndian else "<")
    ).tobytes()
    for name, value in tags.items():
        setattr(result, name, value)
    out = io.BytesIO()
    plain = {"little_endian": syntax != ExplicitVRBigEndian, "implicit_vr": syntax == ImplicitVRLittleEndian}
    dcmwrite(out, result, enforce_file_format=True, **({} if syntax.is_compressed else plain))
    return out.getvalue()


def grey(data):
    picture = decode(data, file="x.dcm")
    assert picture.mode == "L" and picture.info == {}
    return np.asarray(picture).astype(int)


@pytest.mark.parametrize("syntax", [ExplicitVRLittleEndian, ImplicitVRLittleEndian, ExplicitVRBigEndian])
def test_the_window_of_the_file(syntax):
    """By PS3.3 C.11.2.1.2.1, as pydicom has it."""
    data = made(syntax=syntax, WindowCenter=1_000, WindowWidth=800)
    shown, theirs = grey(data), apply_voi_lut(RAMP, dcmread(io.BytesIO(data)))
    assert np.abs(shown - theirs * 255 / 65_535).max() <= 0.5
    assert (shown.min(), shown.max()) == (0, 255)


@pytest.mark.parametrize("window", [{}, {"WindowCenter": 1_000, "WindowWidth": 800}])
def test_monochrome1_is_inverted(window):
    usual = grey(made(**window))
    inverted = grey(made(PhotometricInterpretation="MONOCHROME1", **window))
    assert np.abs(usual + inverted - 255).max() <= 1 and usual[-1, -1] > 250


def test_without_a_window_values_are_stretched():
    shown = grey(made((RAMP + 500).astype(np.uint16)))
    assert (shown.min(), shown.max()) == (0, 255)
    assert np.abs(shown / 255 - RAMP / RAMP.max()).max() < 0.01


@pytest.mark.parametrize(
    ("data", "messages"),
    [
        (lambda: made(Rows=60_000, Columns=60_000), "more than"),
        (lambda: made(syntax=JPEGLSLossless, PixelData=encapsulate([b"x" * 10])), "pylibjpeg"),
        (lambda: made(syntax=RLELossless, PixelData=encapsulate([bytes(5 << 20)])), "run-length"),
        (lambda: made(syntax=DeflatedExplicitVRLittleEndian), "deflated"),
        (lambda: made(Rows=0), "without a picture"),
    ],
)
def test_pictures_that_cannot_be_shown_are_explained(data, messages):
    content = data()
    for look in (decode, check_header):
        with pytest.raises(InputError, match=messages) as caught:
            look(content, file="x.dcm")
        assert "x.dcm" in str(caught.value)


def test_a_file_that_was_cut_or_changed_anywhere_is_refused_or_shown():
    whole, dice = made(WindowCenter=1_000, WindowWidth=800, PatientName="Doe"), random.Random(3)
    for end in range(140, len(whole), 97):
        with pytest.raises(InputError):
            decode(whole[:end], file="x.dcm")
    for _ in range(100):
        changed = bytearray(whole)
        for _ in range(4):
            changed[dice.randrange(132, 900)] = dice.randrange(256)
        try:
            assert decode(bytes(changed), file="x.dcm").mode in ("L", "RGB")
        except InputError as refused:
            assert "Doe" not in str(refused)
