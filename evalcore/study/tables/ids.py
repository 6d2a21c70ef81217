"""Ids a part of the study uses: find their images, report those no concept set knows, and why they miss."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, get_args

import numpy as np

from evalcore.study.tables.problems import Problems, truncate
from evalcore.values.arrays import Ints
from evalcore.values.concept_scheme import belongs
from evalcore.values.errors import SettingError
from evalcore.values.model import ConceptSets
from evalcore.values.settings import Unknown

_ENDING = re.compile(r"\.(jpe?g|png|tiff?|gif|bmp|webp|dcm|dicom|nii(\.gz)?)$", re.IGNORECASE)


def _without_ending(image: str) -> str:
    return _ENDING.sub("", image)


def _without_folder(image: str) -> str:
    return image.replace("\\", "/").rsplit("/", 1)[-1]


_FEW = {1: "it matches", 2: "both match"}
WAYS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("upper and lower case", str.casefold),
    ("a file ending such as .jpg", _without_ending),
    ("the folder before the name", _without_folder),
    ("the folder and a file ending such as .jpg", lambda i: _without_ending(_without_folder(i))),
    ("folder, file ending and upper or lower case", lambda i: _without_ending(_without_folder(i)).casefold()),
)
"""How ids of one image may differ: in words, and what is left of an id; the folder goes from the third on."""


def explain_id_mismatch(missing: Sequence[str], known: Sequence[str]) -> str:
    """Why ids miss, as a sentence, when one simple difference explains every one of them; else "".

    >>> explain_id_mismatch(["a.jpg", "b.jpg"], ["a", "b", "c"])
    'Apart from a file ending such as .jpg both match.'
    >>> explain_id_mismatch(["a.jpg", "x"], ["a", "b", "c"])
    ''
    """
    if not missing:
        return ""
    for words, simplify in WAYS:
        simple = {simplify(image) for image in known}
        if all(simplify(image) in simple for image in missing):
            n = len(missing)
            return f"Apart from {words} {_FEW.get(n, f'all {n:,} match')}."
    return ""


class KnownIds:
    """The ids that a study knows, of its images or concepts: where each stands, and what to say of others.

    ``ids``: ascending. ``unknown``: what becomes of other ids in runs and vectors (see ``open_study``);
    SettingError for anything else.
    """

    def __init__(self, ids: Sequence[str], unknown: Unknown = "error") -> None:
        if unknown not in get_args(Unknown):
            raise SettingError("unknown", f"one of {', '.join(get_args(Unknown))}", unknown)
        self.ids, self.unknown = ids, unknown
        self._index = {image: i for i, image in enumerate(ids)}

    def positions(self, ids: Sequence[str]) -> Ints:
        """The place of each of these ids, -1 for one that is not known; shape (len(ids),)."""
        return np.fromiter((self._index.get(name, -1) for name in ids), np.int32, len(ids))

    def report_unlisted(self, problems: Problems, ids: Collection[str], noun: str) -> bool:
        """Ids of captions or labels that the study does not have, in one remark.

        False, with an error, where it has none of them, so that nothing is left of the part.
        ``noun``: "row", "caption".
        """
        unknown = [image for image in ids if image not in self._index]
        why = explain_id_mismatch(unknown, self.ids)
        if unknown and len(unknown) == len(ids):
            message = f"No {noun} is about an image of the study, so none is used."
            remedy = why or "Write the ids as the concept file does."
            problems.error("unknown-id", message, remedy, value=unknown[0], count=len(unknown))
            return False
        message = f"{noun.capitalize()}s about images that the concept file does not list: {{n}}."
        problems.add_summary("unknown-id", unknown, message, why or "They are not used.")
        return True

    def report_unknown(
        self,
        problems: Problems,
        missing: Sequence[str],
        lines: Sequence[int],
        *,
        unknown: Unknown = "error",
        message: str = "No concept set contains the image '{value}'; its rows are left out.",
        remedy: str = "Correct the id, or add the image to the concept file.",
    ) -> None:
        """Ids that no concept set knows, at their lines; ``message`` and ``remedy`` are about one of them.

        One problem stands for all of them when they all miss in the same way, or when ``unknown`` says
        to live with them; else every id is an error of its own.
        """
        if not missing:
            return
        why, n, example = explain_id_mismatch(missing, self.ids), len(missing), truncate(missing[0])
        what = f"{n:,} ids that no concept set contains, such as {example!r}"
        where: dict[str, Any] = {"line": int(lines[0]), "value": example, "count": n}
        if unknown != "error":
            done = "kept as results of relevance 0" if unknown == "zero" else "removed"
            problems.warning("unknown-id", f"{what}, were {done}.", why, **where)
        elif why and n > 1:
            remedy = f"{why} Write the ids as the concept file does."
            problems.error("unknown-id", f"{what}; their rows are left out.", remedy, **where)
        else:
            problems.each("error", "unknown-id", message, why or remedy, lines=lines, values=missing)


def report_concepts_without(
    problems: Problems, concepts: ConceptSets, those_with: Collection[str], rule: str, verb: str, then: str
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
        problems.warning(rule, message, then, value=commonest, count=n)


def report_other_concepts(
    problems: Problems, rule: str, concepts: ConceptSets, ids: Sequence[str], what: str, scheme: str
) -> None:
    """An error about a file whose concepts (``ids``, at least one) are none of a study that has some.

    ``what`` names the part, "The graph"; ``scheme`` is that of the study.
    """
    n, commonest = len(concepts.vocabulary), concepts.vocabulary[int(np.argmax(concepts.images_with))]
    example = next((concept for concept in ids if belongs(concept, scheme)), ids[0])
    message = (
        f"{what} has none of the {n:,} concepts of the study: these are such as {truncate(commonest)}, "
        f"those of the file such as {truncate(example)}. It is not used."
    )
    remedy = explain_id_mismatch(concepts.vocabulary, ids)
    if not remedy and belongs(example, scheme):
        remedy = "Both are of one vocabulary: most likely it is about other concepts. Add one about these."
    elif not remedy:
        remedy = (
            "They are of another vocabulary: write the ids of the file as those of the study, or give a file "
            "in its vocabulary."
        )
    problems.error(rule, message, remedy, value=example)
