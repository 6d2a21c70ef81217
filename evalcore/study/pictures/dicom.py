"""DICOM files as pictures, by pydicom: pixels only, none of the words in them.

The first frame: the modality LUT, then the VOI LUT or the first window of the file to 0 to 255, and black
and white of MONOCHROME1 exchanged last (PS3.3 C.7.6.3.1.2, C.11.2). Without LUT and window, values are
stretched as those of other pictures with more than 8 bits, and 8 bits stay as they are. What comes in may
be hostile: sizes are checked before pixels are unpacked.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from evalcore.study.pictures.size_limits import MAX_PIXELS, check_sides
from evalcore.study.tables.problems import try_call
from evalcore.values.errors import InputError
from evalcore.values.writing import words

if TYPE_CHECKING:
    from pydicom import Dataset

ENDINGS = (".dcm", ".dicom")
MOST_PIXELS = MAX_PIXELS // 3
"""Largest picture that is decoded: windowing takes eight bytes a pixel, several times."""
MOST_RLE = 4 << 20
"""Most bytes of run-length coded pixels: each may unpack to 64, and that in Python."""
IDENTIFYING = words(
    """
    PatientName, PatientID, PatientBirthDate, PatientBirthTime, PatientAddress, PatientTelephoneNumbers,
    PatientMotherBirthName, PatientBirthName, OtherPatientIDs, OtherPatientNames, OtherPatientIDsSequence,
    IssuerOfPatientID, MilitaryRank, CountryOfResidence, AccessionNumber, InstitutionName, InstitutionAddress,
    ReferringPhysicianName, PhysiciansOfRecord, PerformingPhysicianName, NameOfPhysiciansReadingStudy,
    OperatorsName, RequestingPhysician, StudyID, PersonName
    """
)
"""Tags that can say who somebody is, of those that PS3.15 Annex E wants removed or replaced."""
_DEFLATED = b"1.2.840.10008.1.2.1.99"
_RLE = "1.2.840.10008.1.2.5"
_EXPORT = "Export the image as PNG or JPEG, de-identified."
_PIXELS = ("PixelData", "FloatPixelData", "DoubleFloatPixelData")


def is_dicom(data: bytes) -> bool:
    """Whether a file calls itself DICOM: the four letters after its preamble."""
    return data[128:132] == b"DICM"


def dicom_picture(data: bytes, *, file: str) -> Image.Image:
    """The first frame: mode L or RGB, or F with grey values that nothing says how to show.

    Raises
    ------
    InputError
        No decoder for the compression, no picture in it, more than `MOST_PIXELS`. What pydicom stumbles over
        in a damaged file is raised as it is.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        result = _read(data, file)
        _check(result, file)
        return _shown(result, file)


def check_dicom(data: bytes, *, file: str) -> None:
    """Raise InputError where no picture can be made of the file, as far as its tags tell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _check(_read(data, file), file)


def dicom_facts(data: bytes, *, file: str) -> tuple[tuple[str, ...], int]:
    """Which identifying tags have a value, by name, and how many frames there are; no value is returned.

    Raises InputError where no picture can be made of the file.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = _read(data, file)
        _check(dataset, file)
        tags, _ = try_call(lambda: tuple(name for name in IDENTIFYING if _has_value(dataset, name)))
        frames, _ = try_call(lambda: int(dataset.get("NumberOfFrames") or 1))
        return tags or (), frames or 1


def _has_value(dataset: Dataset, name: str) -> bool:
    return name in dataset and dataset[name].VM > 0 and bool(str(dataset[name].value).strip())


def _read(data: bytes, file: str) -> Dataset:
    if _DEFLATED in data:
        raise InputError(f"{file} is a deflated DICOM file, which is not read. {_EXPORT}")
    from pydicom import dcmread

    return dcmread(io.BytesIO(data))


def _check(dataset: Dataset, file: str) -> None:
    """Whether there is a picture, of a size and a compression that can be read."""
    from pydicom.pixels import get_decoder

    rows, columns = int(dataset.get("Rows") or 0), int(dataset.get("Columns") or 0)
    if not (rows and columns and any(name in dataset for name in _PIXELS)):
        raise InputError(f"{file} is a DICOM file without a picture. {_EXPORT}")
    check_sides(columns, rows, file, most=MOST_PIXELS)
    syntax = dataset.file_meta.TransferSyntaxUID
    try:
        known = get_decoder(syntax).is_available
    except NotImplementedError:
        known = False
    if not known:
        remedy = "Install pylibjpeg[all] (pip install pylibjpeg[all]), or export the image as PNG or JPEG."
        raise InputError(
            f"{file} is compressed ({syntax.name}), and no decoder for that is installed. {remedy}"
        )
    if syntax == _RLE and len(dataset.PixelData) > MOST_RLE:
        raise InputError(f"{file} is run-length coded and larger than {MOST_RLE >> 20} MB. {_EXPORT}")


def _shown(dataset: Dataset, file: str) -> Image.Image:
    from pydicom.pixels import apply_color_lut, apply_modality_lut, pixel_array

    pixels = pixel_array(dataset, index=0)
    kind = str(dataset.get("PhotometricInterpretation", ""))
    if kind == "PALETTE COLOR":
        pixels = apply_color_lut(pixels, dataset)
    if pixels.ndim == 3 and pixels.shape[2] == 3:
        return Image.fromarray(_to_bytes(pixels, dataset))
    if pixels.ndim != 2:
        raise InputError(f"{file} contains a picture with {pixels.shape[-1]} samples a pixel. {_EXPORT}")
    grey = _in_window(apply_modality_lut(pixels, dataset), dataset)
    if grey is None:
        grey = pixels if pixels.dtype == np.uint8 and dataset.BitsStored == 8 else None
    if grey is not None:
        return Image.fromarray(255 - grey if kind == "MONOCHROME1" else grey)
    values = np.asarray(apply_modality_lut(pixels, dataset), np.float32)
    return Image.fromarray(-values if kind == "MONOCHROME1" else values)


def _in_window(values: np.ndarray, dataset: Dataset) -> np.ndarray | None:
    """Grey values as the table or the window of the file shows them, 0 to 255; None without either."""
    from pydicom.pixels import apply_voi, apply_windowing

    if dataset.get("VOILUTSequence"):
        top = (1 << int(dataset.VOILUTSequence[0].LUTDescriptor[2])) - 1
        return _grey(apply_voi(values, dataset) * (255 / top))
    if dataset.get("WindowCenter") is None or dataset.get("WindowWidth") is None:
        return None
    # The window's own ends: what lies far below and far above it.
    low, high = apply_windowing(np.array([-1e12, 1e12]), dataset)
    shown = apply_windowing(values, dataset)
    return _grey((shown - low) * (255 / (high - low)))


def _grey(values: np.ndarray) -> np.ndarray:
    """Values from 0 to 255 as bytes."""
    return np.asarray(np.clip(values, 0, 255).round(), np.uint8)


def _to_bytes(pixels: np.ndarray, dataset: Dataset) -> np.ndarray:
    """Colours of any depth as bytes."""
    top = (
        np.iinfo(pixels.dtype).max
        if str(dataset.get("PhotometricInterpretation")) == "PALETTE COLOR"
        else ((1 << int(dataset.BitsStored)) - 1)
    )
    return pixels if top == 255 else (pixels * (255 / top)).round().astype(np.uint8)
