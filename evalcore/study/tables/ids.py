"""Ids a part of the study uses: find their images, report those no concept set knows, and why they miss."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import isfinite
from types import MappingProxyType

import numpy as np

from evalcore.study.tables import tables
from evalcore.study.tables.lines import parsed
from evalcore.study.tables.problems import Problems, shown
from evalcore.values.arrays import Ints
from evalcore.values.concept_scheme import belongs
from evalcore.values.model import ConceptSets
from evalcore.values.settings import Unknown

_ENDING = re.compile(r"\.(jpe?g|png|tiff?|gif|bmp|webp|dcm|dicom|nii(\.gz)?)$", re.IGNORECASE)


def _without_ending(image: str) -> str:
    return _ENDING.sub("", image)


def _without_folder(image: str) -> str:
    return image.replace("\\", "/").rsplit("/", 1)[-1]


_FEW = {1: "it matches", 2: "both match"}
_REMEDY = "Correct the id, or add the image to the concept file; --set unknown=drop leaves such rows out."
WAYS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("upper and lower case", str.casefold),
    ("a file ending such as .jpg", _without_ending),
    ("the folder before the name", _without_folder),
    ("the folder and a file ending such as .jpg", lambda i: _without_ending(_without_folder(i))),
    ("folder, file ending and upper or lower case", lambda i: _without_ending(_without_folder(i)).casefold()),
)
"""How ids of one image may differ: in words, and what is left of an id; the folder goes from the third on."""


def hint(missing: Sequence[str], known: Sequence[str]) -> str:
    """Why ids miss, as a sentence, when one simple difference explains every one of them; else "".

    >>> hint(["a.jpg", "b.jpg"], ["a", "b", "c"])
    'Apart from a file ending such as .jpg both match.'
    >>> hint(["a.jpg", "x"], ["a", "b", "c"])
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


def positions(ids: Sequence[str], image_ids: Sequence[str]) -> Ints:
    """Image index of each id, -1 where the study has no such image; shape (len(ids),)."""
    index = {image: i for i, image in enumerate(image_ids)}
    return np.fromiter((index.get(image, -1) for image in ids), np.int32, len(ids))


def report_unlisted(problems: Problems, ids: Collection[str], image_ids: Sequence[str], what: str) -> bool:
    """Ids of captions or labels that the study does not have, in one remark; ``what``: "rows label images".

    False, with an error, where it has none of them, so that nothing is left of the part.
    """
    known = set(image_ids)
    unknown = [image for image in ids if image not in known]
    why = hint(unknown, image_ids)
    if unknown and len(unknown) == len(ids):
        message = f"None of the {len(ids):,} {what} of the study, so none is used."
        remedy = why or "Write the ids as the concept file does."
        problems.error("unknown-id", message, remedy, value=unknown[0], count=len(unknown))
        return False
    problems.counted(
        "unknown-id", unknown, f"{{n}} {what} the concept file does not list.", why or "They are not used."
    )
    return True


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
        f"{what} has none of the {n:,} concepts of the study: these are such as {shown(commonest)}, those of "
        f"the file such as {shown(example)}. It is not used."
    )
    remedy = hint(concepts.vocabulary, ids)
    if not remedy and belongs(example, scheme):
        remedy = "Both are of one vocabulary: most likely it is about other concepts. Add one about these."
    elif not remedy:
        remedy = (
            "They are of another vocabulary: give the file in that of the study, or (for a graph and names) "
            "add a mapping of the ids: mapping.csv with the columns from,to, or an SSSOM table."
        )
    problems.error(rule, message, remedy, value=example)


