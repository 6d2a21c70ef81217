"""What decides a feature of an image beside its pixels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from evalcore.study.pictures.planes import Planes
from evalcore.values.errors import SettingError

ANGLES = (0, 45, 90, 135)
Channels = Literal["auto", "grey"]
MAX_LEVELS, MAX_OFFSET, MAX_SIDE = 256, 1_000, 2_048


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """How features are measured.

    levels: grey levels of the co-occurrence matrices, evenly over the range of the image's type. offsets: in
    pixels; angles: in degrees; texture is the mean over all of them. side: images are scaled so that the
    longer side has so many pixels; None leaves them as they are, and then areas, radii, texture and sharpness
    are those of the pixels given. channels: "auto" measures red, green and blue of images in colour; "grey"
    measures the luminance of all (ITU-R BT.601). Channels that a TIFF declares are measured each by itself.
    planes: of a stack the largest value or the mean at every pixel, or each plane as an image of its own.
    """

    levels: int = 32
    offsets: tuple[int, ...] = (1,)
    angles: tuple[int, ...] = ANGLES
    side: int | None = None
    channels: Channels = "auto"
    planes: Planes = "max"

    def __post_init__(self) -> None:
        if not 2 <= self.levels <= MAX_LEVELS:
            raise SettingError("levels", f"2 to {MAX_LEVELS}", self.levels)
        if not self.offsets or not all(1 <= one <= MAX_OFFSET for one in self.offsets):
            raise SettingError("offsets", f"pixels from 1 to {MAX_OFFSET:,}", self.offsets)
        if not self.angles or not set(self.angles) <= set(ANGLES):
            raise SettingError("angles", f"some of {', '.join(map(str, ANGLES))} degrees", self.angles)
        if self.side is not None and not 8 <= self.side <= MAX_SIDE:
            raise SettingError("side", f"8 to {MAX_SIDE:,} pixels", self.side)

        if self.channels not in get_args(Channels):
            raise SettingError("channels", "auto or grey", self.channels)
        if self.planes not in get_args(Planes):
            raise SettingError("planes", "max, mean or each", self.planes)

    def as_dict(self) -> dict[str, Any]:
        """For JSON output and for keys of caches."""
        return asdict(self)
