"""Ids a part of the study uses: find their images, report those no concept set knows, and why they miss."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from evalcore.study.tables.problems import Problems, shown
from evalcore.values.arrays import Ints
from evalcore.values.model import ConceptSets
from evalcore.values.settings import Unknown

_ENDING = re.compile(r"\.(jpe?g|png|tiff?|gif|bmp|webp|dcm|dicom|nii(\.gz)?)$", re.IGNORECASE)


def _without_ending(image: str) -> str:
    return _ENDING.sub("", image)


def _without_folder(image: str) -> str:
    return image.replace("\\", "/").rsplit("/", 1)[-1]


_FEW = {1: "it matches", 2: "both match"}
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
    'Apart from a file ending such as .jpg both match.'
    >>> hint(["a.jpg", "x"], ["a", "b", "c"])
    ''
    """
    if not missing:
        return ""
    for words, simplify in _WAYS:
        simple = {simplify(image) for image in known}
        if all(simplify(image) in simple for image in missing):
            n = len(missing)
            return f"Apart from {words} {_FEW.get(n, f'all {n:,} match')}."
    return ""


def positions(ids: Sequence[str], image_ids: Sequence[str]) -> Ints:
    """Image index of each id, -1 where the study has no such image; shape (len(ids),)."""
    index = {image: i for i, image in enumerate(image_ids)}
    return np.fromiter((index.get(image, -1) for image in ids), np.int32, len(ids))


def report_unlisted(found: Problems, ids: Iterable[str], image_ids: Sequence[str], what: str) -> None:
    """Ids of captions or labels that no concept set knows, in one remark; ``what``: "rows label images"."""
    known = set(image_ids)
    unknown = [image for image in ids if image not in known]
    remedy = hint(unknown, image_ids) or "They are not used."
    found.counted("unknown-id", unknown, f"{{n}} {what} the concept file does not list.", remedy)


def report_concepts_without(
    found: Problems, concepts: ConceptSets, those_with: Collection[str], rule: str, verb: str, then: str
) -> None:
    """A remark about how many concepts of a study, and how much of their uses, a part does not know.

    ``verb`` says so ("are not in the graph"), ``then`` what comes of it.
    """
    missing = np.array([concept not in those_with for concept in concepts.vocabulary], np.bool_)
    if n := int(missing.sum()):
        uses = concepts.images_with * missing
        share = uses.sum() / max(len(concepts.indices), 1)
        message = f"{n:,} of {len(missing):,} concepts ({share:.0%} of their uses) {verb}."
        commonest = concepts.vocabulary[int(np.argmax(uses))]
        found.warning(rule, message, then, value=commonest, count=n)


def report_unknown(
    found: Problems, missing: Sequence[str], lines: Sequence[int], image_ids: Sequence[str], *,
    unknown: Unknown,
) -> None:  # fmt: skip
    """Ids of a run or of embeddings that no concept set knows, each once at its first line.

    One problem stands for all of them when they all miss in the same way, or when ``unknown`` says
    to live with them; else every id is an error of its own.
    """
    if not missing:
        return
    why = hint(missing, image_ids)
    n, example = len(missing), shown(missing[0])
    what = f"{n:,} ids that no concept set knows, such as {example!r}"
    if unknown != "error":
        done = "kept as results of relevance 0" if unknown == "zero" else "removed"
        found.warning("unknown-id", f"{what}, were {done}.", why, line=int(lines[0]), value=example, count=n)
    elif why and n > 1:
        message = f"{what}; their rows are left out."
        remedy = f"{why} Write the ids as the concept file does."
        found.error("unknown-id", message, remedy, line=int(lines[0]), value=example, count=n)
    else:
        found.each(
            "error", "unknown-id", "No concept set knows the image '{value}'; its rows are left out.",
            why or "Use the ids of the concept file, or choose to drop unknown ids.",
            lines=lines, values=missing,
        )  # fmt: skip