def report_unknown(
    problems: Problems,
    missing: Sequence[str],
    lines: Sequence[int],
    image_ids: Sequence[str],
    *,
    unknown: Unknown,
) -> None:
    """Ids of a run or of embeddings that no concept set knows, each once at its first line.

    One problem stands for all of them when they all miss in the same way, or when ``unknown`` says
    to live with them; else every id is an error of its own.
    """
    if not missing:
        return
    why = hint(missing, image_ids)
    n, example = len(missing), shown(missing[0])
    what = f"{n:,} ids that no concept set contains, such as {example!r}"
    if unknown != "error":
        done = "kept as results of relevance 0" if unknown == "zero" else "removed"
        problems.warning(
            "unknown-id", f"{what}, were {done}.", why, line=int(lines[0]), value=example, count=n
        )
    elif why and n > 1:
        message = f"{what}; their rows are left out."
        remedy = f"{why} Write the ids as the concept file does."
        problems.error("unknown-id", message, remedy, line=int(lines[0]), value=example, count=n)
    else:
        message = "No concept set contains the image '{value}'; its rows are left out."
        remedy = why or _REMEDY
        problems.each("error", "unknown-id", message, remedy, lines=lines, values=missing)


# Rows of a table by the names in its header, for files whose columns have one name each.

Named = tuple[int, dict[str, str]]
"""The line of a row, and its cells by column; "" for an optional column that the file does not have."""


def named_rows(
    data: bytes,
    problems: Problems,
    *,
    required: Sequence[str],
    optional: Sequence[str] = (),
    fill: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Named]:
    """Rows of a comma, TAB or semicolon file with all of its cells; every other is an error and left out.

    ``fill``: what to do about an empty cell, for columns where more can be said.
    """
    rows = tables.rows_of(data, problems)
    if not rows:
        return
    header = [cell.strip().lower() for cell in rows[0].cells]
    if not _usable(header, rows[0], problems, required, optional):
        return
    if len(rows) == 1:
        message = "There is no row below the header."
        problems.error("no-rows", message, "Add one row per line.", line=rows[0].line)
    places = {name: header.index(name) if name in header else -1 for name in (*required, *optional)}
    for row in tables.full_rows(rows[1:], problems, len(header), "Give each column of the header one cell."):
        cells = {name: row.cells[at] if at >= 0 else "" for name, at in places.items()}
        empty = next((name for name in required if not cells[name]), None)
        if empty:
            message = f"The row has no {empty}; it is left out."
            remedy = fill.get(empty, "Fill the cell, or delete the row.")
            problems.error("empty-cell", message, remedy, line=row.line, value=",".join(row.cells))
            continue
        yield row.line, cells


def _usable(
    header: Sequence[str],
    row: tables.Row,
    problems: Problems,
    required: Sequence[str],
    optional: Sequence[str],
) -> bool:
    """Whether the header names what is needed, each once; other columns are mentioned."""
    first = f"Let the first row be: {','.join(required)}."
    missing = [name for name in required if name not in header]
    if missing:
        lacking = " and ".join(", ".join(missing).rsplit(", ", 1))
        message = (
            f"The header must name the columns {', '.join(required)}; {lacking} "
            f"{'is' if len(missing) == 1 else 'are'} not among {shown(', '.join(row.cells[:8]))}."
        )
        problems.error("wrong-header", message, first, line=row.line, value=row.cells[0])
        return False
    twice = [
        name for name in dict.fromkeys(header) if name in (*required, *optional) and header.count(name) > 1
    ]
    if twice:
        message = f"Two columns are called {tables.quoted(twice[0])}."
        problems.error("duplicate-column", message, "Keep one of them.", line=row.line, value=twice[0])
        return False
    others = [name for name in header if name not in (*required, *optional)]
    if others:
        message = (
            f"The column {tables.quoted(others[0])} is not used."
            if len(others) == 1
            else (f"{len(others)} columns are not used, such as {tables.quoted(others[0])}.")
        )
        problems.warning("unused-column", message, "", line=row.line, value=others[0], count=len(others))
    return True


def number_in(
    cells: dict[str, str], name: str, line: int, problems: Problems, *, remedy: str
) -> float | None:
    """A number that is one: not NaN, not endless; None with an error."""
    value = parsed(cells[name])
    if value is not None and isfinite(value):
        return value
    message = f"The {name} {tables.quoted(cells[name])} is not a number; the row is left out."
    problems.error("not-a-number", message, remedy, line=line, value=cells[name])
    return None
