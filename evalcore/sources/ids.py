"""Ids a part of the study uses but no concept set knows: count them, and see why they all miss."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_ENDING = re.compile(r"\.(jpe?g|png|tiff?|gif|bmp|webp|dcm|dicom|nii(\.gz)?)$", re.IGNORECASE)


def _without_ending(image: str) -> str:
    return _ENDING.sub("", image)


def _without_folder(image: str) -> str:
    return image.replace("\\", "/").rsplit("/", 1)[-1]


_WAYS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("upper and lower case", str.casefold),
    ("a file ending such as .jpg", _without_ending),
    ("the folder before the name", _without_folder),
    ("the folder and a file ending such as .jpg", lambda i: _without_ending(_without_folder(i))),
    (
        "folder, file ending and upper or lower case",
        lambda i: _without_ending(_without_folder(i)).casefold(),
    ),
)


def hint(missing: Sequence[str], known: Sequence[str]) -> str:
    """Why ids miss, as a sentence, when one simple difference explains every one of them; else "".

    >>> hint(["a.jpg", "b.jpg"], ["a", "b", "c"])
    'Apart from a file ending such as .jpg all 2 match.'
    >>> hint(["a.jpg", "x"], ["a", "b", "c"])
    ''
    """
    if not missing:
        return ""
    for words, simplify in _WAYS:
        simple = {simplify(image) for image in known}
        if all(simplify(image) in simple for image in missing):
            n = len(missing)
            return f"Apart from {words} {'it matches' if n == 1 else f'all {n:,} match'}."
    return ""
