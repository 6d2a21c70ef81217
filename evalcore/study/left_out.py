"""Labels of images that readers judged wrong and ``study.toml`` leaves out: no image carries them any more.

``[left_out]`` names them by image. They are taken away when the study opens, so relevances, filters, counts
and the digest are those of the study without them, on pages, in commands and in the library alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalcore.values.model import Study


def pairs(study: Study) -> tuple[tuple[str, str], ...]:
    """(image, label) of everything that is left out, by image and label."""
    return tuple(
        (image, label) for image in sorted(study.left_out) for label in sorted(study.left_out[image])
    )


def in_words(study: Study) -> str:
    """``2 labels of 1 image are left out: readers judged them wrong.``; "" where all labels count."""
    n, images = len(pairs(study)), len(study.left_out)
    if not n:
        return ""
    labels = "1 label" if n == 1 else f"{n:,} labels"
    of = "1 image" if images == 1 else f"{images:,} images"
    are, them = ("is", "it") if n == 1 else ("are", "them")
    return f"{labels} of {of} {are} left out: readers judged {them} wrong."
